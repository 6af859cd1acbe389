"""Multibody mechanisms in Poisson impulses: fast kernels, FMUs, co-simulation.

Names in `LATER` are imported at their first use, since few processes need all of them.
"""

from types import FunctionType as _Function
from typing import TYPE_CHECKING, Any

from .infrastructure.disk.sources import (
    LOADED as _LOADED,  # imported first: it is the time at which the package is loaded
)
from .infrastructure.errors import ArgumentError, CallError, ModelError
from .infrastructure.messages.calls import add_clear_errors as _add_clear_errors
from .infrastructure.messages.calls import with_clear_errors as _function_with_clear_errors
from .infrastructure.messages.suggestions import FACE as _FACE
from .infrastructure.messages.suggestions import FUNCTION as _FUNCTION
from .infrastructure.messages.suggestions import METHOD as _METHOD
from .infrastructure.messages.suggestions import did_you_mean as _did_you_mean
from .infrastructure.version import VERSION as _VERSION
from .model.bodies.shapes import Box, Capsule, Cylinder, Ellipsoid, Line, Mesh, Ring, Shape, Sphere
from .model.bodies.solids import Solid, box, cylinder, rod, sphere
from .model.closures import CurveOnCurve, Distance, KnifeEdge, OnCurve, OnLine, OnPlane, Rolling
from .model.closures.plane_curves import Circle, Curve, Ellipse, Flat, Polar, Spline
from .model.forces import PointGravity
from .model.forces.contact_shapes import Plane, Points
from .model.forces.impedance import Impedance
from .model.geometry.poses import Pose
from .model.geometry.rotations import axis_angle, rpy
from .model.geometry.vectors import Vector
from .model.items import Body
from .model.joints import (
    Compound,
    ConstantVelocity,
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
from .model.measures.along import along
from .model.measures.deformations import deformation, modal, modal_rate, section_forces, stress, von_mises
from .model.measures.forces import (
    applied,
    contact_force,
    contact_point,
    gap,
    penetration,
    power,
    slip,
    strength,
    wheel,
)
from .model.measures.measures import (
    acceleration,
    angular_acceleration,
    angular_momentum,
    angular_velocity,
    center_of_mass,
    constraint_mode,
    coordinate,
    drive_force,
    energy,
    impulse,
    momentum,
    multiplier,
    orientation,
    pose,
    position,
    rate,
    reaction,
    relative_angular_velocity,
    relative_orientation,
    relative_position,
    relative_velocity,
    residual,
    signal,
    time,
    twist,
    velocity,
)
from .model.model import Model
from .model.roads import Cams, CurvedGrid, HeightField, Profile
from .model.tables import Table
from .model.tyres.tyre import Tyre
from .run.errors import Interrupted, SimulationError
from .run.simulate import simulate
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
    mod,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    where,
)
from .symbolic.surfaces import curve
from .symbolic.tables import slope, table

if TYPE_CHECKING:
    from .analysis import free_body
    from .analysis.array_functions import Derivatives
    from .analysis.assemble import MassMatrix, assemble, inverse_kinematics, mass_matrix
    from .analysis.event_rollout import rollout
    from .analysis.fit import Fit
    from .analysis.forward import forward_dynamics
    from .analysis.identify import identify
    from .analysis.impulses import ExtendedSystem, PoissonImpulses, extended_system, poisson_impulses
    from .analysis.inverse import inverse_dynamics
    from .analysis.jacobians import Jacobian, jacobian
    from .analysis.jax_functions.bridge import JaxFunction, to_jax
    from .analysis.linear.campbell import Campbell, campbell
    from .analysis.linear.floquet import Floquet, floquet
    from .analysis.linear.linear_model import LinearModel
    from .analysis.linear.linearize import linearize
    from .analysis.linear.trim import trim
    from .analysis.measured import Measured
    from .analysis.ode import Ode, StepMap, ode
    from .analysis.rollout import Gradient, Rollout, Trajectory
    from .analysis.symbolic_equations.equations import Equations, HamiltonForm, equations
    from .cosimulation.beside import Fmu
    from .cosimulation.system import System
    from .elastic import fe
    from .elastic.beam import beam
    from .elastic.frames import Node as ElasticNode
    from .elastic.modes import Modes
    from .elastic.plate import plate
    from .elastic.sections import Rectangle, Section, Tube
    from .firmware.export import export_c
    from .fmi.about import About
    from .fmi.export import export
    from .importing.contacts.options import FileContacts
    from .importing.doctor.check import check_robot
    from .importing.doctor.findings import Finding, Report
    from .importing.imported import Imported
    from .importing.mjcf import from_mjcf
    from .importing.sdf import from_sdf
    from .importing.urdf import from_urdf
    from .model.builders.hydraulics import HydraulicCylinder
    from .model.knuckle_curves import KnuckleCurves
    from .modelica.export import export_modelica
    from .pages.living import live
    from .pages.mode_pages import show_mode
    from .pages.showing import show
    from .parts.belts import Belt, Pulley, belt
    from .parts.chains import Chain, Sprocket, chain
    from .parts.journal_bearings import JournalBearing, journal_bearing
    from .parts.linear_bearings import linear_bearing
    from .parts.mesh_stiffness import MeshStiffness, mesh_stiffness
    from .parts.rolling_bearings import Balls, Rollers, RollingBearing, rolling_bearing
    from .parts.torque_converter import TorqueConverter, torque_converter
    from .run.batches.batch import Batch
    from .run.results.batches import BatchResult
    from .run.results.results import Result
    from .run.stepwise import gym
    from .run.stepwise.stepper import Stepper
    from .run.sweeps.results import SweepResult, SweepRuns, read_sweep
    from .run.sweeps.sweep import sweep

__version__ = _VERSION

#: The public names.
__all__ = [
    "About", "ArgumentError", "Balls", "Batch", "BatchResult", "Belt", "Body", "Box", "CallError", "Campbell",
    "Cams", "Capsule", "Chain", "Circle", "Compound", "ConstantVelocity", "Curve", "CurveOnCurve", "CurvedGrid",
    "CustomJoint",
    "Cylinder", "Cylindrical", "Derivatives", "Distance", "ElasticNode", "Ellipse", "Ellipsoid", "Equations",
    "Expression", "ExtendedSystem", "FileContacts", "Finding", "Fit", "Flat", "Floquet", "Fmu", "Free", "Gradient",
    "HamiltonForm", "HeightField", "HydraulicCylinder", "Impedance", "Imported", "Interrupted", "Jacobian",
    "JaxFunction", "Joint", "JournalBearing", "KnifeEdge", "KnuckleCurves", "Line", "LinearModel", "MassMatrix",
    "Measured", "Mesh",
    "MeshStiffness", "Model", "ModelError", "Modes", "Ode", "OnCurve", "OnLine", "OnPlane", "OpenLoops", "Planar",
    "Plane", "PointGravity", "Points", "PoissonImpulses", "Polar", "Pose", "Prismatic", "Profile", "Pulley",
    "Rectangle", "Report", "Result", "Revolute", "Ring", "Rollers", "Rolling", "RollingBearing", "Rollout", "Screw",
    "Section", "Shape", "SimulationError", "Solid", "Sphere", "Spherical", "Spline", "Sprocket", "StepMap",
    "Stepper", "SweepResult", "SweepRuns", "System", "Table", "TorqueConverter", "Trajectory", "Tube", "Tyre",
    "Universal", "Vector", "Weld", "abs", "acceleration", "acos", "along", "angular_acceleration", "angular_momentum",
    "angular_velocity", "applied", "asin", "assemble", "atan", "atan2", "axis_angle", "beam", "belt", "box",
    "campbell", "center_of_mass", "chain", "check_robot", "clip", "constraint_mode", "contact_force",
    "contact_point", "coordinate", "cos", "curve", "cylinder", "deformation", "drive_force", "energy", "equations",
    "exp", "export", "export_c", "export_modelica", "extended_system", "fe", "floquet", "forward_dynamics", "free_body",
    "from_mjcf", "from_sdf", "from_urdf", "gap", "gym", "identify", "impulse", "inverse_dynamics",
    "inverse_kinematics", "jacobian", "journal_bearing", "linear_bearing", "linearize", "live", "log",
    "mass_matrix", "max", "mesh_stiffness", "min", "mod", "modal", "modal_rate", "momentum", "multiplier", "ode",
    "orientation", "penetration", "plate", "poisson_impulses", "pose", "position", "power", "rate", "reaction",
    "read_sweep", "relative_angular_velocity", "relative_orientation", "relative_position", "relative_velocity",
    "residual", "rod", "rolling_bearing", "rollout", "rpy", "section_forces", "show", "show_mode", "sign", "signal",
    "simulate", "sin", "slide", "slip", "slope", "sphere", "sqrt", "strength", "stress", "sweep", "table", "tan",
    "tanh", "time", "to_casadi", "to_jax", "torque_converter", "trim", "turn", "twist", "velocity", "von_mises",
    "wheel", "where",
]  # fmt: skip

_FACE[_FUNCTION] = __all__
_FACE[_METHOD] = [_name for _name in dir(Model) if not _name.startswith("_")]

#: Module and attribute of each name that is imported at its first use; without an attribute the module itself.
LATER = {
    "About": "fmi.about:About",
    "assemble": "analysis.assemble:assemble",
    "beam": "elastic.beam:beam",
    "Balls": "parts.rolling_bearings:Balls",
    "Belt": "parts.belts:Belt",
    "Chain": "parts.chains:Chain",
    "Pulley": "parts.belts:Pulley",
    "Sprocket": "parts.chains:Sprocket",
    "belt": "parts.belts:belt",
    "chain": "parts.chains:chain",
    "Batch": "run.batches.batch:Batch",
    "BatchResult": "run.results.batches:BatchResult",
    "Derivatives": "analysis.array_functions:Derivatives",
    "ElasticNode": "elastic.frames:Node",
    "ExtendedSystem": "analysis.impulses:ExtendedSystem",
    "Finding": "importing.doctor.findings:Finding",
    "Fit": "analysis.fit:Fit",
    "Jacobian": "analysis.jacobians:Jacobian",
    "JournalBearing": "parts.journal_bearings:JournalBearing",
    "JaxFunction": "analysis.jax_functions.bridge:JaxFunction",
    "LinearModel": "analysis.linear.linear_model:LinearModel",
    "Measured": "analysis.measured:Measured",
    "MassMatrix": "analysis.assemble:MassMatrix",
    "MeshStiffness": "parts.mesh_stiffness:MeshStiffness",
    "KnuckleCurves": "model.knuckle_curves:KnuckleCurves",
    "mesh_stiffness": "parts.mesh_stiffness:mesh_stiffness",
    "rollout": "analysis.event_rollout:rollout",
    "Gradient": "analysis.rollout:Gradient",
    "Rollout": "analysis.rollout:Rollout",
    "Trajectory": "analysis.rollout:Trajectory",
    "HydraulicCylinder": "model.builders.hydraulics:HydraulicCylinder",
    "FileContacts": "importing.contacts.options:FileContacts",
    "Imported": "importing.imported:Imported",
    "PoissonImpulses": "analysis.impulses:PoissonImpulses",
    "Modes": "elastic.modes:Modes",
    "Ode": "analysis.ode:Ode",
    "Rectangle": "elastic.sections:Rectangle",
    "Report": "importing.doctor.findings:Report",
    "Result": "run.results.results:Result",
    "Rollers": "parts.rolling_bearings:Rollers",
    "RollingBearing": "parts.rolling_bearings:RollingBearing",
    "Section": "elastic.sections:Section",
    "StepMap": "analysis.ode:StepMap",
    "Stepper": "run.stepwise.stepper:Stepper",
    "SweepResult": "run.sweeps.results:SweepResult",
    "SweepRuns": "run.sweeps.results:SweepRuns",
    "System": "cosimulation.system:System",
    "TorqueConverter": "parts.torque_converter:TorqueConverter",
    "Tube": "elastic.sections:Tube",
    "Equations": "analysis.symbolic_equations.equations:Equations",
    "HamiltonForm": "analysis.symbolic_equations.equations:HamiltonForm",
    "check_robot": "importing.doctor.check:check_robot",
    "equations": "analysis.symbolic_equations.equations:equations",
    "export": "fmi.export:export",
    "export_c": "firmware.export:export_c",
    "export_modelica": "modelica.export:export_modelica",
    "extended_system": "analysis.impulses:extended_system",
    "from_mjcf": "importing.mjcf:from_mjcf",
    "fe": "elastic.fe:",
    "from_sdf": "importing.sdf:from_sdf",
    "from_urdf": "importing.urdf:from_urdf",
    "forward_dynamics": "analysis.forward:forward_dynamics",
    "free_body": "analysis.free_body:",
    "gym": "run.stepwise.gym:",
    "identify": "analysis.identify:identify",
    "poisson_impulses": "analysis.impulses:poisson_impulses",
    "inverse_dynamics": "analysis.inverse:inverse_dynamics",
    "inverse_kinematics": "analysis.assemble:inverse_kinematics",
    "jacobian": "analysis.jacobians:jacobian",
    "journal_bearing": "parts.journal_bearings:journal_bearing",
    "linear_bearing": "parts.linear_bearings:linear_bearing",
    "rolling_bearing": "parts.rolling_bearings:rolling_bearing",
    "Campbell": "analysis.linear.campbell:Campbell",
    "campbell": "analysis.linear.campbell:campbell",
    "Fmu": "cosimulation.beside:Fmu",
    "Floquet": "analysis.linear.floquet:Floquet",
    "floquet": "analysis.linear.floquet:floquet",
    "linearize": "analysis.linear.linearize:linearize",
    "live": "pages.living:live",
    "plate": "elastic.plate:plate",
    "mass_matrix": "analysis.assemble:mass_matrix",
    "ode": "analysis.ode:ode",
    "OpenLoops": "analysis.casadi.multipliers:OpenLoops",
    "to_casadi": "analysis.casadi.convert:to_casadi",
    "read_sweep": "run.sweeps.results:read_sweep",
    "show": "pages.showing:show",
    "torque_converter": "parts.torque_converter:torque_converter",
    "show_mode": "pages.mode_pages:show_mode",
    "sweep": "run.sweeps.sweep:sweep",
    "to_jax": "analysis.jax_functions.bridge:to_jax",
    "trim": "analysis.linear.trim:trim",
}


def _with_clear_errors(thing: Any) -> Any:
    """Return a public class or function that raises CallError for arguments that it does not take.

    `Expression` stays unchecked: only operations create expressions, and checks would slow them down. Exceptions take
    the name of the package, which tracebacks show.
    """
    if isinstance(thing, type):
        if issubclass(thing, BaseException):
            thing.__module__ = __name__
        elif thing is not Expression:
            _add_clear_errors(thing)
    elif isinstance(thing, _Function) and not hasattr(thing, "__wrapped__"):
        thing = _function_with_clear_errors(thing)
        thing.__module__ = __name__  # pickle finds the function by this name
    return thing


for _name, _thing in list(globals().items()):
    if not _name.startswith("_") and getattr(_thing, "__module__", "").startswith(f"{__name__}."):
        globals()[_name] = _with_clear_errors(_thing)


def __getattr__(name: str) -> Any:
    """Import a name of `LATER`. Raises AttributeError for any other."""
    if name not in LATER:
        hint = "" if name.startswith("_") else _did_you_mean(name, __all__, {_METHOD: _FACE[_METHOD]})
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    from importlib import import_module

    path, _, attribute = LATER[name].partition(":")
    module = import_module(f".{path}", __name__)
    globals()[name] = thing = _with_clear_errors(getattr(module, attribute)) if attribute else module
    return thing


def __dir__() -> list[str]:
    """Public names, for completion and help."""
    return [*__all__, "__version__"]
