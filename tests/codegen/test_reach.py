"""Functions are counted before they are translated."""

from __future__ import annotations

import pytest

from mbs_fmu.codegen.jit import empty_module
from mbs_fmu.codegen.llvm.c_functions import write_c_functions
from mbs_fmu.codegen.llvm.translate import Module
from mbs_fmu.codegen.modules import load_uncached
from mbs_fmu.codegen.reach import kernel_count
from mbs_fmu.compile.build import compile_model
from mbs_fmu.run.bundled import bundled_model

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("kernel", ["initialise", "refresh"])
def test_counted_functions_equal_translated_functions(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function counts once, also if it is translated for several kinds of arguments; excluded functions do not
    count.
    """
    translated = set()
    function = Module.function

    def noted(self, of, kinds):  # type: ignore[no-untyped-def]
        translated.add(of)
        return function(self, of, kinds)

    monkeypatch.setattr(Module, "function", noted)
    module = load_uncached(compile_model(bundled_model("governor", "governor")).module)
    start = getattr(module, kernel).kernel_function
    write_c_functions(empty_module(), [(kernel, start, ("array",) * start.__code__.co_argcount)], lanes=1)
    assert kernel_count([start]) == len(translated) > 3
    assert kernel_count([start], known={other.__name__ for other in translated}) == 1
