"""Loops around kernels in machine code, since a call from Python takes longer than a short kernel.

The package's own translator compiles each loop together with the kernels that it calls, as full code, without a cache.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import numpy as np

from mbs_fmu.codegen.engine import Engine
from mbs_fmu.codegen.loader import machine_code
from mbs_fmu.codegen.machine import ArgumentKind, MachineFunction
from mbs_fmu.codegen.modules import load_uncached

#: Copies of row k of X and T into the record: x and tau are the lengths of the rows, `states` is their number.
COPY = """\
k = r - (r // states) * states
for i in range(x):
    R[first_x + i] = X[k * x + i]
for i in range(tau):
    R[first_tau + i] = T[k * tau + i]
"""


def kernel_loop(text: str, arguments: str, body: str, *kinds: ArgumentKind) -> MachineFunction:
    """Return a function of these arguments and of a number of repetitions.

    text: that of a program, whose kernels `body` calls. arguments: their names, with commas; `kinds` are theirs. body:
    lines to repeat; r counts the repetitions from 0.
    """
    head = f"@kernel\ndef repeat({arguments}, repetitions):\n    for r in range(repetitions):\n"
    module = load_uncached(f"{text}\n\n{head}{textwrap.indent(body, 8 * ' ')}\n")
    (function,) = Engine().add(machine_code(module, [("repeat", (*kinds, "int"))])).values()
    return function


def state_loop(text: str, kernel: str | None) -> Callable[[np.ndarray, int, np.ndarray, int, np.ndarray, int], None]:
    """Return a loop that copies a state and torques into the record and then calls a kernel; None copies only.

    The loop's arguments are a record, the address of its state, one state per row, the address of the torques, one set
    of torques per row, and the number of repetitions, which use the rows in turn. A record with a column for each lane
    has such rows for all lanes together.
    """
    body = COPY + (f"{kernel}(R)\n" if kernel else "")
    names = "R, first_x, X, x, first_tau, T, tau, states"
    compiled: dict[int, MachineFunction] = {}  #: by the number of the record's dimensions

    def run(R: np.ndarray, first_x: int, X: np.ndarray, first_tau: int, T: np.ndarray, repetitions: int) -> None:
        if R.ndim not in compiled:
            kind: ArgumentKind = "rows" if R.ndim == 2 else "array"
            compiled[R.ndim] = kernel_loop(text, names, body, kind, "int", kind, "int", "int", kind, "int", "int")
        shape = (-1, *R.shape[1:])
        lanes, states = R[0].size, len(X)
        x, tau = X.shape[1] // lanes, T.shape[1] // lanes
        compiled[R.ndim](R, first_x, X.reshape(shape), x, first_tau, T.reshape(shape), tau, states, repetitions)

    return run
