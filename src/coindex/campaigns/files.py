"""The files of a campaign: submissions unpacked, their parts and datasets found, documents read and compared."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..corpora.files import read_source, sources, write
from ..corpora.key_and_response import dataset_name
from ..document import Document
from ..errors import CoindexError, FormatError, LossWarning, Problem
from ..formats.archives import Unpacker
from ..formats.registry import get_format
from ..formats.source import fill_columns
from .blinding import blind, write_options
from .checking import Answered, Finding, Given, check_dataset
from .definition import Track

ALL = "all"
"""The name of the dataset where there is only one."""
PACKED = (".zip", ".gz")
DEPTH = 3
"""So many folders around everything in an archive are passed over."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission that can be read: where it lies now, and what messages call it."""

    path: Path
    name: str

    def shown(self, path: str) -> str:
        """A path as its sender knows it, not where it was unpacked."""
        below = os.path.relpath(path, self.path)
        if below.startswith(".."):
            return path
        return self.name if below == "." else f"{self.name}/{Path(below).as_posix()}"


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[Submission]:
    """A file, a folder, a zip or a .gz, unpacked within limits into a folder that is gone afterwards."""
    given = Path(path)
    if not given.exists():
        raise CoindexError(
            "no such file or folder; expected a submission",
            remedy="name one that is there",
            code="unreadable-file",
            path=given,
        )
    if given.is_dir() or not given.name.endswith(PACKED):
        yield Submission(given, str(given))
        return
    if given.suffix == ".zip" and not zipfile.is_zipfile(given):
        raise CoindexError(
            "no zip, whatever its name says, or a broken one; expected a zip",
            remedy="pack it anew",
            code="broken-archive",
            path=given,
        )
    with tempfile.TemporaryDirectory(prefix="coindex-") as folder:
        with given.open("rb") as file:
            try:
                Unpacker(Path(folder)).take(given.name, file, given.stat().st_size)
            except CoindexError as error:
                raise CoindexError(error.found, remedy=error.remedy, code=error.code, path=given) from error
        yield Submission(Path(folder), str(given))


def hide_key(path: str, keys: Iterable[str]) -> str:
    """Return a path as participants may see it: one of a key, or in the folder of a key, begins with `the key`."""
    own = next((key for key in keys if path == key or path.startswith(f"{key}/")), None)
    return path if own is None else f"the key{path[len(own) :]}"


def entries(folder: Path) -> list[Path]:
    """What is right below a folder, hidden files aside."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def inside(submission: Submission, names: Sequence[str]) -> Submission:
    """Without folders around everything, as archives often have, unless they are one of these names."""
    path = submission.path
    for _ in range(DEPTH):
        found = entries(path) if path.is_dir() else []
        if len(found) != 1 or not found[0].is_dir() or dataset_name(str(found[0])) in names:
            break
        path = found[0]
    return Submission(path, submission.shown(str(path)))


def find_part(path: Path, track: Track, *, several: bool) -> Path | None:
    """The file or folder that a track is about; all of it where the campaign has one track."""
    if path.is_dir():
        by_name = {dataset_name(str(entry)): entry for entry in entries(path)}
        if track.part_name in by_name:
            return by_name[track.part_name]
    return None if several else path


def find_datasets(track: Track, path: Path) -> dict[str, Path]:
    """The datasets of a key or input by their names."""
    if track.one_dataset or not path.is_dir():
        return {ALL if track.one_dataset else dataset_name(str(path)): path}
    found = {dataset_name(str(entry)): entry for entry in entries(path)}
    missing = [name for name in track.datasets if name not in found]
    if missing:
        raise CoindexError(
            f"no dataset {missing[0]!r}; expected what the track {track.name} lists; add it",
            code="missing-dataset",
            path=path,
        )
    if not found:
        raise CoindexError(
            "an empty folder; expected a file or folder for each dataset; name another",
            code="nothing-to-read",
            path=path,
        )
    return {name: entry for name, entry in found.items() if not track.datasets or name in track.datasets}


def answer_to(name: str, wanted: Mapping[str, Path], submission: Submission) -> Path | None:
    """The file or folder of a submission that answers a dataset."""
    path = submission.path
    if len(wanted) == 1 and not (wanted[name].is_dir() and _has_entry(path, name)):
        if path.is_dir() and wanted[name].is_file():
            by_name = {dataset_name(str(entry)): entry for entry in entries(path)}
            return by_name.get(name) or path
        return path
    if not path.is_dir():
        return path if dataset_name(str(path)) == name else None
    return next((entry for entry in entries(path) if dataset_name(str(entry)) == name), None)


def _has_entry(path: Path, name: str) -> bool:
    return path.is_dir() and any(dataset_name(str(entry)) == name for entry in entries(path))


@dataclass(slots=True)
class Inputs:
    """What participants were given in a track, read once: from the blind input, or made of the key."""

    track: Track
    paths: Mapping[str, Path]
    _given: dict[str, list[Document]] = field(default_factory=dict)

    def docs(self, name: str) -> list[Document]:
        """The documents of a dataset as participants have them."""
        if name not in self._given:
            self._given[name] = list(blind_documents(self.paths[name], self.track))
        return self._given[name]

    def given(self, name: str) -> Given:
        """What an answer to a dataset is compared with."""
        others = {other: [str(doc.id) for doc in self.docs(other)] for other in self.paths if other != name}
        return Given(
            name=name,
            docs=self.docs(name),
            settings=self.track.settings,
            mentions=self.track.mentions == "given" or self.track.task == 2,
            others=others,
        )


def blind_documents(path: Path, track: Track, keep: Sequence[str] = ()) -> Iterator[Document]:
    """The input made of a key, or of an input."""
    for source, format in sources(path, annotated=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the key's own oddities are not for participants
            docs = list(read_source(source, format, {}))
        for doc in docs:
            yield blind(
                doc,
                mentions=track.mentions,
                zeros=track.blind_zeros,
                task=track.task,
                format=format.name,
                keep=keep,
            )


def check_answer(inputs: Inputs, name: str, path: Path, submission: Submission) -> Iterator[Finding]:
    """All that is wrong with the answer to a dataset: what stops a reader, then what is not as in the input."""
    answers: list[Answered] = []
    found: list[Finding] = []
    problems: list[Problem] = []
    try:
        for source, format in sources(path, on_problem=problems.append, annotated=True):
            file = submission.shown(str(source.path))
            if "entities" not in format.carries:
                source.close()
                found.append(_no_entities(file, format.name))
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    answers += [Answered(file, doc) for doc in read_source(source, format, {})]
            except FormatError as error:
                problems.append(error.problem)
    except FormatError as error:
        problems.append(error.problem)
    except CoindexError as error:
        found.append(Finding.of_error(submission.shown(str(path)), error, "an answer"))
    for problem in fill_columns(list(dict.fromkeys(problems))):  # and the file as its sender knows it
        found.append(Finding.of(replace(problem, path=submission.shown(problem.path))))
    yield from found
    if answers or not found:
        yield from check_dataset(inputs.given(name), answers)


def _no_entities(file: str, format: str) -> Finding:
    readable = "corefud, conll2012, jsonlines, json …"
    return Finding(
        file=file,
        code="no-entities",
        found=f"{format}, a format without entities",
        expected=f"a format with entities: {readable}",
        remedy="send the output of the system in the format of the input",
    )


def digest(path: Path) -> str:
    """What a file or folder holds, in few letters."""
    total = hashlib.sha256()
    files = [path] if path.is_file() else sorted(entry for entry in path.rglob("*") if entry.is_file())
    for file in files:
        if not any(part.startswith(".") for part in file.relative_to(path).parts):
            total.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
            total.update(file.read_bytes())
    return total.hexdigest()[:16]


def output_format(name: str) -> str:
    """The format that the input of a key in this format is written in."""
    return name if get_format(name).write is not None else "corefud"


InputsOf = Callable[[Track, Mapping[str, Path]], Inputs]


def check_all(
    tracks: Sequence[Track],
    chosen: Sequence[Track],
    given: Path,
    submission: str | os.PathLike[str],
    *,
    inputs_of: InputsOf = Inputs,
) -> list[Finding]:
    """What is wrong with a submission; what stops the unpacking is one finding.

    `inputs_of` gives inputs that were read before.
    """
    if not given.exists():
        raise CoindexError(
            "no such file or folder; expected the input or the key; name one that is there",
            code="unreadable-file",
            path=given,
        )
    try:
        with unpacked(submission) as found:
            return list(_check(tracks, chosen, given, found, inputs_of))
    except CoindexError as error:
        if not os.path.exists(submission):
            raise
        return [Finding.of_error(os.fspath(submission), error, "a file, a folder, a zip or a .gz")]


def answered(tracks: Sequence[Track], given: Path, submission: Submission) -> list[str]:
    """The tracks that a submission has something for."""
    parts = {track.part_name for track in tracks}
    names = [*parts, *(name for track in tracks for name in find_datasets(track, own_part(given, track)))]
    whole = inside(submission, names).path
    return [track.name for track in tracks if find_part(whole, track, several=len(parts) > 1) is not None]


def _check(
    tracks: Sequence[Track], chosen: Sequence[Track], given: Path, submission: Submission, inputs_of: InputsOf
) -> Iterator[Finding]:
    parts = {track.part_name for track in tracks}
    names = [*parts, *(name for track in chosen for name in find_datasets(track, own_part(given, track)))]
    whole = inside(submission, names)
    done: set[str] = set()
    for track in chosen:
        if track.part_name in done:
            continue
        part = find_part(whole.path, track, several=len(parts) > 1)
        if part is None:
            continue
        done.add(track.part_name)
        paths = find_datasets(track, own_part(given, track))
        answer = inside(Submission(part, whole.shown(str(part))), list(paths))
        yield from _check_part(inputs_of(track, paths), answer)
    if not done:
        yield Finding(
            file=whole.name,
            found="nothing for any track",
            expected=f"a file or folder called {' or '.join(sorted(parts))}",
            remedy="call each answer as its part is called",
            code="wrong-part-name",
        )


def own_part(given: Path, track: Track) -> Path:
    """The part of an input or key that a track is about."""
    return find_part(given, track, several=False) or given


def _check_part(inputs: Inputs, answer: Submission) -> Iterator[Finding]:
    used: set[Path] = set()
    for name in inputs.paths:
        path = answer_to(name, inputs.paths, answer)
        if path is None:
            yield Finding(
                file=answer.name,
                found=f"no file or folder {name}",
                expected=f"an answer to each dataset: {', '.join(inputs.paths)}",
                remedy="add it under this name; without it there is no mean and no rank",
                code="missing-dataset",
            )
            continue
        used.add(path)
        yield from check_answer(inputs, name, path, answer)
    if answer.path.is_dir() and answer.path not in used:
        for entry in entries(answer.path):
            if entry not in used:
                yield Finding(
                    file=answer.shown(str(entry)),
                    found=f"{dataset_name(str(entry))}, which is no dataset",
                    expected=", ".join(inputs.paths),
                    remedy="leave it out; it is passed over",
                    severity="warning",
                    code="extra-dataset",
                )


def write_inputs(tracks: Sequence[Track], key: Path, output: Path, keep: Sequence[str]) -> list[Path]:
    """The inputs of all parts; what was written."""
    if not key.exists():
        raise CoindexError(
            "no such file or folder; expected a key; name one that is there", code="unreadable-file", path=key
        )
    if output.is_dir() and any(output.iterdir()):
        raise CoindexError(
            "not empty; expected a new folder, lest an old file stay; name another", code="not-empty", path=output
        )
    if output.is_file():
        raise CoindexError("is a file; expected a folder; name another", code="not-a-folder", path=output)
    parts: dict[str, Track] = {}
    for track in tracks:
        first = parts.setdefault(track.part_name, track)
        if gives(first) != gives(track):
            raise CoindexError(
                f"the tracks {first.name} and {track.name} have one part, {track.part_name}, and give different "
                "things; expected the same mentions, blind_zeros and task; mend the campaign",
                code="invalid-campaign",
            )
    written: list[Path] = []
    for name, track in parts.items():
        own = find_part(key, track, several=False) or key
        written += _write_part(track, own, output / name if len(parts) > 1 else output, keep)
    return written


def gives(track: Track) -> tuple[object, ...]:
    """What of a track the input depends on."""
    return (track.mentions, track.blind_zeros, track.task, track.one_dataset)


def _write_part(track: Track, key: Path, output: Path, keep: Sequence[str]) -> Iterator[Path]:
    """File by file; formats that are folders of files dataset by dataset."""
    found = []
    for source, format in sources(key, annotated=True):
        source.close()
        found.append((Path(str(source.path)), format))
    is_folder = get_format(output_format(found[0][1].name)).is_folder
    if is_folder and key.is_dir():
        whole = [key] if track.one_dataset or not all(path.is_dir() for path in entries(key)) else entries(key)
        for path in whole:
            yield _write(track, path, output if path == key else output / path.name, found[0][1].name, keep)
        return
    for path, format in found:
        name = path.relative_to(key) if key.is_dir() else Path(path.name)
        target = output if is_folder else output / _renamed(name, format.name)
        yield _write(track, path, target, format.name, keep)


def _renamed(name: Path, format: str) -> Path:
    """The same name, but for formats that are read only and written as another."""
    chosen = output_format(format)
    return name if chosen == format else name.with_name(name.name.split(".")[0] + get_format(chosen).extensions[0])


def _write(track: Track, path: Path, target: Path, format: str, keep: Sequence[str]) -> Path:
    chosen = output_format(format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)  # the key's own file could not say it either
        write(blind_documents(path, track, keep), target, chosen, **write_options(track.task, chosen))
    return target
