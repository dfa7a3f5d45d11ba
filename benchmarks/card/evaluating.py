"""Score a system on a development set: as a whole in several ways, by genre, by type of mention."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import coindex
from coindex import Document
from coindex.document.documents import genre_of
from coindex.scoring import Result
from coindex.training.card import Evaluation, Group, Way
from coindex.training.neural.data import strip_columns

from ..corpora import CORPORA, Corpus
from ..systems import System
from .types import anaphors, by_tag, with_columns

METRICS = ("muc", "b3", "ceafe", "mentions")


class Dev(NamedTuple):
    """A development set: `scheme` is its annotation scheme in models; `tagged` is a corpus with its tags."""

    name: str
    corpus: str
    scheme: str
    tagged: str
    matches: tuple[str, ...]


DEVS = (
    Dev("GUM dev", "en_gum dev", "gum", "en_gum dev", ("head", "exact", "partial")),
    Dev("LitBank dev", "en_litbank dev", "litbank", "en_litbank dev, parsed", ("exact",)),
)


def find_corpus(name: str) -> Corpus:
    return next(corpus for corpus in CORPORA if corpus.name == name)


def evaluate(dev: Dev, system: System, *, trees: bool) -> Evaluation:
    """Resolve the raw tokens, or with `trees` the parsed ones, and score."""
    key = find_corpus(dev.corpus).key()
    tagged = find_corpus(dev.tagged).input()
    given = tagged if trees else [strip_columns(doc) for doc in key]
    response = list(system.pipe(given))
    same = [doc.replace(id=k.id, genre=k.genre) for k, doc in zip(key, response, strict=True)]
    main = dev.matches[0]
    note = "" if tagged else "No parser is installed to determine the types of mentions."
    if tagged and dev.tagged != dev.corpus:
        note = "The corpus has no tags: types of mentions come from a parser."
    sides = [with_columns(docs, tagged) for docs in (key, same)] if tagged else []
    return Evaluation(
        corpus=dev.name,
        system=system.name,
        documents=len(key),
        words=sum(len(doc.tokens) for doc in key),
        input="tokens with columns and trees" if trees else "raw tokens and sentences, with speakers where it has them",
        ways=tuple(_ways(dev.matches, key, same)),
        genres=tuple(_genres(key, same, main)),
        anaphors=tuple(anaphors(*sides, match=main)) if sides else (),
        by_tag=by_tag(*sides, match=main) if sides else {},
        note=note,
    )


def _score(key: Sequence[Document], response: Sequence[Document], match: str, singletons: bool = False) -> Result:
    return coindex.score(list(key), list(response), match=match, singletons=singletons, metrics=METRICS)


def _numbers(result: Result) -> dict[str, float]:
    return {"conll": 100 * (result.conll or 0), "mentions": 100 * result["mentions"].f1}


def _ways(matches: Sequence[str], key: Sequence[Document], response: Sequence[Document]) -> Iterator[Way]:
    for singletons in (False, True):
        for match in matches:
            result = _score(key, response, match, singletons)
            name = f"{match}, with singletons" if singletons else match
            yield Way(name=name, signature=result.signature, **_numbers(result))
            sys.stderr.write(f"{name}: {result.conll}\n")


def _genres(key: Sequence[Document], response: Sequence[Document], match: str) -> Iterator[Group]:
    names = sorted(set(filter(None, map(genre_of, key))))
    for name in names if len(names) > 1 else ():
        own = [at for at, doc in enumerate(key) if genre_of(doc) == name]
        result = _score([key[at] for at in own], [response[at] for at in own], match)
        words = sum(len(key[at].tokens) for at in own)
        yield Group(name=name, documents=len(own), words=words, **_numbers(result))
