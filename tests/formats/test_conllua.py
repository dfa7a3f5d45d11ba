"""CoNLL-UA: reading, writing, and what the reader does with files that break the rules."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

import coindex
from coindex import Document
from coindex.errors import FormatError, LossWarning

HEADER = (
    "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC "
    "IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM\n"
)


def row(id: str, form: str, *cells: str, misc: str = "_", head: str = "_") -> str:
    return "\t".join([id, form, *["_"] * 4, head, "_", "_", misc, *cells, *["_"] * (5 - len(cells))]) + "\n"


STORY = (
    HEADER
    + "# newdoc id = story\n# sent_id = story-1\n# speaker = Nora\n"
    + row("1", "The", "(EntityID=1|MarkableID=m1|Min=2|SemType=dn", head="2")
    + row("2", "dog", ")", head="3")
    + row("3", "barked", "_", "_", "(EntityID=1|MarkableID=d1)", "_", "Genericity=no", misc="SpaceAfter=No")
    + row("4", ".")
    + "\n# sent_id = story-2\n"
    + row("5", "That", "_", "_", "(EntityID=1|MarkableID=d2)")
    + row("6-7", "del")
    + row("6", "de")
    + row("7", "el", "(EntityID=9-Pseudo|MarkableID=m2)", head="5")
    + row("7.1", "_", "(EntityID=1|MarkableID=m3)")
    + row(
        "8",
        "tail",
        "(EntityID=2|MarkableID=m4|ElementOf=3)",
        "(MarkableID=m4|Rel=part|MentionAnchor=m1|EntityAnchor=1)",
    )
    + row("9", "ears", "(EntityID=4|MarkableID=m5|ElementOf=3)")
    + row("10", "they", "(EntityID=3|MarkableID=m6")
    + row("11", "two", "(EntityID=2|MarkableID=m7")
    + row("12", "a", ")")
    + row("13", "b", ")")
    + row("14", "c", "(EntityID=2|MarkableID=m7)")
    + "\n"
)


def load(tmp_path: Path, text: str) -> list[Document]:
    path = tmp_path / "text.conllua"
    path.write_text(text, encoding="utf-8")
    return list(coindex.read(path))


def fields(doc: Document) -> object:
    """Everything that the format carries, in an order that does not depend on the file."""
    return (
        doc.id,
        list(doc.tokens),
        doc.tokens.multiwords,
        [(s.start, s.end, s.id, s.speaker, s.comments) for s in doc.sentences],
        sorted(
            (e.id, sorted((m.positions, sorted(m.attributes.items())) for m in e.mentions), e.is_deixis)
            for e in doc.entities
        ),
        sorted((b.anaphor.positions, b.entity, b.antecedent, b.relation) for b in doc.bridges),
        sorted((s.entity, sorted(s.antecedents)) for s in doc.split_antecedents),
    )


def test_reads_all_annotation(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, STORY)
    assert doc.id == "story"
    assert [token.id for token in doc.sentences[1].tokens][:4] == ["1", "2", "3", "3.1"]
    assert doc.sentences[1].tokens[2].head == "1"  # counted in the sentence, not in the document
    assert doc.sentences[0].text == "The dog barked."
    assert doc.sentences[0].speaker == "Nora"
    assert doc.tokens[2].extra == (("NOM_SEM", "Genericity=no"),)
    dog = doc.entity("1")
    assert [mention.text for mention in dog.mentions] == ["The dog", ""]
    assert dog.mentions[0].attributes == {"MarkableID": "m1", "SemType": "dn", "min": "2"}
    assert dog.mentions[1].is_zero
    assert not doc.entity("9-Pseudo").is_referring
    assert [mention.text for mention in doc.entity("DD-1").mentions] == ["barked", "That"]
    assert doc.entity("DD-1").is_deixis
    assert not dog.is_deixis
    (bridge,) = doc.bridges
    assert (bridge.anaphor.text, bridge.antecedent, bridge.relation) == ("tail", "1", "part")
    (split,) = doc.split_antecedents
    assert (split.entity, split.antecedents) == ("3", ("2", "4"))
    assert doc.entity("2").mentions[1].text == "two a … c"


def test_writes_what_it_reads(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, STORY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coindex.write(doc, tmp_path / "again.conllua")
    (again,) = coindex.read(tmp_path / "again.conllua")
    assert fields(again) == fields(doc)
    coindex.write(again, tmp_path / "third.conllua")
    assert (tmp_path / "third.conllua").read_bytes() == (tmp_path / "again.conllua").read_bytes()


def test_survives_json_and_reports_what_corefud_loses(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, STORY)
    coindex.write(doc, tmp_path / "doc.json")
    (again,) = coindex.read(tmp_path / "doc.json")
    coindex.write(again, tmp_path / "again.conllua")
    assert fields(next(iter(coindex.read(tmp_path / "again.conllua")))) == fields(doc)
    with pytest.warns(LossWarning) as caught:
        coindex.write(doc, tmp_path / "doc.conllu")
    assert caught[0].message.details["lost"] == {"deixis": 1}


def test_crossing_mentions_get_ids_in_closing_brackets(tmp_path: Path) -> None:
    text = (
        HEADER
        + "# newdoc id = d\n"
        + row("1", "a", "(EntityID=1|MarkableID=m1")
        + row("2", "b", "(EntityID=2|MarkableID=m2")
        + row("3", "c", "m1)")
        + row("4", "d", "m2)")
        + "\n"
    )
    (doc,) = load(tmp_path, text)
    assert [entity.mentions[0].positions for entity in doc.entities] == [(0, 1, 2), (1, 2, 3)]
    with pytest.warns(LossWarning) as caught:
        coindex.write(doc, tmp_path / "again.conllua")
    assert caught[0].message.details["lost"] == {"crossing": 1}
    assert fields(next(iter(coindex.read(tmp_path / "again.conllua")))) == fields(doc)


def test_parts_that_touch_or_overlap_are_kept(tmp_path: Path) -> None:
    text = (
        HEADER
        + "# newdoc id = d\n"
        + row("1", "a", "(EntityID=1|MarkableID=m1(EntityID=1|MarkableID=m1)")
        + row("2", "b", ")(EntityID=1|MarkableID=m1)")
        + row("3", "c", "(EntityID=1|MarkableID=m1)")
        + "\n"
    )
    (doc,) = load(tmp_path, text)
    (mention,) = doc.entity("1").mentions
    assert mention.positions == (0, 1, 2)
    assert mention.attributes["parts"] == "1-2,1-1,2-2,3-3"
    coindex.write(doc, tmp_path / "again.conllua")
    assert fields(next(iter(coindex.read(tmp_path / "again.conllua")))) == fields(doc)


@pytest.mark.parametrize(
    ("cells", "positions"),
    [
        (("(EntityID=1|MarkableID=m1@(EntityID=2|MarkableID=m2)", ")"), {"1": (0, 1), "2": (0,)}),
        (("(EntityID=1|MarkableID=m1(EntityID=2|MarkableID=m2))", "_"), {"1": (0,), "2": (0,)}),
        (("(EntityId=1|MarkableId=m1)", "(EntityID=2)"), {"1": (0,), "2": (1,)}),
    ],
)
def test_forms_that_the_official_scorer_misreads(
    tmp_path: Path, cells: tuple[str, str], positions: dict[str, tuple[int, ...]]
) -> None:
    (doc,) = load(tmp_path, HEADER + "# newdoc id = d\n" + row("1", "a", cells[0]) + row("2", "b c", cells[1]) + "\n")
    assert {entity.id: entity.mentions[0].positions for entity in doc.entities} == positions
    assert doc.tokens[1].form == "b c"


def test_bridging_without_brackets_and_with_an_entity_only(tmp_path: Path) -> None:
    text = (
        HEADER
        + "# newdoc id = d\n"
        + row("1", "house", "(EntityID=1|MarkableID=m1)")
        + row("2", "door", "(EntityID=2|MarkableID=m2)", "MarkableID=m2|Rel=part|MentionAnchor=m1|EntityAnchor=1")
        + row("3", "roof", "(EntityID=3|MarkableID=m3)", "(MarkableID=m3|EntityAnchor=1)")
        + row("4", "moon", "(EntityID=4|MarkableID=m4)", "(MarkableID=m4|MentionAnchor=m99)")
        + "\n"
    )
    with pytest.warns(coindex.errors.DataWarning) as caught:
        (doc,) = load(tmp_path, text)
    assert [(bridge.entity, bridge.antecedent) for bridge in doc.bridges] == [("2", "1"), ("3", "1")]
    assert caught[0].message.code == "unresolved-reference"


def test_without_a_header_columns_have_their_usual_places(tmp_path: Path) -> None:
    (doc,) = load(tmp_path, row("1", "Ann", "(EntityID=1|MarkableID=m1)").replace("\t", " ") + "\n")
    assert (doc.id, doc.entity("1").mentions[0].text) == (None, "Ann")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (row("1", "a", "(EntityID=1|MarkableID=m1"), "unclosed-mention", 3),
        (row("1", "a", ")"), "unopened-mention", 3),
        (row("1", "a", "m7)"), "unopened-mention", 3),
        (row("1", "a", "m7"), "invalid-brackets", 3),
        (row("1", "a", "(MarkableID=m1)"), "invalid-entity-id", 3),
        (row("1", "a", "(EntityID=1|MarkableID=m1|Min=1-2)"), "invalid-span", 3),
        (row("1", "a") + "2\tb\t_\n", "column-count", 4),
        (row("x", "a"), "invalid-token-id", 3),
        (row("1-2", "ab") + row("1", "a"), "invalid-token-id", 4),
        ("# global.columns = ID FORM\n" + row("1", "a"), "invalid-column-names", 3),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, code: str, line: int) -> None:
    with pytest.raises(FormatError) as raised:
        load(tmp_path, HEADER + "# newdoc id = d\n" + text + "\n")
    assert (raised.value.code, raised.value.line) == (code, line)


def test_file_without_words_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as raised:
        load(tmp_path, HEADER)
    assert raised.value.code == "no-document"


def test_recorded_files_survive_a_round_trip(tmp_path: Path) -> None:

    root = os.environ.get("COINDEX_DATA")
    if not root or not (folder := Path(root) / "cases" / "ua" / "fuzz").is_dir():
        pytest.skip("COINDEX_DATA does not name a folder with files of Universal Anaphora")
    for path in sorted(folder.glob("*.conllua")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            docs = list(coindex.read(path))
            coindex.write(docs, tmp_path / "again.conllua")
            again = list(coindex.read(tmp_path / "again.conllua"))
        assert list(map(fields, again)) == list(map(fields, docs)), path
