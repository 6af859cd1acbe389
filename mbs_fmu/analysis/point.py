"""A model at one state, and the small motions about it that the loops allow (docs/equations.md, N1 to N4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.items import Body
from ..model.motions.motion import Motion
from ..record.blocks import HeadNumbers
from .mechanism import Mechanism
from .rows import binding_rows, chosen_rows, jacobian, null_space, pivots

WORST_BASIS = 1e8  #: largest condition number of a choice of independent velocities


class Point:
    """A record after `Mechanism.begin`, and the basis of small motions (xi, w, z) about its state.

    xi are the positions that loops leave free, w the velocities that they leave free, which are fewer with rate
    constraints, and z the signal states. The columns of `basis` are the derivatives of the joint velocities with
    respect to the rates of xi; those of `rate_basis` with respect to w. `own_positions` and `own_rates` are the indices
    of the joint velocities that represent xi and w. `own_states` are the signal states that are not contact parameters
    of closures.
    """

    def __init__(self, mechanism: Mechanism, R: np.ndarray, independent: Sequence[str] | None = None):
        self.mechanism, self.R = mechanism, R
        self.scratch = R.copy()  #: copy for kernels with tangents, which overwrite its numbers
        kernels, program = mechanism.runtime.kernels, mechanism.program
        contacts = [int(k) for k in kernels.CONTACT[: kernels.N_CONTACTS - kernels.N_FEET]] if program.loops else []
        self.contacts = contacts
        self.own_states = [k for k in range(mechanism.nz) if k not in contacts]
        free = np.eye(mechanism.nv)
        chosen = None if independent is None else self._numbers(independent)
        if program.loops:
            J = self._jacobian()
            self.rate_basis, self.own_rates = self._chosen(null_space(J[chosen_rows(program, kernels, R)]), chosen)
            binding = binding_rows(program, kernels, R)
            if kernels.N_UNBOUND:
                self.basis, self.own_positions = self._chosen(null_space(J[binding]), None, self.own_rates)
            else:
                self.basis, self.own_positions = self.rate_basis, self.own_rates
        else:
            self.rate_basis, self.own_rates = self._chosen(free, chosen)
            self.basis, self.own_positions = self.rate_basis, self.own_rates

    def _numbers(self, names: Sequence[str]) -> list[int]:
        known = self.mechanism.rate_names
        for name in names:
            if name not in known:
                message = f"independent: {name!r} is not a joint velocity{did_you_mean(name, known)}"
                raise ArgumentError(f"{message}; there are {listed(known)}")
        return [known.index(name) for name in names]

    def _chosen(
        self, N: np.ndarray, wanted: list[int] | None, first: Sequence[int] = ()
    ) -> tuple[np.ndarray, list[int]]:
        """Return a null space whose columns are unit independent joint velocities, and the indices of these."""
        own = pivots(N, list(first)) if wanted is None else sorted(wanted)
        if len(own) != N.shape[1] or (own and np.linalg.cond(N[own]) > WORST_BASIS):
            names = self.mechanism.rate_names
            raise ArgumentError(
                f"independent: the loops leave {N.shape[1]} joint velocities free, which can't be "
                f"{listed(names[k] for k in own)}: {listed(names[k] for k in pivots(N, []))} can, "
                "or leave it out"
            )
        return N @ np.linalg.inv(N[own]), own

    def _jacobian(self) -> np.ndarray:
        R = self.R.copy()
        self.mechanism.call("conditions", R)
        self.mechanism.call("plain_inboard", R)
        return jacobian(self.mechanism.program, self.mechanism.runtime.kernels, R)

    # -- names ------------------------------------------------------------------------------------------
    @cached_property
    def states(self) -> list[str]:
        """Names of xi, w and z."""
        names, labels = self.mechanism.rate_names, position_labels(self.mechanism)
        signals = [v.name for v in self.mechanism.program.of_role("state")]
        return [
            *(labels[names[k]] for k in self.own_positions), *(names[k] for k in self.own_rates),
            *(signals[k] for k in self.own_states),
        ]  # fmt: skip

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of xi, w and z."""
        return len(self.own_positions), len(self.own_rates), len(self.own_states)

    # -- tangents ---------------------------------------------------------------------------------------
    def tangent(self, dx: np.ndarray, slot: int | None = None) -> np.ndarray:
        """Return a record with tangents of rates, along a change dx of states and a change of one other number by 1."""
        D = np.zeros_like(self.R)
        D[self.mechanism.x] = dx
        if slot is not None:
            D[slot] = 1.0
        self.mechanism.call("derive_d", self.scratch, D)
        return D

    def second_tangent(self, D: np.ndarray, E: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Compute second tangents along D and E into F, which has tangents of D's inputs along E (N3); return F."""
        self.mechanism.call("derive_dd", self.scratch, D, E, F)
        return F

    @cached_property
    def motion(self) -> np.ndarray:
        """A record with the state's rates as tangents, so that all other tangents are rates of change."""
        D = np.zeros_like(self.R)
        D[self.mechanism.x], D[HeadNumbers.time] = self.R[self.mechanism.f], 1.0
        return D

    @cached_property
    def accelerations(self) -> np.ndarray:
        """Rates of all joint velocities."""
        D = self.motion.copy()
        self.mechanism.call("derive_d", self.scratch, D)
        return D[self.mechanism.u]

    @cached_property
    def rates(self) -> np.ndarray:
        """Rates of xi, w and z along the motion."""
        m = self.mechanism
        return np.concatenate(
            [self.R[m.u][self.own_positions], self.accelerations[self.own_rates], self.signal_rates(self.R)]
        )

    def signal_rates(self, record: np.ndarray) -> np.ndarray:
        """Return the rates of the signal states that are not contact parameters, or the tangents of these."""
        first = self.mechanism.nq + self.mechanism.nv
        return record[self.mechanism.f][first : first + self.mechanism.nz][self.own_states]

    @cached_property
    def velocities(self) -> np.ndarray:
        """Inverse of E, which gives joint velocities from rates of coordinates."""
        m = self.mechanism
        E = np.array([m.coordinate_rates(self.R, unit) for unit in np.eye(m.nv)]).reshape(m.nv, m.nq).T
        return np.asarray(np.linalg.solve(E.T @ E, E.T))

    def turning(self, u: np.ndarray) -> np.ndarray:
        """Return E' u along the motion, for any joint velocities u (N4)."""
        m = self.mechanism
        R = self.R.copy()
        R[m.u] = u
        return np.asarray(m.momenta_tangent(R, self.R[m.f][: m.nq], 0.0)[m.f][: m.nq])

    def columns(self) -> np.ndarray:
        """Return changes of states x by xi, w and z (N1); each keeps the loops closed, and the other two constant."""
        m = self.mechanism
        first = m.nq + m.nv
        W = np.zeros((self.R[m.x].size, len(self.own_rates)))
        for j, u in enumerate(self.rate_basis.T):
            W[m.nq : first, j] = m.momenta_tangent(self.R, 0.0, u)[m.p]
        X = np.zeros((W.shape[0], len(self.own_positions)))
        for j, u in enumerate(self.basis.T):
            dq = m.coordinate_rates(self.R, u)
            X[: m.nq, j], X[m.nq : first, j] = dq, m.momenta_tangent(self.R, dq, 0.0)[m.p]
            X[first + np.array(self.contacts, dtype=int), j] = self._contact_rates(u)
        Z = np.zeros((W.shape[0], len(self.own_states)))
        Z[first + np.array(self.own_states, dtype=int), range(len(self.own_states))] = 1.0
        changes = np.hstack([X, Z])
        if m.program.loops or m.model.drives:  # remove the changes of the velocities w that they cause
            for j, dx in enumerate(changes.T):
                changes[:, j] = dx - W @ self.tangent(dx)[m.u][self.own_rates]
        return np.hstack([changes[:, : X.shape[1]], W, changes[:, X.shape[1] :]])

    def _contact_rates(self, u: np.ndarray) -> np.ndarray:
        """Return the rates of contact parameters for joint velocities, in which they are linear (N2)."""
        if not self.contacts:
            return np.zeros(0)
        m = self.mechanism
        rates = []
        for velocities in (u, 0.0 * u):
            R = self.R.copy()
            R[m.u] = velocities
            for kernel in ("momenta", "conditions", "forces"):
                m.call(kernel, R)
            rates.append(R[m.program.region("z_dot")][self.contacts])
        return np.asarray(rates[0] - rates[1])

    def moved(self, step: np.ndarray, inputs: np.ndarray | None = None, span: float = 0.0) -> Point:
        """Return the point after a step of (xi, w, z), inputs and time (`span`, s), with loops assembled there.

        It has the same independent velocities. Raises ModelError if the loops do not close.
        """
        m = self.mechanism
        xi, w, z = np.split(step, np.cumsum(self.counts)[:2])
        R = m.program.new_record()
        for name in ("parameters", "inputs", "q", "u", "z", "sampled", "calculated"):
            R[m.program.region(name)] = self.R[m.program.region(name)]
        R[HeadNumbers.time] = self.R[HeadNumbers.time] + span
        R[m.q] += m.coordinate_rates(self.R, self.basis @ xi)
        R[m.u] += self.rate_basis @ w
        R[m.z.start + np.array(self.own_states, dtype=int)] += z
        if inputs is not None:
            R[m.program.region("inputs")] += inputs
        if m.program.loops:
            for name, own in (("free", self.own_positions), ("free_rates", self.own_rates)):
                R[m.program.region(name)] = 1.0
                R[m.program.region(name).start + np.array(own, dtype=int)] = 0.0
        m.begin(R)
        return Point(m, R, [m.rate_names[k] for k in self.own_rates])

    def mass_matrix(self) -> np.ndarray:
        """Return the mass matrix of the independent velocities w, including everything that moves with them."""
        return np.asarray(self.rate_basis.T @ self.mechanism.mass_matrix(self.R) @ self.rate_basis)

    def inertial(self, w: np.ndarray) -> np.ndarray:
        """Return M_r w from one tangent of momenta, without forming M_r."""
        return np.asarray(
            self.rate_basis.T @ self.mechanism.momenta_tangent(self.R, 0.0, self.rate_basis @ w)[self.mechanism.p]
        )


def position_labels(mechanism: Mechanism) -> dict[str, str]:
    """Return names of small motions along joint velocities: that of the coordinate with this rate, if there is one."""
    labels = {}
    for body in mechanism.model.bodies.values():
        coordinates, own = [name for name, _ in body.coordinates], _own_coordinates(body)
        for k, (rate, unit) in enumerate(body.rates):
            kind = "turn" if unit.startswith("rad") else "shift"
            label = f"{kind}[{k + 1}]" if own[k] is None else coordinates[own[k] or 0]
            labels[f"{body.name}.{rate}"] = f"{body.name}.{label}"
    return labels


def _own_coordinates(body: Body) -> list[int | None]:
    """Return for each velocity of a body the number of the coordinate with this rate, or None."""
    own: list[int | None] = []
    first = 0
    for motion in body.joint.motions:
        plain = type(motion).coordinate_rates is Motion.coordinate_rates
        own += [first + k if plain else None for k in range(len(motion.rate_units))]
        first += len(motion.units)
    return [*own, *range(first, len(body.coordinates))]
