"""CoNLL-2012: layouts, brackets, parts, bad input, and five real corpora."""

import contextlib
import gzip
import warnings
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from coindex.formats.source import Source, raise_problem

FORMAT = get_format("conll2012")

ONTONOTES = """\
#begin document (bc/town/00/town_1); part 000
bc/town/00/town_1   0   0     Ann   NNP  (TOP(S(NP*)       -    -   -   Host_One  (PERSON)  (ARG0*)    *   (1)
bc/town/00/town_1   0   1    knew   VBD         (VP*    know   01   1   Host_One         *     (V*)    *    -
bc/town/00/town_1   0   2   her  PRP$         (NP*       -    -   -   Host_One         *  (ARG1*     *  (2|(1)
bc/town/00/town_1   0   3  sister    NN          *))  sister    -   2   Host_One         *        *)   *   2)
bc/town/00/town_1   0   4       .     .          *))       -    -   -   Host_One         *        *    *    -

bc/town/00/town_1   0   0     Who   WP  (TOP(S(NP*)        -    -   -          -         *   -
bc/town/00/town_1   0   1       ?    .          *))        -    -   -          -         *   -

#end document
#begin document (bc/town/00/town_1); part 001
bc/town/00/town_1   1   0    Yes    UH  (TOP*)             -    -   -    Guest         *   -

#end document
"""


def begun(rows: str, name: str = "d") -> str:
    return f"#begin document ({name}); part 000\n{rows}\n#end document\n"


def put(tmp_path: Path, text: str, name: str = "a.conll") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def load(tmp_path: Path, text: str, name: str = "a.conll") -> list[Document]:
    return list(coindex.read(put(tmp_path, text, name), format="conll2012"))


def spans(doc: Document) -> dict[str, list[tuple[int, int]]]:
    return {entity.id: [(m.start, m.end) for m in entity.mentions] for entity in doc.entities}


def quietly_written(docs: list[Document], path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        coindex.write(docs, path, format="conll2012")
    return path


def test_the_ontonotes_layout(tmp_path: Path) -> None:
    first, second = load(tmp_path, ONTONOTES)
    assert (first.id, first.meta) == ("bc/town/00/town_1", {"part": "000"})
    assert (second.id, second.meta) == ("bc/town/00/town_1_001", {"part": "001"})
    assert first.text == "Ann knew her sister .\nWho ?"
    assert [s.speaker for s in first.sentences] == ["Host_One", None]
    assert second.sentences[0].speaker == "Guest"
    assert first.tokens[1] == Token("2", "knew", "know", "_", "VBD", misc="Parse=(VP*|Frameset=01|Sense=1|Args=(V*),*")
    assert first.tokens[0].misc_values["NE"] == "(PERSON)"
    assert spans(first) == {"1": [(0, 1), (2, 3)], "2": [(2, 4)]}
    assert [m.text for m in first.entity("2").mentions] == ["her sister"]


def test_the_ontonotes_layout_comes_back_with_all_its_columns(tmp_path: Path) -> None:
    docs = load(tmp_path, ONTONOTES)
    path = quietly_written(docs, tmp_path / "b.conll")
    assert list(coindex.read(path, format="conll2012")) == docs
    lines = path.read_text().splitlines()
    assert lines[0] == "#begin document (bc/town/00/town_1); part 000"
    assert lines[2] == "bc/town/00/town_1\t0\t1\tknew\tVBD\t(VP*\tknow\t01\t1\tHost_One\t*\t(V*)\t*\t-"
    assert lines[4] == "bc/town/00/town_1\t0\t3\tsister\tNN\t*))\tsister\t-\t2\tHost_One\t*\t*)\t*\t2)"
    assert lines[11] == "#begin document (bc/town/00/town_1); part 001"
    assert lines[12] == "bc/town/00/town_1\t1\t0\tYes\tUH\t(TOP*)\t-\t-\t-\tGuest\t*\t-"


def test_tabs_with_an_empty_last_column_and_a_word_that_is_an_underscore(tmp_path: Path) -> None:
    rows = "".join(
        f"n\t0\t{number}\t{word}" + "\t_" * 8 + f"\t{cell}\n"
        for number, (word, cell) in enumerate([("_", ""), ("Kate", "(7"), ("_", ""), ("Bell", "7)"), ("800 000", "")])
    )
    (doc,) = load(tmp_path, begun(rows))
    assert [token.form for token in doc.tokens] == ["_", "Kate", "_", "Bell", "800 000"]
    assert spans(doc) == {"7": [(1, 4)]}
    assert doc.sentences[0].speaker is None
    assert doc.tokens[0] == Token("1", "_")


def test_the_conllu_layout(tmp_path: Path) -> None:
    rows = [
        "1\tHier\thier\tADV\t_\t_\t3\tadvmod\t_\t_\tLea\t0\t*\t*\t_",
        "2-3\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\tLea\t0\t*\t*\t_",
        "2\tde\tde\tADP\t_\t_\t3\tcase\t_\t_\tLea\t0\t(LOC\tLOC\t(4",
        "3\tle\tle\tDET\tx\tNumber=Sing\t0\troot\t_\tA=b\tLea\t0\t*)\tLOC\t4)",
        "",
        "1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No\t_\t1\t*\t*\t(4)",
        "2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_\t_\t1\t*\t*\t_",
    ]
    (doc,) = load(tmp_path, begun("\n".join(rows)))
    assert doc.text == "Hier du\nOui!"
    assert doc.tokens[1] == Token("2", "de", "de", "ADP", "_", "_", "3", "case", "_", "NE=(LOC", " ")
    assert doc.tokens[2].misc == "A=b|NE=*)"
    assert [(m.start, m.end, m.form) for m in doc.tokens.multiwords] == [(1, 3, "du")]
    assert [s.speaker for s in doc.sentences] == ["Lea", None]
    assert spans(doc) == {"4": [(1, 3), (3, 4)]}


def test_one_word_sentences_are_distinguished_from_a_document_named_1(tmp_path: Path) -> None:
    conllu = "1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_\t_\t(4)\n\n1\tNon\tnon\tINTJ\t_\t_\t0\troot\t_\t_\t_\t(5)"
    (doc,) = load(tmp_path, begun(conllu))
    assert [token.form for token in doc.tokens] == ["Oui", "Non"]
    (doc,) = load(tmp_path, begun("1\t0\t0\tYes\t-\n\n1\t0\t0\tNo\t(3)"))
    assert [token.form for token in doc.tokens] == ["Yes", "No"]
    (doc,) = load(tmp_path, begun("1\t0\t0\tYes\t-\n1\t0\t1\t,\t-\n\n1\t0\t0\tNo\t(3)"))
    assert [token.form for token in doc.tokens] == ["Yes", ",", "No"]


@pytest.mark.parametrize(
    ("row", "form"),
    [
        ("d Yes (1)", "Yes"),
        ("d 0 Yes (1)", "Yes"),
        ("d 0 0 Yes (1)", "Yes"),
        ("d 0 0 Yes UH (1)", "Yes"),
        ("d 0 0 Yes UH (TOP*) (1)", "Yes"),
        ("1 Yes yes yes UH UH _ _ 0 0 root root _ _ _ _ (1)", "Yes"),  # SemEval-2010
    ],
)
def test_any_number_of_columns(tmp_path: Path, row: str, form: str) -> None:
    (doc,) = load(tmp_path, begun(row))
    assert doc.tokens[0].form == form
    assert spans(doc) == {"1": [(0, 1)]}


def test_eleven_columns_with_named_entities_number_and_gender(tmp_path: Path) -> None:
    text = begun("d\t000\t0\tSara\tNE\t(NP*)\tsara\tsg\tfem\t(PER*)\t(3)\nd\t000\t1\t?\t$.\t*\t--\t-\t-\t-\t-")
    (doc,) = load(tmp_path, text.replace("\n", "\r\n"))
    assert doc.tokens[0] == Token(
        "1", "Sara", "sara", "_", "NE", "Gender=Fem|Number=Sing", misc="Parse=(NP*)|NE=(PER*)"
    )
    assert doc.sentences[0].speaker is None


def test_eleven_columns_with_a_speaker(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, begun("d 0 0 Yes UH * - - - Ann (3)"))
    assert (doc.sentences[0].speaker, doc.tokens[0].misc) == ("Ann", "_")


def column(*cells: str) -> str:
    return begun("\n".join(f"d\t0\t{number}\tw{number}\t{cell}" for number, cell in enumerate(cells)))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(1", "(2", "1)", "2)"], {"1": [(0, 3)], "2": [(1, 4)]}),  # crossing
        (["(1", "(1", "1)", "1)"], {"1": [(0, 4), (1, 3)]}),  # of one entity: the last opened closes first
        (["(1", "1)|(1", "1)"], {"1": [(0, 2), (1, 3)]}),
        (["(1|(1)", "-", "1)"], {"1": [(0, 3), (0, 1)]}),
        (["(12)(3", "_", "*", "3)4)|5)|(6)", "-"], None),
        (["(4(12)(3", "_", "*", "3)4)|(6)"], {"4": [(0, 4)], "3": [(0, 4)], "12": [(0, 1)], "6": [(3, 4)]}),
        (["(e1-x", "e1-x)"], {"e1-x": [(0, 2)]}),
        ([" (1) ", " - "], {"1": [(0, 1)]}),
    ],
)
def test_brackets(tmp_path: Path, cells: list[str], expected: dict[str, list[tuple[int, int]]] | None) -> None:
    if expected is None:
        with pytest.raises(FormatError, match=r"a\.conll:5: .*'4' without an opening one"):
            load(tmp_path, column(*cells))
    else:
        (doc,) = load(tmp_path, column(*cells))
        assert spans(doc) == expected


def test_a_mention_over_a_sentence_border_comes_back(tmp_path: Path) -> None:
    docs = load(tmp_path, begun("d\t0\t0\tOh\t(0\n\nd\t0\t0\tmy\t0)"))
    assert len(docs[0].sentences) == 2
    assert spans(docs[0]) == {"0": [(0, 2)]}
    coindex.write(docs, tmp_path / "b.conll", format="conll2012")
    assert load(tmp_path, (tmp_path / "b.conll").read_text()) == docs


def test_a_mention_given_twice_is_one(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="1 mentions given twice in one entity"):
        (doc,) = load(tmp_path, column("(1|(1", "1)|1)"))
    assert spans(doc) == {"1": [(0, 2)]}


@pytest.mark.parametrize(
    ("line", "id", "part"),
    [
        ("#begin document (x y); part 0", "x y", "0"),
        ("#begin document (a(b)); part 012", "a(b)_012", "012"),
        ("#begin document (x)", "x", None),
        ("#begin document (x);", "x", None),
        ("# begin document x", "x", None),
        ("#begin document ()", "a", None),
    ],
)
def test_document_lines(tmp_path: Path, line: str, id: str, part: str | None) -> None:
    (doc,) = load(tmp_path, f"{line}\nx 0 0 w -\n#end document\n")
    assert (doc.id, doc.meta.get("part")) == (id, part)


def test_a_document_without_words(tmp_path: Path) -> None:
    docs = load(tmp_path, begun(""))
    assert (len(docs), len(docs[0].tokens), docs[0].sentences) == (1, 0, ())
    coindex.write(docs, tmp_path / "b.conll", format="conll2012")
    assert load(tmp_path, (tmp_path / "b.conll").read_text()) == docs


def test_comments_and_changing_speakers_are_counted(tmp_path: Path) -> None:
    rows = "# a note\nd 0 0 a - - - - - Ann * -\nd 0 1 b - - - - - Bob * -"
    with pytest.warns(DataWarning) as caught:
        (doc,) = load(tmp_path, begun(rows))
    assert doc.sentences[0].speaker == "Ann"
    assert sorted(str(w.message).partition(": ")[2] for w in caught) == [
        "1 comment lines, ignored",
        "1 sentences with several speakers, of which the first is kept",
    ]


def test_a_document_for_the_second_time_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match=r"a\.conll:5: duplicate document 'd'"):
        assert len(load(tmp_path, column("-", "-") + column("-"))) == 2


TREE = "_\t_\t0\troot\t_\t_\t_"
MULTIWORD = "_\t_\t_\t_\t_\t_\t_\t_\t_"

BAD = {
    "a row before any document": ("d 0 0 w -\n", 1, "a row outside a document"),
    "no document": ("\n\n", 1, "no document"),
    "too few columns": (begun("w (1)"), 2, "a row of 2 columns; expected at least 3"),
    "another column count": (begun("d\t0\t0\tw\t-\nd\t0\tw\t-"), 3, "a row of 4 columns; expected 5"),
    "blanks in a file of tabs": (begun("d\t0\t0\tw\t-\nd 0 1 w -"), 3, "a row of 1 columns; expected 5"),
    "a broken cell": (column("-", "((1)"), 3, r"'((1)' in the last column"),
    "a cell without brackets": (column("12"), 2, "'12' in the last column"),
    "a bar at the end": (column("(12)|"), 2, "'(12)|' in the last column"),
    "never closed": (column("-", "(5", "-"), 3, "entity '5' that is never closed; expected '5)'"),
    "never opened": (
        column("-", "-", "5)"),
        4,
        "entity '5' without an opening one; expected '(5'",
    ),
    "an empty word": (column("-").replace("w0", ""), 2, "an empty word; expected a word in column 4"),
    "cut short": ("#begin document (d)\nd 0 0 w -\n", 2, "the end of the file inside a document"),
    "begun twice": (
        "#begin document (d)\nd 0 0 w -\n" + column("-"),
        3,
        "a new document inside the one of line 1",
    ),
    "ended twice": (column("-") + "#end document\n", 4, "where no document is open"),
    "a byte order mark": ("\ufeff" + column("-"), 1, "a byte order mark"),
    "mixed line ends": (column("-", "-").replace("\n", "\r\n", 1), 2, "mixed line ends"),
    "a word number twice": (
        begun("\n".join(f"{n}\tw\tw\tX\t{TREE}\t-" for n in (1, 2, 2, 4))),
        4,
        "word number '2'; expected 3",
    ),
    "a head out of range": (begun(f"1\tw\tw\tX\t{TREE.replace('0', '9')}\t-"), 2, "head '9'"),
    "brackets at a multiword token": (
        begun(f"1-2\tdu\t{MULTIWORD}\t(1)\n1\tde\tw\tX\t{TREE}\t-\n2\tle\tw\tX\t{TREE}\t-"),
        2,
        "a multiword token '1-2' with '(1)'",
    ),
    "a multiword token without words": (
        begun(f"1\tw\tw\tX\t{TREE}\t-\n2-3\tdu\t{MULTIWORD}\t-\n2\tde\tw\tX\t{TREE}\t-"),
        2,
        "a multiword token 'du' some of whose words are missing",
    ),
    "a long line": (column("(" + "9" * 5_000_000 + "x|"), 2, "in the last column"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_reported_with_its_place(tmp_path: Path, name: str) -> None:
    text, line, found = BAD[name]
    with pytest.raises(FormatError) as caught:
        load(tmp_path, text)
    assert caught.value.problem.line == line
    assert str(caught.value).startswith(f"{tmp_path / 'a.conll'}:{line}: ")
    assert found in str(caught.value)
    assert len(str(caught.value)) < 500
    problems: list[Problem] = []  # all of them, and still what can be read
    list(coindex.read(tmp_path / "a.conll", format="conll2012", on_problem=problems.append))
    assert problems[0] == caught.value.problem


def test_validation_finds_all_problems(tmp_path: Path) -> None:
    text = column("(1", "2)", "x", "(3)") + "d 0 0 w -\nd 0 1 w -\n#begin document (e)\ne\t0\t0\tw\t(1)\n"
    problems: list[Problem] = []
    docs = list(coindex.read(put(tmp_path, text), format="conll2012", on_problem=problems.append))
    assert [problem.line for problem in problems] == [3, 4, 2, 7, 10]
    assert [spans(doc) for doc in docs] == [{"3": [(3, 4)]}, {"1": [(0, 1)]}]


def test_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_bytes(column("-", "-").encode().replace(b"w1", b"\xe9t\xe9"))
    with pytest.raises(FormatError, match=r"a\.conll:3: bytes that are not UTF-8"):
        list(coindex.read(tmp_path / "a.conll", format="conll2012"))


def test_gzip_and_truncated_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(ONTONOTES.encode())
    path = tmp_path / "a.conll.gz"
    path.write_bytes(packed)
    assert next(coindex.read(path, format="conll2012")).id == "bc/town/00/town_1"
    path.write_bytes(packed[:-20])
    with pytest.raises(FormatError, match="broken gzip data"):
        list(coindex.read(path, format="conll2012"))


@pytest.mark.parametrize(
    ("name", "text", "role"),
    [
        ("x.conll", ONTONOTES, "main"),
        ("x", "\n# made by hand\n" + ONTONOTES.replace("\n", "\r\n"), "main"),
        ("x.txt", "#begin document (a)\n", "main"),
        ("x.v4_gold_conll", "d 0 0 w (1|(2)\n", "main"),
        ("x.conll", "d 0 0 w x\n", "no"),
        ("x.txt", "d 0 0 w (1)\n", "no"),
        ("x.conllu", "# newdoc\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "no"),
        ("x.jsonl", '{"sentences": []}\n', "no"),
        ("x.txt", "A text (of some words).\n", "no"),
    ],
)
def test_detection(name: str, text: str, role: str) -> None:
    assert FORMAT.detect(Head(PurePath(name), text)) == role


def made(forms: str, entities: dict[str, list[tuple[tuple[int, ...], int | None]]], **fields: object) -> Document:
    """A document of one sentence; a form in brackets is an empty node."""
    words = [Token(f"{n}.1" if form[0] == "<" else str(n), form) for n, form in enumerate(forms.split(" "), 1)]
    tokens = Tokens([*words[:-1], words[-1]._replace(space="")])
    found = tuple(
        Entity(id, tuple(Mention(tokens, positions, head) for positions, head in mentions))
        for id, mentions in entities.items()
    )
    return Document(tokens, (Sentence(tokens, 0, len(tokens)),), found, **fields)  # type: ignore[arg-type]


def cells_of(path: Path) -> list[str]:
    return [line.split("\t")[-1] for line in path.read_text().splitlines() if "\t" in line]


def test_what_is_written_of_zeros_and_gaps(tmp_path: Path) -> None:
    doc = made(
        "he <he> took the coat off",
        {
            "a": [((0,), 0), ((1,), 1)],
            "b": [((1, 2, 3), 2)],
            "c": [((2, 5), 5)],
            "d": [((1,), 1)],
            "e": [((3, 5), None)],
        },
        id="x",
    )
    path = tmp_path / "a.conll"
    with pytest.warns(LossWarning, match="2 zero mentions; 2 discontinuous mentions"):
        coindex.write(doc, path, format="conll2012")
    (again,) = coindex.read(path, format="conll2012")
    assert again.text == "he took the coat off"
    # numbered anew, since not all ids are numbers; d is nothing but a zero
    assert spans(again) == {"0": [(0, 1)], "1": [(1, 3)], "2": [(2, 3)], "3": [(4, 5)]}


def test_order_of_brackets_in_a_cell(tmp_path: Path) -> None:
    mentions = {
        "1": [((0, 1), None), ((1, 2, 3), None)],
        "2": [((1,), None), ((0, 1, 2, 3), None)],
        "30": [((1, 2), None)],
    }
    path = tmp_path / "a.conll"
    with pytest.warns(LossWarning, match="1 entities whose mentions cross each other"):
        coindex.write(made("a b c d", mentions), path, format="conll2012")
    assert cells_of(path) == ["(2|(1", "1)|(1|(30|(2)", "30)", "1)|2)"]
    (again,) = coindex.read(path, format="conll2012")
    assert again.id == "document_1"
    assert spans(again) == {"2": [(0, 4), (1, 2)], "1": [(0, 2), (1, 4)], "30": [(1, 3)]}


def test_spaces_inside_words_are_replaced_and_counted(tmp_path: Path) -> None:
    tokens = Tokens([Token("1", "800 000"), Token("2", "a\u00a0b\tc"), Token("3", "", space="")])
    doc = Document(tokens, (Sentence(tokens, 0, 3, speaker="Ann Lee"),), id="#1\tx y")
    with pytest.warns(LossWarning, match="2 words that contain white space"):
        coindex.write(doc, tmp_path / "a.conll", format="conll2012")
    text = (tmp_path / "a.conll").read_text()
    assert text.startswith("#begin document (#1_x y); part 000\n_1_x_y\t0\t0\t800_000\t-\t-\t-\t-\t-\tAnn_Lee\t*\t-\n")
    (again,) = coindex.read(tmp_path / "a.conll", format="conll2012")
    assert again.id == "#1_x y"
    assert [token.form for token in again.tokens] == ["800_000", "a_b_c", "_"]


@pytest.mark.parametrize(
    ("id", "part", "line"),
    [
        ("x", "000", "(x); part 000"),
        ("x", "0", "(x); part 0"),
        ("x_002", "002", "(x); part 002"),
        ("renamed", "002", "(renamed); part 000"),
        ("_002", "002", "(_002); part 000"),
        ("x", "1 2", "(x); part 000"),
    ],
)
def test_names_and_parts_are_written_so_that_ids_come_back(tmp_path: Path, id: str, part: str, line: str) -> None:
    coindex.write(made("a", {}, id=id, meta={"part": part}), tmp_path / "a.conll", format="conll2012")
    assert (tmp_path / "a.conll").read_text().startswith(f"#begin document {line}\n")
    assert next(coindex.read(tmp_path / "a.conll", format="conll2012")).id == id


def test_tokens_outside_sentences_are_written_too(tmp_path: Path) -> None:
    doc = made("a b c d", {"1": [((0, 1, 2, 3), None)]})
    doc = doc.replace(sentences=(Sentence(doc.tokens, 1, 2),))
    with pytest.warns(LossWarning):
        coindex.write(doc, tmp_path / "a.conll", format="conll2012")
    (again,) = coindex.read(tmp_path / "a.conll", format="conll2012")
    assert [len(sentence) for sentence in again.sentences] == [1, 1, 2]
    assert spans(again) == {"1": [(0, 4)]}


def read_any(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.conll"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for on_problem in (raise_problem, lambda problem: None):
            with contextlib.suppress(CoindexError):
                list(FORMAT.read(Source(path, on_problem=on_problem)))  # type: ignore[misc]


WORDS = "1 2 1-2 0.1 - _ (1 1) (1) d ² # 1- -1 1-9 ٣ (PER*) Ann"
CELLS = st.sampled_from([*WORDS.split(), "", "9" * 5000])
ROWS = st.lists(CELLS, max_size=16).map("\t".join)
LINES = st.one_of(ROWS, ROWS, ROWS, st.sampled_from(["#begin document (a)", "#end document", "", "#begin document"]))


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_only_our_errors_come_out_of_rows(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    read_any("\n".join(["#begin document (a)", *lines]).encode(), tmp_path_factory)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_only_our_errors_come_out_of_damaged_files(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = ONTONOTES.encode()
    at = data.draw(st.integers(0, len(whole)))
    put_in, taken = data.draw(st.binary(max_size=6)), data.draw(st.integers(0, 40))
    read_any(whole[:at] + put_in + whole[at + taken :], tmp_path_factory)


# documents, words, sentences, mentions, entities, singletons: counted by a script of its own
CORPORA = {
    "en_litbank/*/*.conll": (90, 189_894, 7_682, 26_271, 7_120, 5_198),
    "ru_rucoco/*.conll": (769, 320_485, 18_049, 37_566, 9_623, 1_191),
    "nl_openboek/*.conll": (7, 83_402, 4_734, 19_092, 7_258, 5_396),
    "de_gerdracor_parallel/conll/*.conll": (31, 227_788, 22_682, 51_819, 7_669, 1_995),
    "fr_democrat/*.conll": (46, 28_279, 1_192, 7_032, 4_294, 3_582),
}


@pytest.mark.parametrize("pattern", CORPORA)
def test_real_corpora_are_read_whole_and_come_back(shared_data: Path, tmp_path: Path, pattern: str) -> None:
    counts = [0] * 6
    for number, path in enumerate(sorted(shared_data.glob(pattern))):
        docs = list(coindex.read(path, format="conll2012"))
        for doc in docs:
            sizes = (
                1,
                len(doc.tokens),
                len(doc.sentences),
                sum(map(len, doc.entities)),
                len(doc.entities),
                sum(entity.is_singleton for entity in doc.entities),
            )
            counts = [a + b for a, b in zip(counts, sizes, strict=True)]
        if number % 8 == 0:
            again = list(coindex.read(quietly_written(docs, tmp_path / "a.conll"), format="conll2012"))
            assert [(d.id, d.meta, spans(d)) for d in again] == [(d.id, d.meta, spans(d)) for d in docs]
            forms = [[token.form.replace(" ", "_") for token in d.tokens] for d in docs]
            assert [[token.form for token in d.tokens] for d in again] == forms
            assert [list(map(len, d.sentences)) for d in again] == [list(map(len, d.sentences)) for d in docs]
    assert tuple(counts) == CORPORA[pattern]


def test_the_columns_of_real_corpora(shared_data: Path) -> None:
    (doc, *_) = coindex.read(shared_data / "fr_democrat/dem1921_sg.dev.conll", format="conll2012")
    feats = "Definite=Ind|Gender=Masc|Number=Sing|PronType=Art"
    assert doc.tokens[3] == Token("3", "un", "un", "DET", "_", feats, "4", "det")
    assert (doc.tokens.multiwords[0].form, doc.tokens.multiwords[0].start) == ("des", 21)
    (doc,) = coindex.read(shared_data / "nl_openboek/Nescio_Dichtertje.conll", format="conll2012")
    assert doc.tokens[0].xpos == "N[eigen,ev,basis,zijd,stan]"
    assert doc.tokens[0].misc == "Parse=(TOP*|NE=(ORG)"
