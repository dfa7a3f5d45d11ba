"""Quality: what every resolver is worth, on every corpus that fits it and that it has not learned from.

The main number is CoNLL as the shared tasks of 2024 and 2025 took it (profile crac24: head match, no singletons); exact
match where a corpus has no trees, so that nobody knows its heads. Writes `scores.json` of the package as well, which
`coindex resolvers` shows. The whole takes some minutes, less on several cores.
"""

from __future__ import annotations

import json
import sys
import warnings

from coindex.engines import map_documents
from coindex.errors import DataWarning
from coindex.resolvers.chain import PATH

from ..corpora import CORPORA, ECB, Corpus
from ..measuring import save
from .anaphora import anaphora_rows
from .coreference import across_documents, corpus_rows
from .page import results_page
from .rows import Misfit, Row


def main() -> None:
    found = list(map_documents(measured, (*CORPORA, ECB), 0))
    rows = [row for part, _ in found for row in part]
    misfits = [misfit for _, part in found for misfit in part]
    lines = ",\n".join(json.dumps(row.measured.to_dict(), ensure_ascii=False) for row in rows)
    PATH.write_text(f'{{"scores": [\n{lines}\n]}}\n', encoding="utf-8")
    save("quality", {"scores": [row.to_dict() for row in rows]}, results_page(rows, misfits))


def measured(corpus: Corpus) -> tuple[list[Row], list[Misfit]]:
    """Return all scores on a corpus, and what could not be scored."""
    with warnings.catch_warnings():  # zeros without DEPS, and entities of the dummy that run through no other document
        warnings.simplefilter("ignore", DataWarning)
        if corpus.topics:
            return list(across_documents(corpus)), []
        docs = corpus.input()
        if not docs:
            return [], [Misfit(corpus.name, "all", "detected", "no parser is installed for it")]
        rows, misfits = corpus_rows(corpus, docs)
        if corpus.language == "en":
            rows += anaphora_rows(corpus, docs)
    for row in rows:
        sys.stderr.write(f"{row.measured}\n")
    return rows, misfits
