"""Progress display: one line that is updated in place, on a terminal or in a notebook.

`watched` surrounds a call by a user and decides whether progress is shown. Within it, `progress_notice` surrounds work
with stages, which `set_stage` names, and `Bar` counts items. Nothing is shown in the first second. Errors of the
display affect nothing else, and only the main thread is displayed.

There is no background thread: the line changes when one of these functions is called. Stages of several seconds state
their expected duration when they begin.
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
LONG = 2.0  #: expected duration of work that is shown without delay, s
GAP = 0.5  #: longest gap between two waits with one title that count as one, s
REMEMBERED = 100  #: waits whose durations are remembered
EVERY = 0.1  #: s between two updates of numbers in the line
STAGES = ("tracing", "translating", "machine code")  #: of compilation
OTHERS = "waiting for another process"
SURE = 0.1  #: completed over remaining work from which the measured pace is used
BLOCKS = ("", *"▏▎▍▌▋▊▉")  #: eighths of a character in a bar
MINUTES = 100.0  #: s from which a duration is shown in minutes

_is_requested: ContextVar[bool | None] = ContextVar("is_requested", default=None)


class watched:  # noqa: N801
    """Context that shows progress (True) or not (False); None: as the outer context, or on terminals and in notebooks.

    At its end the line is removed from a terminal. Raises ArgumentError for other values of `progress`.
    """

    __slots__ = ("_before", "_in_main", "_outer", "_progress")

    def __init__(self, progress: bool | None):
        self._progress = _is_requested.get() if progress is None else truth(progress, "progress")

    def __enter__(self) -> None:
        self._outer, self._in_main = _line.calls, _in_main_thread()
        self._before = _is_requested.set(self._progress)
        if self._in_main:
            if not self._outer:
                _line.parts.clear()  # parts that Ctrl-C may have left
                _Wait.spent.clear()  # times count for each call separately
            _line.calls = self._outer + 1

    def __exit__(self, *error: object) -> None:
        _is_requested.reset(self._before)
        if self._in_main:
            _line.calls = self._outer
            if not self._outer:
                _line.show_last()
            _line.clear()


def shows_progress(progress: bool | None) -> bool:
    """True if progress is shown for this argument `progress`. Raises ArgumentError as `watched`."""
    return _screen() is not None if progress is None else truth(progress, "progress")


def set_stage(stage: str, of: int = 0, seconds: float = 0.0) -> None:
    """Set the stage of the innermost `progress_notice`, its number of functions and its expected duration, s.

    Takes almost no time without a notice, and never raises.
    """
    wait = _line.wait()
    if wait is not None:
        if not wait.is_fixed:
            wait.stage, wait.done, wait.of, wait.seconds, wait.named = stage, 0, of, seconds, time.monotonic()
        _line.draw(True)


def note_other_process() -> None:
    """Show that another process does the work, and update the line."""
    wait = _line.wait()
    if wait is None or wait.stage == OTHERS:
        count(0)
    else:
        set_stage(OTHERS)


def count(functions: int = 1) -> None:
    """Add to the functions that the stage has completed, and update the line."""
    wait = _line.wait()
    if wait is not None:
        wait.done += functions
        _line.draw(False)


@contextlib.contextmanager
def progress_notice(title: str, text: str = "", seconds: float = 0.0) -> Iterator[None]:
    """Show the compilation of `title` with the stages of `set_stage`; or a text with an expected duration, s.

    Consecutive notices with one title count as one. The last text states the duration, and that the result is cached.
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
    """Work in progress."""

    def __init__(self, title: str):
        self.title, self.began = title, time.monotonic()
        self.visible = False

    def is_due(self, now: float) -> bool:
        """True once the work has taken long enough to be shown."""
        return now - self.began >= DELAY

    def text(self, inner: str) -> str:
        """Return the text of the line; `inner` is that of work inside this one, if it is shown."""
        raise NotImplementedError


class _Wait(_Part):
    """Work of a `progress_notice`."""

    spent: dict[str, tuple[float, float, bool]] = {}  #: by title: duration, s, time of the end, and True if shown

    def __init__(self, title: str, text: str, seconds: float):
        super().__init__(title)
        self.stage, self.done, self.of, self.seconds, self.named = text, 0, 0, seconds, self.began
        self.is_fixed = bool(text)
        before, ended, visible = self.spent.get(title, (0.0, 0.0, False))
        self.continues = visible and self.began - ended < GAP  #: continues a wait that was shown
        if not text and self.began - ended < GAP:
            self.began -= before

    def is_due(self, now: float) -> bool:
        expected = self.named - self.began + self.seconds
        return bool(self.stage) and (self.continues or expected >= LONG or super().is_due(now))

    def words(self) -> str:
        number = f" {STAGES.index(self.stage) + 1}/{len(STAGES)}" if self.stage in STAGES else ""
        count = f" ({min(self.done, self.of)} of {self.of} functions)" if self.of else ""
        return f"{self.stage}{number}{count}" + (f", about {duration(self.seconds)}" if self.seconds else "")

    def text(self, inner: str) -> str:
        return f"{self.title}: {self.words()}"

    def ready(self) -> str:
        """Return the last text of the line; empty if another stage follows."""
        if self.stage in STAGES[:-1]:
            return ""
        cached = "" if self.is_fixed or not cache.usable() else "; cached for the next time"
        return f"{self.title}: ready in {duration(time.monotonic() - self.began)}{cached}"


class Bar(_Part):
    """Context with a progress bar: `update` adds to the items done; `before` is their number at the start."""

    def __init__(self, title: str, total: int, unit: str, before: int = 0):
        super().__init__(title)
        self.total, self.n, self.unit, self.before = total, before, unit, before
        self.note = ""  #: text after the counts

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
        """Return the number of items done as text."""
        return counted(self.n - self.before, f"{self.unit}s")

    def update(self, count: int = 1) -> None:
        """Add items that are done, and update the line."""
        self.n += count
        if _line.parts and _in_main_thread():
            _line.draw(False)

    def text(self, inner: str) -> str:
        took, new = time.monotonic() - self.began, self.n - self.before
        left = clock(took / new * (self.total - self.n)) if new else "?"
        own = f"{self.n}/{self.total} {self.unit}s, {clock(took)}<{left}{self.note}"
        return _bar(self.title, self.n / max(self.total, 1), inner or own)


class Shares(Bar):
    """A progress bar of parts of several kinds, weighted by their expected durations.

    Any thread with this context can add parts (`expect`) and complete them (`done`). The main thread displays them when
    it calls `update`.
    """

    def __init__(self, title: str):
        super().__init__(title, 0, "part")
        self._parts: list[tuple[str, float]] = []
        self._done: list[tuple[str, float]] = []
        self._since = self.began  #: begin of the current part
        self._token: Token[Shares | None] | None = None

    def __enter__(self) -> Self:
        self._token = _shares.set(self)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        assert self._token is not None
        _shares.reset(self._token)
        super().__exit__(*error)

    def add(self, kind: str, seconds: float, ahead: bool) -> None:
        """Add a part, which is counted in the text if its kind has a name."""
        self._parts.insert(0 if ahead else len(self._parts), (kind, seconds))

    def end(self, kind: str) -> None:
        """Complete the first part of a kind."""
        part = next((part for part in self._parts if part[0] == kind), None)
        if part is None:
            return
        self._parts.remove(part)
        self._done.append(part)
        self._since, self.note = time.monotonic(), ""

    def progress(self) -> tuple[float, float]:
        """Return the fraction of the work that is done, and the expected duration of the rest, s."""
        done, left = (sum(seconds for _, seconds in parts) for parts in (self._done, self._parts))
        pace = 1.0 if done <= SURE * left else (self._since - self.began) / done
        most = 0.95 * self._parts[0][1] if self._parts else 0.0
        current = min((time.monotonic() - self._since) / max(pace, 1e-3), most)
        return (done + current) / max(done + left, 1e-3), pace * (left - current)

    def all(self) -> str:
        counts = Counter(kind for kind, _ in self._done if kind)
        return ", ".join(counted(number, kind) for kind, number in counts.items())

    def text(self, inner: str) -> str:
        total = Counter(kind for kind, _ in [*self._done, *self._parts] if kind)
        ended = Counter(kind for kind, _ in self._done)
        share, left = self.progress()
        words = [f"{ended[kind]}/{count} {kind}" for kind, count in total.items()]
        words += [self.note] if self.note else []
        words += [f"about {duration(left)}"] if left > 0.0 else []
        return _bar(self.title, share, ", ".join(words))


class _Line:
    """The progress line of this process, and the work in its main thread, outermost first."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.calls = 0  #: nested `watched` contexts
        self._screen: screens.Screen | None = None
        self._drawn, self._text = 0.0, ""
        self._last = ""  #: last text of a wait in this call, shown at the end of compilation

    def wait(self) -> _Wait | None:
        """Return the innermost wait; None in other threads than the main one."""
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
        """Remove a part; `last` is its last text, shown if the part was visible and no other work is in progress."""
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
        """Show the parts that have taken long enough; `fresh`: immediately."""
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
        except Exception:  # such as a closed stream, a full disk or an error of a notebook's front end
            self._screen = None

    def clear(self) -> None:
        """Remove the line if no call and no work is in progress."""
        if self.calls or self.parts or self._screen is None:
            return
        with contextlib.suppress(Exception):
            self._screen.clear()
        self._screen, self._text = None, ""


def _composed(visible: list[_Part]) -> str:
    """Return the text of the outermost part with that of an inner one."""
    outer, *rest = visible
    fixed = next((part for part in rest if isinstance(part, _Wait) and part.is_fixed), None)
    inner = fixed or (rest[-1] if rest else None)
    if not isinstance(inner, _Wait):
        return outer.text("")
    return outer.text(inner.words() if inner.title == outer.title else inner.text(""))


def _bar(title: str, share: float, words: str) -> str:
    """Return a bar of ten characters with its title and text."""
    eighths = min(int(80.0 * share), 80)
    blocks = "█" * (eighths // 8) + BLOCKS[eighths % 8]
    return f"{title}: {int(100.0 * share):3d}%|{blocks:10}| {words}"


_line = _Line()
_shares: ContextVar[Shares | None] = ContextVar("shares", default=None)


def _screen() -> screens.Screen | None:
    """Return the screen of the progress line; None without one."""
    is_requested = _is_requested.get()
    if is_requested is False or not _in_main_thread():
        return None
    try:
        return screens.current_screen() or (screens.Log() if is_requested else None)
    except Exception:  # from substitutes of a notebook's shell
        return None


def expect(kind: str, seconds: float, ahead: bool = False) -> None:
    """Add a part to the surrounding `Shares`.

    kind: such as "objects", or "" for a part that the text does not count. seconds: expected duration. ahead: insert it
    before the others.
    """
    shares = _shares.get()
    if shares is not None:
        shares.add(kind, seconds, ahead)


def done(kind: str) -> None:
    """Complete the next part of a kind in the surrounding `Shares`."""
    shares = _shares.get()
    if shares is not None:
        shares.end(kind)


def note(text: str) -> None:
    """Add a text to the line of the surrounding `Shares` until its next part is done."""
    shares = _shares.get()
    if shares is not None:
        shares.note = text


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def counted(number: int, things: str) -> str:
    """Return a number with a noun: "1 link", "2 links"."""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def clock(seconds: float) -> str:
    """Return a time as minutes and seconds: 00:05."""
    minutes = f"{int(seconds) // 60 % 60:02d}:{int(seconds) % 60:02d}"
    return f"{int(seconds) // 3600}:{minutes}" if seconds >= 3600.0 else minutes


def duration(seconds: float) -> str:
    """Return a duration in whole seconds, from a hundred seconds in minutes."""
    return f"{round(seconds / 60.0)} min" if seconds >= MINUTES else f"{max(1, round(seconds))} s"
