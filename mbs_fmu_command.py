"""The command `mbs-fmu` from its first moment on: Ctrl-C is one line and an exit code, during imports too.

A module beside the package, since whatever lies in the package comes after the imports of the package.
"""

import sys

INTERRUPTED = 130  #: exit code, that of shells


def main() -> None:
    """The command line of `mbs_fmu.command_line.cli`."""
    try:
        from mbs_fmu.command_line.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("mbs-fmu: interrupted before there was a result\n")
        raise SystemExit(INTERRUPTED) from None
