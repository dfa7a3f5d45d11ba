"""GAP: rows are read, entities become answers, answers become numbers."""

import pytest
from benchmarks.gap import page
from benchmarks.gap.examples import HEADER, read_examples
from benchmarks.gap.scores import READINGS, answers, score_answers

from coindex import Entity
from coindex.errors import CoindexError

TEXT = "The sister of Nora Holm met Ida-Lise, and she waved."


def row(text=TEXT, pronoun="she", a="Nora Holm", b="Ida", labels=("FALSE", "TRUE"), **changes):
    fields = {
        "ID": "x-1",
        "Text": text,
        "Pronoun": pronoun,
        "Pronoun-offset": str(text.index(f" {pronoun} ") + 1),
        "A": a,
        "A-offset": str(text.index(a)),
        "A-coref": labels[0],
        "B": b,
        "B-offset": str(text.index(b)),
        "B-coref": labels[1],
        "URL": "http://example.org",
    }
    return {**fields, **changes}


def read(tmp_path, *rows, header=HEADER):
    path = tmp_path / "gap.tsv"
    lines = ["\t".join(header), *("\t".join(fields.values()) for fields in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(read_examples(path))


@pytest.fixture
def example(tmp_path):
    return read(tmp_path, row())[0]


def resolved(example, *spans, head=None):
    """The example's text with one entity of these words, each a text that occurs once."""
    doc = example.document()
    mentions = []
    for words in spans:
        at = TEXT.index(words)
        positions = doc.tokens.positions_in(at, at + len(words))
        mentions.append(doc.mention(positions, head=None if head is None else positions[head]))
    return doc.replace(entities=(Entity("e", tuple(mentions)),))


def test_reads(example):
    assert example.answers == (False, True)
    assert example.gender == "feminine"
    assert [TEXT[start:end] for start, end in (example.pronoun, *example.names)] == ["she", "Nora Holm", "Ida"]


def test_tokens_end_where_the_names_do(example):
    doc = example.document()
    assert doc.text == TEXT
    assert [doc.tokens[at].form for at in doc.tokens.positions_in(*example.names[1])] == ["Ida"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Pronoun": "they"}, r"gap\.tsv:2: the pronoun 'they'; expected one of she"),
        ({"A-offset": "3"}, r"gap\.tsv:2: 'Nora Holm' at 3; expected the place of A"),
        ({"B-offset": "-1"}, r"gap\.tsv:2: 'Ida' at -1; expected the place of B"),
        ({"B-coref": "maybe"}, "the labels FALSE and maybe; expected TRUE or FALSE"),
        ({"URL": "a\tb"}, "12 fields; expected 11 fields"),
    ],
)
def test_errors_are_reported(tmp_path, changes, message):
    with pytest.raises(CoindexError, match=message):
        read(tmp_path, row(**changes))


def test_a_missing_header_is_reported(tmp_path):
    with pytest.raises(CoindexError, match=r"gap\.tsv:1: another header"):
        read(tmp_path, row(), header=HEADER[1:])


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        (["Nora Holm", "she"], (True, False)),
        (["Ida", "she"], (False, True)),
        (["Holm", "she"], (True, False)),  # a part of the name
        (["Nora Holm", "Ida", "she"], (True, True)),
        (["Nora Holm", "Ida"], (False, False)),  # without the pronoun
        (["Nora Holm", "and she"], (False, False)),  # the pronoun is no mention by itself
        (["The sister of Nora", "she"], (False, False)),  # neither inside the name nor around it
    ],
)
def test_answers(example, reading, spans, expected):
    assert answers(example, resolved(example, *spans), reading) == expected


def test_a_mention_around_the_name(example):
    """ "The sister of Nora Holm" is not Nora Holm; a mention without a head that ends with the name may be."""
    spans = ["The sister of Nora Holm", "she"]
    assert answers(example, resolved(example, *spans, head=0), "aligned") == (True, False)
    assert answers(example, resolved(example, *spans, head=0), "strict") == (False, False)
    assert answers(example, resolved(example, *spans, head=-1), "strict") == (True, False)
    assert answers(example, resolved(example, *spans), "strict") == (True, False)


def test_scores(tmp_path):
    he = TEXT.replace("she", "he")
    examples = read(
        tmp_path,
        row(),  # B is right
        row(labels=("FALSE", "FALSE")),
        row(he, "he", labels=("TRUE", "FALSE")),
        row(he, "he"),
    )
    score = score_answers(examples, [(False, True), (True, True), (True, False), (False, False)])
    feminine, masculine, overall = (score.scores[group] for group in ("feminine", "masculine", "overall"))
    assert (feminine.recall, feminine.precision) == (1, 1 / 3)
    assert (masculine.recall, masculine.precision) == (1 / 2, 1)
    assert (overall.recall, overall.precision) == (2 / 3, 2 / 4)
    assert score.bias == pytest.approx((1 / 2) / (2 / 3))


def test_no_bias_without_right_answers(example):
    assert score_answers([example], [(True, False)]).bias is None


def test_page(example):
    row = {"system": "some", **dict.fromkeys(READINGS, score_answers([example], [(True, True)]).to_dict())}
    assert "| some | 66.7 | 0.0 |  | 66.7 | 100.0 | 50.0 |" in page([row])
