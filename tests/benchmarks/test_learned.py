"""The benchmark of learned resolvers: its texts and its page. Nothing is timed here."""

from benchmarks.learned import grown, page

from coindex import Document

DOCS = [Document.from_text("Nora lost a kite . She found it ."), Document.from_text("Ivo sings .")]
ROW = {"system": "some", "words": 1000, "seconds": 2.0, "cpu_seconds": 4.0, "load_seconds": 0.5, "megabytes": 300.0}


def test_a_text_of_some_length():
    for length in (4, 8, 11, 30):
        assert len(Document.from_text(grown(DOCS, length)).tokens) == length


def test_page():
    text = page([ROW], [ROW, {"system": "some", "words": 2000, "megabytes": None}])
    assert "| some | 1,000 | 2.0 | 500 | 4.0 | 500 | 0.50 | 300 |" in text
    assert "| some | 1,000 | 2.0 | 4.0 | 500 | 300 |" in text
    assert "| some | 2,000 | | | | more than 10 GB |" in text
