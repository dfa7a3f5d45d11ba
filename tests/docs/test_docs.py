"""The documentation is true: its code runs and prints what it shows, its reference fits the code, its site builds.

In the README, in CONTRIBUTING and on every page of docs/, blocks marked `bash` and `python` run in order, those of
one page in one folder that holds a copy of examples/. A block marked `text` right after one shows its output: all of
it, or pieces with lines of "…" between. A comment `<!-- not run: WHY -->` above a block keeps it from being run.
"""

import contextlib
import importlib
import io
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import click
import pytest

import coindex
from coindex.cli.main import VERBS, cli
from coindex.document.heads import find_heads
from coindex.errors import CoindexWarning
from coindex.formats import registry
from coindex.formats.detection import FORMATS, Detection
from coindex.resolvers.registry import MODULES
from coindex.scoring.metrics.registry import METRICS
from coindex.scoring.profiles import PROFILES
from coindex.training.config import TRAINING_KINDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md"]
PAGES += sorted(path for path in DOCS.rglob("*.md") if "notes" not in path.relative_to(DOCS).parts)
TEXTS = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
_BLOCK = re.compile(
    r"^(?P<skip><!-- not run: [^\n]+ -->\n)?(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = re.compile(r"\bcoindex ([a-z][a-z0-9-]*)")


class Block(NamedTuple):
    """A piece of code, and what it prints; None where the page does not say."""

    language: str
    code: str
    output: str | None


def blocks(text: str, *, skipped: bool = False) -> Iterator[Block]:
    """The blocks of a page that are to be run; or all, also those that are skipped for want of something."""
    found = list(_BLOCK.finditer(text))
    for number, match in enumerate(found):
        if (match["skip"] and not skipped) or match["language"] not in ("bash", "python"):
            continue
        after = found[number + 1] if number + 1 < len(found) else None
        shown = after and after["language"] == "text" and not text[match.end() : after.start()].strip()
        yield Block(match["language"], match["code"], after["code"] if after and shown else None)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def run_bash(code: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONWARNINGS": ""}
    command = ["bash", "-euo", "pipefail", "-c", code]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def run_python(code: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore", CoindexWarning)
        exec(compile(code, "<docs>", "exec"), names)
    return out.getvalue()


def missing_from(output: str, shown: str) -> list[str]:
    """The pieces of what a page shows that were not printed."""
    pieces = re.split(r"^ *…\n", shown, flags=re.MULTILINE)
    printed = "\n".join(line.rstrip() for line in output.splitlines())
    return [piece for piece in pieces if piece.strip("\n") not in printed]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks(page.read_text(encoding="utf-8")):
        output = run_bash(block.code, tmp_path) if block.language == "bash" else run_python(block.code, names)
        if block.output is not None:
            assert missing_from(output, block.output) == [], f"{block.code}\nprinted:\n{output}"


def test_numbers_of_the_tutorial_on_gum(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its corpus is no part of the project, so its commands run only where the corpus is."""
    monkeypatch.setenv("GUM", str(shared_data / "en_gum"))
    page = (DOCS / "analyse/tutorial.md").read_text(encoding="utf-8")
    for block in blocks(page, skipped=True):
        assert missing_from(run_bash(block.code, tmp_path), block.output or "") == [], block.code


@pytest.mark.parametrize("page", TEXTS, ids=name_of)
def test_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = [match["code"] for match in _BLOCK.finditer(text) if match["language"] == "bash"]
    code += re.findall(r"`(coindex [^`\n]+)`", text)
    unknown = {verb for piece in code for verb in _COMMAND.findall(piece)} - VERBS.keys()
    assert not unknown


@pytest.mark.parametrize("page", TEXTS, ids=name_of)
def test_no_paths_of_a_machine(page: Path) -> None:
    assert not re.search(r"/(work|home|root|Users)/", page.read_text(encoding="utf-8"))


# --- the reference


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The command that makes the reference; like any command, it finds the modules beside it."""
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("generate")


@pytest.mark.parametrize(
    "name", ["formats.md", "cli.md", "api.md", "scoring.md", "resolvers.md", "training.md", "errors.md"]
)
def test_reference_is_up_to_date(name: str, generate: ModuleType) -> None:
    expected = generate.MADE + generate.PAGES[name]()
    there = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert there == expected, "run: python docs/generate.py"


def test_all_pages_of_the_reference_are_made_and_listed(generate: ModuleType) -> None:
    made = set(generate.PAGES)
    written = {"annotation-api.md", "campaign-api.md"}
    assert {path.name for path in (DOCS / "reference").glob("*.md")} == made | written
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert all(f"reference/{name}" in navigation for name in made)


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_format_has_its_section(name: str) -> None:
    assert f"\n## {name}\n" in (DOCS / "reference" / "formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_section(verb: str) -> None:
    assert f"\n## coindex {verb}\n" in (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")


def test_every_verb_below_a_verb_has_its_section() -> None:
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    groups = {verb: cli.get_command(click.Context(cli), verb) for verb in VERBS}
    names = [f"{verb} {name}" for verb, one in groups.items() if isinstance(one, click.Group) for name in one.commands]
    assert "experiment size" in names
    assert [name for name in names if f"\n### coindex {name}\n" not in page] == []


def test_every_public_name_is_documented() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    assert [name for name in coindex.__all__ if not name.startswith("_") and f"\n### {name}\n" not in page] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = set(re.findall(r": (\S+\.md)$", navigation, flags=re.MULTILINE))
    assert listed == {path.relative_to(DOCS).as_posix() for path in PAGES if path.is_relative_to(DOCS)}


@pytest.mark.parametrize("name", ["CITATION.cff", "README.md", "docs/index.md"])
def test_citations_name_this_version(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"^ *version *[:=] *\{?([\d.]+)", text, flags=re.MULTILINE) == [coindex.__version__]


@pytest.mark.parametrize("resolver", MODULES)
def test_every_resolver_has_its_section(resolver: str) -> None:
    assert f"\n## {resolver}\n" in (DOCS / "reference" / "resolvers.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("generate")
@pytest.mark.parametrize("kind", TRAINING_KINDS)
def test_every_training_setting_is_described(kind: str) -> None:
    training = importlib.import_module("generating.training")
    settings = [setting for section in training.sections(kind) for setting in section.settings]
    assert {"epochs", "seed"} <= {setting.name for setting in settings}
    assert [setting.name for setting in settings if not setting.meaning] == []


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_documented(metric: str) -> None:
    page = (DOCS / "reference" / "scoring.md").read_text(encoding="utf-8")
    assert f"| `{metric}` |" in page
    assert re.search(rf"^### .*`{metric}`", page, flags=re.MULTILINE)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_documented(profile: str) -> None:
    assert f"| `{profile}` |" in (DOCS / "reference" / "scoring.md").read_text(encoding="utf-8")


def test_notes_belong_to_formats() -> None:
    notes = {path.stem for path in (DOCS / "notes").glob("*.md")}
    assert notes <= {*registry.NAMES, "errors", "resolvers"}


# --- the site


def test_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install --group docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert pages
    loaded = re.compile(r"""<(?:link|script|img|iframe)\b[^>]*\b(?:href|src)=["']?(?:https?:)?//""")
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []


# --- the examples


EXAMPLES = sorted(p for p in (ROOT / "examples").iterdir() if p.name != "README.md")


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_examples_are_valid(path: Path) -> None:
    command = [sys.executable, "-m", "coindex", "validate", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0
    assert done.stdout == ""


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.suffix == ".conllu"], ids=name_of)
def test_heads_of_examples_are_those_of_their_trees(path: Path) -> None:
    for doc in coindex.read(path):
        assert find_heads(doc, overwrite=True) == doc


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("garden.conll", "conll2012"),
        ("garden.jsonlines", "jsonlines"),
        ("garden.preco.jsonl", "preco"),
        ("garden.are.xml", "are"),
        ("brat", "brat"),
    ],
)
@pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
def test_converted_examples_are_up_to_date(name: str, format: str, tmp_path: Path) -> None:
    coindex.write(coindex.read(ROOT / "examples" / "garden.conllu"), tmp_path / name, format)
    there = ROOT / "examples" / name
    for path in sorted(there.iterdir()) if there.is_dir() else [there]:
        fresh = tmp_path / name / path.name if there.is_dir() else tmp_path / name
        assert path.read_bytes() == fresh.read_bytes()


def test_examples_are_listed() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}" in listed for path in EXAMPLES)


# --- how to add a format


def test_format_of_contributing_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code, test, *_ = (block.code for block in blocks(text) if block.language == "python")
    module = ModuleType("coindex.formats.wordlines")
    module.__package__ = "coindex.formats"
    exec(compile(code, "wordlines.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "NAMES", ("wordlines", *registry.NAMES))
    line = re.search(r'^   `("wordlines": Detection.*),`', text, flags=re.MULTILINE)
    assert line is not None
    before = dict(FORMATS)
    FORMATS.clear()
    FORMATS.update(eval(f"{{{line[1]}}}", {"Detection": Detection}) | before)
    try:
        run_tests(test, tmp_path)
    finally:
        FORMATS.clear()
        FORMATS.update(before)


def test_metric_of_contributing_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, code, test, *_ = (block.code for block in blocks(text) if block.language == "python")
    module = ModuleType("coindex.scoring.metrics.pairs")
    module.__package__ = "coindex.scoring.metrics"
    exec(compile(code, "pairs.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(METRICS, "pairs", "pairs:METRIC")
    run_tests(test, tmp_path)


def test_resolver_of_contributing_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    *_, code, test = (block.code for block in blocks(text) if block.language == "python")
    module = ModuleType("coindex.resolvers.rules.capitals")
    module.__package__ = "coindex.resolvers.rules"
    exec(compile(code, "capitals.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(MODULES, "capitals", "rules.capitals")
    run_tests(test, tmp_path)


def run_tests(code: str, tmp_path: Path) -> None:
    """Call the test functions of a piece of code."""
    names: dict[str, object] = {}
    exec(compile(code, "<contributing>", "exec"), names)
    functions = [value for name, value in names.items() if name.startswith("test_")]
    assert functions
    for function in functions:
        assert callable(function)
        function(tmp_path)
