"""Functions that the modules of many models contain: written once for all models, and kept in the cache.

They follow from the package's sources and from few plain data, such as the methods of a module. Writing them takes as
long as all other stages of compilation: they are read from source files, lowered and printed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple
from typing import Any

from ...infrastructure.disk import cache
from ...infrastructure.disk.sources import sources_and_versions
from ...integrate.features import Features, Stepping
from ...integrate.methods.method import Method
from ...kernels.sources import forget_trees
from ...record.kernel_module import ModuleFunction

OWN = __name__.partition(".")[0] + "."

Functions = tuple[ModuleFunction, ...]
Data = Any  #: what JSON can store


def common_functions(name: str, write: Callable[[], Iterable[ModuleFunction]]) -> Functions:
    """Return the functions that `write` returns, which must depend on the package's sources and on `name` only."""
    return _functions(_kept(name, lambda: [astuple(f) for f in write()]))


def common_stepping(methods: Sequence[Method], features: Features) -> Stepping:
    """Return the stepping functions of a module, as `integrate.write.stepping_of` does, which states the errors."""

    def write() -> Data:
        from ...integrate.write import stepping_of  # a large import

        made = stepping_of(methods, features)
        uses = {name: sorted(used) for name, used in made.uses.items()}
        return [[astuple(f) for f in made.functions], uses, dict(made.numbers)]

    is_own = all(type(method).__module__.startswith(OWN) for method in methods)
    functions, uses, numbers = _kept(repr([methods, features]), write) if is_own else write()
    return Stepping(_functions(functions), {name: frozenset(used) for name, used in uses.items()}, numbers)


def _functions(data: Data) -> Functions:
    return tuple(ModuleFunction(*fields) for fields in data)


def _kept(name: str, write: Callable[[], Data]) -> Data:
    """Return data by their name, from this process, from the cache, or newly written."""
    try:
        versions = sources_and_versions()
    except OSError:
        return write()
    return _read_or_written(hashlib.sha256(f"{versions} {name}".encode()).hexdigest()[:32], write)


def _read_or_written(key: str, write: Callable[[], Data]) -> Data:
    if key not in _known:
        entry = f"programs/{key}.common"
        kept = cache.read(entry)
        if kept is None:
            kept = json.dumps(write()).encode()
            forget_trees()
            cache.write(entry, kept)
        _known[key] = json.loads(kept)
    return _known[key]


_known: dict[str, Data] = {}  #: data that this process has used, by their key
