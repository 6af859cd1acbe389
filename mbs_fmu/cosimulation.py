"""Co-simulation master: `Participant`, `Connection` and `CoSimulation`, which `mbs_fmu.couple.master` defines."""

from .couple.master import Connection as Connection
from .couple.master import CoSimulation as CoSimulation
from .couple.master import Order as Order
from .couple.master import Participant as Participant
