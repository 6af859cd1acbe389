"""Path by which modules in FMUs of older formats import `kernel`, which `mbs_fmu.codegen.entries` defines."""

from ..codegen.entries import kernel as kernel
