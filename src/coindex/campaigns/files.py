"""The files of a campaign: submissions unpacked, their parts and datasets found, documents read and compared.

The blind input: what participants get of an annotated key.

What stays is named, all else goes: a corpus may say who is who in places that nobody thought of (columns of old formats
in MISC, comments such as `# meta::salientEntities`). The document is made anew, so that nothing of the file that it was
read from is copied. Two keys that differ only in their annotation give the same input, byte for byte.
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
from .checking import Answered, Finding, Given, check_dataset
from .definition import Mentions, Track, Zeros

MISC = frozenset(
    {"CorrectForm", "CorrectSpaceAfter", "Gloss", "LGloss", "LId", "LTranslit", "Lang", "MGloss", "MSeg", "Node"}
    | {"SpaceAfter", "SpacesAfter", "SpacesBefore", "Translit", "Typo", "XML"}
)
"""The fields of MISC that may stay: none of them is about reference."""
COMMENTS = frozenset({"newpar", "text_en", "translit", "addressee", "s_type", CONTEXT[2:]})
META = frozenset({"part", "track", "task", "doc_id", "title", "author", "sourceURL", "speakerList", "speakerCount"})
"""The names of comments and of what is said of a document that may stay."""
STANDOFF = frozenset({"brat", "rueval"})
"""Formats that know mentions by characters: words are cut at the borders of mentions, so words are found anew."""
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
    """The input made of a key document.

    With `mentions` given, each mention is an entity of its own, numbered in the order of the text, with its kind and
    without any attribute; the head of a mention is not told. `task` is a task of ARE 2007; `keep` names more fields of
    MISC, comments, metadata and columns of CoNLL-U Plus that may stay. An input made of an input is the same input.
    """
    if format in STANDOFF and mentions == "hidden" and task is None:
        about = {"topic": doc.topic, "subtopic": doc.subtopic, "genre": doc.genre, "meta": doc.meta}
        doc = Document.from_text(doc.text, id=doc.id, language=doc.language, markup="none").replace(**about)
    elif zeros == "stripped":
        doc = without_zeros(doc)
    tokens = Tokens(
        (_bare(token, keep, zeros) for token in doc.tokens),
        multiwords=(
            replace(multiword, misc=_kept_misc(multiword.misc, keep), extra=_kept_extra(multiword.extra, keep))
            for multiword in doc.tokens.multiwords
        ),
        prefix=doc.tokens.prefix,
    )
    given = list(_given(doc, task, mentions))
    return Document(
        tokens,
        tuple(_bare_sentence(tokens, sentence, keep) for sentence in doc.sentences),
        tuple(_alone(tokens, _ids(number, doc, format), *one) for number, one in enumerate(given, 1)),
        id=doc.id,
        shared_ids=format == ECBPLUS,
        topic=doc.topic,
        subtopic=doc.subtopic,
        genre=doc.genre,
        language=doc.language,
        meta=_kept_meta(doc, task, keep),
        columns=tuple(name for name in doc.columns if name in STANDARD or name in keep),
    )


def _given(doc: Document, task: int | None, mentions: Mentions) -> Iterator[tuple[Mention, Entity, bool]]:
    """The mentions that the input has, each once, with what kind of thing they are and whether they are to be resolved.

    Task 1 of ARE gives all candidates, and says which pronouns are anaphoric: those of which the key says so, else
    those with an antecedent. A pleonastic *it* is in no list. Task 2 gives the noun phrases of chains, and no others;
    tasks 3 and 4 give the text alone.
    """
    if mentions == "hidden" and task not in (1, 2):
        return
    pairs = doc.mentions()
    is_input = doc.meta.get("kind") == "input"
    said = any(ANAPHORIC in mention.attributes for mention, _ in pairs)
    seen: set[tuple[tuple[int, ...], str]] = set()
    for mention, entity in pairs:
        name = (mention.positions, entity.kind)
        if (task == 2 and len(entity) < 2 and not is_input) or name in seen:
            continue
        seen.add(name)
        if said:
            resolved = mention.attributes.get(ANAPHORIC) == "yes"
        else:
            resolved = is_pronoun(mention) and antecedent(mention, entity.mentions) is not None
        yield mention, entity, resolved and task == 1


def _ids(number: int, doc: Document, format: str | None) -> tuple[str, dict[str, str]]:
    """The id of an entity of one mention and the attribute that numbers the mention; ECB+ has a form for both."""
    if format == ECBPLUS:
        return f"{doc.id}:m{number}", {"m_id": str(number)}
    return f"e{number}", {"id": str(number)}


def _alone(tokens: Tokens, ids: tuple[str, dict[str, str]], mention: Mention, entity: Entity, resolved: bool) -> Entity:
    name, attributes = ids
    attributes |= {ANAPHORIC: "yes"} if resolved else {}
    return Entity(name, (Mention(tokens, mention.positions, None, attributes),), None, entity.kind)


def _bare(token: Token, keep: Collection[str], zeros: Zeros) -> Token:
    misc, deps = token.misc, token.deps
    if zeros == "stripped" and "." in deps:  # what hung on an empty node tells that there was one
        arcs = [arc for arc in deps.split("|") if "." not in arc.partition(":")[0]]
        deps = "|".join(arcs) or "_"
    return token._replace(misc=_kept_misc(misc, keep), deps=deps, extra=_kept_extra(token.extra, keep))


def _kept_extra(extra: Extra, keep: Collection[str]) -> Extra:
    return tuple((name, value) for name, value in extra if name in keep)


def _kept_misc(misc: str, keep: Collection[str]) -> str:
    if misc == "_":
        return misc
    pairs = [pair for pair in misc.split("|") if (name := pair.partition("=")[0]) in MISC or name in keep]
    return "|".join(pairs) or "_"


def _bare_sentence(tokens: Tokens, sentence: Sentence, keep: Collection[str]) -> Sentence:
    comments = tuple(comment for comment in sentence.comments if _is_kept(comment, keep))
    return Sentence(tokens, sentence.start, sentence.end, sentence.id, sentence.speaker, comments)


def _is_kept(comment: str, keep: Collection[str]) -> bool:
    text = comment[1:].strip()
    name = text.partition("=")[0].strip()
    return text in COMMENTS or name in COMMENTS or name in keep or name.split()[:1] == ["newpar"]


def _kept_meta(doc: Document, task: int | None, keep: Collection[str]) -> dict[str, str]:
    meta = {name: value for name, value in doc.meta.items() if name in META or name in keep}
    return meta | ({"task": str(task), "kind": "input"} if task is not None else {})


def write_options(task: int | None, format: str) -> dict[str, str]:
    """The options of a format's writer that an input needs: the scorers compare the ids of sentences with the key's."""
    if format == "corefud":
        return {"sent_ids": "kept"}
    return {"task": str(task), "kind": "input"} if task is not None and format == "are" else {}


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
