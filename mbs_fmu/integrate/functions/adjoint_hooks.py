"""Functions of adjoints that adjoints.py generates for each model, for the kernels that call them.

R is a record. B contains adjoints, the derivatives of one number, such as a cost, with respect to the numbers of R. For
a kernel, `..._kept` computes what the kernel does and keeps values in A. After it, `..._b` takes the adjoints of the
kernel's results from B, leaves zeros there, and adds to the adjoints of the kernel's arguments: states, inputs,
parameters and constants. Adjoints of results that depend on none of these may stay.
"""

from __future__ import annotations

from ...kernels.hook_table import Condition, required
from ...record.fields import Numbers
from ...record.schema import Record

WRITER = "mbs_fmu.integrate.functions.adjoints"


@required(Condition.ADJOINTS, WRITER)
def derive_kept(R: Record, A: Numbers) -> None:
    """Run `derive` and keep values."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def derive_b(R: Record, A: Numbers, B: Record) -> None:
    """Adjoint of `derive`: from adjoints of the rates, the joint velocities and what `outputs_b` leaves."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def outputs_kept(R: Record, A: Numbers) -> None:
    """Run `outputs` and keep values, after `derive_kept`."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def outputs_b(R: Record, A: Numbers, B: Record) -> None:
    """Adjoint of `outputs`: from adjoints of the outputs; `derive_b` follows."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def momenta_kept(R: Record, A: Numbers) -> None:
    """Run `momenta` and keep values."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def momenta_b(R: Record, A: Numbers, B: Record) -> None:
    """Adjoint of `momenta`: from adjoints of the momenta."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def normalise_kept(R: Record, A: Numbers) -> None:
    """Run `normalise` and keep values."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def normalise_b(R: Record, A: Numbers, B: Record) -> None:
    """Adjoint of `normalise`: from adjoints of unit quaternions to adjoints of quaternions before normalisation."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def prepare_kept(R: Record, A: Numbers) -> None:
    """Run `prepare`, whose checks pass, and keep values."""
    raise NotImplementedError


@required(Condition.ADJOINTS, WRITER)
def prepare_b(R: Record, A: Numbers, B: Record) -> None:
    """Adjoint of `prepare`: from adjoints of constants of mass and geometry to adjoints of parameters."""
    raise NotImplementedError
