"""Suggestions for unknown names: names with similar spelling, and synonyms from other programs."""

from __future__ import annotations

import re
from collections.abc import Collection

#: Names in other programs and of earlier habits, with the corresponding names in this package. Capitals count only in
#: names of one or two letters.
SYNONYMS = {
    # arguments
    "k": "stiffness", "c": "damping stiffness", "d": "damping", "b": "damping", "m": "mass", "J": "inertia",
    "I": "inertia", "position": "at", "pos": "at", "origin": "at", "tau": "torque", "body": "on a", "min": "lower",
    "max": "upper", "rest_length": "length", "phi": "q", "omega": "u", "v": "u", "w": "u",
    "dt": "step output_interval", "h": "step", "tol": "rtol", "t_end": "stop_time", "tf": "stop_time",
    "t_span": "stop_time", "t_eval": "output_interval", "stop": "stop_time", "duration": "stop_time", "x0": "start",
    "y0": "start", "q0": "start q", "params": "parameters", "values": "parameters", "filename": "path", "file": "path",
    "mu": "friction", "first": "axes", "second": "axes", "interval": "output_interval",
    # joints, bodies and forces
    "ball": "Spherical", "fixed": "Weld", "hinge": "Revolute", "slider": "Prismatic", "floating": "Free",
    "freeflyer": "Free", "pin": "Revolute", "cardan": "Universal", "continuous": "Revolute", "quaternion": "Spherical",
    "armature": "rotor inertia", "damper": "spring", "joint": "body close", "link": "body", "rigid_body": "body",
    "rigidbody": "body", "torque": "motor force", "actuator": "motor", "ground": "contact", "weld": "body close",
    "weldframes": "body close", "constraint": "constrain close", "equality": "constrain close", "sensor": "output",
    "loop": "close", "belt": "gear", "tendon": "rope", "geom": "shape", "visual": "shape", "contacts": "mutual_contact",
    "bodyshape": "body", "fixedtranslation": "at Weld", "inertial": "inertia",
    # functions
    "run": "simulate", "solve_ivp": "simulate", "odeint": "simulate", "mj_step": "Stepper simulate",
    "crba": "mass_matrix", "calcmassmatrix": "mass_matrix", "rnea": "inverse_dynamics", "aba": "forward_dynamics",
    "ik": "inverse_kinematics", "fk": "assemble", "urdf": "from_urdf", "mjcf": "from_mjcf", "mjmodel": "from_mjcf",
    "parser": "from_urdf from_mjcf", "buildmodelfromurdf": "from_urdf", "equilibrium": "trim",
    "eigenvalues": "modes linearize", "eigenvectors": "modes linearize", "eigenmodes": "modes linearize",
    "animate": "show", "to_fmu": "export", "mode": "constraint_mode", "impulses": "poisson_impulses",
    "load": "from_urdf from_mjcf",
}  # fmt: skip
#: What other programs put before or behind the name of a thing.
AFFIX = re.compile(r"^(?:add|make|create|get|load|set)_?(?=[a-z])|_?joint$|^joint_?(?:model)?", re.IGNORECASE)
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
    synonyms = [x for x in synonyms_of(name) if x in known]
    if synonyms:
        return synonyms
    same_owner = [x for x in known if dot and x.rpartition(".")[0] == owner]
    ratios = {x: SequenceMatcher(None, name.lower(), x.lower()).ratio() for x in known}
    last_parts = LAST_PARTS.get(last.partition("[")[0], ())
    corresponding = {x for x in same_owner if x.rpartition(".")[2].partition("[")[0] in last_parts}
    return sorted(corresponding or (x for x in known if ratios[x] >= CLOSE), key=lambda x: -ratios[x])[:MOST]


def synonyms_of(name: str) -> list[str]:
    """Return the names in this package that correspond to a name in another program, such as `FixedJoint`."""
    forms = [name] if len(name) < 3 else [name.lower(), AFFIX.sub("", name).lower()]
    return [x for form in dict.fromkeys(forms) for x in SYNONYMS.get(form, "").split()]


def did_you_mean(name: object, known: Collection[str]) -> str:
    """Return "; did you mean 'arm.phi'?" for messages; empty without suggestions."""
    names = suggestions(name, known)
    return f"; did you mean {' or '.join(map(repr, names))}?" if names else ""
