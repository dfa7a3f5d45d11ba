"""Reading MMAX2: markables become mentions, their chains entities."""

from __future__ import annotations

from collections.abc import Iterator

from ...document import (
    Document,
    Entity,
    Kind,
    Mention,
    Sentence,
    SplitAntecedent,
    Token,
    Tokens,
    mention_order,
)
from ..chains import distinct, in_order
from ..source import Source
from .links import (
    OWN_LEVEL,
    POINTER,
    SETS,
    Links,
    entity_ids,
    is_group_level,
    is_sentence_level,
    mention_levels,
)
from .project import Key, Markable, Project, Words, find_project, read_level
from .sentences import Stretch, find_sentences

HEAD = "min_ids"
TYPE = "entity_type"
KIND = "entity_kind"
SPEAKER = "speaker"
_NOT_KEPT = {"id", "span", "mmax_level", TYPE, KIND, POINTER, *SETS}


def read(source: Source) -> Iterator[Document]:
    """The one document of a .mmax file."""
    project = find_project(source)
    if project is not None:
        yield _Reader(source, project).document()


class _Reader:
    def __init__(self, source: Source, project: Project) -> None:
        self.source = source
        self.id = project.id
        self.words = Words(source, project.words)
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
        chains = [sorted(keys, key=lambda key: mention_order(self.mentions[key])) for keys in self.links.chains]
        markables = [[self.links.markables[key] for key in keys] for keys in chains]
        for id, keys, chain in zip(entity_ids(markables), chains, markables, strict=True):
            mentions = distinct(self.mentions[key] for key in keys)
            if len(mentions) < len(keys):
                self.source.count("markables that repeat another of their chain", len(keys) - len(mentions))
            self.entity_of.update(dict.fromkeys(keys, id))
            kind: Kind = "event" if any(m.attributes.get(KIND) == "event" for m in chain) else "entity"
            yield Entity(id, mentions, next((t for m in chain if (t := m.attributes.get(TYPE))), None), kind)

    def _split_antecedents(self, entities: tuple[Entity, ...]) -> Iterator[SplitAntecedent]:
        anaphors = {(entity.id, mention.positions): mention for entity in entities for mention in entity.mentions}
        for key in sorted(self.links.splits, key=lambda key: mention_order(self.mentions[key])):
            own = self.entity_of[key]
            antecedents = dict.fromkeys(self.entity_of[target] for target in self.links.splits[key])
            antecedents.pop(own, None)
            if len(antecedents) > 1:
                yield SplitAntecedent(anaphors[own, self.links.positions[key]], own, tuple(antecedents))
            else:
                self.source.count("lists of antecedents that hold the mention's own entity, left out")


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
