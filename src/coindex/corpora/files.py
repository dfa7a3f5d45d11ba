"""Read and write documents: files, folders, standard input and output."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..arguments import check_documents, check_path, check_text
from ..document import Document
from ..document.naming import count
from ..errors import CoindexError, DataWarning, FormatError, Problem
from ..formats.discovery import InputFile, classify_files, find_files
from ..formats.registry import (
    EMPTY,
    MAY_BE_EMPTY,
    NO_DOCUMENT,
    TABLES,
    Format,
    all_formats,
    check_options,
    detect,
    format_for_output,
    get_format,
    input_format,
)
from ..formats.remote import as_path
from ..formats.source import Source, raise_problem

OnProblem = Callable[[Problem], None]
STDIN = "-"
LISTED = 10
"""How many files a warning lists by name."""


def formats() -> list[Format]:
    """Return all formats, each with its options and with the annotation that it can represent."""
    return all_formats()


def read(
    path: str | Path | Any, format: str | None = None, *, on_problem: OnProblem = raise_problem, **options: str
) -> Iterator[Document]:
    """Yield the documents of a file, a folder or "-" (standard input), one by one.

    The files of a folder are read in the order of their names, each in its own format. A warning lists files that are
    skipped because no reader supports them.

    Parameters:

    - `path`: a file, a folder or "-"; a URL such as "s3://bucket/corpus" with `coindex[remote]`; or a Hugging Face
      `Dataset` or `IterableDataset`.
    - `format`: the name of a format (default: detected).
    - `on_problem`: called with each problem of the input; by default the first one raises a `FormatError`.
    - `options`: options of the reader, as str. `text_column` and `id_column` name the columns of a table of texts:
      Parquet, Arrow, JSON Lines, CSV or a dataset.

    Returns an iterator of documents.

    >>> docs = list(read("story.conllu"))  # doctest: +SKIP
    >>> docs = list(read("articles.parquet", text_column="body", id_column="id"))  # doctest: +SKIP
    """
    if is_dataset(path):
        return _read_dataset(path, options, on_problem)
    check_path(path, "path")
    check_text(format, "format", "the name of a format, such as 'conll2012'")
    return documents(path, format, options, on_problem=on_problem)


def is_dataset(value: object) -> bool:
    """Return whether this is an object of the package datasets, which is not imported for it."""
    return type(value).__module__.partition(".")[0] == "datasets"


def _read_dataset(dataset: Any, options: Mapping[str, str], on_problem: OnProblem) -> Iterator[Document]:
    from ..formats.table import FORMAT, row_documents

    if isinstance(dataset, Mapping):
        raise CoindexError(
            f"this has several datasets; choose one of {', '.join(map(repr, dataset))}", code="invalid-argument"
        )
    check_options(options, FORMAT.read_options, "a dataset")
    return row_documents(
        dataset.with_format(None),
        options,
        names=dataset.column_names,
        schema=None if dataset.features is None else dataset.features.arrow_schema,
        on_problem=on_problem,
    )


def read_annotated(path: str | Path, format: str | None = None, **options: str) -> Iterator[Document]:
    """Yield the documents of an annotated corpus: like `read`, but without the raw texts in a folder."""
    return documents(path, format, options, annotated=True)


def documents(
    path: str | Path,
    format: str | None,
    options: Mapping[str, str],
    *,
    on_problem: OnProblem = raise_problem,
    annotated: bool = False,
) -> Iterator[Document]:
    """Yield documents like `read`, with the options as a mapping."""
    named = input_format(format, options)
    for source, chosen in sources(path, named, on_problem=on_problem, annotated=annotated):
        yield from read_source(source, chosen, options)


def read_source(source: Source, chosen: Format, options: Mapping[str, str]) -> Iterator[Document]:
    """Yield the documents of a source in a known format."""
    try:
        if chosen.read is None:
            raise CoindexError(
                f"{chosen.name} can be written but not read; choose another input format",
                code="write-only-format",
                path=source.name,
            )
        check_options(options, chosen.read_options, chosen.name)
        if not source.head() and chosen.name not in MAY_BE_EMPTY:
            source.problem(1, *EMPTY, code="empty-file")
            return
        is_empty = True
        for doc in chosen.read(source, **options):
            is_empty = False
            yield doc
        if is_empty and not source.errors and chosen.name not in TABLES:
            source.problem(None, *NO_DOCUMENT, code="no-document")
        source.warn_counts()
    finally:
        source.close()


def sources(
    path: str | Path, format: str | None = None, *, on_problem: OnProblem = raise_problem, annotated: bool = False
) -> Iterator[tuple[Source, Format]]:
    """Yield the files to read below a path, each with its format; a warning lists files of a folder that are skipped.

    With `annotated`, raw texts of a folder are skipped if other files have entities.
    """
    wanted = None if format is None else get_format(format)
    if str(path) != STDIN and as_path(path).is_dir():
        for file in _folder(as_path(path), wanted, on_problem, annotated):
            if file.error is None:
                assert file.format is not None, "a file to read has a format"
                yield Source(file.path, on_problem=on_problem), file.format
            elif isinstance(file.error, FormatError):
                on_problem(file.error.problem)
            else:
                raise file.error
        return
    source = Source(path, on_problem=on_problem)
    try:
        chosen = wanted or detect(source)[0]
    except CoindexError:
        source.close()
        raise
    yield source, chosen


def _folder(folder: Path, wanted: Format | None, on_problem: OnProblem, annotated: bool) -> list[InputFile]:
    """Return the files of a folder that are read or fail, and report those that are skipped."""
    files = find_files(folder, wanted)
    if annotated:
        files = leave_texts_out(files)
    chosen = [file for file in files if file.status in ("read", "failed")]
    skipped = [file for file in files if file.status == "skipped"]
    if not chosen:
        raise nothing_to_read(folder, wanted, skipped)
    if skipped and on_problem is raise_problem:
        warnings.warn(DataWarning(list_files(skipped, folder), code="skipped-file", path=folder), stacklevel=4)
    elif skipped:
        for file in skipped:
            on_problem(skip_problem(file, severity="warning"))
    return chosen


def nothing_to_read(folder: Path, wanted: Format | None, skipped: Sequence[InputFile]) -> CoindexError:
    """Return the error for a folder without readable files."""
    in_format = f" of format {wanted.name}" if wanted else ""
    reasons = f" ({list_files(skipped, folder)})" if skipped else ""
    remedy = "name a folder that contains texts or a corpus"
    return CoindexError(f"no file{in_format} to read{reasons}", remedy=remedy, code="nothing-to-read", path=folder)


def skip_problem(file: InputFile, *, severity: str) -> Problem:
    """Return a skipped file as a problem."""
    remedy = file.remedy or "specify its format with --from (format=… in Python), or move it away"
    found, expected = f"skipped: {file.reason}", "a file in a known format"
    return Problem(str(file.path), None, found, expected, remedy, severity, code="skipped-file")


def input_files(paths: Sequence[str], format: str | None = None) -> list[InputFile]:
    """Return all files of several paths, named or below folders, each with whether it is read.

    Standard input is a file to read whose format is unknown until it is opened.
    """
    wanted = None if format is None else get_format(format)
    named = [as_path(path) for path in paths if path != STDIN and not as_path(path).is_dir()]
    classified = dict(zip(named, classify_files(named, wanted), strict=True))
    files: list[InputFile] = []
    for path in paths:
        if path == STDIN:
            files.append(InputFile(Path(STDIN), "read", wanted))
        elif as_path(path) in classified:
            files.append(classified[as_path(path)])
        else:
            below = find_files(as_path(path), wanted)
            if not any(file.status in ("read", "failed", "skipped") for file in below):
                raise nothing_to_read(as_path(path), wanted, [])
            files += below
    return files


def leave_texts_out(files: Sequence[InputFile]) -> list[InputFile]:
    """Return the files, with raw texts marked as skipped if other files have entities."""
    if not any(file.status == "read" and file.format and "entities" in file.format.carries for file in files):
        return list(files)
    reason = "raw text, without entities"
    return [
        replace(file, status="skipped", reason=reason)
        if file.status == "read" and file.format and "entities" not in file.format.carries
        else file
        for file in files
    ]


def list_files(files: Sequence[InputFile], folder: Path) -> str:
    """Return a message that lists skipped files of a folder, the first ones by name."""
    shown = [f"{file.path.relative_to(folder)} ({file.reason})" for file in files[:LISTED]]
    more = f" and {len(files) - LISTED:,} more" if len(files) > LISTED else ""
    return f"{count(len(files), 'file')} skipped: {', '.join(shown)}{more}"


def write(docs: Document | Iterable[Document], path: str | Path, format: str | None = None, **options: str) -> None:
    """Write documents to a file, a folder or "-" (standard output).

    A warning counts the annotation that the format cannot represent. The output appears under its name only when it is
    complete.

    Parameters:

    - `docs`: a document or an iterable of documents.
    - `path`: a file, a folder or "-".
    - `format`: the name of a format (default: from the extension of `path`).
    - `options`: options of the writer, as str.
    """
    checked = check_documents(docs)
    check_path(path, "path")
    check_text(format, "format", "the name of a format, such as 'conll2012'")
    from ..formats.losses import watch_losses
    from ..formats.sink import Sink

    chosen = get_format(format) if format is not None else format_for_output(str(path))
    if chosen.write is None:
        raise CoindexError(
            f"{chosen.name} can be read but not written; choose another output format", code="read-only-format"
        )
    check_options(options, chosen.write_options, chosen.name)
    with Sink(path, folder=chosen.writes_folder(options)) as sink:
        chosen.write(watch_losses(checked, chosen.carries, chosen.name), sink, **options)
