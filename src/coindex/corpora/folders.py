"""Runs over many files: an output for each, there only when it is finished, or one output for all of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..document import Document
from ..engines import map_documents
from ..errors import CoindexError, CoindexWarning
from ..formats.discovery import InputFile
from ..formats.registry import Format, all_formats, check_options, get_format
from ..formats.source import Source
from ..formats.text import name_ending
from ..resolvers.chain import Chain
from ..resolvers.defaults import LanguageWarning
from .files import STDIN, input_files, nothing_to_read, read_source, sources, write
from .resolving import ResolveSettings, resolve_documents


@dataclass(frozen=True, slots=True)
class FileJob:
    """A file to resolve and where the result goes; without a format it is detected when the file is read."""

    input: str
    output: str
    format: str | None = None


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """What is to do, what an earlier run has done, and all files that were seen, also those that are not read."""

    todo: tuple[FileJob, ...]
    done: tuple[FileJob, ...]
    files: tuple[InputFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How files are read and written: formats, found by content and by name where they are None, and their options."""

    to: str | None = None
    format: str | None = None
    read_options: Mapping[str, str] = field(default_factory=dict)
    write_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class FileOutcome:
    """What became of a file: how much was resolved and by what, or the problem that stopped it."""

    job: FileJob
    resolvers: list[str] = field(default_factory=list)
    documents: int = 0
    tokens: int = 0
    problem: str | None = None
    warnings: list[CoindexWarning] = field(default_factory=list)
    languages: list[LanguageWarning] = field(default_factory=list)
    """Of texts in a language that the resolver is not for: to be merged with those of other files."""


def goes_to_folder(inputs: Sequence[str], output: str, to: str | None = None) -> bool:
    """Whether an output is meant as a folder with a file for each input, and not as one file for all.

    A folder that is there is one, and so is a name with / at its end. For several inputs, or a folder as input, a name
    without the ending of a format is one too. A format that is a folder of files itself takes one input as it is.
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
    """The files below the inputs, each with its output below the folder; a file whose output is there is done."""
    target = _target(ways)
    for path in inputs:
        _check_apart(path, folder)
    files = input_files(inputs, ways.format)
    jobs = [_job(file, inputs, folder, _ending(target)) for file in files if file.status == "read"]
    _check_outputs(jobs)
    is_done = {job: not overwrite and os.path.exists(job.output) for job in jobs}
    return FolderPlan(
        tuple(job for job in jobs if not is_done[job]), tuple(job for job in jobs if is_done[job]), tuple(files)
    )


def _target(ways: Ways) -> Format:
    """The format to write, once it is known that it can be and has these options."""
    assert ways.to is not None, "a folder run has a format to write"
    target = get_format(ways.to)
    if target.write is None:
        raise CoindexError(
            f"{target.name} can be read, not written; choose another format to write", code="read-only-format"
        )
    check_options(ways.write_options, target.write_options, target.name)
    return target


def _ending(target: Format) -> str:
    return "" if target.is_folder else target.extensions[0]


def _job(file: InputFile, inputs: Sequence[str], folder: str, ending: str) -> FileJob:
    """The output has the name of the input, below the folder that was given, without its ending."""
    path, format = str(file.path), None if file.format is None else file.format.name
    if path == STDIN:
        return FileJob(path, os.path.join(folder, "stdin" + ending), format)
    above = next((one for one in inputs if os.path.isdir(one) and Path(one) in file.path.parents), file.path.parent)
    below = os.path.relpath(path, above)
    return FileJob(path, os.path.join(folder, _stem(below, file.format) + ending), format)


def _stem(name: str, format: Format | None) -> str:
    """A path without the ending of its format."""
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
            f"lies in {path}, where the next run would read it as input; expected a folder of its own; "
            "choose another place for the output",
            code="output-in-input",
            path=folder,
        )


def _check_outputs(jobs: Iterable[FileJob]) -> None:
    """Each output belongs to one input, and is none itself."""
    made: dict[str, str] = {}
    read = {os.path.realpath(job.input) for job in jobs if job.input != STDIN}
    for job in jobs:
        if job.output in made:
            raise CoindexError(
                f"would be the result of {made[job.output]} and of {job.input}; expected names that "
                "differ; rename one of them, or write them into two folders",
                code="output-in-input",
                path=job.output,
            )
        made[job.output] = job.input
        if os.path.realpath(job.output) in read:
            raise CoindexError(
                "is an input itself; choose another folder for the output", code="output-in-input", path=job.output
            )


def run_folder(
    todo: Sequence[FileJob], settings: ResolveSettings | None, ways: Ways, *, jobs: int = 1
) -> Generator[FileOutcome, None, None]:
    """Resolve files one by one, in order; what is wrong with one is in its outcome and stops no other.

    Without settings, files are only converted. `jobs` is a number of processes over which files are spread; 0 means
    one per CPU.
    """
    _target(ways)
    if settings is not None and settings.resolver is not None:
        _check_single(settings.chain(), len(todo))
    yield from map_documents(partial(run_file, settings=settings, ways=ways), todo, min(jobs, len(todo) or 1))


Stamp = tuple[int, int]


def output_stamps(todo: Iterable[FileJob]) -> dict[str, Stamp]:
    """What the outputs that are there can be known by: a finished output is a new file, or a changed folder."""
    found = {}
    for job in todo:
        with suppress(OSError):
            stat = os.stat(job.output)
            found[job.output] = stat.st_ino, stat.st_mtime_ns
    return found


def _check_single(chain: Chain, number: int) -> None:
    if chain.collects and number > 1:
        raise CoindexError(
            f"{chain.name} looks at several documents together, and a folder run looks at one of {number} files at a "
            "time; expected one output for all of them; name a file with -o",
            code="several-documents",
        )


def run_file(job: FileJob, settings: ResolveSettings | None, ways: Ways) -> FileOutcome:
    """Resolve or convert one file; its output appears when all of it is written."""
    outcome = FileOutcome(job)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            ((source, chosen),) = sources(job.input, job.format)
            docs = _read(source, chosen, ways, None if settings is None else settings.language)
            if settings is not None:
                docs = resolve_documents(docs, settings, on_chain=outcome.resolvers.append)
            write(_counted(docs, outcome), job.output, ways.to, **ways.write_options)
        except CoindexError as error:
            outcome.problem = str(error) if error.path == job.input else f"{job.input}: {error}"
    for warning in told:
        if isinstance(warning.message, LanguageWarning):
            outcome.languages.append(warning.message)
        elif isinstance(warning.message, CoindexWarning):
            outcome.warnings.append(warning.message)
    return outcome


@dataclass(frozen=True, slots=True)
class JointInput:
    """Files that go into one output together, each with its format, and all that were seen with them."""

    sources: tuple[tuple[Source, Format], ...]
    files: tuple[InputFile, ...]

    @property
    def format(self) -> Format | None:
        """The format of the input, if it is only one."""
        found = {format.name: format for _, format in self.sources}
        return next(iter(found.values())) if len(found) == 1 else None

    def read(self, ways: Ways, *, language: str | None = None) -> Iterator[Document]:
        """All documents in order; the language of raw text is known before it is cut into words."""
        for source, chosen in self.sources:
            yield from _read(source, chosen, ways, language)


def open_inputs(inputs: Sequence[str], ways: Ways) -> JointInput:
    """The files below the inputs. One output stands for all of them, so one that cannot be read is an error."""
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


def _counted(docs: Iterable[Document], outcome: FileOutcome) -> Iterator[Document]:
    for doc in docs:
        outcome.documents += 1
        outcome.tokens += len(doc.tokens)
        yield doc
