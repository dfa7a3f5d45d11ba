"""Several annotations of one text, random or written out: `from annotated import annotations`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.document.edits import add_bridge, canonical, set_split_antecedent

Chains = Mapping[str, Sequence[Sequence[int]]]


def text(words: int, *, id: str = "d") -> Document:
    """A document of that many different words, three to a sentence."""
    tokens = Tokens([Token(str(number % 3 + 1), f"w{number}") for number in range(words)])
    lengths = [3] * (words // 3) + ([words % 3] if words % 3 else [])
    return Document.from_sentences(tokens, lengths, id=id)


def annotated(doc: Document, chains: Chains) -> Document:
    """The document with these entities, each a list of mentions by their positions."""
    entities = (Entity(name, tuple(doc.mention(span) for span in spans)) for name, spans in chains.items())
    return canonical(doc.replace(entities=tuple(entities)))


def chains(doc: Document) -> set[frozenset[tuple[int, ...]]]:
    """The entities without their names, to compare."""
    return {frozenset(mention.positions for mention in entity.mentions) for entity in doc.entities}


@st.composite
def annotations(draw: DrawFn, *, least: int = 2, most: int = 4, details: bool = True) -> list[Document]:
    """Annotations of one text by several people, who agree on a good part of the mentions."""
    base = text(9)
    spans = draw(st.lists(_spans(), min_size=1, max_size=6, unique=True))
    found = []
    for _ in range(draw(st.integers(least, most))):
        entities: dict[str, list[Mention]] = {}
        for span in draw(st.lists(st.sampled_from(spans) | _spans(), max_size=7, unique=True)):
            head = draw(st.none() | st.sampled_from(span)) if details else None
            attributes = draw(st.sampled_from([{}, {"role": "a"}, {"role": "b"}])) if details else {}
            mention = base.mention(span, head=head, attributes=attributes)
            entities.setdefault(draw(st.sampled_from("xyz")), []).append(mention)
        types = st.sampled_from([None, "person", "place"]) if details else st.none()
        made = [Entity(name, tuple(mentions), draw(types)) for name, mentions in entities.items()]
        doc = canonical(base.replace(entities=tuple(made)))
        found.append(draw(_related(doc)) if details else doc)
    return found


def _spans() -> st.SearchStrategy[tuple[int, ...]]:
    return st.sets(st.integers(0, 8), min_size=1, max_size=3).map(lambda span: tuple(sorted(span)))


@st.composite
def _related(draw: DrawFn, doc: Document) -> Document:
    """Perhaps with a bridge or a split antecedent."""
    names = [entity.id for entity in doc.entities]
    if len(names) < 2 or not draw(st.booleans()):
        return doc
    first, second = names[:2]
    anaphor = doc.entity(first).mentions[0]
    if len(names) > 2 and draw(st.booleans()):
        return set_split_antecedent(doc, first, anaphor.positions, names[1:])
    return add_bridge(doc, first, anaphor.positions, second, relation=draw(st.none() | st.just("part")))
