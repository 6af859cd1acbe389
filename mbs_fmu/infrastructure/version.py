"""The version of the package, which pyproject.toml reads too."""

VERSION = "0.1.0"
