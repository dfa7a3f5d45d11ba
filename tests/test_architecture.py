"""The structure of the package: no import cycles, a thin API, a page that describes the tree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import grimp
import pytest

import coindex

ROOT = Path(coindex.__file__).parent
TESTS = Path(__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("coindex", cache_dir=None)


def cycles(imports: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, by Tarjan's algorithm without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups = []
    for start, first in imports.items():
        if start in index:
            continue
        work = [(start, iter(sorted(first)))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            module, following = work[-1]
            after = next(following, None)
            if after is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == index[module]:
                    at = stack.index(module)
                    group, stack[at:] = stack[at:], []
                    if len(group) > 1:
                        groups.append(sorted(group))
            elif after not in index:
                index[after] = low[after] = len(index)
                stack.append(after)
                work.append((after, iter(sorted(imports[after]))))
            elif after in stack:
                low[module] = min(low[module], index[after])
    return groups


def test_cycles_are_found() -> None:
    imports = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"e"}, "f": {"g"}, "g": {"f"}}
    assert cycles(imports) == [["a", "b", "c"], ["f", "g"]]


def test_no_modules_import_each_other(graph: grimp.ImportGraph) -> None:
    """Imports inside functions and for types count too."""
    imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    assert sum(map(len, imports.values())) > 1000
    assert cycles(imports) == []


def test_the_api_is_thin() -> None:
    modules = list((ROOT / "api").glob("*.py"))
    assert len(modules) <= 20
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules) <= 3000


def test_the_page_describes_the_tree() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("## The layers")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = {name for cell in cells for name in re.findall(r"`([a-z_]+)(?:/|\.py)`", cell)}
    there = {path.stem for path in ROOT.glob("*.py") if not path.stem.startswith("__")}
    there |= {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert there - listed == {"arguments"}
    assert listed <= there


def test_modules_named_in_the_architecture_page_exist() -> None:
    calls = PAGE.read_text(encoding="utf-8").partition("## How a call runs")[2]
    named = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+\.py)`", calls)
    assert len(named) > 25
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_layers_of_the_page_are_those_that_are_checked() -> None:
    settings = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    shown = PAGE.read_text(encoding="utf-8").partition("```text\n")[2].partition("```")[0].splitlines()
    assert [layer.replace("(", "").replace(")", "") for layer in contract["layers"]] == shown


def test_the_tests_mirror_the_package() -> None:
    """Tests of a folder of the package are in the folder of the same name; what spans folders is listed here."""
    across = {".", "benchmarks", "browser", "docs", "golden", "reference", "tools"}
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert sorted(name for name in folders - across if not (ROOT / name).is_dir()) == []
