"""`njit` for generated modules: what Python calls in them, with its machine code kept in the cache.

Insides of numba are touched here and in `Kernel` of translate.py. Its own cache is not used, since it trusts the files
that it finds.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from .. import cache


def njit(cache: bool = False, **options: Any) -> Callable[[Callable], Callable]:
    """Like numba's, for a function of a module that has itself under the name MODULE."""
    return lambda function: Entry(function, targetoptions={"nopython": True, "boundscheck": None, **options})


class Entry(CPUDispatcher):
    """A function that Python calls, loaded or compiled for each signature when it is first needed."""

    def __init__(self, function: Callable, *arguments: Any, **options: Any):
        super().__init__(function, *arguments, **options)
        self._cache = MachineCode(function)

    def compile(self, signature: Any) -> Any:
        with (
            global_compiler_lock,
            _importable(self.py_func.__globals__["MODULE"]),
            contextlib.ExitStack() as self._cache.held,
        ):
            entry_point = super().compile(signature)
        with contextlib.suppress(KeyError):  # it was taken back before
            self.targetctx.remove_user_function(entry_point)
        return entry_point

    def _make_finalizer(self) -> Callable[[], None]:
        """numba's own would do what `compile` has done, and until then keep the module alive."""
        return lambda: None


class MachineCode(NullCache):
    """What numba asks for machine code before it compiles, and gives it to afterwards."""

    def __init__(self, function: Callable):
        self._of = f"{function.__module__}.{function.__name__}"
        self.held = contextlib.ExitStack()  #: locks, until there is machine code or none can be made

    def load_overload(self, signature: Any, target: Any) -> CompileResult | None:
        target.refresh()
        name = self._name(signature, target.codegen())
        code = cache.read(name)
        if code is None:
            self.held.enter_context(cache.lock(name))
            code = cache.read(name)  # another process may have made it meanwhile
        if code is None:
            return None
        try:
            return CompileResult._rebuild(target, *pickle.loads(code))
        except Exception as error:
            cache.discard(name, repr(error))
            return None

    def save_overload(self, signature: Any, compiled: CompileResult) -> None:
        cache.write(self._name(signature, compiled.codegen), dumps(compiled._reduce()))

    def _name(self, signature: Any, codegen: Any) -> str:
        """The module's name says what was compiled by what; here is added for which arguments and processor."""
        key = hashlib.sha256(f"{signature} {codegen.magic_tuple()}".encode()).hexdigest()[:16]
        return f"kernels/{self._of}.{key}"


@contextlib.contextmanager
def _importable(module: types.ModuleType) -> Iterator[None]:
    """numba finds a function's module by name, for as long as it needs it."""
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]
