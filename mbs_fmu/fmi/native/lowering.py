"""Compilation of a model's kernels to object files, ahead of time and for other machines than this one.

The kernels are translated to LLVM once, in parts that share functions (`codegen/ahead.py`). LLVM's passes run once for
each part and architecture, its code generator once for each platform; neither depends on the processor of this machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ...codegen.ahead import Part, entries, kernel_names, lowered, module_ahead, require_allowed
from ...codegen.modules import load_uncached
from ...codegen.parts import SHARED_NAMES
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.progress import done
from ...record.program import Program
from .platforms import ALL, Platform

if TYPE_CHECKING:
    import llvmlite.binding as llvm

#: Levels of LLVM's code generator: level 0 makes a start three times as slow and its compilation five times as fast.
GENERATOR: dict[Part, int] = {"steps": 1, "tangents": 1, "starts": 0}
#: Platform and processor that LLVM's passes assume, by architecture: they gain nothing from the actual ones.
ASSUMED = {
    "x86_64": (ALL["x86_64-linux"], "x86-64-v3"), "aarch64": (ALL["aarch64-linux"], "generic"),
    "wasm32": (ALL["wasm32-wasip2"], "generic"),
}  # fmt: skip


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
    module, names = load_uncached(module_ahead(program)), kernel_names(entries(program), advance)
    kernels = {entry: getattr(module, kernel) for entry, kernel in names.items()}
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
    require_allowed(module)
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
    return target.create_target_machine(
        cpu=cpu, features=platform.features, opt=level, reloc=platform.relocation, codemodel="default"
    )
