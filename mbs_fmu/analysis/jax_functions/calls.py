"""Calls from JAX to functions of numpy: by XLA's foreign function interface on processors, elsewhere by callbacks.

XLA calls a handler in C with a pointer to a frame, which contains pointers to the arguments and results. This handler
is a Python function that ctypes wraps; a call takes an eighth of the time of `jax.pure_callback`. The structures are
those of XLA's header `xla/ffi/api/c_api.h`, version 0.1, to which later ones add fields at the ends only.
"""

from __future__ import annotations

import ctypes
import functools
import secrets
import weakref
from collections.abc import Callable
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np

TARGET = "mbs_fmu_host_function"  #: name of the handler in XLA
METADATA = 1  #: type of the extension by which XLA asks for the version of a handler
INVALID_ARGUMENT = 3  #: XLA's code of an error
SIGNED = 5  #: XLA's code of integers of 64 bits
MAJOR, MINOR = 0, 1  #: version of the interface


class HostFunction:
    """A numpy function of a time and a point, (size,), that returns an array of a given shape, as a function of JAX.

    Compiled code refers to it by a random key. Code that another process has compiled and cached therefore never calls
    it.
    """

    def __init__(self, function: Callable[[float, np.ndarray], np.ndarray], shape: tuple[int, ...]):
        self.function, self.shape, self.key = function, shape, secrets.randbits(62)
        _functions[self.key] = self

    def write(self, times: np.ndarray, points: np.ndarray, out: np.ndarray) -> None:
        """Write the results at times (...) and points (..., size) to `out`, (..., *shape)."""
        for place in np.ndindex(points.shape[:-1]):
            out[place] = self.function(float(times[place]), points[place])

    def __call__(self, t: Any, v: Any) -> Any:
        """Return the result, a JAX array, for a time t and a point v, (size,), traced or not."""
        import jax

        return jax.lax.platform_dependent(t, v, cpu=self.by_frame, default=self.by_callback)

    def by_frame(self, t: Any, v: Any) -> Any:
        """Return the same through the handler, on processors."""
        import jax

        _register()
        result = jax.ShapeDtypeStruct(self.shape, jax.numpy.float64)
        return jax.ffi.ffi_call(TARGET, result, vmap_method="broadcast_all")(jax.numpy.int64(self.key), t, v)

    def by_callback(self, t: Any, v: Any) -> Any:
        """Return the same through a callback of JAX, on any device."""
        import jax

        def called(t: Any, v: Any) -> np.ndarray:
            points = np.asarray(v)
            out = np.empty((*points.shape[:-1], *self.shape))
            self.write(np.asarray(t), points, out)
            return out

        result = jax.ShapeDtypeStruct(self.shape, jax.numpy.float64)
        return jax.pure_callback(called, result, t, v, vmap_method="broadcast_all")


_functions: weakref.WeakValueDictionary[int, HostFunction] = weakref.WeakValueDictionary()


# -- the handler ---------------------------------------------------------------------------------------------------


class _Version(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("extension", c_void_p), ("major", c_int), ("minor", c_int)]


class _Metadata(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("version", _Version), ("traits", c_uint32)]


class _Extension(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(_Metadata))]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("extension", c_void_p), ("dtype", c_int), ("data", c_void_p), ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    ]  # fmt: skip


class _Buffers(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("extension", c_void_p), ("count", c_int64), ("types", c_void_p),
        ("buffers", POINTER(POINTER(_Buffer))),
    ]  # fmt: skip


class _ErrorArguments(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("extension", c_void_p), ("message", c_char_p), ("code", c_int)]


_MakeError = ctypes.CFUNCTYPE(c_void_p, POINTER(_ErrorArguments))


class _Api(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("extension", c_void_p), ("version", _Version), ("internal", c_void_p),
        ("make_error", _MakeError),
    ]  # fmt: skip


class _Frame(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("extension", POINTER(_Extension)), ("api", POINTER(_Api)), ("context", c_void_p),
        ("stage", c_int), ("arguments", _Buffers), ("results", _Buffers),
    ]  # fmt: skip


def _handle(pointer: Any) -> int | None:
    """Call a host function with the arrays of a frame; return None or the pointer to an error."""
    frame = pointer.contents
    if frame.extension and frame.extension.contents.type == METADATA:
        version = frame.extension.contents.metadata.contents.version
        version.major, version.minor = MAJOR, MINOR
        return None
    try:
        keys, times, points = (_array(frame.arguments.buffers[k]) for k in range(3))
        function = _functions.get(int(keys.flat[0])) if keys.size else None
        if keys.size and function is None:
            raise RuntimeError("a function of to_jax is called after it was deleted: keep it")
        if function is not None:
            function.write(times, points, _array(frame.results.buffers[0]))
    except Exception as error:
        text = f"{type(error).__name__}: {error}".encode()
        arguments = _ErrorArguments(ctypes.sizeof(_ErrorArguments), None, text, INVALID_ARGUMENT)
        failed: int | None = frame.api.contents.make_error(ctypes.byref(arguments))
        return failed
    return None


def _array(pointer: Any) -> np.ndarray:
    """Return a buffer as an array without copying it: 64-bit integers or doubles."""
    buffer = pointer.contents
    shape = tuple(buffer.dims[: buffer.rank])
    count = int(np.prod(shape, dtype=int))
    if not count:
        return np.empty(shape)
    numbers: Any = (c_double * count).from_address(buffer.data)
    array: np.ndarray = np.frombuffer(numbers, dtype=np.float64)
    return (array.view(np.int64) if buffer.dtype == SIGNED else array).reshape(shape)


_handler = ctypes.CFUNCTYPE(c_void_p, POINTER(_Frame))(_handle)


@functools.cache
def _register() -> None:
    """Make the handler known to XLA, once."""
    import jax

    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(_handler), platform="cpu")
