"""`python -m mbs_fmu`: the command line, where `mbs-fmu` is not on the path."""

from .cli import console

if __name__ == "__main__":
    console()
