"""CSV: a row a mention, quoted so that every reader gets the same cells."""

import csv
import io

import pytest
from hypothesis import given

import coindex
from coindex.document import Document, Entity
from coindex.errors import LossWarning, UnknownNameError
from coindex.render.mention_table import COLUMNS, mention_rows
from marked_text import marked
from stories import story
from strategies import documents

pytestmark = pytest.mark.filterwarnings("ignore::coindex.errors.LossWarning")


def written(docs, tmp_path, **options):
    coindex.write(docs, tmp_path / "a.csv", **options)
    return (tmp_path / "a.csv").read_bytes().decode()


def cells(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_a_mention(tmp_path):
    doc = marked("[Alice|a] lost [[her|a] book|b].", id="d")
    assert written(doc, tmp_path) == (
        "document,sentence,entity,mention,text,start_char,end_char,start,end,spans,head,head_text,head_upos,name,"
        "type,kind,is_zero,is_singleton,antecedent,by,score,type_probability,number,gender,animacy\r\n"
        "d,0,a,0,Alice,0,5,0,1,0-1,,,,Alice,,entity,false,false,,,,,,,\r\n"
        "d,0,b,0,her book,11,19,2,4,2-4,,,,her book,,entity,false,true,,,,,,,\r\n"
        "d,0,a,1,her,11,14,2,3,2-3,,,,Alice,,entity,false,false,0,,,,,,\r\n"
    )


def test_columns_of_mentions(tmp_path):
    rows = cells(written([story(), story().replace(id=None)], tmp_path))
    assert len(rows) == 26
    assert {row["document"] for row in rows} == {"story", "document_2"}
    mayor, torn, zero = rows[0], rows[8], rows[7]
    assert (mayor["head"], mayor["head_text"], mayor["type"]) == ("1", "mayor", "person")
    assert (torn["text"], torn["spans"], torn["kind"]) == ("picked … up", "16-17 18-19", "event")
    assert (zero["text"], zero["is_zero"]) == ("", "true")


def test_scores_and_sources(tmp_path):
    doc = Document.from_text("Ann left. She sings.", id="d")
    she = doc.mention([3], attributes={"by": "rules", "score": "0.2500"})
    rows = cells(written(doc.replace(entities=(Entity("e", (doc.mention([0]), she)),)), tmp_path))
    assert [(row["antecedent"], row["by"], row["score"]) for row in rows] == [("", "", ""), ("0", "rules", "0.25")]


def test_type_with_its_probability(tmp_path):
    doc = Document.from_text("Ann left.", id="d")
    ann = Entity("e", (doc.mention([0]),), "person", attributes={"type_probability": "0.7500"})
    assert (ann.type_probability, Entity("f", ann.mentions).type_probability) == (0.75, None)
    (row,) = cells(written(doc.replace(entities=(ann,)), tmp_path))
    assert (row["type"], row["type_probability"]) == ("person", "0.75")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "=HYPERLINK(A1)"])
def test_text_that_a_spreadsheet_would_compute(text, tmp_path):
    doc = Document.from_text(text, id=text)
    doc = doc.replace(entities=(Entity(text, (doc.mention(range(len(doc.tokens))),), text),))
    (row,) = cells(written(doc, tmp_path))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())
    assert row["text"] == "'" + text
    (row,) = cells(written(doc, tmp_path, formulas="kept"))
    assert row["text"] == text
    with pytest.raises(UnknownNameError):
        written(doc, tmp_path, formulas="keep")


def test_quotes_commas_and_line_ends(tmp_path):
    doc = Document.from_text('the "big,\r\nred" dog')
    doc = doc.replace(entities=(Entity("e", (doc.mention(range(len(doc.tokens))),)),))
    text = written(doc, tmp_path)
    assert '"the ""big,\r\nred"" dog"' in text
    assert cells(text)[0]["text"] == 'the "big,\r\nred" dog'


def test_no_mentions(tmp_path):
    assert written(Document.from_text("Nothing."), tmp_path) == ",".join(COLUMNS) + "\r\n"
    with pytest.warns(LossWarning, match="csv cannot represent: 1 documents with a genre"):
        coindex.write(Document.from_text("x").replace(genre="g"), tmp_path / "b.csv")


@given(documents())
def test_every_row_has_all_columns(doc):
    rows = list(mention_rows([doc]))
    assert len(rows) == sum(map(len, doc.entities))
    for row in rows:
        assert set(row) == set(COLUMNS)
        mention = doc.entity(row["entity"]).mentions[row["mention"]]
        assert (row["text"], row["start"], row["head"]) == (mention.text, mention.start, mention.head)
