"""Module from which FMUs of older formats import `kernel`; `mbs_fmu.codegen.entries` defines it."""

from ..codegen.entries import kernel as kernel
