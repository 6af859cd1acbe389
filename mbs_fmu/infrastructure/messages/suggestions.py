"""Suggestions for unknown names: names with similar spelling, and synonyms from other programs."""

from __future__ import annotations

from collections.abc import Collection

#: Names in other programs, with the corresponding names in this package.
SYNONYMS = {
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
#: Last parts of the names of a body's variables, with the corresponding last parts in this package.
LAST_PARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q", "phi", "s", "x", "angle", "position", "theta"), ("phi", "s", "q")),
    **dict.fromkeys(("u", "w", "v", "qd", "omega", "velocity", "speed"), ("w", "v", "u")),
    **dict.fromkeys(("tau", "f", "force", "torque"), ("tau", "f")),
}
CLOSE = 0.6  #: least ratio of difflib for similar names
MOST = 3  #: suggestions


def suggestions(name: object, known: Collection[str]) -> list[str]:
    """Return the known names that are similar to a name, the most similar ones first; none if `name` is not text.

    Variables of the same body take precedence over those of other bodies.
    """
    from difflib import SequenceMatcher

    if not isinstance(name, str):
        return []
    owner, dot, last = name.rpartition(".")
    synonyms = [x for x in SYNONYMS.get(name, "").split() if x in known]
    if synonyms:
        return synonyms
    same_owner = [x for x in known if dot and x.rpartition(".")[0] == owner]
    ratios = {x: SequenceMatcher(None, name.lower(), x.lower()).ratio() for x in known}
    last_parts = LAST_PARTS.get(last.partition("[")[0], ())
    corresponding = {x for x in same_owner if x.rpartition(".")[2].partition("[")[0] in last_parts}
    return sorted(corresponding or (x for x in known if ratios[x] >= CLOSE), key=lambda x: -ratios[x])[:MOST]


def did_you_mean(name: object, known: Collection[str]) -> str:
    """Return "; did you mean 'arm.phi'?" for messages; empty without suggestions."""
    names = suggestions(name, known)
    return f"; did you mean {' or '.join(map(repr, names))}?" if names else ""
