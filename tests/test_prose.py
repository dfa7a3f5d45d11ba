"""The check of prose: what it looks at in each kind of file, its exceptions, and the texts of the project."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import prose

RULES = [prose.Rule(re.compile(r"\banew\b"), "again", "archaic")]
PYTHON = '''"""Read anew."""
anew = 1  # count anew
text = f"{anew} anew"
'''
MARKDOWN = """Start anew.

```bash
echo anew
```

And anew.
"""
TEMPLATE = """<p class="anew">{{ anew }}</p>
<p>Load anew</p>
<img alt="Drawn anew">
"""
SCRIPT = """const anew = 1; // anew
/* lines
   anew */
show("anew", `${anew}`.length);
"""


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.py", PYTHON, [1, 2, 3]),
        ("a.md", MARKDOWN, [1, 7]),
        ("a.html", TEMPLATE, [2, 3]),
        ("a.ts", SCRIPT, [1, 3, 4]),
        ("a.tsx", "const anew = <p class={anew}>\n  Load anew\n</p>;", [2]),
        ("a.txt", "anew\nrenewed\n", [1]),
    ],
)
def test_prose_is_checked_and_code_is_not(name: str, text: str, lines: list[int]) -> None:
    messages = list(prose.check_text(name, text, RULES, []))
    assert sorted({int(message.split(":")[1]) for message in messages}) == lines
    assert messages[0].endswith(": 'anew': write again (archaic)")


def test_exceptions() -> None:
    exemptions = [prose.Exemption("docs/*", "*anew*")]
    assert list(prose.check_text("docs/a.md", "The word *anew* is archaic.", RULES, exemptions)) == []
    assert len(list(prose.check_text("docs/a.md", "Start anew with *anew*.", RULES, exemptions))) == 1
    assert len(list(prose.check_text("README.md", "The word *anew* is archaic.", RULES, exemptions))) == 1
    assert list(prose.check_text("a.py", "x = 'anew'  # prose: ok, a quotation", RULES, [])) == []


@pytest.mark.parametrize("line", ["anew\tagain", "anew\t\tarchaic", "!docs/*\tanew"])
def test_incomplete_rules_are_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text(f"# rules\n\n{line}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"prose\.txt:3: expected three fields"):
        prose.read_rules(path)


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("The profile is mended.", True),
        ("It recommends a fix.", False),
        ("Processes; one a processor.", True),
        ("Names, parted by commas.", True),
        ("Keep it; else remove it.", True),
        ("Keep it, or something else.", False),
        ("A blank line ends a sentence.", False),
        ("A blank after the comma.", True),
        ("A separate file; nothing is hidden.", False),
    ],
)
def test_rules_of_the_project(text: str, is_refused: bool) -> None:
    rules, exemptions = prose.read_rules()
    assert bool(list(prose.check_text("a.md", text, rules, exemptions))) == is_refused


def test_checked_texts_follow_the_rules() -> None:
    done = subprocess.run([sys.executable, prose.__file__], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(list(prose.find_files(prose.CHECKED))) > 30
