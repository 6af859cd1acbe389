"""Co-simulation master for FMUs: `Participant`, `Connection` and `CoSimulation`."""

from .master import Connection as Connection
from .master import CoSimulation as CoSimulation
from .master import Order as Order
from .master import Participant as Participant
