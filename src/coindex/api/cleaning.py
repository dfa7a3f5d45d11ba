"""Clean texts, and find near-duplicate documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..arguments import check_paths
from ..corpora.files import read_source, sources
from ..corpora.key_and_response import STDIN
from ..document import Document
from ..errors import CoindexError

if TYPE_CHECKING:
    from ..analysis.reports.base import Report
    from ..annotation.cleaning import Change, Duplicate


@dataclass
class Cleaning:
    """Documents cleaned as they pass; `changes` has what was changed so far, with the number and id of the document."""

    rules: Sequence[str]
    changes: list[tuple[int, str | None, Change]] = field(default_factory=list)

    def __call__(self, docs: Iterable[Document]) -> Iterator[Document]:
        from ..annotation.cleaning import clean

        for number, doc in enumerate(docs, 1):
            cleaned, changes = clean(doc, self.rules)
            self.changes += [(number, doc.id, change) for change in changes]
            yield cleaned


def describe(number: int, id: str | None, change: Change) -> str:
    """A change in three lines: its place, and the text before and after."""
    name = id if id is not None else str(number)
    return f"{name}, sentence {change.sentence + 1}: {change.rule}\n- {change.before}\n+ {change.after}"


SOURCE = "Chen et al. 2018 (PreCo), section 3.1"
Watch = Callable[[Iterable[Document], str], Iterator[Document]]


def _unwatched(docs: Iterable[Document], what: str) -> Iterator[Document]:
    return iter(docs)


@dataclass(frozen=True)
class Deduplication:
    """What was found: the documents by number with their names, and which are nearly the same."""

    names: Sequence[str]
    pairs: Sequence[Duplicate]
    threshold: str

    @property
    def dropped(self) -> frozenset[int]:
        """The numbers of documents that are the shorter in some pair."""
        return frozenset(pair.dropped for pair in self.pairs)

    def kept(self, docs: Iterable[Document]) -> Iterator[Document]:
        """Of the same documents, in the same order, those that stay."""
        dropped = self.dropped
        return (doc for number, doc in enumerate(docs) if number not in dropped)

    def report(self) -> Report:
        """A table of the pairs."""
        from ..analysis.reports.base import Report
        from ..analysis.tables import Column, Row, Table

        columns = [
            Column("kept", "kept", "name"),
            Column("common", "common words", "number"),
            Column("words", "of", "number"),
            Column("similarity", "similarity", "number", decimals=3),
        ]
        rows = []
        for pair in self.pairs:
            dropped, kept = self.names[pair.dropped], self.names[pair.kept]
            values = (kept, pair.common, pair.size, pair.similarity)
            rows.append(Row(label=dropped, values=values, keys={"dropped": dropped}))
        title = f"Documents whose similarity is over {self.threshold}"
        table = Table(name="duplicates", title=title, columns=columns, rows=rows, stub="dropped", is_plain=True)
        return Report(name="duplicates", source=SOURCE, tables=[table] if rows else [])


def find_duplicates(
    inputs: Sequence[str],
    *,
    threshold: str = "0.9",
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    watch: Watch = _unwatched,
) -> Deduplication:
    """Near-duplicate documents of files and folders: the pairs whose similarity, as in PreCo, is over the threshold.

    `watch` sees the documents as they are read. Only their words are kept, as numbers.
    """
    from ..annotation.cleaning import Bags, parse_threshold

    check_paths(inputs, "inputs")
    if STDIN in inputs and len(inputs) > 1:
        raise CoindexError(
            "-: standard input beside files; expected one or the other; give files, or - alone",
            code="unsupported-standard-input",
        )
    limit = parse_threshold(threshold)
    bags = Bags()
    names: list[str] = []
    for name, doc in read_named(inputs, format, read_options or {}, watch):
        bags.add_document(doc)
        names.append(name)
    return Deduplication(names, sorted(bags.duplicates(limit), key=lambda pair: (pair.dropped, pair.kept)), threshold)


def read_named(
    inputs: Sequence[str], format: str | None, options: Mapping[str, str], watch: Watch = _unwatched
) -> Iterator[tuple[str, Document]]:
    """The documents of all inputs in order, each with its file and id."""
    for path in inputs:
        for source, chosen in sources(path, format):
            for doc in watch(read_source(source, chosen, options), f"reading {path}"):
                yield source.name if doc.id is None else f"{source.name}: {doc.id}", doc
