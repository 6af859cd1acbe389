"""A small engine: machine code that is there already becomes functions that Python can call, and goes with them.

It needs nothing of numba's, only the binding to LLVM on which numba stands.
"""

from __future__ import annotations

import ctypes
import weakref

import llvmlite.binding as llvm

from .machine import PYTHON, MachineCode, MachineFunction, Signature
from .target import alone, machine


class _Method(ctypes.Structure):
    """Python's description of a function that is machine code (PyMethodDef)."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    ]  # fmt: skip


METH_FASTCALL = 0x80  #: how such a function takes its arguments


class Engine:
    """Holds the machine code of one module's kernels. Its functions hold it; with the last of them it is freed."""

    def __init__(self) -> None:
        with alone:
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine(0))
        weakref.finalize(self, _close, self._engine).atexit = False

    def add(self, code: MachineCode) -> dict[Signature, MachineFunction]:
        """Take in an object file; its functions.

        Raises OSError where this process lacks what they need (LLVM would end the process), and RuntimeError for
        bytes that are no object file.
        """
        if not code.code:
            raise RuntimeError("there is no object file")
        with alone:
            missing = [name for name in code.needs if not llvm.address_of_symbol(name)]
            if missing:
                raise OSError(f"this process has no function {' or '.join(missing)}")
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.code))
            self._engine.finalize_object()
            return {signature: self._function(signature) for signature in code.functions}

    def _function(self, signature: Signature) -> MachineFunction:
        address = self._engine.get_function_address(PYTHON + signature.kernel)
        method = _Method(signature.kernel.encode(), address, METH_FASTCALL, None)
        # Python reads it when it frees the function: when a process ends, behind all modules. It is small, and stays.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Method), ctypes.py_object, ctypes.py_object]
        function: MachineFunction = make(method, self, signature.kernel)
        return function


def _close(engine: llvm.ExecutionEngine) -> None:
    with alone:
        engine.close()
