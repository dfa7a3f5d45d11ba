"""Dropped subjects, found where a document has no empty nodes and its language leaves pronouns out.

Which predicates lack a subject is seen in the tree; how likely it is that one is meant was learned from corpora that
write zeros down (`coindex.training.ud.zeros`), by what the predicate is like. A language that the corpora did not show
drops its pronouns if most of its verbs say the person of a subject that is not there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...document import Document, Token
from ...document.trees import Trees
from ...errors import CoindexError
from ..languages import language_of
from .empty_nodes import Node, insert_nodes
from .predicates import Predicate, base, open_predicates

Zeros = Literal["predict", "given", "ignore"]
ZEROS: dict[Zeros, str] = {
    "predict": "empty nodes of the input take part; where it has none, dropped subjects are found",
    "given": "empty nodes of the input take part, none are added",
    "ignore": "empty nodes take no part and none are added",
}
Place = Literal["before the verb", "before the group", "after the verb"]
LEAST_VERBS = 2
"""How many verbs with a person it takes to see whether a language drops pronouns."""
DROPPED = 1
"""How many of them lack a subject for one that has a pronoun, where it does. French and English come to 0.1."""
CLITICS = ("expl", "obj", "iobj", "aux", "cop")
"""Relations of the small words before a verb that belong to its group."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What the corpora of a language show: whether subjects are dropped, and how zeros are written down."""

    drops: bool = True
    least: float = 0.5
    """The least probability of a zero that is written."""
    place: Place = "before the verb"
    on_copula: bool = False
    """Whether a zero hangs on the copula, not on the predicate."""
    features: bool = True
    """Whether zeros have the features of a pronoun."""
    forms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Form and lemma of a zero by person, number and gender, as many of them as matter ("1 Sing")."""


UNSEEN = Habit(least=0.2)
"""For a language that the corpora did not show: its probabilities are too low, for want of weights of its own."""


@dataclass(frozen=True, slots=True)
class ZeroTable:
    """What was learned: weights of a logistic regression by feature, and habits by language."""

    weights: Mapping[str, float]
    habits: Mapping[str, Habit]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ZeroTable:
        """From what a model's description keeps."""
        try:
            habits = {
                code: Habit(**habit | {"forms": {key: tuple(pair) for key, pair in habit.get("forms", {}).items()}})
                for code, habit in data["languages"].items()
            }
            return cls({name: float(weight) for name, weight in data["weights"].items()}, habits)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise CoindexError(
                f"the model's table of zeros cannot be read ({error}); expected weights and languages, as "
                "`coindex train` writes them; train the model again, or choose --zeros given"
            ) from error

    def probability(self, predicate: Predicate, code: str) -> float:
        """How likely it is that the predicate has a dropped subject."""
        total = sum(self.weights.get(name, 0.0) for name in predicate.features)
        if code in self.habits:
            total += sum(self.weights.get(f"{code}:{name}", 0.0) for name in predicate.features)
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


def predict_zeros(doc: Document, table: ZeroTable) -> Document:
    """The document with an empty node for each dropped subject; as it is if it has any, or its language has none."""
    if has_zeros(doc):
        return doc
    trees = Trees(doc)
    if not trees.has_trees or len(trees.parents) != len(doc.tokens):
        return doc
    code = language_of(doc).code
    habit = table.habits.get(code)
    if habit is not None and not habit.drops:
        return doc
    found = open_predicates(doc, trees)
    if habit is None:
        if not drops_pronouns(doc, trees, found):
            return doc
        habit = UNSEEN
        found = [one for one in found if "Person" in one.inflection]
    chosen = [one for one in found if table.probability(one, code) >= habit.least]
    return insert_nodes(doc, list(map(_Writer(doc, trees, habit).node, chosen)))


def has_zeros(doc: Document) -> bool:
    """Whether some empty node may be an argument; copies of predicates, as enhanced graphs have them, are none."""
    return any(token.upos not in ("VERB", "AUX") for token in doc.tokens.empty_tokens.values())


def drops_pronouns(doc: Document, trees: Trees, found: Sequence[Predicate]) -> bool:
    """Whether verbs say their person and leave the pronoun out more often than not."""
    bare = sum("Person" in one.inflection and _stands_alone(doc.tokens[one.position]) for one in found)
    pronouns = sum(
        token.upos == "PRON" and base(token.deprel) == "nsubj" and "Rel" not in token.feats for token in doc.tokens
    )
    return bare >= LEAST_VERBS and bare >= DROPPED * pronouns


def _stands_alone(token: Token) -> bool:
    """Whether a subject could not be shared with a verb above, nor be the one that is told to do something."""
    return base(token.deprel) not in ("conj", "xcomp") and "Mood=Imp" not in token.feats


class _Writer:
    """Makes the empty nodes of a document as the corpora of its language write them."""

    def __init__(self, doc: Document, trees: Trees, habit: Habit) -> None:
        self.doc, self.trees, self.habit = doc, trees, habit
        self.inside = {at: one for one in doc.tokens.multiwords for at in range(one.start, one.end)}

    def node(self, predicate: Predicate) -> Node:
        doc, habit = self.doc, self.habit
        governor = predicate.copula if habit.on_copula and predicate.copula is not None else predicate.position
        relation = "nsubj:pass" if predicate.passive and habit.features else "nsubj"
        form, lemma = _form(predicate, habit)
        feats = _feats(predicate) if habit.features else "_"
        token = Token("", form, lemma, "PRON", feats=feats, deps=f"{doc.tokens[governor].id}:{relation}")
        if habit.place == "after the verb":
            last = self.inside[governor].end - 1 if governor in self.inside else governor
            return Node(token, after=last)
        at = governor if habit.place == "before the verb" else _group_start(doc, self.trees, predicate)
        return Node(token, before=self.inside[at].start if at in self.inside else at)


def _form(predicate: Predicate, habit: Habit) -> tuple[str, str]:
    values = [predicate.inflection.get(name, "") for name in ("Person", "Number", "Gender")]
    for many in (3, 2, 1, 0):
        pair = habit.forms.get(" ".join(value or "-" for value in values[:many]))
        if pair is not None:
            return pair
    return "_", "_"


def _feats(predicate: Predicate) -> str:
    return "|".join(sorted(["Case=Nom", "PronType=Prs", *(f"{k}={v}" for k, v in predicate.inflection.items())]))


def _group_start(doc: Document, trees: Trees, predicate: Predicate) -> int:
    """The first of the clitics, auxiliaries and negations that stand right before the verb."""
    at = predicate.position
    first = doc.sentence_at(at).start
    while at > first and trees.parents[at - 1] == predicate.position and _is_small(doc.tokens[at - 1]):
        at -= 1
    return at


def _is_small(token: Token) -> bool:
    rel = base(token.deprel)
    if rel == "advmod":
        return "Polarity=Neg" in token.feats
    return rel in CLITICS and token.upos in ("PRON", "AUX")
