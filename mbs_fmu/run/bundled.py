"""Models from files: those of the project, also from an installed wheel, and those of users."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from ..importing.files import from_file, is_robot
from ..infrastructure.errors import ModelError, one_line
from ..infrastructure.messages.names import listed
from ..model.model import Model
from .errors import SimulationError


def models_folder() -> Path:
    """Return the folder of the project's models: beside the package in a checkout, inside it in a wheel."""
    here = Path(__file__).parents[1]
    inside = here / "_models"
    return inside if inside.is_dir() else here.parent / "models"


def bundled_model(file: str, function: str) -> Model:
    """Return a model of the project, by file and function name."""
    return model_from(f"{models_folder() / file}.py:{function}")


def model_from(reference: str) -> Model:
    """Return the model that `file.py`, `file.py:function` or `module:function` names, or that a robot file describes.

    Without a function name, it calls the function that has the file's name, or else the only public function of the
    file that needs no arguments. Raises ModelError if there is none, and for an error in the file, with its line.
    """
    if is_robot(reference):
        return from_file(reference).model
    place, _, function = reference.rpartition(":") if ":" in reference[2:] else (reference, "", "")
    module = _module(place)
    name = function or _only_model(module, Path(place).stem)
    builder = getattr(module, name, None)
    if not callable(builder):
        raise ModelError(f"{place} has no function {name!r}; it has {listed(_builders(module))}")
    with _located(f"{place}: {name}()", module.__file__):
        model = builder()
    if not isinstance(model, Model):
        raise ModelError(f"{reference}: {name}() returned {type(model).__name__}, not a mbs.Model")
    return model


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        if Path(place).exists():
            raise ModelError(
                f"{place} is not a model: give file.py[:function], module:function, robot.urdf, robot.sdf or robot.xml"
            )
        return _imported(place)
    path = Path(place)
    if not path.is_file():
        raise ModelError(f"no file {place!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    folder = str(path.parent.resolve())
    sys.path.insert(0, folder)
    previous = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # dataclasses look for their module there
    try:
        with _located(place, spec.origin):
            spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
        if previous is not None:
            sys.modules[path.stem] = previous
    return module


def _imported(name: str) -> ModuleType:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:  # also of the package that contains the module
        raise ModelError(f"can't import module {name!r}: {error}; for a file give its name with .py") from None
    if spec is None:
        raise ModelError(f"no module {name!r}; for a file give its name with .py")
    with _located(name, spec.origin):
        return importlib.import_module(name)


@contextlib.contextmanager
def _located(thing: str, file: str | None) -> Iterator[None]:
    """Turn errors in the user's file into a ModelError of one line, with file and line if known.

    This includes an end of the process, such as by `sys.exit`, which is not for a file that others read.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        message = str(error) if isinstance(error, ModelError | SimulationError) else one_line(error)
        if isinstance(error, SystemExit):
            message += "; it ends the process: move that into a block of if __name__ == '__main__'"
        raise ModelError(f"{_place(error, file) or thing}: {message}") from error


def _place(error: BaseException, file: str | None) -> str | None:
    """Return file and line of the innermost frame in the user's file or in one beside it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}:{error.lineno}"
    folder = Path(file).resolve().parent if file else None
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")]
    own = [f"{_short(f.filename)}:{f.lineno}" for f in frames if Path(f.filename).resolve().parent == folder]
    return own[-1] if own else None


def _short(file: str) -> str:
    """Return the path of a file relative to the working directory, if it lies there."""
    path, here = Path(file).resolve(), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _builders(module: ModuleType) -> list[str]:
    """Return public functions of the module itself that can be called without arguments."""
    builders = []
    for name, function in vars(module).items():
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__ == module.__name__:
            parameters = inspect.signature(function).parameters.values()
            if all(p.default is not p.empty for p in parameters):
                builders.append(name)
    return builders


def _only_model(module: ModuleType, stem: str) -> str:
    names = _builders(module)
    if stem in names:
        return stem
    if len(names) != 1:
        raise ModelError(f"name the model: {stem}.py:NAME with NAME one of {listed(names, '(none there)')}")
    return names[0]
