"""Addition of the chosen contacts of a robot file to its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.progress import Bar, watched
from ...model.bodies.shapes import Shape
from ...model.forces.compliant_contacts import LawArguments, compliant_contact
from ...model.forces.contact_shapes import MEETINGS, Plane, misses_crossed_edges
from ...model.items import WORLD
from ...model.model import Model
from ..imported import ImportedContact, Names
from .laws import Law, Laws
from .options import FileContacts
from .pairs import Choice, FilePair, shared
from .touching import Touching
from .tree import Mobility, Tree

DIFFERENCES = (
    "contacts are springs here: depths and loads at rest are those of MuJoCo, impacts are shorter and harder, friction "
    "sticks"
)
STEP = 1e-3  #: s, for which stiffness is limited, unless the file asks for a shorter one
NEGLIGIBLE = 1e-5  #: m, by which a limited contact may rest deeper without a note
DEEPEST = 0.1  #: of the smaller shape; contacts that start deeper would throw it out
ORIGIN = (0.0, 0.0, 0.0)
Sides = tuple[tuple[Touching, Any], tuple[Touching, Any]]  #: collision shapes a and b, with their shapes for a contact
NO_ARGUMENTS = dict.fromkeys(field.name for field in fields(LawArguments))


@dataclass
class Adding:
    """Builder of the contacts of a robot file.

    note: receives the notes. mobilities: by body of the model; None: those of the tree at zero. deepest: overlap at the
    start, in sizes of the smaller shape, above which a pair is left out. step: s, that of the file. solids: shapes of
    contacts by name and margin, m.
    """

    model: Model
    options: FileContacts
    note: Callable[[str], None]
    mobilities: Mapping[str, Mobility] | None = None
    deepest: float = DEEPEST
    step: float = STEP
    solids: dict[tuple[str, float], Shape | Plane | None] = field(default_factory=dict)

    def add(self, pairs: Sequence[FilePair]) -> dict[str, ImportedContact]:
        """Add contacts for a choice of the pairs; return them by name. Raises ModelError for too many points."""
        with watched(None):
            return self._add(pairs)

    def _add(self, pairs: Sequence[FilePair]) -> dict[str, ImportedContact]:
        tree = Tree(self.model)
        known = [pair for pair in pairs if self._sides(pair) is not None]
        self._note_lawless([pair for pair in pairs if self._sides(pair) is None])
        chosen = Choice(tree, self.options, self.note, self.deepest).of(known)
        step = self.options.step or min(self.step, STEP)
        laws = Laws(tree, self.mobilities or tree.mobilities, self.options, chosen, step)
        taken = Names()
        names = {shape: taken.new(shape) for shape in dict.fromkeys(x.name for p in chosen for x in (p.a, p.b))}
        contacts, deeper, points = dict[str, ImportedContact](), list[float](), 0
        with Bar(f"contacts of {self.model.name}", len(chosen), "pair") as bar:
            for pair in chosen:
                name = f"touch.{names[pair.a.name]}.{names[pair.b.name]}"
                name += "_" * sum(other.rstrip("_") == name for other in contacts)  # a file may have a pair twice
                law = laws.law(pair)
                deeper.append(law.deeper)
                contacts[name] = self._contact(name, pair, law, tree)
                points += self.model.forces[name].contact_points
                self._check(points, chosen)
                bar.update()
        self._note_added(len(pairs), chosen, points)
        self._note_limited([x for x in deeper if x > NEGLIGIBLE], step)
        return contacts

    def _contact(self, name: str, pair: FilePair, law: Law, tree: Tree) -> ImportedContact:
        """Add the contact of a pair, with the shapes in the order that their kinds require."""
        (a, shape_a), (b, shape_b) = self._known_sides(pair)
        laws = LawArguments(**(NO_ARGUMENTS | law.arguments)).laws(f"contact {name!r}")
        compliant_contact(self.model, name, a.body, b.body, [(shape_a, shape_b)], (ORIGIN, ORIGIN), laws)
        on_ground = WORLD in (tree.parts[a.body], tree.parts[b.body])
        bodies, shapes = (a.body, b.body), (a.name, b.name)
        return ImportedContact(name, pair.kind, bodies, shapes, on_ground, law.arguments, law.is_limited)

    def _known_sides(self, pair: FilePair) -> Sides:
        """Return the sides of a pair with a law."""
        sides = self._sides(pair)
        assert sides is not None
        return sides

    def _sides(self, pair: FilePair) -> Sides | None:
        """Return both collision shapes with their shapes for a contact, a and b; None if contacts have no law for them.

        The margin of the pair becomes half of it on each shape, or all of it on one if the other is a mesh.
        """
        half = 0.5 * pair.softness.margin
        rigid = [shape.kind == "mesh" for shape in (pair.a, pair.b)]
        margins = [0.0 if own else 2.0 * half if other else half for own, other in zip(rigid, rigid[::-1], strict=True)]
        a, b = ((shape, self._solid(shape, margin)) for shape, margin in zip((pair.a, pair.b), margins, strict=True))
        for first, second in ((a, b), (b, a)):
            if type(second[1]) in MEETINGS.get(type(first[1]), {}):
                return first, second
        return None

    def _solid(self, shape: Touching, margin: float) -> Shape | Plane | None:
        key = shape.name, margin
        if key not in self.solids:
            self.solids[key] = shape.solid(margin)
        return self.solids[key]

    # -- notes and refusals --------------------------------------------------------------------------------
    def _check(self, points: int, pairs: Sequence[FilePair]) -> None:
        if points > self.options.most:
            raise ModelError(
                f"contacts: {len(pairs)} pairs ({shared(pair.kind for pair in pairs)}) have more than "
                f"{self.options.most} contact points: choose fewer, such as mbs.FileContacts('ground'), or give most="
            )

    def _note_lawless(self, pairs: Sequence[FilePair]) -> None:
        if pairs:
            self.note(f"left out: {len(pairs)} pairs without a law ({shared(pair.kind for pair in pairs)})")

    def _note_limited(self, deeper: Sequence[float], step: float) -> None:
        if deeper:
            self.note(
                f"stiffness of {len(deeper)} pairs is limited for steps of {1e3 * step:g} ms: they rest deeper than in "
                f"MuJoCo, by up to {1e3 * max(deeper):.2g} mm; mbs.FileContacts(step=...) permits shorter ones"
            )

    def _note_added(self, count: int, chosen: Sequence[FilePair], points: int) -> None:
        kinds = f" ({shared(pair.kind for pair in chosen)})" if chosen else ""
        self.note(f"contacts: {len(chosen)} of {count} pairs{kinds}, {points} points")
        crossing = sum(misses_crossed_edges(*(shape for _, shape in self._known_sides(pair))) for pair in chosen)
        if crossing:
            self.note(f"{crossing} pairs touch with vertices only: their crossed edges pass through each other")
        fixed = [pair for pair in chosen if pair.softness.margin and pair.a.kind == pair.b.kind == "mesh"]
        if fixed:
            self.note(f"margins of {len(fixed)} pairs of meshes are left out")
        if chosen:
            self.note(DIFFERENCES)
