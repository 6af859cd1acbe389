"""The documentation: its Python blocks run, its links are valid, the files that it names exist."""

from __future__ import annotations

import functools
import inspect
import re
import runpy
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.kernels import tolerances
from support.c_programs import WARNINGS, compiler, run_command
from support.paths import ROOT

PAGES_RUN = (
    "tutorial.md",
    "howto.md",
    "model.md",
    "joints.md",
    "forces.md",
    "contact.md",
    "contact_gradients.md",
    "walking.md",
    "actuators.md",
    "bearings.md",
    "belts.md",
    "expressions.md",
    "composition.md",
    "robots.md",
    "robot_loops.md",
    "elastic.md",
    "elastic_accuracy.md",
    "elastic_data.md",
    "pictures.md",
    "live.md",
    "batches.md",
    "learning.md",
    "results.md",
    "loops.md",
    "gears.md",
    "drives.md",
    "curves.md",
    "vehicles.md",
    "linear.md",
    "functions.md",
    "optimal_control.md",
    "identification.md",
    "methods.md",
    "free_body.md",
    "native.md",
    "c_sources.md",
    "importing.md",
    "systems.md",
    "modes.md",
    "sampled.md",
    "instants.md",
    "impulses.md",
    "extending.md",
)
EXECUTED = [ROOT / "README.md", *(ROOT / "docs" / name for name in PAGES_RUN)]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*(.*?)\s*\Z")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path) -> list[tuple[int, str, str]]:
    """Every fenced block: number of its first line, language and text."""
    fenced, open_fence = [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.match(line)
        if not open_fence and fence:
            open_fence, language, start, lines = fence[1], fence[2], number + 1, []
        elif open_fence and fence and fence[1].startswith(open_fence) and not fence[2]:
            fenced.append((start, language, "\n".join(lines)))
            open_fence = ""
        elif open_fence:
            lines.append(line)
    assert not open_fence, f"{name(path)}: the block of line {start} is not closed"
    return fenced


def code(path: Path) -> list[tuple[int, str]]:
    """The Python blocks; labels that only resemble "python" are errors, since their blocks would not run."""
    for number, language, _ in blocks(path):
        odd = language != "python" and language.lower().startswith("py")
        assert not odd, f"{name(path)}, line {number}: label the block python, not {language}"
    return [(number, text) for number, language, text in blocks(path) if language == "python"]


@pytest.mark.slow
@pytest.mark.parametrize("path", EXECUTED, ids=name)
def test_python_blocks_run(
    path: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks of a page, in order, as one script, in an empty folder."""
    sources = code(path)
    assert sources, f"{name(path)} has no Python block"
    if path.stem == "robot_loops" and not runpy.run_path(str(ROOT / "docs" / "robot_files.py"))["are_installed"]():
        pytest.skip("its robots are not installed (pip install 'mbs-fmu[mjcf,robots]')")
    script = tmp_path_factory.mktemp("script") / f"{path.stem}.py"
    script.write_text(at_their_lines(sources), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")


INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)  #: a header that Python blocks have written
WITH_C = [path for path in PAGES if any(language == "c" for _, language, _ in blocks(path))]


@pytest.mark.parametrize("path", WITH_C, ids=name)
def test_programs_in_c_compile_and_print_what_python_prints(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each C block is a program: with the C files that the Python blocks export it compiles without warnings, and
    each line that it prints is one that they print.
    """
    command = compiler()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    script = tmp_path / "page.py"
    script.write_text(at_their_lines(code(path)), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    for number, text in ((number, text) for number, language, text in blocks(path) if language == "c"):
        main, program, place = tmp_path / f"line{number}.c", tmp_path / f"line{number}", f"{name(path)}, line {number}"
        main.write_text(text, encoding="utf-8")
        headers = [header for file in INCLUDED.findall(text) for header in tmp_path.rglob(file)]
        assert headers, f"{place}: no Python block writes a header that the program includes"
        folders, sources = [f"-I{h.parent}" for h in headers], [h.with_suffix(".c") for h in headers]
        run_command([*command, *WARNINGS, "-O2", *folders, main, *sources, "-o", program, "-lm"])
        lines = run_command([program]).splitlines()
        assert lines and set(lines) <= set(printed), f"{place} prints {lines}, the Python blocks {printed}"


@pytest.mark.quick
def test_pages_have_programs_in_c() -> None:
    """The test before has a case."""
    assert [name(path) for path in WITH_C] == ["docs/c_sources.md"]


def at_their_lines(sources: list[tuple[int, str]]) -> str:
    """The blocks of a page as one text, in which tracebacks have the line numbers of the page."""
    lines: list[str] = []
    for number, text in sources:
        lines += [""] * (number - 1 - len(lines)) + text.splitlines()
    return "\n".join(lines)


@pytest.mark.quick
def test_a_robot_file_needs_thirty_lines() -> None:
    """The how-to from pip install to a controlled arm in an FMU and its page has at most thirty lines, without robot
    file.
    """
    page = ROOT / "docs" / "howto.md"
    install = next(text for _, language, text in blocks(page) if language == "sh")
    script = next(text for _, text in code(page) if "from_urdf" in text)
    lines = [line for text in (install, script) for line in text.splitlines() if line.strip()]
    assert len(lines) <= 30
    assert all(word in script for word in ("mbs.export", "mbs.System", "mbs.show"))


@pytest.mark.quick
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_are_valid(path: Path) -> None:
    """Files and headings of the project that a page refers to exist."""
    prose = path.read_text(encoding="utf-8")
    for _, _, text in blocks(path):
        prose = prose.replace(text, "")
    for target in LINK.findall(prose):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, heading = target.partition("#")
        page = (path.parent / file).resolve() if file else path
        assert page.exists(), f"{name(path)}: {target} does not exist"
        if heading and page.suffix == ".md":
            assert heading in anchors(page), f"{name(path)}: {target}: no such heading"


FILE = re.compile(r"`([\w./]+(?:\.py|/))`")  #: or folder, named in backticks
#: Files of users, folders in FMUs and folders of the cache.
ELSEWHERE = {
    "tutorial.py",
    "cart_pole.py",
    "file.py",
    "demo/",
    "resources/",
    "programs/",
    "objects/",
    "zig/",
    "numba/",
    "dist/",
}


@pytest.mark.quick
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_files_that_a_page_names_exist(path: Path) -> None:
    """Each `file.py` or `folder/` in backticks is that of the project, by any number of its last components."""
    for target in {*FILE.findall(path.read_text(encoding="utf-8"))} - ELSEWHERE:
        assert any(f"/{file}".endswith("/" + target.rstrip("/")) for file in project_files()), f"{name(path)}: {target}"


COMMAND = re.compile(r"`(pytest\s[^`]*)`")  #: a command in prose, which may continue on the next line


@pytest.mark.quick
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_commands_run_tests_that_exist(path: Path) -> None:
    """Files and folders in a `pytest ...` command of a page exist, from the top of the project."""
    for command in COMMAND.findall(path.read_text(encoding="utf-8")):
        for target in (word for word in command.split() if word.startswith("tests")):
            assert (ROOT / target.partition("::")[0]).exists(), f"{name(path)}: {target} in {command!r} does not exist"


NAMED_IN = re.compile(
    r"((?:`\w+`(?:,\s|\sand\s|\sor\s)?)+)\s(?:in|of)\s`([\w/]+\.py)`"
)  #: names, and the file that has them


@pytest.mark.quick
@pytest.mark.parametrize("path", PAGES, ids=name)
def test_files_contain_the_names_that_a_page_finds_in_them(path: Path) -> None:
    """Each `NAME` that a page says to be in `file.py` is defined there, or is a string there."""
    for names, target in NAMED_IN.findall(path.read_text(encoding="utf-8")):
        files = [ROOT / file for file in project_files() if f"/{file}".endswith("/" + target)]
        source = "\n".join(file.read_text(encoding="utf-8") for file in files)
        for one in re.findall(r"`(\w+)`", names):
            definition = rf"""(?:def|class) {one}\b|^\s*{one}\s*[:=]|["']{one}["']"""
            assert re.search(definition, source, re.MULTILINE), f"{name(path)}: {target} has no {one}"


@functools.cache
def project_files() -> list[str]:
    """Paths of all files and folders of the project, against its root."""
    tops = [top for top in ROOT.iterdir() if not top.name.startswith(".")]
    paths = [path for top in tops for path in (top, *top.rglob("*"))]
    return [path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts]


@pytest.mark.quick
def test_the_page_of_the_record_is_that_of_its_schema() -> None:
    """docs/record.md is what `python docs/write_record.py` writes."""
    page = runpy.run_path(str(ROOT / "docs" / "write_record.py"))["page"]
    assert (ROOT / "docs" / "record.md").read_text(encoding="utf-8") == page()


@pytest.mark.usual
@pytest.mark.quick
def test_the_page_of_names_lists_each_public_name_once() -> None:
    """docs/names.md is what `python docs/write_names.py` writes, a row for each name."""
    page = runpy.run_path(str(ROOT / "docs" / "write_names.py"))["text"]()
    assert (ROOT / "docs" / "names.md").read_text(encoding="utf-8") == page
    assert re.findall(r"^\| `mbs\.(\w+)`", page, re.MULTILINE) == sorted(mbs.__all__, key=lambda x: (x.lower(), x))


NUMBER = re.compile(r"\([A-Z]\d+\)")  #: of an equation


@pytest.mark.quick
def test_equation_numbers_link_to_equations() -> None:
    """Every equation number on the page of impulses links to the page with this equation."""
    page = ROOT / "docs" / "impulses.md"
    text = page.read_text(encoding="utf-8")
    assert not NUMBER.findall(re.sub(r"\[((?:[^\[\]])*)\]\([^)\s]+\)", "", text))
    for words, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", text):
        there = page.parent / target.partition("#")[0]
        for number in NUMBER.findall(words):
            assert re.search(rf"{re.escape(number)}$", there.read_text(encoding="utf-8"), re.MULTILINE), number


DEFINED = re.compile(r"^    .*\S\s+\(([A-Z]\d+)\)$", re.MULTILINE)  #: numbers at the right of formulas
CITED = re.compile(r"(?<![\w.])\(([A-Z]\d+)\)(?!\w)")
EQUATIONS = [
    *sorted((ROOT / "docs").glob("equations*.md")),
    *(ROOT / "docs" / f"{name}.md" for name in ("actuators", "belts", "contact", "drives", "vehicles")),
]


@pytest.mark.quick
def test_equation_numbers_are_unique() -> None:
    """Each number at the right of a formula belongs to one formula of one page."""
    where: dict[str, str] = {}
    for page in EQUATIONS:
        for number in DEFINED.findall(page.read_text(encoding="utf-8")):
            assert number not in where, f"({number}) is on {where[number]} and on {page.name}: give one another number"
            where[number] = page.name
    assert len(where) > 60


@pytest.mark.quick
def test_equations_that_the_package_cites_exist() -> None:
    """Numbers in docstrings and comments of the package are on one of the pages with equations."""
    known = {number for page in EQUATIONS for number in CITED.findall(page.read_text(encoding="utf-8"))}
    for path in sorted((ROOT / "mbs_fmu").rglob("*.py")):
        unknown = set(CITED.findall(path.read_text(encoding="utf-8"))) - known
        assert not unknown, f"{name(path)} cites {sorted(unknown)}, which no page with equations has"


@pytest.mark.quick
def test_published_tolerances_are_those_of_the_kernels() -> None:
    """The section of a page that a tolerance's comment names contains its value."""
    text = Path(tolerances.__file__).read_text(encoding="utf-8").replace("\n#: ", " ")
    published = re.findall(r"\(Published in (\S+), ([^)]+)\.\)\n([A-Z_]+) = ", text)
    assert len(published) == text.count("Published")
    for page, section, name in published:
        parts = re.split(r"^#+ (.*)\n", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
        content = dict(zip(map(str.lower, parts[1::2]), parts[2::2], strict=True))[section]
        numbers = {*map(float, re.findall(r"\b\d+e-\d+\b", content)), 1e-3 if "a thousandth" in content else 0.0}
        assert getattr(tolerances, name) in numbers, f"{page}, {section}: {name}"


@pytest.mark.quick
def test_the_site_has_every_page() -> None:
    """Every page of docs/ is once in the site's table of contents."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = sorted(
        line for block in re.findall(r"^:maxdepth: 1\n\n(.*?)^```", text, re.S | re.M) for line in block.split()
    )
    folder = ROOT / "docs"
    pages = [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")]
    assert listed == sorted({*pages} - {"index"})


@pytest.mark.quick
def test_every_public_name_is_in_the_reference() -> None:
    """Every public name of `import mbs_fmu as mbs` is once on the API pages."""
    pages = (ROOT / "docs" / "api").glob("*.md")
    listed = [name for page in pages for name in re.findall(r"^\.\. auto\w+:: (\w+)$", page.read_text("utf-8"), re.M)]
    assert sorted(listed) == sorted(name for name in mbs.__all__ if not inspect.ismodule(getattr(mbs, name)))


@pytest.mark.quick
def test_the_page_of_the_command_line_has_every_option() -> None:
    """Each command has a row in the table of docs/command_line.md, with all its options by one of their names."""
    from typer.main import get_command

    from mbs_fmu.command_line.cli import app

    text = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    options_of: dict[str, set[str]] = {}
    for commands, options in re.findall(r"^\|(.*?)\|(.*)\|$", text, re.MULTILINE):
        for command in re.findall(r"`(\w+)`", commands):
            options_of.setdefault(command, set()).update(re.findall(r"`(-\S+?)[ `]", options))
    for command, described in vars(get_command(app))["commands"].items():
        assert command in options_of, f"no row for {command}"
        for option in (x for x in described.params if x.param_type_name == "option"):
            names = {*option.opts, *option.secondary_opts} - {
                "--progress",
                "--no-progress",
            }  # in the text
            assert not names or names & options_of[command], f"{command}: no option {max(names, key=len)}"


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings in links."""
    headings = re.findall(r"^#+ +(.+?)\s*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
