"""brat: the styles of chains, events, offsets, writing, bad input, and LitBank against its CoNLL files."""

import gzip
import re
import warnings
from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from coindex.api import read, write
from coindex.document import Document, Entity, Mention, Multiword, Sentence, Token, Tokens
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format

TEXT = "Ann saw\nher brother-in-law.  He waved: a wave!\n"
ANN = """T1\tPerson 0 3\tAnn
T2\tPerson 8 11\ther
T3\tPerson 8 26\ther brother-in-law
T4\tPerson 12 19;23 26\tbrother law
T5\tMention 29 31\tHe
T6\tWave 32 37\twaved
T7\tWave 39 45\ta wave
E1\tWave:T6
E2\tWave:T7
R1\tCoref Arg1:T2 Arg2:T1\t
R2\tIdentity Arg1:E2 Arg2:E1
R3\tcoreference Arg1:T5 Arg2:T3
A1\tGender T2 feminine gender
M1\tNegated E1
#1\tAnnotatorNotes T5\tsure
"""
LITBANK = """T1\tPROP_PER 0 3\tAnn
T2\tPRON_PER 8 11\ther
T3\tNOM_PER 8 26\ther brother-in-law
T4\tAnn-0 0 3\tAnn
T5\tAnn-0 8 11\ther
T6\ther_brother-in-law-1 8 26\ther brother-in-law
T7\tNOM_VEH 39 45\ta wave
"""


def folder_with(tmp_path: Path, ann: str, text: str = TEXT) -> Path:
    (tmp_path / "tale.txt").write_bytes(text.encode())
    path = tmp_path / "tale.ann"
    path.write_bytes(ann.encode())
    return path


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    return folder_with(tmp_path, ANN)


def only(path: Path, **options: str) -> Document:
    (doc,) = read(path, format="brat", **options)
    return doc


def summary(doc: Document) -> list[tuple[str, str | None, list[str]]]:
    return [(entity.id, entity.type, [mention.text for mention in entity.mentions]) for entity in doc.entities]


def test_relations(tale):
    doc = only(tale)
    assert (doc.id, doc.text) == ("tale", TEXT)
    assert summary(doc) == [
        ("T1", "Person", ["Ann", "her"]),
        ("T3", "Person", ["her brother-in-law", "He"]),
        ("T4", "Person", ["brother … law"]),
        ("T6", "Wave", ["waved", "a wave"]),
    ]
    assert [entity.kind for entity in doc.entities] == ["entity", "entity", "entity", "event"]
    ann, brother, _, wave = doc.entities
    assert ann.mentions[1].attributes == {"Gender": "feminine gender"}
    assert brother.mentions[1].attributes == {"label": "Mention", "AnnotatorNotes": "sure"}
    assert wave.mentions[0].attributes == {"Negated": "true"}
    assert brother.mentions[1].start_char == 29


def test_mention_borders_are_token_borders(tmp_path):
    text = "Überraschungsgast"
    doc = only(folder_with(tmp_path, "T1\tX 0 13\tÜberraschungs\nT2\tX 13 17\tgast\n", text))
    assert [token.form for token in doc.tokens] == ["Überraschungs", "gast"]
    assert doc.text == text


def test_equivalences(tmp_path):
    ann = ANN.replace("R1\tCoref Arg1:T2 Arg2:T1\t", "*\tEquiv T1 T2 T4").replace("T5 Arg2:T3", "T3 Arg2:T3")
    doc = only(folder_with(tmp_path, ann))
    assert [texts for *_, texts in summary(doc)] == [
        ["Ann", "her", "brother … law"],
        ["her brother-in-law"],
        ["He"],
        ["waved", "a wave"],
    ]


def test_other_relations_are_counted_and_can_be_asked_for(tale):
    tale.write_text(ANN.replace("R3\tcoreference", "R3\tIs_a"))
    with pytest.warns(DataWarning, match=r"tale\.ann: 1 Is_a relations, left out: they are not coreference"):
        assert len(only(tale).entities) == 5
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        doc = only(tale, relations="Is_a, Other")
    assert [texts for *_, texts in summary(doc)][:2] == [["Ann"], ["her brother-in-law", "He"]]
    assert [str(warning.message).partition(": ")[2][:9] for warning in caught] == ["1 Coref r", "1 Identit"]


def test_litbank_style(tmp_path):
    doc = only(folder_with(tmp_path, LITBANK))
    assert summary(doc) == [
        ("Ann-0", "PER", ["Ann", "her"]),
        ("her_brother-in-law-1", "PER", ["her brother-in-law"]),
        ("T7", "VEH", ["a wave"]),
    ]
    assert [m.attributes for m in doc.entities[0].mentions] == [
        {"category": "PROP_PER"},
        {"category": "PRON_PER"},
    ]


def test_a_label_that_ends_in_a_number_is_no_chain_by_itself(tmp_path):
    ann = "T1\tAct-1 0 3\tAnn\nT2\tAct-1 8 11\ther\nT3\tX 8 26\ther brother-in-law\n"
    assert [entity.type for entity in only(folder_with(tmp_path, ann)).entities] == ["Act-1", "X", "Act-1"]


def test_a_mention_with_two_chain_labels_is_counted(tmp_path):
    with pytest.warns(DataWarning, match="1 mentions with two chain labels, kept in the first"):
        doc = only(folder_with(tmp_path, LITBANK + "T8\tBob-2 0 3\tAnn\n"))
    assert doc.entities[0].id == "Ann-0"


def test_what_is_left_out_is_counted(tale):
    extra = (
        "N1\tReference T1 Wikipedia:1\tAnn\n"
        "A9\tSure R1\n"
        "#9\tHead T3\t0 3\n"
        "E3\tWave:T6 Who:T5 Whom:T1\n"
        "T9\tPerson 0 3\tAnn\n*\tCoref T1 T9\n"
    )
    tale.write_text(ANN + extra)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        only(tale)
    assert {str(warning.message).partition(".ann: ")[2] for warning in caught} == {
        "1 normalizations (N lines), left out",
        "1 attributes of annotations that are not mentions, left out",
        "1 heads outside their mentions, left out",
        "2 arguments of events, left out",
        "1 annotations that repeat another one of their chain",
    }


@pytest.mark.parametrize(
    ("old", "new", "line", "found"),
    [
        (
            "T2\tPerson 8 11\ther",
            "T2\tPerson 8 11\this",
            2,
            "'T2' with the text 'his', where the document has 'her'",
        ),
        (
            "T2\tPerson 8 11",
            "T2\tPerson 8 99",
            2,
            "annotation 'T2' with the offsets '8 99'; expected start < end ≤ 47",
        ),
        ("T2\tPerson 8 11", "T2\tPerson 11 8", 2, "annotation 'T2' with the offsets '11 8'"),
        ("T2\tPerson 8 11\ther", "T2\tPerson 27 29\t  ", 2, "annotation 'T2' on white space only"),
        (
            "T2\tPerson 8 11\ther",
            "T2\tPerson 8\ther",
            2,
            "the line 'T2\\tPerson 8\\ther'; expected T1, tab, label",
        ),
        ("T2\tPerson 8 11\ther", "T2\tPerson 8 ²\ther", 2, "the line 'T2"),
        ("T2\tPerson 8 11\ther", "T2\tPerson 8 11", 2, "the line 'T2\\tPerson 8 11'"),
        ("T2\tPerson", "T1\tPerson", 2, "a second annotation 'T1'; the first is on line 1"),
        ("E1\tWave:T6", "E1\tWave", 8, "the line 'E1\\tWave'; expected E1 (once)"),
        ("E1\tWave:T6", "E1\tWave:T66", 8, "the annotation 'T66', which does not exist"),
        ("E2\tWave", "E1\tWave", 9, "the line 'E1\\tWave:T7'; expected E1 (once)"),
        ("Arg1:T2 Arg2:T1", "Arg1:T2", 10, "expected R1, tab, name, Arg1:T1 and Arg2:T2"),
        ("Arg1:T2 Arg2:T1", "Arg1:T2 Arg2:T11", 10, "the annotation 'T11', which does not exist"),
        ("R1\tCoref Arg1:T2 Arg2:T1", "*\tEquiv", 10, "the line '*\\tEquiv\\t'"),
        ("R1\tCoref Arg1:T2 Arg2:T1", "*", 10, "expected *, tab, name and the ids of annotations"),
        ("A1\tGender T2 feminine gender", "A1\tGender", 13, "expected A1, tab, name, T1"),
        ("M1\t", "?1\t", 14, "expected a line that begins with T, R, *, E, A, M, N or #"),
    ],
)
def test_bad_input_has_its_place(tale, old, new, line, found):
    tale.write_text(ANN.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        only(tale)
    assert str(caught.value).startswith(f"{tale}:{line}: ")
    assert found in str(caught.value)


def test_all_problems_are_collected(tale):
    tale.write_text(ANN.replace("\ther\n", "\thim\n").replace("29 31", "29 310").replace("Arg2:T1", "Arg2:T0"))
    found: list[Problem] = []
    (doc,) = read(tale, format="brat", on_problem=found.append)
    assert [problem.line for problem in found] == [2, 5, 10]
    assert len(doc.mentions()) == 6


def test_without_its_text_it_is_refused(tale):
    (tale.parent / "tale.txt").unlink()
    with pytest.raises(CoindexError, match=r"tale\.ann: annotations without their text; expected the file tale\.txt"):
        only(tale)


def test_bad_text_has_its_own_place(tale):
    (tale.parent / "tale.txt").write_bytes(b"Ann saw\n\xff\n")
    with pytest.raises(FormatError, match=r"tale\.txt:2: bytes that are not UTF-8"):
        only(tale)


def test_either_file_can_be_named(tale):
    assert only(tale.with_suffix(".txt")) == only(tale)


def test_offsets_count_the_characters_of_windows_line_ends(tmp_path):
    path = folder_with(tmp_path, "T1\tX 5 8\tBob\r\nT2\tX 0 3\tAnn\r\n", "Ann\r\nBob")
    assert [entity.mentions[0].text for entity in only(path).entities] == ["Ann", "Bob"]


def test_no_annotations_is_a_document_without_entities(tmp_path):
    folder_with(tmp_path, "\n")
    assert only(tmp_path / "tale.ann").entities == ()


def test_gz(tale):
    for name in ("tale.ann", "tale.txt"):
        path = tale.parent / name
        path.with_name(f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert len(only(tale.with_name("tale.ann.gz")).entities) == 4


def test_detection(tale):
    detect = get_format("brat").detect
    assert detect(Head(PurePath("x.ann"), ANN)) == "main"
    assert detect(Head(PurePath("x.ann"), "#1\tAnnotatorNotes T1\tx\n" + ANN)) == "main"
    assert detect(Head(PurePath("-"), LITBANK)) == "main"
    assert detect(Head(PurePath("x.ann"), "<xml/>")) == "no"
    assert detect(Head(tale.with_suffix(".txt"), TEXT)) == "part"
    assert detect(Head(tale.with_name("other.txt"), TEXT)) == "no"
    assert detect(Head(PurePath("annotation.conf"), "[entities]\n")) == "part"
    assert detect(Head(PurePath("x.conllu"), "# newdoc\n1\tAnn\t_\n")) == "no"


def test_round_trip(tale, tmp_path):
    doc = only(tale)
    with pytest.warns(LossWarning, match="brat cannot represent: 1 sentence boundaries$"):
        write(doc, tmp_path / "out", "brat")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["tale.ann", "tale.txt"]
    assert only(tmp_path / "out" / "tale.ann") == doc
    lines = (tmp_path / "out" / "tale.ann").read_text().splitlines()
    assert lines[1] == "T2\tPerson 8 26\ther brother-in-law"
    assert "*\tCoref T1 T3" in lines
    assert lines[3] == "T4\tPerson 12 19;23 26\tbrother law"


def test_litbank_style_comes_back_in_ours(tmp_path):
    doc = only(folder_with(tmp_path, LITBANK))
    with pytest.warns(LossWarning, match="1 sentence boundaries$"):
        write(doc, tmp_path / "out", "brat")
    assert only(tmp_path / "out" / "tale.ann") == doc


def foreign() -> Document:
    """As another format may give it: a mention over a line end, heads, a multiword token, an empty node."""
    forms = ["Ann", "del", "_", "sang", "in", "Rome", "."]
    spaces = [" ", "\n", " ", " ", "  ", "", ""]
    tokens = Tokens(
        (
            Token("2.1" if form == "_" else str(number), form, space=space)
            for number, (form, space) in enumerate(zip(forms, spaces, strict=True), 1)
        ),
        multiwords=[Multiword(4, 6, "inRome", space="")],
        prefix="\t",
    )
    sentences = (Sentence(tokens, 0, 7),)
    entities = (
        Entity(
            "e 1",
            (
                Mention(tokens, (0, 1, 3), 1, {"my rôle": "a\tb\nc", "label": "no good"}),
                Mention(tokens, (2, 5), 5),
            ),
            "Mention",
        ),
        Entity("e2", (Mention(tokens, (3,)), Mention(tokens, (6,))), "to sing", "event"),
        Entity("e3", (Mention(tokens, (2,), 2),)),
        Entity("e4", (Mention(tokens, (1,), None, {"label": "L", "empty": ""}),)),
    )
    return Document(tokens, sentences, entities, id="../songs/1")


def test_a_foreign_document_is_written_and_read_back(tmp_path):
    with pytest.warns(LossWarning, match="brat cannot represent: 1 multiword tokens; 1 zero mentions$"):
        write(foreign(), tmp_path / "out", "brat")
    (path,) = (tmp_path / "out").glob("*.ann")
    assert path.name == "_._songs_1.ann"
    doc = only(path)
    assert doc.text == foreign().text == "\tAnn del\nsang inRome."
    assert [
        (e.id, e.type, e.kind, [(m.text, m.head_token and m.head_token.form) for m in e.mentions]) for e in doc.entities
    ] == [
        ("e 1", "Mention", "entity", [("Ann del\nsang", "del"), ("inRome", "inRome")]),
        ("e4", None, "entity", [("del", None)]),
        ("e2", "to sing", "event", [("sang", None), (".", None)]),
    ]
    assert doc.entities[0].mentions[0].attributes == {"my_rôle": "a b c", "label": "no good"}
    assert doc.entities[1].mentions[0].attributes == {"label": "L", "empty": ""}
    with pytest.warns(LossWarning) if len(doc.sentences) > 1 else warnings.catch_warnings():
        write(replace(doc, id="again"), tmp_path / "out", "brat")
    assert replace(only(tmp_path / "out" / "again.ann"), id=doc.id) == doc


def conll_chains(path: Path, text: str) -> list[list[tuple[int, int]]]:
    """The chains of a LitBank CoNLL file as character spans of its text, in which blanks part the words."""
    offsets = [match.span() for match in re.finditer(r"\S+", text)]
    words = [row for line in path.read_text().splitlines() if len(row := line.split("\t")) == 13]
    assert [text[start:end] for start, end in offsets] == [row[3] for row in words]
    chains: dict[str, list[tuple[int, int]]] = defaultdict(list)
    opened: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(words):
        for opening, id, closing in re.findall(r"(\(?)(\d+)(\)?)", row[12]):
            if opening:
                opened[id].append(offsets[index][0])
            if closing:
                chains[id].append((opened[id].pop(), offsets[index][1]))
    return sorted(map(sorted, chains.values()))


def test_litbank_has_the_chains_of_its_conll_files(shared_data, tmp_path):
    paths = sorted((shared_data / "en_litbank" / "brat").glob("*.ann"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        docs = [only(path) for path in paths]
    assert sum(int(str(w.message).partition(".ann: ")[2].split()[0]) for w in caught) == 66  # copula and apposition
    for doc in docs:
        chains = conll_chains(shared_data / "en_litbank" / "dev" / f"{doc.id}.conll", doc.text)
        assert sorted(sorted((m.start_char, m.end_char) for m in e.mentions) for e in doc.entities) == chains
    assert sum(len(doc.mentions()) for doc in docs) == 3053
    assert sum(len(doc.entities) for doc in docs) == 776
    assert {e.type for doc in docs for e in doc.entities} == {"PER", "FAC", "GPE", "LOC", "VEH", "ORG"}
    with pytest.warns(LossWarning, match="sentence boundaries$"):
        write(docs, tmp_path / "out", "brat")
    assert [only(tmp_path / "out" / path.name) for path in paths] == docs
