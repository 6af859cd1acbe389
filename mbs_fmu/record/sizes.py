"""Sizes of a model, which determine the layout of its record."""

from __future__ import annotations

from ..infrastructure.lazy_dataclasses import dataclass
from .codes import LANES

#: Columns of a Jacobian that are computed at once, in SIMD lanes; their place later holds four records
#: (`second_tangents` of integrate/methods/rosenbrock.py).
ABREAST = 4


@dataclass(frozen=True)
class Sizes:
    """Sizes of a model that determine its record's layout."""

    links: int
    coordinates: int
    rates: int
    signals: int  #: signal states
    inputs: int
    parameters: int
    outputs: int
    values: int  #: numbers and tables of laws
    part_numbers: int  #: numbers in which parts of forces of one kind differ
    measures: int  #: measures of contact points for outputs and events
    bounds: int  #: bounds of contacts
    centers: int  #: balls that bounds of contacts compare
    packed: int  #: constants of a link, for the class with the most of them
    saved: int  #: numbers that a link stores between the inboard and the outboard pass
    branch_slots: int  #: links with more than one child
    carried: int  #: numbers that the passes transfer from link to link
    stages: int  #: number of state vectors that a step stores
    history: int  #: number of state vectors kept from step to step; 0: one-step methods only
    jacobian: bool  #: a Jacobian is needed, by a linearly implicit method
    second_record: bool  #: a method solves equations with other modal masses, in a copy of the record
    events: int
    turns: bool  #: some motions need sine and cosine of a coordinate
    poses: bool  #: poses of links are stored
    wrenches: bool  #: laws apply wrenches to links
    locks: int = 0  #: joints with three angles that can be in gimbal lock
    driven_coordinates: int = 0  #: coordinates with prescribed motion
    driven_rates: int = 0  #: joint velocities with prescribed motion
    rotors: bool = False  #: some joint velocities have rotors
    drives_measured: bool = False  #: forces of drives are requested
    totals: bool = False  #: sums over all links are requested
    calculated: int = 0  #: start values that follow from parameters
    switches: int = 0  #: times at which conditions on time switch
    beats: int = 0  #: periodic times at which laws over time bend or jump
    sampled: int = 0  #: numbers of sampled signals
    clocks: int = 0  #: clocks of sampled signals
    new_values: int = 0  #: numbers that samples and resets assign
    shapes: int = 0  #: data of elastic bodies
    elastic: int = 0  #: workspace of elastic bodies
    mode_couplings: int = 0  #: total size of the matrices B of elastic bodies
    static_starts: int = 0  #: vibration modes that start in static equilibrium
    near: NearSizes | None = None  #: None: no contacts have a list of near pairs
    loops: LoopSizes | None = None  #: None: a tree without closures, reactions or accelerations

    @property
    def watched(self) -> int:
        """Number of functions whose zeros are crossings: of constraint modes, and of events."""
        return self.modes + self.events

    @property
    def modes(self) -> int:
        """Number of closures with constraint modes."""
        return 0 if self.loops is None else self.loops.modes

    @property
    def measured(self) -> int:
        """Number of driven rates whose forces are requested."""
        return self.driven_rates * self.drives_measured

    @property
    def states(self) -> int:
        return self.coordinates + self.rates + self.signals + self.measured

    @property
    def driven_angles(self) -> int:
        """Number of driven coordinates with sine and cosine: either all or none have them."""
        return self.driven_coordinates if self.turns else 0

    @property
    def angles(self) -> int:
        """Number of other coordinates with sine and cosine, including the padding of the last lanes."""
        whole = -(-(self.driven_coordinates + self.coordinates) // LANES) * LANES
        return whole - self.driven_coordinates if self.turns else 0


@dataclass(frozen=True)
class NearSizes:
    """Sizes for contacts with a list of near pairs (see compile/laws/near.py)."""

    shapes: int = 0
    large: int = 0  #: the first shapes, which are compared with all others
    pairs: int = 0  #: most pairs in the list
    numbers: int = 0  #: numbers of the shapes in formulas
    kinds: int = 0  #: kinds of shapes


@dataclass(frozen=True)
class LoopSizes:
    """Sizes for closed loops, reactions and accelerations (see compile/closures/closures.py)."""

    rows: int = 0
    closures: int = 0
    entries: int = 0  #: number of entries of rows at links
    channels: int = 0  #: number of channels of coupled joints
    projections: int = 0  #: sum over the entries of the number of joint velocities there
    blocks: int = 0  #: total size of the stored blocks of S
    factors: int = 0
    column: int = 0  #: largest number of rows of a loop
    modes: int = 0  #: closures with constraint modes
    turned: int = 0  #: closures that may engage while their directions differ
    frontal: int = 0  #: total size of the frontal matrices, if redundant rows share loads; else 0
    frontal_row: int = 0  #: size of a row of the largest frontal matrix
    tail: bool = False  #: reactions or accelerations are requested: a record of tangents follows the first record
