"""Checks before a run: deep starts of compliant contacts, and fixed steps too long for contacts and friction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...infrastructure.errors import Argument, ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import warn
from ...infrastructure.messages.failures import display
from ...infrastructure.progress import progress_notice
from ...integrate.methods.method import Method
from ...model.forces.frictions import Friction
from ...model.model import Model
from ...model.structure import of_structure
from ...record.codes import Status
from ...symbolic.expressions import Expression
from ..batches.batch import Members
from ..models import checked_kinds
from ..runtime import Runtime
from ..single import first_record
from ..step_control import StepControl
from ..variants import laws_hash
from .frictions import Slip, slips
from .impacts import Impact, impacts
from .rests import Rest, fastest_rest
from .starts import Start
from .tolerances import Depth, bounded, least_depth

if TYPE_CHECKING:
    from ..spec import RunSpec

DEEPEST = 0.1  #: deepest start, in sizes of the smaller shape
#: Step size times natural frequency on the contact up to which rk4 errs by 5 % of the rebound velocity, and is stable.
ACCURATE, STABLE = 1.2, 2.8
HARD = 2.0  #: the same for damped impacts, times the root of their hardness
IMPLICIT = 2.0 / 3.0  #: share of these for Rosenbrock methods, which take the slope at the beginning of a step
#: Step size times natural frequency, times the root of the hardness, above which a Rosenbrock method throws landing
#: bodies out: at 1.7 a damped ball rebounds slower than it lands, at 1.9 up to twice and at 2.2 up to 20 times as fast.
THROWN = 1.8
MULTISTEP = 0.125  #: share of all limits for multistep methods
SAFE = 0.8  #: share of the limit of stability that messages advise
MOST_MEMBERS = 16  #: members of a batch whose starts are checked
MOST_FOUND = 32  #: starts of a model whose findings are kept


@dataclass(frozen=True)
class Limits:
    """Motions that steps must resolve: impacts, the fastest rest on contacts, and joints that friction holds."""

    impacts: Sequence[Impact]
    rest: Rest | None
    slips: Sequence[Slip]


@dataclass(frozen=True)
class _Findings:
    """Findings of the check of starts.

    parameters: those of the starts, as bytes. deep: a member that starts deep inside, and the message, or None. limits:
    of the first start that works, None while no fixed step asked for them. depths: at rest, the least of each start.
    """

    parameters: bytes
    deep: tuple[int, str] | None = None
    limits: Limits | None = None
    depths: tuple[Depth, ...] = ()


Found = dict[tuple[str | bytes, ...], _Findings]  #: by inputs and numbers of starts, the oldest one first


def check_starts(
    model: Model, runtime: Runtime, records: Callable[[], Sequence[np.ndarray]], control: StepControl,
    laws: Mapping[str, Expression],
) -> tuple[StepControl, str]:  # fmt: skip
    """Check the compliant contacts and the friction of joints of a model at its starts.

    Return the control of the steps, with tolerances that see the contacts, and a note if they are other ones.

    records: returns records before their start, of a run, or of members of a batch. control: of the steps. laws: the
    inputs that are functions of time.

    Raises ModelError for a start of a single run with deep penetration (in a batch it is a warning), and ArgumentError
    for steps with which a method adds energy at each impact. Warns of steps with which impacts are
    inaccurate, or bodies at rest and held joints unstable. A start that fails is not checked. What is found at a start
    is kept with the model: other settings of a run change the conclusions only, and other start values need a check of
    depths and speeds only.
    """
    kinds = checked_kinds(model)
    if not kinds or (kinds == {Friction} and (not control.fixed or control.method.needs_jacobian)):
        return control, ""
    given, program, kept = records(), runtime.program, _kept_findings(model)
    key = laws_hash(laws), *(R[program.start_places].tobytes() for R in given)
    found = kept.get(key)
    if found is None or (found.limits is None and control.fixed and found.deep is None):
        parameters = given[0][program.places("parameter")[1]].tobytes()
        known = (x.limits for x in reversed(kept.values()) if x.limits is not None and x.parameters == parameters)
        with progress_notice(model.name, "checking contacts and friction at the start"):  # long in large trees
            found = _find(model, runtime, given, _Findings(parameters), next(known, None), control.fixed)
        kept[key] = found
        if len(kept) > MOST_FOUND:
            kept.pop(next(iter(kept)), None)
    message = None
    if found.deep is not None:
        member, message = found.deep
        if len(given) == 1:
            raise ModelError(message)
        message = f"member {member}: {message}"
    elif control.fixed and found.limits is not None:
        message = too_long(found.limits, model.name, control.step, control.method)
    if message is not None:
        warn(message)
    return bounded(control, found.depths)


@of_structure
def _kept_findings(model: Model) -> Found:
    """Return the findings that are kept for a model."""
    return {}


def _find(
    model: Model, runtime: Runtime, records: Sequence[np.ndarray], found: _Findings, known: Limits | None, steps: bool
) -> _Findings:
    """Return the findings at the starts that work; the first of them decides on the steps.

    known: limits at other starts, of which the speeds of impacts are computed again.
    """
    depths = []
    for member, given in enumerate(records):
        R = given.copy()
        if runtime.kernels.enter_initialise(R) != Status.ok:
            continue
        runtime.refresh(R)
        start = Start(model, runtime, R)
        message = deep(start)
        if message is not None:
            return replace(found, deep=(member, message))
        if found.limits is None and (steps or known is not None):
            kept = None if start.has_near else known
            found = replace(found, limits=_limits(start) if kept is None else _at_speeds(kept, start))
        if start.points and (depth := least_depth(start)) is not None:
            depths.append(depth)
    return replace(found, depths=tuple(depths))


def _limits(start: Start) -> Limits:
    touch = bool(start.points)
    own = slips(start.model, start.runtime, start.R)
    return Limits(impacts(start) if touch else (), fastest_rest(start) if touch else None, own)


def _at_speeds(limits: Limits, start: Start) -> Limits:
    """Return limits with the speeds of impacts at another start."""
    speeds = start.speeds if limits.impacts else ()
    return replace(limits, impacts=[replace(x, speed=float(v)) for x, v in zip(limits.impacts, speeds, strict=True)])


def first_records(runtime: Runtime, spec: RunSpec) -> list[np.ndarray]:
    """Return the record of a run before its start, or those of the first members of a batch."""
    R = first_record(runtime.program, spec.tables, spec.parameters, spec.start, spec.settings)
    if spec.batch is None:
        return [R]
    members = Members(runtime, spec.batch)
    assert members.size is not None
    records = [R.copy() for _ in range(min(members.size, MOST_MEMBERS))]
    for member, own in enumerate(records):
        own[members.places] = members.columns[:, member]
    return records


# -- depth ---------------------------------------------------------------------------------------------------
def deep(start: Start) -> str | None:
    """Return a message on the contact with the deepest penetration relative to its size, or None."""
    if not start.points:
        return None
    sizes = {}
    shares = []
    for place, (contact, k) in enumerate(start.touches.points):
        if contact.name not in sizes:
            sizes[contact.name] = [start.rows.constant(x) for x in contact.sizes()]
        shares.append(start.depth[place] / sizes[contact.name][k])
    worst = int(np.argmax(shares))
    if not shares[worst] > DEEPEST:
        return None
    contact, depth = start.contact(worst), start.depth[worst]
    return (
        f"{contact.thing}: {contact.b!r} starts {_length(depth)} inside of {contact.a!r}, more than a tenth of its "
        f"size, {_length(depth / shares[worst])}: it would be thrown out. Start it so that they just touch, or at "
        "the depth of its rest, its weight over the stiffness of all its contact points"
    )


# -- steps ---------------------------------------------------------------------------------------------------
def too_long(limits: Limits, model: str, step: float, method: Method) -> str | None:
    """Return a warning of a step (s) with which a method errs, or None.

    Raises ArgumentError for one with which it adds energy at each impact: an explicit method is unstable while shapes
    touch, and a Rosenbrock method makes the step of the first touch with the slope before it.
    """
    implicit = method.needs_jacobian
    share = IMPLICIT if implicit else MULTISTEP if method.history else 1.0
    message = _long_for_impacts([x for x in limits.impacts if x.lands or not implicit], model, step, method, share)
    if message is None and not implicit:
        message = _long_for_rest(limits.rest, model, step, share) or _long_for_slip(limits.slips, model, step, share)
    return message


def _refuse_hard_landings(impacts: Sequence[Impact], step: float, method: Method) -> None:
    """Raise ArgumentError if a Rosenbrock method would throw a body out because of the damper of a landing."""
    for impact in impacts:
        rate = impact.frequency * math.sqrt(impact.hardness)
        if step * rate > THROWN:
            raise ArgumentError(
                Argument("step"),
                f" is {display(step)} s, but the damper of {impact.thing} is {impact.hardness:.3g} times as strong as "
                f"its spring at the speed of its impact, and the effective mass oscillates on its stiffness at "
                f"{impact.frequency:.3g} rad/s: fixed steps of method {method.name!r} throw the body out: give a step "
                f"of at most {_time(0.5 * THROWN / rate)}, or a lower stiffness= or dissipation=, or error control, "
                "without step=",
            )


def _accurate(impact: Impact) -> float:
    """Return the largest step size times natural frequency with which rk4 errs by 5 % of the rebound velocity."""
    return min(ACCURATE, HARD / math.sqrt(impact.hardness)) if impact.hardness > 0.0 else ACCURATE


def _long_for_impacts(impacts: Sequence[Impact], model: str, step: float, method: Method, share: float) -> str | None:
    if not impacts:
        return None
    stiffest = max(impacts, key=lambda x: x.frequency)
    where = (
        f"the effective mass at {stiffest.thing} oscillates on its stiffness at {stiffest.frequency:.3g} rad/s, so an "
        f"impact lasts {_time(math.pi / stiffest.frequency) if stiffest.frequency else 'forever'}"
    )
    if step * stiffest.frequency > STABLE * share:
        remedy = "a lower stiffness=" + (", or error control, without step=" if method.adaptive else "")
        raise ArgumentError(
            Argument("step"),
            f" is {display(step)} s, but {where}: fixed steps of method {method.name!r} add energy at each impact and "
            f"explode: give a step of at most {_time(0.3 * share / stiffest.frequency)}, or {remedy}",
        )
    if method.needs_jacobian:
        _refuse_hard_landings(impacts, step, method)
    worst = max(impacts, key=lambda x: x.frequency / _accurate(x))
    limit = share * _accurate(worst)
    if not step * worst.frequency > limit:
        return None
    remedy = "a lower stiffness="
    if worst.hardness > (HARD / ACCURATE) ** 2:
        where = (
            f"the damper of {worst.thing} is {worst.hardness:.3g} times as strong as its spring at the speed of its "
            f"impact, and the effective mass oscillates on its stiffness at {worst.frequency:.3g} rad/s"
        )
        remedy = "a lower stiffness= or dissipation="
    elif worst is not stiffest:
        where = where.replace(stiffest.thing, worst.thing)
    advised = 0.25 * limit / worst.frequency
    return (
        f"model {model!r}: {where}. Steps of {step:g} s are too long for it: impacts are in error, and "
        f"may add energy; give a step of at most {_time(advised)}, or {remedy}"
    )


def _long_for_rest(worst: Rest | None, model: str, step: float, share: float) -> str | None:
    if worst is None or not step * worst.rate > share * STABLE:
        return None
    return (
        f"model {model!r}: a body at rest on {worst.thing} settles at {worst.rate:.3g} 1/s, with its spring, damper "
        f"and friction. Steps of {step:g} s are too long for it: loads and friction at rest are in error; give a step "
        f"of at most {_time(SAFE * share * STABLE / worst.rate)}, or {worst.remedy}, or an implicit method such as "
        "'rodas5p'"
    )


def _long_for_slip(slips: Sequence[Slip], model: str, step: float, share: float) -> str | None:
    worst = max(slips, key=lambda x: x.rate, default=None)
    if worst is None or not step * worst.rate > share * STABLE:
        return None
    return (
        f"model {model!r}: {worst.thing} slows its joint at {worst.rate:.3g} 1/s near rest. Steps of {step:g} s are "
        f"too long for it: it slips under loads that it should hold; give a step of at most "
        f"{_time(SAFE * share * STABLE / worst.rate)}, a larger speed=, stick=True, or an implicit method such as "
        "'rodas5p'"
    )


def _length(x: float) -> str:
    return f"{1e3 * x:.3g} mm" if x < 1.0 else f"{x:.3g} m"


def _time(t: float) -> str:
    return f"{1e3 * t:.2g} ms" if t < 1.0 else f"{t:.2g} s"
