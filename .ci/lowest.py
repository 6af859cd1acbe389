"""Constraints for pip: the lowest version of each package that pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for requirements in [project["dependencies"], *project["optional-dependencies"].values()]:
    for requirement in requirements:
        if bound := re.match(r"([\w.-]+)>=([\w.]+)", requirement):
            print("==".join(bound.groups()))
