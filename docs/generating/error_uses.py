"""Find where each code of errors, problems and warnings is used in the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import coindex

SOURCE = Path(coindex.__file__).parent
REGISTRY = SOURCE / "error_codes.py"
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAMES = ("code", "default_code")
_WARNINGS = ("count", "Remark", "Note")
"""Calls that lead to a warning, though their names do not end in Warning."""


@dataclass(frozen=True, slots=True)
class Use:
    """A code in a module: its line, and its severity, None if it is decided at run time."""

    code: str
    module: str
    line: int
    severity: str | None


def find_uses() -> Iterator[Use]:
    """Yield each string that is given as `code=…` or assigned to `code` or `default_code`."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path != REGISTRY:
            module = path.relative_to(SOURCE).as_posix()
            for value, severity in _values(ast.parse(path.read_text(encoding="utf-8"))):
                yield from (Use(code, module, value.lineno, severity) for code in _codes(value))


def find_uncoded() -> Iterator[tuple[str, int]]:
    """Yield the module and line of each `CoindexError` and warning that is made without a code."""
    bare = ("CoindexError", "CoindexWarning", "DataWarning")
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            is_bare = _callee(node) in bare and not any(keyword.arg == "code" for keyword in node.keywords)
            is_text = _callee(node) == "warn" and any(isinstance(a, ast.Name) and a.id in bare for a in node.args)
            if is_bare or is_text:
                yield path.relative_to(SOURCE).as_posix(), node.lineno


def _values(tree: ast.Module) -> Iterator[tuple[ast.expr, str | None]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg in _NAMES:
                    yield keyword.value, _severity(node)
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None and _is_code(part):
                    yield part.value, "warning" if node.name.endswith("Warning") else "error"
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and _is_table(node):
            yield from ((value, "error") for value in node.value.values)
        elif isinstance(node, ast.FunctionDef):
            for part in ast.walk(node):
                if isinstance(part, ast.Assign) and _is_code(part):
                    yield part.value, None


def _is_code(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id in _NAMES for target in targets)


def _is_table(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "STATUS_CODES" for target in node.targets)


def _codes(value: ast.expr) -> list[str]:
    parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    strings = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [string for string in strings if _CODE.fullmatch(string)]


def _callee(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _severity(call: ast.Call) -> str | None:
    name = _callee(call)
    if name.endswith("Warning") or name in _WARNINGS:
        return "warning"
    given = [keyword.value for keyword in call.keywords if keyword.arg == "severity"]
    if name == "Finding" and call.args:
        given = [call.args[0]]
    if name == "Problem" and len(call.args) > 5:
        given = [call.args[5]]
    if given:
        return str(given[0].value) if isinstance(given[0], ast.Constant) else None
    return "error"
