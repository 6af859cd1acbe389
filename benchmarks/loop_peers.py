"""Pinocchio with closed loops: the peers of the section `loops`, see `peers`.

Every loop is closed by a point constraint of three rows, one of which vanishes in a planar mechanism, so the solvers
need their regularization mu.
"""

from __future__ import annotations

import ctypes

import numpy as np

from .models import Mechanism, States, to_arrays, to_closure_arrays, to_pinocchio
from .peers import Peer, pinocchio_library, pointer, require_memory
from .report import Unavailable

DENSE, SPARSE, WHEEL = "Pinocchio C++", "Pinocchio C++ lcaba", "Pinocchio wheel"
HEADER = "pinocchio/algorithm/loop-constrained-aba.hpp"
ACCURACY = 1e-10  #: tolerance at which the solvers stop before their last iteration
Proximal = tuple[float, int]  #: mu, and the number of iterations


def loop_peers(
    mechanism: Mechanism, states: States, dense: Proximal, sparse: Proximal
) -> tuple[dict[str, Peer], list[str]]:
    """All available peers, and the reasons of missing ones, with the settings of `constraintDynamics` and `lcaba`."""
    available: dict[str, Peer] = {}
    notes = []
    for name, build in (
        (DENSE, lambda: LoopsCpp(mechanism, states, False, dense)),
        (SPARSE, lambda: LoopsCpp(mechanism, states, True, sparse)),
        (WHEEL, lambda: LoopsPython(mechanism, states, dense)),
    ):
        try:
            available[name] = build()
        except (Unavailable, ImportError) as reason:
            notes.append(f"{name} is left out of {mechanism.name}: {reason}")
    return available, notes


class LoopsCpp:
    """Pinocchio's `constraintDynamics` or, sparse, `lcaba`, header-only in a C++ loop."""

    def __init__(self, mechanism: Mechanism, states: States, sparse: bool, proximal: Proximal):
        require_memory(mechanism)
        self.library = pinocchio_library("pinocchio_loops_peer.cpp", HEADER)
        mu, iterations = proximal
        tree, closures = list(to_arrays(mechanism).values()), list(to_closure_arrays(mechanism).values())
        self.peer = ctypes.c_void_p(
            self.library.peer_new(
                len(mechanism.links), *map(pointer, tree), len(mechanism.closures), *map(pointer, closures),
                int(sparse), ctypes.c_double(ACCURACY), ctypes.c_double(mu), iterations,
            )
        )  # fmt: skip
        self.shape = states.u.shape
        self.library.peer_states(self.peer, len(states.q), *map(pointer, (states.q, states.u, states.tau)))

    def __del__(self) -> None:
        if hasattr(self, "peer"):
            self.library.peer_delete(self.peer)

    def run(self, repetitions: int) -> None:
        self.library.peer_run(self.peer, ctypes.c_long(repetitions))

    def accelerations(self) -> np.ndarray:
        out = np.empty(self.shape)
        self.library.peer_accelerations(self.peer, pointer(out))
        return out


class LoopsPython:
    """Pinocchio's `constraintDynamics` of the installed wheel, called from Python."""

    def __init__(self, mechanism: Mechanism, states: States, proximal: Proximal):
        import pinocchio as pin

        require_memory(mechanism)
        model = to_pinocchio(mechanism)
        place = [pin.SE3(np.eye(3), np.array(p)) for c in mechanism.closures for p in (c.at_a, c.at_b)]
        closures = pin.StdVec_RigidConstraintModel()
        datas = pin.StdVec_RigidConstraintData()
        for k, c in enumerate(mechanism.closures):
            closure = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, model, c.a + 1, place[2 * k], c.b + 1, place[2 * k + 1],
                pin.ReferenceFrame.LOCAL,
            )  # fmt: skip
            closures.append(closure)
            datas.append(closure.createData())
        data = model.createData()
        pin.initConstraintDynamics(model, data, closures, datas)
        self.function = pin.constraintDynamics
        self.first, self.last = (model, data), (closures, datas, pin.ProximalSettings(ACCURACY, *proximal))
        self.rows = list(zip(states.q, states.u, states.tau, strict=True))

    def run(self, repetitions: int) -> None:
        function, rows, count = self.function, self.rows, len(self.rows)
        for r in range(repetitions):
            function(*self.first, *rows[r % count], *self.last)

    def accelerations(self) -> np.ndarray:
        return np.array([self.function(*self.first, *row, *self.last).copy() for row in self.rows])
