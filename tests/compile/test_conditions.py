"""Pairs that can close a loop, and messages about those that cannot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model import closures
from mbs_fmu.model.closures import Conditions, Pair
from mbs_fmu.model.closures.objective import require_objective
from support.generators.loops import APART, LOOP_JOINTS, loop_joint
from support.oracles.dense_constraints import PAIRS

REFUSED = {
    "slides are not independent": ("slide x", "turn z", "slide x"),
    "slides are not independent of each other": ("slide x", "slide y", "slide x"),
    "a slide between two parallel turns": ("turn x", "slide y", "turn x"),
    "a slide among three turns": ("turn x", "slide z", "turn y", "turn z"),
}


@pytest.mark.quick
@pytest.mark.parametrize(("message", "motions"), REFUSED.items())
def test_joints_that_cannot_close_a_loop_are_refused(message: str, motions: tuple[str, ...]) -> None:
    """The message names the loop, the obstacle in its joint and the remedy."""
    m = mbs.Model("closed")
    for name in ("a", "b"):
        m.body(name, "world", mbs.Spherical(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    joint = mbs.Compound(*(getattr(mbs, word)(axis) for word, axis in map(str.split, motions)))
    m.close("ring", "a", "b", joint)
    with pytest.raises(mbs.ModelError, match=f"ring.*{message}.*hang a body on this joint in the tree"):
        compile_model(m)


@dataclass(frozen=True)
class OnSphere(Pair):
    """The point of b stays at `radius` (m) from a's point."""

    radius: float = 1.0

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        equations = Conditions()
        equations.add(equations.gap().norm() - self.radius, "distance", "m")
        return equations


class AtHeight(Pair):
    """The point of b stays at the height of a's point, which is invalid between two bodies that may turn."""

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        equations = Conditions()
        equations.add(equations.gap()[2], "height", "m")
        return equations


class InPlace(Pair):
    """The point of b stays in the plane x = 1 of the world."""

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        equations = Conditions()
        equations.add(equations.vector(1, None).dot(equations.vector(0, "x")) - 1.0, "place", "m")
        return equations


class Silent(Pair):
    """A pair that forgets to return its conditions."""

    def conditions(self, frame: int | None, thing: str) -> Conditions:  # type: ignore[return]
        Conditions().gap()


class Wide(Pair):
    def conditions(self, frame: int | None, thing: str) -> Conditions:
        equations = Conditions()
        equations.add(equations.gap().norm() - 1.0, "distance", "mm")
        return equations


def joined(pair: Pair, free: bool = True) -> mbs.Model:
    """Return two balls on a beam, which may be free, with the pair between them."""
    m = mbs.Model("closed")
    m.body("beam", joint=mbs.Free() if free else mbs.Weld(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    for k, name in enumerate(("a", "b")):
        m.body(name, "beam", mbs.Spherical(), mass=1.0, inertia=(1.0, 1.0, 1.0), at=(float(k), 0, 0))
    m.close("ring", "a", "b", pair)
    return m


@pytest.mark.quick
def test_a_user_defined_pair_equals_a_pair_with_the_same_conditions() -> None:
    """A point on a sphere equals a rod from its centre."""
    assert compile_model(joined(OnSphere(1.0))).text == compile_model(joined(mbs.Distance(1.0))).text


@pytest.mark.quick
@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (AtHeight(), "ring.*height.*both bodies are turned together"),
        (InPlace(), "ring.*place.*both bodies are shifted together"),
        (Silent(), "ring.*conditions of Silent are None: return"),
        (Wide(), "distance.*unit 'mm'"),
    ],
)
@pytest.mark.parametrize("free", [True, False])
def test_conditions_in_world_axes_or_with_invalid_units_are_refused(free: bool, pair: Pair, message: str) -> None:
    """Conditions in axes or from the origin of the world are invalid between two bodies."""
    with pytest.raises(mbs.ModelError, match=message):
        compile_model(joined(pair, free))


def drawn(kind: str) -> Pair:
    rng = np.random.default_rng(0)
    return APART[kind](rng, np.ones(3), mbs.time) if kind in APART else loop_joint(rng, kind)


@pytest.mark.quick
def test_every_pair_is_covered_by_the_laws() -> None:
    """Pairs that are not joints are exported, drawn for random mechanisms, and known to the oracle."""
    tried = {type(drawn(kind)) for kind in LOOP_JOINTS}
    for name, thing in vars(closures).items():
        if isinstance(thing, type) and issubclass(thing, Pair) and thing is not Pair:
            assert getattr(mbs, name) is thing
            assert thing in tried and thing in PAIRS, name


@pytest.mark.quick
@pytest.mark.parametrize("kind", LOOP_JOINTS)
def test_conditions_of_pairs_are_objective(kind: str) -> None:
    """Displacements and rotations of both bodies change no condition, in the axes of either side."""
    pair = drawn(kind)
    for side in (0, 1):
        require_objective(pair.conditions(side, kind), kind)


@pytest.mark.quick
def test_contacts_that_share_their_laws_beside_a_motion_over_time() -> None:
    """The numbers in which contacts of one kind differ are no reason to ask when a law switches."""
    m = mbs.Model("lowered")
    stand = m.body("stand", joint=mbs.Prismatic("z"))
    m.drive("lowering", on=stand, position=-0.1 * mbs.tanh(mbs.time))
    for k in range(3):
        m.body(f"ball{k}", joint=mbs.Free(), **mbs.sphere(0.1 + 0.05 * k, mass=1.0))
    balls = {f"ball{k}": mbs.Sphere(0.1 + 0.05 * k) for k in range(3)}
    m.mutual_contact("touch", balls, stiffness=1e4, friction=0.5)
    assert compile_model(m).text
