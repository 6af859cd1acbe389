"""Multibody mechanisms in Poisson impulses: fast kernels, FMUs, co-simulation.

What not every process needs (`LATER`) is imported when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

from .disk.sources import LOADED as _LOADED  # the time must be that of this import
from .errors import ArgumentError, CallError, Interrupted, ModelError, SimulationError
from .messages.calls import classes_with_clear_errors as _classes_with_clear_errors
from .messages.suggestions import did_you_mean as _did_you_mean
from .model.bodies.shapes import Box, Capsule, Cylinder, Line, Mesh, Ring, Shape, Sphere
from .model.bodies.solids import Solid, box, cylinder, rod, sphere
from .model.closures import CurveOnCurve, Distance, KnifeEdge, OnCurve, OnLine, OnPlane, Rolling
from .model.closures.plane_curves import Circle, Curve, Ellipse, Flat, Polar, Spline
from .model.forces import PointGravity
from .model.geometry.poses import Pose
from .model.geometry.rotations import axis_angle, rpy
from .model.geometry.vectors import Vector
from .model.items import Body
from .model.joints import (
    Compound,
    CustomJoint,
    Cylindrical,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    Weld,
    slide,
    turn,
)
from .model.measures.deformations import deformation, modal, modal_rate, section_forces, stress
from .model.measures.measures import (
    acceleration,
    angular_acceleration,
    angular_momentum,
    angular_velocity,
    applied,
    center_of_mass,
    coordinate,
    drive_force,
    energy,
    impulse,
    mode,
    momentum,
    multiplier,
    orientation,
    pose,
    position,
    power,
    rate,
    reaction,
    relative_angular_velocity,
    relative_orientation,
    relative_position,
    relative_velocity,
    residual,
    signal,
    strength,
    time,
    twist,
    velocity,
)
from .model.model import Model
from .simulate import simulate
from .symbolic.expressions import (
    Expression,
    abs,
    acos,
    asin,
    atan,
    atan2,
    clip,
    cos,
    exp,
    log,
    max,
    min,
    sign,
    sin,
    slope,
    sqrt,
    table,
    tan,
    tanh,
    where,
)

if TYPE_CHECKING:
    from . import free_body
    from .analysis.assemble import MassMatrix, assemble, inverse_kinematics, mass_matrix
    from .analysis.fit import Fit
    from .analysis.forward import forward_dynamics
    from .analysis.identify import identify
    from .analysis.impulses import ExtendedSystem, Impulses, extended_system, impulses
    from .analysis.inverse import inverse_dynamics
    from .analysis.jacobians import Jacobian, jacobian
    from .analysis.linear_model import LinearModel
    from .analysis.linearize import linearize
    from .analysis.measured import Measured
    from .analysis.trim import trim
    from .elastic.beam import beam
    from .elastic.frames import Node as ElasticNode
    from .elastic.modes import Modes
    from .elastic.sections import Rectangle, Section, Tube
    from .fmi.export import export
    from .importing.imported import Imported
    from .importing.mjcf import from_mjcf
    from .importing.urdf import from_urdf
    from .run.batch import Batch
    from .run.results.batches import BatchResult
    from .run.results.results import Result
    from .run.showing import show
    from .run.sweeps.results import SweepResult, SweepRuns, read_sweep
    from .run.sweeps.sweep import sweep

__version__ = "0.1.0"

#: Where that lies; a module where no name stands behind the colon.
LATER = {
    "assemble": "analysis.assemble:assemble",
    "beam": "elastic.beam:beam",
    "Batch": "run.batch:Batch",
    "BatchResult": "run.results.batches:BatchResult",
    "ElasticNode": "elastic.frames:Node",
    "ExtendedSystem": "analysis.impulses:ExtendedSystem",
    "Fit": "analysis.fit:Fit",
    "Jacobian": "analysis.jacobians:Jacobian",
    "LinearModel": "analysis.linear_model:LinearModel",
    "Measured": "analysis.measured:Measured",
    "MassMatrix": "analysis.assemble:MassMatrix",
    "Imported": "importing.imported:Imported",
    "Impulses": "analysis.impulses:Impulses",
    "Modes": "elastic.modes:Modes",
    "Rectangle": "elastic.sections:Rectangle",
    "Result": "run.results.results:Result",
    "Section": "elastic.sections:Section",
    "SweepResult": "run.sweeps.results:SweepResult",
    "SweepRuns": "run.sweeps.results:SweepRuns",
    "Tube": "elastic.sections:Tube",
    "export": "fmi.export:export",
    "extended_system": "analysis.impulses:extended_system",
    "from_mjcf": "importing.mjcf:from_mjcf",
    "from_urdf": "importing.urdf:from_urdf",
    "forward_dynamics": "analysis.forward:forward_dynamics",
    "free_body": "free_body:",
    "identify": "analysis.identify:identify",
    "impulses": "analysis.impulses:impulses",
    "inverse_dynamics": "analysis.inverse:inverse_dynamics",
    "inverse_kinematics": "analysis.assemble:inverse_kinematics",
    "jacobian": "analysis.jacobians:jacobian",
    "linearize": "analysis.linearize:linearize",
    "mass_matrix": "analysis.assemble:mass_matrix",
    "read_sweep": "run.sweeps.results:read_sweep",
    "show": "run.showing:show",
    "sweep": "run.sweeps.sweep:sweep",
    "trim": "analysis.trim:trim",
}


#: Classes that users call: they say clearly what they don't take.
for _called in (
    Box, Capsule, Circle, Compound, CurveOnCurve, CustomJoint, Cylinder, Cylindrical, Distance, Ellipse, Free,
    KnifeEdge, Line, Mesh, Model, OnCurve, OnLine, OnPlane, Planar, PointGravity, Polar, Pose, Prismatic, Revolute,
    Ring, Rolling, Screw, Sphere, Spherical, Spline, Universal, Weld,
):  # fmt: skip
    _classes_with_clear_errors(_called)


def __getattr__(name: str) -> Any:
    """What stands in `LATER`."""
    if name not in LATER:
        said = "" if name.startswith("_") else _did_you_mean(name, [x for x in __dir__() if not x.startswith("_")])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{said}")
    from importlib import import_module

    module, _, inside = LATER[name].partition(":")
    found = import_module(f".{module}", __name__)
    globals()[name] = found = getattr(found, inside) if inside else found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *LATER})
