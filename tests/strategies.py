"""Hypothesis strategies that make valid documents of every kind: `from strategies import documents`.

Each option of `documents` leaves something out, for formats that cannot say it. Documents are in canonical
order (`coindex.document.edits.canonical`), and `coindex.document.validation.check` finds nothing in them.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from coindex.document import (
    Bridge,
    Document,
    Entity,
    Mention,
    Multiword,
    Sentence,
    SplitAntecedent,
    Token,
    Tokens,
)
from coindex.document.edits import canonical

FORMS = st.sampled_from(
    [
        "Ann",
        "sah",
        "ihn",
        "она",
        "была",
        "l'",
        "ᄀ",
        "猫",
        "שלום",
        "🐈",
        "e\u0301",
        ".",
        ",",
        "«",
        "1.5",
        "x_y",
        "a-b",
        "&",
    ]
)
"""Forms that no format should stumble over: several scripts, an emoji, a combining mark, punctuation."""
NAMES = st.sampled_from(["gstype", "function", "note", "Typ"])
VALUES = st.sampled_from(["spec", "gen", "a b", "ü", "x-y", "50%", "1"])
TYPES = st.sampled_from(["person", "place", "organization", "time"])
RELATIONS = st.one_of(st.none(), st.sampled_from(["part", "subset", "poss"]))
SPACES = st.sampled_from([" ", " ", " ", "", "  ", "\u00a0"])
COLUMNS = st.sampled_from(
    [
        {},
        {"lemma": "_", "upos": "NOUN", "xpos": "NN", "feats": "Case=Nom|Number=Sing"},
        {"lemma": "sehen", "upos": "VERB", "misc": "Gloss=see|Ref=1"},
    ]
)
DEPRELS = st.sampled_from(["nsubj", "obj", "nmod:poss", "conj"])


@st.composite
def documents(
    draw: DrawFn,
    *,
    forms: SearchStrategy[str] = FORMS,
    max_sentences: int = 4,
    max_words: int = 6,
    max_entities: int = 6,
    spaces: bool = True,
    columns: bool = True,
    multiwords: bool = True,
    zeros: bool = True,
    speakers: bool = True,
    discontinuous: bool = True,
    crossing: bool = True,
    heads: bool = True,
    attributes: bool = True,
    types: bool = True,
    events: bool = True,
    relations: bool = True,
    singletons: bool = True,
) -> Document:
    """A random valid document, with all that the model can say but for what the options leave out.

    Without `spaces`, a blank stands after each word, a line feed after each sentence but the last, as readers
    of formats without spaces have it. `crossing` concerns mentions of different entities; those of one entity
    may be nested but never cross. No mention goes over a sentence border.
    """
    lengths = draw(st.lists(st.integers(1, max_words), min_size=1, max_size=max_sentences))
    words: list[Token] = []
    groups: list[Multiword] = []
    ends: list[int] = []
    for length in lengths:
        start = len(words)
        words += draw(_sentences(length, forms=forms, columns=columns, zeros=zeros))
        if multiwords:
            groups += draw(_multiwords(words, start, forms))
        ends.append(len(words))
    tokens = draw(_spaced(words, groups, ends, random=spaces))
    sentences = []
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False), 1):
        speaker = draw(st.none() | st.sampled_from(["Ann", "Б"])) if speakers else None
        sentences.append(Sentence(tokens, start, end, f"s{number}", speaker))
    borders = [(sentence.start, sentence.end) for sentence in sentences]
    entities = draw(
        _entities(
            tokens,
            borders,
            max_entities=max_entities,
            discontinuous=discontinuous,
            crossing=crossing,
            heads=heads,
            attributes=attributes,
        )
    )
    details = _details(types=types, events=events, attributes=attributes)
    entities = [Entity(entity.id, entity.mentions, **draw(details)) for entity in entities]
    if not singletons:
        entities = [entity for entity in entities if len(entity) > 1]
    doc = Document(tokens, tuple(sentences), tuple(entities), id="doc")
    return canonical(draw(_related(doc)) if relations else doc)


@st.composite
def _sentences(draw: DrawFn, length: int, *, forms: SearchStrategy[str], columns: bool, zeros: bool) -> list[Token]:
    """Words 1..n in a random tree with one root, and empty nodes between them."""
    order = draw(st.permutations(range(1, length + 1)))
    parents = {order[0]: "0"}
    for index, word in enumerate(order[1:], 1):
        parents[word] = str(order[draw(st.integers(0, index - 1))])
    found = []
    for word in range(length + 1):
        if word:
            token = Token(str(word), draw(forms))
            if columns:
                deprel = "root" if parents[word] == "0" else draw(DEPRELS)
                token = token._replace(head=parents[word], deprel=deprel, **draw(COLUMNS))
            found.append(token)
        for number in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2])) if zeros else 0):
            deps = f"{draw(st.integers(1, length))}:{draw(DEPRELS)}" if columns else "_"
            form = draw(st.sampled_from(["_", "on"])) if columns else "_"
            found.append(Token(f"{word}.{number + 1}", form, deps=deps))
    return found


@st.composite
def _multiwords(draw: DrawFn, tokens: Sequence[Token], start: int, forms: SearchStrategy[str]) -> list[Multiword]:
    """Some pairs or triples of words of one sentence, with the empty nodes between them."""
    found = []
    words = [position for position in range(start, len(tokens)) if not tokens[position].is_empty]
    at = 0
    while at + 1 < len(words):
        width = draw(st.sampled_from([1, 1, 1, 1, 2, 3]))
        if width > 1 and at + width <= len(words):
            found.append(Multiword(words[at], words[at + width - 1] + 1, draw(forms)))
        at += width
    return found


@st.composite
def _spaced(draw: DrawFn, tokens: list[Token], groups: list[Multiword], ends: list[int], *, random: bool) -> Tokens:
    """The tokens with the text between them; words inside multiword tokens and empty nodes keep a blank."""
    inside = {position for group in groups for position in range(group.start, group.end)}
    visible = [position for position, token in enumerate(tokens) if not token.is_empty]
    last_of = {max(position for position in visible if position < end) for end in ends}
    surface_end = max(visible)

    def after(position: int) -> str:
        if position == surface_end:
            return ""
        if position in last_of:
            return "\n"
        return draw(SPACES) if random else " "

    spaced = [
        token if token.is_empty or position in inside else token._replace(space=after(position))
        for position, token in enumerate(tokens)
    ]
    multiwords = [Multiword(group.start, group.end, group.form, group.misc, after(group.end - 1)) for group in groups]
    return Tokens(spaced, multiwords=multiwords)


@st.composite
def _entities(
    draw: DrawFn,
    tokens: Tokens,
    borders: list[tuple[int, int]],
    *,
    max_entities: int,
    discontinuous: bool,
    crossing: bool,
    heads: bool,
    attributes: bool,
) -> list[Entity]:
    number = draw(st.integers(0, max_entities))
    taken: list[tuple[int, set[int]]] = []
    found: dict[int, list[Mention]] = {}
    for _ in range(draw(st.integers(number, 3 * number))):
        owner = draw(st.integers(0, number - 1))
        positions = draw(_positions(borders, discontinuous=discontinuous))
        wanted = set(positions)
        if any(wanted == other for _, other in taken):
            continue
        rivals = [other for entity, other in taken if entity == owner or not crossing]
        if any(_cross(wanted, other) for other in rivals):
            continue
        taken.append((owner, wanted))
        head = draw(st.none() | st.sampled_from(positions)) if heads else None
        extra = draw(_attributes()) if attributes else {}
        found.setdefault(owner, []).append(Mention(tokens, positions, head, extra))
    return [Entity(f"e{owner + 1}", tuple(mentions)) for owner, mentions in found.items()]


def _cross(a: set[int], b: set[int]) -> bool:
    """Whether two mentions overlap though neither holds the other, with or without what is in their gaps."""
    if a & b and not (a <= b or b <= a):
        return True
    (a_start, a_end), (b_start, b_end) = (min(a), max(a)), (min(b), max(b))
    overlap = a_start <= b_end and b_start <= a_end
    return overlap and not (a_start >= b_start and a_end <= b_end) and not (b_start >= a_start and b_end <= a_end)


@st.composite
def _positions(draw: DrawFn, borders: list[tuple[int, int]], *, discontinuous: bool) -> tuple[int, ...]:
    start, end = draw(st.sampled_from(borders))
    first = draw(st.integers(start, end - 1))
    last = draw(st.integers(first, min(end - 1, first + 4)))
    positions = list(range(first, last + 1))
    if discontinuous and len(positions) > 2 and draw(st.booleans()):
        gaps = draw(st.sets(st.sampled_from(positions[1:-1]), min_size=1))
        positions = [position for position in positions if position not in gaps]
    return tuple(positions)


def _attributes() -> SearchStrategy[dict[str, str]]:
    return st.just({}) | st.dictionaries(NAMES, VALUES, max_size=2)


def _details(*, types: bool, events: bool, attributes: bool) -> SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries(
        {
            "type": st.none() | TYPES if types else st.none(),
            "kind": st.sampled_from(["entity", "event"]) if events else st.just("entity"),
            "attributes": _attributes() if attributes else st.just({}),
        }
    )


@st.composite
def _related(draw: DrawFn, doc: Document) -> Document:
    """The document with some bridges and split antecedents."""
    ids = [entity.id for entity in doc.entities]
    bridges, splits = [], []
    for mention, entity in doc.mentions():
        others = [id for id in ids if id != entity.id]
        if others and draw(st.integers(0, 3)) == 3:
            for antecedent in draw(st.lists(st.sampled_from(others), unique=True, min_size=1, max_size=2)):
                bridges.append(Bridge(mention, entity.id, antecedent, draw(RELATIONS)))
        if len(others) > 1 and draw(st.integers(0, 4)) == 4:
            members = draw(st.lists(st.sampled_from(others), unique=True, min_size=2, max_size=3))
            splits.append(SplitAntecedent(mention, entity.id, tuple(members)))
    return doc.replace(bridges=tuple(bridges), split_antecedents=tuple(splits))
