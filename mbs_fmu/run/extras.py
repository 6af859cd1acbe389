"""Optional packages, imported when they are used."""

from __future__ import annotations

import importlib
from typing import Any

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.extras import install


def extra(module: str, package: str, name: str, what: str) -> Any:
    """Return the module of a package that the extra `name` installs.

    If it is missing, raises ModelError, which states its use `what`.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ModelError(f"{what} needs {package}: {install(name)}") from None
