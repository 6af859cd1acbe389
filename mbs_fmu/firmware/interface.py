"""The header of a model in C and the functions that it declares."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace

import numpy as np

from ..codegen.c.module import Module
from ..codegen.c.text import comment, identifier, wrapped
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.lazy_dataclasses import dataclass
from ..record.blocks import HeadNumbers
from ..record.codes import Fresh, Status
from ..record.kinds import BOOLEAN, ENUMERATION, INTEGER, REAL, numbered
from ..record.program import Program, Variable
from ..record.schema import CLOCK_SIZE
from .names import identifiers

LISTS = {
    "parameter": "constant while the model runs",
    "input": "given before each step",
    "output": "at the end of each step",
}  # roles with a struct of their own, and when its values apply
#: Types in C of inputs and outputs that are no real numbers, and how an output is read from the record.
TYPES = {BOOLEAN: "bool", INTEGER: "int32_t", ENUMERATION: "int32_t"}
READ = {
    REAL: "m->R[{place}]", BOOLEAN: "m->R[{place}] != 0", INTEGER: "(int32_t)m->R[{place}]",
    ENUMERATION: "(int32_t)m->R[{place}]",
}  # fmt: skip
REBASED = 2**24  #: steps that are counted from one time; single precision counts no further
STATUSES = {
    Status.non_finite: "a number is not finite any more",
    Status.step_too_small: "the step is too small",
    Status.budget: "the step contains too many samples",
    Status.no_direction: "a quaternion is zero",
    Status.failed_check: "a mass, an inertia or a geometry is impossible",
    Status.failed_start_check: "a formula of the model has no value here",
    Status.no_inertia: "a motion moves no inertia",
    Status.not_assembled: "a loop does not close",
    Status.not_movable: "no velocities agree with a loop",
    Status.open_loop: "a loop has opened",
    Status.not_converged: "the stages of the method do not converge",
    Status.gimbal_lock: "three angles are in gimbal lock",
    Status.singular_position: "the rows of a loop depend on each other",
    Status.not_followed: "prescribed motions contradict each other in a loop",
    Status.penetrates: "bodies in contact penetrate each other",
    Status.unsettled: "no consistent modes were found",
    Status.unending: "an event or mode acts without end",
    Status.too_large: "the deformation of an elastic body is not small",
    Status.near_list_full: "more pairs of shapes overlap than the list of near pairs has places",
    Status.step_not_felt: "the step is shorter than the rounding of the time",
    Status.period_not_felt: "a sampling period is shorter than the rounding of the time",
}  # sentences for the statuses of starts and steps


@dataclass(frozen=True)
class Interface:
    """Header and functions of a program; `file` contains its kernels, `method` is the method of its steps."""

    program: Program
    file: Module
    method: str
    note: str  #: a line of the header about the cost of a step
    bodies: tuple[Variable, ...] = ()  #: bodies with a pose, and the places where the 12 numbers of these begin

    @cached_property
    def name(self) -> str:
        return identifier(self.program.name)

    @property
    def real(self) -> str:
        return self.file.real

    @cached_property
    def names(self) -> dict[str, str]:
        return identifiers([*self.program.variables, *map(_as_variable, self.bodies)], taken=["time"])

    def of_role(self, role: str) -> list[Variable]:
        return self.program.of_role(role)

    @property
    def record_size(self) -> int:
        """Numbers of the record, without the log at its end, which nothing here reads or writes."""
        return self.program.regions["log"][0]

    @property
    def table_size(self) -> int:
        """Numbers of the kernels' array U, which has no tables of inputs here."""
        return 2 * self.program.regions["inputs"][1] + CLOCK_SIZE

    def _signature(self) -> str:
        """Return the arguments of a step behind its size."""
        given = f", const {self.name}_inputs *in" if self.of_role("input") else ""
        return given + (f", {self.name}_outputs *out" if self.of_role("output") else "")

    # -- the header -------------------------------------------------------------------------------------------
    def header(self) -> str:
        up = self.name.upper()
        body = [
            f"/* {self._usage()} */",
            f"#ifndef {up}_H\n#define {up}_H\n\n#include <stdbool.h>\n#include <stdint.h>",
            '#ifdef __cplusplus\nextern "C" {\n#endif',
            self._record(),
            self._places(),
            *(self._struct(role) for role in LISTS if self.of_role(role)),
            self._prototypes(),
            "#ifdef __cplusplus\n}\n#endif\n\n#endif",
        ]
        return "\n\n".join(body) + "\n"

    def _usage(self) -> str:
        name = self.name
        call = "&m, 1e-3" + ", &in" * bool(self.of_role("input")) + ", &out" * bool(self.of_role("output"))
        code = [
            (f"static {name} m;", ""),
            (f"{name}_defaults(&m);", "all start values and parameters"),
            (f"m.R[{name.upper()}_...] = ...;", f"others, before {name}_init"),
            (f"int status = {name}_init(&m);", "0, or why there is no start"),
            (f"status = {name}_step({call});", f"one step of {self.method}, s; 0, or why it is taken back"),
        ]
        width = max(len(line) for line, _ in code)
        lines = [
            comment(f"{self.program.name}: {self.program.description}".rstrip(": ")),
            "",
            *(f"    {line.ljust(width)}  {meaning}".rstrip() for line, meaning in code),
            "",
            "No memory is allocated, and nothing is global but constants: any number of instances, each used by one",
            "thread at a time. An instance is saved and restored by copying it. A step calls <math.h> only and no",
            "function calls itself.",
            *textwrap.wrap(comment(self.note), 106),
            "",
            "Generated by mbs_fmu; do not edit.",
        ]
        return "\n * ".join(lines).replace(" * \n", " *\n")

    def _record(self) -> str:
        return f"""typedef struct {{
    {self.real} R[{self.record_size}]; /* the record: every number of the model, by the places below */
    {self.real} U[{self.table_size}];
    {self.real} before[{sum(size for _, size in self.program.changing)}]; /* numbers of R that a failed step restores */
    {self.real} size, start; /* size of the last step; time from which steps of this size are counted, s */
    int32_t steps;
}} {self.name};"""

    def _places(self) -> str:
        up = self.name.upper()
        rows = [f"    {up}_TIME = {HeadNumbers.time}, /* s */"]
        for v in self.program.variables:
            about = comment(", ".join(filter(None, [f"{v.unit or '1'}", v.name, _one_line(v.description)])))
            rows.append(f"    {up}_{self.names[v.name].upper()} = {v.slot}, /* {about} */")
        head = f"/* Places in the record: start values are set there before {self.name}_init; all are read there. */"
        return "\n".join([head, "enum {", *rows, "};"])

    def _struct(self, role: str) -> str:
        fields = []
        for v in self.of_role(role):
            parts = [v.unit or "1" if v.kind == REAL else "", _one_line(v.description)]
            parts += [_limits(v)] if role == "parameter" else [f"{k} {x}" for x, k in numbered(v.items, v.low).items()]
            about = comment(", ".join(filter(None, parts)))
            field = f"    {TYPES.get(v.kind, self.real)} {self.names[v.name]};"
            fields.append(f"{field} /* {about} */" if about else field)
        return "\n".join([f"typedef struct {{ /* {LISTS[role]} */", *fields, f"}} {self.name}_{role}s;"])

    def _prototypes(self) -> str:
        name = self.name
        lines = [
            f"void {name}_defaults({name} *m);",
            f"int {name}_init({name} *m);",
            f"int {name}_step({name} *m, {self.real} size{self._signature()});",
            f"const char *{name}_status(int status); /* a sentence */",
        ]
        if self.of_role("parameter"):
            lines += [
                f"void {name}_get_parameters(const {name} *m, {name}_parameters *p);",
                f"/* Before {name}_init: 0, or the number, from 1, of a parameter beyond its limits; none is set. */",
                f"int {name}_set_parameters({name} *m, const {name}_parameters *p);",
            ]
        if self.bodies:
            rows = [f"    {name.upper()}_{self._body(body)}," for body in self.bodies]
            lines += [
                f"/* The pose of a body: its origin in the world, m, then its rotation to the world, by rows. */\n"
                f"enum {{\n{chr(10).join(rows)}\n}};",
                f"void {name}_pose(const {name} *m, int body, {self.real} T[12]);",
            ]
        return "\n".join(lines)

    def _body(self, body: Variable) -> str:
        return self.names[_as_variable(body).name].upper()

    # -- the functions ------------------------------------------------------------------------------------------
    def functions(self, init: str, tolerances: str, refresh: str, step: str) -> str:
        """Return the definitions; the arguments are statements or names of kernels in C."""
        parts = [self._defaults(), self._init(init, tolerances, refresh), self._step(step), self._status()]
        if self.of_role("parameter"):
            parts += [self._get_parameters(), self._set_parameters()]
        if self.bodies:
            parts.append(self._pose())
        head = f'/* The functions of the header. */\n#include "{self.name}.h"'
        return "\n\n".join([head, *parts]) + "\n"

    def _defaults(self) -> str:
        record = np.trim_zeros(self.program.new_record(), "b")
        numbers = ", ".join(self.file.number(float(x)) for x in record) or "0"
        table = wrapped(f"static const {self.real} {self.name}_first[{max(1, len(record))}] = {{{numbers}}};")
        return f"""{table}

void {self.name}_defaults({self.name} *m) {{
    memset(m, 0, sizeof *m);
    memcpy(m->R, {self.name}_first, sizeof {self.name}_first);
}}"""

    def _init(self, init: str, tolerances: str, refresh: str) -> str:
        return f"""int {self.name}_init({self.name} *m) {{
    const int status = (int){init}(m->R);
    if (status != 0) return status;
    {tolerances}
    {refresh}(m->R, m->U);
    m->size = 0;
    return 0;
}}"""

    def _step(self, step: str) -> str:
        changed = "".join(
            f"    if (m->R[{v.slot}] != {self._given(v)}) {{\n"
            f"        m->R[{v.slot}] = {self._given(v)};\n"
            f"        m->R[{HeadNumbers.fresh}] = {Fresh.stale}; /* rates are those of other inputs */\n    }}\n"
            for v in self.of_role("input")
        )
        outputs = "".join(
            f"    out->{self.names[v.name]} = {READ[v.kind].format(place=v.slot)};\n" for v in self.of_role("output")
        )
        name, real = self.name, self.real
        return f"""{self._copies("keep", "m->before + {copy}", "m->R + {place}")}

{self._copies("restore", "m->R + {place}", "m->before + {copy}")}

/* Times are counted, because a sum of steps would drift by its rounding. A failed step changes nothing but `out`. */
int {name}_step({name} *m, {real} size{self._signature()}) {{
    const bool anew = size != m->size || m->steps == {REBASED};
    const {real} start = anew ? m->R[{HeadNumbers.time}] : m->start;
    const int32_t steps = anew ? 0 : m->steps;
    const {real} end = start + ({real})(steps + 1) * size;
    if (!(end > m->R[{HeadNumbers.time}])) return {Status.step_not_felt};
    {name}_keep(m);
{changed}    const int status = (int){step}(m->R, m->U, size, end);
    if (status == 0) {{
        m->size = size;
        m->start = start;
        m->steps = steps + 1;
    }} else {{
        {name}_restore(m);
    }}
{outputs}    return status;
}}"""

    def _given(self, v: Variable) -> str:
        """Return an input's value as a number of the record."""
        return f"in->{self.names[v.name]}" if v.kind == REAL else f"({self.real})in->{self.names[v.name]}"

    def _copies(self, what: str, to: str, origin: str) -> str:
        """Return the function that copies the numbers that a step changes; `to` and `origin` are places."""
        lines, copy = [], 0
        for place, size in self.program.changing:
            at = {"place": place, "copy": copy}
            lines.append(f"    memcpy({to.format(**at)}, {origin.format(**at)}, {size} * sizeof *m->R);")
            copy += size
        return f"static void {self.name}_{what}({self.name} *m) {{\n" + "\n".join(lines) + "\n}"

    def _status(self) -> str:
        cases = "\n".join(f'    case {number}: return "{text}";' for number, text in STATUSES.items())
        return f"""const char *{self.name}_status(int status) {{
    switch (status) {{
    case 0: return "no fault";
{cases}
    default: return "no such status";
    }}
}}"""

    def _pose(self) -> str:
        places = ", ".join(str(body.slot) for body in self.bodies)
        return f"""void {self.name}_pose(const {self.name} *m, int body, {self.real} T[12]) {{
    static const int32_t places[] = {{{places}}};
    memcpy(T, m->R + places[body], 12 * sizeof *T);
}}"""

    def _get_parameters(self) -> str:
        lines = "\n".join(f"    p->{self.names[v.name]} = m->R[{v.slot}];" for v in self.of_role("parameter"))
        head = f"void {self.name}_get_parameters(const {self.name} *m, {self.name}_parameters *p)"
        return f"{head} {{\n{lines}\n}}"

    def _set_parameters(self) -> str:
        rows = list(enumerate(self.of_role("parameter"), start=1))
        checks = "\n".join(f"    if (!({self._is_within(v)})) return {number};" for number, v in rows)
        lines = "\n".join(f"    m->R[{v.slot}] = p->{self.names[v.name]};" for _, v in rows)
        head = f"int {self.name}_set_parameters({self.name} *m, const {self.name}_parameters *p)"
        return f"{head} {{\n{checks}\n{lines}\n    return 0;\n}}"

    def _is_within(self, v: Variable) -> str:
        """Return the condition that a parameter is finite and within its limits."""
        field = f"p->{self.names[v.name]}"
        low, high = (math.copysign(min(abs(x), _largest(self.real)), x) for x in v.range)
        return f"{field} >= {self.file.number(low)} && {field} <= {self.file.number(high)}"


def _as_variable(body: Variable) -> Variable:
    """Return a body under a name that no variable has, because a variable's name has no spaces."""
    return replace(body, name=f"body {body.name}")


def _limits(v: Variable) -> str:
    """Return the limits of a parameter as text."""
    low, high = v.range
    if math.isinf(low):
        return "" if math.isinf(high) else f"at most {high:g}"
    return f"at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"


def _largest(real: str) -> float:
    return float(np.finfo(np.float32 if real == "float" else np.float64).max)


def _one_line(text: str) -> str:
    return " ".join(text.split())
