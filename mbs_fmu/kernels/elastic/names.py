"""Names in the kernels of models with elastic bodies, beside those of names.py and loop_names.py."""

from ...record.layout import BentBlock, SeatBlock, Status
from ..declarations import given, start, table

ELASTIC = start("elastic")
SHAPES = start("shapes")
N_BENT = given()  #: links with modes
BENT_LINKS = table()
N_NODES = given()  #: of all elastic bodies, roots too
NODES = table()  #: of each where its block begins, in region `elastic`, and its body's link
MOST_TURN = 1.0  #: rad: of a node against the mean frame
ELASTIC_INDEX = table()  #: of each link where its block begins, in region `elastic`
ELASTIC_PARENT = table()  #: the same of its parent
U_PARENT = table()  #: of each link where its parent's joint velocities begin
SHAPES_INDEX = table()  #: of each link where its numbers begin, in region `shapes`
MODE_COUNT = table()  #: of each link the modes that it has, or that its parent has where it is a node
SETTLING = start("settling")
N_SAGGING = given()  #: modes that start in equilibrium
SETTLING_STEPS = 20
SETTLING_SHIFT = 1.0e-6  #: m: of a mode, for slopes
SAGGING = table()  #: of each which coordinate it is, and which joint velocity
FORM_INDEX = table()  #: of each link that is a node where its N begins, in region `elastic`

# -- the block of an elastic body's link -----------------------------------------------------------------------

BENT = BentBlock.size
SPIN = BentBlock.spin
BRANCH = BentBlock.branch
TWIST_IN = BentBlock.twist
ROW = BentBlock.row
BENT_FACTORS = BentBlock.factors

# -- that of a node --------------------------------------------------------------------------------------------

SEAT = SeatBlock.size
TURN = SeatBlock.turn
SLIP = SeatBlock.slip
ROTATION = SeatBlock.rotation
SPREADING = SeatBlock.spreading
SPREADING_RATE = SeatBlock.spreading_rate
PULL = SeatBlock.pull
SEAT_MOMENTUM = SeatBlock.momentum
SEAT_ROW = SeatBlock.row

# -- what kernels return -------------------------------------------------------------------------------------

TOO_LARGE = Status.too_large
