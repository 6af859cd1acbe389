"""What is said of a failed start or step, in one place for every kind of run and FMU.

Fields in braces are texts or numbers; `FIELDS` tells which. The native FMU gets these sentences as C.
"""

from __future__ import annotations

FIELDS = {
    "model": str, "thing": str, "what": str, "value": float, "low": float, "high": float, "time": float, "step": float,
    "steps": float, "rank": float, "rows": float,
}  # fmt: skip

MESSAGES = {
    "not_finite": "{what} '{thing}' is {value}: give a finite number",
    "out_of_range": "{what} '{thing}' is {value}: it must lie within {low} .. {high}",
    "no_direction": "the quaternion from '{thing}' on has no direction: its numbers are all close to zero",
    "no_inertia": (
        "the motion of {thing} moves no inertia at the start: give its body (or what it carries) a mass and inertia "
        "along that motion, or weld it"
    ),
    "assembled": (
        "assembled in {steps} steps, residual {value} (m or rad); {rank} of {rows} closing conditions are independent"
    ),
    "not_assembled": (
        "loop '{thing}' does not close: from the start values it stays open by {value} (m or rad); start nearer to a "
        "closed position, hold fewer start values (guess=True), or look at its points and lengths"
    ),
    "not_movable": (
        "the start velocities that are held do not agree with loop '{thing}': they miss it by {value} (m/s or rad/s); "
        "hold fewer (guess=True), or make them agree"
    ),
    "open_loop": (
        "loop '{thing}' stands open by {value} (m or rad) at t = {time} s, beyond the bound {high}: use a smaller step "
        "or tolerance, or a larger bound, unless it can't reach at all what its lengths and equations ask for then"
    ),
    "non_finite": (
        "{thing} is no longer finite at t = {time} s with step size {step} s: use a smaller step or an adaptive "
        "method, or look for a law that grows without bound"
    ),
    "gimbal_lock": (
        "{thing} stands where the three angles of its joint lock, at t = {time} s: give the joint other angles, or a "
        "quaternion, which never locks (mbs.Spherical(), mbs.Free())"
    ),
    "not_converged": (
        "the stages of the implicit step do not converge, first of all those of {thing}, at t = {time} s with step "
        "size {step} s: use a smaller step"
    ),
    "other_time": (
        "a step from t = {time} s is asked for, {step} s from t = {value} s where the FMU stands: give it the time at "
        "which the last step ended"
    ),
    "too_many_steps": (
        "a communication step of {step} s takes more than {steps} internal steps: give a shorter one, or export the "
        "FMU with a larger step or tolerance, or with a larger max_internal_steps"
    ),
    "step_too_small": (
        "the step size became too small for {thing} at t = {time} s with step size {step} s: the motion is stiff or "
        "singular there, or a law is discontinuous"
    ),
}


def message(key: str, **fields: object) -> str:
    """One of MESSAGES, filled in."""
    shown = {name: f"{value:.9g}" if FIELDS[name] is float else value for name, value in fields.items()}
    return MESSAGES[key].format(**shown)
