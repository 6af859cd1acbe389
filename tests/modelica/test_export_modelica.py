"""Text in Modelica: names, units, refusals, and the numbers of `simulate` when rumoca runs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.analysis.pieces import PIECES, pieces
from mbs_fmu.compile.requests import OF_BALANCE
from mbs_fmu.model.model import Model
from mbs_fmu.model.references.leaves import Residual
from mbs_fmu.modelica import equations as limits
from mbs_fmu.modelica.equations import STABILIZATION, Equations, equations_of
from mbs_fmu.modelica.names import IDENTIFIER, RESERVED, identifiers, quoted, unit_text
from mbs_fmu.symbolic.expressions import Expression
from mbs_fmu.symbolic.graph import apply, combined, leaves
from models.four_bar import four_bar
from models.governor import governor
from support.cases import Case, each, tiers
from support.generators.loops import LOOP_COMPANIONS, loops_of
from support.generators.mechanisms import JOINTS
from support.generators.trees import add_forces, add_sensors, moving_tree, parametric_chain
from support.hosts.modelica import alone, assert_agree, columns_of, compiled, run
from support.models.bundled import builders, built

PLAIN = pytest.mark.usefixtures("in_plain_python")


def text_of(m: Model, folder: Path, name: str = "M", **options: list[str]) -> str:
    return mbs.export_modelica(m, folder / f"{name}.mo", **options).read_text(encoding="utf-8")


# -- names, units and texts ------------------------------------------------------------------------------------------
@pytest.mark.quick
def test_identifiers_are_unique_and_no_keywords() -> None:
    """Whatever names variables have: brackets, dots, keywords, names of functions, and names that become equal."""
    names = [
        "arm.q[1]",
        "arm_q_1",
        "arm.q_1",
        "der",
        "end",
        "sin",
        "time",
        "a.der",
        "model",
        "Real",
        "x",
        "x_",
        "Modelica",
    ]
    made = identifiers(names, taken=["x"])
    assert len({*made.values()}) == len(names) and made["arm.q[1]"] == "arm_q_1" and made["x"] == "x_2"
    for name in made.values():
        assert IDENTIFIER.fullmatch(name) and name not in RESERVED, name


@pytest.mark.quick
def test_units_and_strings_follow_the_grammar() -> None:
    """A unit has one slash, with its divisors in parentheses; strings are on one line, with quotes escaped."""
    units = {"J/kg/K": "J/(kg.K)", "N.m.s/rad": "N.m.s/rad", "1": "1", "%": None, None: None, "rev/min": "rev/min"}
    assert {unit: unit_text(unit) for unit in units} == units
    assert quoted('a "b" \\ c\nd') == '"a \\"b\\" \\\\ c d"'


def cart() -> Model:
    """A mass on a spring with a flange, hostile names and texts, and laws of all kinds."""
    m = Model("cart", description='The "cart"')
    c, heat = m.parameter("c", 50.0, unit="N/m", min=0.0), m.parameter("end", 2.0, unit="J/kg/K")
    share = m.parameter("share", 30.0, unit="%", description="part")
    push = m.input("input", unit="N", start=1.5, description="force \\ on it")
    b = m.body("b", joint=mbs.Prismatic("x"), mass=2.0)
    m.spring("spring", on=b, stiffness=c, damping=0.5)
    x, v = mbs.coordinate(b), mbs.rate(b)
    y = m.state("y", lambda y: x - y, unit="m", start=0.3)
    m.motor("motor", on=b, force=push * share / 100 - mbs.where(x < 0.1, 0.2 * heat, 1.0) * mbs.mod(x, 0.07))
    knots = (0.0, 0.1, 0.3, 0.6), (0.0, 0.5, 0.2, 0.9)
    m.output("table", mbs.table(x, *knots) - mbs.slope(y, *knots) + mbs.abs(v) ** 1.5)
    m.output("turns", mbs.table(x, (0.0, 0.1, 0.3), (0.0, 1.0, 0.0), period=0.3))
    m.output("curve", mbs.curve(y, (0.0, 0.2, 0.4, 0.7), (0.0, 0.5, 0.1, 0.4)))
    m.output("time_", mbs.time**2)
    m.flange("f", on=b, description="where it is pushed")
    m.start(b, q=0.25, u=-0.4)
    return m


@PLAIN
@pytest.mark.quick
def test_text_has_connectors_parameters_and_start_values(tmp_path: Path) -> None:
    """With units, bounds, descriptions and exact numbers; a state's velocity is an equation of its own."""
    text = text_of(cart(), tmp_path, "Cart")
    for line in (
        'model Cart "The \\"cart\\""',
        'Modelica.Mechanics.Translational.Interfaces.Flange_a f "where it is pushed";',
        'Modelica.Blocks.Interfaces.RealInput input_(unit="N", start=1.5) "force \\\\ on it";',
        'parameter Real c(unit="N/m", min=0.0) = 50.0;',
        'parameter Real end_(unit="J/(kg.K)") = 2.0;',
        'parameter Real share = 30.0 "part (%)";',
        'Real b_v(unit="m/s", start=-0.4, fixed=true)',
        "der(b_s) = b_v;",
        "f.s = b_s;",
        "end Cart;",
    ):
        assert line in text, f"{line} is missing in\n{text}"
    assert len(text_of(cart(), tmp_path, "Less", parameters=[], outputs=["curve"])) < len(text)


@PLAIN
@pytest.mark.quick
def test_flanges_of_included_models(tmp_path: Path) -> None:
    """Connectors too, unless the model that includes the other gives the torque itself."""
    free, connected = Model("outer"), Model("outer")
    free.include(cart(), "a")
    connected.include(cart(), "a", inputs={"f.f": 1.0})
    assert "Interfaces.Flange_a a_f " in text_of(free, tmp_path)
    text = text_of(connected, tmp_path)
    assert "Flange" not in text and 'RealOutput a_f_s(unit="m")' in text


def values(made: Equations, formulas: Sequence[Expression], symbols: Sequence[float]) -> list[float]:
    """Numbers of formulas, also of tables and splines, for numbers of the symbols."""

    def value(node: Expression, operands: list[float]) -> float:
        if node.op not in PIECES:
            return apply(node, operands, symbols.__getitem__)
        start, *numbers = node.value
        table, (x,) = pieces(node.op, made.R, start.offset, *numbers), operands
        if table.turn is not None:
            x = table.turn[0] + (x - table.turn[0]) % table.turn[1]
        k = int(np.searchsorted(table.knots, x, side="right"))
        return sum(float(power[k]) * (x - table.origins[k]) ** n for n, power in enumerate(table.powers))

    return combined(formulas, value)


@PLAIN
@each(JOINTS, rounds=1, usual=2)
def test_formulas_have_the_numbers_of_ode(case: Case) -> None:
    """Rates, outputs and start values, also for other parameters, states and times; lengths of quaternions are one."""
    m = moving_tree(case, 3)
    add_forces(m, np.random.default_rng(case.seed))
    add_sensors(m, list(m.bodies.values())[-1])
    f, made = mbs.ode(m, ["gain"]), equations_of(m, ["gain"], None)
    p = 1.1 * f.p0
    got = values(made, [*made.rates, *made.outputs], [0.3, *f.x0, *f.u0, *p])
    expected = np.concatenate([f(0.3, f.x0, f.u0, p), f.outputs_at(0.3, f.x0, f.u0, p)])
    bound = 1e-12 * max(1.0, float(np.abs(expected).max()))
    for name, a, b in zip([*f.states, *f.outputs], got, expected, strict=True):
        assert abs(a - b) <= bound, f"{name} is {a!r} instead of {b!r}"
    assert made.start.tolist() == [0.0, *f.x0, *f.u0, *f.p0]


def solved(made: Equations) -> list[float]:
    """Rates of the states at the start, with the multipliers for which the conditions are zero."""
    count, given = len(made.rows), made.start.tolist()

    def conditions(multipliers: np.ndarray) -> np.ndarray:
        return np.array(values(made, made.conditions, [*given, *multipliers]))

    rest = conditions(np.zeros(count))
    A = np.array([conditions(row) - rest for row in np.eye(count)]).T
    return values(made, made.rates, [*given, *np.linalg.solve(A, -rest)])


@PLAIN
@each(LOOP_COMPANIONS, rounds=1, usual=1)
def test_multipliers_give_the_accelerations_of_closed_loops(case: Case) -> None:
    """At the start, where loops are closed, those of `forward_dynamics`."""
    m = loops_of(case, 3)
    made, expected = equations_of(m, [], []), mbs.forward_dynamics(m)
    got = dict(zip(made.names.states, solved(made), strict=True))
    bound = 1e-7 * max(1.0, *map(abs, expected.values()))  # gaps up to 1e-10 m, times the square of the rate, 100 1/s2
    for name, wanted in expected.items():
        assert abs(got[name] - wanted) <= bound, f"rate of {name} is {got[name]!r} instead of {wanted!r}"
    assert STABILIZATION == 10.0


# -- refusals ----------------------------------------------------------------------------------------------------------
def sampled() -> Model:
    m = Model("m")
    m.sampled("z", 0.1, lambda z: z + 1.0)
    return m


def resetting() -> Model:
    m = Model("m")
    y = m.state("y", lambda y: -y, start=1.0)
    m.event("strike", y - 0.5, reset={"y": 1.0})
    return m


def sliding(**options: object) -> Model:
    m = Model("m")
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.friction("brake", on=b, force=1.0, **options)
    return m


def driven() -> Model:
    m = Model("m")
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.drive("ram", on=b, position=m.input("length", unit="m"), rate=m.input("speed", unit="m/s"))
    m.body("c", b, joint=mbs.Revolute("z"), **mbs.rod((1, 0, 0), mass=1.0))
    return m


def on_bumps() -> Model:
    m = Model("m")
    b = m.body("b", joint=mbs.Prismatic("z"), mass=1.0)
    x = np.linspace(0.0, 1.0, 4)
    m.contact(
        "ground", "world", b, shape_a=mbs.HeightField(x, x, np.zeros((4, 4))), shape_b=mbs.Sphere(0.1), stiffness=1e4
    )
    return m


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (sampled, "signal 'z' is sampled: Modelica text has no events: export an FMU"),
        (resetting, "event 'strike' resets states: Modelica text has no events: export an FMU"),
        (lambda: sliding(stick=True, static=1.2), "'brake' switches modes: Modelica text has no events: export an FMU"),
        (driven, "drive 'ram' follows input 'length'"),
        pytest.param(on_bumps, "contact 'ground' searches in a height field", marks=pytest.mark.usual),
        pytest.param(four_bar, "output 'force' of model 'four_bar' reads reaction(pin)", marks=pytest.mark.usual),
    ],
)
def test_models_without_equations_are_refused_by_name(make: Callable[[], Model], message: str, tmp_path: Path) -> None:
    """The thing, the reason and the remedy; the file that was there stays."""
    path = tmp_path / "M.mo"
    path.write_text("old")
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        mbs.export_modelica(make(), path)
    assert path.read_text() == "old" and [x.name for x in tmp_path.iterdir()] == ["M.mo"]


@PLAIN
@pytest.mark.quick
def test_large_texts_and_wrong_arguments_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More operations than compilers read; files that name no model; unknown parameters and outputs."""
    for path, message in (
        ("M.txt", "must end in .mo"), ("my-model.mo", "my-model is no name there"), ("end.mo", "end is no name there"),
    ):  # fmt: skip
        with pytest.raises(mbs.ArgumentError, match=message):
            mbs.export_modelica(cart(), tmp_path / path)
    for options, message in (
        ({"parameters": "c"}, "parameters is 'c': name parameters in a list"),
        ({"parameters": ["cc"]}, "unknown parameter 'cc'"),
        ({"outputs": ["tabel"]}, "unknown output 'tabel' .did you mean 'table'"),
        ({"outputs": "table"}, "outputs is 'table': name outputs in a list"),
    ):
        with pytest.raises(mbs.ArgumentError, match=message):
            mbs.export_modelica(cart(), tmp_path / "M.mo", **options)
    monkeypatch.setattr(limits, "MOST", 20)
    with pytest.raises(mbs.ModelError, match=r"model 'cart' has \d+ operations, and Modelica text at most 20: export"):
        mbs.export_modelica(cart(), tmp_path / "M.mo")
    assert not [*tmp_path.iterdir()]


# -- runs by rumoca ---------------------------------------------------------------------------------------------------
MOTOR = """
model Motor
  Governor governor(c=450.0);
  Modelica.Mechanics.Rotational.Components.Inertia rotor(J=0.02{START});
  Modelica.Mechanics.Rotational.Sources.Torque source;
{PARTS}
equation
  governor.torque = 0.0;
  connect(source.flange, rotor.flange_a);
{EQUATIONS}
end Motor;
"""
ELASTIC = {
    "START": ", phi(start=0.0, fixed=true), w(start=0.0, fixed=true)",
    "PARTS": "  Modelica.Mechanics.Rotational.Components.SpringDamper shaft(c=20.0, d=0.1);\n"
    "  Real integral(start=0.0, fixed=true);",
    "EQUATIONS": "  der(integral) = 10.0 - rotor.w;\n"
    "  source.tau = 0.5 * (10.0 - rotor.w) + 0.5 * integral;\n"
    "  connect(rotor.flange_b, shaft.flange_a);\n  connect(shaft.flange_b, governor.flange);",
}
RIGID = {
    "START": "", "PARTS": "", "EQUATIONS": "  source.tau = 0.5;\n  connect(rotor.flange_b, governor.flange);",
}  # fmt: skip
COLUMNS = {"shaft_phi": "shaft.phi", "shaft_w": "shaft.w", "arm_q_1": "arm.q[1]", "arm_q_3": "arm.q[3]"}
OF_GOVERNOR = {f"governor.{name}": column for name, column in COLUMNS.items()}


def with_flange() -> Model:
    m = governor()
    m.flange("flange", on="shaft")
    return m


def with_motor() -> Model:
    """The governor behind an elastic shaft on a motor with a PI controller, as one model."""
    m = Model("whole")
    rotor = m.body("rotor", joint=mbs.Revolute("z"), mass=1.0, inertia=(0.02, 0.02, 0.02))
    error = 10.0 - mbs.rate(rotor)
    integral = m.state("integral", error)
    twist, twisting = mbs.coordinate(rotor) - mbs.coordinate("g.shaft"), mbs.rate(rotor) - mbs.rate("g.shaft")
    torque = 20.0 * twist + 0.1 * twisting
    m.include(governor(), "g", inputs={"torque": torque})
    m.motor("motor", on=rotor, torque=0.5 * error + 0.5 * integral - torque)
    return m


def test_governor_runs_behind_motor_shaft_and_controller(tmp_path: Path) -> None:
    """As the same drive train in one model of this package, to 1e-8."""
    model = compiled(text_of(with_flange(), tmp_path, "Governor") + MOTOR.format(**ELASTIC), "Motor")
    expected = mbs.simulate(with_motor(), 2.0, parameters={"g.c": 450.0}, rtol=1e-12, output_interval=0.1)
    columns = {name: f"g.{column}" for name, column in OF_GOVERNOR.items()}
    assert_agree(run(model, expected), expected, columns | {"rotor.w": "rotor.w"}, 1e-8)


def test_rigid_inertias_on_a_flange_need_index_reduction(tmp_path: Path) -> None:
    """A motor's inertia on the shaft, as `m.rotor`, to 1e-8."""
    model = compiled(text_of(with_flange(), tmp_path, "Governor") + MOTOR.format(**RIGID), "Motor")
    m = governor()
    m.rotor("motor", on="shaft", inertia=0.02)
    parameters, inputs = {"c": 450.0}, {"torque": 0.5}
    expected = mbs.simulate(m, 2.0, parameters=parameters, inputs=inputs, rtol=1e-12, output_interval=0.1)
    assert_agree(run(model, expected), expected, OF_GOVERNOR, 1e-8)


def test_sliding_flanges_conditions_tables_and_splines(tmp_path: Path) -> None:
    """A mass on the flange of a cart with laws of all kinds, as a heavier cart, to 1e-8."""
    text = text_of(cart(), tmp_path, "Cart") + (
        "model Train\n  Cart m;\n  Modelica.Mechanics.Translational.Components.Mass mass(m=0.5);\n"
        "equation\n  m.input_ = 1.5;\n  connect(m.f, mass.flange_a);\nend Train;\n"
    )
    m = cart()
    m.body("load", "b", mass=0.5)
    expected = mbs.simulate(m, 1.0, inputs={"input": 1.5}, rtol=1e-12, output_interval=0.05)
    got = run(compiled(text, "Train"), expected)
    columns = columns_of(got, expected)
    assert {"m.table", "m.turns", "m.curve", "m.b_s", "m.y"} <= {*columns}
    assert_agree(got, expected, columns, 1e-8)


def test_four_bar_runs_with_multipliers(tmp_path: Path) -> None:
    """As `simulate`, to 1e-6; two of its five rows are not redundant."""
    m = four_bar()
    text = alone(text_of(m, tmp_path, outputs=["crank_angle", "rocker_speed"]), m)
    inputs = {x: i.start for x, i in m.inputs.items()}
    expected = mbs.simulate(m, 2.0, inputs=inputs, rtol=1e-11, output_interval=0.1)
    got = run(compiled(text), expected)
    columns = columns_of(got, expected)
    assert len(columns) == 8, columns
    assert_agree(got, expected, columns, 1e-6)


def test_forces_of_loops_are_outputs(tmp_path: Path) -> None:
    """Multiplier, reaction and acceleration in a loop without redundant rows: as `simulate`, to 1e-7."""
    m = Model("tied")
    a = m.body("a", joint=mbs.Revolute("y"), **mbs.rod((1, 0, 0), mass=1.0))
    solid = {"mass": 1.0, "com": (0.5, 0.1, 0), "inertia": (0.1, 0.12, 0.13)}
    b = m.body("b", a, mbs.Spherical(), at=(1, 0, 0), **solid)
    m.close("tie", b, "world", mbs.Distance(1.0), at_a=(1, 0.2, 0), at_b=(2, 0.3, 1.0))
    m.output("pull", mbs.multiplier("tie"))
    m.output("force", mbs.reaction("tie").f)
    m.output("acceleration", mbs.acceleration(b))
    expected = mbs.simulate(m, 0.3, rtol=1e-12, output_interval=0.03)
    got = run(compiled(alone(text_of(m, tmp_path), m)), expected)
    columns = columns_of(got, expected)
    assert {"m.pull", "m.force_3", "m.acceleration_1"} <= {*columns}
    assert_agree(got, expected, columns, 1e-7)


def arm() -> Model:
    """Six hinges, as an industrial robot has them, with dampers."""
    m, parent = Model("arm"), "world"
    for k, (axis, at) in enumerate(zip("zyyyzy", (0.1, 0.0, 0.4, 0.4, 0.1, 0.1), strict=True)):
        link = (
            mbs.cylinder(0.05, 0.4, mass=5.0 - 0.7 * k, density=None) if False else mbs.rod((0.1, 0.05, 0.3), mass=5.0)
        )
        parent = m.body(f"link{k}", parent, mbs.Revolute(axis), at=(0.02 * k, 0.05, at), **link).name
        m.motor(f"motor{k}", on=parent, torque=-2.0 * mbs.rate(parent))
        m.start(parent, q=0.2 * k - 0.3, u=0.1)
    return m


@pytest.mark.slow
def test_arm_with_six_joints(tmp_path: Path) -> None:
    """As `simulate`, to 1e-7."""
    m = arm()
    expected = mbs.simulate(m, 0.5, rtol=1e-12, output_interval=0.05)
    got = run(compiled(alone(text_of(m, tmp_path), m)), expected)
    assert_agree(got, expected, columns_of(got, expected), 1e-7)


@each(("revolute", "free", "custom"), rounds=1, usual=1)
def test_random_trees_run_in_modelica(case: Case, tmp_path: Path) -> None:
    """With parameters of mass and geometry, forces and outputs: as `simulate`, to 1e-7 of each number."""
    m = parametric_chain(case)
    add_forces(m, np.random.default_rng(case.seed))
    add_sensors(m, list(m.bodies.values())[-1])
    expected = mbs.simulate(m, 0.1, inputs={"level": 0.7}, rtol=1e-11, output_interval=0.02)
    got = run(compiled(alone(text_of(m, tmp_path), m)), expected)
    assert_agree(got, expected, columns_of(got, expected), 1e-7)


#: Models of models/ that have no equations of this form, by a part of the reason.
REFUSED = {
    **dict.fromkeys(("bouncing_pendulum", "clutch"), "switches modes"),
    **dict.fromkeys(
        (
            "solar_array", "solar_array_elastic", "flexible_solar_array", "steered_solar_array",
            "steered_flexible_array", "controlled_solar_array", "controlled_flexible_array",
        ),
        "switches modes",
    ),
    **dict.fromkeys(
        (
            "digital_regulator", "digitally_governed", "trot_controller", "trotting_quadruped", "trotting_on_bumps",
            "attitude_controller",
        ),
        "is sampled",
    ),
    **dict.fromkeys(("cam_follower", "rolling_disc"), "rate constraints or touching curves"),
    **dict.fromkeys(("excavator_hydraulics", "spacecraft_with_panels"), "follows input"),
    **dict.fromkeys(("car", "boom_with_load", "rotating_blade", "truss_boom", "turbine_blade"), "operations"),
    "quadruped_on_bumps": "a height field",
    "car_on_blocks": "a height field|a curved road",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.apart
@pytest.mark.parametrize("function", tiers(sorted(builders()), usual=len(builders())))
def test_bundled_models_are_balanced_or_refused(function: str, tmp_path: Path) -> None:
    """Every model of models/, without reactions in loops, is compiled, with as many equations as unknowns."""
    m = built(function)
    kept = [o.name for o in m.outputs.values() if not m.loops or not _of_balance(o.expressions)]
    if function in REFUSED:
        with pytest.raises(mbs.ModelError, match=REFUSED[function]):
            text_of(m, tmp_path, outputs=kept)
        return
    compiled(alone(text_of(m, tmp_path, outputs=kept), m))


def _of_balance(expressions: object) -> bool:
    return any(isinstance(reference, (*OF_BALANCE, Residual)) for reference in leaves(expressions))
