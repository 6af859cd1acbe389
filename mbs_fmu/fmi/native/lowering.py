"""A model's kernels to object files, ahead of time and for other machines than this one.

The kernels are translated once; LLVM makes an object of the result for each platform, and is told nothing of this
machine's processor. What the objects leave to the linker is checked against a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...codegen import lines
from ...codegen.c_functions import write_c_functions
from ...codegen.entries import Kernel
from ...codegen.machine import ArgumentKind
from ...codegen.modules import load_uncached
from ...errors import ModelError
from ...kernels import records, sources
from ...record.program import Program
from ...waiting import done
from .platforms import Platform

#: What kernels may leave to the linker: the C library's mathematics and memory, nothing of Python's or numba's.
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
#: Entries that only models with closed loops have, those of closures with modes, those of samples and resets, those
#: of either, and the one that stands in the place of those.
WITH_LOOPS = {"begin", "exchanged", "exchange_rates_d", "stands_open"}
WITH_MODES = {"mode_ends"}
WITH_JUMPS = {"jump_now"}
WITH_EVENTS = {"advance_to_event", "is_due", "make_due"}
WITHOUT_EVENTS = {"advance"}
#: Entries of starts and tangents, which serve every processor of a platform.
COLD = {"initialise", "prepare", "tangent", "start_tangent", "exchange_rates_d", "set_tolerances", "fits"}

COLD_SUFFIX = "_cold"  #: of the name of their object


def entries(program: Program) -> list[str]:
    """Names of a model's entries."""
    absent = (set() if program.loops else WITH_LOOPS) | (set() if program.modes else WITH_MODES)
    absent |= set() if program.jumps else WITH_JUMPS
    absent |= WITHOUT_EVENTS if program.modes or program.jumps else WITH_EVENTS
    present = [name for name in ENTRIES if name not in absent]
    return sorted(present, key=lambda name: name in COLD)


def text_ahead(program: Program) -> str:
    """The module of a native FMU: the program's own, and what Python does itself."""
    return "\n\n\n".join([program.text, *sources.texts(records)]) + "\n"


@dataclass(frozen=True)
class Object:
    """One object file of a library.

    suffix: of its name, and of its entries in C where a library has two of each. tuned: LLVM takes its time and
    searches straight lines for vectors. Steps for the newest of the processors are tuned; those for older ones are not,
    nor are starts and tangents, long straight lines in which that search takes most of the time.
    """

    platform: Platform
    suffix: str
    cpu: str
    tuned: bool

    @property
    def name(self) -> str:
        return f"{self.platform.name}{self.suffix}.o"


def objects_of(platform: Platform, cpu: str) -> list[Object]:
    """The object files that make one library."""
    *older, newest = platform.cpus(cpu).items()
    return [
        *(Object(platform, suffix, processor, tuned=False) for suffix, processor in older),
        Object(platform, *newest, tuned=True),
        Object(platform, COLD_SUFFIX, next(iter(platform.cpus(cpu).values())), tuned=False),
    ]


def write_objects(program: Program, advance: str, objects: Iterable[Object], folder: Path) -> None:
    """Write object files into a folder, by their names. `advance` names the kernel that makes the steps.

    Raises ModelError where a kernel needs what no object may need.
    """
    module = load_uncached(text_ahead(program))
    kernels = {name: getattr(module, name.replace("advance", advance)) for name in entries(program)}
    try:
        hot = lowered({name: kernel for name, kernel in kernels.items() if name not in COLD})
        cold = lowered({name: kernel for name, kernel in kernels.items() if name in COLD})
        done("")
        for one in objects:
            (folder / one.name).write_bytes(emitted(cold if one.suffix == COLD_SUFFIX else hot, one))
            done("objects")
    except (NotImplementedError, RuntimeError) as error:
        raise ModelError(f"{program.name}: its kernels can't be compiled ahead of time: {error}") from error


def lowered(kernels: Mapping[str, Kernel]) -> str:
    """LLVM text of all entries: int64 kernel_NAME(double *, ..., scalars).

    Raises RuntimeError for a kernel that returns a number that is no status.
    """
    module = lines.Module("kernels")
    wanted = [(name, kernel.kernel_function, _kinds(name)) for name, kernel in kernels.items()]
    for signature in write_c_functions(module, wanted, lanes=1):
        if signature.result != "int":
            raise RuntimeError(f"{signature.kernel} returns a number, where a status is wanted")
    return str(module)


def _kinds(entry: str) -> tuple[ArgumentKind, ...]:
    """The kinds of an entry's arguments."""
    arrays, scalars = ENTRIES[entry]
    kinds: list[ArgumentKind] = ["array"] * len(arrays)
    kinds += ["float" if scalar == "d" else "int" for scalar in scalars]
    return tuple(kinds)


def emitted(text: str, one: Object) -> bytes:
    """The machine code of an object; RuntimeError naming the symbols that no kernel may need."""
    import llvmlite.binding as llvm

    from ...codegen.optimising import optimise, tidy

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    module.triple = one.platform.triple
    for function in module.functions:
        if function.linkage.name == "external" and not function.is_declaration:
            function.name += one.suffix if one.suffix != COLD_SUFFIX else ""
            function.visibility = "hidden"  # or another FMU of the process might take it for its own
    machine = llvm.Target.from_triple(one.platform.triple).create_target_machine(
        cpu=one.cpu, features="", opt=1, reloc="pic", codemodel="default"
    )
    if one.tuned:
        optimise(module, machine, 1, slp=True)
    else:
        tidy(module, machine)
    undefined = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    for name in sorted(undefined - ALLOWED):
        users = [f.name for f in module.functions if not f.is_declaration and f"@{name}(" in str(f)]
        raise RuntimeError(f"{' and '.join(users) or 'a kernel'} calls {name}, which no object may need")
    made: bytes = machine.emit_object(module)
    return made
