"""The benchmark of the service: its texts, its percentiles and its page."""

from __future__ import annotations

from benchmarks.service import page, percentile, split, summarise

from coindex import Document


def test_texts_end_with_sentences() -> None:
    doc = Document.from_text("A small dog barked. " * 60)
    texts = list(split(doc))
    assert " ".join(texts) == doc.text.strip()
    assert [len(Document.from_text(text).tokens) for text in texts] == [100, 100, 100]


def test_the_page_has_medians_and_percentiles() -> None:
    rounds = [
        {"pipe": 1000.0, "service": rate, "seconds": [0.1 * n for n in range(1, 11)], "texts_per_batch": 20.0}
        for rate in (900.0, 950.0, 700.0)
    ]
    results = summarise(rounds) | {"resolver": "en-small", "clients": 64, "texts": 10, "words": 1000}
    assert (results["ratio"], results["ratios"]) == (0.9, [0.9, 0.95, 0.7])
    assert (results["p50_seconds"], results["p95_seconds"]) == (0.6, 1.0)
    assert "| ratio (median of the rounds) | 0.90 |" in page(results)


def test_percentiles() -> None:
    assert [percentile([1, 2, 3, 4], part) for part in (0, 0.5, 0.95, 1)] == [1, 3, 4, 4]
