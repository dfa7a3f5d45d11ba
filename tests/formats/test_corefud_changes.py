"""A changed document keeps everything that was not changed; one from another format is written from scratch."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import coindex
from coindex.document import Document, Entity, edits
from coindex.errors import LossWarning
from corefud_text import GUM, difference, document, only, save, sentence, written


def columns(line: str) -> list[str]:
    return line.split("\t")


def test_only_the_words_of_changed_mentions_change(tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    changed = edits.remove_mention(doc, "1", [0, 1, 2, 3])
    ((before, after),) = difference(GUM, written(changed, tmp_path))[:1]
    assert columns(before)[:9] == columns(after)[:9]
    assert (columns(before)[9], columns(after)[9]) == (
        "Entity=(1-person-new-2-coref(2-place-new-1-sgl)",
        "Entity=(2-place-new-1-sgl)",
    )
    assert [columns(line)[9] for line in written(changed, tmp_path).split("\n") if line.startswith("3\t")] == [
        "Gloss=t",
        "_",
    ]
    assert len(difference(GUM, written(changed, tmp_path))) == 2


Change = Callable[[Document], Document]
CHANGES: dict[str, tuple[Change, list[str]]] = {
    "a new mention": (
        lambda doc: edits.add_mention(doc, [5], entity="3"),
        ["Bridge=2<1:part|Entity=(1-person-giv-1-ana)(3)|Gloss=she"],
    ),
    "a new mention of two words": (
        lambda doc: edits.add_mention(doc, [6, 7], entity="9", attributes={"infstat": "new"}),
        ["Entity=(9--new(4-person-acc-1-sgl)|SplitAnte=1<4,2<4", "Entity=9)"],
    ),
    "a mention less": (lambda doc: edits.remove_mention(doc, "3", [2]), ["_"]),
    "a bridge less": (
        lambda doc: edits.remove_bridge(doc, "1", [5], "2"),
        ["Entity=(1-person-giv-1-ana)|Gloss=she"],
    ),
    "a bridge more": (
        lambda doc: edits.add_bridge(doc, "3", [2], "1", relation="a-b"),
        ["Bridge=1<3:a%2Db|Entity=(3)"],
    ),
    "a group less": (lambda doc: edits.remove_split_antecedent(doc, "4", [6]), ["Entity=(4-person-acc-1-sgl)"]),
    "another attribute": (
        lambda doc: edits.set_attributes(doc, "4", [6], {"infstat": "a-b|c", "link": "50%"}),
        ["Entity=(4-person-a%2Db%7Cc--50%)|SplitAnte=1<4,2<4"],
    ),
    "another type": (
        lambda doc: edits.set_entity(doc, "4", type="animal"),
        ["Entity=(4-animal-acc-1-sgl)|SplitAnte=1<4,2<4"],
    ),
    "another id": (
        lambda doc: edits.rename_entity(doc, "4", "40"),
        ["Entity=(40-person-acc-1-sgl)|SplitAnte=1<40,2<40"],
    ),
    "merged": (
        lambda doc: edits.merge(doc, "3", "4"),
        ["Entity=(3-person)", "Entity=(3-person-acc-1-sgl)|SplitAnte=1<3,2<3"],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes(name: str, tmp_path: Path) -> None:
    change, expected = CHANGES[name]
    doc = only(save(tmp_path, GUM))
    changed = change(doc)
    text = written(changed, tmp_path)
    lines = difference(GUM, text)
    assert all(columns(before)[:9] == columns(after)[:9] for before, after in lines)
    assert [columns(after)[9] for _, after in lines] == expected
    again = only(tmp_path / "out.conllu")
    assert again.entities == changed.entities
    assert (again.bridges, again.split_antecedents) == (changed.bridges, changed.split_antecedents)
    assert again.tokens == doc.tokens


def test_a_change_and_its_opposite_leave_the_file_as_it_was(tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    moved = edits.rename_entity(doc, "1", "77")
    assert written(moved, tmp_path) != GUM
    assert written(edits.rename_entity(moved, "77", "1"), tmp_path) == GUM


FIELDS: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "id": (lambda doc: doc.replace(id="new  name"), [("# newdoc id = d", "# newdoc id = new name")]),
    "sentence id": (
        lambda doc: doc.replace(sentences=(doc.sentences[0], replace(doc.sentences[1], id="x"))),
        [("# sent_id = d-2", "# sent_id = x")],
    ),
    "speaker": (
        lambda doc: doc.replace(sentences=(replace(doc.sentences[0], speaker="Bo"), doc.sentences[1])),
        [("# speaker = Ann", "# speaker = Bo")],
    ),
    "comments": (
        lambda doc: doc.replace(sentences=(doc.sentences[0], replace(doc.sentences[1], comments=("# note",)))),
        [("# newpar", "# note")],
    ),
}


@pytest.mark.parametrize("name", FIELDS)
def test_other_fields_are_changed_in_their_lines(name: str, tmp_path: Path) -> None:
    change, expected = FIELDS[name]
    changed = change(only(save(tmp_path, GUM)))
    assert difference(GUM, written(changed, tmp_path)) == expected


@pytest.mark.parametrize("field", ["genre", "topic", "subtopic"])
def test_document_metadata_is_added_changed_and_removed(field: str, tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    text = written(doc.replace(**{field: "sport"}), tmp_path)
    assert text == GUM.replace("# text = The", f"# text = The mayor del.\n# meta::{field} = sport\n\0").replace(
        "\0 mayor del.\n", ""
    )
    read = only(tmp_path / "out.conllu")
    assert getattr(read, field) == "sport"
    assert written(read.replace(**{field: "art"}), tmp_path) == text.replace("sport", "art")
    assert written(read.replace(**{field: None}), tmp_path) == GUM


def test_a_new_id_is_written_after_blank_lines(tmp_path: Path) -> None:
    doc = only(save(tmp_path, "\n\n" + GUM))
    assert written(doc.replace(id="e"), tmp_path) == "\n\n" + GUM.replace("id = d\n", "id = e\n")


def test_an_inserted_zero_changes_its_sentence_only(tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    changed = edits.insert_zero(doc, after=5, form="on", upos="PRON")
    first, second, _ = written(changed, tmp_path).split("\n\n")
    assert first == GUM.split("\n\n")[0]
    assert [line.split("\t")[:4] for line in second.split("\n")[2:]] == [
        ["1", "She", "she", "X"],
        ["1.1", "on", "_", "PRON"],
        ["2", "and", "and", "X"],
        ["3", "he", "he", "X"],
    ]
    again = only(tmp_path / "out.conllu")
    assert (again.tokens, again.entities, again.bridges) == (changed.tokens, changed.entities, changed.bridges)


def test_ids_that_others_chose_are_kept(tmp_path: Path) -> None:
    """Ids are for the reader to accept, and no reason to rewrite a file: numbers, colons, commas, percent signs."""
    words = ("Ann Entity=(7-person-1)", "saw Entity=(a:b%2C,c--1)", "Bob Entity=(e9--1)")
    text = document(sentence(*words, comments=("# sent_id = 1",)))
    doc = only(save(tmp_path, text))
    assert [entity.id for entity in doc.entities] == ["7", "a:b%2C,c", "e9"]
    changed = edits.remove_mention(doc, "e9", [2])
    assert difference(text, written(changed, tmp_path)) == [(text.split("\n")[5], "3\tBob\tbob\tX\t_\t_\t1\tdep\t_\t_")]


def test_heads_are_added_to_a_header_without_them(tmp_path: Path) -> None:
    doc = only(save(tmp_path, GUM))
    changed = edits.set_head(doc, "1", [0, 1, 2, 3], 3)
    text = written(changed, tmp_path)
    assert "# global.Entity = GRP-etype-head-infstat-minspan-link\n" in text
    assert "Entity=(1-person-4-new-2-coref(2-place-0-new-1-sgl)\n" in text
    assert only(tmp_path / "out.conllu").entities == changed.entities


def test_fields_that_a_later_document_needs_are_given_to_the_earlier(tmp_path: Path) -> None:
    """udapi knows one header in a file."""
    names = ["a", "b", "c"]
    docs = list(coindex.read(save(tmp_path, "".join(GUM.replace("id = d\n", f"id = {name}\n") for name in names))))
    docs[1] = edits.set_entity(edits.set_head(docs[1], "1", [0, 1, 2, 3], 3), "3", kind="event")
    for target in ("out.conllu", "out.conllu.gz"):
        coindex.write(docs, tmp_path / target)
        again = list(coindex.read(tmp_path / target))
        assert [doc.entities for doc in again] == [doc.entities for doc in docs]
        assert [doc.id for doc in again] == names
    text = (tmp_path / "out.conllu").read_text(encoding="utf-8")
    assert text.count("# global.Entity = GRP-etype-head-other-infstat-minspan-link\n") == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conllu", "out.conllu", "out.conllu.gz"]


def test_random_edits_of_real_files_change_only_their_words(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "es_ancora/es_ancora-dev.conllu"
    before = path.read_text(encoding="utf-8").split("\n")
    docs = list(coindex.read(path))
    dice = random.Random(7)
    touched = set()
    for number in dice.sample([n for n, doc in enumerate(docs) if len(doc.entities) > 5], 20):
        doc = docs[number]
        mention, entity = dice.choice(doc.mentions())
        touched.update((number, position) for position in (mention.start, mention.end - 1))
        docs[number] = edits.remove_mention(doc, entity.id, mention.positions)
        if not entity.is_singleton or mention.spans != [(mention.start, mention.end)]:
            touched.update((number, p) for span in mention.spans for p in (span[0], span[1] - 1))
    coindex.write(docs, tmp_path / "out.conllu")
    after = (tmp_path / "out.conllu").read_text(encoding="utf-8").split("\n")
    places = iter((n, p) for n, doc in enumerate(docs) for p in range(len(doc.tokens)))
    changed = set()
    for old, new in zip(before, after, strict=True):
        is_word = bool(old) and old[0] != "#" and "-" not in old.split("\t")[0]
        place = next(places) if is_word else None
        if old != new:
            assert old.split("\t")[:9] == new.split("\t")[:9]
            changed.add(place)
    assert changed == touched


# --- documents of other origin


def test_ids_of_later_documents_get_a_number(tmp_path: Path) -> None:
    docs = []
    for name in "abc":
        doc = Document.from_text("Ann left.", id=name)
        docs.append(doc.replace(entities=(Entity("7", (doc.mention([0]),)), Entity("x-1", (doc.mention([1]),)))))
    written(docs, tmp_path)
    ids = [[entity.id for entity in doc.entities] for doc in coindex.read(tmp_path / "out.conllu")]
    assert ids == [["e7", "x.2D1"], ["e7_2", "x.2D1_2"], ["e7_3", "x.2D1_3"]]


def test_ids_that_look_numbered_are_numbered_in_the_first_document_too(tmp_path: Path) -> None:
    docs = []
    for name, id in (("a", "e1_2"), ("b", "e1")):
        doc = Document.from_text("Ann left.", id=name)
        docs.append(doc.replace(entities=(Entity(id, (doc.mention([0]),)),)))
    written(docs, tmp_path)
    ids = [entity.id for doc in coindex.read(tmp_path / "out.conllu") for entity in doc.entities]
    assert ids == ["e1_2_1", "e1_2"]


def test_ids_that_are_valid_over_documents_stay(tmp_path: Path) -> None:
    docs = []
    for name in "ab":
        doc = Document.from_text("Ann left.", id=name, language="en")
        docs.append(doc.replace(entities=(Entity("e1", (doc.mention([0]),)),), shared_ids=True))
    written(docs, tmp_path)
    assert [doc.entities[0].id for doc in coindex.read(tmp_path / "out.conllu")] == ["e1", "e1"]


def test_ids_that_become_equal_are_made_unique(tmp_path: Path) -> None:
    doc = Document.from_text("Ann saw Bob.", id="d")
    doc = doc.replace(entities=(Entity("1", (doc.mention([0]),)), Entity("e1", (doc.mention([2]),))))
    written(doc, tmp_path)
    assert [entity.id for entity in only(tmp_path / "out.conllu").entities] == ["e1", "e1x"]


def test_sentence_ids_are_unique_in_a_file(tmp_path: Path) -> None:
    docs = []
    for name in ("a/x", "b"):
        doc = Document.from_text("One. Two.", id=name)
        docs.append(doc.replace(sentences=(replace(doc.sentences[0], id="s1"), doc.sentences[1])))
    written(docs, tmp_path)
    ids = [sentence.id for doc in coindex.read(tmp_path / "out.conllu") for sentence in doc.sentences]
    assert ids == ["s1", "a_x-2", "b-s1", "b-2"]


def test_mentions_over_a_sentence_border_are_cut(tmp_path: Path) -> None:
    doc = Document.from_text("Ann left. Bob came.", id="d")
    mentions = (doc.mention([1, 2, 3, 4]), doc.mention([2, 3, 4], head=3))
    doc = doc.replace(entities=(Entity("e1", mentions[:1]), Entity("e2", mentions[1:])))
    with pytest.warns(LossWarning, match="corefud cannot represent: 2 mentions that cross a sentence boundary"):
        written(doc, tmp_path)
    found = [(m.positions, m.head) for m, _ in only(tmp_path / "out.conllu").mentions()]
    assert found == [((1, 2), None), ((3, 4), 3)]


def test_brackets_of_crossing_mentions_stay_separate(tmp_path: Path) -> None:
    """One ends where another begins: an id after an opening bracket would be part of it."""
    doc = Document.from_text("a b c d e", id="d")
    mentions = [doc.mention(range(3), head=0), doc.mention(range(2, 5), head=4), doc.mention([2])]
    doc = doc.replace(entities=tuple(Entity(f"e{n}", (m,)) for n, m in enumerate(mentions, 1)))
    assert "Entity=e1)(e2--3(e3)\n" in written(doc, tmp_path)
    assert [m.positions for m, _ in only(tmp_path / "out.conllu").mentions()] == [(0, 1, 2), (2, 3, 4), (2,)]


def test_interleaved_mentions_are_a_counted_loss_and_written_without_heads(tmp_path: Path) -> None:
    """The reader takes the last part of (1, 2, 6) for that of (0, 4), which has no third word."""
    doc = Document.from_text("a b c d e f g", id="d")
    mentions = (doc.mention((0, 4), head=4), doc.mention((1, 2, 6), head=6))
    with pytest.warns(LossWarning, match="corefud cannot represent: 1 discontinuous mentions that interleave"):
        coindex.write(doc.replace(entities=(Entity("e1", mentions),)), tmp_path / "out.conllu")
    found = [(m.positions, m.head) for m, _ in only(tmp_path / "out.conllu").mentions()]
    assert found == [((0, 6), None), ((1, 2, 4), None)]
