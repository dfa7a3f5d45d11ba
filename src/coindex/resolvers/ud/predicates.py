"""Predicates of a document that have no overt subject, and what the tree tells of each: where zeros are looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...document import Document, Token
from ...document.trees import Trees

SUBJECTS = ("nsubj", "csubj")
AUXILIARIES = ("aux", "cop")
INFLECTION = ("Person", "Number", "Gender")
TOLD = ("Person", "Number", "Mood", "VerbForm", "Tense", "Voice")
"""Features of the inflected word that are looked at."""
COMPLEMENTS = ("obj", "iobj", "ccomp", "xcomp", "mark", "advmod", "obl")
"""Dependents whose presence is looked at, by their universal relation; those below by the whole."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb, or a word with a copula, by its position; `features` are names of what is true of it."""

    position: int
    copula: int | None
    inflection: Mapping[str, str]
    """Person, Number and Gender, of the verb or of what carries them for it."""
    passive: bool
    features: tuple[str, ...]


def base(deprel: str) -> str:
    """The universal part of a relation."""
    return deprel.partition(":")[0]


def open_predicates(doc: Document, trees: Trees) -> list[Predicate]:
    """Those without an overt subject, in order."""
    tokens = doc.tokens
    subjects = [False] * len(tokens)
    for position, parent in enumerate(trees.parents):
        if parent is not None and not tokens[position].is_empty and base(tokens[position].deprel) in SUBJECTS:
            subjects[parent] = True
    return [
        _predicate(tokens, trees, position, subjects, persons)
        for sentence in doc.sentences
        for persons in [_persons(doc, sentence.start, sentence.end)]
        for position in range(sentence.start, sentence.end)
        if not subjects[position] and not tokens[position].is_empty and _is_predicate(tokens, trees, position)
    ]


def _persons(doc: Document, start: int, end: int) -> Counter[str]:
    """How many words of a sentence say each person; what is reflexive means some subject of it."""
    told: Counter[str] = Counter()
    for token in doc.tokens[start:end]:
        if not token.is_empty:
            if "Reflex=Yes" in token.feats:
                told["reflexive"] += 1
            elif "Person=" in token.feats:
                told[token.features.get("Person", "")] += 1
    return told


def _is_predicate(tokens: Sequence[Token], trees: Trees, position: int) -> bool:
    token = tokens[position]
    if base(token.deprel) in AUXILIARIES:
        return False
    return token.upos in ("VERB", "AUX") or any(base(tokens[c].deprel) == "cop" for c in trees.children[position])


def _predicate(
    tokens: Sequence[Token], trees: Trees, position: int, subjects: Sequence[bool], persons: Counter[str]
) -> Predicate:
    token, children = tokens[position], trees.children[position]
    helpers = [child for child in children if base(tokens[child].deprel) in AUXILIARIES]
    copula = next((child for child in helpers if base(tokens[child].deprel) == "cop"), None)
    carriers = [token.features, *(tokens[helper].features for helper in helpers)]
    if copula is not None:  # the noun's own number and gender are not those of the subject
        carriers = [*carriers[1:], {"Gender": carriers[0].get("Gender", "")} if token.upos == "ADJ" else {}]
    carriers.sort(key=lambda feats: "Person" not in feats)
    told = {name: _first(carriers, name) for name in (*INFLECTION, *TOLD)}
    rels = [tokens[child].deprel for child in children]
    features = [
        "any",
        *(f"{name}={value}" for name, value in told.items() if value and name in TOLD),
        f"Person={told['Person'] or '-'} {told['VerbForm'] or '-'}",
        f"own {token.features.get('VerbForm', token.upos)} {'helped' if helpers else 'alone'}",
        f"rel={base(token.deprel)}",
        f"rel={token.deprel}",
        f"rel={base(token.deprel)} {'finite' if told['Person'] else 'open'}",
        *(f"has {rel}" for rel in dict.fromkeys(map(base, rels)) if rel in COMPLEMENTS),
        *(f"has {rel}" for rel in dict.fromkeys(rels) if base(rel) in ("expl", "aux", "cop")),
        *(f"mark={tokens[child].lemma.lower()}" for child in children if tokens[child].deprel == "mark"),
        *_coordination(tokens, trees, position, subjects),
        *_others(told["Person"], sum("Person" in feats for feats in carriers), persons),
        f"lemma={token.lemma.lower()}",
        *([f"cop lemma={tokens[copula].lemma.lower()}"] if copula is not None else ()),
    ]
    inflection = {name: told[name] for name in INFLECTION if told[name]}
    passive = told["Voice"] == "Pass" or any(rel.startswith(("aux:pass", "expl:pass")) for rel in rels)
    return Predicate(position, copula, inflection, passive, tuple(dict.fromkeys(features)))


def _first(carriers: Sequence[Mapping[str, str]], name: str) -> str:
    return next((feats[name] for feats in carriers if feats.get(name)), "")


def _others(person: str, own: int, persons: Counter[str]) -> Iterator[str]:
    """Whether the sentence says the person again: some corpora write down only zeros that something else means."""
    yield f"Person={person or '-'} {'again' if persons[person or '3'] > own else 'once'}"
    if persons["reflexive"]:
        yield "reflexive"


def _coordination(tokens: Sequence[Token], trees: Trees, position: int, subjects: Sequence[bool]) -> Iterator[str]:
    """Whether the subject may be that of the predicate above: "she came and went"."""
    parent = trees.parents[position]
    if parent is None:
        return
    rel = base(tokens[position].deprel)
    yield f"{rel} under {'a subject' if subjects[parent] else 'none'}"
    if rel == "conj":
        agree = all(
            tokens[position].features.get(name) == tokens[parent].features.get(name) for name in ("Person", "Number")
        )
        yield f"conj {'agrees' if agree else 'differs'} {'subject' if subjects[parent] else 'none'}"
