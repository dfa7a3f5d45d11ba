"""Resolve many documents into a folder of shards, with a manifest: a run that was stopped resumes.

A shard is a file with the documents of about the same number of words: `part-00000.EXT` and so on. Workers write
shards; each appears under its name when it is complete, and is recorded in the manifest after that. Which documents
belong to a shard depends on the input only, so shards are the same whoever writes them, and whenever.

A document that cannot be resolved, or that repeatedly ends its worker, is listed in a table of errors instead. First,
workers get shards. If a worker dies, the documents of its shard are repeated one by one at the end.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from ..document import Document
from ..engines import Workers, map_documents
from ..errors import CoindexError, CoindexWarning, MissingExtraError, MissingPackageError
from ..formats.registry import get_format
from ..resolvers.linguistics.languages import is_fiction
from .files import STDIN, write
from .folders import JointInput, Ways, check_single, find_target, open_inputs
from .resolving import ResolveSettings, resolve_documents

MANIFEST, ERRORS = "manifest.jsonl", "errors.jsonl"
VERSION = 1
MOST_WARNINGS = 5
"""How many warnings of a kind are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardPlan:
    """What to resolve, how, and where to; the same plan always yields the same shards."""

    inputs: tuple[str, ...]
    folder: str
    settings: ResolveSettings
    ways: Ways
    words: int

    def path(self, number: int) -> str:
        """Return the path of a shard."""
        assert self.ways.to is not None, "a run into a folder has a format to write"
        return os.path.join(self.folder, f"part-{number:05d}{get_format(self.ways.to).extensions[0]}")

    def describe(self) -> dict[str, Any]:
        """Return what the shards depend on, which the manifest stores."""
        from ..scoring.result import package_version

        files = [{"path": str(source.path), "bytes": _find_size(str(source.path))} for source, _ in self.open().sources]
        settings = {name: value for name, value in asdict(self.settings).items() if value not in (None, False)}
        ways = {name: value for name, value in asdict(self.ways).items() if value}
        return {
            "manifest": VERSION,
            "coindex": package_version(),
            "inputs": files,
            "settings": settings,
            "files": ways,
            "words": self.words,
        }

    def open(self) -> JointInput:
        """Return the input, to be read from the beginning."""
        return open_inputs(self.inputs, self.ways)


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive documents of the input. `first` is the number of the first one, counted from 0."""

    number: int
    first: int
    docs: tuple[Document, ...]
    share: float
    """How much of the input has been read after it, from 0 to 1."""

    @property
    def words(self) -> int:
        """The number of words."""
        return sum(len(doc.tokens) for doc in self.docs)

    def items(self) -> Iterator[Item]:
        """Yield the documents with their numbers."""
        return ((self.number, number, doc) for number, doc in enumerate(self.docs, self.first))


@dataclass(frozen=True, slots=True)
class FailedDocument:
    """A document that is not in the output: its number in the input, counted from 0, its id, and why."""

    number: int
    id: str | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRecord:
    """A finished shard, as the manifest stores it; `documents` includes those that failed."""

    shard: int
    file: str
    first: int
    documents: int
    words: int
    ids: tuple[str | None, str | None]
    bytes: int
    sha256: str
    failed: tuple[FailedDocument, ...] = ()

    def to_json(self) -> str:
        """Return the record as a line."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ShardRecord:
        """Return the record of a line."""
        failed = tuple(FailedDocument(**each) for each in data["failed"])
        return cls(**{**data, "ids": tuple(data["ids"]), "failed": failed})


@dataclass(slots=True)
class ShardOutcome:
    """What a worker reports about a shard. It has no record if a worker died."""

    shard: int
    record: ShardRecord | None = None
    share: float = 0.0
    resolvers: list[str] = field(default_factory=list)
    fiction: str | None = None
    """The first document that looks like fiction."""
    warnings: list[CoindexWarning] = field(default_factory=list)


@dataclass(slots=True)
class ShardTotals:
    """The sums over all shards of a folder."""

    shards: int = 0
    documents: int = 0
    words: int = 0
    failed: int = 0

    def add(self, record: ShardRecord) -> None:
        """Add a shard."""
        self.shards += 1
        self.documents += record.documents
        self.words += record.words
        self.failed += len(record.failed)


@dataclass(slots=True)
class ShardRun:
    """A run: what it did, what an earlier run had done, and warnings, the first ones of each kind."""

    done: ShardTotals = field(default_factory=ShardTotals)
    before: ShardTotals = field(default_factory=ShardTotals)
    share: float = 0.0
    warnings: dict[str, list[CoindexWarning]] = field(default_factory=dict)
    warned: dict[str, int] = field(default_factory=dict)

    def add(self, outcome: ShardOutcome, record: ShardRecord) -> None:
        """Add a finished shard."""
        self.done.add(record)
        self.share = max(self.share, outcome.share)
        for warning in outcome.warnings:
            self.warned[warning.code] = self.warned.get(warning.code, 0) + 1
            kept = self.warnings.setdefault(warning.code, [])
            if len(kept) < MOST_WARNINGS:
                kept.append(warning)


def plan_shards(inputs: Sequence[str], folder: str, settings: ResolveSettings, ways: Ways, *, words: int) -> ShardPlan:
    """Return the plan after checking that the input can be read again and that the format is one of files."""
    target = find_target(ways)
    if STDIN in inputs:
        raise CoindexError(
            "-: standard input cannot be resolved into shards, since a run that resumes reads it again; name files",
            code="unsupported-standard-input",
        )
    if target.is_folder:
        raise CoindexError(
            f"{target.name} is a folder of files and cannot be written as shards; choose another output format",
            code="unknown-output-format",
        )
    if settings.resolver is not None:
        check_single(settings.chain(), 2)
    return ShardPlan(inputs=tuple(inputs), folder=folder, settings=settings, ways=ways, words=words)


def run_shards(
    plan: ShardPlan,
    workers: Workers | int = 1,
    *,
    overwrite: bool = False,
    on_outcome: Callable[[ShardOutcome, ShardRun], None] = lambda outcome, run: None,
) -> ShardRun:
    """Write all shards of a plan that are not finished, and check that each document is accounted for once."""
    run = ShardRun()
    os.makedirs(plan.folder, exist_ok=True)
    with open_manifest(plan, overwrite=overwrite) as (manifest, finished):
        for record in finished.values():
            run.before.add(record)
        counts = _Counts()
        lost: list[int] = []

        def add(outcome: ShardOutcome) -> None:
            if outcome.record is None:
                lost.append(outcome.shard)
                return
            manifest.write(outcome.record.to_json())
            manifest.flush()
            finished[outcome.shard] = outcome.record
            run.add(outcome, outcome.record)
            on_outcome(outcome, run)

        todo = (shard for shard in counts.watch(cut_shards(plan)) if not _is_finished(shard, finished))
        for outcome in map_documents(partial(resolve_shard, plan=plan), todo, workers, on_lost=_lose_shard):
            add(outcome)
        if lost:
            for outcome in _repeat_shards(plan, frozenset(lost), workers):
                add(outcome)
        _check_counts(plan, finished, counts)
        _write_errors(plan, finished)
    return run


class _Counts:
    """The numbers of shards and documents that were read."""

    def __init__(self) -> None:
        self.shards = self.documents = 0

    def watch(self, shards: Iterable[Shard]) -> Iterator[Shard]:
        for shard in shards:
            self.shards += 1
            self.documents += len(shard.docs)
            yield shard


def cut_shards(plan: ShardPlan) -> Iterator[Shard]:
    """Read the input and yield its shards, each with at least the number of words of the plan, except for the last."""
    joint = plan.open()
    size = sum(_find_size(str(source.path)) for source, _ in joint.sources) or 1
    docs: list[Document] = []
    number = first = words = 0
    for doc in joint.read(plan.ways, language=plan.settings.language):
        docs.append(doc)
        words += len(doc.tokens)
        if words >= plan.words:
            share = min(sum(source.position for source, _ in joint.sources) / size, 1.0)
            yield Shard(number, first, tuple(docs), share)
            number, first, words, docs = number + 1, first + len(docs), 0, []
    if docs:
        yield Shard(number, first, tuple(docs), 1.0)


def _find_size(path: str) -> int:
    """Return the size of a file, or 0 if it is not one of this machine."""
    return os.path.getsize(path) if os.path.exists(path) else 0


def _is_finished(shard: Shard, finished: dict[int, ShardRecord]) -> bool:
    """Return whether an earlier run wrote a shard; raise an error if it had other documents then."""
    record = finished.get(shard.number)
    if record is None:
        return False
    ids = (shard.docs[0].id, shard.docs[-1].id)
    if (record.first, record.documents, record.words, record.ids) != (shard.first, len(shard.docs), shard.words, ids):
        raise CoindexError(
            f"the documents of {record.file} have changed since an earlier run; resolve all of them again with "
            "--overwrite",
            code="different-input",
        )
    return True


def _lose_shard(shard: Shard, reason: str) -> ShardOutcome:
    return ShardOutcome(shard.number)


def resolve_shard(shard: Shard, plan: ShardPlan) -> ShardOutcome:
    """Resolve the documents of a shard and write them."""
    outcome = ShardOutcome(shard.number, share=shard.share)
    results: list[Document | FailedDocument] = []
    with _catch_warnings(outcome):
        try:
            results += resolve_documents(shard.docs, plan.settings, on_chain=outcome.resolvers.append)
        except Exception as error:
            if not _is_of_document(error):
                raise
            alone = (resolve_alone(item, plan.settings) for item in shard.items())
            results = [result for _, result, _ in alone]
        _write_shard(plan, shard, results, outcome)
    return outcome


def _is_of_document(error: Exception) -> bool:
    """Return whether an error can be that of a single document, unlike a missing package."""
    return not isinstance(error, MissingExtraError | MissingPackageError)


Item = tuple[int, int, Document]
"""A document with the numbers of its shard and of itself."""
ItemResult = tuple[int, Document | FailedDocument, list[CoindexWarning]]
"""The number of a shard with the result of one of its documents, and warnings."""


def resolve_alone(item: Item, settings: ResolveSettings) -> ItemResult:
    """Resolve one document, or return why this is impossible."""
    shard, number, doc = item
    result: Document | FailedDocument
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            (result,) = resolve_documents([doc], settings)
        except Exception as error:
            if not _is_of_document(error):
                raise
            if isinstance(error, CoindexError):
                result = FailedDocument(number, doc.id, error.code, str(error))
            else:
                result = FailedDocument(number, doc.id, "error", f"{type(error).__name__}: {error}")
    return shard, result, _of_coindex(caught)


def _fail(item: Item, reason: str) -> ItemResult:
    shard, number, doc = item
    return shard, FailedDocument(number, doc.id, "process-died", reason), []


def _of_coindex(caught: Iterable[warnings.WarningMessage]) -> list[CoindexWarning]:
    return [warning.message for warning in caught if isinstance(warning.message, CoindexWarning)]


@contextmanager
def _catch_warnings(outcome: ShardOutcome) -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    outcome.warnings += _of_coindex(caught)


def _write_shard(
    plan: ShardPlan, shard: Shard, results: Sequence[Document | FailedDocument], outcome: ShardOutcome
) -> None:
    """Write the resolved documents of a shard and complete its outcome."""
    path = plan.path(shard.number)
    resolved = [result for result in results if isinstance(result, Document)]
    failed = tuple(result for result in results if isinstance(result, FailedDocument))
    write(resolved, path, plan.ways.to, **plan.ways.write_options)
    outcome.fiction = next((doc.id or path for doc in resolved if is_fiction(doc)), None)
    with open(path, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    assert len(results) == len(shard.docs), "a document is resolved or fails"
    outcome.record = ShardRecord(
        shard=shard.number,
        file=os.path.basename(path),
        first=shard.first,
        documents=len(shard.docs),
        words=shard.words,
        ids=(shard.docs[0].id, shard.docs[-1].id),
        bytes=os.path.getsize(path),
        sha256=checksum,
        failed=failed,
    )


def _repeat_shards(plan: ShardPlan, numbers: frozenset[int], workers: Workers | int) -> Iterator[ShardOutcome]:
    """Read the input again, and resolve the documents of some shards one by one."""
    shards: dict[int, Shard] = {}

    def items() -> Iterator[Item]:
        for shard in cut_shards(plan):
            if shard.number in numbers:
                shards[shard.number] = shard
                yield from shard.items()

    results = map_documents(partial(resolve_alone, settings=plan.settings), items(), workers, on_lost=_fail)
    for number, group in groupby(results, key=lambda result: result[0]):
        each = list(group)
        shard = shards.pop(number)
        outcome = ShardOutcome(number, share=shard.share)
        outcome.warnings += [warning for _, _, messages in each for warning in messages]
        with _catch_warnings(outcome):
            _write_shard(plan, shard, [result for _, result, _ in each], outcome)
        yield outcome


@contextmanager
def open_manifest(plan: ShardPlan, *, overwrite: bool) -> Iterator[tuple[IO[str], dict[int, ShardRecord]]]:
    """Open the manifest of a folder to append to it; yield it with the records of shards that are finished.

    A new folder must be empty, and an old one must be that of the same plan. No other process can use it meanwhile.
    """
    path = Path(plan.folder) / MANIFEST
    header = json.dumps(plan.describe(), ensure_ascii=False) + "\n"
    if not path.exists() and not overwrite and os.listdir(plan.folder):
        raise CoindexError(
            "the output folder contains other files; choose an empty folder", code="not-empty", path=plan.folder
        )
    with path.open("a+", encoding="utf-8", newline="\n") as file:
        _lock(file, plan.folder)
        file.seek(0)
        lines = file.readlines()
        if lines and not lines[-1].endswith("\n"):  # the last run died while it wrote the line
            lines.pop()
            file.truncate(sum(len(line.encode()) for line in lines))
        if overwrite:
            _remove_shards(plan)
            lines = []
        if not lines:
            file.truncate(0)
            file.write(header)
            file.flush()
        elif lines[0] != header:
            raise CoindexError(
                "the folder was written from another input, with other options or by another version of coindex; "
                "choose another folder, or start from scratch with --overwrite",
                code="different-settings",
                path=str(path),
            )
        records = (ShardRecord.from_json(json.loads(line)) for line in lines[1:])
        finished = {record.shard: record for record in records if _is_there(plan, record)}
        for partial_file in Path(plan.folder).glob(".part-*"):  # of workers that died
            partial_file.unlink(missing_ok=True)
        yield file, finished


def _remove_shards(plan: ShardPlan) -> None:
    for pattern in ("part-*", ERRORS):
        for path in Path(plan.folder).glob(pattern):
            path.unlink()


def _is_there(plan: ShardPlan, record: ShardRecord) -> bool:
    """Return whether the file of a shard has the size that it was written with."""
    path = plan.path(record.shard)
    return os.path.exists(path) and os.path.getsize(path) == record.bytes


def _lock(file: IO[str], folder: str) -> None:
    """Lock a file until it is closed, where the system can."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CoindexError(
            "another run is writing to this folder; wait until it ends, or choose another folder",
            code="folder-in-use",
            path=folder,
        ) from None
    except OSError:  # a file system without locks
        return


def _check_counts(plan: ShardPlan, finished: dict[int, ShardRecord], counts: _Counts) -> None:
    """Raise an error unless each document that was read is in one shard or in the table of errors."""
    documents = sum(record.documents for record in finished.values())
    complete = set(finished) == set(range(counts.shards)) and all(_is_there(plan, each) for each in finished.values())
    if not complete or documents != counts.documents:
        raise CoindexError(
            f"the shards have {documents:,} documents, but {counts.documents:,} were read; files may have changed "
            "meanwhile; run the command again",
            code="incomplete-output",
            path=plan.folder,
        )


def _write_errors(plan: ShardPlan, finished: dict[int, ShardRecord]) -> None:
    """Write the table of documents that failed; without any, remove that of an earlier run."""
    path = Path(plan.folder) / ERRORS
    lines = [
        json.dumps(asdict(failed), ensure_ascii=False) + "\n"
        for _, record in sorted(finished.items())
        for failed in record.failed
    ]
    if not lines:
        path.unlink(missing_ok=True)
        return
    staged = path.with_name(f".{ERRORS}.tmp")
    staged.write_text("".join(lines), encoding="utf-8", newline="\n")
    staged.replace(path)
