"""Models from files: those of the project, also from an installed wheel, and the user's own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from .errors import ModelError, one_line
from .model.model import Model


def models_folder() -> Path:
    """The project's models: beside the package in a checkout, inside it in a wheel."""
    here = Path(__file__).parent
    inside = here / "_models"
    return inside if inside.is_dir() else here.parent / "models"


def bundled_model(file: str, function: str) -> Model:
    """A model of the project, by file and function name."""
    return model_from(f"{models_folder() / file}.py:{function}")


def model_from(reference: str) -> Model:
    """The model that `file.py`, `file.py:function` or `module:function` names.

    Without a function name the one function of the file that returns a Model is taken, or the one named as
    the file. Raises ModelError where there is none.
    """
    place, _, function = reference.rpartition(":") if ":" in reference[2:] else (reference, "", "")
    module = _module(place)
    name = function or _only_model(module, Path(place).stem)
    builder = getattr(module, name, None)
    if not callable(builder):
        raise ModelError(f"{place} has no function {name!r}; it has {', '.join(_builders(module)) or 'none'}")
    try:
        model = builder()
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{reference}: {name}() can't be run: {one_line(error)}") from error
    if not isinstance(model, Model):
        raise ModelError(f"{reference}: {name}() returned {type(model).__name__}, not a mbs.Model")
    return model


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        try:
            return importlib.import_module(place)
        except ImportError as error:
            raise ModelError(f"can't import module {place!r}: {error}; for a file give its name with .py") from None
    path = Path(place)
    if not path.is_file():
        raise ModelError(f"no file {place!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    folder = str(path.parent.resolve())
    sys.path.insert(0, folder)
    previous = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{place} can't be run: {one_line(error)}") from error
    finally:
        sys.path.remove(folder)
        if previous is not None:
            sys.modules[path.stem] = previous
    return module


def _builders(module: ModuleType) -> list[str]:
    """Public functions of the module itself that can be called without arguments."""
    found = []
    for name, function in vars(module).items():
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__ == module.__name__:
            parameters = inspect.signature(function).parameters.values()
            if all(p.default is not p.empty for p in parameters):
                found.append(name)
    return found


def _only_model(module: ModuleType, stem: str) -> str:
    names = _builders(module)
    if stem in names:
        return stem
    if len(names) != 1:
        raise ModelError(f"say which model: {stem}.py:NAME with NAME one of {', '.join(names) or '(none there)'}")
    return names[0]
