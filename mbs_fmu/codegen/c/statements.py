"""Statements of one kernel as C (see module.py).

C leaves the order of evaluation open in places where Python does not. Where the order matters, values are computed
before the statement, in temporary variables (`Values.ordered`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..llvm.independent_loops import loop_range
from ..llvm.kinds import Kind, Kinds, Pack
from ..llvm.reading import SOURCE, stored_names
from ..llvm.subset import KNOWN, definition_of, is_inlined, known_value, statements_of, variables_of
from .declarations import Declarations
from .effects import Effects, live_names, pairs
from .text import LESS, UNARY, Lines, Text, comment, wrapped
from .values import ARITHMETIC, File, Values


class Body:
    """Writer of one function in C.

    Assignments to variables that nothing reads are left out, unless their values come from calls that change arrays.
    `live` contains the names that something reads.
    """

    def __init__(self, kinds: Kinds, file: File, name: str):
        self.kinds, self.file, self.name = kinds, file, name
        self.definition = definition_of(kinds.function)
        self.parameters = [a.arg for a in self.definition.args.args]
        self.statements = statements_of(kinds.function)
        self.effects = Effects(kinds)
        self.live = live_names(self.statements, self.effects)
        local = self.live & variables_of(kinds.function).keys() - {*self.parameters}
        self.declarations = Declarations(self.statements, local, self.effects)
        self.comments = _comments(kinds, self.statements)
        self.out = Lines()
        self.emit = self.out.emit
        self.values = Values(kinds, file, self.effects, self.out)

    def text(self) -> str:
        """Return the function as text: its comment, its head and its body."""
        self.block(self.statements)
        kinds = dict(zip(self.parameters, self.kinds.arguments, strict=True))
        head = ", ".join(declared(self.file, kinds[p], self.file.legal(p)) for p in self.parameters) or "void"
        unused = " ".join(f"(void){self.file.legal(p)};" for p in self.parameters if p not in self.live)
        inline = "inline " if is_inlined(self.kinds.function) else ""
        first = wrapped(f"static {inline}{self.file.type(self.kinds.result)} {self.name}({head}) {{")
        lines = [first, *([wrapped(unused, 4)] if unused else []), *self.out.lines, "}"]
        docstring = ast.get_docstring(self.definition)
        if docstring:
            lines.insert(0, "/* " + comment(docstring).replace("\n", "\n * ").replace(" * \n", " *\n") + " */")
        return "\n".join(lines)

    # -- blocks -------------------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt], starts: Sequence[str] = ()) -> None:
        """Write the declarations of a block, the lines `starts`, and the statements with their comments."""
        by_type: dict[str, list[str]] = {}
        for name in self.declarations.at_start(body):
            by_type.setdefault(self.file.type(self.kinds.names[name]), []).append(self.file.legal(name))
        for kind, names in by_type.items():
            stars = " *" if kind.endswith("*") else " "
            self.emit(f"{kind.rstrip(' *')}{stars}{f',{stars}'.join(names)};")
        for line in starts:
            self.emit(line)
        for s in body:
            while self.comments and self.comments[0][0] <= s.lineno:
                self.emit(f"/* {comment(self.comments.pop(0)[1])} */")
            self.statement(s)

    # -- statements -----------------------------------------------------------------------------------------
    def statement(self, s: ast.stmt) -> None:
        """Write a statement; a docstring or another expression without effects writes nothing."""
        match s:
            case ast.Assign():
                self.assignment(s)
            case ast.AugAssign():
                self.augmented_assignment(s)
            case ast.If():
                self.if_statement(s)
            case ast.For(target=ast.Name() as target):
                self.for_loop(s, target)
            case ast.While():
                self.while_loop(s)
            case ast.Return(value=e):
                self.return_statement(e)
            case ast.Break():
                self.emit("break;")
            case ast.Continue():
                self.emit("continue;")
            case ast.Expr(value=e) if self.effects.changes(e):
                self.effect(e, self.values.value(e))

    def assignment(self, s: ast.Assign) -> None:
        """Write an assignment; of several values, all are computed before one is stored where that matters."""
        groups = [
            (t, value) for targets, value in pairs(s) if (t := self._wanted(targets)) or self.effects.changes(value)
        ]
        if len(groups) == 1:
            ((targets, value),) = groups
            if isinstance(s.targets[0], ast.Tuple) and isinstance(self.kinds.kind(value), Pack):
                self.unpacking(s, value)
            else:
                self.store_all(s, targets, value, self.values.value(value))
            return
        values = [value for _, value in groups]
        texts = self.values.ordered(values)
        stored = [targets[0] for targets, _ in groups if targets]
        if len(stored) == len(values) and self._clash(stored, values):
            texts = [self.values.temporary(value, text.text) for value, text in zip(values, texts, strict=True)]
        for (targets, value), text in zip(groups, texts, strict=True):
            self.store_all(s, targets, value, text)

    def _wanted(self, targets: Sequence[ast.expr]) -> list[ast.expr]:
        """Return the targets that something reads: elements of arrays, and live names."""
        return [t for t in targets if not isinstance(t, ast.Name) or t.id in self.live]

    def _clash(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
        """True if storing one of several values changes what a later value is computed from."""
        return any(
            self.effects.disturbs(target, later) for k, target in enumerate(targets) for later in values[k + 1 :]
        )

    def unpacking(self, s: ast.Assign, value: ast.expr) -> None:
        """Write an assignment of the results of a call, a struct in C, to several targets."""
        (target,) = s.targets
        assert isinstance(target, ast.Tuple)
        names = target.elts
        text = self.values.value(value).text
        if not self._wanted(names):
            self.effect(value, Text(text))
            return
        if not isinstance(value, ast.Name):
            text = self.values.temporary(value, text).text
        for k, name in enumerate(names):
            if self._wanted([name]):
                self.store(s, name, f"{text}.at[{k}]")

    def store_all(self, s: ast.Assign, targets: Sequence[ast.expr], value: ast.expr, text: Text) -> None:
        """Store one value in all targets; compute it for its effects alone if there are none."""
        if not targets:
            self.effect(value, text)
            return
        indices = [t.slice for t in targets if isinstance(t, ast.Subscript)]
        shared = len(targets) > 1 and not isinstance(value, (ast.Name, ast.Constant))
        if shared or self.effects.order_matters([value, *indices]):
            text = self.values.temporary(value, text.text)
        for target in targets:
            self.store(s, target, text.text)

    def effect(self, e: ast.expr, text: Text) -> None:
        """Write a statement that computes a value and drops it."""
        called = isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id not in KNOWN
        self.emit(f"{text.text};" if called else f"(void)({text.text});")

    def store(self, s: ast.Assign, target: ast.expr, text: str) -> None:
        """Store a value in one target, with a declaration if this assignment declares the variable."""
        if isinstance(target, ast.Subscript):
            self.emit(f"{self.values.element(target)} = {text};")
            return
        assert isinstance(target, ast.Name)
        name, kind = self.file.legal(target.id), self.kinds.names[target.id]
        if target.id in self.declarations.by(s):
            constant = target.id in self.kinds.assigned_once and kind != "array"
            self.emit(f"{'const ' if constant else ''}{declared(self.file, kind, name)} = {text};")
        else:
            self.emit(f"{name} = {text};")

    def augmented_assignment(self, s: ast.AugAssign) -> None:
        """Write an assignment such as `x += y`; as in Python, read the target before computing the value."""
        target, value = s.target, s.value
        if isinstance(target, ast.Name):
            if target.id in self.live:
                self._update(self.file.legal(target.id), s)
            return
        assert isinstance(target, ast.Subscript)
        if not self.effects.changes(value) and not self.effects.order_matters([target.slice, value]):
            self._update(self.values.element(target), s)
        else:
            place = self.values.element(target, lasting=True)
            before = self.values.temporary(target, place)
            self.emit(f"{place} = {self.values.arithmetic(before, s.op, self.values.value(value)).text};")

    def _update(self, place: str, s: ast.AugAssign) -> None:
        """Write an assignment in place whose value does not change the target."""
        values, op = self.values, s.op
        if type(op) in ARITHMETIC:
            self.emit(f"{place} {ARITHMETIC[type(op)][0]}= {values.value(s.value).text};")
        elif not isinstance(op, ast.Pow):
            self.emit(f"{place} = {values.arithmetic(Text(place), op, values.value(s.value)).text};")
        elif isinstance(s.value, ast.Constant) and s.value.value == 2:
            self.emit(f"{place} *= {place};")
        else:
            self.emit(f"{place} = pow{self.file.suffix}({place}, {values.value(s.value).text});")

    def return_statement(self, e: ast.expr | None) -> None:
        """Write a return; several results become a struct."""
        if e is None:
            self.emit("return;")
        elif isinstance(e, ast.Tuple):
            texts = self.values.ordered(e.elts)
            numbers = ", ".join(self._as_number(x, text) for x, text in zip(e.elts, texts, strict=True))
            self.emit(f"const {self.file.type(self.kinds.result)} out_ = {{{{{numbers}}}}};")
            self.emit("return out_;")
        else:
            self.emit(f"return {self.values.value(e).text};")

    def _as_number(self, e: ast.expr, text: Text) -> str:
        """Return a value as an element of a struct, with a cast if it is not a float: C++ forbids narrowing there."""
        return text.text if self.kinds.kind(e) == "float" else f"({self.file.type('float')}){text.within(UNARY)}"

    # -- branches and loops -----------------------------------------------------------------------------------
    def condition(self, test: ast.expr) -> tuple[list[str], str]:
        """Return the lines that must precede a condition, and the condition."""
        with self.out.captured() as before:
            text = self.values.value(test).text
        return before, text

    def if_statement(self, s: ast.If) -> None:
        self.emit(f"if ({self.values.value(s.test).text}) {{")
        self._block_within(s.body)
        self.otherwise(s.orelse)

    def otherwise(self, orelse: list[ast.stmt]) -> None:
        """Write the rest of an `if` after its first block: `else if`, `else` and the last brace."""
        match orelse:
            case []:
                self.emit("}")
            case [ast.If() as s] if not self.declarations.at_start(orelse):
                before, test = self.condition(s.test)
                if before:
                    self.emit("} else {")
                    self.out.lines += before
                    with self.out.nested():
                        self.emit(f"if ({test}) {{")
                        self._block_within(s.body)
                        self.otherwise(s.orelse)
                    self.emit("}")
                else:
                    self.emit(f"}} else if ({test}) {{")
                    self._block_within(s.body)
                    self.otherwise(s.orelse)
            case _:
                self.emit("} else {")
                self._block_within(orelse)
                self.emit("}")

    def while_loop(self, s: ast.While) -> None:
        """Write a loop; lines that the condition needs are repeated in it, before a break."""
        before, test = self.condition(s.test)
        self.emit("while (true) {" if before else f"while ({test}) {{")
        if before:
            self.out.lines += before
            with self.out.nested():
                self.emit(f"if (!({test})) break;")
        self._block_within(s.body)
        self.emit("}")

    def for_loop(self, s: ast.For, target: ast.Name) -> None:
        """Write a loop over a range.

        The target is the counter itself, unless the body assigns to it or something reads it after the loop: Python's
        target keeps the last value, and C's counter passes it.
        """
        call, _ = loop_range(s)
        bounds = call.args[:2]
        texts = self.values.ordered(bounds)
        limit, stop = bounds[-1], texts[-1]
        if not self._steady(limit, s, target.id):
            stop = self.values.temporary(limit, stop.text)
        step = known_value(call.args[2], {}) if len(call.args) > 2 else 1
        assert step is not None
        is_counter = target.id in self.declarations.by(s) or target.id not in self.live | set(stored_names(s.body))
        name = self.file.legal(target.id) if is_counter else f"{target.id}_next"
        while not is_counter and name in self.kinds.names:
            name += "_"
        sign = "<" if step > 0 else ">"
        increment = f"{name}{'++' if step > 0 else '--'}" if abs(step) == 1 else f"{name} += {step}"
        first = texts[0].text if len(bounds) > 1 else "0"
        self.emit(f"for (integer {name} = {first}; {name} {sign} {stop.within(LESS + 1)}; {increment}) {{")
        with self.out.nested():
            starts = [] if is_counter or target.id not in self.live else [f"{self.file.legal(target.id)} = {name};"]
            self.block(s.body, starts)
        self.emit("}")

    def _steady(self, limit: ast.expr, s: ast.For, counter: str) -> bool:
        """True if no iteration changes the end of a range, and it is cheap to compute in each of them."""
        plain = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
        changed = {counter, *stored_names(s.body)}
        return not self.effects.names(limit) & changed and all(isinstance(n, plain) for n in ast.walk(limit))

    def _block_within(self, body: list[ast.stmt]) -> None:
        with self.out.nested():
            self.block(body)


def declared(file: File, kind: Kind, name: str) -> str:
    """Return the declaration of a variable or parameter."""
    text = file.type(kind)
    return text + name if text.endswith("*") else f"{text} {name}"


def _comments(kinds: Kinds, body: list[ast.stmt]) -> list[tuple[int, str]]:
    """Return the comments in the body of a function of a module, each with the number of its line in the text."""
    function = kinds.function
    if SOURCE not in function.__dict__ or not body:
        return []
    _, text = function.__dict__[SOURCE]
    lines = dict(enumerate(text.split("\n"), start=1))
    first, last = definition_of(function).lineno, body[-1].end_lineno or 0
    begin = min(s.lineno for s in body)
    while begin > first + 1 and lines[begin - 1].lstrip().startswith("#"):
        begin -= 1
    numbered = ((k, lines[k].partition("#")[2].strip()) for k in range(begin, last + 1))
    return [(k, text) for k, text in numbered if text]
