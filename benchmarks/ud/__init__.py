"""Resolvers over dependency trees, by language. `python -m benchmarks ud [LANGUAGE=FOLDER …]`.

Without arguments `sieves` and `xx-ud` are scored. A folder is a model of the same kind that was trained without the
language, to see what `xx-ud` is worth for languages that it has not seen: `es=runs/without-es`. Numbers of such models
that were measured before stay on the page.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coindex
from coindex import Document
from coindex.formats.surface import without_zeros
from coindex.resolvers.clusters import without_entities
from coindex.resolvers.neural.folder import read_description
from coindex.resolvers.ud.xx_ud import model_folder
from coindex.resolvers.ud.zeros import ZeroTable

from ..measuring import RESULTS, machine, save
from .page import page
from .parts import Part, parts
from .zeros import zero_row

RULES, LEARNED, UNSEEN = "sieves", "xx-ud", "unseen"
LEAST_ZEROS = 10
"""Dropped subjects of a part that it takes to say how many are found."""


def main(arguments: Sequence[str] = ()) -> None:
    unseen = dict(_pair(argument) for argument in arguments)
    path = RESULTS / "ud.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rows = [row for row in kept.get("scores", ()) if row["system"] == UNSEEN and row["language"] not in unseen]
    nodes = []
    table = ZeroTable.from_dict(read_description(model_folder(), keys=("zeros",))["zeros"])
    for part in parts():
        docs = part.documents()
        if not docs:
            continue
        rows += [scored(RULES, RULES, part, docs), scored(LEARNED, f"{LEARNED}(style={part.style})", part, docs)]
        if part.language in unseen:
            rows.append(scored(UNSEEN, f"{unseen[part.language]}(style=none)", part, docs))
        if (found := zero_row(docs, table)) and found["dropped_subjects"] >= LEAST_ZEROS:
            nodes.append({"part": part.name, **found})
            rows.append(scored(LEARNED, f"{LEARNED}(style={part.style})", part, docs, overt=True))
    found = {"scores": rows, "zeros": nodes}
    save("ud", found, page(found, {part.name: part.published for part in parts()}))


def _pair(argument: str) -> tuple[str, str]:
    language, equals, folder = argument.partition("=")
    if not equals or not (Path(folder) / "model.json").is_file():
        sys.exit(f"{argument!r}: expected LANGUAGE=FOLDER, the folder of a model that was trained without the language")
    return language, folder


def scored(system: str, chain: str, part: Part, docs: list[Document], *, overt: bool = False) -> dict[str, Any]:
    """Return the row of a resolver on a part; with `overt` it has to find the zeros."""
    given = [without_entities(without_zeros(doc) if overt else doc) for doc in docs]
    resolver = coindex.load(chain)
    resolver(given[0])  # weights are read before the clock starts
    began = time.process_time()
    response = [resolver(doc) for doc in given]
    seconds = time.process_time() - began
    words = sum(len(doc.tokens) - len(doc.tokens.empty_positions) for doc in docs)
    result = coindex.score(docs, response)
    has_zeros = any(mention.is_zero for doc in docs for mention, _ in doc.mentions())
    return {
        "part": part.name,
        "language": part.language,
        "system": system,
        "chain": chain if system != UNSEEN else f"{Path(chain.partition('(')[0]).name}(style=none)",
        "zeros": "none" if not has_zeros else "predicted" if overt else "given",
        "conll": round(100 * (result.conll or 0), 2),
        "zero_f1": round(100 * result["zero"].f1, 2) if has_zeros else None,
        "words": words,
        "words_per_cpu_second": round(words / max(seconds, 1e-9)),
        "signature": result.signature,
        "date": machine()["date"],
    }
