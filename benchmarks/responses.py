"""Responses to score: documents whose entities are disturbed as a middling resolver would, always in the same way."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from coindex import Document, Entity, Mention, Sentence
from coindex.document import Tokens

SEED = 7
LOST, MOVED, RESIZED, SPLIT, MERGED, INVENTED = 0.15, 0.14, 0.15, 0.25, 0.12, 0.05


def disturb(docs: Iterable[Document], seed: int = SEED) -> Iterator[Document]:
    """Return documents with mentions lost, added, resized or moved, and entities split or merged."""
    for doc in docs:
        yield _Disturbance(doc, random.Random(f"{seed} {doc.id}")).document()


def merge(docs: Sequence[Document], id: str) -> Document:
    """Join many documents to a long one."""
    tokens = Tokens(token for doc in docs for token in doc.tokens)
    sentences: list[Sentence] = []
    entities: list[Entity] = []
    start = 0
    for number, doc in enumerate(docs):
        sentences += (Sentence(tokens, start + s.start, start + s.end, f"{number}-{s.id}") for s in doc.sentences)
        entities += (
            Entity(f"d{number}{entity.id}", tuple(_shifted(mention, tokens, start) for mention in entity.mentions))
            for entity in doc.entities
        )
        start += len(doc.tokens)
    return Document(tokens, tuple(sentences), tuple(entities), id=id, shared_ids=True)


def _shifted(mention: Mention, tokens: Tokens, by: int) -> Mention:
    head = None if mention.head is None else mention.head + by
    return Mention(tokens, tuple(position + by for position in mention.positions), head)


class _Disturbance:
    def __init__(self, doc: Document, choice: random.Random) -> None:
        self.doc = doc
        self.choice = choice
        self.used: set[tuple[int, ...]] = {m.positions for e in doc.entities for m in e.mentions}

    def document(self) -> Document:
        groups = [self._kept(entity) for entity in self.doc.entities]
        groups = [part for group in groups for part in self._split(group)]
        groups = self._merged(self._moved(groups))
        groups += [[mention] for mention in self._invented(sum(map(len, groups)))]
        entities = tuple(
            Entity(f"r{number}", tuple(sorted(group, key=lambda mention: mention.positions)))
            for number, group in enumerate((group for group in groups if group), 1)
        )
        return self.doc.replace(entities=entities, bridges=(), split_antecedents=(), origin=None)

    def _chance(self, share: float) -> bool:
        return self.choice.random() < share

    def _kept(self, entity: Entity) -> list[Mention]:
        return [self._resized(mention) for mention in entity.mentions if not self._chance(LOST)]

    def _resized(self, mention: Mention) -> Mention:
        """Return the mention, sometimes without its last word if that is not the head."""
        positions = mention.positions[:-1]
        head = mention.positions[0] if mention.head is None else mention.head
        if not self._chance(RESIZED) or head not in positions or positions in self.used:
            return mention
        self.used.add(positions)
        return Mention(mention.layer, positions, mention.head)

    def _split(self, group: list[Mention]) -> list[list[Mention]]:
        if len(group) < 2 or not self._chance(SPLIT):
            return [group]
        cut = self.choice.randrange(1, len(group))
        return [group[:cut], group[cut:]]

    def _moved(self, groups: list[list[Mention]]) -> list[list[Mention]]:
        """Return the entities with some mentions moved to a neighbour."""
        result: list[list[Mention]] = [[] for _ in groups]
        for number, group in enumerate(groups):
            for mention in group:
                near = number + self.choice.randint(-5, 5) if self._chance(MOVED) else number
                result[min(max(near, 0), len(groups) - 1)].append(mention)
        return result

    def _merged(self, groups: list[list[Mention]]) -> list[list[Mention]]:
        result: list[list[Mention]] = []
        for group in groups:
            if result and self._chance(MERGED):
                result[self.choice.randrange(max(0, len(result) - 20), len(result))].extend(group)
            else:
                result.append(group)
        return result

    def _invented(self, number: int) -> Iterator[Mention]:
        for _ in range(int(number * INVENTED)):
            position = self.choice.randrange(len(self.doc.tokens))
            if (position,) not in self.used:
                self.used.add((position,))
                yield Mention(self.doc.tokens, (position,), position)
