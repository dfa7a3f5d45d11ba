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
from .scoring import ScoreOptions, score

if TYPE_CHECKING:
    from ..analysis.reports.base import Report
    from ..analysis.tables import Table
    from ..annotation.agreement import Disagreement, Unmarked
    from ..scoring import Result, Settings


_PARTS = re.compile(r"([^0-9A-Za-z]+)")
Versions = Mapping[str, Documents] | Sequence[Documents]
"""The annotations of the same documents by several annotators: a list, or a dict from names of annotators."""


def name_versions(versions: Versions, *, least: int = 2) -> dict[str, Documents]:
    """Return the versions by name; those without a name get a short unambiguous one from their file."""
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
            f"{len(named)} annotation{'s' * (len(named) != 1)} given; at least {least} of the same text are needed; "
            "name a file for each annotator",
            code="too-few-annotations",
        )
    if sum(side == STDIN for side in named.values()) > 1:
        raise CoindexError(
            "-: standard input can be only one of the annotations; name files for the others",
            code="unsupported-standard-input",
        )
    return named


def short_names(paths: Sequence[str]) -> list[str]:
    """Return short names for files: the part of their paths that differs, without extensions.

    >>> short_names(["x/Faust-AB_Act1.conll", "x/Faust-CD_Act1.conll"]), short_names(["a/x.conll", "b/x.conll"])
    (['AB', 'CD'], ['a', 'b'])
    """
    for at, path in enumerate(paths):
        if path and path in paths[:at]:
            raise CoindexError("the file is given twice; name each annotation once", code="duplicate-input", path=path)
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
    """Return the documents of each annotator, which can be iterated repeatedly; files of folders are paired by name."""
    paths = {
        name: os.fspath(side)
        for name, side in versions.items()
        if isinstance(side, str | os.PathLike) and side != STDIN
    }
    for path in paths.values():
        if not os.path.exists(path):
            raise CoindexError(
                "no such file or folder; check the path",
                code="unreadable-file",
                path=path,
            )
    first = next(iter(paths.values()), "")
    folders = len(paths) > 1 and all(os.path.isdir(path) for path in paths.values())
    opened: dict[str, Iterable[Document]] = {}
    for name, side in versions.items():
        if side == STDIN:  # which can be read only once
            opened[name] = read_stdin(format, read_options, settings)
        elif name in paths:
            if folders and paths[name] != first:
                pairs = pair_paths(first, paths[name], format)
                files = tuple(chain.from_iterable(pair.response for pair in pairs))
            else:
                files = tuple(files_below(paths[name], format))
            opened[name] = Reading(files, read_options, settings)
        else:
            opened[name] = _list_documents(side, name)
    return opened


def _list_documents(side: Any, name: str) -> list[Document]:
    docs = [side] if isinstance(side, Document) else list(cast(Iterable[Document], side))
    for doc in docs:
        if not isinstance(doc, Document):
            raise CoindexError(
                f"{quote(name)}: expected documents, not {type(doc).__name__}; pass a path or documents",
                code="invalid-argument",
            )
    return docs


Pair = tuple[str, str]
UNMARKED: tuple[Unmarked, ...] = ("null", "missing")


@dataclass(frozen=True)
class Agreement:
    """The agreement of annotators: the scores and alpha of each pair, and alpha of all annotators.

    Alpha is computed twice. With "null", a mention that only some annotators marked counts as a disagreement; with
    "missing", it is ignored.
    """

    names: tuple[str, ...]
    scores: Mapping[Pair, Result]
    """The result of each pair, in which the first is the key: `scores["A", "B"]["muc"].f1`."""
    alphas: Mapping[Pair, Mapping[Unmarked, float | None]]
    """Both alphas of each pair."""
    alpha: Mapping[Unmarked, float | None]
    """Both alphas of all annotators."""
    signature: str
    alpha_signatures: Mapping[Unmarked, str]
    about: Mapping[str, Any] = field(default_factory=dict)
    document_alphas: Sequence[Mapping[Unmarked, float | None]] = ()
    """Both alphas of all annotators, for each document."""

    def values(self, pair: Pair) -> dict[str, float | None]:
        """Return all numbers of a pair by name: F1 of each metric, `conll`, `alpha`, `alpha_missing`."""
        result = self.scores[pair]
        values: dict[str, float | None] = {name: score.f1 for name, score in result.scores.items()}
        if result.conll is not None:
            values["conll"] = result.conll
        return {**values, "alpha": self.alphas[pair]["null"], "alpha_missing": self.alphas[pair]["missing"]}

    def means(self, name: str | None = None) -> dict[str, float | None]:
        """Return the means over the pairs of one annotator, or over all pairs."""
        pairs = [self.values(pair) for pair in self.scores if name is None or name in pair]
        return {key: _mean(values[key] for values in pairs) for key in pairs[0]}

    def by_document(self) -> dict[str, dict[str, float | None]]:
        """Return, for each document, the means over all pairs and both alphas of all annotators."""
        by_pair = [result.by_document() for result in self.scores.values()]
        by_document: dict[str, dict[str, float | None]] = {}
        for number, document in enumerate(by_pair[0]):
            results = [pair[document] for pair in by_pair]
            values = {name: _mean(result[name].f1 for result in results) for name in results[0].scores}
            alphas = self.document_alphas[number] if self.document_alphas else {}
            by_document[document] = {
                **values,
                "conll": _mean(result.conll for result in results),
                "alpha": alphas.get("null"),
                "alpha_missing": alphas.get("missing"),
            }
        return by_document

    def report(self, *, matrix: str | None = None, by_document: bool = False) -> Report:
        """Return tables of pairs and annotators and, for three or more annotators, a matrix of one number."""
        from ..analysis.agreement import make_report

        return make_report(self, matrix, by_document=by_document)

    def __str__(self) -> str:
        return self.report().render()

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def agreement(
    versions: Versions, *, align: bool = False, distance: str = "passonneau", **options: Unpack[ScoreOptions]
) -> Agreement:
    """Measure inter-annotator agreement: scores of each pair of annotators, and Krippendorff's alpha.

    Parameters:

    - `versions`: the annotations of the same documents, as a list or as a dict from names of annotators. Each is a
      file, a folder or documents.
    - `align`: allow texts that differ in a few words, and compare the words that all versions share.
    - `distance`: the distance between entities for alpha: "passonneau" or "masi".
    - `options`: those of `score`. By default mentions are matched exactly and singletons are kept.

    Returns an `Agreement`.

    >>> print(agreement({"Ada": "ada.conll", "Ben": "ben.conll"}))  # doctest: +SKIP
    """
    from ..annotation.agreement import DISTANCES, Disagreement, scorer_options
    from ..scoring import make_settings
    from ..scoring.profiles import signature
    from ..scoring.result import package_version

    if distance not in DISTANCES:
        raise UnknownNameError("distance", distance, DISTANCES)
    wanted = scorer_options(options)
    reading: dict[str, Any] = {
        name: wanted.pop(name) for name in ("format", "read_options", "jobs", "engine", "address") if name in wanted
    }
    settings = make_settings(**wanted)
    named = name_versions(versions)
    opened = open_versions(named, settings, reading.get("format"), reading.get("read_options") or {})
    more = ["align:yes"] if align else []
    if align:
        opened = dict(_align_versions(opened))
    sides = opened if align else _paths_or_documents(named, opened)
    scores = {pair: _score_pair(pair, sides, {**wanted, **reading}) for pair in combinations(named, 2)}
    documents, of_pairs = _disagreements(opened, settings, distance)
    return Agreement(
        names=tuple(named),
        scores=scores,
        alphas={pair: {how: measured.alpha for how, measured in by.items()} for pair, by in of_pairs.items()},
        alpha={how: sum((document[how] for document in documents), Disagreement()).alpha for how in UNMARKED},
        signature=signature(settings, package_version(), *more),
        alpha_signatures={how: alpha_signature(settings, distance, how, *more) for how in UNMARKED},
        about={"annotators": {name: _describe(side) for name, side in named.items()}},
        document_alphas=[{how: measured.alpha for how, measured in document.items()} for document in documents],
    )


def alpha_signature(settings: Settings, distance: str, unmarked: Unmarked, *more: str) -> str:
    """Return the signature of an alpha, which specifies how it was computed."""
    from ..scoring.result import package_version

    singletons = f"sing:{'yes' if settings.singletons else 'no'}"
    kind = [] if settings.kind is None else [f"kind:{settings.kind}"]
    parts = ["coindex", "alpha", f"dist:{distance}", f"unmarked:{unmarked}", singletons, *kind, *more]
    return "|".join([*parts, f"v:{package_version()}"])


def _describe(side: Documents) -> str:
    return os.fspath(side) if isinstance(side, str | os.PathLike) else "documents"


def _paths_or_documents(
    named: Mapping[str, Documents], opened: Mapping[str, Iterable[Document]]
) -> dict[str, Documents]:
    """Return paths where possible, since several processes can read them; otherwise the documents."""
    return {name: opened[name] if isinstance(opened[name], list) else side for name, side in named.items()}


def _score_pair(pair: Pair, sides: Mapping[str, Documents], options: dict[str, Any]) -> Result:
    from ..annotation.agreement import warn_about_pair
    from ..annotation.versions import NotOneTextError
    from ..scoring import MismatchError
    from .scoring import score

    first, second = pair
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = score(sides[first], sides[second], **options)
        except MismatchError as error:
            raise NotOneTextError(
                error, first, second, "; use --align (align=True in Python) to compare the words that all share"
            ) from error
    warn_about_pair(first, second, caught)
    return result


def _align_versions(opened: Mapping[str, Iterable[Document]]) -> Iterable[tuple[str, list[Document]]]:
    """Reduce the documents to the words that all versions share, and warn of what is left out."""
    from ..annotation.versions import align, side_by_side

    names = list(opened)
    docs: list[list[Document]] = [[] for _ in names]
    words, mentions = [0] * len(names), [0] * len(names)
    for versions in side_by_side(opened, locate=locate):
        aligned = align(versions, names)
        for at, doc in enumerate(aligned.docs):
            docs[at].append(doc)
            words[at] += aligned.words[at]
            mentions[at] += aligned.mentions[at]
    if any(words):
        lost = ", ".join(f"{name} {number}" for name, number in zip(names, words, strict=True))
        without = f"; {sum(mentions)} mentions without other words are ignored too" if any(mentions) else ""
        message = f"words that some versions lack are ignored: {lost}{without}"
        warnings.warn(DataWarning(message, code="different-text"), stacklevel=3)
    return zip(names, docs, strict=True)


def _disagreements(
    opened: Mapping[str, Iterable[Document]], settings: Settings, distance: str
) -> tuple[list[dict[Unmarked, Disagreement]], dict[Pair, dict[Unmarked, Disagreement]]]:
    """Return the disagreement of all annotators for each document, and that of each pair over all documents."""
    from ..annotation.agreement import DISTANCES, Disagreement, disagreement
    from ..annotation.versions import on_same_words, side_by_side

    names = list(opened)
    documents: list[dict[Unmarked, Disagreement]] = []
    of_pairs = {pair: {how: Disagreement() for how in UNMARKED} for pair in combinations(names, 2)}
    for versions in side_by_side(opened, locate=locate):
        docs = [_filter_entities(doc, settings) for doc in on_same_words(versions, names, locate=locate)]
        documents.append({how: disagreement(docs, DISTANCES[distance], how) for how in UNMARKED})
        for how in UNMARKED:
            for first, second in combinations(range(len(names)), 2):
                of_pair = disagreement([docs[first], docs[second]], DISTANCES[distance], how)
                of_pairs[names[first], names[second]][how] += of_pair
    return documents, of_pairs


def _filter_entities(doc: Document, settings: Settings) -> Document:
    """Return the document with only the entities that the settings select."""
    entities = (
        entity
        for entity in doc.entities
        if (settings.singletons or len(entity) > 1) and settings.kind in (None, entity.kind)
    )
    return doc.replace(entities=tuple(entities))


def _mean(values: Iterable[float | None]) -> float | None:
    known: Sequence[float] = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def vote(
    versions: Versions,
    *,
    least: int | None = None,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    on_trust: Callable[[dict[str, float]], None] = lambda trust: None,
) -> Iterator[Document]:
    """Merge the annotations of several annotators by voting on mentions and links.

    Parameters:

    - `versions`: the annotations of the same documents, as a list or as a dict from names of annotators. Each is a
      file, a folder or documents.
    - `least`: how many annotators have to mark a mention (default: a majority).
    - `format`, `read_options`: the input format (default: detected) and its options.
    - `on_trust`: called with how well each annotator agrees with the others, which decides ties.

    Yields the merged documents one by one.

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
    """Yield merged documents, given all versions of each; `trust` in the annotators decides ties."""
    from ..annotation.versions import on_same_words
    from ..annotation.voting import vote_together

    together: list[Sequence[Document]] = []
    for docs in sides:
        if any(doc.shared_ids for doc in docs):
            together.append(docs)
            continue
        same = on_same_words(docs, names, locate=locate)
        (voted,) = vote_together([[doc] for doc in same], trust=trust, least=least)
        yield remove_unused_zeros(voted, docs[0])
    if together:
        shared = [on_same_words(docs, names, locate=locate) for docs in together]
        out = vote_together(list(zip(*shared, strict=True)), trust=trust, least=least)
        for voted, docs in zip(out, together, strict=True):
            yield remove_unused_zeros(voted, docs[0])


def remove_unused_zeros(doc: Document, first: Document) -> Document:
    """Return the document without the empty nodes that the first version lacks and that no mention needs."""
    from ..document.edits import remove_zero

    if len(doc.tokens) == len(first.tokens):
        return doc
    used = {position for mention, _ in doc.mentions() for position in mention.positions}
    known = set(_empty_ids(first).values())
    for position, id in sorted(_empty_ids(doc).items(), reverse=True):
        if position not in used and id not in known:
            with suppress(EditError):  # another node depends on it
                doc = remove_zero(doc, position)
    return doc


def _empty_ids(doc: Document) -> dict[int, tuple[int, str]]:
    """Return the sentence and id of each empty node, by position."""
    return {position: (doc.sentence_index(position), token.id) for position, token in doc.tokens.empty_tokens.items()}


SOURCE = "Chen et al. 2018 (PreCo), Table 2"
PARTS = {"precision": "P", "recall": "R", "f1": "F1"}
AVERAGED = ("muc", "b3", "ceafe")
METRICS = ("mentions", *AVERAGED)


def quality(
    once: Versions,
    final: Versions,
    merged: Versions = (),
    **options: Unpack[ScoreOptions],
) -> Report:
    """Measure the quality of single annotations, of voting and of merging, against refined annotations.

    Each annotation is a file, a folder or documents.

    Parameters:

    - `once`: independent annotations (A, B, C), as a list or as a dict from names.
    - `final`: refined annotations (D, E, F), whose vote is the key; a single one is the key itself.
    - `merged`: annotations that were merged by hand from two independent ones (AB).
    - `options`: those of `score`. By default mentions are matched exactly and singletons are kept.

    Returns a `Report` with a row for each procedure. Scores are means of MUC, B³ and CEAF-e over the annotations of a
    row.

    >>> print(quality(["a.conll", "b.conll", "c.conll"], ["d.conll", "e.conll", "f.conll"]))  # doctest: +SKIP
    """
    from ..analysis.reports.base import Report
    from ..annotation.agreement import scorer_options

    first, refined = name_versions(once, least=1), name_versions(final, least=1)
    scoring = {**scorer_options(options), "metrics": METRICS}

    def merge(versions: Mapping[str, Documents]) -> Documents:
        """Return the vote of the annotators; a single annotation stays as it is."""
        if len(versions) == 1:
            return next(iter(versions.values()))
        return list(vote(versions, format=options.get("format"), read_options=options.get("read_options")))

    key = merge(refined)
    rows: dict[str, list[Result]] = {"once": [score(key, side, **scoring) for side in first.values()]}
    if len(first) > 1:
        rows[f"{_join_names(first)}-voting"] = [score(key, merge(first), **scoring)]
    for name, side in name_versions(merged, least=0).items():
        rows[f"{name}-merge"] = [score(key, side, **scoring)]
    label = _join_names(refined)
    rows[f"{label}-voting" if len(refined) > 1 else label] = [score(key, key, **scoring)]
    return Report(name="quality", source=SOURCE, tables=[_table(rows)])


def _join_names(versions: Mapping[str, Documents]) -> str:
    """Return the names together: "ABC" if they are letters, otherwise "Ada+Ben+Cleo"."""
    return ("" if all(len(name) == 1 for name in versions) else "+").join(versions)


def _table(rows: Mapping[str, Sequence[Result]]) -> Table:
    from ..analysis.tables import Column, Row, Table

    columns = [
        Column(f"{name}_{part}", title, group=group)
        for name, group in (("average", "mean of MUC, B³, CEAF-e"), ("mentions", "mention detection"))
        for part, title in PARTS.items()
    ]
    table_rows = []
    for label, results in rows.items():
        values = [_mean_of_part(results, metrics, part) for metrics in (AVERAGED, ("mentions",)) for part in PARTS]
        table_rows.append(Row(label=label, values=values, keys={"process": label}, signature=results[0].signature))
    remark = f"Measured against {table_rows[-1].label}; once is the mean of {len(rows['once'])}."
    return Table(
        name="quality", title="Annotation quality", columns=columns, rows=table_rows, stub="process", remarks=[remark]
    )


def _mean_of_part(results: Sequence[Result], metrics: Sequence[str], part: str) -> float:
    numbers = [getattr(result[metric], part) for result in results for metric in metrics]
    return float(sum(numbers)) / len(numbers)
