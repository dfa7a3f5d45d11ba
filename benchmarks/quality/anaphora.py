"""The four tasks of ARE 2007 on English corpora: pronouns (1, 3) and chains (2, 4), with mentions given and found.

For task 1 the documents ask for each pronoun that has an antecedent; what ARE gives as candidates are all mentions of
the key. For task 2 only mentions of chains are given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import coindex
from coindex import Document
from coindex.document import Entity, Mention, mention_order
from coindex.document.naming import antecedent, is_pronoun
from coindex.resolvers.resolver import Mentions

from ..corpora import Corpus, parser_chain
from .rows import Row, measured, percent


class Task(NamedTuple):
    """A task with the resolver that was made for it."""

    number: int
    resolver: str
    mentions: Mentions

    @property
    def profile(self) -> str:
        return f"are07-task{self.number}@1"

    @property
    def measure(self) -> str:
        return f"F1 of ARE task {self.number}"


TASKS = (
    Task(1, "nearest-np", "given"),
    Task(2, "are-baseline", "given-nonsingleton"),
    Task(3, "nearest-np", "detected"),
    Task(4, "are-baseline", "detected"),
)


def anaphora_rows(corpus: Corpus, docs: list[Document]) -> list[Row]:
    """Return one row per task."""
    parser = f"{parser_chain(corpus.parser, corpus.language)} + " if corpus.parser else ""
    return [_row(corpus.name, parser, task, docs) for task in TASKS]


def _row(corpus: str, parser: str, task: Task, docs: list[Document]) -> Row:
    key = [asked(doc) for doc in docs] if task.number == 1 else docs
    response = list(coindex.load(task.resolver, mentions=task.mentions).pipe(key))
    result = coindex.score(key, response, profile=task.profile)
    (score,) = result.scores.values()
    found = measured(parser + task.resolver, corpus, task.mentions, task.measure, result, score.f1)
    return Row(found, task.resolver, {"recall": percent(score.recall), "precision": percent(score.precision)})


def asked(doc: Document) -> Document:
    """Return the document with its pronouns that have an antecedent marked for resolution."""

    def marked(entity: Entity) -> Entity:
        order = sorted(entity.mentions, key=mention_order)
        return replace(entity, mentions=tuple(_marked(mention, order) for mention in entity.mentions))

    return doc.replace(entities=tuple(marked(entity) for entity in doc.entities))


def _marked(mention: Mention, order: list[Mention]) -> Mention:
    if not is_pronoun(mention) or antecedent(mention, order) is None:
        return mention
    return replace(mention, attributes={**mention.attributes, "anaphoric": "yes"})
