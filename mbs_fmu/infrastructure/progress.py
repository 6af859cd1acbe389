"""Progress of long calls: stages and bars on a terminal or in a notebook, lines in a log.

`watched` surrounds a call by a user and decides whether progress is shown. Within it, `progress_notice` surrounds work
with stages, which `set_stage` names, and `Bar` counts items. Nothing is shown in the first two seconds of a call,
unless a stage is expected to take longer. Errors of the display affect nothing else, and only the main thread is
displayed.

There is no background thread: the display changes when one of these functions is called. Stages of several seconds
state their expected duration when they begin. `screens` draws with rich, which is imported when something is shown.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from contextvars import ContextVar
from typing import Self

from . import screens
from .arguments import truth

DELAY = 2.0  #: s of a call, or expected duration of a stage, from which progress is shown
EVERY = 0.1  #: s between two updates of numbers
OTHERS = "waiting for another process"
MINUTES = 100.0  #: s from which a duration is shown in minutes

_is_requested: ContextVar[bool | None] = ContextVar("is_requested", default=None)
_shares: ContextVar[Shares | None] = ContextVar("shares", default=None)


class watched:  # noqa: N801
    """Context that shows progress (True) or not (False); None: as the outer context, or on terminals and in notebooks.

    At its end the display is removed from a terminal. Raises ArgumentError for other values of `progress`.
    """

    __slots__ = ("_before", "_in_main", "_progress")

    def __init__(self, progress: bool | None):
        self._progress = _is_requested.get() if progress is None else truth(progress, "progress")

    def __enter__(self) -> None:
        self._before = _is_requested.set(self._progress)
        self._in_main = screens.in_main_thread()
        if self._in_main:
            _display.enter()

    def __exit__(self, *error: object) -> None:
        _is_requested.reset(self._before)
        if self._in_main:
            _display.leave()


def shows_progress(progress: bool | None) -> bool:
    """True if progress is shown for this argument `progress`. Raises ArgumentError as `watched`."""
    requested = _is_requested.get() if progress is None else truth(progress, "progress")
    return requested is not False and screens.kind(requested) is not None


class Part:
    """Context of work that is displayed: a title, words about it, and how much of it is done."""

    total = 0.0  #: amount of the work; 0 if it is unknown
    seconds = 0.0  #: expected duration of the present stage

    def __init__(self, title: str):
        self.title, self.began = title, time.monotonic()

    def __enter__(self) -> Self:
        if _is_requested.get() is not False and screens.in_main_thread():
            _display.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self in _display.parts:
            _display.leave(self)

    def amount(self) -> float:
        """Return how much of `total` is done."""
        return 0.0

    def words(self) -> str:
        """Return the text behind the title."""
        raise NotImplementedError


class Notice(Part):
    """Work in stages."""

    def __init__(self, title: str, stage: str, seconds: float):
        super().__init__(title)
        self.stage, self.is_fixed, self.done, self.seconds = stage, bool(stage), 0, seconds

    def amount(self) -> float:
        return min(self.done, self.total)

    def words(self) -> str:
        count = f", {self.amount()} of {self.total} functions" if self.total else ""
        return f"{self.stage}{count}" + (f", about {duration(self.seconds)}" if self.seconds else "")


class Bar(Part):
    """A progress bar: `update` adds to the items done; `before` is their number at the start."""

    def __init__(self, title: str, total: int, unit: str, before: int = 0):
        super().__init__(title)
        self.total, self.n, self.unit, self.before = total, before, unit, before
        self.note = ""  #: text after the counts

    def amount(self) -> float:
        return self.n

    def update(self, count: int = 1) -> None:
        """Add items that are done, and update the display."""
        self.n += count
        if _display.parts and screens.in_main_thread():
            _display.draw(False)

    def words(self) -> str:
        took, new = time.monotonic() - self.began, self.n - self.before
        left = f", {duration(took / new * (self.total - self.n))} left" if new else ""
        return f"{self.n}/{self.total} {self.unit}s{left}{self.note}"


class Shares(Part):
    """A progress bar of parts of several kinds, weighted by their expected durations.

    Any thread with this context can add parts (`expect`) and complete them (`done`). The main thread displays them when
    it calls `update`.
    """

    def __init__(self, title: str):
        super().__init__(title)
        self.left: list[tuple[str, float]] = []
        self.ended: list[tuple[str, float]] = []
        self.note = ""  #: text until the next part is done

    def __enter__(self) -> Self:
        self._token = _shares.set(self)
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        _shares.reset(self._token)
        super().__exit__(*error)

    def amount(self) -> float:
        ended, left = (sum(seconds for _, seconds in parts) for parts in (self.ended, self.left))
        self.total = ended + left
        return ended

    def update(self) -> None:
        """Update the display."""
        _display.draw(False)

    def words(self) -> str:
        total = Counter(kind for kind, _ in [*self.ended, *self.left] if kind)
        ended = Counter(kind for kind, _ in self.ended)
        left = sum(seconds for _, seconds in self.left)
        words = [f"{ended[kind]}/{count} {kind}" for kind, count in total.items()]
        return ", ".join([*words, *filter(None, [self.note]), *[f"about {duration(left)}"] * bool(left)])


class _Display:
    """The display of this process, and the work in its main thread, outermost first."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.depth = 0  #: nested contexts
        self.began = self._drawn = 0.0
        self._screen: screens.Screen | None = None
        self._failed = False
        self._title = ""  #: of the first work that is shown

    def enter(self, part: Part | None = None) -> None:
        """Begin a call by a user, or a part."""
        if not self.depth:
            self.began, self._failed = time.monotonic(), False
            self.parts.clear()  # what Ctrl-C may have left
        self.depth += 1
        if part is not None:
            self.parts.append(part)
            self.draw(True)

    def leave(self, part: Part | None = None) -> None:
        """End it; with the outermost one, the display ends."""
        self.depth -= 1
        if part is not None:
            del self.parts[self.parts.index(part) :]
        if self.depth <= 0:
            self.depth, screen, self._screen = 0, self._screen, None
            if screen is not None:
                with contextlib.suppress(Exception):
                    screen.end(f"{self._title}: done in {duration(time.monotonic() - self.began)}")

    def draw(self, fresh: bool) -> None:
        """Show the parts if the call has taken long enough; `fresh`: more than numbers has changed."""
        now = time.monotonic()
        if self._failed or not (fresh or now - self._drawn >= EVERY):
            return
        if self._screen is None and now - self.began < DELAY and all(part.seconds < DELAY for part in self.parts):
            return
        self._drawn = now
        try:
            shown = [part for part in self.parts if part.words()]
            if shown and self._screen is None and (kind := screens.kind(_is_requested.get())) is not None:
                self._screen = kind()
            if shown and self._screen is not None:
                self._title = shown[0].title
                self._screen.show(shown, fresh)
        except Exception:  # such as a closed stream, a full disk or an error of a notebook's front end
            self._failed, self._screen = True, None


_display = _Display()


def progress_notice(title: str, text: str = "", seconds: float = 0.0) -> Notice:
    """Return a context with the stages of `set_stage`; or with a fixed text and an expected duration, s."""
    return Notice(title, text, seconds)


def _notice() -> Notice | None:
    """Return the innermost work in stages; None in other threads than the main one."""
    if not _display.parts or not screens.in_main_thread():
        return None
    return next((part for part in reversed(_display.parts) if isinstance(part, Notice)), None)


def set_stage(stage: str, of: int = 0, seconds: float = 0.0) -> None:
    """Set the stage of the innermost `progress_notice`, its number of functions and its expected duration, s.

    Takes almost no time without a notice, and never raises.
    """
    notice = _notice()
    if notice is not None:
        if not notice.is_fixed:
            notice.stage, notice.done, notice.total, notice.seconds = stage, 0, of, seconds
        _display.draw(True)


def note_other_process() -> None:
    """Show that another process does the work, and update the display."""
    notice = _notice()
    if notice is None or notice.stage == OTHERS:
        count(0)
    else:
        set_stage(OTHERS)


def count(functions: int = 1) -> None:
    """Add to the functions that the stage has completed, and update the display."""
    notice = _notice()
    if notice is not None:
        notice.done += functions
        _display.draw(False)


def expect(kind: str, seconds: float, ahead: bool = False) -> None:
    """Add a part to the surrounding `Shares`.

    kind: such as "objects", or "" for a part that the text does not count. seconds: expected duration. ahead: insert it
    before the others.
    """
    shares = _shares.get()
    if shares is not None:
        shares.left.insert(0 if ahead else len(shares.left), (kind, seconds))


def done(kind: str) -> None:
    """Complete the next part of a kind in the surrounding `Shares`."""
    shares = _shares.get()
    part = next((part for part in shares.left if part[0] == kind), None) if shares is not None else None
    if shares is not None and part is not None:
        shares.left.remove(part)
        shares.ended.append(part)
        shares.note = ""


def note(text: str) -> None:
    """Add a text to the surrounding `Shares` until its next part is done."""
    shares = _shares.get()
    if shares is not None:
        shares.note = text


def counted(number: int, things: str) -> str:
    """Return a number with a noun: "1 link", "2 links"."""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def duration(seconds: float) -> str:
    """Return a duration in whole seconds, from a hundred seconds in minutes."""
    return f"{round(seconds / 60.0)} min" if seconds >= MINUTES else f"{max(1, round(seconds))} s"
