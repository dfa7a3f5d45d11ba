"""The files of a campaign: unpack submissions, find parts and datasets, create the blind input, check responses.

The blind input is what participants receive. It keeps only listed fields, because a corpus can reveal coreference in
unexpected places (columns of old formats in MISC, comments such as `# meta::salientEntities`). Each document is built
from scratch, so nothing is copied from the source file. Two keys that differ only in their annotation produce the same
input, byte for byte.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..corpora.files import read_source, sources, write
from ..corpora.key_and_response import dataset_name
from ..document import Document, Entity, Mention, Sentence, Token, Tokens
from ..document.documents import CONTEXT
from ..document.naming import antecedent, is_pronoun
from ..document.tokens import Extra
from ..errors import CoindexError, FormatError, LossWarning, Problem
from ..formats.archives import Unpacker
from ..formats.corefud.lines import STANDARD
from ..formats.registry import get_format
from ..formats.source import fill_columns
from ..formats.surface import without_zeros
from .checking import DatasetInput, ResponseDocument, SubmissionProblem, check_dataset
from .definition import Mentions, Track, Zeros

MISC = frozenset(
    {"CorrectForm", "CorrectSpaceAfter", "Gloss", "LGloss", "LId", "LTranslit", "Lang", "MGloss", "MSeg", "Node"}
    | {"SpaceAfter", "SpacesAfter", "SpacesBefore", "Translit", "Typo", "XML"}
)
"""The fields of MISC that are kept; none of them is about reference."""
COMMENTS = frozenset({"newpar", "text_en", "translit", "addressee", "s_type", CONTEXT[2:]})
META = frozenset({"part", "track", "task", "doc_id", "title", "author", "sourceURL", "speakerList", "speakerCount"})
"""The names of comments and of document metadata that are kept."""
STANDOFF = frozenset({"brat", "rueval"})
"""Formats with character offsets. Their words are split at mention boundaries, so the text is tokenized again."""
ANAPHORIC = "anaphoric"
ECBPLUS = "ecbplus"


def blind(
    doc: Document,
    *,
    mentions: Mentions = "hidden",
    zeros: Zeros = "kept",
    task: int | None = None,
    format: str | None = None,
    keep: Collection[str] = (),
) -> Document:
    """Return the blind input of a key document.

    With `mentions="given"`, each mention becomes a separate entity, numbered in text order, with its kind but without
    head and attributes. `task` is a task of ARE 2007. `keep` names additional MISC fields, comments, metadata and
    CoNLL-U Plus columns to keep. The blind input of an input is the same input.
    """
    if format in STANDOFF and mentions == "hidden" and task is None:
        about = {"topic": doc.topic, "subtopic": doc.subtopic, "genre": doc.genre, "meta": doc.meta}
        doc = Document.from_text(doc.text, id=doc.id, language=doc.language, markup="none").replace(**about)
    elif zeros == "stripped":
        doc = without_zeros(doc)
    tokens = Tokens(
        (_strip_token(token, keep, zeros) for token in doc.tokens),
        multiwords=(
            replace(multiword, misc=_filter_misc(multiword.misc, keep), extra=_filter_extra(multiword.extra, keep))
            for multiword in doc.tokens.multiwords
        ),
        prefix=doc.tokens.prefix,
    )
    given = list(_input_mentions(doc, task, mentions))
    return Document(
        tokens,
        tuple(_strip_sentence(tokens, sentence, keep) for sentence in doc.sentences),
        tuple(_make_singleton(tokens, _ids(number, doc, format), *pair) for number, pair in enumerate(given, 1)),
        id=doc.id,
        shared_ids=format == ECBPLUS,
        topic=doc.topic,
        subtopic=doc.subtopic,
        genre=doc.genre,
        language=doc.language,
        meta=_filter_meta(doc, task, keep),
        columns=tuple(name for name in doc.columns if name in STANDARD or name in keep),
    )


def _input_mentions(doc: Document, task: int | None, mentions: Mentions) -> Iterator[tuple[Mention, Entity, bool]]:
    """Yield each mention of the input once, with its entity and whether it is to be resolved.

    Task 1 of ARE provides all candidates and marks anaphoric pronouns: those marked in the key, or, if the key has no
    such marks, those with an antecedent. A pleonastic *it* is not listed. Task 2 provides only the noun phrases of
    chains; tasks 3 and 4 provide only the text.
    """
    if mentions == "hidden" and task not in (1, 2):
        return
    pairs = doc.mentions()
    is_input = doc.meta.get("kind") == "input"
    marks_anaphors = any(ANAPHORIC in mention.attributes for mention, _ in pairs)
    seen: set[tuple[tuple[int, ...], str]] = set()
    for mention, entity in pairs:
        name = (mention.positions, entity.kind)
        if (task == 2 and len(entity) < 2 and not is_input) or name in seen:
            continue
        seen.add(name)
        if marks_anaphors:
            resolved = mention.attributes.get(ANAPHORIC) == "yes"
        else:
            resolved = is_pronoun(mention) and antecedent(mention, entity.mentions) is not None
        yield mention, entity, resolved and task == 1


def _ids(number: int, doc: Document, format: str | None) -> tuple[str, dict[str, str]]:
    """Return the id of a single-mention entity and the attribute that numbers the mention; ECB+ has its own form."""
    if format == ECBPLUS:
        return f"{doc.id}:m{number}", {"m_id": str(number)}
    return f"e{number}", {"id": str(number)}


def _make_singleton(
    tokens: Tokens, ids: tuple[str, dict[str, str]], mention: Mention, entity: Entity, resolved: bool
) -> Entity:
    name, attributes = ids
    attributes |= {ANAPHORIC: "yes"} if resolved else {}
    return Entity(name, (Mention(tokens, mention.positions, None, attributes),), None, entity.kind)


def _strip_token(token: Token, keep: Collection[str], zeros: Zeros) -> Token:
    misc, deps = token.misc, token.deps
    if zeros == "stripped" and "." in deps:  # an arc to an empty node reveals that there was one
        arcs = [arc for arc in deps.split("|") if "." not in arc.partition(":")[0]]
        deps = "|".join(arcs) or "_"
    return token._replace(misc=_filter_misc(misc, keep), deps=deps, extra=_filter_extra(token.extra, keep))


def _filter_extra(extra: Extra, keep: Collection[str]) -> Extra:
    return tuple((name, value) for name, value in extra if name in keep)


def _filter_misc(misc: str, keep: Collection[str]) -> str:
    if misc == "_":
        return misc
    pairs = [pair for pair in misc.split("|") if (name := pair.partition("=")[0]) in MISC or name in keep]
    return "|".join(pairs) or "_"


def _strip_sentence(tokens: Tokens, sentence: Sentence, keep: Collection[str]) -> Sentence:
    comments = tuple(comment for comment in sentence.comments if _is_kept(comment, keep))
    return Sentence(tokens, sentence.start, sentence.end, sentence.id, sentence.speaker, comments)


def _is_kept(comment: str, keep: Collection[str]) -> bool:
    text = comment[1:].strip()
    name = text.partition("=")[0].strip()
    return text in COMMENTS or name in COMMENTS or name in keep or name.split()[:1] == ["newpar"]


def _filter_meta(doc: Document, task: int | None, keep: Collection[str]) -> dict[str, str]:
    meta = {name: value for name, value in doc.meta.items() if name in META or name in keep}
    return meta | ({"task": str(task), "kind": "input"} if task is not None else {})


def write_options(task: int | None, format: str) -> dict[str, str]:
    """Return the writer options for an input; scorers compare its sentence ids with those of the key."""
    if format == "corefud":
        return {"sent_ids": "kept"}
    return {"task": str(task), "kind": "input"} if task is not None and format == "are" else {}


ALL = "all"
"""The name of the dataset if there is only one."""
PACKED = (".zip", ".gz")
DEPTH = 3
"""The maximum number of enclosing folders that are skipped in an archive."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A readable submission: its path, and its name in messages."""

    path: Path
    name: str

    def show_path(self, path: str) -> str:
        """Return a path as the participant knows it, not where it was unpacked."""
        below = os.path.relpath(path, self.path)
        if below.startswith(".."):
            return path
        return self.name if below == "." else f"{self.name}/{Path(below).as_posix()}"


@contextmanager
def unpack_submission(path: str | os.PathLike[str]) -> Iterator[Submission]:
    """Yield a submission (a file, folder, zip or .gz), unpacked within limits into a temporary folder."""
    given = Path(path)
    if not given.exists():
        raise CoindexError(
            "no such file or folder",
            remedy="pass the path of a submission",
            code="unreadable-file",
            path=given,
        )
    if given.is_dir() or not given.name.endswith(PACKED):
        yield Submission(given, str(given))
        return
    if given.suffix == ".zip" and not zipfile.is_zipfile(given):
        raise CoindexError(
            "not a valid zip archive",
            remedy="create the archive again",
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
    """Return a path as participants may see it: the path of a key is replaced by `the key`."""
    own = next((key for key in keys if path == key or path.startswith(f"{key}/")), None)
    return path if own is None else f"the key{path[len(own) :]}"


def entries(folder: Path) -> list[Path]:
    """Return the entries of a folder, without hidden files."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def inside(submission: Submission, names: Sequence[str]) -> Submission:
    """Return a submission without enclosing folders, as archives often have, unless they have one of these names."""
    path = submission.path
    for _ in range(DEPTH):
        paths = entries(path) if path.is_dir() else []
        if len(paths) != 1 or not paths[0].is_dir() or dataset_name(str(paths[0])) in names:
            break
        path = paths[0]
    return Submission(path, submission.show_path(str(path)))


def find_part(path: Path, track: Track, *, several: bool) -> Path | None:
    """Return the file or folder for a track; the whole path if the campaign has only one part."""
    if path.is_dir():
        by_name = {dataset_name(str(entry)): entry for entry in entries(path)}
        if track.part_name in by_name:
            return by_name[track.part_name]
    return None if several else path


def find_datasets(track: Track, path: Path) -> dict[str, Path]:
    """Return the datasets of a key or input by name."""
    if track.one_dataset or not path.is_dir():
        return {ALL if track.one_dataset else dataset_name(str(path)): path}
    datasets = {dataset_name(str(entry)): entry for entry in entries(path)}
    missing = [name for name in track.datasets if name not in datasets]
    if missing:
        raise CoindexError(
            f"the dataset {missing[0]!r} of the track {track.name} is missing; add it, or remove it from the track",
            code="missing-dataset",
            path=path,
        )
    if not datasets:
        raise CoindexError(
            "the folder is empty; it needs one file or folder per dataset",
            code="nothing-to-read",
            path=path,
        )
    return {name: entry for name, entry in datasets.items() if not track.datasets or name in track.datasets}


def answer_to(name: str, wanted: Mapping[str, Path], submission: Submission) -> Path | None:
    """Return the file or folder of a submission with the response to a dataset."""
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
    """The input of a track, read once: the blind input itself, or generated from the key."""

    track: Track
    paths: Mapping[str, Path]
    _given: dict[str, list[Document]] = field(default_factory=dict)

    def docs(self, name: str) -> list[Document]:
        """Return the documents of a dataset as participants receive them."""
        if name not in self._given:
            self._given[name] = list(blind_documents(self.paths[name], self.track))
        return self._given[name]

    def make_input(self, name: str) -> DatasetInput:
        """Return the input that a response to a dataset is compared with."""
        others = {other: [str(doc.id) for doc in self.docs(other)] for other in self.paths if other != name}
        return DatasetInput(
            name=name,
            docs=self.docs(name),
            settings=self.track.settings,
            mentions=self.track.mentions == "given" or self.track.task == 2,
            others=others,
        )


def blind_documents(path: Path, track: Track, keep: Sequence[str] = ()) -> Iterator[Document]:
    """Yield the blind input of a key or of an input."""
    for source, format in sources(path, annotated=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # participants must not see warnings about the key
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


def check_answer(inputs: Inputs, name: str, path: Path, submission: Submission) -> Iterator[SubmissionProblem]:
    """Yield all problems in the response to a dataset: first format errors, then differences from the input."""
    answers: list[ResponseDocument] = []
    all_problems: list[SubmissionProblem] = []
    problems: list[Problem] = []
    try:
        for source, format in sources(path, on_problem=problems.append, annotated=True):
            file = submission.show_path(str(source.path))
            if "entities" not in format.carries:
                source.close()
                all_problems.append(_no_entities(file, format.name))
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    answers += [ResponseDocument(file, doc) for doc in read_source(source, format, {})]
            except FormatError as error:
                problems.append(error.problem)
    except FormatError as error:
        problems.append(error.problem)
    except CoindexError as error:
        all_problems.append(SubmissionProblem.of_error(submission.show_path(str(path)), error, "a readable response"))
    for problem in fill_columns(list(dict.fromkeys(problems))):  # and show the path as the participant knows it
        all_problems.append(SubmissionProblem.of(replace(problem, path=submission.show_path(problem.path))))
    yield from all_problems
    if answers or not all_problems:
        yield from check_dataset(inputs.make_input(name), answers)


def _no_entities(file: str, format: str) -> SubmissionProblem:
    readable = "corefud, conll2012, jsonlines, json …"
    return SubmissionProblem(
        file=file,
        code="no-entities",
        found=f"the format {format}, which has no entities",
        expected=f"a format with entities: {readable}",
        remedy="submit the output of your system in the format of the input",
    )


def digest(path: Path) -> str:
    """Return a short checksum of a file or folder."""
    total = hashlib.sha256()
    files = [path] if path.is_file() else sorted(entry for entry in path.rglob("*") if entry.is_file())
    for file in files:
        if not any(part.startswith(".") for part in file.relative_to(path).parts):
            total.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
            total.update(file.read_bytes())
    return total.hexdigest()[:16]


def output_format(name: str) -> str:
    """Return the format of the input for a key in this format."""
    return name if get_format(name).write is not None else "corefud"


InputsOf = Callable[[Track, Mapping[str, Path]], Inputs]


def check_all(
    tracks: Sequence[Track],
    chosen: Sequence[Track],
    given: Path,
    submission: str | os.PathLike[str],
    *,
    inputs_of: InputsOf = Inputs,
) -> list[SubmissionProblem]:
    """Return all problems in a submission; an unpacking error is a single finding.

    `inputs_of` returns inputs that are already loaded.
    """
    if not given.exists():
        raise CoindexError(
            "no such file or folder; pass the path of the input or the key",
            code="unreadable-file",
            path=given,
        )
    try:
        with unpack_submission(submission) as opened:
            return list(_check(tracks, chosen, given, opened, inputs_of))
    except CoindexError as error:
        if not os.path.exists(submission):
            raise
        return [SubmissionProblem.of_error(os.fspath(submission), error, "a file, a folder, a zip or a .gz")]


def find_answered_tracks(tracks: Sequence[Track], given: Path, submission: Submission) -> list[str]:
    """Return the names of the tracks for which a submission contains a response."""
    parts = {track.part_name for track in tracks}
    names = [*parts, *(name for track in tracks for name in find_datasets(track, own_part(given, track)))]
    whole = inside(submission, names).path
    return [track.name for track in tracks if find_part(whole, track, several=len(parts) > 1) is not None]


def _check(
    tracks: Sequence[Track], chosen: Sequence[Track], given: Path, submission: Submission, inputs_of: InputsOf
) -> Iterator[SubmissionProblem]:
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
        answer = inside(Submission(part, whole.show_path(str(part))), list(paths))
        yield from _check_part(inputs_of(track, paths), answer)
    if not done:
        yield SubmissionProblem(
            file=whole.name,
            found="no file or folder for any track",
            expected=f"a file or folder named {' or '.join(sorted(parts))}",
            remedy="name each file or folder after its part",
            code="wrong-part-name",
        )


def own_part(given: Path, track: Track) -> Path:
    """Return the part of an input or key for a track."""
    return find_part(given, track, several=False) or given


def _check_part(inputs: Inputs, answer: Submission) -> Iterator[SubmissionProblem]:
    used: set[Path] = set()
    for name in inputs.paths:
        path = answer_to(name, inputs.paths, answer)
        if path is None:
            yield SubmissionProblem(
                file=answer.name,
                found=f"no file or folder {name}",
                expected=f"a response for each dataset: {', '.join(inputs.paths)}",
                remedy="add it with this name; otherwise the submission gets no average score and no rank",
                code="missing-dataset",
            )
            continue
        used.add(path)
        yield from check_answer(inputs, name, path, answer)
    if answer.path.is_dir() and answer.path not in used:
        for entry in entries(answer.path):
            if entry not in used:
                yield SubmissionProblem(
                    file=answer.show_path(str(entry)),
                    found=f"unknown dataset {dataset_name(str(entry))}",
                    expected=", ".join(inputs.paths),
                    remedy="remove it; it is ignored",
                    severity="warning",
                    code="extra-dataset",
                )


def write_inputs(tracks: Sequence[Track], key: Path, output: Path, keep: Sequence[str]) -> list[Path]:
    """Write the inputs of all parts and return the paths."""
    if not key.exists():
        raise CoindexError("no such file or folder; pass the path of the key", code="unreadable-file", path=key)
    if output.is_dir() and any(output.iterdir()):
        raise CoindexError("the output folder is not empty; choose a new folder", code="not-empty", path=output)
    if output.is_file():
        raise CoindexError("the output is a file; choose a folder", code="not-a-folder", path=output)
    parts: dict[str, Track] = {}
    for track in tracks:
        first = parts.setdefault(track.part_name, track)
        if gives(first) != gives(track):
            raise CoindexError(
                f"the tracks {first.name} and {track.name} share the part {track.part_name} but not the input; "
                "give them the same mentions, blind_zeros and task, or different parts",
                code="invalid-campaign",
            )
    written: list[Path] = []
    for name, track in parts.items():
        own = find_part(key, track, several=False) or key
        written += _write_part(track, own, output / name if len(parts) > 1 else output, keep)
    return written


def gives(track: Track) -> tuple[object, ...]:
    """Return the settings of a track that determine its input."""
    return (track.mentions, track.blind_zeros, track.task, track.one_dataset)


def _write_part(track: Track, key: Path, output: Path, keep: Sequence[str]) -> Iterator[Path]:
    """Write the input of a part, per file; for formats that are folders of files, per dataset."""
    names = []
    for source, format in sources(key, annotated=True):
        source.close()
        names.append((Path(str(source.path)), format))
    is_folder = get_format(output_format(names[0][1].name)).is_folder
    if is_folder and key.is_dir():
        whole = [key] if track.one_dataset or not all(path.is_dir() for path in entries(key)) else entries(key)
        for path in whole:
            yield _write(track, path, output if path == key else output / path.name, names[0][1].name, keep)
        return
    for path, format in names:
        name = path.relative_to(key) if key.is_dir() else Path(path.name)
        target = output if is_folder else output / _output_name(name, format.name)
        yield _write(track, path, target, format.name, keep)


def _output_name(name: Path, format: str) -> Path:
    """Return the name of an output file; it differs for formats that cannot be written."""
    chosen = output_format(format)
    return name if chosen == format else name.with_name(name.name.split(".")[0] + get_format(chosen).extensions[0])


def _write(track: Track, path: Path, target: Path, format: str, keep: Sequence[str]) -> Path:
    chosen = output_format(format)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)  # the file of the key could not represent it either
        write(blind_documents(path, track, keep), target, chosen, **write_options(track.task, chosen))
    return target
