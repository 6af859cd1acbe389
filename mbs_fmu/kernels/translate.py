"""The path by which modules in FMUs of older formats name `kernel`, which stands in `mbs_fmu.codegen.entries`."""

from ..codegen.entries import kernel as kernel
