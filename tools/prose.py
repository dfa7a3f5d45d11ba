"""Check the prose of the project for words and phrases that it does not use: `python tools/prose.py`.

`prose.txt` beside this file lists them, one per line: a regular expression, what to write instead and why, separated by
tabs. Lines that start with "!" list exceptions: a path, the allowed text and the reason. `prose: ok` with a reason in a
comment on the same line is an exception too.

It checks the text of Markdown pages without code blocks, the strings and comments of Python, JavaScript and TypeScript,
and the text of templates.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RULES = Path(__file__).with_name("prose.txt")

CHECKED = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "docs", "examples", "frontend/src", "src/coindex", "tools")
"""Files and folders that are checked."""
IGNORED = ("*/node_modules/*", "*/static/*")
"""Dependencies and built files."""
NO_PROSE = "prose: ok"
SCRIPTS = (".ts", ".tsx", ".js", ".mjs")
_TEXT_TOKENS = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
_SCRIPT_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`", re.DOTALL)
_JSX_TEXT = re.compile(r"(?<=>)[^<>{}]+(?=[<{])")
_FENCE = re.compile(r"^ *```.*?^ *```$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_TEMPLATE_CODE = re.compile(r"\{[{%].*?[%}]\}|<(?:script|style)\b.*?</(?:script|style)>|<[^>]+>", re.DOTALL)
_SHOWN_ATTRIBUTE = re.compile(r"\b(?:title|alt|placeholder|aria-label|content)=\"([^\"]*)\"")


class Rule(NamedTuple):
    """A pattern that is refused."""

    pattern: re.Pattern[str]
    replacement: str
    reason: str


class Exemption(NamedTuple):
    """A text that is allowed in the files of a path."""

    path: str
    text: str


def read_rules(path: Path = RULES) -> tuple[list[Rule], list[Exemption]]:
    """Read the rules and the exceptions."""
    rules, exemptions = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not all(fields):
            raise SystemExit(f"{path}:{number}: expected three fields, separated by tabs: {line!r}")
        if line.startswith("!"):
            exemptions.append(Exemption(fields[0][1:], fields[1]))
        else:
            rules.append(Rule(re.compile(fields[0], re.IGNORECASE), fields[1], fields[2]))
    return rules, exemptions


def iterate_text(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers and lines that contain prose, without the code around it."""
    suffix = Path(name).suffix
    if suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in _TEXT_TOKENS:
                yield from enumerate(token.string.split("\n"), token.start[0])
    elif suffix in SCRIPTS:
        for match in [*_SCRIPT_TEXT.finditer(text), *(_JSX_TEXT.finditer(text) if suffix == ".tsx" else ())]:
            yield from enumerate(match[0].split("\n"), text.count("\n", 0, match.start()) + 1)
    else:
        code = {".md": _FENCE, ".html": _TEMPLATE_CODE}.get(suffix)
        prose = text if code is None else code.sub(_drop_code, text)
        yield from enumerate(prose.split("\n"), 1)


def _drop_code(match: re.Match[str]) -> str:
    """Return what a reader sees of a piece of code, that is attributes of HTML, and as many lines."""
    shown = " ".join(_SHOWN_ATTRIBUTE.findall(match[0])) if match[0].startswith("<") else ""
    return shown.replace("\n", " ") + "\n" * match[0].count("\n")


def check_text(name: str, text: str, rules: Iterable[Rule], exemptions: Iterable[Exemption]) -> Iterator[str]:
    """Yield a message for each refused word of a file."""
    lines = text.split("\n")
    allowed = [exemption.text for exemption in exemptions if fnmatch(name, exemption.path)]
    for number, prose in iterate_text(name, text):
        if NO_PROSE in lines[number - 1]:
            continue
        for exempt in allowed:
            prose = prose.replace(exempt, "")
        for rule in rules:
            if match := rule.pattern.search(prose):
                yield f"{name}:{number}: {match[0].strip()!r}: write {rule.replacement} ({rule.reason})"


def find_files(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the files with prose below the paths."""
    for path in map(ROOT.joinpath, paths):
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            name = file.relative_to(ROOT).as_posix()
            has_prose = file.suffix in (".md", ".py", ".html", ".toml", ".txt", *SCRIPTS)
            if file.is_file() and has_prose and not any(fnmatch(name, ignored) for ignored in IGNORED):
                yield file


def main() -> None:
    """Check the paths of the command line, or all of CHECKED, and exit with 1 if there is a refused word."""
    rules, exemptions = read_rules()
    paths = [Path(path).resolve().relative_to(ROOT).as_posix() for path in sys.argv[1:]] or CHECKED
    count = 0
    for file in find_files(paths):
        name = file.relative_to(ROOT).as_posix()
        if file == RULES:
            continue
        for message in check_text(name, file.read_text(encoding="utf-8"), rules, exemptions):
            sys.stdout.write(message + "\n")
            count += 1
    if count:
        sys.exit(f"{count} places to rewrite; exceptions go into {RULES.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    main()
