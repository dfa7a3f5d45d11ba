"""Random documents with everything that the model can express, to write in every format."""

from __future__ import annotations

from random import Random

from coindex.document import Bridge, Document, Entity, Mention, Multiword, Sentence, SplitAntecedent, Token, Tokens
from coindex.document.edits import canonical

FORMS = (
    *("Ann", "saw", "the", "mayor", "of", "Łódź", "она", "猫", "שלום", "🐈", "e\u0301", ".", ",", "«", "1.5", "_", "-"),
    *("x_y", "a-b", "&", "<", ">", '"', "'", "(", ")", "(1", "1)", "[", "]", "*", "#", "=", "|", "%", "\\", "/", "*1*"),
    *("a b", "a\u00a0b", "\u200d", "\u0301", "\ufeff", "\u2028", "\u0085", "\ufffd", "\x1b", "\x01", "0", "W" * 40),
)
PLAIN = 17
"""The first forms are ordinary words, which most documents consist of."""
IDS = ("e1", "e2", "E 3", "1", "set_1", "(2", "4)", "a|b", "a-b", "ü", "x:y", "a,b", "7'", "<8>", "-", "9" * 30)
NAMES = ("doc", "a/b", "tc/00/x_0001", "d (1)", "d; part 001", "1_1ecb", "..", "", "ü", "a b", "x" * 300, "d\td")
VALUES = ("spec", "a b", "ü", "x-y", "50%", "1", "", "a,b", "a:b", "(", "|", "=", "<&>", '"')
KEYS = ("gstype", "note", "id", "head", "Typ", "minspan", "level", "a b", "ü", "span")
SPACES = (" ", " ", " ", "", "  ", "\u00a0", "\n", "\t", "\n\n")


def make_document(rng: Random) -> Document:
    """Return a valid document: sorted, without repeated mentions; its oddities are allowed."""
    odd = rng.random() < 0.5
    tokens, lengths = _tokens(rng, FORMS if odd else FORMS[:PLAIN])
    sentences, start = [], 0
    for number, length in enumerate(lengths, 1):
        speaker = rng.choice((None, None, "Ann", "Б", "a b")) if rng.random() < 0.5 else None
        sentences.append(Sentence(tokens, start, start + length, f"s{number}", speaker))
        start += length
    doc = Document(tokens, tuple(sentences), id=rng.choice(NAMES) if odd else "doc")
    doc = doc.replace(entities=tuple(_entities(rng, doc, odd=odd)))
    return canonical(_related(rng, doc))


def _tokens(rng: Random, forms: tuple[str, ...]) -> tuple[Tokens, list[int]]:
    tokens: list[Token] = []
    groups: list[Multiword] = []
    lengths = []
    with_columns, with_zeros = rng.random() < 0.5, rng.random() < 0.3
    with_spaces, with_groups = rng.random() < 0.5, rng.random() < 0.3
    for _ in range(rng.randint(1, 4)):
        before, words = len(tokens), rng.randint(1, 7)
        for word in range(1, words + 1):
            space = rng.choice(SPACES) if with_spaces else " "
            token = Token(str(word), rng.choice(forms), space=space)
            if with_columns:
                token = token._replace(
                    lemma="see", upos=rng.choice(("NOUN", "VERB", "PRON")), feats=rng.choice(("_", "Case=Nom")),
                    head="0" if word == 1 else str(rng.randint(1, word - 1)), misc=rng.choice(("_", "Gloss=x")),
                    deprel="root" if word == 1 else "dep",
                )  # fmt: skip
            tokens.append(token)
            if with_zeros and rng.random() < 0.2:
                tokens.append(Token(f"{word}.1", "_", deps="1:dep"))
            elif with_groups and word > 1 and rng.random() < 0.2 and _is_free(tokens, groups, before):
                groups.append(Multiword(len(tokens) - 2, len(tokens), rng.choice(forms), space=space))
        lengths.append(len(tokens) - before)
    return Tokens(tokens, multiwords=groups, prefix=rng.choice(SPACES) if with_spaces else ""), lengths


def _is_free(tokens: list[Token], groups: list[Multiword], start: int) -> bool:
    """Return whether the last two tokens of the sentence are words outside multiword tokens."""
    first = len(tokens) - 2
    return first >= start and not tokens[first].is_empty and (not groups or groups[-1].end <= first)


def _entities(rng: Random, doc: Document, *, odd: bool) -> list[Entity]:
    ids = rng.sample(IDS if odd else ("e1", "e2", "e3", "e4", "e5"), rng.randint(0, 5))
    rich = rng.random() < 0.5
    entities = []
    for id in ids:
        found: dict[tuple[int, ...], Mention] = {}
        for _ in range(rng.randint(1, 4)):
            positions = _positions(rng, doc)
            head = rng.choice((None, *positions)) if rich else None
            found[positions] = Mention(doc.tokens, positions, head, _attributes(rng) if rich else {})
        entities.append(
            Entity(
                id,
                tuple(found.values()),
                rng.choice((None, "person", "a b" if odd else "place")) if rich else None,
                rng.choice(("entity", "entity", "event")) if rich else "entity",
                _attributes(rng) if rich and odd else {},
            )
        )
    return entities


def _positions(rng: Random, doc: Document) -> tuple[int, ...]:
    """Return the positions of a mention, usually inside a sentence and without gaps."""
    if rng.random() < 0.1:
        start, end = 0, len(doc.tokens)
    else:
        sentence = rng.choice(doc.sentences)
        start, end = sentence.start, sentence.end
    first = rng.randrange(start, end)
    last = rng.randrange(first, min(end, first + 5))
    inner = [position for position in range(first + 1, last) if rng.random() < 0.9]
    return tuple(sorted({first, *inner, last}))


def _attributes(rng: Random) -> dict[str, str]:
    return {rng.choice(KEYS): rng.choice(VALUES) for _ in range(rng.choice((0, 0, 1, 2)))}


def _related(rng: Random, doc: Document) -> Document:
    bridges, splits = [], []
    ids = [entity.id for entity in doc.entities]
    if len(ids) > 2 and rng.random() < 0.3:
        for entity in doc.entities:
            others = [id for id in ids if id != entity.id]
            if rng.random() < 0.4:
                relation = rng.choice((None, "part", "a:b"))
                bridges.append(Bridge(entity.mentions[0], entity.id, rng.choice(others), relation))
            if rng.random() < 0.3:
                splits.append(SplitAntecedent(entity.mentions[-1], entity.id, tuple(rng.sample(others, 2))))
    return doc.replace(bridges=tuple(bridges), split_antecedents=tuple(splits))
