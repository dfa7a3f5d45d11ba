"""The package as a whole: it is typed and light, every module can be imported, and none imports it by its name."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import coindex
from coindex import Document, api
from coindex.formats.detection import FORMATS

ROOT = Path(coindex.__file__).parent
MODULES = sorted(
    info.name for info in pkgutil.walk_packages([str(ROOT)], prefix="coindex.") if info.name != "coindex.__main__"
)
FILES = sorted(ROOT.rglob("*.py"))


def test_the_package_is_typed() -> None:
    assert (ROOT / "py.typed").is_file()


def test_there_are_modules() -> None:
    assert {"coindex.errors", "coindex.api", "coindex.formats.corefud.reader", "coindex.cli.main"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_can_be_imported(name: str) -> None:
    if name.startswith("coindex.training."):
        pytest.importorskip("torch", reason="training needs the extra coindex[train]")
    if name.startswith(("coindex.server", "coindex.server")):
        pytest.importorskip("starlette", reason="the store and the web app need the extra coindex[web]")
    if name == "coindex.integrations.llama_index":
        pytest.importorskip("llama_index.core", reason="it needs the extra coindex[llama-index]")
    assert importlib.import_module(name).__doc__, f"{name} has no docstring"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_imports_the_package_by_its_name(path: Path) -> None:
    """That is how one library got an import cycle of 42 of its 46 modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not [alias for alias in node.names if alias.name.partition(".")[0] == "coindex"]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").partition(".")[0] != "coindex"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_uses_what_it_should_not(path: Path) -> None:
    """No exec or eval; no except without a kind of error; asserts are for our own invariants and may go with -O."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("exec", "eval")
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None


def test_every_package_is_one() -> None:
    folders = {path.parent for path in FILES}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


# --- what `import coindex` loads

HEAVY = ("analysis", "annotation", "annotation_app", "campaigns", "cli", "engines", "resolvers", "scoring", "server")
HEAVY += ("service", "serving", "training")
FOREIGN = ("alembic", "click", "matplotlib", "numpy", "onnxruntime", "pandas", "rich", "scipy", "spacy", "sqlalchemy")
FOREIGN += ("prometheus_client", "py3langid", "starlette", "uvicorn", "tokenizers", "torch", "transformers")


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh Python has after some code."""
    program = f"{code}\nimport sys\nsys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_it_is_light() -> None:
    """Only the document model, the errors, detection of formats, and functions that import the rest when called."""
    loaded = loaded_after("import coindex")
    assert "coindex.api.scoring" in loaded
    assert [name for name in sorted(loaded) if name.partition(".")[0] in FOREIGN] == []
    inside = {name for name in loaded if name.startswith("coindex.")}
    allowed = {"coindex.resolvers"}  # the bare package, whose name is also that of a function
    assert [name for name in sorted(inside - allowed) if name.split(".")[1] in HEAVY] == []
    assert {name for name in inside if name.startswith("coindex.formats.")} <= {
        "coindex.formats.detection",
        "coindex.formats.discovery",
        "coindex.formats.foreign",
        "coindex.formats.registry",
        "coindex.formats.remote",
        "coindex.formats.sink",
        "coindex.formats.source",
        "coindex.formats.text",
    }


# --- what commands load


def loaded_by(*arguments: str) -> set[str]:
    """Return the modules of the package that a command has loaded when it ends."""
    code = f"""
import os, sys
from coindex.cli.main import main
sys.argv = {["coindex", *arguments]!r}
out, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf-8")
try: main()
except SystemExit as end: assert not end.code, end.code
sys.stdout = out"""
    return {name for name in loaded_after(code) if name.partition(".")[0] == "coindex"}


def format_modules(loaded: set[str]) -> set[str]:
    """The formats of which a module was loaded."""
    inside = {name.removeprefix("coindex.formats.").partition(".")[0] for name in loaded if ".formats." in name}
    return {name for name in FORMATS if name.replace("-", "_") in inside}


def test_help_loads_few_modules() -> None:
    """46 when this was written: those of `import coindex`, and the command line's own."""
    loaded = loaded_by("--help")
    assert "coindex.cli.main" in loaded
    assert len(loaded) <= 50, sorted(loaded)
    assert format_modules(loaded) <= {"text"}


def test_resolving_a_text_loads_few_modules(tmp_path: Path) -> None:
    """89 when this was written. Of formats only what is read by that name, and what the terminal shows."""
    story = tmp_path / "story.txt"
    story.write_text("Ada has a dog. She loves it.\n", encoding="utf-8")
    loaded = loaded_by("resolve", str(story))
    assert any(name.startswith("coindex.resolvers.neural.") for name in loaded), "it was resolved"
    assert len(loaded) <= 110, sorted(loaded)
    assert format_modules(loaded) == {"text", "terminal"}


def test_scoring_loads_neither_other_formats_nor_what_draws(tmp_path: Path) -> None:
    """97 when this was written."""
    key = tmp_path / "key.conllu"
    coindex.write(Document.from_text("Ada has a dog .", id="d"), key)
    loaded = loaded_by("score", str(key), str(key))
    assert "coindex.scoring.result" in loaded
    assert len(loaded) <= 105, sorted(loaded)
    assert format_modules(loaded) == {"text", "corefud"}
    assert not loaded & {"coindex.analysis.figures", "coindex.render.layout"}


def test_functions_keep_their_names_when_packages_of_that_name_are_loaded() -> None:
    code = "import coindex, coindex.formats.corefud, coindex.resolvers.registry\n"
    code += "assert coindex.formats()[0].name and coindex.resolvers()[0].name"
    assert "coindex.resolvers.registry" in loaded_after(code)


def test_every_public_name_is_there() -> None:
    for module in (coindex, api):
        assert sorted(module.__all__) == sorted(set(module.__all__))
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert [name for name in coindex.__all__ if hasattr(api, name) and name not in api.__all__] == []
