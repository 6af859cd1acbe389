"""Functions of adjoints that adjoints.py generates for each model, for the kernels that call them.

R is a record. B contains adjoints, the derivatives of one number, such as a cost, with respect to the numbers of R.
Each function takes the adjoints of the results of a kernel from B, leaves zeros there, and adds to the adjoints of the
kernel's arguments. "From" and "to" below name these results and arguments.
"""

from __future__ import annotations

from ...kernels.hook_table import Condition, required
from ...record.schema import Record

WRITER = "mbs_fmu.integrate.functions.adjoints"


@required(Condition.ADJOINTS, WRITER)
def rates_b(R: Record, B: Record) -> None:
    """Adjoint of `derive`: from adjoints of the rates to adjoints of state, inputs, parameters and constants."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def rows_b(R: Record, B: Record) -> None:
    """Adjoint of `derive`, `outputs`: from joint velocities and outputs to state, inputs, parameters and constants."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def momenta_b(R: Record, B: Record) -> None:
    """Adjoint of `momenta`: from adjoints of the momenta to adjoints of coordinates, joint velocities and constants."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def normalise_b(R: Record, B: Record) -> None:
    """Adjoint of `normalise`: from adjoints of unit quaternions to adjoints of quaternions before normalisation."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def constants_b(R: Record, B: Record) -> None:
    """Adjoint of `prepare`: from adjoints of constants of mass and geometry to adjoints of parameters."""
    raise NotImplementedError
