"""Folder runs: an output for each input file, there only when it is finished, so that a run can be resumed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ..document import Document
from ..document.naming import count
from ..errors import CoindexError, CoindexWarning, DataWarning
from ..formats.registry import Format, all_formats, check_options, get_format
from ..resolvers.chain import Chain
from ..scale import map_documents
from .files import read_source, sources, write
from .resolving import ResolveSettings, resolve_documents

STDIN = "-"


@dataclass(frozen=True, slots=True)
class FileJob:
    """A file to resolve and where the result goes; without a format it is detected when the file is read."""

    input: str
    output: str
    format: str | None = None


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """What is to do, and what an earlier run has done."""

    todo: tuple[FileJob, ...]
    done: tuple[FileJob, ...]


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
    warnings: list[str] = field(default_factory=list)


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
    if ways.format is not None:
        get_format(ways.format)  # a wrong name is no matter of a file
    for path in inputs:
        _check_apart(path, folder)
    jobs = [
        FileJob(file, os.path.join(folder, name + _ending(target)), chosen)
        for path in inputs
        for file, name, chosen in _files(path, ways.format)
    ]
    _check_outputs(jobs)
    is_done = {job: not overwrite and os.path.exists(job.output) for job in jobs}
    return FolderPlan(tuple(job for job in jobs if not is_done[job]), tuple(job for job in jobs if is_done[job]))


def _target(ways: Ways) -> Format:
    """The format to write, once it is known that it can be and has these options."""
    assert ways.to is not None, "a folder run has a format to write"
    target = get_format(ways.to)
    if target.write is None:
        raise CoindexError(f"{target.name} can be read, not written; choose another format to write")
    check_options(ways.write_options, target.write_options, target.name)
    return target


def _ending(target: Format) -> str:
    return "" if target.is_folder else target.extensions[0]


def _files(path: str, format: str | None) -> Iterator[tuple[str, str, str | None]]:
    """Files to read below a path: the path, the name that the output is to have without its ending, the format."""
    if path == STDIN:
        yield STDIN, "stdin", format
        return
    if not os.path.isdir(path):
        try:
            ((source, chosen),) = sources(path, format)
            source.close()
        except CoindexError:  # told of when its turn comes: the others are to be done
            yield path, _stem(os.path.basename(path), None), format
            return
        yield path, _stem(os.path.basename(path), chosen), chosen.name
        return
    names = set()
    for source, chosen in sources(path, format):
        source.close()
        below = os.path.relpath(str(source.path), path)
        names.add(chosen.name)
        yield str(source.path), _stem(below, chosen), chosen.name
    if "text" not in names and (texts := sum(1 for file in Path(path).rglob("*.txt") if file.is_file())):
        warnings.warn(
            f"{path}: {count(texts, 'text file')} left out, for it holds a corpus too; --from text reads them instead",
            DataWarning,
            stacklevel=2,
        )


def _stem(name: str, format: Format | None) -> str:
    """A path without the ending of its format."""
    name = Path(name).as_posix().removesuffix(".gz")
    endings = sorted(format.extensions if format else (), key=len, reverse=True)
    ending = next((end for end in endings if name.endswith(end)), Path(name).suffix)
    return name.removesuffix(ending) or name


def _check_apart(path: str, folder: str) -> None:
    if path == STDIN or not os.path.isdir(path):
        return
    inner, outer = Path(folder).resolve(), Path(path).resolve()
    if inner == outer or outer in inner.parents:
        raise CoindexError(
            f"{folder}: lies in {path}, where the next run would read it as input; expected a folder of its own; "
            "choose another place with -o"
        )


def _check_outputs(jobs: Iterable[FileJob]) -> None:
    """Each output belongs to one input, and is none itself."""
    made: dict[str, str] = {}
    read = {os.path.realpath(job.input) for job in jobs if job.input != STDIN}
    for job in jobs:
        if job.output in made:
            raise CoindexError(
                f"{job.output}: would be the result of {made[job.output]} and of {job.input}; expected names that "
                "differ; rename one of them, or resolve them into two folders"
            )
        made[job.output] = job.input
        if os.path.realpath(job.output) in read:
            raise CoindexError(f"{job.output}: is an input itself; choose another folder with -o")


def run_folder(
    todo: Sequence[FileJob], settings: ResolveSettings, ways: Ways, *, jobs: int = 1
) -> Iterator[FileOutcome]:
    """Resolve files one by one, in order; what is wrong with one is told in its outcome and stops no other.

    `jobs` is a number of processes over which files are spread; 0 means one a processor.
    """
    _target(ways)
    if settings.resolver is not None:
        _check_single(settings.chain(), len(todo))
    yield from map_documents(partial(run_file, settings=settings, ways=ways), todo, min(jobs, len(todo) or 1))


def _check_single(chain: Chain, number: int) -> None:
    if chain.collects and number > 1:
        raise CoindexError(
            f"{chain.name} looks at several documents together, and a folder run looks at one of {number} files at a "
            "time; expected one output for all of them; name a file with -o"
        )


def run_file(job: FileJob, settings: ResolveSettings, ways: Ways) -> FileOutcome:
    """Resolve one file; its output appears when all of it is written."""
    outcome = FileOutcome(job)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            docs = read_input(job.input, replace(ways, format=job.format), language=settings.language)
            resolved = resolve_documents(docs, settings, on_chain=outcome.resolvers.append)
            write(_counted(resolved, outcome), job.output, ways.to, **ways.write_options)
        except CoindexError as error:
            text = str(error)
            outcome.problem = text if job.input in text else f"{job.input}: {text}"
    outcome.warnings = [str(warning.message) for warning in told if issubclass(warning.category, CoindexWarning)]
    return outcome


def read_input(path: str, ways: Ways, *, language: str | None = None) -> Iterator[Document]:
    """The documents of a path; the language of raw text is known before it is cut into words."""
    for source, chosen in sources(path, ways.format):
        more = {"language": language} if language is not None and chosen.name == "text" else {}
        yield from read_source(source, chosen, {**more, **ways.read_options})


def _counted(docs: Iterable[Document], outcome: FileOutcome) -> Iterator[Document]:
    for doc in docs:
        outcome.documents += 1
        outcome.tokens += len(doc.tokens)
        yield doc
