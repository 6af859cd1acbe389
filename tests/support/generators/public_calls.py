"""Calls of public functions and methods with valid arguments, for tests that replace one argument at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mbs_fmu as mbs
from support.generators.crg_files import CrgFile
from support.generators.invalid_values import odd_values
from support.generators.nastran_files import write_boom


class Call(NamedTuple):
    """A function with valid arguments by name. skip: kinds of odd values that are valid and take long."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    skip: tuple[str, ...] = ()


SHORT: dict[str, Any] = {"method": "rk4", "step": 0.05, "output_interval": 0.05}
LONG = ("large", "small", "inf", "huge")  #: kinds of numbers that are valid as a size and make a call long


def pendulum() -> mbs.Model:
    """A pendulum with an input that has a range, a parameter, a state, and outputs."""
    m = mbs.Model("pendulum")
    m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.motor("drive", on="arm", torque=m.input("torque", start=0.0, min=-5.0, max=5.0))
    m.spring("spring", on="arm", stiffness=m.parameter("c", 2.0), damping=1.0)
    m.state("s", rate=mbs.coordinate("arm"))
    m.output("x", mbs.coordinate("arm"))
    m.output("p", mbs.position("arm", (1, 0, 0)))
    return m


def hostile_values(m: mbs.Model) -> dict[str, Any]:
    """The odd values, and further ones: mappings with wrong keys and values, and arrays of other shapes."""
    return {
        **odd_values(m), "null": "a\0b", "number as key": {1: 2}, "none as key": {None: 1.0},
        "nan by name": {"c": float("nan")}, "unknown name": {"nobody": 1.0}, "text by name": {"c": "x"},
        "mapping by name": {"c": {}}, "seven": 7, "pairs": [("c", 1.0)], "no bytes": b"", "cube": np.zeros((1, 2, 3)),
        "many": np.zeros(1000), "unordered": {1.0, 2.0, 3.0},
    }  # fmt: skip


def public_calls(folder: Path) -> dict[str, Call]:
    """All calls by the names of functions and methods; files are in `folder`, which is the working directory."""
    m = pendulum()
    with_inputs = {"start": {}, "inputs": {}, "parameters": {}, "time": 0.0}
    result = mbs.simulate(m, 0.1, sensitivities=["c"], **SHORT)
    calls = {
        "assemble": Call(mbs.assemble, {"model": m, **with_inputs}),
        "mass_matrix": Call(mbs.mass_matrix, {"model": m, **with_inputs}),
        "inverse_kinematics": Call(
            mbs.inverse_kinematics,
            {"model": m, "body": "arm", "position": (1, 0, 0), "rotation": None, "point": (1, 0, 0), **with_inputs},
        ),
        "forward_dynamics": Call(mbs.forward_dynamics, {"model": m, "forces": {}, **with_inputs}),
        "inverse_dynamics": Call(
            mbs.inverse_dynamics,
            {"model": m, "q": {"arm": 0.0}, "u": {"arm": 0.0}, "u_dot": {"arm": 0.0}, "actuated": None, "time": 0.0,
             "parameters": {}, "inputs": {}},
        ),
        "jacobian": Call(mbs.jacobian, {"model": m, "body": "arm", "point": (0, 0, 0), "axes": "world", **with_inputs}),
        "poisson_impulses": Call(mbs.poisson_impulses, {"model": m, **with_inputs}),
        "equations": Call(mbs.equations, {"model": m, "limit": 5}),
        "extended_system": Call(mbs.extended_system, {"model": m, **with_inputs}),
        "linearize": Call(mbs.linearize, {"model": m, "independent": None, "at": None, "row": -1, **with_inputs}),
        "linearize at": Call(mbs.linearize, {"model": m, "at": result, "row": -1}),
        "trim": Call(
            mbs.trim, {"model": m, "free": None, "tolerance": 1e-11, "independent": None, "settle": 0.0, **with_inputs},
            LONG,
        ),
        "ode": Call(
            mbs.ode,
            {"model": m, "free": ["c"], "states": "velocities", "start": {}, "inputs": {}, "parameters": {},
             "independent": None},
        ),
        "identify": Call(
            mbs.identify,
            {"model": m, "data": result, "free": ["c"], "bounds": None, "guess": None, "columns": ["x"],
             "weights": None, "inputs": None, "parameters": None, "start": None, "method": "rk4", "step": 0.05},
        ),
        "simulate": Call(
            mbs.simulate, {"model": m, "stop_time": 0.1, "inputs": {}, "parameters": {}, "start": {}, **SHORT}, LONG
        ),
        "Batch": Call(
            lambda **given: mbs.simulate(m, 0.1, batch=mbs.Batch(**given), **SHORT),
            {"size": 2, "parameters": {}, "start": {}, "inputs": {}, "lanes": 1, "threads": 1},
        ),
        "Measured": Call(
            lambda **given: mbs.identify(m, [mbs.Measured(**given)], ["c"], columns=["x"], method="rk4", step=0.05),
            {"data": result, "inputs": {}, "parameters": {}, "start": {}, "weights": {}, "free": (),
             "start_time": None},
        ),
    }  # fmt: skip
    return {**calls, **_of_results(m, result), **_of_functions(m), **_of_parts(folder)}


def _of_results(m: mbs.Model, result: mbs.Result) -> dict[str, Call]:
    result.to_csv("run.csv")
    batch = mbs.simulate(m, 0.1, batch=mbs.Batch(size=2), **SHORT)
    varied: dict[str, Any] = {"parameters": {"c": [1.0, 2.0]}, **SHORT}
    runs = mbs.sweep(m, 0.1, folder="runs", **varied)
    kept = mbs.sweep(m, 0.1, folder="kept", keep=lambda chunk: {"x": chunk["x"][:, -1]}, **varied)
    drawn: dict[str, Any] = {"traces": (), "plots": None, "follow": None, "eye": None, "force_scale": None}
    calls = {
        "Result": Call(
            lambda **given: mbs.Result(**given).to_csv("made.csv"),
            {"name": "r", "columns": ["time", "x"], "data": np.zeros((2, 2)), "units": {}, "vectors": {}},
        ),
        "Result.column": Call(result.column, {"k": 0}),
        "Result.named": Call(result.named, {"name": "x"}),
        "Result[]": Call(result.__getitem__, {"name": "x"}),
        "Result.compare": Call(result.compare, {"other": result, "names": None}),
        "Result.plot": Call(
            lambda names, **given: result.plot(names, **given), {"names": "x", "x": "time", "path": None, "ax": None}
        ),
        "Result.plot y": Call(result.plot, {"x": "x", "y": "arm.w"}),
        "Result.read": Call(mbs.Result.read, {"path": "run.csv"}),
        "Result.recorded": Call(result.recorded, {"model": m, "parameters": None}),
        "Result.sensitivity": Call(result.sensitivity, {"name": "x", "by": "c"}),
        "Result.to_csv": Call(result.to_csv, {"path": "out.csv"}),
        "Result.to_npz": Call(result.to_npz, {"path": "out.npz"}),
        "Result.to_gltf": Call(result.to_gltf, {"path": "out.glb"}),
        "Result.animate": Call(result.animate, drawn),
        "show": Call(mbs.show, {"model": m, "result": result, **drawn}),
        "show at start": Call(mbs.show, {"model": m, "parameters": None, "start": None}),
        "BatchResult[]": Call(batch.__getitem__, {"which": 0}),
        "BatchResult.column": Call(batch.column, {"k": 0}),
        "BatchResult.table": Call(batch.table, {"member": 0}),
        "BatchResult.read": Call(mbs.BatchResult.read, {"path": "runs.npz"}),
        "SweepRuns[]": Call(runs.__getitem__, {"which": 0}),
        "SweepRuns.column": Call(runs.column, {"k": 0}),
        "SweepRuns.table": Call(runs.table, {"member": 0}),
        "SweepRuns.array": Call(runs.array, {"name": "x"}),
        "SweepRuns.which": Call(runs.which, {"member": 0}),
        "SweepResult[]": Call(kept.__getitem__, {"name": "x"}),
        "SweepResult.array": Call(kept.array, {"name": "x"}),
        "SweepResult.which": Call(kept.which, {"member": 0}),
        "read_sweep": Call(mbs.read_sweep, {"folder": "runs"}),
    }
    batch.to_npz("runs.npz")
    return calls


def _of_functions(m: mbs.Model) -> dict[str, Call]:
    f = mbs.ode(m, ["c"])
    step, rollout = f.step(0.01), f.rollout(0.01, 2)
    numbers: dict[str, Any] = {"t": 0.0, "x": [0.0, 0.0, 0.0], "u": [0.0], "p": [2.0]}
    stepper = mbs.Stepper(m, 2, 0.1, lanes=1)
    linear, diagram = mbs.linearize(m), mbs.campbell(m, "arm.w", [0.0, 1.0])
    stepped = {"step": 0.1, "steps": 1, "method": "rk4"}
    calls = {
        f"{name}{word}": Call(function, numbers)
        for name, made in (("Ode", f), ("StepMap", step))
        for word, function in (("()", made), (".jacobian", made.jacobian), (".jacobians", made.jacobians),
                               (".outputs_at", made.outputs_at))
    }  # fmt: skip
    return {
        **calls,
        "Ode.step": Call(f.step, stepped),
        "Ode.rollout": Call(f.rollout, stepped),
        "Rollout()": Call(rollout, numbers),
        "Rollout.vjp": Call(rollout.vjp, numbers),
        "Rollout.gradient": Call(rollout.gradient, {"of": "x", **numbers}),
        "pullback": Call(rollout.vjp()[1], {"x": None, "y": None}),
        "Stepper": Call(
            mbs.Stepper,
            {"model": m, "size": 2, "interval": 0.1, "step": 0.1, "threads": 1, "method": "rk4", "start": {},
             "inputs": {}, "parameters": {}, "lanes": 1}, (*LONG, "int scalar"),
        ),
        "Stepper.advance": Call(stepper.advance, {"actions": None}),
        "Stepper.columns": Call(stepper.columns, {"names": ["x"]}),
        "Stepper.values": Call(stepper.values, {"names": ["x"]}),
        "Stepper.fault": Call(stepper.fault, {"member": 0}),
        "Stepper.read": Call(stepper.read, {"view": stepper.q, "out": None}),
        "Stepper.reset": Call(stepper.reset, {"mask": None, "start": None, "parameters": None}),
        "LinearModel.shape": Call(linear.shape, {"vector": np.zeros(len(linear.states))}),
        "LinearModel.save": Call(linear.save, {"path": "linear.npz"}),
        "LinearModel.animate": Call(
            linear.animate,
            {"mode": 1, "amplitude": None, "traces": (), "plots": (), "follow": None, "eye": None},
        ),
        "LinearModel.bode": Call(
            linear.bode,
            {"inputs": None, "outputs": None, "frequencies": [1.0, 2.0], "unit": "Hz", "path": None, "ax": None},
        ),
        "LinearModel.frequency_response": Call(linear.frequency_response, {"frequencies": [1.0], "unit": "Hz"}),
        "campbell": Call(
            mbs.campbell,
            {"model": m, "speed": "c", "values": [1.0, 2.0], "free": None, "start": {}, "inputs": {},
             "parameters": {}, "time": 0.0},
            LONG,
        ),
        "Campbell.critical": Call(diagram.critical, {"order": 1.0}),
        "Campbell.plot": Call(diagram.plot, {"orders": (1.0,), "path": None, "ax": None}),
    }  # fmt: skip


def _of_parts(folder: Path) -> dict[str, Call]:
    return {**_of_roads(folder), **_of_elastic_bodies(), **_of_files()}


def _of_roads(folder: Path) -> dict[str, Call]:
    tyre = mbs.Tyre.brush(radius=0.3, stiffness=1e4, load=1e3, slip_stiffness=1e4, friction=0.9)
    profile = mbs.Profile((0, 1, 2), (0, 1, 0))
    field = mbs.HeightField((0, 1), (0, 1), ((0, 1), (1, 2)))
    curved = mbs.CurvedGrid((0, 1), (-1, 1), ((0, 1), (1, 2)), (0, 1), (0, 0))
    solid = mbs.box(1, 1, 1, mass=1.0)
    rough = {
        "length": 10.0, "seed": 7, "Gd": None, "waviness": 2.0, "band": (1.0, 10.0), "spacing": 0.25, "at": (0, 0, 0),
    }  # fmt: skip
    (folder / "road.rdf").write_text("[MODEL]\nROAD_TYPE = 'flat'\n")
    (folder / "profile.csv").write_text("0,0\n1,1\n2,0\n")
    straight = CrgFile({"REFERENCE_LINE_INCREMENT": 1.0}, [(f"long section {k},m", np.zeros(3)) for k in (1, 2)])
    straight.write(folder / "lane.crg", "LRFI")
    (folder / "field.csv").write_text("0,0,0\n0,1,1\n1,0,1\n1,1,2\n")
    return {
        "Tyre.forces": Call(
            tyre.forces,
            {"fz": 1e3, "kappa": 0.1, "alpha": 0.0, "gamma": 0.0, "pressure": None, "speed": None},
        ),
        "Tyre.loaded_radius": Call(tyre.loaded_radius, {"fz": 1e3}),
        "Tyre.effective_radius": Call(tyre.effective_radius, {"fz": 1e3}),
        "Cams": Call(mbs.Cams, {"length": 0.4, "height": 0.3, "order": 1.5, "distance": 0.1, "width": 0.0}),
        "Tyre.on": Call(tyre.on, {"side": "left"}),
        "Tyre.from_tir": Call(mbs.Tyre.from_tir, {"path": "absent.tir", "side": None, "changes": None}),
        "Profile.height": Call(profile.height, {"x": 0.0, "y": 0.0}),
        "Profile.normal": Call(profile.normal, {"x": 0.0, "y": 0.0}),
        "Profile.enveloped": Call(profile.enveloped, {"cams": mbs.Cams(0.4, 0.3, 1.5, 0.1)}),
        "Profile.from_csv": Call(mbs.Profile.from_csv, {"path": "profile.csv", "at": (0, 0, 0)}),
        "Profile.from_rdf": Call(mbs.Profile.from_rdf, {"path": "road.rdf", "side": "left", "at": (0, 0, 0)}),
        "Profile.rough": Call(mbs.Profile.rough, {"roughness": "A", **rough}),
        "HeightField.rough": Call(mbs.HeightField.rough, {"roughness": None, "track": 1.5, **rough, "Gd": 16e-6}),
        "CurvedGrid.from_crg": Call(
            mbs.CurvedGrid.from_crg, {"path": "lane.crg", "band": None, "at": (0, 0, 0), "follow": True}
        ),
        "CurvedGrid.height": Call(curved.height, {"x": 0.0, "y": 0.0}),
        "CurvedGrid.normal": Call(curved.normal, {"u": 0.0, "v": 0.0}),
        "CurvedGrid.xy": Call(curved.xy, {"u": 0.0, "v": 0.0}),
        "HeightField.height": Call(field.height, {"x": 0.0, "y": 0.0}),
        "HeightField.normal": Call(field.normal, {"x": 0.0, "y": 0.0}),
        "HeightField.refined": Call(field.refined, {"parts": 1}, ("seven",)),
        "HeightField.from_csv": Call(mbs.HeightField.from_csv, {"path": "field.csv", "at": (0, 0, 0)}),
        "Solid[]": Call(solid.__getitem__, {"argument": "mass"}),
    }


def _of_elastic_bodies() -> dict[str, Call]:
    rod = mbs.beam(0.1, mbs.Rectangle(0.02, 0.01), E=2e11, density=7800.0, modes=2, along="z")
    rod.save("rod.npz")
    write_boom(Path())
    first, last = next(iter(rod.nodes)), list(rod.nodes)[-1]
    return {
        "Modes.node": Call(rod.node, {"name": last}),
        "Modes.keep": Call(rod.keep, {"count": 1, "below": None, "held": None}),
        "Modes.compliance": Call(rod.compliance, {"node": last, "root": first}),
        "Modes.effective_mass": Call(rod.effective_mass, {"node": first}),
        "Modes.held": Call(rod.held, {"node": first}),
        "Modes.damping_ratios": Call(rod.damping_ratios, {"held": None}),
        "Modes.with_damping": Call(rod.with_damping, {"ratio": 0.1, "held": None}),
        "Modes.combined": Call(rod.combined, {"V": np.eye(2)}),
        "Modes.save": Call(rod.save, {"path": "saved.npz"}),
        "Modes.load": Call(mbs.Modes.load, {"path": "rod.npz"}),
        "fe.nastran": Call(
            mbs.fe.nastran,
            {"op4": "full.op4", "asm": "full.asm", "dmig": None, "K": "kxx", "M": None, "damping": None,
             "units": "mm,t,s"},
        ),
        "Modes.sid": Call(mbs.Modes.sid, {"path": "absent.sid"}),
        "beam": Call(
            mbs.beam,
            {"length": 0.1, "section": mbs.Rectangle(0.02, 0.01), "E": 2e11, "density": 7800.0, "modes": 5,
             "nodes": None, "G": 8e10, "along": "yzt", "shear": False, "damping": 0.01, "elements": 5, "loads": None},
        ),
        "plate": Call(
            mbs.plate,
            {"a": 1.0, "b": 1.0, "thickness": 0.01, "E": 2e11, "nu": 0.3, "density": 7800.0, "frames": None,
             "elements": (2, 2), "modes": 2, "root": None, "couple": "rigid", "geometric": False, "loads": None,
             "rayleigh": (0.0, 0.0)},
        ),
        "Rectangle": Call(lambda **given: mbs.Rectangle(**given).at(0.1), {"y": 0.1, "z": 0.1}),
        "Tube": Call(lambda **given: mbs.Tube(**given).at(0.1), {"diameter": 0.1, "thickness": 0.01}),
        "Section": Call(
            lambda **given: mbs.Section(**given).at(0.1),
            {"A": 1.0, "Iy": 1.0, "Iz": 1.0, "It": 1.0, "ky": None, "kz": None},
        ),
    }  # fmt: skip


def _of_files() -> dict[str, Call]:
    return {
        "About": Call(
            lambda **given: mbs.About(**given).attributes(),
            {"author": "a", "version": "1", "copyright": "c", "license": "l", "license_file": None},
        ),
        "from_urdf": Call(
            mbs.from_urdf,
            {"path": "absent.urdf", "name": None, "base": mbs.Weld(), "packages": None, "efforts": False,
             "stops": None, "dynamics": True, "unphysical": "refuse", "massless": "refuse",
             "closures": (), "joints": None},
        ),
        "from_sdf": Call(
            mbs.from_sdf,
            {"path": "absent.sdf", "model": None, "name": None, "base": mbs.Free(), "packages": None, "cut": (),
             "efforts": False, "stops": None, "dynamics": True, "unphysical": "refuse", "massless": "refuse"},
        ),
    }  # fmt: skip
