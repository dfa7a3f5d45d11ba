"""Clean texts, and find near-duplicate documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ..arguments import check_paths
from ..corpora.files import read_source, sources
from ..corpora.key_and_response import STDIN
from ..document import Document
from ..errors import CoindexError

if TYPE_CHECKING:
    from ..analysis.reports.base import Report
    from ..annotation.cleaning import Change, Duplicate
    from ..engines import Engine


@dataclass
class Cleaning:
    """Clean documents as they are iterated; `changes` collects the number and id of the document and each change."""

    rules: Sequence[str]
    changes: list[tuple[int, str | None, Change]] = field(default_factory=list)

    def __call__(self, docs: Iterable[Document]) -> Iterator[Document]:
        from ..annotation.cleaning import clean

        for number, doc in enumerate(docs, 1):
            cleaned, changes = clean(doc, self.rules)
            self.changes += [(number, doc.id, change) for change in changes]
            yield cleaned


def describe(number: int, id: str | None, change: Change) -> str:
    """Return a change in three lines: its place, and the text before and after."""
    name = id if id is not None else str(number)
    return f"{name}, sentence {change.sentence + 1}: {change.rule}\n- {change.before}\n+ {change.after}"


SOURCE = "Chen et al. 2018 (PreCo), section 3.1"
Watch = Callable[[Iterable[Document], str], Iterator[Document]]


def _iterate(docs: Iterable[Document], what: str) -> Iterator[Document]:
    return iter(docs)


@dataclass(frozen=True)
class Deduplication:
    """The near-duplicates in a collection."""

    names: Sequence[str]
    """The names of all documents, in order."""
    pairs: Sequence[Duplicate]
    """The pairs of documents that are nearly the same."""
    threshold: str

    @property
    def dropped(self) -> frozenset[int]:
        """The numbers of the documents that are the shorter of some pair."""
        return frozenset(pair.dropped for pair in self.pairs)

    def kept(self, docs: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents that are kept, given all documents in the same order."""
        dropped = self.dropped
        return (doc for number, doc in enumerate(docs) if number not in dropped)

    def report(self) -> Report:
        """Return a table of the pairs."""
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
        title = f"Documents with a similarity above {self.threshold}"
        table = Table(name="duplicates", title=title, columns=columns, rows=rows, stub="dropped", is_plain=True)
        return Report(name="duplicates", source=SOURCE, tables=[table] if rows else [])


def find_duplicates(
    inputs: Sequence[str],
    *,
    threshold: str = "0.9",
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    watch: Watch = _iterate,
    jobs: int = 1,
    engine: Engine = "local",
    address: str | None = None,
) -> Deduplication:
    """Find near-duplicate documents: pairs with a similarity, as defined in the PreCo paper, above a threshold.

    Parameters:

    - `inputs`: files and folders, or "-" alone for standard input.
    - `threshold`: the similarity, from 0 to 1, as text, so that it is compared exactly.
    - `format`, `read_options`: the input format (default: detected) and its options.
    - `watch`: wraps the iterator over the documents of each file, for example to show progress. It is called with the
      documents and a description. It is not called if several processes read the files.
    - `jobs`, `engine`, `address`: the processes that read files, as in `score`.

    Returns a `Deduplication`.
    """
    from ..annotation.cleaning import Bags, parse_threshold
    from ..engines import Workers, map_documents

    check_paths(inputs, "inputs")
    if STDIN in inputs and len(inputs) > 1:
        raise CoindexError(
            "-: standard input cannot be combined with files; name files, or - alone",
            code="unsupported-standard-input",
        )
    limit = parse_threshold(threshold)
    bags = Bags()
    names: list[str] = []
    options = read_options or {}
    workers = Workers(jobs, engine, address)
    if workers.are_here or STDIN in inputs:
        for name, doc in read_named(inputs, format, options, watch):
            bags.add_document(doc)
            names.append(name)
    else:
        files = ((source.name, chosen.name) for path in inputs for source, chosen in sources(path, format))
        for named in map_documents(partial(_read_words, options=options), files, workers):
            for name, words in named:
                bags.add(words)
                names.append(name)
    return Deduplication(names, sorted(bags.duplicates(limit), key=lambda pair: (pair.dropped, pair.kept)), threshold)


def _read_words(file: tuple[str, str], options: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Return the names of the documents of a file, each with its words."""
    from ..annotation.cleaning import bag_words

    path, format = file
    return [(name, list(bag_words(doc))) for name, doc in read_named([path], format, options)]


def read_named(
    inputs: Sequence[str], format: str | None, options: Mapping[str, str], watch: Watch = _iterate
) -> Iterator[tuple[str, Document]]:
    """Yield the documents of all inputs in order, each with a name made of its file and id."""
    for path in inputs:
        for source, chosen in sources(path, format):
            for doc in watch(read_source(source, chosen, options), f"reading {path}"):
                yield source.name if doc.id is None else f"{source.name}: {doc.id}", doc
