"""Actuators of an MJCF on hinges, slides and tendons: inputs, activations and forces.

MuJoCo's formulas: https://mujoco.readthedocs.io/en/stable/computation/index.html (actuation model).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..symbolic.expressions import Expression, as_expression, clip, max, min, where
from .mjcf_reading import Reading
from .mjcf_tendons import Path, path_of_joint

ON_JOINT, ON_JOINT_IN_PARENT, ON_TENDON = (
    0,
    1,
    3,
)  #: MuJoCo's mjtTrn; the first two differ for ball and free joints only
NONE, INTEGRATOR, FILTER, FILTER_EXACT, PID = 0, 1, 2, 3, 6  #: MuJoCo's mjtDyn
FIXED, AFFINE, GAIN_PID = 0, 1, 5  #: MuJoCo's mjtGain
NO_BIAS, AFFINE_BIAS = 0, 1  #: MuJoCo's mjtBias
DYNAMICS, GAINS, BIASES = (
    (NONE, INTEGRATOR, FILTER, FILTER_EXACT, PID),
    (FIXED, AFFINE, GAIN_PID),
    (NO_BIAS, AFFINE_BIAS),
)
#: Bits of a controller's inputs, in the order of its controls, with what follows the actuator's name in those of the
#: model.
SETPOINTS = {1: "", 2: "_velocity", 4: "_feedforward"}
MIN_TIME = 1e-15  #: s, least time constant (mjMINVAL)


class Actuators:
    """Builder of the actuators. tendons: paths of those that the model has, by MuJoCo's numbers.

    inputs: of the model, by MuJoCo's numbers of controls. states: of the model, by those of activations. joints: the
    first input that acts on a hinge or slide, by joint.
    """

    def __init__(self, reading: Reading, mujoco: Any, tendons: Mapping[int, Path]):
        self.reading, self.mujoco, self.tendons = reading, mujoco, tendons
        self.inputs: dict[int, str] = {}
        self.states: dict[int, str] = {}
        self.joints: dict[int, str] = {}
        self.acting: dict[int, dict[str, Expression]] = {}  #: forces along joints, by actuator

    def add(self) -> None:
        """Add the actuators with their inputs; note what is left out."""
        mj, paths, forces = self.reading.mj, dict[int, Path](), dict[int, Expression]()
        for number in range(getattr(mj, "nactuator", mj.nu)):
            reason = self._why_not(number)
            if reason:
                self.reading.note(f"actuator {self._name(number)!r} is left out: {reason}")
                continue
            paths[number] = path = self._path(number)
            forces[number] = self._force(number, path)
            for joint in path.joints if len(path.joints) == 1 and not path.name else ():
                self.joints.setdefault(joint, self.inputs[self._controls(number)[0]])
        for number, force in self._within_tendons(forces).items():
            if mj.actuator_forcelimited[number]:
                force = clip(force, *mj.actuator_forcerange[number].tolist())
            self._act(self._name(number), paths[number], self._gear(number) * force)
        for joint, along in self.acting.items():
            self._add_motors(joint, along)

    def _name(self, number: int) -> str:
        return self.reading.mj.actuator(number).name or f"actuator{number}"

    def _controls(self, number: int) -> range:
        """Return the numbers of an actuator's controls: since MuJoCo 4 it may have several."""
        mj = self.reading.mj
        if not hasattr(mj, "actuator_ctrladr"):
            return range(number, number + 1)
        return range(int(mj.actuator_ctrladr[number]), int(mj.actuator_ctrladr[number] + mj.actuator_ctrlnum[number]))

    def _gear(self, number: int) -> float:
        mj = self.reading.mj
        output = int(mj.actuator_outadr[number]) if hasattr(mj, "actuator_outadr") else number
        return float(mj.actuator_gear[output][0])

    # -- what is supported -------------------------------------------------------------------------------
    def _why_not(self, number: int) -> str:
        """Return the reason why an actuator is not supported, or does not act; empty if it does."""
        mj, enabled = self.reading.mj, self.reading.enabled
        if "actuation" not in enabled:
            return "the file disables actuation"
        if not enabled.has_actuator(int(mj.actuator_group[number])):
            return f"the file disables its group {int(mj.actuator_group[number])}"
        return self._why_no_path(number) or self._why_no_law(number)

    def _why_no_path(self, number: int) -> str:
        mj, target = self.reading.mj, int(self.reading.mj.actuator_trnid[number][0])
        kind = int(mj.actuator_trntype[number])
        if kind in (ON_JOINT, ON_JOINT_IN_PARENT) and self.reading.is_single(target):
            return ""
        if kind != ON_TENDON:
            return "it acts on no hinge, slide or tendon"
        return "" if target in self.tendons else "so is its tendon"

    def _why_no_law(self, number: int) -> str:
        mj, mujoco = self.reading.mj, self.mujoco
        if mj.actuator_plugin[number] >= 0:
            return "it is a plugin"
        for what, kind, known, names in (
            ("dyntype", mj.actuator_dyntype[number], DYNAMICS, mujoco.mjtDyn),
            ("gaintype", mj.actuator_gaintype[number], GAINS, mujoco.mjtGain),
            ("biastype", mj.actuator_biastype[number], BIASES, mujoco.mjtBias),
        ):
            if kind not in known:
                return f"its {what} is {names(kind).name.rpartition('_')[2].lower()}"
        if mj.actuator_dyntype[number] == PID and mj.actuator_dynprm[number][1] > 0.0:
            return "the slope of its setpoint is limited"
        if getattr(mj, "actuator_delay", np.zeros(number + 1))[number]:
            return "its control is delayed"
        count = len(self._controls(number))
        return f"it has {count} controls" if count != 1 and mj.actuator_gaintype[number] != GAIN_PID else ""

    # -- the law -----------------------------------------------------------------------------------------
    def _path(self, number: int) -> Path:
        mj, target = self.reading.mj, int(self.reading.mj.actuator_trnid[number][0])
        return self.tendons[target] if mj.actuator_trntype[number] == ON_TENDON else path_of_joint(self.reading, target)

    def _force(self, number: int, path: Path) -> Expression:
        """Return the force before clamps: gain times control or activation, plus bias."""
        mj, gear = self.reading.mj, self._gear(number)
        length, speed = gear * path.length, gear * path.rate
        if mj.actuator_gaintype[number] == GAIN_PID:
            force = self._controlled(number, length)
        else:
            gain = _affine(mj.actuator_gainprm[number], length, speed, mj.actuator_gaintype[number] == AFFINE)
            force = gain * self._activation(number)
        if mj.actuator_biastype[number] == AFFINE_BIAS:
            force = force + _affine(mj.actuator_biasprm[number], length, speed)
        return force

    def _control(self, number: int, name: str) -> Expression:
        """Add the input of a control; return its value within the range."""
        mj, reading = self.reading.mj, self.reading
        limited, (low, high) = bool(mj.actuator_ctrllimited[number]), mj.actuator_ctrlrange[number].tolist()
        self.inputs[number] = name = reading.signals.new(name)
        bounds: dict[str, Any] = {"min": low, "max": high} if limited else {}
        start = float(np.clip(0.0, low, high)) if limited else 0.0
        control = reading.model.input(name, start=start, **bounds)
        return clip(control, low, high) if limited and "clampctrl" in reading.enabled else control

    def _activation(self, number: int) -> Expression:
        """Return the control of an actuator, or its integral, or its value behind a filter of the first order."""
        mj, kind = self.reading.mj, self.reading.mj.actuator_dyntype[number]
        control = self._control(self._controls(number)[0], self._name(number))
        if kind == NONE:
            return control
        tau = float(np.maximum(MIN_TIME, mj.actuator_dynprm[number][0]))
        low, high = mj.actuator_actrange[number].tolist() if mj.actuator_actlimited[number] else (-np.inf, np.inf)

        def rate(activation: Expression) -> Expression:
            return control if kind == INTEGRATOR else (control - activation) / tau

        return self._state(number, "activation", rate, (low, high))

    def _controlled(self, number: int, length: Expression) -> Expression:
        """Return the force of a PID controller by its setpoints and the integral of the error; the rest is bias."""
        mj, bits = self.reading.mj, int(self.reading.mj.actuator_ctrlspec[number])
        present = [bit for bit in SETPOINTS if bits & bit]
        setpoints = {
            bit: self._control(control, f"{self._name(number)}{SETPOINTS[bit]}")
            for bit, control in zip(present, self._controls(number), strict=True)
        }
        position, velocity, feedforward = (setpoints.get(bit, as_expression(0.0)) for bit in SETPOINTS)
        _, by_length, by_speed = mj.actuator_biasprm[number][:3].tolist()
        force: Expression = -by_length * position - by_speed * velocity + feedforward
        gain, most = float(mj.actuator_gainprm[number][0]), float(mj.actuator_dynprm[number][0])
        if mj.actuator_actnum[number] and gain > 0.0:
            limits = (-most, most) if most > 0.0 else (-np.inf, np.inf)
            force = force + gain * self._state(number, "integral", lambda integral: position - length, limits)
        return force

    def _state(
        self, number: int, what: str, rate: Callable[[Expression], Expression], limits: tuple[float, float]
    ) -> Expression:  # fmt: skip
        """Add the state of an actuator; return its value within the limits, at which it stays until it turns back."""
        mj, reading, (low, high) = self.reading.mj, self.reading, limits
        name = reading.signals.new(f"{self._name(number)}_{what}")
        self.states[int(mj.actuator_actadr[number] + mj.actuator_actnum[number] - 1)] = name
        if mj.actuator_actearly[number]:
            reading.note(
                f"actuator {self._name(number)!r} uses its present activation, in MuJoCo that of the next step"
            )

        def held(state: Expression) -> Expression:
            slope = rate(state)
            if np.isfinite(high):
                slope = where(state >= high, min(slope, 0.0), slope)
            return where(state <= low, max(slope, 0.0), slope) if np.isfinite(low) else slope

        state = reading.model.state(name, held, start=float(np.clip(0.0, low, high)))
        return clip(state, low, high) if np.isfinite([low, high]).all() else state

    def _within_tendons(self, forces: Mapping[int, Expression]) -> dict[int, Expression]:
        """Return the forces, those on each tendon scaled so that their sum stays in the tendon's range."""
        mj, scaled = self.reading.mj, dict(forces)
        on_tendons = dict[int, list[int]]()
        for number in forces:
            if mj.actuator_trntype[number] == ON_TENDON:
                on_tendons.setdefault(int(mj.actuator_trnid[number][0]), []).append(number)
        limited = getattr(mj, "tendon_actfrclimited", np.zeros(mj.ntendon))
        for tendon in [tendon for tendon in on_tendons if limited[tendon]]:
            total = sum((forces[number] for number in on_tendons[tendon]), start=as_expression(0.0))
            low, high = mj.tendon_actfrcrange[tendon].tolist()
            below, above = total < low, total > high
            scale = clip(total, low, high) / where(below, total, where(above, total, 1.0))
            factor = where(below, scale, where(above, scale, 1.0))
            scaled |= {number: factor * forces[number] for number in on_tendons[tendon]}
        return scaled

    # -- along joints and spans --------------------------------------------------------------------------
    def _act(self, name: str, path: Path, force: Expression) -> None:
        """Let a force act along a path: on its joints later, with all others, and along its spans as a tension."""
        for joint, factor in path.joints.items():
            self.acting.setdefault(joint, {})[name] = factor * force
        for line, factor in path.spans:
            places: dict[str, Any] = {"at_a": line.at_a, "at_b": line.at_b, "force": -factor * force}
            if line.a != line.b:
                self.reading.model.pull(self.reading.forces.new(name), line.a, line.b, **places)
        if path.spans and np.any(self.reading.mj.jnt_actfrclimited):
            self.reading.note(f"actuatorfrcrange of joints does not limit actuators of tendon {path.name!r}")

    def _add_motors(self, joint: int, forces: Mapping[str, Expression]) -> None:
        """Add the forces of actuators along a joint, by name; if the joint limits their sum, one motor of the joint."""
        reading, mj = self.reading, self.reading.mj
        if mj.jnt_actfrclimited[joint]:
            low, high = mj.jnt_actfrcrange[joint].tolist()
            total = clip(sum(forces.values(), start=as_expression(0.0)), low, high)
            name = next(iter(forces)) if len(forces) == 1 else f"{reading.mounted[joint].name}_actuators"
            forces = {name: total}
        for name, force in forces.items():
            law: dict[str, Any] = {reading.along(joint): force}
            reading.model.motor(reading.forces.new(name), **reading.place(joint), **law)


def _affine(coefficients: np.ndarray, length: Expression, speed: Expression, whole: bool = True) -> Expression:
    """Return constant + by length + by speed; whole: False for the constant only."""
    constant, by_length, by_speed = coefficients[:3].tolist()
    return as_expression(constant) + (by_length * length + by_speed * speed if whole else as_expression(0.0))
