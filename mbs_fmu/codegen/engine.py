"""Engine that loads compiled machine code and returns functions that Python can call.

It needs llvmlite only, not numba.
"""

from __future__ import annotations

import ctypes
import weakref

import llvmlite.binding as llvm

from .machine import PYTHON, MachineCode, MachineFunction, Signature
from .target import llvm_lock, machine


class _Method(ctypes.Structure):
    """Python's description of a function in machine code (PyMethodDef)."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    ]  # fmt: skip


METH_FASTCALL = 0x80  #: calling convention of these functions: (self, array of arguments, their number)


class Engine:
    """Owner of the machine code of one module's kernels.

    Each of its functions holds a reference to it; the code is freed when the last of them is.
    """

    def __init__(self) -> None:
        with llvm_lock:
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine(0))
        weakref.finalize(self, _close, self._engine).atexit = False

    def add(self, code: MachineCode) -> dict[Signature, MachineFunction]:
        """Load an object file and return its functions.

        Raises OSError if this process lacks a symbol that it needs (LLVM would end the process), and RuntimeError for
        bytes that are not an object file.
        """
        if not code.code:
            raise RuntimeError("there is no object file")
        with llvm_lock:
            missing = [name for name in code.needs if not llvm.address_of_symbol(name)]
            if missing:
                raise OSError(f"this process has no function {' or '.join(missing)}")
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.code))
            self._engine.finalize_object()
            return {signature: self._function(signature) for signature in code.functions}

    def _function(self, signature: Signature) -> MachineFunction:
        address = self._engine.get_function_address(PYTHON + signature.kernel)
        method = _Method(signature.kernel.encode(), address, METH_FASTCALL, None)
        # Python reads the description when it frees the function, at the end of the process after all modules.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Method), ctypes.py_object, ctypes.py_object]
        function: MachineFunction = make(method, self, signature.kernel)
        return function


def _close(engine: llvm.ExecutionEngine) -> None:
    with llvm_lock:
        engine.close()
