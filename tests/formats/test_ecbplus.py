"""ECB+: reading, validated sentences, writing, bad input, and the counts of the cross-document paper."""

import gzip
import warnings
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from coindex.api import read, write
from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.document.documents import is_validated, keep_validated
from coindex.errors import DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format

LIST_NAME = "ECBplus_coreference_sentences.csv"
DEV_TOPICS = {"2", "5", "12", "18", "21", "23", "34", "35"}

STORM = """<?xml version="1.0" encoding="UTF-8"?>
<Document doc_name="7_3ecb.xml" doc_id="DOC42">
<token t_id="1" sentence="0" number="0">Storm</token>
<token t_id="2" sentence="0" number="1">hits</token>
<token t_id="3" sentence="0" number="2">Harbour &amp; Sons</token>
<token t_id="4" sentence="1" number="0">It</token>
<token t_id="5" sentence="1" number="1">blew</token>
<token t_id="6" sentence="1" number="2">the roof</token>
<token t_id="7" sentence="1" number="3">away</token>
<token t_id="8" sentence="2" number="0">Nobody</token>
<token t_id="9" sentence="2" number="1">died</token>
<Markables>
<ACTION_OCCURRENCE m_id="11"><token_anchor t_id="2"/></ACTION_OCCURRENCE>
<ACTION_STATE m_id="12" note="byCROMER"><token_anchor t_id="7"/><token_anchor t_id="5"/></ACTION_STATE>
<NON_HUMAN_PART m_id="13"><token_anchor t_id="1"/></NON_HUMAN_PART>
<HUMAN_PART m_id="14"><token_anchor t_id="4"/></HUMAN_PART>
<NON_HUMAN_PART m_id="15"><token_anchor t_id="6"/></NON_HUMAN_PART>
<NEG_ACTION_STATE m_id="16"><token_anchor t_id="9"/></NEG_ACTION_STATE>
<ACTION_OCCURRENCE m_id="21" RELATED_TO="" TAG_DESCRIPTOR="t7_hits" instance_id="ACT1"/>
<UNKNOWN_INSTANCE_TAG m_id="22" RELATED_TO="" TAG_DESCRIPTOR=""/>
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="9" note="ACT1"><source m_id="11"/><source m_id="12"/><target m_id="21"/>
</CROSS_DOC_COREF>
<INTRA_DOC_COREF r_id="901"><source m_id="13"/><source m_id="14"/><target m_id="22"/></INTRA_DOC_COREF>
</Relations>
</Document>
"""


@pytest.fixture
def storm(tmp_path: Path) -> Path:
    path = tmp_path / "ECB+" / "7" / "7_3ecb.xml"
    path.parent.mkdir(parents=True)
    path.write_text(STORM, encoding="utf-8")
    return path


def only(path: Path, **options: str) -> Document:
    (doc,) = read(path, format="ecbplus", **options)
    return doc


def with_list(storm: Path, rows: str, levels: int = 2) -> Path:
    path = storm.parents[levels] / LIST_NAME
    path.write_bytes(rows.encode())
    return path


def summary(doc: Document) -> list[tuple[str, str | None, str, list[tuple[int, ...]]]]:
    return [(e.id, e.type, e.kind, [m.positions for m in e.mentions]) for e in doc.entities]


def problems_of(tmp_path: Path, text: str, name: str = "7_3ecb.xml") -> list[Problem]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found: list[Problem] = []
    list(read(path, format="ecbplus", on_problem=found.append))
    return found


def test_everything_is_read(storm):
    doc = only(storm)
    assert (doc.id, doc.topic, doc.subtopic, doc.shared_ids) == ("7_3ecb", "7", "7_ecb", True)
    assert doc.text == "Storm hits Harbour & Sons\nIt blew the roof away\nNobody died"
    assert [(s.id, s.start, s.end) for s in doc.sentences] == [("0", 0, 3), ("1", 3, 7), ("2", 7, 9)]
    assert [token.id for token in doc.tokens] == ["1", "2", "3", "1", "2", "3", "4", "1", "2"]
    assert summary(doc) == [
        ("7_3ecb:r901", "NON_HUMAN_PART", "entity", [(0,), (3,)]),
        ("ACT1", "ACTION_OCCURRENCE", "event", [(1,), (4, 6)]),
        ("7_3ecb:m15", "NON_HUMAN_PART", "entity", [(5,)]),
        ("7_3ecb:m16", "NEG_ACTION_STATE", "event", [(8,)]),
    ]
    chain, action = doc.entities[:2]
    assert [m.attributes for m in chain.mentions] == [{"m_id": "13"}, {"m_id": "14", "tag": "HUMAN_PART"}]
    assert action.attributes == {"TAG_DESCRIPTOR": "t7_hits"}
    assert action.mentions[1].attributes == {"m_id": "12", "note": "byCROMER", "tag": "ACTION_STATE"}
    assert action.mentions[1].text == "blew … away"


def test_subtopic_of_the_added_texts(storm):
    path = storm.with_name("7_3ecbplus.xml")
    path.write_text(STORM.replace("7_3ecb.xml", "7_3ecbplus.xml"))
    assert only(path).subtopic == "7_ecbplus"


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
def test_the_list_applies_from_the_own_folder_and_three_above(tmp_path, levels):
    path = tmp_path / "a" / "b" / "c" / "7_3ecb.xml"
    path.parent.mkdir(parents=True)
    path.write_text(STORM)
    with_list(path, "Topic,File,Sentence Number\r\n7,3ecb,1 \r\n8,3ecb,0\r\n", levels)
    doc = only(path)
    assert doc.text == "It blew the roof away"
    assert [(s.id, s.start, s.end) for s in doc.sentences] == [("1", 0, 4)]
    assert summary(doc) == [
        ("7_3ecb:r901", "NON_HUMAN_PART", "entity", [(0,)]),
        ("ACT1", "ACTION_OCCURRENCE", "event", [(1, 3)]),
        ("7_3ecb:m15", "NON_HUMAN_PART", "entity", [(2,)]),
    ]


def test_a_list_four_folders_above_is_not_found(tmp_path):
    path = tmp_path / "a" / "b" / "c" / "d" / "7_3ecb.xml"
    path.parent.mkdir(parents=True)
    path.write_text(STORM)
    with_list(path, "7,3ecb,1\n", 4)
    assert len(only(path).sentences) == 3


def test_sentences_option(storm):
    with_list(storm, "Topic,File,Sentence Number\n7,3ecb,1\n")
    assert only(storm, sentences="validated") == only(storm)
    context = only(storm, sentences="context")
    assert len(context.tokens) == 9
    assert [positions for *_, positions in summary(context)] == [[(3,)], [(4, 6)], [(5,)]]
    assert len(only(storm, sentences="all").entities) == 4


@pytest.mark.parametrize("rows", ["7,3ecb,1\n", "7,3ecb,0\n7,3ecb,2\n", "7,4ecb,1\n"])
def test_context_is_marked_and_removing_it_gives_the_default_reading(storm, rows):
    with_list(storm, rows)
    context = only(storm, sentences="context")
    listed = {row.split(",")[2] for row in rows.split() if row.startswith("7,3ecb")}
    assert {sentence.id for sentence in context.sentences if is_validated(sentence)} == listed
    assert keep_validated(context) == only(storm)
    assert keep_validated(only(storm)) == only(storm)


def test_a_changed_list_is_read_again(storm):
    with_list(storm, "7,3ecb,1\n")
    assert only(storm).text == "It blew the roof away"
    with_list(storm, "7,3ecb,2\n7,3ecb,0\n")
    assert [sentence.id for sentence in only(storm).sentences] == ["0", "2"]


def test_a_document_that_the_list_leaves_out_is_empty(storm):
    with_list(storm, "7,4ecb,1\n")
    doc = only(storm)
    assert (doc.id, len(doc.tokens), doc.sentences, doc.entities) == ("7_3ecb", 0, (), ())


def test_a_missing_list_is_reported_only_if_requested(storm):
    with pytest.warns(DataWarning, match="7_3ecb.xml: 1 file without a list of validated sentences"):
        assert len(only(storm, sentences="validated").sentences) == 3
    assert len(only(storm, sentences="all").sentences) == 3


def test_a_bad_row_of_the_list_has_its_place(storm):
    path = with_list(storm, "Topic,File,Sentence Number\n7,3ecb,1\n7,3ecb,two\n")
    with pytest.raises(FormatError) as caught:
        only(storm)
    assert str(caught.value).startswith(f"{path}:3: the row '7,3ecb,two'; expected topic,file,sentence number;")
    assert only(storm, sentences="all").id == "7_3ecb"


def test_a_chain_of_both_kinds_is_two_entities(storm):
    storm.write_text(STORM.replace('<source m_id="14"/>', '<source m_id="14"/><source m_id="16"/>'))
    with pytest.warns(DataWarning, match="1 chains of both events and entities, each read as two"):
        doc = only(storm)
    assert ("7_3ecb:r901:event", "NEG_ACTION_STATE", "event", [(8,)]) in summary(doc)
    assert doc.entities[0].id == "7_3ecb:r901"


def test_empty_tokens_are_left_out_and_counted(storm):
    storm.write_text(STORM.replace(">the roof<", "> \t <"))
    with pytest.warns(DataWarning, match="1 tokens that consist of white space, left out"):
        doc = only(storm)
    assert doc.sentences[1].text == "It blew away"
    assert [positions for *_, positions in summary(doc)] == [[(0,), (3,)], [(1,), (4, 5)], [(7,)]]


def test_other_relations_are_counted(storm):
    storm.write_text(STORM.replace("INTRA_DOC_COREF", "CAUSES"))
    with pytest.warns(DataWarning, match="1 CAUSES relations, left out: they are not coreference"):
        assert len(only(storm).entities) == 5


def test_unusual_chains_are_counted(storm):
    twice = '<source m_id="12"/><source m_id="17"/>'
    markable = '<ACTION_OCCURRENCE m_id="17"><token_anchor t_id="2"/></ACTION_OCCURRENCE>\n<HUMAN_PART '
    text = STORM.replace('<source m_id="12"/>', twice).replace("<HUMAN_PART ", markable, 1)
    storm.write_text(text.replace('<source m_id="14"/>', '<source m_id="14"/><source m_id="11"/>'))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doc = only(storm)
    assert {str(warning.message).partition(".xml: ")[2] for warning in caught} == {
        "1 markables that repeat another one of their chain",
        "1 markables in two relations, kept in the first",
    }
    assert [m.positions for m in doc.entity("ACT1").mentions] == [(1,), (4, 6)]


@pytest.mark.parametrize(
    ("old", "new", "line", "found"),
    [
        ('t_id="2" s', 't_id="1" s', 4, "duplicate t_id '1'"),
        ('<token t_id="2" ', "<token ", 4, "a token without t_id"),
        ('sentence="1" number="1"', 'sentence="²" number="1"', 7, "token '5' with the sentence number '²'"),
        ('anchor t_id="6"', 'anchor t_id="60"', 17, "markable '15' on the token '60', which does not exist"),
        ('m_id="15"', 'm_id="14"', 17, "a markable with the m_id '14', which another has"),
        ('<NON_HUMAN_PART m_id="15"', "<NON_HUMAN_PART", 17, "a markable without m_id"),
        ('source m_id="14"', 'source m_id="99"', 25, "of the markable '99', which is no mention"),
        (' note="ACT1"', "", 23, "a CROSS_DOC_COREF relation without an instance"),
        ("<Relations>", "<Relations", 23, "not well-formed XML"),
    ],
)
def test_bad_input_has_its_place(tmp_path, old, new, line, found):
    text = STORM.replace(old, new, 1).replace(' instance_id="ACT1"', "" if "note" in old else ' instance_id="ACT1"')
    path = tmp_path / "7_3ecb.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        only(path)
    assert caught.value.problem.line == line
    assert found in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_all_problems_are_collected(tmp_path):
    text = STORM.replace('t_id="2" s', 't_id="1" s').replace('anchor t_id="6"', 'anchor t_id="60"')
    found = problems_of(tmp_path, text.replace('source m_id="14"', 'source m_id="99"'))
    assert [problem.line for problem in found] == [4, 13, 17, 23, 25]


def test_another_root_is_refused(tmp_path):
    (problem,) = problems_of(tmp_path, "<corpus><token t_id='1'/></corpus>")
    assert "the root element <corpus>; expected <Document>" in str(problem)


def test_entity_bombs_are_refused(tmp_path):
    bomb = '<!DOCTYPE Document [<!ENTITY a "aaaa">]>\n' + STORM.partition("?>\n")[2].replace("Nobody", "&a;")
    path = tmp_path / "x.xml"
    path.write_text(bomb)
    with pytest.raises(FormatError, match=r"x.xml:1: a declared entity 'a'"):
        only(path)


def test_gz(tmp_path):
    path = tmp_path / "7_3ecb.xml.gz"
    path.write_bytes(gzip.compress(STORM.encode()))
    assert only(path).id == "7_3ecb"


def test_detection():
    detect = get_format("ecbplus").detect
    assert detect(Head(PurePath("7_3ecb.xml"), STORM)) == "main"
    assert detect(Head(PurePath("x"), STORM.partition("?>")[2])) == "main"
    assert detect(Head(PurePath(LIST_NAME), "Topic,File,Sentence Number\n")) == "part"
    assert detect(Head(PurePath("a.xml"), "<Document><p>text</p></Document>")) == "no"
    assert detect(Head(PurePath("a.xml"), '<?xml version="1.0"?>\n<markables><markable/></markables>')) == "no"
    assert detect(Head(PurePath("a.txt"), "Document doc_name=, he said.")) == "no"


@pytest.mark.parametrize("rows", [None, "7,3ecb,1\n7,3ecb,2\n"])
def test_round_trip(storm, tmp_path, rows):
    if rows:
        with_list(storm, rows)
    doc = only(storm)
    write(doc, tmp_path / "out", "ecbplus")
    assert [path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.xml")] == [
        "7/7_3ecb.xml"
    ]
    assert only(tmp_path / "out" / "7" / "7_3ecb.xml", sentences="all") == doc


def foreign() -> Document:
    """As another format may give it: local ids, types that are no tags, an empty node, odd characters."""
    forms = ["Ann", "<&>", "_", "sang", "in\x0bside", "Rome"]
    tokens = Tokens(Token(str(i) if form != "_" else "2.1", form) for i, form in enumerate(forms, 1))
    sentences = (Sentence(tokens, 0, 4, id="s-1"), Sentence(tokens, 4, 6, id="s-2"))
    entities = (
        Entity(
            "e1",
            (
                Mention(tokens, (0, 1), 0, {"my rôle": 'a "b"'}),
                Mention(tokens, (2,)),
                Mention(tokens, (2, 5)),
            ),
            "人 x",
            attributes={"wiki": "Ann"},
        ),
        Entity("e2", (Mention(tokens, (3, 4)),), "sing", "event"),
        Entity("m1", (Mention(tokens, (3,)),)),
        Entity("e4", (Mention(tokens, (5,)),), None, "event"),
        Entity("e5", (Mention(tokens, (2,)),)),
    )
    return Document(tokens, sentences, entities, id="songs/1", topic="opera", subtopic="opera/x")


def test_a_foreign_document_is_written_and_read_back(tmp_path):
    signs = pytest.warns(LossWarning, match="ecbplus cannot represent: 1 words with control characters")
    with signs, pytest.warns(LossWarning, match="ecbplus cannot represent: 2 zero mentions; 1 mention heads"):
        write(foreign(), tmp_path / "out", "ecbplus")
    doc = only(tmp_path / "out" / "opera" / "songs_1.xml")
    assert (doc.id, doc.topic, doc.subtopic) == ("songs/1", "opera", "opera/x")
    assert [token.form for token in doc.tokens] == ["Ann", "<&>", "sang", "in\ufffdside", "Rome"]
    assert [(sentence.start, sentence.end) for sentence in doc.sentences] == [(0, 3), (3, 5)]
    assert summary(doc) == [
        ("songs/1:e1", "人 x", "entity", [(0, 1), (4,)]),
        ("songs/1:e2", "sing", "event", [(2, 3)]),
        ("songs/1:m1", None, "entity", [(2,)]),
        ("songs/1:e4", None, "event", [(4,)]),
    ]
    assert doc.entities[0].attributes == {"wiki": "Ann"}
    assert doc.entities[0].mentions[0].attributes["my_r_le"] == 'a "b"'
    write(doc, tmp_path / "again", "ecbplus")
    assert only(tmp_path / "again" / "opera" / "songs_1.xml") == doc


def test_an_id_shared_by_documents_stays_shared(tmp_path):
    doc = replace(foreign(), shared_ids=True)
    with pytest.warns(LossWarning):
        write([doc, replace(doc, id="songs/2")], tmp_path / "out", "ecbplus")
    docs = [only(tmp_path / "out" / "opera" / f"songs_{number}.xml") for number in (1, 2)]
    assert [[entity.id for entity in doc.entities] for doc in docs] == [["e1", "e2", "m1", "e4"]] * 2


def test_the_counts_of_the_cross_document_paper(shared_data):
    """Table 4 of Cattan et al. 2021: a cluster is an instance over all documents, one kind at a time."""
    sentences: Counter[str] = Counter()
    sizes: dict[str, dict[tuple[str, str], int]] = {"train": defaultdict(int), "dev": defaultdict(int)}
    paths = sorted((shared_data / "en_ecbplus" / "ECB+").rglob("*.xml"))
    assert len(paths) == 772
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        for doc in map(only, paths):
            part = "dev" if doc.topic in DEV_TOPICS else "train"
            sentences[part] += len(doc.sentences)
            for entity in doc.entities:
                sizes[part][entity.kind, entity.id] += len(entity)
    assert sentences == {"train": 1037, "dev": 346}
    assert table(sizes["train"], "event") == (3808, 1116, 411)
    assert table(sizes["train"], "entity") == (4758, 814, 472)
    assert table(sizes["dev"], "event") == (1245, 280, 129)
    assert table(sizes["dev"], "entity") == (1476, 205, 125)
    told = Counter(str(warning.message).partition(".xml: ")[2] for warning in caught)
    assert told == {
        "1 chains of both events and entities, each read as two": 3,
        "1 tokens that consist of white space, left out": 3,
    }


def table(sizes: dict[tuple[str, str], int], kind: str) -> tuple[int, int, int]:
    """Mentions, singletons, clusters of two and more."""
    found = [size for (its_kind, _), size in sizes.items() if its_kind == kind]
    return sum(found), found.count(1), sum(size > 1 for size in found)


def test_a_real_topic_comes_back(shared_data, tmp_path):
    paths = sorted((shared_data / "en_ecbplus" / "ECB+" / "5").glob("*.xml"))
    docs = [only(path, sentences="all") for path in paths]
    write(docs, tmp_path / "out", "ecbplus")
    assert [only(tmp_path / "out" / "5" / path.name) for path in paths] == docs
