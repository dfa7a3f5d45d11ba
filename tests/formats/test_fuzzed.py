"""What fuzzing found, made small: each input is read, written, read again and compared as `benchmarks.fuzz` does."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from benchmarks.fuzz.cases import Case, Target
from benchmarks.fuzz.checks import run

import coindex
from coindex.document import Document
from coindex.document.edits import canonical
from coindex.errors import CoindexError, FormatError, LossWarning, Problem
from coindex.formats.archives import Unpacker
from corefud_text import document, sentence


def record(text: str, **more: object) -> str:
    """A document of words with blanks between them, as JSON of coindex has it."""
    tokens, at = [], 0
    for word in text.split(" "):
        tokens.append({"form": word, "start_char": at})
        at += len(word) + 1
    return json.dumps({"coindex": 1, "id": "d", "text": text, "tokens": tokens} | more)


WHOLE = [{"start": 0, "end": 2}]
TWO = [{"id": "b", "mentions": [{"start": 0, "end": 1}]}, {"id": "a", "mentions": [{"start": 0, "end": 1}]}]
GROUPS = "doc_id\tvariant\tgroup_id\tchain_id\tshift\tlength\n1\t1\t1\t7\t0\t3\n1\t1\t2\t7\t0\t3\n"

# What is read, the files, the formats to write in.
CASES: dict[str, tuple[str, dict[str, str], str]] = {
    "errors are not copied": ("corefud", {"d.conllu": document(sentence("Ann Entity=(e1"))}, "corefud"),
    "sent_id twice": (
        "corefud",
        {
            "d.conllu": document(
                sentence("Ann", comments=("# sent_id = a",)), sentence("Bob", comments=("# sent_id = a",))
            )
        },
        "corefud",
    ),
    "antecedents that are not there": (
        "corefud",
        {"d.conllu": document(sentence("They Entity=(e1)|SplitAnte=x<e1,y<e1"))},
        "mmax2,corefud,json",
    ),
    "a split antecedent of one entity": (
        "corefud",
        {"d.conllu": document(sentence("They Entity=(e1)|SplitAnte=e2<e1", "Ann Entity=(e2)"))},
        "mmax2",
    ),
    "an attribute with a control character": (
        "korkor",
        {"d.tsv": "id\tform\t\t\t\t\t\t\tcorefhead\tcoreftype\n1\tAnn\n2\tshe\t\t\t\t\t\t\t1:1\t\x1d\n"},
        "corefud",
    ),
    "an attribute of nothing": (
        "rueval",
        {
            "g.xml": '<rueval><text id="d"><group id="1" offset="0" length="3" func="">Ann</group></text></rueval>',
            "d.txt": "Ann",
        },
        "ecbplus,rueval,are",
    ),
    "a text named like a table": ("text", {"Groups.txt": "Ann left."}, "rueval"),
    "a MISC column with nothing in it": (
        "corefud",
        {"d.conllu": document(sentence("Ann B=1||A=1|", "left Entity=(e1"))},
        "corefud",
    ),
    "words of control characters": (
        "json",
        {"d.json": record("Ann \x01\x02 _\x1ca \x0b?", sentences=[{"start": 0, "end": 4}])},
        "mmax2,ecbplus",
    ),
    "words of white space": ("json", {"d.json": record("Ann \u2028", sentences=WHOLE)}, "mmax2,ecbplus,are"),
    "a mention of white space": (
        "json",
        {"d.json": record("Ann \u0085", sentences=WHOLE, entities=[{"id": "e", "mentions": [{"start": 1, "end": 2}]}])},
        "rueval,brat",
    ),
    "two entities at one place": (
        "json",
        {"d.json": record("Ann left", sentences=WHOLE, entities=TWO)},
        "ecbplus,are,mmax2,brat,rueval",
    ),
    "two entities over one span and one of them inside": (
        "conll2012",
        {"d.conll": "#begin document (d);\nd\t0\t0\ta\t(0|(1|(1)\nd\t0\t1\tb\t1)|0)\n\n#end document\n"},
        "conll2012,mmax2,jsonlines",
    ),
    "a mention that is cut to another of its entity": (
        "json",
        {
            "d.json": record(
                "a b c d",
                sentences=[{"start": 0, "end": 2}, {"start": 2, "end": 4}],
                entities=[{"id": "e", "mentions": [{"start": 1, "end": 3}, {"start": 1, "end": 2}]}],
            )
        },
        "corefud",
    ),
    "a relation to an entity that is not there, but whose name another gets": (
        "json",
        {
            "d.json": record(
                "a b",
                sentences=WHOLE,
                entities=[{"id": "1", "mentions": WHOLE}, {"id": "x", "mentions": [{"start": 1, "end": 2}]}],
                bridging=[
                    {"entity": "x", "mention": 0, "antecedent": "e1"},
                    {"entity": "x", "mention": 0, "antecedent": ""},
                ],
            )
        },
        "corefud,json",
    ),
    "a mention of words that are side by side in a multiword token": (
        "json",
        {
            "d.json": json.dumps(
                {
                    "coindex": 1,
                    "id": "d",
                    "text": "va al lago",
                    "tokens": [
                        {"form": "va", "start_char": 0},
                        {"form": "a", "start_char": 3},
                        {"form": "il", "start_char": 3},
                        {"form": "lago", "start_char": 6},
                    ],
                    "multiwords": [{"start": 1, "end": 3, "form": "al"}],
                    "sentences": [{"start": 0, "end": 4}],
                    "entities": [{"id": "e", "mentions": [{"positions": [1, 3]}]}],
                }
            )
        },
        "rueval,brat",
    ),
    "a parse of white space": (
        "conll2012",
        {"d.conll": "#begin document (d);\nd\t0\t0\tAnn\tN\t\u2028\t-\n#end document\n"},
        "conll2012",
    ),
    "a mention twice": (
        "corefud",
        {"d.conllu": document(sentence("Ann Entity=(e1)(e1)", "left Entity=(e2", "a Entity=(e2", "b Entity=e2)e2)"))},
        "json,ecbplus,brat,corefud",
    ),
    "a mention of invisible characters": (
        "json",
        {
            "d.json": record(
                "Ann \u200d \ufeff",
                sentences=[{"start": 0, "end": 3}],
                entities=[{"id": "e", "mentions": [{"start": 1, "end": 2}, {"start": 2, "end": 3}]}],
            )
        },
        "rueval,brat",
    ),
    "white space in the name of an entity": (
        "json",
        {
            "d.json": record(
                "Ann left",
                sentences=WHOLE,
                entities=[{"id": "\u2028:1", "kind": "event", "mentions": [{"start": 0, "end": 1}]}],
            )
        },
        "corefud",
    ),
    "a speaker of white space": (
        "json",
        {"d.json": record("Ann left", sentences=[{"start": 0, "end": 2, "speaker": " "}])},
        "conll2012",
    ),
    "words in no sentence": ("json", {"d.json": record("Ann left")}, "corefud,conll2012,jsonlines,preco,mmax2,ecbplus"),
    "a sentence without words": (
        "json",
        {"d.json": record("Ann left", sentences=[{"start": 0, "end": 0}, *WHOLE])},
        "corefud,conll2012,jsonlines,preco,mmax2,ecbplus",
    ),
    "a long name": ("brat", {f"{'x' * 190}.ann": "", f"{'x' * 190}.txt": "Ann"}, "brat,mmax2"),
    "a byte order mark twice": ("text", {"d.txt": "\ufeff\ufeffAnn left."}, "text,brat,rueval"),
    "a group twice": (
        "rueval",
        {"Groups.txt": GROUPS, "Tokens.txt": "doc_id\tshift\tlength\ttoken\n1\t0\t3\tAnn\n"},
        "brat,mmax2,are,json",
    ),
    "a mention that is part of another of its entity": (
        "json",
        {
            "d.json": record(
                "Ann saw Bob",
                sentences=[{"start": 0, "end": 3}],
                entities=[{"id": "e", "mentions": [{"positions": [0, 2]}, {"start": 0, "end": 1}]}],
            )
        },
        "are,rueval",
    ),
    "a tag of white space": (
        "conll2012",
        {"d.conll": "#begin document (d);\nd\t0\t0\tAnn\t \t-\n#end document\n"},
        "conll2012",
    ),
    "mentions cut at sentences": (
        "json",
        {
            "d.json": record(
                "a b c d",
                sentences=[{"start": 0, "end": 2}, {"start": 2, "end": 4}],
                entities=[{"id": "e", "mentions": [{"start": 1, "end": 3, "head": 2}, {"start": 2, "end": 4}]}],
            )
        },
        "preco,jsonlines",
    ),
    "parts of mentions that cross each other": (
        "json",
        {
            "d.json": record(
                "a b c d e f",
                sentences=[{"start": 0, "end": 6}],
                entities=[{"id": "0", "mentions": [{"positions": [0, 1, 2, 5]}, {"start": 1, "end": 4}]}],
            )
        },
        "conll2012",
    ),
    "a topic in the name": ("json", {"d.json": record("Ann left", id="1_1ecb", sentences=WHOLE)}, "ecbplus"),
    "a sentence of a zero alone": (
        "corefud",
        {"d.conllu": document(sentence("Ann"), "0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n", sentence("Bob"))},
        "jsonlines,preco,conll2012",
    ),
    "an entity twice": (
        "are",
        {"d.xml": "<t><p><entity id='1' chain='a'><entity id='2' chain='a'>Ann</entity></entity></p></t>"},
        "brat,mmax2,are,json",
    ),
    "documents of one name": (
        "are",
        {"d.xml": "<are><document id='d'><p>a</p></document><document id='d'><p>b</p></document></are>"},
        "are,conll2012",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_can_be_written_and_read_again(name: str, tmp_path: Path) -> None:
    reader, files, targets = CASES[name]
    contents = {file: text.encode() for file, text in files.items()}
    for target in targets.split(","):
        case = Case(reader, next(iter(files)), contents, name, targets=(Target(target),))
        assert [(str(failure), failure.detail) for failure in run(case, tmp_path).failures] == []


NOTHING = {
    "are": {"d.are.xml": '<are task="1" kind="key">\n</are>\n'},
    "rueval": {
        "Groups.txt": "doc_id\tvariant\tgroup_id\tchain_id\tshift\tlength\n",
        "Tokens.txt": "doc_id\tshift\ttoken\n",
    },
    "conll2012": {"d.conll": "\n"},
    "corefud": {"d.conllu": "\n\n"},
    "jsonlines": {"d.jsonlines": "\n"},
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_file_without_a_document_is_refused(name: str, tmp_path: Path) -> None:
    for file, text in NOTHING[name].items():
        (tmp_path / file).write_text(text)
    path = tmp_path / next(iter(NOTHING[name]))
    with pytest.raises(FormatError, match=r"expected .*; "):
        list(coindex.read(path, name))
    problems: list[Problem] = []
    list(coindex.read(path, name, on_problem=problems.append))
    assert [problem.severity for problem in problems] == ["error"]


def test_a_byte_order_mark_is_kept_in_plain_text_and_refused_beside_annotations(tmp_path: Path) -> None:
    doc = Document.from_text("\ufeffAnn left.", id="d")
    coindex.write(doc, tmp_path / "d.txt")
    assert (tmp_path / "d.txt").read_text(encoding="utf-8") == "\ufeffAnn left."
    for name in ("brat", "rueval"):
        with pytest.raises(CoindexError, match="document 'd': the text begins with U\\+FEFF, a byte order mark"):
            coindex.write(doc, tmp_path / name, name)
        assert not (tmp_path / name).exists()


def test_a_group_of_invisible_characters(tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("Ann \u200d left", encoding="utf-8")
    group = '<group id="1" offset="4" length="1">\u200d</group>'
    (tmp_path / "g.xml").write_text(f'<rueval><text id="d">{group}</text></rueval>', encoding="utf-8")
    with pytest.raises(FormatError, match="a group of white space"):
        list(coindex.read(tmp_path / "g.xml", "rueval"))


def test_a_mention_of_an_event_keeps_a_kind_of_its_own(tmp_path: Path) -> None:
    """One mention marks the event. Another has the bare word `kind`, an attribute without a value, which stays."""
    text = document(sentence("Ann Entity=(e1---kind:event)", "left Entity=(e1---kind)"))
    (tmp_path / "d.conllu").write_text(text, encoding="utf-8")
    (doc,) = coindex.read(tmp_path / "d.conllu")
    (event,) = doc.entities
    assert (event.kind, [dict(mention.attributes) for mention in event.mentions]) == ("event", [{}, {"kind": ""}])
    doc = doc.replace(origin=None)
    coindex.write(doc, tmp_path / "again.conllu")
    (again,) = coindex.read(tmp_path / "again.conllu")
    assert canonical(again).entities == canonical(doc).entities


@pytest.mark.parametrize(
    ("entity", "attributes", "lost"),
    [
        ({"kind": "event"}, {"kind": ""}, 1),
        ({"kind": "event", "type": "t"}, {"kind": "mine"}, 1),
        ({"type": ""}, {"etype": ""}, 2),
        ({"type": "t"}, {"etype": ""}, 1),
        ({"type": "t"}, {"etype": "t"}, 1),
        ({}, {"": ""}, 1),
    ],
)
def test_types_and_kinds_that_corefud_has_no_place_for(
    entity: dict[str, str], attributes: dict[str, str], lost: int, tmp_path: Path
) -> None:
    mentions = [{"start": 0, "end": 1, "attributes": attributes}]
    text = record("Ann left", sentences=WHOLE, entities=[{"id": "e", "mentions": mentions} | entity])
    (tmp_path / "d.json").write_text(text, encoding="utf-8")
    (doc,) = coindex.read(tmp_path / "d.json")
    assert written_losses(doc, tmp_path / "d.conllu") == {"overwritten": lost}
    (again,) = coindex.read(tmp_path / "d.conllu")
    assert again.entities[0].kind == doc.entities[0].kind
    assert again.entities[0].type == (doc.entities[0].type or None)


@pytest.mark.parametrize("attributes", [{"kind": "event"}, {"etype": "t"}])
def test_attributes_that_corefud_reads_as_those_of_the_entity(attributes: dict[str, str], tmp_path: Path) -> None:
    doc = coindex.Document.from_text("Ann left", id="d")
    doc = doc.replace(entities=(coindex.Entity("e", (doc.mention([0], attributes=attributes),)),))
    assert written_losses(doc, tmp_path / "d.conllu") == {"overwritten": 1}


def test_an_empty_attribute_with_a_field_of_its_own_in_corefud(tmp_path: Path) -> None:
    text = document(sentence("Ann Entity=(e1-new)")).replace("eid-etype-head-other", "eid-infstat")
    (tmp_path / "d.conllu").write_text(text, encoding="utf-8")
    (doc,) = coindex.read(tmp_path / "d.conllu")
    assert dict(doc.entities[0].mentions[0].attributes) == {"infstat": "new"}
    doc = doc.replace(entities=(coindex.Entity("e1", (doc.mention([0], attributes={"infstat": ""}),)),))
    assert written_losses(doc, tmp_path / "again.conllu") == {"overwritten": 1}


def test_an_event_whose_kind_is_a_field_of_its_own_in_corefud(tmp_path: Path) -> None:
    text = document(sentence("left Entity=(e1-event)")).replace("eid-etype-head-other", "eid-kind")
    (tmp_path / "d.conllu").write_text(text, encoding="utf-8")
    (doc,) = coindex.read(tmp_path / "d.conllu")
    assert doc.entities[0].kind == "event"
    coindex.write(doc.replace(id="other"), tmp_path / "again.conllu")
    assert next(coindex.read(tmp_path / "again.conllu")).entities[0].kind == "event"


def written_losses(doc: coindex.Document, path: Path) -> dict[str, int]:
    """Write a document and return the numbers of what was lost."""
    with pytest.warns(LossWarning) as caught:
        coindex.write(doc, path)
    return {name: number for warning in caught for name, number in warning.message.details["lost"].items()}


@pytest.mark.parametrize("row", ["_", " _ ", "_\t", "\t_"])
def test_a_row_of_one_cell_in_conll2012(row: str, tmp_path: Path) -> None:
    """Only where any number of columns is allowed, it is a word without a mention, as for the reference scorer."""
    (tmp_path / "d.conll").write_text(f"#begin document (d); part 000\n{row}\n\n#end document\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"d\.conll:2: a row of [12] columns; expected at least 3"):
        list(coindex.read(tmp_path / "d.conll", "conll2012"))
    problems: list[Problem] = []
    list(coindex.read(tmp_path / "d.conll", "conll2012", on_problem=problems.append))
    assert (problems[0].line, problems[0].severity) == (2, "error")
    (doc,) = coindex.read(tmp_path / "d.conll", "conll2012", columns="any")
    assert (len(doc.tokens), doc.entities) == (1, ())


@pytest.mark.parametrize("name", ["mmax2", "ecbplus"])
def test_words_of_control_characters_are_a_counted_loss_in_xml(name: str, tmp_path: Path) -> None:
    doc = Document.from_tokens([["Ann", "\x01\x02", "a\x1cb", "left"]], id="d")
    with pytest.warns(
        LossWarning, match=f"{name} cannot represent: 2 words with control characters, which XML does not allow"
    ):
        coindex.write(doc, tmp_path / "out", name)
    (again,) = coindex.read(tmp_path / "out", name)
    assert again.tokens.forms == ["Ann", "\ufffd\ufffd", "a\ufffdb", "left"]


def test_documents_without_words_in_corefud(tmp_path: Path) -> None:
    docs = [Document(id="a"), Document.from_text("Ann left.", id="b")]
    coindex.write(docs, tmp_path / "d.conllu")
    assert [(doc.id, len(doc.tokens)) for doc in coindex.read(tmp_path / "d.conllu")] == [("a", 0), ("b", 3)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", record("Ann", entities=[{"id": "e", "kind": "k" * 9000}])),
        ("json", record("Ann", bridging=[{"entity": "e" * 9000, "antecedent": "e"}])),
        ("ecbplus", f'<?xml version="1.0" encoding="{"x" * 9000}"?><Document/>'),
        ("ecbplus", f'<!DOCTYPE a [<!ENTITY {"a" * 9000} "b">]><Document/>'),
    ],
)
def test_messages_quote_long_values_in_part(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        list(coindex.read(path, name))
    assert len(caught.value.problem.found) < 200


@pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")
def test_commas_and_bars_in_a_column_of_arguments(tmp_path: Path) -> None:
    row = "\t".join(["d", "0", "0", "Ann", *["-"] * 7, "(A,B|C", ",", "-"])
    (tmp_path / "a.conll").write_text(f"#begin document (d); part 000\n{row}\n\n#end document\n")
    coindex.write(coindex.read(tmp_path / "a.conll"), tmp_path / "b.conll")
    assert (tmp_path / "b.conll").read_text().splitlines()[1].split("\t")[-3:] == ["(A,B|C", ",", "-"]


def test_a_name_of_white_space(tmp_path: Path) -> None:
    doc = Document.from_text("Ann left", id="\t")
    coindex.write(doc, tmp_path / "d.conllu")
    coindex.write(doc, tmp_path / "d.are.xml")
    assert [doc.id for doc in coindex.read(tmp_path / "d.conllu")] == ["document1"]
    assert "<document>" in (tmp_path / "d.are.xml").read_text()


def test_ids_of_words_that_no_reader_takes_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(record("Ann left").replace('{"form": "left"', '{"id": "7", "form": "left"'))
    with pytest.raises(
        CoindexError, match="document 'd', sentence 1: the word id '7'; expected 2; number words from 1"
    ):
        coindex.write(coindex.read(tmp_path / "d.json"), tmp_path / "d.conllu")
    assert not (tmp_path / "d.conllu").exists()


def test_a_file_without_a_name_in_a_zip_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x", "Ann left")
    data = bytearray(packed.getvalue())
    entry, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    data[entry + 28] = 0  # the length of the name
    data[end + 12] -= 1  # the size of the table of contents
    del data[entry + 46]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert [info.filename for info in archive.infolist()] == [""]
    with pytest.raises(CoindexError):
        Unpacker(tmp_path).take("a.zip", io.BytesIO(data), len(data))


def test_a_speaker_of_white_space_is_none(tmp_path: Path) -> None:
    row = "\t".join(["d", "0", "0", "Yes", *"-----", "\u2028", "*", "-"])
    (tmp_path / "d.conll").write_text(f"#begin document (d); part 0\n{row}\n\n#end document\n", encoding="utf-8")
    (doc,) = coindex.read(tmp_path / "d.conll")
    assert [sentence.speaker for sentence in doc.sentences] == [None]
