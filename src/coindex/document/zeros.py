"""Edits that put an empty node into a sentence or take one out, and renumber all that comes after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..errors import EditError, quote
from .changes import canonical, check_positions
from .documents import Document
from .entities import Entity, Mention
from .tokens import Multiword, Sentence, Token, Tokens, extra_columns

Renumber = Callable[[Mention, int], tuple[tuple[int, ...], int | None]]


def insert_zero(
    doc: Document,
    *,
    after: int | None = None,
    before: int | None = None,
    form: str = "_",
    lemma: str = "_",
    upos: str = "_",
    xpos: str = "_",
    feats: str = "_",
    head: str = "_",
    deprel: str = "_",
    deps: str = "_",
    misc: str = "_",
    space: str = " ",
    extra: Mapping[str, str] | None = None,
) -> Document:
    """An empty node more, after or before a position of the same sentence; it gets the id that belongs there.

    It becomes part of the mentions that have both its neighbours. The ids in `deps` are those after the edit.
    """
    if (after is None) == (before is None):
        raise EditError("an empty node goes after or before a position; give one of the two")
    place = before if after is None else after
    assert place is not None
    neighbour = check_positions(doc, [place])[0]
    at = neighbour + (after is not None)
    index = _sentence_index(doc, neighbour)
    sentence = doc.sentences[index]
    word, number = _parts(doc.tokens[at - 1].id) if at > sentence.start else (0, 0)
    columns = (form, lemma, upos, xpos, feats, head, deprel, deps, misc, space, extra_columns(extra or {}))
    zero = Token(f"{word}.{number + 1}", *columns)
    words = _shifted(sentence, at, word, 1)
    words.insert(at - sentence.start, zero)
    return _rebuilt(doc, index, words, by=1, at=at, renumber=grown)


def remove_zero(doc: Document, position: int) -> Document:
    """An empty node less, also in mentions that have other positions; a mention of it alone must go first."""
    at = check_positions(doc, [position])[0]
    index = _sentence_index(doc, at)
    sentence, zero = doc.sentences[index], doc.tokens[at]
    _check_removable(doc, at, sentence)
    words = _shifted(sentence, at + 1, _parts(zero.id)[0], -1)
    del words[at - sentence.start]
    return _rebuilt(doc, index, words, by=-1, at=at, renumber=shrunk)


def grown(mention: Mention, at: int) -> tuple[tuple[int, ...], int | None]:
    """The positions and head of a mention after a token was put in at a position."""
    positions, head = mention.positions, mention.head
    if at > positions[-1]:
        return positions, head
    moved_head = head if head is None or head < at else head + 1
    if at <= positions[0]:
        return tuple([position + 1 for position in positions]), moved_head
    moved = [position + (position >= at) for position in positions]
    if at in positions and at - 1 in positions:
        moved.append(at)
        moved.sort()
    return tuple(moved), moved_head


def shrunk(mention: Mention, at: int) -> tuple[tuple[int, ...], int | None]:
    """The positions and head of a mention after the token at a position was taken out."""
    if at > mention.positions[-1]:
        return mention.positions, mention.head
    rest = tuple(position - (position > at) for position in mention.positions if position != at)
    head = mention.head
    if head is None or head == at:
        return rest, None
    return rest, head - (head > at)


def parents(token: Token) -> list[str]:
    """The ids of the token's parents in the basic tree and in DEPS."""
    ids = [] if token.head == "_" else [token.head]
    if token.deps != "_":
        ids += [arc.partition(":")[0] for arc in token.deps.split("|")]
    return ids


def _sentence_index(doc: Document, position: int) -> int:
    index = doc.sentence_index(position)
    if index < 0 or position >= doc.sentences[index].end:
        raise EditError(f"position {position} is in no sentence; an empty node belongs to one")
    return index


def _parts(id: str) -> tuple[int, int]:
    word, _, number = id.partition(".")
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in (word, number or "0")):
        raise EditError(f"the token id {quote(id)} is not a number like 3 or 3.1; number the sentence's tokens first")
    return int(word), int(number or 0)


def _check_removable(doc: Document, at: int, sentence: Sentence) -> None:
    zero = doc.tokens[at]
    if not zero.is_empty:
        raise EditError(f"{quote(zero.form)} at {at} is a word of the text; only empty nodes can be removed")
    if len(sentence) == 1:
        raise EditError(f"the empty node at {at} is all of its sentence; a sentence cannot be empty")
    children = [token.id for token in sentence.tokens if token is not zero and zero.id in parents(token)]
    if children:
        raise EditError(f"the empty node {zero.id} is the parent of {', '.join(children)} in the tree; it must stay")
    for entity in doc.entities:
        seen: set[tuple[int, ...]] = set()
        for mention in entity.mentions:
            rest, _ = shrunk(mention, at)
            if not rest:
                raise EditError(
                    f"the empty node at {at} is a mention of {quote(entity.id)}; remove or resize the mention first"
                )
            if rest in seen:
                raise EditError(
                    f"without the empty node at {at} two mentions of {quote(entity.id)} would be the same; "
                    "remove one of them first"
                )
            seen.add(rest)


def _shifted(sentence: Sentence, start: int, word: int, by: int) -> list[Token]:
    """The sentence's tokens with the empty nodes of that word from `start` on renumbered, in DEPS too."""
    renamed: dict[str, str] = {}
    for token in sentence.layer[start : sentence.end]:
        parts = _parts(token.id)
        if parts[0] != word or not token.is_empty:
            break
        renamed[token.id] = f"{word}.{parts[1] + by}"
    if not renamed:
        return list(sentence.tokens)
    tokens = list(sentence.tokens)
    for index, token in enumerate(tokens):
        id = renamed.get(token.id, token.id) if sentence.start + index >= start else token.id
        if id != token.id or not renamed.keys().isdisjoint(parents(token)):
            head = renamed.get(token.head, token.head)
            tokens[index] = token._replace(id=id, head=head, deps=_renamed_deps(token.deps, renamed))
    return tokens


def _renamed_deps(deps: str, renamed: Mapping[str, str]) -> str:
    arcs = (arc.partition(":") for arc in deps.split("|"))
    return "|".join(renamed.get(id, id) + colon + relation for id, colon, relation in arcs)


def _rebuilt(doc: Document, index: int, words: list[Token], *, at: int, by: int, renumber: Renumber) -> Document:
    """The document with a sentence's words exchanged and every position from `at` on moved."""
    sentence = doc.sentences[index]
    tokens = Tokens(
        [*doc.tokens[: sentence.start], *words, *doc.tokens[sentence.end :]],
        multiwords=[_moved(multiword, at, by) for multiword in doc.tokens.multiwords],
        prefix=doc.tokens.prefix,
    )

    reshaped = False  # only a mention that grew or shrank can change its place in the order

    def moved(mention: Mention) -> Mention:
        nonlocal reshaped
        positions, head = renumber(mention, at)
        reshaped = reshaped or len(positions) != len(mention.positions)
        return Mention(tokens, positions, head, mention.attributes)

    def moved_entity(entity: Entity) -> Entity:
        mentions = tuple(moved(mention) for mention in entity.mentions)
        return Entity(entity.id, mentions, entity.type, entity.kind, entity.attributes)

    sentences = []
    for number, old in enumerate(doc.sentences):
        start, end = old.start + by * (number > index), old.end + by * (number >= index)
        sentences.append(Sentence(tokens, start, end, old.id, old.speaker, old.comments))
    new = doc.replace(
        tokens=tokens,
        sentences=tuple(sentences),
        entities=tuple(map(moved_entity, doc.entities)),
        bridges=tuple(replace(bridge, anaphor=moved(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(s, anaphor=moved(s.anaphor)) for s in doc.split_antecedents),
    )
    return canonical(new) if reshaped else new


def _moved(multiword: Multiword, at: int, by: int) -> Multiword:
    if at >= multiword.end:
        return multiword
    inside = at > multiword.start
    return replace(multiword, start=multiword.start if inside else multiword.start + by, end=multiword.end + by)
