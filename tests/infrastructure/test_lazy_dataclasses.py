"""Deferred dataclasses: after the first use they are those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from mbs_fmu.infrastructure import lazy_dataclasses as classes
from support.hosts.fmus import python

pytestmark = pytest.mark.quick

Decorator = Callable[..., Any]


def made(decorator: Decorator) -> dict[str, type]:
    """Return classes of all kinds in the package, by that decorator."""

    @decorator(frozen=True)
    class Base:
        """A base with fields of all kinds."""

        x: int
        items: tuple[int, ...] = dataclasses.field(default_factory=tuple)
        word: str = dataclasses.field(default="", kw_only=True)
        kind: ClassVar[str] = "base"

        def __post_init__(self) -> None:
            self.__dict__["total"] = self.x + sum(self.items)

    @decorator(frozen=True)
    class Derived(Base):
        """A derived class with another field."""

        y: float = 2.0

    @decorator
    class Plain:
        """A class with mutable fields."""

        x: int
        y: float = 1.0

    class Own(Base):
        """A class without fields of its own."""

    @decorator(frozen=True, eq=False, repr=False)
    class Bare:
        """A class whose objects equal themselves only."""

        x: int

    @decorator(frozen=True, kw_only=True)
    class Later(Base):
        """A derived class whose own field is given by name, beside one that no argument gives."""

        z: list[float] = dataclasses.field(default_factory=list, compare=False)
        hidden: int = dataclasses.field(default=3, init=False, repr=False)

    @decorator(frozen=True)
    class Judging(Base):
        """A class that decides itself what equals it, with the hash of its fields."""

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Judging) and other.x >= self.x

    return {c.__name__: c for c in (Base, Derived, Plain, Own, Bare, Later, Judging)}


def usual(base: type[Any]) -> type:
    """Return a dataclass of the standard library with this base."""

    @dataclasses.dataclass(frozen=True)
    class Usual(base):  # type: ignore[misc]
        """A class with another field."""

        y: float = 2.0

    return Usual


@pytest.mark.parametrize("name", [*made(dataclasses.dataclass), "Usual"])
def test_deferred_dataclasses_equal_those_of_the_standard_library(name: str) -> None:
    """Objects, copies, fields, signatures and messages are the same, for any first use of a class."""

    def facts(cls: type[Any]) -> list[Any]:
        one, same, other = cls(1), cls(1), cls(x=2)
        messages = []
        for wrong in (lambda: cls(), lambda: cls(1, nonsense=1), lambda: setattr(one, "x", 3)):
            try:
                wrong()
            except Exception as error:
                messages.append((type(error), str(error)))
        names = [(entry.name, entry.type, entry.kw_only) for entry in dataclasses.fields(one)]
        hashed = cls.__hash__ is not None and hash(one) == hash(same)
        displayed = repr(one).partition(" object at")[0] if name != "Bare" else ""
        return [
            str(inspect.signature(cls)), cls.__doc__, names, one == same, one == other, displayed, hashed, messages,
            vars(copy.copy(one)), vars(dataclasses.replace(one, x=5)), cls.__match_args__, cls.__init__.__qualname__,
        ]  # fmt: skip

    deferred, standard = made(classes.dataclass), made(dataclasses.dataclass)
    if name == "Usual":
        deferred[name], standard[name] = usual(deferred["Base"]), usual(standard["Base"])
    assert facts(deferred[name]) == facts(standard[name])


def test_wrong_fields_raise_type_errors_as_in_the_standard_library() -> None:
    """Gaps in the defaults, bases that are frozen while the class is not, and mutable defaults are refused."""

    class Gap:
        x: int = 1
        y: int

    class Thawed(made(classes.dataclass)["Base"]):  # type: ignore[misc]
        y: int = 1

    class Mutable:
        x: list[int] = []

    for cls, error in ((Gap, TypeError), (Thawed, TypeError), (Mutable, ValueError)):
        for decorator in (dataclasses.dataclass, classes.dataclass):
            with pytest.raises(error):
                decorator(type(cls.__name__, cls.__bases__, dict(vars(cls))))()


@classes.dataclass(frozen=True)
class Kept:
    """A class that pickle can import."""

    x: int


def test_unpickling_completes_a_deferred_dataclass() -> None:
    """Objects pickled elsewhere are compared by their fields, although no constructor was called."""
    first = pickle.dumps(Kept(1))
    fresh = made(classes.dataclass)["Bare"]
    assert fresh in classes._actions
    assert pickle.loads(first) == Kept(1)
    again = fresh.__new__(fresh)
    with pytest.raises(AttributeError):
        _ = again.__setstate__
    assert fresh not in classes._actions
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.x = 1  # type: ignore[attr-defined]


def test_threads_wait_for_the_completion_of_a_class() -> None:
    """A thread that creates an object while another thread completes its class waits for that."""
    failed: list[BaseException] = []

    def use(cls: type[Any]) -> None:
        try:
            assert cls(1) == cls(1)
        except BaseException as error:
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            cls = made(classes.dataclass)["Plain"]
            threads = [threading.Thread(target=use, args=(cls,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failed


def test_an_interrupted_completion_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the completion of a class leaves it as it was."""
    cls = made(classes.dataclass)["Base"]
    before = dict(vars(cls))

    def interrupt() -> None:
        raise KeyboardInterrupt

    classes.when_complete(cls, interrupt)
    with pytest.raises(KeyboardInterrupt):
        cls(1)
    assert dict(vars(cls)) == before
    monkeypatch.setitem(classes._actions, cls, classes._actions[cls][:1])
    assert cls(1).total == 1


@pytest.mark.usual
def test_importing_the_package_completes_no_dataclass() -> None:
    """The import generates no methods of the classes of models."""
    code = (
        "import mbs_fmu; from mbs_fmu.infrastructure.lazy_dataclasses import _actions; "
        "print({mbs_fmu.Body, mbs_fmu.Pose} <= {*_actions})"
    )
    assert python(code).stdout.strip() == "True"
