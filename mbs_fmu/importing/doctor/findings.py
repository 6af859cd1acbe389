"""Findings on a robot file, and the report that contains them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from typing import Any

from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors

LEVELS = ("error", "warning", "note")
HEAD = ("level", "place", "on", "finding", "value", "cause", "remedy")


@dataclass(frozen=True)
class Finding:
    """A finding on a robot file.

    level: "error" for what no body or mechanism can be, or what the readers refuse; "warning" for what is hardly meant;
    or "note". kind: what is found, in the words of docs/robots.md. on: link or joint, such as "link 'arm'"; empty for
    the file. value: the numbers of the finding. cause: what probably went wrong; empty if unknown. remedy: proposal.
    file, line: where; the line is None if it is unknown.
    """

    level: str
    kind: str
    on: str
    value: str = ""
    cause: str = ""
    remedy: str = ""
    file: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        """File and line, "robot.urdf:12"."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def lines(self) -> list[str]:
        """Return lines of text, the first with level, place, name and kind."""
        first = ": ".join(x for x in (self.level, self.place, self.on, self.kind) if x)
        more = ("cause", self.cause), ("remedy", self.remedy)
        return [f"{first}: {self.value}" if self.value else first, *(f"    {name}: {x}" for name, x in more if x)]


@add_clear_errors
@dataclass(frozen=True, repr=False)
class Report:
    """Findings on a robot file: errors first, then warnings and notes, each in the order of the file.

    Iteration yields the findings, `len` is their number. name: of the file. links, joints: numbers of those that were
    read. mended: links whose inertia the mended file changes. unmended: links with errors of their inertia for which it
    has no other.
    """

    name: str
    findings: tuple[Finding, ...]
    links: int = 0
    joints: int = 0
    mended: tuple[str, ...] = ()
    unmended: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        return True  # also without findings

    def _of(self, level: str) -> list[Finding]:
        return [finding for finding in self.findings if finding.level == level]

    @property
    def errors(self) -> list[Finding]:
        """Findings that no body or mechanism can have, or for which the readers refuse the file."""
        return self._of("error")

    @property
    def warnings(self) -> list[Finding]:
        """Findings that are hardly meant."""
        return self._of("warning")

    @property
    def notes(self) -> list[Finding]:
        """Other findings."""
        return self._of("note")

    @property
    def summary(self) -> str:
        """One line with the numbers of links, joints and findings."""
        counts = ", ".join(counted(len(self._of(level)), level) for level in LEVELS)
        return f"{self.name}: {counted(self.links, 'link')}, {counted(self.joints, 'joint')}: {counts}"

    def lines(self) -> list[str]:
        """Return lines of text: the findings, and the summary."""
        return [*(line for finding in self.findings for line in finding.lines()), self.summary]

    def table(self) -> list[dict[str, Any]]:
        """Return the findings as dictionaries of texts and numbers, for JSON."""
        return [asdict(finding) for finding in self.findings]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        head = "".join(f"<th>{name}</th>" for name in HEAD)
        rows = "".join(f"<tr>{''.join(map(_cell, _texts(finding)))}</tr>" for finding in self.findings)
        table = f"<table><tr>{head}</tr>{rows}</table>" if self.findings else ""
        return f"<div><p>{escape(self.summary)}</p>{table}</div>"


def _texts(x: Finding) -> tuple[str, ...]:
    return x.level, x.place, x.on, x.kind, x.value, x.cause, x.remedy


def _cell(text: str) -> str:
    return f'<td style="text-align:left">{escape(text)}</td>'


def counted(number: int, thing: str) -> str:
    """Return a number of things, in the plural if it is not one."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
