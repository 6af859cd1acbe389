"""Progress: one line that changes in place, on a terminal or in a notebook.

`watched` surrounds a call of the user's and says whether anything is to be seen. Within it, `waiting` surrounds work
whose stages `say` names, and a `Bar` counts what can be counted. The first second is silent. Where the line can't be
written nothing else suffers, and whatever happens in other threads than the main one is not shown.

There is no thread behind it: the line changes when one of these is called. A stage that holds on for seconds names them
before it begins.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Self

from . import screens
from .arguments import truth
from .disk import cache

DELAY = 1.0  #: s before anything is shown
KNOWN = 2.0  #: s that a wait must be known to take to be shown before
GAP = 0.5  #: s between two waits for one thing that count as one
REMEMBERED = 100  #: waits
EVERY = 0.1  #: s between two changes of numbers in the line
STAGES = ("tracing", "translating", "machine code")  #: of compilation
OTHERS = "waiting for another process"
SURE = 0.1  #: of what is left must be done for its time to count
BLOCKS = ("", *"▏▎▍▌▋▊▉")  #: eighths of a place in a bar
MINUTES = 100.0  #: s from which on a time is given in minutes

_wanted: ContextVar[bool | None] = ContextVar("wanted", default=None)


class watched:  # noqa: N801
    """Show what is waited for within `with`, or not; None: as around it, at the top on terminals and in notebooks only.

    With its end the line goes from a terminal. Raises ArgumentError for what is no such argument `progress`.
    """

    __slots__ = ("_before", "_here", "_outer", "_wanted")

    def __init__(self, progress: bool | None):
        self._wanted = _wanted.get() if progress is None else truth(progress, "progress")

    def __enter__(self) -> None:
        self._outer, self._here = _line.calls, _in_main_thread()
        self._before = _wanted.set(self._wanted)
        if self._here:
            if not self._outer:
                _line.parts.clear()  # of what Ctrl-C ended between two lines of this file
                _Wait.spent.clear()  # each call has its own time
            _line.calls = self._outer + 1

    def __exit__(self, *error: object) -> None:
        _wanted.reset(self._before)
        if self._here:
            _line.calls = self._outer
            if not self._outer:
                _line.show_last()
            _line.clear()


def shows(progress: bool | None) -> bool:
    """True if something is shown where an argument `progress` is given so. Raises ArgumentError as `watched`."""
    return _screen() is not None if progress is None else truth(progress, "progress")


def say(stage: str, of: int = 0, seconds: float = 0.0) -> None:
    """Name what is done now under the innermost `waiting`: a stage, how many functions it has, seconds expected.

    Costs next to nothing where nobody waits, and never raises.
    """
    wait = _line.wait()
    if wait is not None:
        if not wait.is_fixed:
            wait.stage, wait.done, wait.of, wait.seconds, wait.named = stage, 0, of, seconds, time.monotonic()
        _line.draw(True)


def others() -> None:
    """Say that another process makes what is waited for; let the line change."""
    wait = _line.wait()
    if wait is None or wait.stage == OTHERS:
        count(0)
    else:
        say(OTHERS)


def count(functions: int = 1) -> None:
    """Add to the functions that the stage has gone through; 0: let the line change, where nothing is counted."""
    wait = _line.wait()
    if wait is not None:
        wait.done += functions
        _line.draw(False)


@contextlib.contextmanager
def waiting(title: str, text: str = "", seconds: float = 0.0) -> Iterator[None]:
    """Show that `title` is compiled, by the stages that `say` names; or, with a text, that, about so many seconds.

    Waits for one title that follow upon each other count as one. It ends with the time that it took, and that the
    result is kept.
    """
    screen = _screen()
    if screen is None:
        yield
        return
    wait = _Wait(title, text, seconds)
    try:
        _line.push(wait, screen)
        yield
    except BaseException:
        _line.pop(wait)
        raise
    _line.pop(wait, wait.ready())


class _Part:
    """Something that is under way."""

    def __init__(self, title: str):
        self.title, self.began = title, time.monotonic()
        self.visible = False

    def is_due(self, now: float) -> bool:
        """True once it has taken long enough to be shown."""
        return now - self.began >= DELAY

    def text(self, inner: str) -> str:
        """The line; inner: what is done inside of it, if that is shown."""
        raise NotImplementedError


class _Wait(_Part):
    spent: dict[str, tuple[float, float, bool]] = {}  #: by titles: s, when that ended, and whether it was shown

    def __init__(self, title: str, text: str, seconds: float):
        super().__init__(title)
        self.stage, self.done, self.of, self.seconds, self.named = text, 0, 0, seconds, self.began
        self.is_fixed = bool(text)
        before, ended, visible = self.spent.get(title, (0.0, 0.0, False))
        self.goes_on = visible and self.began - ended < GAP  #: in a line that was shown
        if not text and self.began - ended < GAP:
            self.began -= before

    def is_due(self, now: float) -> bool:
        known = self.named - self.began + self.seconds
        return bool(self.stage) and (self.goes_on or known >= KNOWN or super().is_due(now))

    def words(self) -> str:
        number = f" {STAGES.index(self.stage) + 1}/{len(STAGES)}" if self.stage in STAGES else ""
        count = f" ({min(self.done, self.of)} of {self.of} functions)" if self.of else ""
        return f"{self.stage}{number}{count}" + (f", about {duration(self.seconds)}" if self.seconds else "")

    def text(self, inner: str) -> str:
        return f"{self.title}: {self.words()}"

    def ready(self) -> str:
        """The last text of the line; empty where another stage follows."""
        if self.stage in STAGES[:-1]:
            return ""
        kept = "" if self.is_fixed or not cache.usable() else "; kept, next time at once"
        return f"{self.title}: ready in {duration(time.monotonic() - self.began)}{kept}"


class Bar(_Part):
    """Counts what is done of a total, within `with`: `update` adds some. before: what had been done already."""

    def __init__(self, title: str, total: int, unit: str, before: int = 0):
        super().__init__(title)
        self.total, self.n, self.unit, self.before = total, before, unit, before
        self.note = ""  #: behind the counts

    def __enter__(self) -> Self:
        screen = _screen()
        if screen is not None:
            try:
                _line.push(self, screen)
            except BaseException:
                _line.pop(self)
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if _line.parts:
            took = duration(time.monotonic() - self.began)
            _line.pop(self, f"{self.title}: {self.all()} in {took}" if kind is None else "")

    def all(self) -> str:
        """The count of finished items, in words."""
        return counted(self.n - self.before, f"{self.unit}s")

    def update(self, count: int = 1) -> None:
        """Add what was done meanwhile."""
        self.n += count
        if _line.parts and _in_main_thread():
            _line.draw(False)

    def text(self, inner: str) -> str:
        took, new = time.monotonic() - self.began, self.n - self.before
        left = clock(took / new * (self.total - self.n)) if new else "?"
        own = f"{self.n}/{self.total} {self.unit}s, {clock(took)}<{left}{self.note}"
        return _bar(self.title, self.n / max(self.total, 1), inner or own)


class Shares(Bar):
    """A bar of parts of several sorts, each with its share of the time that all are expected to take.

    Who does the work says so from any thread that has the context of `with`: `expect` a part, `done` with one. `turn`
    lets the main thread, which may only wait, show it.
    """

    def __init__(self, title: str):
        super().__init__(title, 0, "part")
        self._parts: list[tuple[str, float]] = []
        self._done: list[tuple[str, float]] = []
        self._since = self.began  #: the part that is under way began
        self._token: Token[Shares | None] | None = None

    def __enter__(self) -> Self:
        self._token = _shares.set(self)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        assert self._token is not None
        _shares.reset(self._token)
        super().__exit__(*error)

    def add(self, sort: str, seconds: float, ahead: bool) -> None:
        """Expect a part of a sort, which counts in the bar if that has a name."""
        self._parts.insert(0 if ahead else len(self._parts), (sort, seconds))

    def end(self, sort: str) -> None:
        """Take the first part of a sort that is under way as done."""
        part = next((part for part in self._parts if part[0] == sort), None)
        if part is None:
            return
        self._parts.remove(part)
        self._done.append(part)
        self._since, self.note = time.monotonic(), ""

    def progress(self) -> tuple[float, float]:
        """The part of the work that is done, and how many seconds the rest is expected to take."""
        done, left = (sum(seconds for _, seconds in parts) for parts in (self._done, self._parts))
        pace = 1.0 if done <= SURE * left else (self._since - self.began) / done
        most = 0.95 * self._parts[0][1] if self._parts else 0.0
        under_way = min((time.monotonic() - self._since) / max(pace, 1e-3), most)
        return (done + under_way) / max(done + left, 1e-3), pace * (left - under_way)

    def all(self) -> str:
        counts = Counter(sort for sort, _ in self._done if sort)
        return ", ".join(counted(number, sort) for sort, number in counts.items())

    def text(self, inner: str) -> str:
        total = Counter(sort for sort, _ in [*self._done, *self._parts] if sort)
        ended = Counter(sort for sort, _ in self._done)
        share, left = self.progress()
        words = [f"{ended[sort]}/{count} {sort}" for sort, count in total.items()]
        words += [self.note] if self.note else []
        words += [f"about {duration(left)}"] if left > 0.0 else []
        return _bar(self.title, share, ", ".join(words))


class _Line:
    """The line of this process, and all that is under way in its main thread, outermost first."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.calls = 0  #: `watched` within each other
        self._screen: screens.Screen | None = None
        self._drawn, self._text = 0.0, ""
        self._last = ""  #: what was said last of waits in this call; shown when nothing more is compiled

    def wait(self) -> _Wait | None:
        """The innermost wait, for who comes from the main thread."""
        if not self.parts or not _in_main_thread():
            return None
        return next((part for part in reversed(self.parts) if isinstance(part, _Wait)), None)

    def push(self, part: _Part, screen: screens.Screen) -> None:
        if self._screen is None:
            self._screen = screen
        if isinstance(part, Bar):
            self.show_last()
        self.parts.append(part)
        self.draw(True)

    def pop(self, part: _Part, last: str = "") -> None:
        """A part is over. last: what is said then, if it was shown, and nothing else is under way."""
        if part not in self.parts:
            return
        self.parts.remove(part)
        if isinstance(part, _Wait):
            now = time.monotonic()
            if len(part.spent) >= REMEMBERED:
                part.spent.clear()
            part.spent[part.title] = now - part.began, now, part.visible
        if any(other.visible for other in self.parts):
            self.draw(True)
        elif part.visible and last:
            self._last = last
            if not self.calls or not isinstance(part, _Wait):
                self.show_last()
        self.clear()

    def show_last(self) -> None:
        last, self._last = self._last, ""
        if last:
            self._show(lambda: last, True)

    def draw(self, fresh: bool) -> None:
        """Show what is under way, if something is that has taken long enough."""
        now = time.monotonic()
        for part in self.parts:
            part.visible = part.visible or part.is_due(now)
        visible = [part for part in self.parts if part.visible]
        if visible and (fresh or now - self._drawn >= EVERY):
            self._drawn = now
            self._show(lambda: _composed(visible), fresh)

    def _show(self, text: Callable[[], str], fresh: bool) -> None:
        if self._screen is None:
            return
        try:
            line = text()
            if line != self._text:
                self._text = line
                self._screen.show(line, fresh)
        except Exception:  # closed, full, or whatever a notebook's front end may think of
            self._screen = None

    def clear(self) -> None:
        """Remove the line where no call of the user's and no work goes on."""
        if self.calls or self.parts or self._screen is None:
            return
        with contextlib.suppress(Exception):
            self._screen.clear()
        self._screen, self._text = None, ""


def _composed(visible: list[_Part]) -> str:
    """The outermost part with what is done inside of it."""
    outer, *rest = visible
    fixed = next((part for part in rest if isinstance(part, _Wait) and part.is_fixed), None)
    inner = fixed or (rest[-1] if rest else None)
    if not isinstance(inner, _Wait):
        return outer.text("")
    return outer.text(inner.words() if inner.title == outer.title else inner.text(""))


def _bar(title: str, share: float, words: str) -> str:
    """A bar of ten places."""
    eighths = min(int(80.0 * share), 80)
    blocks = "█" * (eighths // 8) + BLOCKS[eighths % 8]
    return f"{title}: {int(100.0 * share):3d}%|{blocks:10}| {words}"


_line = _Line()
_shares: ContextVar[Shares | None] = ContextVar("shares", default=None)


def _screen() -> screens.Screen | None:
    """Return the screen of the progress line; None without one."""
    wanted = _wanted.get()
    if wanted is False or not _in_main_thread():
        return None
    try:
        return screens.found() or (screens.Log() if wanted else None)
    except Exception:  # of what stands in for a notebook's shell
        return None


def expect(sort: str, seconds: float, ahead: bool = False) -> None:
    """Add a part to the `Shares` around: its sort, such as "objects", or "" if it is not counted, and seconds expected.

    ahead: it comes before those that are expected already.
    """
    shares = _shares.get()
    if shares is not None:
        shares.add(sort, seconds, ahead)


def done(sort: str) -> None:
    """Take the next part of a sort as done."""
    shares = _shares.get()
    if shares is not None:
        shares.end(sort)


def note(text: str) -> None:
    """Add a few words to the `Shares` around, until its next part is done."""
    shares = _shares.get()
    if shares is not None:
        shares.note = text


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def counted(number: int, things: str) -> str:
    """A number with what it counts: "1 link", "2 links"."""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def clock(seconds: float) -> str:
    """A time as minutes and seconds: 00:05."""
    minutes = f"{int(seconds) // 60 % 60:02d}:{int(seconds) % 60:02d}"
    return f"{int(seconds) // 3600}:{minutes}" if seconds >= 3600.0 else minutes


def duration(seconds: float) -> str:
    """A time for people: whole seconds, from a hundred on minutes."""
    return f"{round(seconds / 60.0)} min" if seconds >= MINUTES else f"{max(1, round(seconds))} s"
