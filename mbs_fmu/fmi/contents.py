"""Files of an FMU that follow from its program and its reference run: all but source code and binaries."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.model import Model
from ..record.program import Program
from ..run.results.results import Result
from ..view.icon import icon
from .about import About
from .description.choice import described_table
from .description.description import NEEDS_PYTHON
from .description.variables import Published, published
from .documentation import index_html
from .experiment import Experiment
from .naming import published_names
from .related import Values, related_files
from .terminals import ICON, PICTURE, TERMINALS, terminals_and_icons

#: Largest number of bodies of which an FMU has a picture: of more, few would have a pixel, and each takes as long.
MOST_DRAWN = 1000


@dataclass(frozen=True)
class Contents:
    """Everything that determines these files, apart from the reference run.

    experiment: settings of the export. kind: "python" or "native". fmi: version of FMI, "2.0" or "3.0". description:
    text of modelDescription.xml. about: texts on the origin of the model. sets: sets of values for users, by the names
    of variables in the program. cost: a bound of the operations of a communication step, of FMUs with sources.
    """

    model: Model
    program: Program
    experiment: Experiment
    kind: str
    fmi: str
    description: str
    about: About
    sets: Values
    cost: str = ""

    def named(self, result: Result) -> Result:
        """Return a run with the names of the FMU; elements of arrays are called NAME[1], NAME[2] and so on."""
        program, names = self.program, published_names(self.program, self.experiment.naming)
        arrays = program.vectors if self.fmi == "3.0" else {}
        for vector, elements in arrays.items():
            names |= {element: f"{names[vector]}[{k}]" for k, element in enumerate(elements, start=1)}
        return replace(
            result,
            columns=[names[column] for column in result.columns],
            units={names.get(variable, variable): unit for variable, unit in result.units.items()},
            vectors={names[vector]: [names[e] for e in elements] for vector, elements in program.vectors.items()},
        )

    def files(self, result: Result) -> dict[str, bytes]:
        """Return the files by their paths in the FMU; result: the reference run, with the names of the program."""
        named, apart = self.named(result), self.kind == "native" and self.program.is_large
        program = self.program.with_record(np.zeros(0)) if apart else self.program  # the binaries have the record
        texts = {
            "modelDescription.xml": self.description,
            "documentation/index.html": index_html(
                self.program, self.experiment, named, self.cost, NEEDS_PYTHON if self.kind == "python" else ""
            ),
            "resources/program.json": program.to_json(),
            "resources/kernels.txt": self.program.text,
        }
        if self.kind == "python":
            settings = {key: str(value) for key, value in self.experiment.attributes.items()}
            texts["resources/description.xml"] = self.description
            texts["resources/integration.xml"] = ET.tostring(ET.Element("integration", settings), encoding="unicode")
        encoded = {path: text.encode() for path, text in texts.items()}
        return encoded | self.about.files() | self._related(named) | self._icon(result)

    def _related(self, result: Result) -> dict[str, bytes]:
        """Return the files for users of the FMU; result: the reference run, with the names of the FMU.

        Values of variables in arrays of FMI 3.0 are left out of the sets, because SSP 1.0 has no arrays.
        """
        rows = described_table(self.program, self.experiment)
        scalars = {variable.name for variable in self._variables() if not variable.array}
        names = published_names(self.program, self.experiment.naming)
        sets = {
            name: {names[variable]: x for variable, x in values.items() if names[variable] in scalars}
            for name, values in self.sets.items()
        }
        exported = {
            row.name: row.start
            for row in rows
            if row.role == "parameter" and row.name in scalars and row.start is not None
        }
        return related_files(result, rows, exported, sets)

    def _variables(self) -> list[Published]:
        """Return the variables as an importer sees them."""
        return published(described_table(self.program, self.experiment), arrays=self.fmi == "3.0")

    def _icon(self, result: Result) -> dict[str, bytes]:
        """Return a picture of up to MOST_DRAWN bodies, and the file that lists the terminals, in FMI 3.0 also the
        picture, which FMI 2.0 finds by its name.
        """
        names = published_names(self.program, self.experiment.naming)
        vectors = self.model.elements | {o.name: o.names for o in self.model.outputs.values() if o.vector}
        arrays = {variable.name for variable in self._variables() if variable.array}
        own = {name: [there] for name, there in names.items()}
        own |= {x: [names[part] for part in parts] for x, parts in vectors.items() if names.get(x) not in arrays}
        place = PICTURE if self.fmi == "2.0" else ICON
        picture = {place: icon(result.recorded(self.model))} if 0 < len(self.model.bodies) <= MOST_DRAWN else {}
        text = terminals_and_icons(self.model.terminals.values(), self._variables(), own, ICON in picture)
        return picture | ({TERMINALS: text.encode()} if text else {})
