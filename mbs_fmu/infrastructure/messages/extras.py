"""Instructions for the installation of optional packages."""


def install(name: str) -> str:
    """Return the commands that install an extra, from the package index or from a clone, for messages."""
    return f"pip install 'mbs-fmu[{name}]' (in a clone: pip install -e '.[{name}]')"
