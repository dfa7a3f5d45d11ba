"""JSON: round trips, correct offsets, and errors with their place."""

import json

import pytest
from hypothesis import given

import coindex
from coindex.document import Document, Entity, Mention, Sentence, Tokens
from coindex.errors import DataWarning, FormatError
from coindex.formats.json import Fields, document_record, record_document
from marked_text import marked
from samples import SAMPLES
from stories import story
from strategies import documents


def again(doc):
    """The document after a way through JSON text."""
    return record_document(json.loads(json.dumps(document_record(doc))))


@given(documents())
def test_everything_comes_back(doc):
    assert again(doc) == doc


def test_a_story_with_one_of_everything(tmp_path):
    doc = story().replace(
        language="en", topic="t", subtopic="s", shared_ids=True, meta={"a": "b", "c": ""}, genre="fiction"
    )
    coindex.write([doc, doc.replace(id="two")], tmp_path / "a.json")
    assert list(coindex.read(tmp_path / "a.json")) == [doc, doc.replace(id="two")]


@pytest.mark.parametrize("text", ["", " \n", "One", "  Ann left.\n\nShe  sings. 🐈 ", "שלום לך.", "a\u2028b\x85c"])
def test_raw_text_comes_back(text, tmp_path):
    doc = Document.from_text(text, id="d", language="en")
    coindex.write(doc, tmp_path / "a.json")
    (found,) = coindex.read(tmp_path / "a.json")
    assert found == doc
    assert found.text == text


def test_documents_without_an_id_stay_so(tmp_path):
    coindex.write([Document.from_text("Ann left.")] * 2, tmp_path / "a.json")
    assert [doc.id for doc in coindex.read(tmp_path / "a.json")] == [None, None]


def test_empty_sentences_and_none():
    doc = Document.from_text("Ann left early.")
    odd = doc.replace(sentences=(Sentence(doc.tokens, 0, 4), Sentence(doc.tokens, 4, 4)))
    assert again(odd) == odd
    assert again(doc.replace(sentences=())) == doc.replace(sentences=())


def test_the_record_of_a_document():
    doc = marked("[Alice|a] lost [[her|a] old book|b].", id="d")
    her = doc.entity("a").mentions[1]
    linked = Mention(doc.tokens, her.positions, her.head, {"by": "sieves/pronouns", "score": "0.8300", "x": "y"})
    doc = doc.replace(entities=(Entity("a", (doc.entity("a").mentions[0], linked), "person"), doc.entity("b")))
    record = document_record(doc)
    assert list(record) == ["coindex", "id", "language", "text", "sentences", "tokens", "entities"]
    assert record["sentences"] == [{"start": 0, "end": 6, "start_char": 0, "end_char": 24}]
    assert record["tokens"][2] == {"form": "her", "start_char": 11, "end_char": 14}
    assert record["entities"][0] == {
        "id": "a",
        "type": "person",
        "kind": "entity",
        "representative": {"mention": 0, "text": "Alice"},
        "mentions": [
            {"text": "Alice", "start_char": 0, "end_char": 5, "start": 0, "end": 1, "sentence": 0},
            {
                "text": "her",
                "start_char": 11,
                "end_char": 14,
                "start": 2,
                "end": 3,
                "sentence": 0,
                "by": "sieves/pronouns",
                "link": {"antecedent": 0, "score": 0.83},
                "attributes": {"x": "y"},
            },
        ],
    }
    for entity in record["entities"]:
        for mention in entity["mentions"]:
            assert record["text"][mention["start_char"] : mention["end_char"]] == mention["text"]
    assert again(doc) == doc


def test_gaps_and_zeros():
    entities = {entity["id"]: entity["mentions"] for entity in document_record(story())["entities"]}
    torn = entities["e5"][1]
    assert torn["text"] == "picked … up"
    assert torn["positions"] == [16, 18]
    assert [story().text[start:end] for start, end in torn["char_spans"]] == ["picked", "up"]
    zero = entities["e4"][2]
    assert (zero["text"], zero["is_zero"], zero["start_char"] == zero["end_char"]) == ("", True, True)


@pytest.mark.parametrize("score", ["0.8300", "1", "high", "nan", "-0.5000", "1e400", ""])
def test_scores_come_back_as_they_were(score):
    doc = Document.from_text("Ann")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0], attributes={"score": score}),)),))
    assert again(doc) == doc
    json.loads(json.dumps(document_record(doc), allow_nan=False))


def test_it_is_not_taken_for_another_format(tmp_path):
    for name in ("a.json", "a.jsonl", "a.txt", "a"):
        coindex.write(story(), tmp_path / name, "json")
        assert next(coindex.read(tmp_path / name)) == story()
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["id"] == "story"


def test_an_id_for_the_second_time(tmp_path):
    coindex.write([story(), story()], tmp_path / "a.json")
    with pytest.warns(DataWarning, match="duplicate document id 'story'"):
        assert len(list(coindex.read(tmp_path / "a.json"))) == 2


BAD = [
    ('"coindex": 1', '"coindex": 2', 'version 2; expected "coindex": 1'),
    ('"coindex": 1, ', "", "no key 'coindex'; expected"),
    ('"text": "Ann del up. She"', '"text": 5', "'5' for 'text' in the document; expected a string"),
    ('"text": "Ann del up. She", ', "", "no 'text' in the document; expected a string"),
    ('"text": "Ann del', '"text": "And del', "the token 0, which is not at character 0 of the text, in the document"),
    (
        '"start": 6, "end": 7}], "tokens"',
        '"start": 7, "end": 6}], "tokens"',
        r"the sentence 7 to 6 after 6 in sentences\[1\]",
    ),
    (
        '"start": 6, "end": 7}], "tokens"',
        '"start": 6, "end": 8}], "tokens"',
        r"'8' for 'end' in sentences\[1\]; expected a "
        "whole number from 0 to 7",
    ),
    (
        '"start": 6, "end": 7}], "tokens"',
        '"start": 6, "end": 6}], "tokens"',
        "sentences up to 6 of 7 tokens in the document",
    ),
    ('"form": "Ann"', '"form": null', r"'null' for 'form' in tokens\[0\]; expected a string"),
    (
        '"form": "Ann", "start_char": 0',
        '"form": "Ann", "start_char": "0"',
        r"for 'start_char' in tokens\[0\]; expected a whole",
    ),
    ('"multiwords": [{"start": 1', '"multiwords": [{"start": 3', r"the multiword token 3 to 3 in multiwords\[0\]"),
    ('"kind": "event"', '"kind": "thing"', r"the kind 'thing' in entities\[1\]; expected entity or event"),
    ('"id": "e2"', '"id": "e1"', r"duplicate id 'e1' in entities\[1\]"),
    (
        '"start": 3, "end": 4',
        '"start": 4, "end": 4',
        r"the mention 4 to 4 in entities\[0\].mentions\[1\]; expected a half-open span",
    ),
    ('"head": 0', '"head": 2', r"the head 2 in entities\[0\].mentions\[0\]; expected a position of the mention"),
    (
        '"positions": [1, 4]',
        '"positions": [4, 1]',
        r"positions that are not in order .* in entities\[1\].mentions\[0\]",
    ),
    ('"positions": [1, 4]', '"positions": [1, 9]', "positions that are not in order or not in the text"),
    ('"positions": [1, 4]', '"positions": "1-4"', "for 'positions'.*expected a list of whole numbers"),
    ('"score": 0.75', '"score": "0.75"', r"for 'score' in link of entities\[0\].mentions\[2\]; expected a number"),
    ('"by": "sieves/pronouns"', '"by": 1', r"'1' for 'by' in entities\[0\].mentions\[2\]; expected a string"),
    ('{"x": "y"}', '{"x": 1}', "for 'attributes'.*expected an object of strings"),
    ('"mention": 0, "antecedent": "e1"', '"mention": 4, "antecedent": "e1"', r"'4' for 'mention' in bridging\[0\]"),
    ('[{"entity": "e2"', '[{"entity": "e9"', r"the entity 'e9', which does not exist in bridging\[0\]"),
    (
        '"mentions": [{"start": 1, "end": 5, "positions": [1, 4], "attributes": {"x": "y"}}]',
        '"mentions": []',
        r"no mentions in entities\[1\]",
    ),
    ('"start": 3, "end": 4', '"start": 0, "end": 1', r"duplicate span in entities\[0\]"),
    ('"start": 3, "end": 4', '"start": 6, "end": 8', "expected a whole number from 0 to 7"),
    ('"entities": [{', '"entities": [3, {', "for 'entities' in the document; expected a list of objects"),
]


@pytest.mark.parametrize(("good", "bad", "message"), BAD)
def test_bad_values(good, bad, message, tmp_path):
    text = SAMPLES["json"].text
    assert good in text
    path = tmp_path / "a.json"
    path.write_text(text.replace(good, bad, 1), encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        list(coindex.read(path, "json"))
    assert str(caught.value).startswith(f"{path}:1: ")


def test_mentions_out_of_order(tmp_path):
    record = document_record(marked("[Ann|a] left. [She|a] sings."))
    record["entities"][0]["mentions"].reverse()
    (tmp_path / "a.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(FormatError, match="not in reading order"):
        list(coindex.read(tmp_path / "a.json"))


def test_problems_are_collected_and_the_rest_is_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"coindex": 1}\n{"coindex": 3}\n' + SAMPLES["json"].text, encoding="utf-8")
    problems = []
    docs = list(coindex.read(path, on_problem=problems.append))
    assert [doc.id for doc in docs] == ["a", "b"]
    assert [problem.line for problem in problems] == [1, 2]


def test_deeply_nested_values_are_reported():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(Exception, match="something nested for 'id'"):
        Fields({"id": nested}, "the document").text("id")


def test_an_empty_document():
    assert again(Document()) == Document()
    assert again(Document(Tokens(prefix=" x "))) == Document(Tokens(prefix=" x "))
