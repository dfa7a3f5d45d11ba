"""Documents as formats without empty nodes see them."""

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
from coindex.formats.surface import all_sentences, without_zeros


def document() -> Document:
    ids = ["0.1", "1", "2", "2.1", "3", "1"]
    forms = ["_", "Ann", "dio", "_", "lo", "Sí"]
    tokens = Tokens(
        (Token(id, form) for id, form in zip(ids, forms, strict=True)), multiwords=[Multiword(2, 5, "diolo")]
    )
    entities = (
        Entity("a", (Mention(tokens, (0,), 0), Mention(tokens, (1, 2), 1), Mention(tokens, (1, 2, 3), 3)), "per"),
        Entity("z", (Mention(tokens, (3,)),)),
        Entity("b", (Mention(tokens, (3, 4), 3, {"x": "y"}),)),
        Entity("c", (Mention(tokens, (5,)),)),
    )
    anaphor = entities[2].mentions[0]
    return Document(
        tokens,
        (Sentence(tokens, 0, 5, id="s1"), Sentence(tokens, 5, 6)),
        entities,
        bridges=(
            Bridge(anaphor, "b", "a"),
            Bridge(anaphor, "b", "z"),
            Bridge(entities[1].mentions[0], "z", "a"),
        ),
        split_antecedents=(
            SplitAntecedent(anaphor, "b", ("a", "c")),
            SplitAntecedent(anaphor, "b", ("a", "z")),
        ),
    )


def test_without_zeros():
    doc = without_zeros(document())
    assert [token.form for token in doc.tokens] == ["Ann", "dio", "lo", "Sí"]
    assert doc.text == document().text == "Ann diolo Sí "
    assert [(s.start, s.end, s.id) for s in doc.sentences] == [(0, 3, "s1"), (3, 4, None)]
    assert [(e.id, e.type, [(m.positions, m.head) for m in e.mentions]) for e in doc.entities] == [
        ("a", "per", [((0, 1), 0)]),
        ("b", None, [((2,), None)]),
        ("c", None, [((3,), None)]),
    ]
    assert doc.entities[1].mentions[0].layer is doc.tokens
    assert [(b.entity, b.antecedent, b.anaphor.positions) for b in doc.bridges] == [("b", "a", (2,))]
    assert [split.antecedents for split in doc.split_antecedents] == [("a", "c")]


def test_a_document_without_empty_nodes_is_left_alone():
    doc = without_zeros(document())
    assert without_zeros(doc) is doc


def test_all_sentences_hold_every_word():
    tokens = Tokens(Token(str(i), "x") for i in range(1, 7))
    doc = Document(tokens, (Sentence(tokens, 1, 2), Sentence(tokens, 2, 2), Sentence(tokens, 2, 4)))
    assert [(s.start, s.end) for s in all_sentences(doc)] == [(0, 1), (1, 2), (2, 4), (4, 6)]
