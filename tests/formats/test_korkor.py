"""KorKor: columns by their names, zeros, pointers."""

import contextlib
import gzip
import warnings
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Token
from coindex.errors import CoindexError, DataWarning, FormatError, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from coindex.formats.source import Source, raise_problem

FORMAT = get_format("korkor")

COLUMNS = "id form lemma xpostag upostag feats sent_id corefhead coreftype head deprel deps"
HEADER = COLUMNS + " id coref_cluster coref_type"
ROWS = """\
1   Kati    Kati    [/N]     PROPN  Case=Nom  1  _         _      2  nsubj  _  1        a.1
2   látja   lát     [/V]     VERB   _         1  _         _      0  root   _  2        _
2.1 OBJ     _       _        _      _         1  _         arb    _  _      _  2.OBJ    _
3   .       .       [Punct]  PUNCT  _         1  _         _      2  punct  _  3        _

1   Fut     fut     [/V]     VERB   _         2  _         _      0  root   _  1        _
1.1 SUBJ    _       _        _      _         2  1:1       prs    _  _      _  1.SUBJ   a.1
2   keze    kéz     [/N]     NOUN   _         2  2:1.SUBJ  holo   1  nsubj  _  2        a.2
2.1 POSS    _       _        _      _         2  2:1.SUBJ  prs    _  _      _  2.POSS   a.3
"""


def table(rows: str = ROWS, header: str = HEADER) -> str:
    lines = [header, *rows.splitlines()]
    return "".join("\t".join(line.split()) + "\n" for line in lines)


def load(tmp_path: Path, text: str) -> list[Document]:
    path = tmp_path / "a.tsv"
    path.write_bytes(text.encode())
    return list(coindex.read(path, format="korkor"))


def test_words_zeros_and_entities(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, table())
    assert (doc.id, doc.language) == ("a", "hu")
    assert doc.text == "Kati látja .\nFut keze"
    assert [(s.id, s.start, s.end) for s in doc.sentences] == [("1", 0, 4), ("2", 4, 8)]
    assert doc.tokens[0] == Token("1", "Kati", "Kati", "PROPN", "[/N]", "Case=Nom", "2", "nsubj")
    assert [token.id for token in doc.tokens if token.is_empty] == ["2.1", "1.1", "2.1"]
    assert doc.tokens[2] == Token("2.1", "OBJ", misc="CorefType=arb")
    first, second = doc.entities
    assert (first.id, [m.positions for m in first.mentions]) == ("e1", [(0,), (5,), (7,)])
    assert [m.head for m in first.mentions] == [0, 5, 7]
    assert [m.attributes for m in first.mentions] == [{}, {"coreftype": "prs"}, {"coreftype": "prs"}]
    assert [m.is_zero for m in first.mentions] == [False, True, True]
    assert (second.id, [m.positions for m in second.mentions]) == ("e2", [(6,)])
    (bridge,) = doc.bridges
    assert (bridge.anaphor, bridge.entity, bridge.antecedent, bridge.relation) == (
        second.mentions[0],
        "e2",
        "e1",
        "holo",
    )


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    rows = "Kati 1 _ _ 1\nfut 2 _ _ 1\nSUBJ 2.SUBJ 1:1 prs 1\nő 1 1:2.SUBJ prs 2"
    (doc,) = load(tmp_path, table(rows, "form id corefhead coreftype sent_id"))
    assert [token.id for token in doc.tokens] == ["1", "2", "2.1", "1"]
    assert [[m.positions for m in entity.mentions] for entity in doc.entities] == [[(0,), (2,), (3,)]]


def test_without_sentence_ids_blank_lines_separate_sentences(tmp_path: Path) -> None:
    rows = "1 Fut a X\n2 . b X\n\n1 Oda c X"
    (doc,) = load(tmp_path, table(rows, "id form xpostag upostag"))
    assert [(s.id, len(s)) for s in doc.sentences] == [("1", 2), ("2", 1)]
    assert doc.entities == ()


def test_pointers_that_lead_nowhere_are_counted(tmp_path: Path) -> None:
    rows = """\
1 a a x X _ 1 1:9 coref 0 root _ 1 _
2 b b x X _ 1 ??? prs 1 x _ 2 _
3 c c x X _ 1 1:3 prs 1 x _ 3 _
4 d d x X _ 1 _ rel 1 x _ 4 _
5 e e x X _ 1 _ __ 1 x _ 5 _
6 f f x X _ 1 EMPTY arb 1 x _ 6 _
7 g g x X _ 1 1.2 coref 1 x _ 7 _
8 h h x X _ 1 1:2 coref"""
    with pytest.warns(DataWarning) as caught:
        (doc,) = load(tmp_path, table(rows).replace("EMPTY", ""))
    assert sorted(str(w.message).partition(": ")[2] for w in caught) == [
        "1 pointers of a token to itself",
        "2 empty pointers",
        "3 pointers to a missing annotation",
    ]
    assert [[m.positions for m in entity.mentions] for entity in doc.entities] == [[(1,), (7,)]]


def test_wrong_ids_are_renumbered(tmp_path: Path) -> None:
    rows = """\
1 a a x X _ 1 _ _ 0 root _ 1 _
1 b b x X _ 1 _ _ 1 x _ 1 _
1.2 SUBJ _ _ _ _ 1 _ arb _ _ _ 1.SUBJ _
1.2 OBJ _ _ _ _ 1 1:1 prs _ _ _ 1.OBJ _"""
    with pytest.warns(DataWarning, match="3 token ids out of order, renumbered"):
        (doc,) = load(tmp_path, table(rows))
    assert [token.id for token in doc.tokens] == ["1", "2", "2.1", "2.2"]
    assert [[m.positions for m in entity.mentions] for entity in doc.entities] == [[(0,), (3,)]]


BAD = {
    "no header": (table(ROWS, "a b c"), 1, r"the header 'a\tb\tc'"),
    "too long a row": (table("1 a" + " _" * 14), 2, "a row of 16 columns"),
    "no form": (table("1 a\n2"), 3, "a row of 1 columns: '2'; expected an id, a form and up to 15 columns"),
    "an empty form": (table("1 a\n2 FORM _ _").replace("FORM", ""), 3, "a row of 4 columns"),
    "no id": (table("1 a\nID b _ _").replace("ID", ""), 3, "a row of 4 columns"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_reported_with_its_place(tmp_path: Path, name: str) -> None:
    text, line, found = BAD[name]
    with pytest.raises(FormatError) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'a.tsv'}:{line}: ")
    assert found in str(caught.value)
    problems: list[Problem] = []
    list(coindex.read(tmp_path / "a.tsv", format="korkor", on_problem=problems.append))
    assert problems[0] == caught.value.problem


def test_a_header_alone_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match=r"a\.tsv:1: a header row without data"):
        (doc,) = load(tmp_path, table(""))
    assert (len(doc.tokens), doc.sentences) == (0, ())


def test_gzip(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(table().encode()))
    assert len(next(coindex.read(tmp_path / "a.tsv.gz", format="korkor")).entities) == 2


def test_it_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(CoindexError, match="korkor can be read but not written"):
        coindex.write(load(tmp_path, table()), tmp_path / "b.tsv", format="korkor")


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (table(), "main"),
        (table().replace("\n", "\r\n"), "main"),
        ("id\tform\tlemma\txpostag\tupostag\n", "main"),
        ("ID\tText\tPronoun\n", "no"),
        ("id\tform\n", "no"),
        ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "no"),
    ],
)
def test_detection(text: str, role: str) -> None:
    assert FORMAT.detect(Head(PurePath("x.tsv"), text)) == role


CELLS = st.sampled_from(["1", "2", "1.1", "1.SUBJ", "1:1", "1:1.1", "_", "", "holo", "prs", "²", "9" * 5000, "a.b"])


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([HEADER, "form id corefhead coreftype", "id form"]),
    st.lists(st.lists(CELLS, max_size=16), max_size=9),
)
def test_only_our_errors_come_out(tmp_path_factory: pytest.TempPathFactory, header: str, rows: list[list[str]]) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.tsv"
    path.write_text("\n".join("\t".join(row) for row in [header.split(), *rows]))
    for on_problem in (raise_problem, lambda problem: None):
        with warnings.catch_warnings(), contextlib.suppress(CoindexError):
            warnings.simplefilter("ignore")
            list(FORMAT.read(Source(path, on_problem=on_problem)))  # type: ignore[misc]


def test_the_corpus(shared_data: Path) -> None:
    """Counted by a script of its own, which looks every pointer up in the rows and walks the links."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        paths = sorted(shared_data.glob("hu_korkor/*/*.tsv"))
        docs = [doc for path in paths for doc in coindex.read(path, format="korkor")]
    assert len(docs) == 85
    assert sum(len(doc.tokens) for doc in docs) == 23_449
    assert sum(len(doc.tokens.empty_positions) for doc in docs) == 1_782
    assert sum(len(doc.sentences) for doc in docs) == 1_203
    mentions = [mention for doc in docs for entity in doc.entities for mention in entity.mentions]
    assert (len(mentions), sum(mention.is_zero for mention in mentions)) == (3_695, 1_122)
    assert sum(len(doc.entities) for doc in docs) == 1_104
    assert sum(len(doc.bridges) for doc in docs) == 137
    counted: dict[str, int] = {}
    for warning in caught:
        number, _, what = str(warning.message).partition(": ")[2].partition(" ")
        if number.isdigit():
            counted[what] = counted.get(what, 0) + int(number)
    assert counted == {
        "pointers to a missing annotation": 33,
        "pointers of a token to itself": 14,
        "empty pointers": 1,
        "token ids out of order, renumbered": 291,
    }
