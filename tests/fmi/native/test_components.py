"""FMUs as WebAssembly components: their form, and in wasmtime the numbers and messages of the native library."""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from lxml import etree

import mbs_fmu as mbs
from mbs_fmu.fmi.audience import Form, form_of, importer_named
from mbs_fmu.fmi.check import check_for
from mbs_fmu.fmi.native import component as stencil
from mbs_fmu.fmi.native import linking
from mbs_fmu.fmi.native.platforms import ALL, host, require_version, select_platforms
from mbs_fmu.run.bundled import bundled_model
from support.hosts.c_hosts import only_linux
from support.models.fmu_models import METHODS, MODELS
from support.paths import ROOT

NAME = "wasm32-wasip2"
DATA = ROOT / "mbs_fmu" / "fmi" / "native" / "wasm"
STEPS, EXCHANGE = "co-simulation", "model-exchange"

# -- form ----------------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("size", [0, 1, 119, 120, 127, 128, 16_383, 16_384, 2_097_152])
def test_a_module_takes_the_place_of_another_one(size: int) -> None:
    """Only the last module matters, and all other bytes stay: for sizes whose number has one to four bytes."""
    recorded = (DATA / "component.wasm").read_bytes()
    module = stencil.EMPTY_MODULE + bytes(size)
    made = stencil.component(module)
    assert module in made and len(made) - len(recorded) - size in (0, 1, 2, 3)
    assert stencil.with_module(made, stencil.EMPTY_MODULE) == recorded
    with pytest.raises(ValueError, match="no core module"):
        stencil.with_module(recorded[: stencil.HEADER], module)


@pytest.mark.quick
def test_the_manifest_follows_the_schema() -> None:
    """fmpy's copy of the standard's schema accepts it; name and path are those of the draft."""
    ((path, text),) = stencil.manifest().items()
    assert path == "extra/org.modelica.fmi-ls-wasm/manifest.xml"
    schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3LayeredStandardManifest.xsd"
    root = etree.fromstring(text)
    etree.XMLSchema(etree.parse(str(schema))).assertValid(root)
    assert root.get("{http://fmi-standard.org/fmi-ls-manifest}fmi-ls-name") == "org.modelica.fmi-ls-wasm"


@pytest.mark.quick
def test_components_are_on_request_and_for_fmi_3(tmp_path: Path) -> None:
    """ "all" has none, and FMI 2.0 refuses them, alone and beside libraries."""
    assert NAME not in [p.name for p in select_platforms("all")]
    assert select_platforms(f"all, {NAME}") == [*select_platforms("all"), ALL[NAME]]
    assert ALL[NAME].cpus("x86-64-v3") == {"": "generic"}  # the choice for x86 does not concern it
    for names in ([NAME], f"x86_64-linux, {NAME}"):
        platforms = select_platforms(names)
        require_version(platforms, "3.0")
        with pytest.raises(mbs.ModelError, match="wasm32-wasip2 is for fmi="):
            require_version(platforms, "2.0")
    with pytest.raises(mbs.ModelError, match="wasm32-wasip2 is for fmi="):
        mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", "native", platforms=[NAME])


@pytest.mark.quick
def test_programs_that_run_libraries_only() -> None:
    """A component alone is a finding with its remedy; with a library or sources beside it, it is none."""
    form = Form("native", "3.0", exchange=True, steps=True, platforms=[NAME], sources=False)
    assert "WebAssembly (experimental)" in form.line("x.fmu")
    (finding,) = importer_named("fmpy").findings(form)
    assert finding == "fmpy runs no WebAssembly components: export it with more --platforms"
    for platforms, sources in ([NAME, "x86_64-linux"], False), ([NAME], True):
        form = Form("native", "3.0", exchange=True, steps=True, platforms=platforms, sources=sources)
        assert not list(importer_named("fmpy").findings(form))


# -- in wasmtime ---------------------------------------------------------------------------------------------

FIVE: dict[str, tuple[str, str, dict[str, float]]] = {
    "governor": ("governor", "governor", {"torque": 0.8}),
    "digitally_governed": ("governor", "digitally_governed", {}),
    "four_bar": ("four_bar", "four_bar", {}),
    "bouncing_pendulum": ("bouncing_pendulum", "bouncing_pendulum", {}),
    "quadruped": ("quadruped", "quadruped", {}),
}  #: file of models/, model, inputs
BY_C_LIBRARY = {"quadruped": ("attitude",)}  #: outputs of three numbers by atan2
SIZE, COUNT = 0.01, 100

slow = pytest.mark.slow


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """FMUs of the five models with a component and the library of this platform, each built once."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    folder, made = tmp_path_factory.mktemp("components"), {}

    def get(name: str) -> Path:
        if name not in made:
            file, model, _ = FIVE[name]
            made[name] = mbs.export(
                bundled_model(file, model), folder / f"{name}.fmu", "native", fmi="3.0", platforms=["host", NAME],
                stop_time=SIZE * COUNT, reference=False, **METHODS["dopri5_fixed"],
            )  # fmt: skip
        return made[name]

    return get


@pytest.fixture
def hosts() -> Any:
    """The hosts of components; skips without wasmtime."""
    pytest.importorskip("wasmtime", reason="runs components in wasmtime")
    from support.hosts import components

    return components


def bits(values: Sequence[float]) -> bytes:
    return struct.pack(f"{len(values)}d", *values)


def begin(instance: Any, inputs: Mapping[str, float]) -> None:
    instance.enter_initialization_mode(None, 0.0, None)
    if inputs:
        instance.set(inputs)
    instance.exit_initialization_mode()


def stepped(instance: Any, references: Sequence[int], inputs: Mapping[str, float]) -> Iterator[list[float]]:
    """All variables after each communication step."""
    begin(instance, inputs)
    for k in range(COUNT):
        instance.do_step(k * SIZE, SIZE, True)
        yield instance.get_float64(references)


def updated(instance: Any) -> float:
    """Event mode up to continuous-time mode; the time of the next event."""
    again = True
    while again:
        again, *_, has_next_time, next_time = instance.update_discrete_states()
    instance.enter_continuous_time_mode()
    return next_time if has_next_time else math.inf


def integrated(instance: Any, references: Sequence[int], inputs: Mapping[str, float]) -> Iterator[list[float]]:
    """All variables, derivatives and event indicators after each step of Euler's method, with all events."""
    begin(instance, inputs)
    next_time, step = updated(instance), 1e-3
    signs = [x > 0.0 for x in instance.get_event_indicators()]
    for k in range(1, 301):
        x, rates = instance.get_continuous_states(), instance.get_continuous_state_derivatives()
        instance.set_time(k * step)
        instance.set_continuous_states([a + step * b for a, b in zip(x, rates)])
        event, _ = instance.completed_integrator_step(True)
        indicators = instance.get_event_indicators()
        before, signs = signs, [x > 0.0 for x in indicators]
        yield [*instance.get_float64(references), *instance.get_continuous_state_derivatives(), *indicators]
        if event or signs != before or k * step >= next_time:
            instance.enter_event_mode()
            next_time = updated(instance)


@slow
@pytest.mark.parametrize("kind", [STEPS, EXCHANGE])
@pytest.mark.parametrize("name", FIVE)
def test_numbers_have_the_bits_of_the_library(exported: Any, hosts: Any, name: str, kind: str) -> None:
    """All real numbers have the library's bits in every row, except angles by atan2, which the C libraries round
    differently: two results with errors below 1 ulp differ by less than 2 ulp.

    With fixed steps the models call no other function of the C library whose last bit depends on it.
    """
    only_linux()
    path, inputs = exported(name), FIVE[name][2]
    loaded = hosts.Loaded(path)
    run, options = (stepped, (False, False, [])) if kind == STEPS else (integrated, ())
    types = {v.name: v.type for v in fmpy.read_model_description(str(path)).modelVariables}
    names = [name for name in loaded.references if types[name] == "Float64"]
    references = [loaded.references[name] for name in names]
    rows = np.array(list(run(loaded.instance(kind, *options), references, inputs)))
    with hosts.native(path, kind) as instance:
        wanted = np.array(list(run(instance, references, inputs)))
        places = np.cumsum([0, *(instance.lengths[reference] for reference in references)])
    rounded = np.zeros(rows.shape[1], dtype=bool)
    for variable in BY_C_LIBRARY.get(name, ()):
        first = places[names.index(variable)]
        rounded[first : first + 3] = True
    assert len(np.unique(rows, axis=0)) > len(rows) // 2
    assert np.array_equal(rows[:, ~rounded].view(np.int64), wanted[:, ~rounded].view(np.int64))
    assert np.all(np.abs(rows - wanted)[:, rounded] <= 2.0 * np.spacing(np.abs(wanted[:, rounded])))


@slow
@pytest.mark.parametrize("name", FIVE)
def test_size_and_form(exported: Any, hosts: Any, name: str) -> None:
    """Deflated, a component has less than 130 kB; an FMU with one is valid for fmpy."""
    path = exported(name)
    assert len(zlib.compress(hosts.wasm_of(path))) < 130_000
    assert validate_fmu(str(path)) == []
    assert {NAME, host()} == set(form_of(path).platforms)


@slow
def test_wrong_calls_are_answered_and_logged(exported: Any, hosts: Any) -> None:
    """A wrong token makes no instance; each other wrong call answers with status error and one message."""
    loaded = hosts.Loaded(exported("governor"))
    assert loaded.function("common", "get-version")() == "3.0"
    with pytest.raises(LookupError, match="the token is not that of this FMU"):
        loaded.instance(STEPS, False, False, [], token="wrong")
    instance = loaded.instance(STEPS, False, False, [])
    instance.enter_initialization_mode(None, 0.0, None)
    instance.exit_initialization_mode()
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: instance.get_float64([9999]), "value reference 9999 does not exist"),
        (lambda: instance.set_float64([9999], [1.0]), "value reference 9999 does not exist"),
        (lambda: instance.set_float64([1], [1.0, 2.0, 3.0]), ", which has 1"),
        (lambda: instance.get_int64([1]), "Int64"),
        (lambda: instance.get_string([1]), "String"),
        (lambda: instance.set_string([1], ["one", ""]), "String"),
        (lambda: instance.set_binary([1], [b"one"]), "Binary"),
        (lambda: instance.get_clock([1]), "Clock"),
        (lambda: instance.set_shift_fraction([], []), "no clocks"),
        (lambda: instance.get_interval_decimal([1]), "no clocks"),
        (lambda: instance.get_variable_dependencies(1), "no dependencies of single elements"),
        (lambda: instance.get_number_of_variable_dependencies(1), "no dependencies of single elements"),
        (lambda: instance.set_input_derivatives([(1, 1)], [0.5]), "no derivatives in FMI 3.0"),
        (lambda: instance.enter_configuration_mode(), "no structural parameters"),
        (lambda: instance.set_fmu_state(b"nonsense"), ""),
        (lambda: instance.set_debug_logging(True, ["shouting"]), "unknown log category"),
        (lambda: instance.do_step(5.0, SIZE, True), ""),
    ]
    for number, (call, text) in enumerate(calls):
        before = len(loaded.log)
        answer = call()
        (entry,) = loaded.log[before:]
        assert getattr(answer, "payload", answer) == "error", number
        assert entry[:3] == ("guest", "error", "error") and text in entry[3], number
    assert instance.get_float64([]) == [] and instance.get_string([]) == []
    assert instance.set_float64([], []) == "ok"


@slow
def test_saved_states(exported: Any, hosts: Any) -> None:
    """States are lists of bytes: another instance that gets one makes the same steps, to the bit."""
    loaded = hosts.Loaded(exported("quadruped"))
    references = list(loaded.references.values())
    first, other = (loaded.instance(STEPS, False, False, []) for _ in range(2))
    for instance in (first, other):
        instance.enter_initialization_mode(1e-6, 0.0, 10.0)
        instance.exit_initialization_mode()
    for k in range(5):
        first.do_step(k * SIZE, SIZE, False)
    state = first.get_fmu_state()
    rows = []
    for instance in (first, other, first):
        assert instance.set_fmu_state(state) == "ok"
        for k in range(5, 10):
            instance.do_step(k * SIZE, SIZE, False)
        rows.append(bits(instance.get_float64(references)))
    assert rows[0] == rows[1] == rows[2]
    assert first.reset() == "ok" and other.terminate() == "ok"
    first.free(), other.free()


@slow
def test_derivatives(exported: Any, hosts: Any) -> None:
    """Directional, adjoint and output derivatives have the bits of the library."""
    path = exported("governor")
    loaded = hosts.Loaded(path)
    description = loaded.description
    rates = [v.valueReference for v in description.modelVariables if v.derivative is not None]
    states = [v.derivative.valueReference for v in description.modelVariables if v.derivative is not None]
    outputs = [v.valueReference for v in description.modelVariables if v.causality == "output"]
    instance = loaded.instance(STEPS, False, False, [])
    seeds = [0.3 + 0.1 * k for k in range(len(rates))]
    with hosts.native(path, STEPS) as native:
        for one in (instance, native):
            one.enter_initialization_mode(None, 0.0, None)
            one.exit_initialization_mode()
            one.do_step(0.0, SIZE, True)
        for name in ("get_directional_derivative", "get_adjoint_derivative"):
            found = getattr(instance, name)(rates, states, seeds)
            wanted = getattr(native, name)(rates, states, seeds, len(seeds))
            assert bits(found) == bits(wanted) and any(found), name
        found = instance.get_output_derivatives([(reference, 1) for reference in outputs])
        assert bits(found) == bits(native.get_output_derivatives(outputs, [1] * len(outputs)))


@slow
def test_early_return(exported: Any, hosts: Any) -> None:
    """With early return allowed the importer gets a call after each internal step, and ends the communication step."""
    loaded = hosts.Loaded(exported("governor"))
    instance = loaded.instance(STEPS, False, True, [])
    instance.enter_initialization_mode(None, 0.0, None)
    instance.exit_initialization_mode()
    step = METHODS["dopri5_fixed"]["step"]
    assert instance.do_step(0.0, 4 * step, True) == (4 * step, False, False, False)
    assert len(loaded.updates) > 3 and loaded.updates[0][1:] == (False, True, True, True)
    loaded.leave = True
    last, _, _, early = instance.do_step(4 * step, 4 * step, True)
    assert early and 4 * step < last < 7 * step


@slow
def test_reading_in_an_update(exported: Any, hosts: Any) -> None:
    """Runtimes that enter a component again, inside its own call, read variables after each internal step."""
    loaded = hosts.Loaded(exported("governor"))
    instance = loaded.instance(STEPS, False, True, [])
    begin(instance, {})
    times: list[float] = []
    loaded.meanwhile = lambda: times.extend(instance.get("time"))
    try:
        instance.do_step(0.0, SIZE, True)
    except Exception as error:
        pytest.skip(f"this runtime does not: {type(error).__name__}")
    assert len(times) > 3 and times == [time for time, *_ in loaded.updates]


@slow
def test_memory_does_not_grow(exported: Any, hosts: Any) -> None:
    """Lists, texts, states and instances are freed: 2 MB are enough for calls that need 1.5 MB of each altogether."""
    loaded = hosts.Loaded(exported("governor"))
    loaded.store.set_limits(memory_size=2 << 20)
    references = list(loaded.references.values()) * 40

    def use(kind: str, *options: Any) -> None:
        instance = loaded.instance(kind, *options)
        begin(instance, {"torque": 0.5})
        for _ in range(5):
            instance.get_float64(references)
            instance.set_string([1], ["x" * 5000, "y"])
            instance.set_debug_logging(True, ["z" * 5000])
            assert instance.set_fmu_state(instance.get_fmu_state()) == "ok"
        instance.free()

    for _ in range(30):
        use(STEPS, False, False, references)
        use(EXCHANGE)


# -- export --------------------------------------------------------------------------------------------------


@slow
def test_a_component_alone(tmp_path: Path) -> None:
    """Without libraries the FMU has the component and the manifest; a second export has the same bytes."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    options: dict[str, Any] = {"fmi": "3.0", "platforms": NAME, "stop_time": 0.1, "reference": False}
    path = mbs.export(MODELS["swing"](), tmp_path / "swing.fmu", "native", **options)
    again = mbs.export(MODELS["swing"](), tmp_path / "again.fmu", "native", **options)
    assert path.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    assert [n for n in names if n.startswith("binaries/")] == [f"binaries/{NAME}/swing.wasm"]
    assert f"{stencil.FOLDER}/manifest.xml" in names
    line, findings, _ = check_for(path, "fmpy")
    assert line == "swing.fmu: FMI 3.0, model exchange and co-simulation, WebAssembly (experimental); needs no Python"
    assert findings == ["fmpy runs no WebAssembly components: export it with more --platforms"]


@slow
def test_the_recorded_component_is_that_of_its_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """npm's jco makes the same component from the draft's interfaces and any model's module."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    modules = []
    linked = linking.library

    def keep(*arguments: Any) -> Path:
        modules.append(linked(*arguments).read_bytes())
        return linked(*arguments)

    monkeypatch.setattr("mbs_fmu.fmi.native.build.library", keep)
    mbs.export(
        MODELS["swing"](), tmp_path / "swing.fmu", "native", fmi="3.0", platforms=NAME, stop_time=0.1, reference=False
    )
    (tmp_path / "module.wasm").write_bytes(modules[0])
    for name in ("record.mjs", "fmi3.wit", "package.json", "package-lock.json"):
        shutil.copy(DATA / name, tmp_path)
    install = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=tmp_path, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    if install.returncode:
        pytest.skip(f"npm installs nothing here: {install.stderr[-200:]}")
    subprocess.run(["node", "record.mjs", "module.wasm", "made.wasm"], cwd=tmp_path, timeout=300, check=True)
    made = (tmp_path / "made.wasm").read_bytes()
    assert stencil.with_module(made, stencil.EMPTY_MODULE) == (DATA / "component.wasm").read_bytes()
