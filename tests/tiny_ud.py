"""A tiny corpus with trees, and a run on it: `from tiny_ud import CONFIG, make_run`."""

from __future__ import annotations

from pathlib import Path

import coindex
from coindex.document import Document, Entity
from parsed_text import parsed

PEOPLE = (("Ana", "Fem"), ("Ivo", "Masc"), ("Eva", "Fem"), ("Jan", "Masc"))
VERBS = ("saw", "met", "left", "heard")
CONFIG = """
kind = "ud"
name = "tiny-ud"

[model]
word = 16
layers = 2
mention = 16
pair = 16
second = 8
query = 4

[train]
epochs = 12
words = 60
rate = 0.01
labels = 1
score_every = 12

[[corpora]]
name = "stories"
language = "xx"
train = "stories.conllu"
split = 12
singletons = true
licence = "CC0"

[[corpora]]
name = "others"
language = "yy"
train = "stories.conllu"
"""


def story(number: int) -> Document:
    """Somebody and a dog, the dog again, and a pronoun that agrees with the one or the other."""
    name, gender = PEOPLE[number % 4]
    verb = VERBS[number // 4 % 4]
    text = f"""
{name} {name} PROPN Gender={gender}|Number=Sing 2 nsubj
{verb} {verb} VERB Person=3|Number=Sing 0 root
a a DET PronType=Art|Definite=Ind 4 det
dog dog NOUN Gender=Neut|Number=Sing 2 obj
. . PUNCT _ 2 punct

The the DET PronType=Art|Definite=Def 2 det
dog dog NOUN Gender=Neut|Number=Sing 3 nsubj
slept sleep VERB Person=3|Number=Sing 0 root
3.1 _ _ PRON _ _ _ 3:obl
. . PUNCT _ 3 punct

{"She" if gender == "Fem" else "He"} they PRON Gender={gender}|Number=Sing|Person=3|PronType=Prs 2 nsubj
sang sing VERB Person=3|Number=Sing 0 root
. . PUNCT _ 2 punct
"""
    doc = parsed(text, id=f"story-{number}")
    person = (doc.mention([0], head=0), doc.mention([10], head=10))
    dog = (doc.mention([2, 3], head=3), doc.mention([5, 6], head=6))
    return doc.replace(entities=(Entity("e1", person), Entity("e2", dog)))


def make_run(folder: Path) -> Path:
    """A folder with a corpus and tiny.toml."""
    coindex.write([story(number) for number in range(16)], folder / "stories.conllu")
    (folder / "tiny.toml").write_text(CONFIG, encoding="utf-8")
    return folder
