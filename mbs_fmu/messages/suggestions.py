"""What somebody may have meant by a name that is not known: names that are spelt alike, or that others use for it."""

from __future__ import annotations

from collections.abc import Collection

#: Names from elsewhere, and what they may be here, where there is such a thing.
ELSEWHERE = {
    "k": "stiffness", "c": "damping stiffness", "d": "damping", "b": "damping", "m": "mass", "J": "inertia",
    "I": "inertia", "position": "at", "pos": "at", "origin": "at", "tau": "torque", "body": "on a", "min": "lower",
    "max": "upper", "rest_length": "length", "phi": "q", "omega": "u", "v": "u", "w": "u",
    "dt": "step output_interval", "h": "step", "tol": "rtol", "t_end": "stop_time", "stop": "stop_time",
    "duration": "stop_time", "x0": "start", "params": "parameters", "filename": "path", "file": "path",
    "armature": "rotor inertia", "damper": "spring", "joint": "body close", "link": "body", "add_body": "body",
    "torque": "motor force", "actuator": "motor", "ground": "contact", "weld": "body close",
    "constraint": "constrain close", "sensor": "output", "loop": "close", "belt": "gear", "Ball": "Spherical",
    "Fixed": "Weld", "Hinge": "Revolute", "Slider": "Prismatic", "Floating": "Free", "FreeFlyer": "Free",
    "Pin": "Revolute", "Cardan": "Universal", "run": "simulate", "crba": "mass_matrix", "rnea": "inverse_dynamics",
    "aba": "forward_dynamics", "ik": "inverse_kinematics", "load": "from_urdf from_mjcf", "equilibrium": "trim",
    "animate": "show", "to_fmu": "export",
}  # fmt: skip
#: Last parts of the names of a body's numbers, and what the number that is meant may be called.
KIN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q", "phi", "s", "x", "angle", "position", "theta"), ("phi", "s", "q")),
    **dict.fromkeys(("u", "w", "v", "qd", "omega", "velocity", "speed"), ("w", "v", "u")),
    **dict.fromkeys(("tau", "f", "force", "torque"), ("tau", "f")),
}
CLOSE = 0.6  #: of difflib, from which on names are alike
MOST = 3


def suggestions(name: object, known: Collection[str]) -> list[str]:
    """The known names that may be meant, the likeliest first: of one body before those of others. None for no text."""
    from difflib import SequenceMatcher

    if not isinstance(name, str):
        return []
    owner, dot, last = name.rpartition(".")
    found = [x for x in ELSEWHERE.get(name, "").split() if x in known]
    if found:
        return found
    own = [x for x in known if dot and x.rpartition(".")[0] == owner]
    alike = {x: SequenceMatcher(None, name.lower(), x.lower()).ratio() for x in known}
    kin = {x for x in own if x.rpartition(".")[2].partition("[")[0] in KIN.get(last.partition("[")[0], ())}
    return sorted(kin or (x for x in known if alike[x] >= CLOSE), key=lambda x: -alike[x])[:MOST]


def did_you_mean(name: object, known: Collection[str]) -> str:
    """For messages: "; did you mean 'arm.phi'?", or nothing."""
    found = suggestions(name, known)
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""
