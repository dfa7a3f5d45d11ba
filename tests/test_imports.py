"""The package as a whole: it is typed, every module can be imported, and none imports it by its name."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import coindex

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
