"""Names in the kernels of models with elastic bodies, beside those of names.py and closures/names.py."""

from ...record import elastic_layout
from ...record.elastic_layout import AttachmentBlock, ElasticBlock
from ..declarations import start, supplied, table

ELASTIC = start("elastic")
SHAPES = start("shapes")
N_ELASTIC = supplied()  #: links with modes
ELASTIC_LINKS = table()
N_NODES = supplied()  #: of all elastic bodies, roots too
NODES = table()  #: for each: place of its block in region `elastic`, and its body's link
MOST_TURN = 1.0  #: rad: rotation of a node in the mean frame
ELASTIC_INDEX = table()  #: for each link: place of its block in region `elastic`
ELASTIC_PARENT = table()  #: for each link: place of its parent's block
U_PARENT = table()  #: for each link: first joint velocity of its parent
SHAPES_INDEX = table()  #: for each link: place of its data in region `shapes`
MASSES_INDEX = table()  #: for each elastic body: address of Me, behind which K and D lie
COUPLINGS = start("mode_couplings")
COUPLINGS_INDEX = table()  #: for each elastic body: place of its matrix B in region `mode_couplings`
NODE_COUNT = table()  #: for each elastic body: number of its nodes, the root too
ROOTED_MODES = table()  #: for each elastic body: 1 if its joint holds the first node, else 0
MODE_COUNT = table()  #: for each link: number of its modes, or of its parent's if it is a node
SETTLING = start("settling")
N_SAGGING = supplied()  #: number of modes that start in static equilibrium
SETTLING_STEPS = 20
SETTLING_SHIFT = 1.0e-6  #: m: shift of a mode, for slopes by differences
SAGGING = table()  #: for each: its coordinate and its joint velocity
FORM_INDEX = table()  #: for each link that is a node: place of its N in region `elastic`

# -- block of an elastic body ----------------------------------------------------------------------------------

ELASTIC_BLOCK = elastic_layout.ELASTIC_BLOCK
SPIN = ElasticBlock.spin
BRANCH = ElasticBlock.branch
TWIST_IN = ElasticBlock.twist
ROW = ElasticBlock.row
ELASTIC_FACTORS = ElasticBlock.factors

# -- block of a node -------------------------------------------------------------------------------------------

ATTACHMENT = elastic_layout.ATTACHMENT
TURN = AttachmentBlock.turn
NODE_TWIST = AttachmentBlock.node_twist
ROTATION = AttachmentBlock.rotation
SPREADING = AttachmentBlock.spreading
SPREADING_RATE = AttachmentBlock.spreading_rate
PULL = AttachmentBlock.pull
ATTACHMENT_MOMENTUM = AttachmentBlock.momentum
ATTACHMENT_ROW = AttachmentBlock.row

# -- status codes --------------------------------------------------------------------------------------------
