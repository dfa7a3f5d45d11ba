"""Reading and writing: files, folders, standard input and output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ..document import Document
from ..errors import CoindexError, FormatError, Problem
from ..formats.registry import (
    EMPTY,
    MAY_BE_EMPTY,
    Format,
    Role,
    UnknownContentError,
    all_formats,
    check_options,
    detect,
    format_for_output,
    get_format,
)
from ..formats.source import Source, raise_problem

OnProblem = Callable[[Problem], None]


def formats() -> list[Format]:
    """Every format that coindex knows, with what each can carry."""
    return all_formats()


def read(
    path: str | Path, format: str | None = None, *, on_problem: OnProblem = raise_problem, **options: str
) -> Iterator[Document]:
    """The documents of a file, a folder or "-" (standard input), one by one; the format is detected.

    >>> docs = list(read("story.conllu"))  # doctest: +SKIP
    """
    return documents(path, format, options, on_problem=on_problem)


def documents(
    path: str | Path, format: str | None, options: Mapping[str, str], *, on_problem: OnProblem = raise_problem
) -> Iterator[Document]:
    """The same with the options as a mapping, as the command line has them."""
    for source, chosen in sources(path, format, on_problem=on_problem):
        yield from read_source(source, chosen, options)


def read_source(source: Source, chosen: Format, options: Mapping[str, str]) -> Iterator[Document]:
    """The documents of one source in a known format."""
    try:
        if chosen.read is None:
            raise CoindexError(f"{source.name}: {chosen.name} can be written, not read")
        check_options(options, chosen.read_options, chosen.name)
        if not source.head().strip() and chosen.name not in MAY_BE_EMPTY:
            source.problem(1, *EMPTY)
            return
        yield from chosen.read(source, **options)
        source.warn_counts()
    finally:
        source.close()


def sources(
    path: str | Path, format: str | None = None, *, on_problem: OnProblem = raise_problem
) -> Iterator[tuple[Source, Format]]:
    """The files to read below a path, each with its format."""
    wanted = None if format is None else get_format(format)
    if str(path) != "-" and Path(path).is_dir():
        yield from _folder(Path(path), wanted, on_problem)
        return
    source = Source(path, on_problem=on_problem)
    try:
        found = wanted or detect(source)[0]
    except CoindexError:
        source.close()
        raise
    yield source, found


def _folder(folder: Path, wanted: Format | None, on_problem: OnProblem) -> Iterator[tuple[Source, Format]]:
    """Files in the order of their names. Raw text counts only where nothing else is there."""
    by_format: dict[str, list[Path]] = {}
    unreadable: list[Path] = []
    for path in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts) or not path.is_file():
            continue
        try:
            found, role = _detect_file(path, wanted)
        except FormatError:  # an empty file or a broken .gz: nobody can tell what it was, but for its name
            unreadable.append(path)
            continue
        if found is not None and role == "main":
            by_format.setdefault(found.name, []).append(path)
    if len(by_format) > 1:
        by_format.pop("text", None)
    if not by_format and wanted is not None and any(_is_named(path, wanted) for path in unreadable):
        by_format[wanted.name] = []
    if not by_format:
        asked = f" of format {wanted.name}" if wanted else ""
        raise CoindexError(f"{folder}: no file{asked} to read; name a folder that holds a corpus")
    if len(by_format) > 1:
        seen = ", ".join(f"{name} ({len(files)} files)" for name, files in by_format.items())
        raise CoindexError(f"{folder}: holds several formats: {seen}; choose one with --from (format=… in Python)")
    (name,) = by_format
    chosen = get_format(name)
    # What is empty or broken is there to be complained of: no part of a corpus is left out in silence.
    for path in sorted(by_format[name] + [path for path in unreadable if _is_named(path, chosen)]):
        yield Source(path, on_problem=on_problem), chosen


def _detect_file(path: Path, wanted: Format | None) -> tuple[Format | None, Role]:
    if wanted is not None and not _is_named(path, wanted):
        return None, "no"
    source = Source(path)
    try:
        found, role = detect(source)
    except UnknownContentError:
        return wanted, "main" if wanted else "no"
    finally:
        source.close()
    if wanted is not None and found.name != wanted.name:
        return (wanted, "main") if "text" in (found.name, wanted.name) else (None, "no")
    if found.name == "text" and not _is_named(path, found):
        return None, "no"
    return found, role


def _is_named(path: Path, format: Format) -> bool:
    return path.name.removesuffix(".gz").endswith(format.extensions)


def write(docs: Document | Iterable[Document], path: str | Path, format: str | None = None, **options: str) -> None:
    """Write documents to a file, a folder or "-"; what the format cannot say is counted in a warning.

    The output appears under its name only when all of it is written.
    """
    from ..formats.losses import watch_losses
    from ..formats.sink import Sink

    chosen = get_format(format) if format is not None else format_for_output(str(path))
    if chosen.write is None:
        raise CoindexError(f"{chosen.name} can be read, not written; choose another format to write")
    check_options(options, chosen.write_options, chosen.name)
    many: Iterable[Document] = [docs] if isinstance(docs, Document) else docs
    with Sink(path, folder=chosen.is_folder) as sink:
        chosen.write(watch_losses(many, chosen.carries, chosen.name), sink, **options)
