"""A tiny corpus in ECB+ with topics, and a run on it that takes seconds: `from tiny_cross import CONFIG, make_run`.

Each document tells of a happening in a town; documents of a topic tell of the same one in other words.
"""

from __future__ import annotations

from pathlib import Path

import coindex
from coindex.document import Document, Entity
from parsed_text import words

TOPICS = {
    "1": ("storm", "struck", "Alder", "Brandt"),
    "2": ("fire", "burned", "Bexley", "Clara"),
    "3": ("flood", "struck", "Corran", "David"),
    "4": ("storm", "burned", "Dunmore", "Anna"),
}
SENTENCES = (
    "The {what} {did} old {town} / {name} said help came",
    "{name} said the {what} {did} {town}",
    "Old {town} saw the {what} / It {did} the town",
)


def documents() -> list[Document]:
    """Three documents for each topic; ids of entities hold in all of them."""
    found = []
    for topic, (what, did, town, name) in TOPICS.items():
        for number, text in enumerate(SENTENCES, 1):
            doc = words(text.format(what=what, did=did, town=town, name=name), id=f"{topic}_{number}ecb", topic=topic)
            found.append(_marked(doc, topic, {what: "what", did: "did", "said": "said", town: "town", name: "name"}))
    return found


def _marked(doc: Document, topic: str, names: dict[str, str]) -> Document:
    entities: dict[str, Entity] = {}
    forms = doc.tokens.forms
    for at, form in enumerate(forms):
        if form not in names:
            continue
        name = names[form]
        is_event = name in ("what", "did", "said")
        start = at - 1 if at and forms[at - 1] in ("old", "Old") else at
        mention = doc.mention(range(start, at + 1))
        type = "ACTION" if is_event else "LOC" if name == "town" else "HUMAN"
        entities[name] = Entity(f"{topic}{name}", (mention,), type, kind="event" if is_event else "entity")
    return doc.replace(entities=tuple(entities.values()), shared_ids=True)


CONFIG = """
kind = "cross"
name = "tiny-cross"

[corpus]
path = "news"
train = ["1", "2", "3"]
dev = ["4"]
licence = "CC0"

[model]
encoder = "encoder"
frozen = 1
types = 3
window = 40
dropout = 0.0
encoder_dropout = 0.0

[train]
epochs = 2
batch = 2
encoder_rate = 2e-3
head_rate = 1e-2
average = 0.8
smoothing = 0.0

[pairs]
rounds = 5
least = 1
members = 1
"""


def make_run(folder: Path, text: str = CONFIG) -> Path:
    """The folder with an encoder, a corpus and a configuration of both."""
    from tiny_encoders import make_encoder

    make_encoder("bert", folder / "encoder")
    coindex.write(documents(), folder / "news", "ecbplus")
    (folder / "tiny.toml").write_text(text, encoding="utf-8")
    return folder
