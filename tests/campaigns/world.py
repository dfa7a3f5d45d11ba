"""A small campaign in a folder: `from campaigns.world import World`."""

from __future__ import annotations

from pathlib import Path

from coindex.campaigns.definition import Campaign, read_campaign
from corefud_text import document, sentence

DEFINITION = """
name = "tiny"
title = "A tiny task"
report = "crac22"
[[tracks]]
name = "main"
profile = "crac22"
primary = "conll"
secondary = ["lea", "muc"]
[[phases]]
name = "evaluation"
opens = 2030-01-01T00:00:00Z
closes = 2030-01-08T00:00:00Z
[phases.visible]
team_names = "nobody"
[[phases]]
name = "after"
opens = 2030-02-01T00:00:00Z
releases = ["evaluation"]
[phases.visible]
scores = "everyone"
team_names = "nobody"
"""
WORDS = ["Ann", "met", "Bob", ".", "She", "liked", "him", "and", "he", "liked", "her", "."]
GOOD = {0: "a", 2: "b", 4: "a", 6: "b", 8: "b", 10: "a"}
HALF = {0: "a", 2: "b", 4: "a", 6: "b"}
BAD = {0: "a", 2: "b", 4: "b", 6: "a", 8: "a", 10: "b"}


def text(marks: dict[int, str], *ids: str, words: list[str] = WORDS) -> str:
    """A CorefUD file: for each id a document with these words, of which some are mentions."""
    made = []
    for id in ids:
        lines = [f"{word} Entity=({marks[at]})" if at in marks else word for at, word in enumerate(words)]
        made.append(document(sentence(*lines, comments=("# sent_id = s1",)), id=id))
    return "".join(made)


class World:
    """Two datasets with two documents each, and a folder for submissions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "tiny.toml"
        self.file.write_text(DEFINITION, encoding="utf-8")
        self.keys, self.received, self.scores = folder / "keys", folder / "received", folder / "scores"
        self.received.mkdir()
        self.answer("keys", GOOD, into=folder)

    @property
    def campaign(self) -> Campaign:
        return read_campaign(self.file)

    def answer(self, name: str, marks: dict[int, str], *, into: Path | None = None, only: str = "xy") -> Path:
        """A folder with a file for each dataset."""
        path = (into or self.received) / name
        path.mkdir()
        for dataset in only:
            file = path / f"{dataset}.conllu"
            file.write_text(text(marks, f"{dataset}1", f"{dataset}2"), encoding="utf-8")
        return path
