"""Measure inter-annotator agreement, and vote on annotations."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from ..arguments import check_corpora
from ..corpora.key_and_response import (
    STDIN,
    Documents,
    Reading,
    dataset_name,
    files_below,
    locate,
    pair_paths,
    read_stdin,
)
from ..document import Document
from ..errors import CoindexError, DataWarning, EditError, UnknownNameError, quote
from .scoring import ScoreOptions

if TYPE_CHECKING:
    from ..analysis.reports.base import Report
    from ..annotation.agreement import Disagreement, Unmarked
    from ..scoring import Result, Settings


_PARTS = re.compile(r"([^0-9A-Za-z]+)")
Versions = Mapping[str, Documents] | Sequence[Documents]
"""What each annotator made of the same documents, perhaps with the annotators' names."""


def name_versions(versions: Versions, *, least: int = 2) -> dict[str, Documents]:
    """The versions by name; those without one are named after their files, as short as that is clear."""
    if isinstance(versions, str | os.PathLike | Document):
        raise TypeError(
            f"annotations: expected a list or dict with the annotation of each annotator, not {type(versions).__name__}"
        )
    check_corpora(versions, "annotations")
    if isinstance(versions, Mapping):
        named = dict(versions)
    else:
        paths = [str(each) if isinstance(each, str | os.PathLike) else "" for each in versions]
        named = dict(zip(short_names(paths), versions, strict=True))
    if len(named) < least:
        raise CoindexError(
            f"{len(named)} annotation{'s' * (len(named) != 1)}; expected {least} or more of the same text; "
            "give a file for each annotator",
            code="too-few-annotations",
        )
    if sum(side == STDIN for side in named.values()) > 1:
        raise CoindexError(
            "-: two annotations from standard input; expected at most one; name files",
            code="unsupported-standard-input",
        )
    return named


def short_names(paths: Sequence[str]) -> list[str]:
    """Names for files: what is left of them without their endings, folders and all that they have in common.

    >>> short_names(["x/Faust-AB_Act1.conll", "x/Faust-CD_Act1.conll"]), short_names(["a/x.conll", "b/x.conll"])
    (['AB', 'CD'], ['a', 'b'])
    """
    for at, path in enumerate(paths):
        if path and path in paths[:at]:
            raise CoindexError(
                "given twice; expected each annotation once; leave one out", code="duplicate-input", path=path
            )
    if not all(paths) or len(paths) < 2:
        return [dataset_name(path) if path else f"annotator {number}" for number, path in enumerate(paths, 1)]
    parts = [_PARTS.split(path if path == STDIN else str(Path(path).with_name(dataset_name(path)))) for path in paths]
    shortest = min(map(len, parts))
    start = next((at for at in range(shortest) if len({part[at] for part in parts}) > 1), 0)
    end = next((at for at in range(1, shortest - start + 1) if len({part[-at] for part in parts}) > 1), 1)
    cut = ["".join(part[start : len(part) - end + 1]).strip("/-_. ") for part in parts]
    return cut if all(cut) and len(set(cut)) == len(cut) else list(paths)


def open_versions(
    versions: Mapping[str, Documents], settings: Settings, format: str | None, read_options: Mapping[str, str]
) -> dict[str, Iterable[Document]]:
    """The documents of each annotator, to go through as often as need be; folders are paired by their files' names."""
    paths = {
        name: os.fspath(side)
        for name, side in versions.items()
        if isinstance(side, str | os.PathLike) and side != STDIN
    }
    for path in paths.values():
        if not os.path.exists(path):
            raise CoindexError(
                "no such file or folder; expected annotations; name one that is there",
                code="unreadable-file",
                path=path,
            )
    first = next(iter(paths.values()), "")
    folders = len(paths) > 1 and all(os.path.isdir(path) for path in paths.values())
    found: dict[str, Iterable[Document]] = {}
    for name, side in versions.items():
        if side == STDIN:  # which can be read only once
            found[name] = read_stdin(format, read_options, settings)
        elif name in paths:
            if folders and paths[name] != first:
                pairs = pair_paths(first, paths[name], format)
                files = tuple(chain.from_iterable(pair.response for pair in pairs))
            else:
                files = tuple(files_below(paths[name], format))
            found[name] = Reading(files, read_options, settings)
        else:
            found[name] = _given(side, name)
    return found


def _given(side: Any, name: str) -> list[Document]:
    docs = [side] if isinstance(side, Document) else list(cast(Iterable[Document], side))
    for doc in docs:
        if not isinstance(doc, Document):
            raise CoindexError(
                f"{quote(name)}: {type(doc).__name__}; expected documents; give a path or documents",
                code="invalid-argument",
            )
    return docs


Pair = tuple[str, str]
UNMARKED: tuple[Unmarked, ...] = ("null", "missing")


@dataclass(frozen=True)
class Agreement:
    """The scores of each pair of annotators, and alpha of each pair and of all.

    `scores["A", "B"]["muc"].f1`; the first of a pair is the key. `alphas` and `alpha` have two numbers, for mentions
    that not all marked: "null", where that is a disagreement, and "missing", where it is none.
    """

    names: tuple[str, ...]
    scores: Mapping[Pair, Result]
    alphas: Mapping[Pair, Mapping[Unmarked, float | None]]
    alpha: Mapping[Unmarked, float | None]
    signature: str
    alpha_signatures: Mapping[Unmarked, str]
    about: Mapping[str, Any] = field(default_factory=dict)
    document_alphas: Sequence[Mapping[Unmarked, float | None]] = ()
    """Of all annotators together, document by document."""

    def values(self, pair: Pair) -> dict[str, float | None]:
        """All numbers of a pair by name: F1 of each metric, `conll`, `alpha`, `alpha_missing`."""
        result = self.scores[pair]
        found: dict[str, float | None] = {name: score.f1 for name, score in result.scores.items()}
        if result.conll is not None:
            found["conll"] = result.conll
        return {**found, "alpha": self.alphas[pair]["null"], "alpha_missing": self.alphas[pair]["missing"]}

    def means(self, name: str | None = None) -> dict[str, float | None]:
        """The means over the pairs of one annotator, or over all pairs."""
        pairs = [self.values(pair) for pair in self.scores if name is None or name in pair]
        return {key: _mean(values[key] for values in pairs) for key in pairs[0]}

    def by_document(self) -> dict[str, dict[str, float | None]]:
        """For each document the means over all pairs, and alpha of all annotators together."""
        results = [result.by_document() for result in self.scores.values()]
        found: dict[str, dict[str, float | None]] = {}
        for number, document in enumerate(results[0]):
            of_pairs = [result[document] for result in results]
            values = {name: _mean(one[name].f1 for one in of_pairs) for name in of_pairs[0].scores}
            alphas = self.document_alphas[number] if self.document_alphas else {}
            found[document] = {
                **values,
                "conll": _mean(one.conll for one in of_pairs),
                "alpha": alphas.get("null"),
                "alpha_missing": alphas.get("missing"),
            }
        return found

    def report(self, *, matrix: str | None = None, by_document: bool = False) -> Report:
        """Tables: pairs, annotators, and for three or more a matrix of one number."""
        from ..analysis.agreement import make_report

        return make_report(self, matrix, by_document=by_document)

    def __str__(self) -> str:
        return self.report().render()

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def agreement(
    versions: Versions, *, align: bool = False, distance: str = "passonneau", **options: Unpack[ScoreOptions]
) -> Agreement:
    """How far annotators agree, given what each made of the same documents: files, folders or documents.

    The options are those of `score`; left out, mentions have to be exactly the same and singletons count. `align`
    compares the words that all versions have, where they differ in a few. `distance` is that of alpha.

    >>> print(agreement({"Ada": "ada.conll", "Ben": "ben.conll"}))  # doctest: +SKIP
    """
    from ..annotation.agreement import DISTANCES, Disagreement, scorer_options
    from ..scoring import make_settings
    from ..scoring.profiles import signature
    from ..scoring.result import package_version

    if distance not in DISTANCES:
        raise UnknownNameError("distance", distance, DISTANCES)
    wanted = scorer_options(options)
    reading: dict[str, Any] = {name: wanted.pop(name) for name in ("format", "read_options", "jobs") if name in wanted}
    settings = make_settings(**wanted)
    named = name_versions(versions)
    opened = open_versions(named, settings, reading.get("format"), reading.get("read_options") or {})
    more = ["align:yes"] if align else []
    if align:
        opened = dict(_aligned(opened))
    sides = opened if align else _paths_or_documents(named, opened)
    scores = {pair: _score_pair(pair, sides, {**wanted, **reading}) for pair in combinations(named, 2)}
    documents, of_pairs = _disagreements(opened, settings, distance)
    return Agreement(
        names=tuple(named),
        scores=scores,
        alphas={pair: {how: found.alpha for how, found in by.items()} for pair, by in of_pairs.items()},
        alpha={how: sum((found[how] for found in documents), Disagreement()).alpha for how in UNMARKED},
        signature=signature(settings, package_version(), *more),
        alpha_signatures={how: alpha_signature(settings, distance, how, *more) for how in UNMARKED},
        about={"annotators": {name: _described(side) for name, side in named.items()}},
        document_alphas=[{how: each.alpha for how, each in found.items()} for found in documents],
    )


def alpha_signature(settings: Settings, distance: str, unmarked: Unmarked, *more: str) -> str:
    """How an alpha was computed."""
    from ..scoring.result import package_version

    singletons = f"sing:{'yes' if settings.singletons else 'no'}"
    kind = [] if settings.kind is None else [f"kind:{settings.kind}"]
    parts = ["coindex", "alpha", f"dist:{distance}", f"unmarked:{unmarked}", singletons, *kind, *more]
    return "|".join([*parts, f"v:{package_version()}"])


def _described(side: Documents) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else "documents"


def _paths_or_documents(
    named: Mapping[str, Documents], opened: Mapping[str, Iterable[Document]]
) -> dict[str, Documents]:
    """Paths where there are any, which several processes can read; else the documents."""
    return {name: opened[name] if isinstance(opened[name], list) else side for name, side in named.items()}


def _score_pair(pair: Pair, sides: Mapping[str, Documents], options: dict[str, Any]) -> Result:
    from ..annotation.agreement import tell_of_pair
    from ..annotation.versions import NotOneTextError
    from ..scoring import MismatchError
    from .scoring import score

    one, other = pair
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = score(sides[one], sides[other], **options)
        except MismatchError as error:
            raise NotOneTextError(
                error, one, other, "; --align (align=True) compares the words that all have"
            ) from error
    tell_of_pair(one, other, caught)
    return result


def _aligned(opened: Mapping[str, Iterable[Document]]) -> Iterable[tuple[str, list[Document]]]:
    """The documents over the words that all versions have; tells what was left out."""
    from ..annotation.versions import align, side_by_side

    names = list(opened)
    docs: list[list[Document]] = [[] for _ in names]
    words, mentions = [0] * len(names), [0] * len(names)
    for versions in side_by_side(opened, locate=locate):
        found = align(versions, names)
        for at, doc in enumerate(found.docs):
            docs[at].append(doc)
            words[at] += found.words[at]
            mentions[at] += found.mentions[at]
    if any(words):
        lost = ", ".join(f"{name} {more}" for name, more in zip(names, words, strict=True))
        without = f"; {sum(mentions)} mentions have no other words and are left out" if any(mentions) else ""
        message = f"words that not all versions have are left out: {lost}{without}"
        warnings.warn(DataWarning(message, code="different-text"), stacklevel=3)
    return zip(names, docs, strict=True)


def _disagreements(
    opened: Mapping[str, Iterable[Document]], settings: Settings, distance: str
) -> tuple[list[dict[Unmarked, Disagreement]], dict[Pair, dict[Unmarked, Disagreement]]]:
    """Of all annotators together, document by document; and of each pair, summed over documents."""
    from ..annotation.agreement import DISTANCES, Disagreement, disagreement
    from ..annotation.versions import on_same_words, side_by_side

    names = list(opened)
    documents: list[dict[Unmarked, Disagreement]] = []
    of_pairs = {pair: {how: Disagreement() for how in UNMARKED} for pair in combinations(names, 2)}
    for versions in side_by_side(opened, locate=locate):
        docs = [_counted(doc, settings) for doc in on_same_words(versions, names, locate=locate)]
        documents.append({how: disagreement(docs, DISTANCES[distance], how) for how in UNMARKED})
        for how in UNMARKED:
            for one, other in combinations(range(len(names)), 2):
                found = disagreement([docs[one], docs[other]], DISTANCES[distance], how)
                of_pairs[names[one], names[other]][how] += found
    return documents, of_pairs


def _counted(doc: Document, settings: Settings) -> Document:
    """The document with the entities that the settings ask for."""
    entities = (
        entity
        for entity in doc.entities
        if (settings.singletons or len(entity) > 1) and settings.kind in (None, entity.kind)
    )
    return doc.replace(entities=tuple(entities))


def _mean(values: Iterable[float | None]) -> float | None:
    found: Sequence[float] = [value for value in values if value is not None]
    return sum(found) / len(found) if found else None


def vote(
    versions: Versions,
    *,
    least: int | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    on_trust: Callable[[dict[str, float]], None] = lambda trust: None,
) -> Iterator[Document]:
    """The documents that most annotators agree with, one by one: a mention is kept by a majority, links by votes.

    Each version is a file, a folder or documents, perhaps with the annotator's name. `least` is how many have to mark
    a mention, where that is not a majority. `on_trust` is told how well each annotator agrees with the others, which
    decides where votes are equal.

    >>> docs = list(vote(["ada.conll", "ben.conll", "cleo.conll"]))  # doctest: +SKIP
    """
    from ..annotation.agreement import trust
    from ..annotation.versions import side_by_side
    from ..scoring import make_settings

    named = name_versions(versions)
    names = list(named)
    opened = open_versions(named, make_settings(match="exact"), format, read_options or {})
    trusted = trust(opened, locate=locate)
    on_trust(dict(zip(names, trusted, strict=True)))
    yield from vote_trusting(side_by_side(opened, locate=locate), names, trusted, least=least)


def vote_trusting(
    sides: Iterable[Sequence[Document]], names: Sequence[str], trust: Sequence[float], *, least: int | None = None
) -> Iterator[Document]:
    """The votes on documents of which each comes in all versions; `trust` in the annotators decides where they tie."""
    from ..annotation.versions import on_same_words
    from ..annotation.voting import vote_together

    together: list[Sequence[Document]] = []
    for docs in sides:
        if any(doc.shared_ids for doc in docs):
            together.append(docs)
            continue
        same = on_same_words(docs, names, locate=locate)
        (voted,) = vote_together([[doc] for doc in same], trust=trust, least=least)
        yield without_unused_zeros(voted, docs[0])
    if together:
        shared = [on_same_words(docs, names, locate=locate) for docs in together]
        out = vote_together(list(zip(*shared, strict=True)), trust=trust, least=least)
        for voted, docs in zip(out, together, strict=True):
            yield without_unused_zeros(voted, docs[0])


def without_unused_zeros(doc: Document, first: Document) -> Document:
    """The document without the empty nodes that the first version did not have and that no mention needs."""
    from ..document.edits import remove_zero

    if len(doc.tokens) == len(first.tokens):
        return doc
    used = {position for mention, _ in doc.mentions() for position in mention.positions}
    known = set(_empty_ids(first).values())
    for position, id in sorted(_empty_ids(doc).items(), reverse=True):
        if position not in used and id not in known:
            with suppress(EditError):  # another node hangs on it
                doc = remove_zero(doc, position)
    return doc


def _empty_ids(doc: Document) -> dict[int, tuple[int, str]]:
    """The empty nodes by position: their sentence and id."""
    return {position: (doc.sentence_index(position), token.id) for position, token in doc.tokens.empty_tokens.items()}
