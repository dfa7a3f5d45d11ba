"""Near-duplicates: the index beside comparing all with all, and how its time and memory grow to 40,000 documents.

Documents are made up, always in the same way: words by Zipf's law from 20,000, 60 to 600 of them a document as in
texts for reading, and one document in twenty is a changed and cut copy of an earlier one. All with all is measured
where that takes seconds, and both have to find the same pairs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from coindex.annotation.cleaning import THRESHOLD, Bags

from .measuring import cpu_seconds, peak_memory, save

SIZES = (1_250, 2_500, 5_000, 10_000, 20_000, 40_000)
COMPARED = 600
VOCABULARY = 20_000
MEMORY = """
import sys
from benchmarks.dedup import found_by_index, texts
found_by_index(texts(int(sys.argv[1])))
"""


class Grown(NamedTuple):
    """A number of documents, and what the index needed for them."""

    documents: int
    pairs: int
    seconds: float


def texts(number: int) -> Iterator[list[str]]:
    """Return generated documents; the result is deterministic."""
    chance = random.Random(0)
    names = [f"w{rank}" for rank in range(VOCABULARY)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    earlier: list[list[str]] = []
    for at in range(number):
        if at % 20 == 19:
            words = [chance.choice(names) if chance.random() < 0.07 else word for word in chance.choice(earlier)]
            yield words[: int(len(words) * chance.uniform(0.5, 1))]
            continue
        words = chance.choices(names, cum_weights=weights, k=chance.randint(60, 600))
        if len(earlier) < 1000:
            earlier.append(words)
        yield words


def found_by_index(docs: Iterator[list[str]] | list[list[str]]) -> set[tuple[int, int]]:
    """Return the pairs of the index as (dropped, kept); building it is part of the work."""
    bags = Bags()
    for words in docs:
        bags.add(words)
    return {(pair.dropped, pair.kept) for pair in bags.duplicates()}


def found_by_comparing(docs: list[list[str]]) -> set[tuple[int, int]]:
    """Return the pairs that comparing all documents with each other gives."""
    bags = [Counter(words) for words in docs]
    sizes = list(map(len, docs))
    found = set()
    for one in range(len(docs)):
        for other in range(one):
            shorter, longer = (other, one) if sizes[other] < sizes[one] else (one, other)
            common = sum(min(many, bags[longer][word]) for word, many in bags[shorter].items())
            if common * THRESHOLD.denominator > sizes[shorter] * THRESHOLD.numerator:
                found.add((shorter, longer))
    return found


def main() -> None:
    few = list(texts(COMPARED))
    assert found_by_index(few) == found_by_comparing(few)
    index, comparing = cpu_seconds(lambda: found_by_index(few), lambda: found_by_comparing(few), rounds=3)
    grown = []
    for size in SIZES:
        docs = list(texts(size))
        pairs = len(found_by_index(docs))
        (seconds,) = cpu_seconds(lambda: found_by_index(docs), rounds=1 if size > 5_000 else 3)  # noqa: B023
        grown.append(Grown(size, pairs, seconds))
    memory = {size: peak_memory(MEMORY, str(size)) for size in (SIZES[0], SIZES[-1])}
    _save(index, comparing, grown, memory)


def _save(index: float, comparing: float, grown: list[Grown], memory: dict[int, float]) -> None:
    table = ["| documents | all with all, CPU s | index, CPU s | ratio |", "|---|---|---|---|"]
    table += [f"| {COMPARED:,} | {comparing:.2f} | {index:.3f} | {comparing / index:.0f} |", ""]
    table += ["| documents | pairs | index, CPU s | times the documents | times as long |", "|---|---|---|---|---|"]
    first = grown[0]
    table += [
        f"| {each.documents:,} | {each.pairs:,} | {each.seconds:.2f} | {each.documents / first.documents:.0f} "
        f"| {each.seconds / first.seconds:.1f} |"
        for each in grown
    ]
    table += ["", "| documents | peak memory, MB |", "|---|---|"]
    table += [f"| {size:,} | {megabytes:.0f} |" for size, megabytes in memory.items()]
    results = {
        "compared": {"documents": COMPARED, "all_pairs_seconds": comparing, "index_seconds": index},
        "growth": [each._asdict() for each in grown],
        "peak_memory_mb": memory,
    }
    save("dedup", results, "\n".join(table))
