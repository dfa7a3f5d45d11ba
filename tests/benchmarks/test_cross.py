"""The made collections, and the page of the benchmark."""

from benchmarks.cross import growth, page
from benchmarks.cross.stories import documents


def test_collections_are_always_the_same_and_of_the_size_that_was_asked_for():
    docs = list(documents(500))
    assert docs == list(documents(500))
    assert sum(len(doc.mentions()) for doc in docs) == 31 * 16
    assert {entity.kind for doc in docs for entity in doc.entities} == {"entity", "event"}
    assert len({doc.text for doc in docs}) > 20


def test_growth_is_an_exponent():
    small, large = {"mentions": 10, "seconds": 1.0}, {"mentions": 100, "seconds": 100.0}
    assert growth(small, large) == 2
    assert growth(small, {"mentions": 100, "seconds": 10.0}) == 1


def test_page():
    row = {"resolver": "cross", "collection": "1000", "jobs": 1, "engine": "local", "mentions": 1000, "documents": 62}
    row |= {"entities": 20, "seconds": 0.5, "growth": None, "megabytes": 10.4, "private_megabytes": 9, "same": True}
    row |= {"worker_megabytes": 0, "worker_private_megabytes": 0}
    workers = {"worker_megabytes": 20, "worker_private_megabytes": 8}
    other = {**row, **workers, "jobs": 2, "engine": "ray", "growth": 1.25, "same": False}
    text = page([row, other])
    assert "| cross | made | 1 | 1,000 | 62 | 20 | 0.5 | 2,000 |  | 10 | 9 |  |  | yes |" in text
    assert "| 2 ray | 1,000 | 62 | 20 | 0.5 | 2,000 | 1.25 | 10 | 9 | 20 | 8 | NO |" in text
