"""`python -m mbs_fmu`: the command line, where `mbs-fmu` is not on the path."""

from mbs_fmu_command import main

if __name__ == "__main__":
    main()
