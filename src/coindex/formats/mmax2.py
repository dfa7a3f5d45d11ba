"""MMAX2: a .mmax file that names its words, and levels of markables on them in separate files.

Markables form chains by sets (`coref_class`), by pointers (`anaphor_antecedent`), and through groups. A pointer to one
markable means identity. A pointer to several, or to a markable of a level of groups, whose span contains the members,
is a split antecedent, unless all of them turn out to be one entity.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ..document import Document, Entity, Kind, Mention, Sentence, SplitAntecedent, Token, Tokens, mention_order, runs
from ..document.disjoint_sets import Groups
from ..errors import quote
from .registry import Format
from .sink import Sink
from .source import Source
from .surface import all_sentences, distinct, in_order, sort_mentions, without_zeros
from .xml import Node, escape, file_name, parse_xml, quoteattr, watch_words, word_text, writable, xml_attributes

COMMON_PATHS = "common_paths.xml"

Key = tuple[str, str]
"""A markable: the name of its level, and its id there."""


@dataclass(frozen=True, slots=True)
class Markable:
    """An element of a level; `span` is not resolved yet."""

    level: str
    id: str
    span: str
    attributes: Mapping[str, str]
    source: Source
    line: int

    @property
    def key(self) -> Key:
        return self.level, self.id


@dataclass(slots=True)
class Project:
    """The files that a .mmax file and the common_paths.xml beside it name."""

    id: str
    words: Path
    levels: list[tuple[str, Path]]


def parse_part(source: Source, path: Path) -> tuple[Source, Node]:
    """Parse another file of the same document; return it with the source for reporting its problems."""
    part = source.sibling(path)
    try:
        return part, parse_xml(part)
    finally:
        part.close()


def find_project(source: Source) -> Project | None:
    """Return the files that the .mmax file names; None after a problem."""
    root = parse_xml(source)
    if root.tag != "mmax_project" or source.path is None:
        is_stdin = source.path is None
        found = "standard input" if is_stdin else f"the root element <{quote(root.tag)[1:-1]}>"
        source.problem(
            root.line,
            found,
            "a .mmax file (<mmax_project>) beside the files it names",
            "name the .mmax file of the document",
            code="unsupported-standard-input" if is_stdin else "wrong-root-element",
            fragment="" if is_stdin else root.tag,
        )
        return None
    folder, stem = source.path.parent, source.stem
    common = _file(folder / COMMON_PATHS, folder)
    paths = parse_part(source, common)[1] if common else Node("common_paths", {}, 0)
    node = root.find("words")
    name = (node.text.strip() if node else "") or f"{stem}_words.xml"
    words = _file(_folder(folder, paths, "basedata_path", "basedata") / name, folder) or _file(folder / name, folder)
    if words is None:
        source.problem(
            node.line if node else root.line,
            f"the words file {quote(name)}, which does not exist",
            "the file in the folder that basedata_path names, inside the project",
            f"restore it, or correct {COMMON_PATHS}",
            code="missing-companion-file",
            fragment=name,
        )
        return None
    markables = _folder(folder, paths, "markable_path", "markables")
    return Project(root.attributes.get("doc_id") or stem, words, _levels(source, paths, markables, stem, folder))


def _folder(folder: Path, paths: Node, tag: str, default: str) -> Path:
    node = paths.find(tag)
    named = node.text.strip() if node else default
    return folder / named


def _levels(source: Source, paths: Node, folder: Path, stem: str, project: Path) -> list[tuple[str, Path]]:
    annotations = paths.find("annotations")
    if annotations is None:  # no common_paths.xml: the levels are the existing files
        ending = "_level.xml"
        candidates = sorted(folder.glob("*" + ending)) if folder.is_dir() else []
        own = [path for path in candidates if path.name.startswith(f"{stem}_") and _file(path, project)]
        return [(path.name[len(stem) + 1 : -len(ending)], path) for path in own]
    levels = []
    for node in annotations.elements("level"):
        path = _file(folder / node.text.strip().replace("$", stem), project)
        if path is None:
            source.count("markable levels without a file", code="missing-companion-file")
        else:
            levels.append((node.attributes.get("name", ""), path))
    return levels


def _file(path: Path, project: Path) -> Path | None:
    """Return the file, plain or compressed; None if it does not exist or is outside the project, for safety."""
    root = project.resolve()
    for candidate in (path, path.with_name(f"{path.name}.gz")) if path.name else ():
        if candidate.is_file() and root in candidate.resolve().parents:
            return candidate
    return None


def read_level(source: Source, name: str, path: Path) -> Iterator[Markable]:
    """Read the markables of a level in the order of the file, without those that have no valid id."""
    part, root = parse_part(source, path)
    seen: set[str] = set()
    for node in root.elements("markable"):
        id = node.attributes.get("id")
        if id is None or id in seen:
            what = "without id" if id is None else f"with the id {quote(id)}, which another has"
            part.problem(
                node.line,
                f"a markable {what}",
                "an id for each markable",
                "give it a new one",
                code="duplicate-annotation-id",
                fragment=id or "",
            )
            continue
        seen.add(id)
        yield Markable(name, id, node.attributes.get("span", ""), node.attributes, part, node.line)


class WordIndex:
    """The words in order; a span names words by their ids, which need not be numbers in order."""

    def __init__(self, source: Source, path: Path) -> None:
        part, root = parse_part(source, path)
        self.forms: list[str] = []
        self._starts: list[int] = []  # for each word, empty ones too: how many forms come before it
        self._index: dict[str, int] = {}
        for node in root.elements("word"):
            id = node.attributes.get("id")
            if id is None or id in self._index:
                what = "without id" if id is None else f"with the id {quote(id)}, which another has"
                part.problem(
                    node.line,
                    f"a word {what}",
                    "an id for each word",
                    "give it a new one",
                    code="duplicate-annotation-id",
                    fragment=id or "",
                )
                continue
            self._index[id] = len(self._starts)
            self._starts.append(len(self.forms))
            if form := node.text.strip():
                self.forms.append(form)
            else:
                source.count("words that consist of white space, left out", code="left-out")
        self._starts.append(len(self.forms))

    def positions(self, markable: Markable) -> tuple[int, ...]:
        """Return the positions of "word_3..word_5,word_8"; none after a problem."""
        positions: set[int] = set()
        for part in markable.span.split(","):
            first, dots, last = (id.strip() for id in part.partition(".."))
            start, end = self._index.get(first), self._index.get(last if dots else first)
            if start is None or end is None or end < start:
                markable.source.problem(
                    markable.line,
                    f"markable {quote(markable.id)} with the span {quote(part)}",
                    "ids of words in their order, as in word_3..word_5,word_8",
                    "correct the span",
                    code="invalid-span",
                    fragment=markable.id,
                )
                return ()
            positions.update(range(self._starts[start], self._starts[end + 1]))
        return tuple(sorted(positions))

    def position(self, id: str) -> int | None:
        """Return the position of a word; None if it does not exist."""
        index = self._index.get(id)
        if index is None or self._starts[index] == self._starts[index + 1]:
            return None
        return self._starts[index]


POINTER = "anaphor_antecedent"
SETS = ("coref_class", "coref_set")
SET_PREFIX = "set_"
EMPTY = "empty"
OWN_LEVEL = "coref"
MENTION_LEVELS = {"primmark", "secmark", OWN_LEVEL, "coreference", "markable", "mention"}

Positions = tuple[int, ...]


def is_sentence_level(name: str) -> bool:
    return name.lower() in ("sentence", "sentences")


def is_group_level(name: str) -> bool:
    return name.lower() in ("group", "groups")


def mention_levels(levels: Mapping[str, list[Markable]]) -> list[str]:
    """Return the levels whose markables are mentions: they have links, are linked to, or have a known name."""
    named = set(MENTION_LEVELS)
    for name, markables in levels.items():
        for markable in markables:
            if not markable.attributes.keys().isdisjoint((POINTER, *SETS)):
                named.add(name)
                named.update(level for level, _ in pointers(markable))
    return [name for name in levels if name in named and not is_group_level(name) and not is_sentence_level(name)]


def set_of(markable: Markable) -> str:
    """Return the name of the set of the markable; empty if it has none."""
    values = (markable.attributes.get(name, EMPTY) for name in SETS)
    return next((value.removeprefix(SET_PREFIX) for value in values if value not in ("", EMPTY)), "")


def pointers(markable: Markable) -> Iterator[Key]:
    """Return the targets of a markable: "empty", "markable_3", "secmark:markable_18", several separated by ";"."""
    for target in markable.attributes.get(POINTER, EMPTY).split(";"):
        level, _, id = target.strip().rpartition(":")
        if id not in ("", EMPTY):
            yield level or markable.level, id


class Links:
    """The clusters of a document's markables, and the entities of split antecedents."""

    def __init__(
        self,
        source: Source,
        markables: Mapping[Key, Markable],
        groups: Mapping[Key, Markable],
        positions: Callable[[Markable], Positions],
    ) -> None:
        self.source = source
        self.markables = markables
        self.groups = groups
        self.positions = {key: positions(markable) for key, markable in markables.items()}
        self.group_positions = {key: positions(markable) for key, markable in groups.items()}
        self.clusters = Groups(markables)
        self.splits: dict[Key, list[Key]] = {}
        self._join_sets()
        self._follow_pointers()
        self._settle_splits()

    def _join_sets(self) -> None:
        first: dict[str, Key] = {}
        for key, markable in self.markables.items():
            if name := set_of(markable):
                self.clusters.join(first.setdefault(name, key), key)

    def _follow_pointers(self) -> None:
        for key, markable in self.markables.items():
            runs = []
            for target in pointers(markable):
                if members := self._resolve(target, key):
                    runs += members
                else:
                    self.source.count("pointers to a missing annotation", code="unresolved-reference")
            if len(runs) == 1:
                self.clusters.join(runs[0], key)
            elif runs:
                self.splits[key] = runs

    def _resolve(self, target: Key, anaphor: Key) -> list[Key]:
        if target in self.markables:
            return [target]
        return self._members(self.group_positions.get(target, ()), anaphor)

    def _members(self, span: Positions, anaphor: Key) -> list[Key]:
        """Return the largest markables in a group's span that begin where a part of it begins.

        A group has only a span; a smaller markable inside (for example in a relative clause) is not a member.
        """
        starts = {start for start, _ in runs(span)}
        inside = {
            key: frozenset(positions)
            for key, positions in self.positions.items()
            if key != anaphor and positions[0] in starts and set(positions) <= set(span)
        }
        largest = {mine: key for key, mine in inside.items() if not any(mine < other for other in inside.values())}
        return sorted(largest.values(), key=lambda key: self.positions[key])

    def _settle_splits(self) -> None:
        """Add a mention to an entity if all its antecedents are mentions of that entity."""
        changed = True
        while changed:
            changed = False
            for key, targets in list(self.splits.items()):
                if len({self.clusters.find(target) for target in targets}) == 1:
                    self.clusters.join(targets[0], key)
                    del self.splits[key]
                    changed = True


def entity_ids(clusters: list[list[Markable]]) -> list[str]:
    """Return a name for each cluster: that of its set, otherwise the id of its first markable."""
    wanted = [next((name for markable in cluster if (name := set_of(markable))), "") for cluster in clusters]
    taken = set(wanted)
    ids: dict[str, None] = {}
    for id, cluster in zip(wanted, clusters, strict=True):
        ids[_other_id(cluster[0], taken) if not id or id in ids else id] = None
    return list(ids)


def _other_id(markable: Markable, taken: set[str]) -> str:
    id = markable.id if markable.id not in taken else f"{markable.level}:{markable.id}"
    while id in taken:
        id += "'"
    taken.add(id)
    return id


Stretch = tuple[int, int, Markable | None]
"""Start and end of a sentence, and its markable."""


def find_sentences(words: WordIndex, markables: list[Markable]) -> list[Stretch]:
    """Return sentences that cover all words without overlap: the first of overlapping sentences gets the words.

    Closing punctuation outside a sentence joins the one before it: sentences of the Potsdam corpus often end before
    their full stop. Other words stand alone. A sentence with a gap is split there, and its first part keeps its id.
    """
    spans = [(positions, markable) for markable in markables if (positions := words.positions(markable))]
    owner: dict[int, Markable] = {}
    for positions, markable in sorted(spans, key=lambda pair: (pair[0][0], -len(pair[0]))):
        for position in positions:
            owner.setdefault(position, markable)
    sentences: list[Stretch] = []
    named: set[int] = set()
    for _, group in groupby(range(len(words.forms)), key=lambda position: id(owner.get(position))):
        positions = tuple(group)
        start, end = positions[0], positions[-1] + 1
        entity = owner.get(start)
        while entity is None and sentences and start < end and _closes(words.forms[start]):
            start += 1
            sentences[-1] = sentences[-1][0], start, sentences[-1][2]
        if start < end:
            sentences.append((start, end, None if id(entity) in named else entity))
            named.add(id(entity))
    return sentences


def _closes(form: str) -> bool:
    """Return whether a word is punctuation, but not an opening quote or bracket."""
    kinds = {unicodedata.category(character) for character in form}
    return all(kind[0] in "PS" for kind in kinds) and kinds.isdisjoint({"Ps", "Pi"})


HEAD = "min_ids"
TYPE = "entity_type"
KIND = "entity_kind"
SPEAKER = "speaker"
_NOT_KEPT = {"id", "span", "mmax_level", TYPE, KIND, POINTER, *SETS}


def read(source: Source) -> Iterator[Document]:
    """Read the document of a .mmax file."""
    project = find_project(source)
    if project is not None:
        yield _Reader(source, project).document()


class _Reader:
    def __init__(self, source: Source, project: Project) -> None:
        self.source = source
        self.id = project.id
        self.words = WordIndex(source, project.words)
        levels = {name: list(read_level(source, name, path)) for name, path in project.levels}
        self.sentences = [m for name in levels if is_sentence_level(name) for m in levels[name]]
        groups = {m.key: m for name in levels if is_group_level(name) for m in levels[name]}
        mentions = {m.key: m for name in mention_levels(levels) for m in levels[name] if self.words.positions(m)}
        self.links = Links(source, mentions, groups, self.words.positions)
        self.mentions: dict[Key, Mention] = {}
        self.entity_of: dict[Key, str] = {}

    def document(self) -> Document:
        sentences = find_sentences(self.words, self.sentences)
        tokens = Tokens(_tokens(self.words.forms, sentences))
        for key, markable in self.links.markables.items():
            self.mentions[key] = self._mention(tokens, markable)
        entities = in_order(self._entities())
        return Document(
            tokens,
            tuple(_sentence(tokens, stretch) for stretch in sentences),
            entities,
            id=self.id,
            split_antecedents=tuple(self._split_antecedents(entities)),
        )

    def _mention(self, tokens: Tokens, markable: Markable) -> Mention:
        positions = self.links.positions[markable.key]
        attributes = {name: value for name, value in markable.attributes.items() if name not in _NOT_KEPT}
        if markable.level != OWN_LEVEL:
            attributes.setdefault("level", markable.level)
        head = self.words.position(attributes.get(HEAD, ""))
        if head is not None and head in positions:
            del attributes[HEAD]
        else:
            head = None
        return Mention(tokens, positions, head, attributes)

    def _entities(self) -> Iterator[Entity]:
        clusters = [sorted(keys, key=lambda key: mention_order(self.mentions[key])) for keys in self.links.clusters]
        markables = [[self.links.markables[key] for key in keys] for keys in clusters]
        for id, keys, members in zip(entity_ids(markables), clusters, markables, strict=True):
            mentions = distinct(self.mentions[key] for key in keys)
            if len(mentions) < len(keys):
                self.source.count(
                    "markables that repeat another one of their chain",
                    len(keys) - len(mentions),
                    code="duplicate-mention",
                )
            self.entity_of.update(dict.fromkeys(keys, id))
            kind: Kind = "event" if any(m.attributes.get(KIND) == "event" for m in members) else "entity"
            yield Entity(id, mentions, next((t for m in members if (t := m.attributes.get(TYPE))), None), kind)

    def _split_antecedents(self, entities: tuple[Entity, ...]) -> Iterator[SplitAntecedent]:
        anaphors = {(entity.id, mention.positions): mention for entity in entities for mention in entity.mentions}
        for key in sorted(self.links.splits, key=lambda key: mention_order(self.mentions[key])):
            own = self.entity_of[key]
            antecedents = dict.fromkeys(self.entity_of[target] for target in self.links.splits[key])
            antecedents.pop(own, None)
            if len(antecedents) > 1:
                yield SplitAntecedent(anaphors[own, self.links.positions[key]], own, tuple(antecedents))
            else:
                self.source.count(
                    "lists of antecedents that contain the mention's own entity, left out",
                    code="invalid-split-antecedent",
                )


def _sentence(tokens: Tokens, stretch: Stretch) -> Sentence:
    start, end, markable = stretch
    if markable is None:
        return Sentence(tokens, start, end)
    return Sentence(tokens, start, end, id=markable.id, speaker=markable.attributes.get(SPEAKER) or None)


def _tokens(forms: list[str], sentences: list[Stretch]) -> Iterator[Token]:
    for start, end, _ in sentences:
        for position in range(start, end):
            inner_end = "\n" if end < len(forms) else ""
            space = " " if position + 1 < end else inner_end
            yield Token(str(position - start + 1), forms[position], space=space)


PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>\n'
_RESERVED = ("id", "span", "mmax_level", HEAD, TYPE, KIND, POINTER, *SETS)
_PATHS = f"""{PROLOGUE}<common_paths>
<basedata_path>basedata/</basedata_path>
<scheme_path>schemes/</scheme_path>
<style_path>styles/</style_path>
<customization_path>customizations/</customization_path>
<markable_path>markables/</markable_path>
<annotations>
<level name="{OWN_LEVEL}" schemefile="{OWN_LEVEL}_scheme.xml">$_{OWN_LEVEL}_level.xml</level>
<level name="sentence" schemefile="sentence_scheme.xml">$_sentence_level.xml</level>
</annotations>
</common_paths>
"""


def write(docs: Iterable[Document], sink: Sink) -> None:
    for number, doc in enumerate(watch_words(docs, "mmax2"), 1):
        if number == 1:
            with sink.file(COMMON_PATHS) as out:
                out.write(_PATHS)
        name = file_name(doc.id, f"doc{number}")
        seen = without_zeros(doc)
        with sink.file(f"{name}.mmax") as out:
            id = "" if doc.id in (None, name) else f" doc_id={quoteattr(writable(doc.id or ''))}"
            words = escape(writable(f"{name}_words.xml"))
            out.write(f"{PROLOGUE}<mmax_project{id}>\n<words>{words}</words>\n</mmax_project>\n")
        with sink.file(f"basedata/{name}_words.xml") as out:
            out.write(f"{PROLOGUE}<words>\n")
            for index, token in enumerate(seen.tokens, 1):
                out.write(f'<word id="word_{index}">{word_text(token.form)}</word>\n')
            out.write("</words>\n")
        for level, lines in ((OWN_LEVEL, _mentions(seen)), ("sentence", _sentences(seen))):
            with sink.file(f"markables/{name}_{level}_level.xml") as out:
                out.write(f'{PROLOGUE}<markables xmlns="www.eml.org/NameSpaces/{level}">\n')
                out.writelines(f"{line}\n" for line in lines)
                out.write("</markables>\n")


def _mentions(doc: Document) -> Iterator[str]:
    mentions = sort_mentions(doc)
    ids = {_address(entity, mention): f"markable_{i}" for i, (mention, entity) in enumerate(mentions, 1)}
    first = {entity.id: ids[_address(entity, entity.mentions[0])] for entity in doc.entities}
    splits = {}
    for split in doc.split_antecedents:
        targets = dict.fromkeys(first[id] for id in split.antecedents if id in first)
        if len(targets) > 1:  # a pointer to one markable would mean identity
            splits[split.entity, split.anaphor.positions] = ";".join(targets)
    for mention, entity in mentions:
        address = _address(entity, mention)
        about = {"id": ids[address], "span": _span(mention), SETS[0]: f"{SET_PREFIX}{entity.id}"}
        if address in splits:
            about[POINTER] = splits[address]
        if mention.head is not None:
            about[HEAD] = f"word_{mention.head + 1}"
        if entity.type is not None:
            about[TYPE] = entity.type
        if entity.kind != "entity":
            about[KIND] = entity.kind
        others = xml_attributes(mention.attributes, reserved=_RESERVED)
        yield f"<markable{xml_attributes(about)}{others}/>"


def _address(entity: Entity, mention: Mention) -> tuple[str, tuple[int, ...]]:
    return entity.id, mention.positions


def _span(mention: Mention) -> str:
    parts = []
    for start, end in runs(mention.positions):
        parts.append(f"word_{start + 1}" if end == start + 1 else f"word_{start + 1}..word_{end}")
    return ",".join(parts)


def _sentences(doc: Document) -> Iterator[str]:
    sentences = all_sentences(doc)
    taken = {sentence.id for sentence in sentences}
    written: set[str] = set()
    for number, sentence in enumerate(sentences, 1):
        id = sentence.id or ""
        if not id or id in written:
            id = f"sentence_{number}"
            while id in taken:
                id += "_"
        written.add(id)
        taken.add(id)
        span = f"word_{sentence.start + 1}..word_{sentence.end}"
        speaker = {SPEAKER: sentence.speaker} if sentence.speaker is not None else {}
        yield f"<markable{xml_attributes({'id': id, 'span': span, **speaker})}/>"


FORMAT = Format(
    name="mmax2",
    summary="MMAX2 projects: words and markable levels, chains by pointers or sets",
    carries=frozenset(
        {
            "sentences",
            "speakers",
            "discontinuous",
            "self-crossing",
            "cross-sentence",
            "entities",
            "heads",
            "attributes",
            "types",
            "events",
            "split-antecedents",
        }
    ),
    read=read,
    write=write,
    is_folder=True,
)
