"""Odd text: how CPU time grows while noise, logs, tables and very long sentences double in length.

Each text goes the way of `coindex resolve`: tokens and sentences, the default resolver, and the writers of resolved
text, HTML and JSON. A ratio of about 2 between one size and the next is linear time.
"""

from __future__ import annotations

import base64
import random
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import coindex
from coindex import Document

from .measuring import cpu_seconds, save

SIZES = (8_000, 16_000, 32_000, 64_000)
"""Characters."""
LARGER = 16
"""How many times as long the texts are that have no words to resolve: their times would be too small to compare."""
WRITERS = ("resolved", "html", "json")
TEXTS: dict[str, Callable[[int], str]] = {
    "letters without spaces": lambda size: "ab" * (size // 2),
    "random signs without spaces": lambda size: _random(size, "abcXYZ.,!?012"),
    "full stops": lambda size: ". " * (size // 2),
    "brackets": lambda size: "(" * size,
    "line breaks": lambda size: "\n" * size + "Ann left. She ran.",
    "Base64": lambda size: base64.encodebytes(random.Random(1).randbytes(size * 3 // 4)).decode(),
    "emoji": lambda size: "😀 " * (size // 2),
    "words of random signs": lambda size: _random(size, "abcXYZ.,!?012   "),
    "one sentence": lambda size: "the old man saw a dog and " * (size // 26),
    "a name": lambda size: "Alice " * (size // 6),
    "a pronoun": lambda size: "he " * (size // 3),
    "open quotes": lambda size: '"He said ' * (size // 9),
    "log": lambda size: _lines(size, "2024-05-01 12:00:{0:02} ERROR request {0} of Alice failed: it timed out"),
    "CSV": lambda size: _lines(size, "{0},Alice,Paris,She moved in 2020"),
    "prose": lambda size: "Alice saw Bob in the garden. He waved to her. " * (size // 46),
}
WITHOUT_WORDS = frozenset(list(TEXTS)[:7])


@dataclass(frozen=True)
class Time:
    """CPU seconds of one text at one size."""

    text: str
    size: int
    tokens: int
    mentions: int
    tokenizing: float
    resolving: float
    writing: float

    @property
    def total(self) -> float:
        return self.tokenizing + self.resolving + self.writing

    def row(self, before: Time | None) -> str:
        ratio = f"{self.total / before.total:.1f}" if before is not None else ""
        return (
            f"| {self.text} | {self.size:,} | {self.tokens:,} | {self.mentions:,} | {self.tokenizing:.2f} "
            f"| {self.resolving:.2f} | {self.writing:.2f} | {self.total:.2f} | {ratio} |"
        )


def _random(size: int, signs: str) -> str:
    return "".join(random.Random(1).choices(signs, k=size))


def _lines(size: int, line: str) -> str:
    return "".join(f"{line.format(number)}\n" for number in range(size // len(line)))


def measure(name: str, text: str, resolve: Callable[[Document], Document], folder: Path) -> Time:
    """Return the time of each stage."""
    made: list[Document] = []
    (tokenizing,) = cpu_seconds(lambda: made.append(Document.from_text(text, language="en")), rounds=1)
    (resolving,) = cpu_seconds(lambda: made.append(resolve(made[0])), rounds=1)
    doc = made[-1]
    writing = sum(cpu_seconds(*(lambda to=to: coindex.write(doc, folder / to, to) for to in WRITERS), rounds=1))
    return Time(name, len(text), len(doc.tokens), len(doc.mentions()), tokenizing, resolving, writing)


def main() -> None:
    resolve = coindex.load(language="en")
    resolve("Ann left. She ran.")  # so that loading the model is in no time
    times: list[Time] = []
    rows = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in TEXTS.items():
            before = None
            for size in SIZES:
                text = make(size * (LARGER if name in WITHOUT_WORDS else 1))
                before, last = measure(name, text, resolve, Path(folder)), before
                times.append(before)
                rows.append(before.row(last))
    head = [
        "| text | characters | tokens | mentions | tokens, s | resolving, s | writing, s | together, s | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    save("odd-text", {"times": [asdict(time) for time in times]}, "\n".join([*head, *rows]))
