"""A document anew after its words were cut or its sentences moved: everything else keeps its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..document import Document, Entity, Mention, Multiword, Sentence, Token, Tokens


def rebuilt(doc: Document, words: Sequence[Token], places: Sequence[int], starts: Sequence[int]) -> Document:
    """The document with these words, sentences from these positions on; `places` says where the old words begin."""
    bounds = list(zip(starts, [*starts[1:], len(words)], strict=True))
    numbered = []
    for start, end in bounds:
        plain = not any(word.head not in ("_", "") or word.is_empty for word in words[start:end])
        numbered += [
            word._replace(id=str(number)) if plain else word for number, word in enumerate(words[start:end], 1)
        ]
    layer = Tokens(
        numbered, multiwords=[_placed(each, places) for each in doc.tokens.multiwords], prefix=doc.tokens.prefix
    )
    old = {places[sentence.start]: sentence for sentence in doc.sentences}
    sentences = []
    last = doc.sentences[0]
    for start, end in bounds:
        same = old.get(start)
        last = same or last
        comments = same.comments if same is not None else ()
        sentences.append(Sentence(layer, start, end, same.id if same is not None else None, last.speaker, comments))

    def moved(mention: Mention) -> Mention:
        head = None if mention.head is None else places[mention.head]
        return Mention(layer, tuple(places[position] for position in mention.positions), head, mention.attributes)

    return doc.replace(
        tokens=layer,
        sentences=tuple(sentences),
        entities=tuple(
            Entity(entity.id, tuple(map(moved, entity.mentions)), entity.type, entity.kind, entity.attributes)
            for entity in doc.entities
        ),
        bridges=tuple(replace(bridge, anaphor=moved(bridge.anaphor)) for bridge in doc.bridges),
        split_antecedents=tuple(replace(split, anaphor=moved(split.anaphor)) for split in doc.split_antecedents),
        origin=None,
    )


def _placed(multiword: Multiword, places: Sequence[int]) -> Multiword:
    return replace(multiword, start=places[multiword.start], end=places[multiword.end - 1] + 1)
