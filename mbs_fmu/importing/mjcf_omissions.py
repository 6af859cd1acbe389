"""Notes on elements of an MJCF that the model does not contain."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mjcf_reading import Reading

POLYNOMIALS = ("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly")


def note_omissions(reading: Reading, without_contacts: bool) -> None:
    """Note the elements of the file that no other reader notes. without_contacts: contacts are left out."""
    mj = reading.mj
    masks = mj.npair or np.any((mj.geom_contype != 0) | (mj.geom_conaffinity != 0))
    touching = mj.ngeom > 1 and masks and "contact" in reading.enabled
    omissions = {
        "contacts between geometries: contacts=True adds them": touching and without_contacts,
        f"{mj.nflex} flexes": mj.nflex,
        "springs and dampers by polynomials": _any(mj, *POLYNOMIALS),
        "armature and damping of actuators": _any(mj, "actuator_armature", "actuator_damping", "actuator_dampingpoly"),
        f"{mj.nplugin} plugins": mj.nplugin,
        "springs that yield": getattr(mj, "nplastic", 0),
    }
    for element, present in omissions.items():
        if present:
            reading.note(f"left out: {element}")
    if mj.nmocap and not reading.driven:
        reading.note(f"{mj.nmocap} mocap bodies are fixed: mocap='inputs' moves them")


def _any(mj: Any, *arrays: str) -> bool:
    """Return whether some of the arrays, which older versions of MuJoCo lack, is not zero."""
    return any(np.any(getattr(mj, array, 0)) for array in arrays)
