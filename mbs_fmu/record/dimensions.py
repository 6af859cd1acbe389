"""Numbers of things in a model, which are the lengths of regions, and conditions under which a model has a region."""

from __future__ import annotations

from .codes import MOST_LOGGED
from .fields import dimension
from .sizes import ABREAST, LoopSizes, NearSizes, Sizes

# -- conditions ------------------------------------------------------------------------------------------------


def has_loops(s: Sizes) -> bool:
    """The model has closed loops, or reactions or accelerations are requested."""
    return s.loops is not None


def has_modes(s: Sizes) -> bool:
    """Some closures have constraint modes."""
    return s.modes > 0


def has_events(s: Sizes) -> bool:
    """The model has events."""
    return s.events > 0


def has_crossings(s: Sizes) -> bool:
    """The model has constraint modes, events or sampled signals."""
    return s.watched > 0 or s.clocks > 0


def has_elastic_bodies(s: Sizes) -> bool:
    """The model has elastic bodies."""
    return s.elastic > 0


def has_totals(s: Sizes) -> bool:
    """Sums over all links are requested."""
    return s.totals


def has_poses(s: Sizes) -> bool:
    """Poses of links are stored."""
    return s.poses


def has_wrenches(s: Sizes) -> bool:
    """Laws apply wrenches to links."""
    return s.wrenches


def has_balances(s: Sizes) -> bool:
    """Reactions or accelerations are requested."""
    return s.loops is not None and s.loops.tail


def shares_loads(s: Sizes) -> bool:
    """Redundant rows share loads (L16)."""
    return s.loops is not None and s.loops.frontal > 0


def has_near_pairs(s: Sizes) -> bool:
    """Some contacts have a list of near pairs."""
    return s.near is not None


def has_history(s: Sizes) -> bool:
    """A method uses vectors of earlier steps."""
    return s.history > 0


def has_jacobian(s: Sizes) -> bool:
    """A method needs a Jacobian."""
    return s.jacobian


def has_second_record(s: Sizes) -> bool:
    """A second record follows the first, for tangents or other modal masses."""
    return s.jacobian or s.second_record or (s.loops is not None and (s.loops.tail or s.loops.modes > 0))


def loops_of(s: Sizes) -> LoopSizes:
    """Return the sizes of the loops, which are empty in models without loops."""
    return LoopSizes() if s.loops is None else s.loops


def buckets(shapes: int) -> int:
    """Return the least power of two that is at least twice the number of shapes; 0 for none."""
    return 1 << (2 * shapes - 1).bit_length() if shapes else 0


def near_of(s: Sizes) -> NearSizes:
    """Return the sizes of lists of near pairs, which are empty in models without them."""
    return NearSizes() if s.near is None else s.near


# -- the state, signals and samples ----------------------------------------------------------------------------

NQ = dimension("coordinates", lambda s: s.coordinates)
NV = dimension("joint velocities", lambda s: s.rates)
N_SIGNALS = dimension("signal states", lambda s: s.signals)
N_DRIVES = dimension("prescribed velocities with requested forces", lambda s: s.measured)
NX = dimension("states", lambda s: s.states)
FIRST_P = dimension("index of the momenta among the states", lambda s: s.coordinates)
N_DRIVEN_Q = dimension("prescribed coordinates", lambda s: s.driven_coordinates)
N_DRIVEN = dimension("prescribed joint velocities", lambda s: s.driven_rates)
N_INPUTS = dimension("inputs", lambda s: s.inputs)
N_OUTPUTS = dimension("outputs", lambda s: s.outputs)
N_EVENTS = dimension("events", lambda s: s.events)
N_PARAMETERS = dimension("parameters", lambda s: s.parameters)
N_LOCKS = dimension("joints of three angles", lambda s: s.locks)
N_SAMPLED = dimension("sampled signals", lambda s: s.sampled)
N_CALCULATED = dimension("start values that follow from parameters", lambda s: s.calculated)
N_CLOCKS = dimension("clocks of sampled signals", lambda s: s.clocks)
N_NEW = dimension("values that samples and resets assign", lambda s: s.new_values)
N_WATCHED = dimension("functions whose zeros are crossings: of constraint modes, then of events", lambda s: s.watched)
N_LOGGED = dimension(
    "entries of the log", lambda s: MOST_LOGGED + 2 * (s.watched + s.new_values) if s.watched + s.new_values else 0
)
N_SWITCHES = dimension("times at which conditions on time switch", lambda s: s.switches)
N_BEATS = dimension("periodic times at which laws over time bend or jump", lambda s: s.beats)
N_VALUES = dimension("numbers and tables of laws", lambda s: s.values)
N_BOUNDS = dimension("bounds of contacts", lambda s: s.bounds)
N_CENTERS = dimension("coordinates of centres of balls around shapes of contacts", lambda s: 3 * s.centers)
N_MEASURES = dimension("measures of contact points for outputs and events", lambda s: s.measures)
N_PART_NUMBERS = dimension("numbers in which parts of forces of one kind differ", lambda s: s.part_numbers)

# -- links -----------------------------------------------------------------------------------------------------

N_LINKS = dimension("links", lambda s: s.links)
N_CARRIED = dimension("numbers that a pass transfers between links", lambda s: s.carried)
N_PACKED_OF_LINK = dimension("constants of a link's class", lambda s: s.packed)
N_SAVED = dimension("numbers that a link saves between passes", lambda s: s.saved)
N_BRANCH_SLOTS = dimension("links with several children", lambda s: s.branch_slots)
N_ANGLES = dimension("coordinates whose sines are used, padded", lambda s: s.angles)
N_DRIVEN_ANGLES = dimension("prescribed coordinates whose sines are used", lambda s: s.driven_angles)
N_SINES = dimension("angles whose sines are used", lambda s: s.driven_angles + s.angles)
N_ROTORS = dimension("joint velocities, in models with rotors", lambda s: s.rates * s.rotors)
N_DRIVEN_ROTORS = dimension("prescribed velocities, in models with rotors", lambda s: s.driven_rates * s.rotors)
N_SHAPES = dimension("data of elastic bodies", lambda s: s.shapes)
N_ELASTIC_NUMBERS = dimension("workspace of elastic bodies", lambda s: s.elastic)
N_COUPLINGS = dimension("matrices B of elastic bodies", lambda s: s.mode_couplings if s.second_record else 0)
N_STATIC = dimension("vibration modes that start in equilibrium", lambda s: s.static_starts)

# -- closed loops and constraint modes -------------------------------------------------------------------------

N_ROWS = dimension("constraint rows", lambda s: loops_of(s).rows)
N_LOOPS = dimension("closed loops", lambda s: loops_of(s).closures)
N_MODES = dimension("closures with constraint modes", lambda s: s.modes)
N_Y = dimension("numbers of all Y", lambda s: 6 * loops_of(s).entries)
N_Z = dimension("numbers of all Z", lambda s: loops_of(s).channels * loops_of(s).entries)
N_PROJECTIONS = dimension("joint velocities of all open rows", lambda s: loops_of(s).projections)
N_DELASSUS = dimension("numbers of the stored blocks of S", lambda s: loops_of(s).blocks)
N_FACTORS = dimension("numbers of all factors L of S", lambda s: loops_of(s).factors)
N_COLUMN = dimension("rows of the largest loop", lambda s: loops_of(s).column)
N_ROTATED_AXES = dimension("frames that an engagement may rotate", lambda s: loops_of(s).turned)
N_FRONT = dimension("numbers of all frontal matrices", lambda s: loops_of(s).frontal)
N_FRONT_ROW = dimension("numbers in a row of the largest frontal matrix", lambda s: loops_of(s).frontal_row)
N_EXCHANGED = dimension("states, in models with rows", lambda s: s.states if loops_of(s).rows else 0)
N_ENGAGED_LINKS = dimension("links, the world, and one for all", lambda s: s.links + 2 if s.modes else 0)

# -- contacts with a list of near pairs -----------------------------------------------------------------------

N_NEAR = dimension("shapes in contacts with a list of near pairs", lambda s: near_of(s).shapes)
N_NEAR_LARGE = dimension("first of these shapes, which are compared with all others", lambda s: near_of(s).large)
N_NEAR_PAIRS = dimension("places in the list of near pairs", lambda s: near_of(s).pairs)
N_NEAR_NUMBERS = dimension("numbers of shapes in formulas of near pairs", lambda s: near_of(s).numbers)
N_NEAR_KINDS = dimension("kinds of shapes in contacts with a list of near pairs", lambda s: near_of(s).kinds)
N_NEAR_BUCKETS = dimension("chains of shapes by cell, a power of two", lambda s: buckets(near_of(s).shapes))

# -- methods ---------------------------------------------------------------------------------------------------

N_STAGES = dimension("vectors that a step stores", lambda s: s.stages)
N_HISTORY_VECTORS = dimension("vectors kept from step to step", lambda s: s.history)
N_SECOND = dimension("records behind the first one", lambda s: ABREAST if s.jacobian else 1)

# -- supplied by the writer of a module ------------------------------------------------------------------------

TAIL = dimension("numbers of a record up to the second one")
N_COLUMNS = dimension("columns of a result")
N_PACKED = dimension("packed constants of all links")
N_QUATERNIONS = dimension("quaternions")
N_KNOTS = dimension("tables over time")
N_ENDS = dimension("ends of rows")
N_UNBOUND = dimension("rate constraints")
N_TURNED = dimension("conditions on directions that assembly replaces by rotation vectors")
N_CONTACTS = dimension("contact parameters")
N_FEET = dimension("contact parameters of compliant contacts")
N_SWITCHED = dimension("rows of closures with constraint modes")
N_ELIMINATED_INERTIA = dimension("numbers of `eliminated_inertia` in use")
N_ELASTIC = dimension("elastic bodies")
N_NODES = dimension("nodes of all elastic bodies")
