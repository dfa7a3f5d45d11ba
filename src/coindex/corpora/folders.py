"""Resolve or convert many files, with an output for each of them or one output for all."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..document import Document
from ..engines import Workers, map_documents
from ..errors import CoindexError, CoindexWarning
from ..formats.discovery import InputFile
from ..formats.registry import Format, all_formats, check_options, get_format
from ..formats.source import Source
from ..formats.text import name_ending
from ..resolvers.chain import Chain
from ..resolvers.defaults import LanguageWarning
from ..resolvers.linguistics.languages import is_fiction
from .files import STDIN, input_files, nothing_to_read, read_source, sources, write
from .resolving import ResolveSettings, resolve_documents


@dataclass(frozen=True, slots=True)
class FileJob:
    """A file to resolve and its output; without `format`, the format is detected when the file is read."""

    input: str
    output: str
    format: str | None = None


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """The files to resolve, those that an earlier run finished, and all files, including those that are not read."""

    todo: tuple[FileJob, ...]
    done: tuple[FileJob, ...]
    files: tuple[InputFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How files are read and written: formats and their options. Formats that are None are detected."""

    to: str | None = None
    format: str | None = None
    read_options: Mapping[str, str] = field(default_factory=dict)
    write_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class FileOutcome:
    """The outcome for a file: how much was resolved and by which resolvers, or the problem that stopped it."""

    job: FileJob
    resolvers: list[str] = field(default_factory=list)
    documents: int = 0
    tokens: int = 0
    fiction: bool = False
    """Whether a document looks like fiction."""
    problem: str | None = None
    warnings: list[CoindexWarning] = field(default_factory=list)
    languages: list[LanguageWarning] = field(default_factory=list)
    """Warnings about texts in unsupported languages, to be merged with those of other files."""


def goes_to_folder(inputs: Sequence[str], output: str, to: str | None = None) -> bool:
    """Return whether an output is a folder with a file for each input, and not one file for all.

    An existing folder and a name that ends in / are folders. For several inputs, or if an input is a folder, a name
    without the extension of a format is a folder too. If the output format is itself a folder of files, a single input
    does not get another folder around it.
    """
    several = len(inputs) > 1 or any(os.path.isdir(path) for path in inputs)
    if to is not None and get_format(to).is_folder:
        return several
    if os.path.isdir(output) or output.endswith(("/", os.sep)):
        return True
    return several and not os.path.exists(output) and not _names_format(output)


def _names_format(path: str) -> bool:
    name = os.path.basename(path).removesuffix(".gz")
    return any(name.endswith(format.extensions) for format in all_formats())


def plan_folder(inputs: Sequence[str], folder: str, ways: Ways, *, overwrite: bool = False) -> FolderPlan:
    """Plan the files below the inputs, each with its output below the folder; files with an output are done."""
    target = find_target(ways)
    for path in inputs:
        _check_apart(path, folder)
    files = input_files(inputs, ways.format)
    jobs = [_job(file, inputs, folder, _ending(target)) for file in files if file.status == "read"]
    _check_outputs(jobs)
    is_done = {job: not overwrite and os.path.exists(job.output) for job in jobs}
    return FolderPlan(
        tuple(job for job in jobs if not is_done[job]), tuple(job for job in jobs if is_done[job]), tuple(files)
    )


def find_target(ways: Ways) -> Format:
    """Return the format to write, after checking that it can be written with these options."""
    assert ways.to is not None, "a folder run has a format to write"
    target = get_format(ways.to)
    if target.write is None:
        raise CoindexError(
            f"{target.name} can be read but not written; choose another output format", code="read-only-format"
        )
    check_options(ways.write_options, target.write_options, target.name)
    return target


def _ending(target: Format) -> str:
    return "" if target.is_folder else target.extensions[0]


def _job(file: InputFile, inputs: Sequence[str], folder: str, ending: str) -> FileJob:
    """Return the job of a file: its output has the same name below the output folder, with another extension."""
    path, format = str(file.path), None if file.format is None else file.format.name
    if path == STDIN:
        return FileJob(path, os.path.join(folder, "stdin" + ending), format)
    above = next((path for path in inputs if os.path.isdir(path) and Path(path) in file.path.parents), file.path.parent)
    below = os.path.relpath(path, above)
    return FileJob(path, os.path.join(folder, _stem(below, file.format) + ending), format)


def _stem(name: str, format: Format | None) -> str:
    """Return a path without the extension of its format."""
    name = Path(name).as_posix().removesuffix(".gz")
    endings = sorted(format.extensions if format else (), key=len, reverse=True)
    ending = next((end for end in endings if name.endswith(end)), name_ending(Path(name)))
    return name.removesuffix(ending) or name


def _check_apart(path: str, folder: str) -> None:
    if path == STDIN or not os.path.isdir(path):
        return
    inner, outer = Path(folder).resolve(), Path(path).resolve()
    if inner == outer or outer in inner.parents:
        raise CoindexError(
            f"the output is inside the input folder {path}, so the next run would read it as input; "
            "choose another output folder",
            code="output-in-input",
            path=folder,
        )


def _check_outputs(jobs: Iterable[FileJob]) -> None:
    """Raise an error if two inputs have the same output, or if an output is also an input."""
    inputs: dict[str, str] = {}
    read = {os.path.realpath(job.input) for job in jobs if job.input != STDIN}
    for job in jobs:
        if job.output in inputs:
            raise CoindexError(
                f"both {inputs[job.output]} and {job.input} have this output; rename one of them, or use two "
                "output folders",
                code="output-in-input",
                path=job.output,
            )
        inputs[job.output] = job.input
        if os.path.realpath(job.output) in read:
            raise CoindexError(
                "the output is also an input; choose another output folder", code="output-in-input", path=job.output
            )


def run_folder(
    todo: Sequence[FileJob], settings: ResolveSettings | None, ways: Ways, workers: Workers | int = 1
) -> Generator[FileOutcome, None, None]:
    """Resolve files in order. A problem of a file is part of its outcome and does not stop the others.

    Without settings, files are only converted. A file that repeatedly ends its worker is a problem too.
    """
    find_target(ways)
    if settings is not None and settings.resolver is not None:
        check_single(settings.chain(), len(todo))
    work = partial(run_file, settings=settings, ways=ways)
    chosen = Workers.of(workers)
    if chosen.engine == "local" and len(todo) < 2:  # in this process, which can use all CPUs for a file
        chosen = Workers()
    yield from map_documents(work, todo, chosen, on_lost=_lose_file)


def _lose_file(job: FileJob, reason: str) -> FileOutcome:
    return FileOutcome(job, problem=f"{job.input}: {reason}")


Stamp = tuple[int, int]


def output_stamps(todo: Iterable[FileJob]) -> dict[str, Stamp]:
    """Return inode and time of each existing output; they change when an output is finished."""
    stamps = {}
    for job in todo:
        with suppress(OSError):
            stat = os.stat(job.output)
            stamps[job.output] = stat.st_ino, stat.st_mtime_ns
    return stamps


def check_single(chain: Chain, number: int) -> None:
    """Raise an error if a chain needs all documents at once."""
    if chain.collects and number > 1:
        raise CoindexError(
            f"{chain.name} resolves several documents together, but the {number} files would be resolved one at a "
            "time; write all of them to one file with -o FILE",
            code="several-documents",
        )


def run_file(job: FileJob, settings: ResolveSettings | None, ways: Ways) -> FileOutcome:
    """Resolve or convert a file; its output appears when it is complete."""
    outcome = FileOutcome(job)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            ((source, chosen),) = sources(job.input, job.format)
            docs = _read(source, chosen, ways, None if settings is None else settings.language)
            if settings is not None:
                docs = resolve_documents(docs, settings, on_chain=outcome.resolvers.append)
            write(_count_documents(docs, outcome), job.output, ways.to, **ways.write_options)
        except CoindexError as error:
            outcome.problem = str(error) if error.path == job.input else f"{job.input}: {error}"
    for warning in caught:
        if isinstance(warning.message, LanguageWarning):
            outcome.languages.append(warning.message)
        elif isinstance(warning.message, CoindexWarning):
            outcome.warnings.append(warning.message)
    return outcome


@dataclass(frozen=True, slots=True)
class JointInput:
    """Files that are written to one output, each with its format, and all files, including those that are not read."""

    sources: tuple[tuple[Source, Format], ...]
    files: tuple[InputFile, ...]

    @property
    def format(self) -> Format | None:
        """The format of the input, if all files have the same."""
        formats = {format.name: format for _, format in self.sources}
        return next(iter(formats.values())) if len(formats) == 1 else None

    def read(self, ways: Ways, *, language: str | None = None) -> Iterator[Document]:
        """Yield all documents in order; `language` is needed to tokenize raw text."""
        for source, chosen in self.sources:
            yield from _read(source, chosen, ways, language)


def open_inputs(inputs: Sequence[str], ways: Ways) -> JointInput:
    """Open the files below the inputs; since they share one output, a file that cannot be read is an error."""
    files = input_files(inputs, ways.format)
    for file in files:
        if file.error is not None:
            raise file.error
    pairs = [
        next(sources(STDIN, ways.format)) if file.format is None else (Source(file.path), file.format)
        for file in files
        if file.status == "read"
    ]
    if not pairs:
        folder = next(Path(path) for path in inputs if os.path.isdir(path))
        skipped = [file for file in files if file.status == "skipped" and folder in file.path.parents]
        raise nothing_to_read(folder, None if ways.format is None else get_format(ways.format), skipped)
    return JointInput(tuple(pairs), tuple(files))


def _read(source: Source, chosen: Format, ways: Ways, language: str | None) -> Iterator[Document]:
    more = {"language": language} if language is not None and chosen.name == "text" else {}
    return read_source(source, chosen, {**more, **ways.read_options})


def _count_documents(docs: Iterable[Document], outcome: FileOutcome) -> Iterator[Document]:
    for doc in docs:
        outcome.documents += 1
        outcome.tokens += len(doc.tokens)
        outcome.fiction = outcome.fiction or is_fiction(doc)
        yield doc
