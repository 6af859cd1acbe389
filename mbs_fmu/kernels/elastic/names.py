"""Names in the kernels of models with elastic bodies, beside those of names.py and loop_names.py."""

from ...record import elastic_layout
from ...record.elastic_layout import AttachmentBlock, ElasticBlock
from ...record.layout import Status
from ..declarations import given, start, table

ELASTIC = start("elastic")
SHAPES = start("shapes")
N_ELASTIC = given()  #: links with modes
ELASTIC_LINKS = table()
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

ELASTIC_BLOCK = elastic_layout.ELASTIC_BLOCK
SPIN = ElasticBlock.spin
BRANCH = ElasticBlock.branch
TWIST_IN = ElasticBlock.twist
ROW = ElasticBlock.row
ELASTIC_FACTORS = ElasticBlock.factors

# -- that of a node --------------------------------------------------------------------------------------------

ATTACHMENT = elastic_layout.ATTACHMENT
TURN = AttachmentBlock.turn
NODE_TWIST = AttachmentBlock.node_twist
ROTATION = AttachmentBlock.rotation
SPREADING = AttachmentBlock.spreading
SPREADING_RATE = AttachmentBlock.spreading_rate
PULL = AttachmentBlock.pull
ATTACHMENT_MOMENTUM = AttachmentBlock.momentum
ATTACHMENT_ROW = AttachmentBlock.row

# -- what kernels return -------------------------------------------------------------------------------------

TOO_LARGE = Status.too_large
