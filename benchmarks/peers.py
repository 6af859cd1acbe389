"""The peers of the evaluation benchmark on the same mechanism and states.

Each has `run(repetitions)`, a number of evaluations, and `accelerations()`, one row per state in the conventions of
`models`. Constructors of unavailable peers raise Unavailable.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from .models import Mechanism, States, to_arrays, to_mujoco, to_pinocchio
from .native import include_directory, library
from .report import Unavailable

PINOCCHIO, WHEEL, MUJOCO = "Pinocchio C++", "Pinocchio wheel", "MuJoCo"
MOST_BYTES = 2e9  #: a peer that needs more memory is left out
BOOST_LIMITS = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]  # fmt: skip


class Peer(Protocol):
    """Interface of a peer."""

    def run(self, repetitions: int) -> None: ...

    def accelerations(self) -> np.ndarray: ...


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Address of a contiguous array of the right type, which the caller keeps alive."""
    return ctypes.c_void_p(array.ctypes.data)


def peers(mechanism: Mechanism, states: States) -> tuple[dict[str, Peer], list[str]]:
    """All available peers, and the reasons of missing ones."""
    available: dict[str, Peer] = {}
    notes = []
    for name, kind in ((PINOCCHIO, PinocchioCpp), (WHEEL, PinocchioPython), (MUJOCO, Mujoco)):
        try:
            available[name] = kind(mechanism, states)
        except (Unavailable, ImportError) as reason:
            notes.append(f"{name} is left out of {mechanism.name}: {reason}")
    return available, notes


# -- Pinocchio ---------------------------------------------------------------------------------------------


def require_memory(mechanism: Mechanism) -> None:
    """Raise Unavailable without memory for `pinocchio.Data`, which has four arrays of the cubed number of rates."""
    needed = 4 * 8 * float(mechanism.rates) ** 3
    if needed > MOST_BYTES:
        raise Unavailable(f"its Data takes {needed / 1e9:.0f} GB")


def _pinocchio_q(mechanism: Mechanism, q: np.ndarray) -> np.ndarray:
    """Coordinates with quaternions w last."""
    out = q.copy()
    for first, _ in mechanism.free():
        out[:, first + 3 : first + 7] = np.roll(q[:, first + 3 : first + 7], -1, axis=1)
    return out


def pinocchio_library(source: str, header: str) -> ctypes.CDLL:
    """The library of a source that includes `header` of Pinocchio. Raises Unavailable."""
    folders = {
        include_directory(header, "cmeel.prefix/include"),
        include_directory("boost/version.hpp", "cmeel.prefix/include", "/usr/include"),
        include_directory("Eigen/Core", "cmeel.prefix/include/eigen3", "/usr/include/eigen3"),
    }
    loaded = library(source, [*BOOST_LIMITS, *(f"-I{folder}" for folder in sorted(folders))])
    loaded.peer_new.restype = ctypes.c_void_p
    return loaded


class PinocchioCpp:
    """Pinocchio's `aba`, LOCAL convention, header-only in a C++ loop."""

    def __init__(self, mechanism: Mechanism, states: States):
        require_memory(mechanism)
        self.library = pinocchio_library("pinocchio_peer.cpp", "pinocchio/algorithm/aba.hpp")
        arrays = to_arrays(mechanism)
        self.peer = ctypes.c_void_p(self.library.peer_new(len(mechanism.links), *map(pointer, arrays.values())))
        self.shape = states.u.shape
        q = _pinocchio_q(mechanism, states.q)
        self.library.peer_states(self.peer, len(q), pointer(q), pointer(states.u), pointer(states.tau))

    def __del__(self) -> None:
        if hasattr(self, "peer"):
            self.library.peer_delete(self.peer)

    def run(self, repetitions: int) -> None:
        self.library.peer_run(self.peer, ctypes.c_long(repetitions))

    def accelerations(self) -> np.ndarray:
        out = np.empty(self.shape)
        self.library.peer_accelerations(self.peer, pointer(out))
        return out


class PinocchioPython:
    """Pinocchio's `aba`, LOCAL convention, of the installed wheel, called from Python."""

    def __init__(self, mechanism: Mechanism, states: States):
        import pinocchio

        require_memory(mechanism)
        self.pin = pinocchio
        self.model = to_pinocchio(mechanism)
        self.data = self.model.createData()
        self.rows = list(zip(_pinocchio_q(mechanism, states.q), states.u, states.tau, strict=True))

    def run(self, repetitions: int) -> None:
        aba, model, data, rows, local = self.pin.aba, self.model, self.data, self.rows, self.pin.Convention.LOCAL
        count = len(rows)
        for r in range(repetitions):
            aba(model, data, *rows[r % count], local)

    def accelerations(self) -> np.ndarray:
        local = self.pin.Convention.LOCAL
        return np.array([self.pin.aba(self.model, self.data, *row, local).copy() for row in self.rows])

    def momenta(self) -> np.ndarray:
        """M u of all states."""
        out = []
        for q, u, _ in self.rows:
            M = np.triu(self.pin.crba(self.model, self.data, q))
            out.append(M @ u + np.triu(M, 1).T @ u)
        return np.array(out)


# -- MuJoCo ------------------------------------------------------------------------------------------------


class Mujoco:
    """MuJoCo's smooth dynamics, of the installed wheel, in a C++ loop.

    MuJoCo's velocity and force of a free joint are those of its origin in world axes.
    """

    def __init__(self, mechanism: Mechanism, states: States):
        import mujoco

        folder = Path(mujoco.__file__).parent
        shared = next((str(path) for path in sorted(folder.glob("libmujoco*"))), None)
        if shared is None:
            raise Unavailable("the mujoco package brings no library")
        self.library = library("mujoco_peer.cpp", [f"-I{folder / 'include'}", shared])
        self.model = to_mujoco(mechanism)
        self.data = mujoco.MjData(self.model)
        self.free = [(u, states.u, self._rotations(states.q, q)) for q, u in mechanism.free()]
        self.q, self.u, self.tau = states.q, states.u.copy(), states.tau.copy()
        for first, _, rotation in self.free:
            for array in (self.u, self.tau):
                array[:, first : first + 3] = rotation.apply(array[:, first : first + 3])
        pointers = (pointer(array) for array in (self.q, self.u, self.tau))
        self.arguments: list[Any] = [
            ctypes.c_void_p(self.model._address), ctypes.c_void_p(self.data._address), len(states.q), *pointers,
        ]  # fmt: skip

    @staticmethod
    def _rotations(q: np.ndarray, first: int) -> Rotation:
        return Rotation.from_quat(q[:, first + 3 : first + 7], scalar_first=True)

    def run(self, repetitions: int) -> None:
        self.library.peer_run(*self.arguments, ctypes.c_long(repetitions))

    def accelerations(self) -> np.ndarray:
        out = np.empty_like(self.u)
        self.library.peer_accelerations(*self.arguments, pointer(out))
        for first, u, rotation in self.free:
            linear, angular = slice(first, first + 3), slice(first + 3, first + 6)
            out[:, linear] = rotation.inv().apply(out[:, linear]) - np.cross(u[:, angular], u[:, linear])
        return out
