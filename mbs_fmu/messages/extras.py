"""How to get packages that only some need."""


def install(name: str) -> str:
    """The command that installs an extra, for messages: of the package by its name, or of a clone."""
    return f"pip install 'mbs-fmu[{name}]' (in a clone: pip install -e '.[{name}]')"
