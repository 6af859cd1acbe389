"""Compilation of a model's kernels to object files, ahead of time and for other machines than this one.

The kernels are translated to LLVM once, in parts that share functions. LLVM's passes run once for each part and
architecture, its code generator once for each platform; neither depends on the processor of this machine. `ALLOWED`
lists the symbols that objects may leave undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...codegen.entries import Kernel
from ...codegen.llvm import lines
from ...codegen.llvm.c_functions import write_c_functions
from ...codegen.machine import PLAIN, ArgumentKind
from ...codegen.modules import load_uncached
from ...codegen.parts import SHARED_NAMES, texts_of_parts
from ...infrastructure.errors import ModelError
from ...infrastructure.progress import done
from ...kernels import records, sources
from ...record.program import Program
from .platforms import ALL, Platform

if TYPE_CHECKING:
    import llvmlite.binding as llvm

#: Undefined symbols that objects may have: mathematics and memory functions of the C library, none of Python or numba.
ALLOWED = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "sqrt", "tanh", "ceil",
    "memset", "memcpy", "memmove",
}  # fmt: skip
#: Entries of the objects: for each its arrays, and its scalars (d: double, i: integer). All return a status, or zero.
ENTRIES: dict[str, tuple[str, str]] = {
    "initialise": ("R", ""), "prepare": ("R", ""), "rates": ("RU", ""), "refresh": ("RU", ""), "advance": ("RU", "ddi"),
    "tangent": ("RD", ""), "start_tangent": ("RD", ""), "completed": ("RU", ""), "begin": ("RU", "d"),
    "follow": ("R", "dd"), "exchanged": ("RD", ""), "exchange_rates_d": ("RDEF", ""),
    "stands_open": ("R", "d"), "crosses": ("", "ddi"), "set_tolerances": ("R", "iddd"), "fits": ("RT", ""),
    "mode_ends": ("RU", ""), "jump_now": ("RU", ""), "advance_to_event": ("RU", "ddii"), "is_due": ("R", ""),
    "make_due": ("RU", "i"),
}  # fmt: skip
#: Entries of models with closed loops only, with constraint modes only, with samples or resets only, with either of the
#: latter, and with neither.
WITH_LOOPS = {"begin", "exchanged", "exchange_rates_d", "stands_open"}
WITH_MODES = {"mode_ends"}
WITH_SAMPLES = {"jump_now"}
WITH_EVENTS = {"advance_to_event", "is_due", "make_due"}
WITHOUT_EVENTS = {"advance"}
#: Entries of derivatives, and entries that a run calls once or rarely; all others make steps. Each part has objects of
#: its own; all processors of a platform use the same objects for tangents and starts.
TANGENTS = {"tangent", "exchange_rates_d"}
STARTS = {"initialise", "prepare", "start_tangent", "set_tolerances", "fits"}
COLD = TANGENTS | STARTS

Part = Literal["steps", "tangents", "starts"]
#: Levels of LLVM's code generator: level 0 makes a start three times as slow and its compilation five times as fast.
GENERATOR: dict[Part, int] = {"steps": 1, "tangents": 1, "starts": 0}
#: Platform and processor that LLVM's passes assume, by architecture: they gain nothing from the actual ones.
ASSUMED = {"x86_64": (ALL["x86_64-linux"], "x86-64-v3"), "aarch64": (ALL["aarch64-linux"], "generic")}


def entries(program: Program) -> list[str]:
    """Return the names of a model's entries, those of steps first."""
    absent = (set() if program.loops else WITH_LOOPS) | (set() if program.modes else WITH_MODES)
    absent |= set() if program.jumps else WITH_SAMPLES
    absent |= WITHOUT_EVENTS if program.modes or program.jumps else WITH_EVENTS
    present = [name for name in ENTRIES if name not in absent]
    return sorted(present, key=lambda name: name in COLD)


def text_ahead(program: Program) -> str:
    """Return the text of a native FMU's module: the program's text and the kernels that replace code in Python."""
    return "\n\n\n".join([program.text, *sources.texts(records)]) + "\n"


@dataclass(frozen=True)
class Object:
    """One object file of a library.

    `suffix` ends the names of the file and of the entries in C, if a library has objects for two processors. The
    functions of an object with a suffix are internal, because tangents and starts call those of the object without one.

    `tuned` is true for all optimisations. Steps for the newest processor are tuned. Steps for older ones and starts are
    not, and tangents would not gain from it.
    """

    platform: Platform
    suffix: str
    cpu: str
    tuned: bool
    part: Part = "steps"

    @property
    def name(self) -> str:
        return f"{self.platform.name}{self.suffix}{'' if self.part == 'steps' else f'_{self.part}'}.o"

    @property
    def passed(self) -> tuple[Part, str, bool, bool]:
        """Key of the LLVM code after the passes: objects with equal keys share it."""
        return self.part, self.platform.architecture, self.tuned, bool(self.suffix)


def objects_of(platform: Platform, cpu: str) -> list[Object]:
    """Return the object files of one library."""
    *older, newest = platform.cpus(cpu).items()
    oldest = next(iter(platform.cpus(cpu).values()))
    return [
        *(Object(platform, suffix, processor, tuned=False) for suffix, processor in older),
        Object(platform, *newest, tuned=True),
        Object(platform, "", oldest, tuned=False, part="tangents"),
        Object(platform, "", oldest, tuned=False, part="starts"),
    ]


def write_objects(program: Program, advance: str, objects: Iterable[Object], folder: Path) -> None:
    """Write object files to a folder, under their names.

    `advance` is the name of the kernel that makes the steps, such as "dopri5_adaptive".

    Raises ModelError if the kernels cannot be compiled ahead of time.
    """
    module = load_uncached(text_ahead(program))
    kernels = {name: getattr(module, name.replace("advance", advance)) for name in entries(program)}
    passed: dict[object, llvm.ModuleRef] = {}
    try:
        texts = lowered(kernels)
        done("")
        for one in objects:
            if one.passed not in passed:
                passed[one.passed] = optimised(texts[one.part], one)
            (folder / one.name).write_bytes(emitted(passed[one.passed], one))
            done("objects")
    except (NotImplementedError, RuntimeError) as error:
        raise ModelError(f"{program.name}: its kernels can't be compiled ahead of time: {error}") from error


def lowered(kernels: Mapping[str, Kernel]) -> dict[Part, str]:
    """Return the LLVM text of each part, with entries int64 kernel_NAME(double *, ..., scalars).

    Raises RuntimeError for a kernel that returns a number instead of a status.
    """
    module = lines.Module("kernels")
    entry_points = [(name, kernel.kernel_function, _kinds(name)) for name, kernel in kernels.items()]
    for signature in write_c_functions(module, entry_points, lanes=1):
        if signature.result != "int":
            raise RuntimeError(f"{signature.kernel} returns a number instead of a status")
    firsts: dict[Part, list[str]] = {"steps": [], "tangents": [], "starts": []}
    for name in kernels:
        firsts["tangents" if name in TANGENTS else "starts" if name in STARTS else "steps"].append(PLAIN + name)
    return dict(zip(firsts, texts_of_parts(module, list(firsts.values())), strict=True))


def _kinds(entry: str) -> tuple[ArgumentKind, ...]:
    """Return the kinds of an entry's arguments."""
    arrays, scalars = ENTRIES[entry]
    kinds: list[ArgumentKind] = ["array"] * len(arrays)
    kinds += ["float" if scalar == "d" else "int" for scalar in scalars]
    return tuple(kinds)


def optimised(text: str, one: Object) -> llvm.ModuleRef:
    """Return the code of an object after LLVM's passes. Raises RuntimeError for undefined symbols not in ALLOWED."""
    import llvmlite.binding as llvm

    from ...codegen.llvm.optimising import optimise, prepare

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    for function in module.functions:
        if function.linkage.name == "external" and not function.is_declaration:
            if one.suffix and function.name.startswith(SHARED_NAMES):
                function.linkage = "internal"
                continue
            function.name += one.suffix
            function.visibility = "hidden"  # otherwise another FMU of the process might bind to it
    assumed, cpu = ASSUMED[one.platform.architecture]
    module.triple = assumed.triple
    machine = _machine(assumed, cpu, 1)
    if one.tuned:
        optimise(module, machine, 1, slp=True)
    else:
        prepare(module, machine)
    declared = {f.name for f in module.functions if f.is_declaration}
    undefined = {name for name in declared if not name.startswith(("llvm.", SHARED_NAMES))}
    for name in sorted(undefined - ALLOWED):
        users = [f.name for f in module.functions if not f.is_declaration and f"@{name}(" in str(f)]
        raise RuntimeError(f"{' and '.join(users) or 'a kernel'} calls {name}, which no object may need")
    return module


def emitted(passed: llvm.ModuleRef, one: Object) -> bytes:
    """Return the machine code of an object for its platform; `passed` stays unchanged."""
    module, machine = passed.clone(), _machine(one.platform, one.cpu, GENERATOR[one.part])
    module.triple, module.data_layout = one.platform.triple, str(machine.target_data)
    code: bytes = machine.emit_object(module)
    return code


def _machine(platform: Platform, cpu: str, level: int) -> llvm.TargetMachine:
    import llvmlite.binding as llvm

    target = llvm.Target.from_triple(platform.triple)
    return target.create_target_machine(cpu=cpu, features="", opt=level, reloc="pic", codemodel="default")
