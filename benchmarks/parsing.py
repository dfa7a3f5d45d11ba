"""Parsers beside the trees by hand of GUM's development part, over its own words and sentences."""

from __future__ import annotations

import sys
from collections.abc import Callable

from coindex.document import Token

from .corpora import CORPORA, Corpus, parser_chain
from .measuring import save

PARSED = "en_gum dev, parsed"
# what -> whether a parser's token is right in it, beside the one by hand
MEASURES: dict[str, Callable[[Token, Token], bool]] = {
    "UPOS": lambda gold, found: gold.upos == found.upos,
    "lemma": lambda gold, found: gold.lemma == found.lemma,
    "UAS": lambda gold, found: gold.head == found.head,
    "LAS": lambda gold, found: (gold.head, gold.deprel) == (found.head, found.deprel),
}


def main() -> None:
    """Measure and save."""
    corpus = next(corpus for corpus in CORPORA if corpus.name == PARSED)
    if (parser := parser_chain(corpus.parser, corpus.language)) is None:
        sys.exit("no English pipeline of spaCy is installed: make bench installs one")
    shares = measure(corpus)
    rows = "\n".join(f"| {name} | {100 * share:.1f} |" for name, share in shares.items())
    table = (
        f"`{parser}` on en_gum dev, over its words and sentences: percentage of words that agree with the gold "
        f"trees; LAS with subtypes.\n\n| | percent |\n| --- | --- |\n{rows}\n"
    )
    save("parsing", {"corpus": corpus.name, "shares": shares}, table)


def measure(corpus: Corpus) -> dict[str, float]:
    """Return the share of correct words for each measure."""
    pairs = [
        (gold, found)
        for key, doc in zip(corpus.key(), corpus.input(), strict=True)
        for gold, found in zip((token for token in key.tokens if not token.is_empty), doc.tokens, strict=True)
    ]
    return {name: sum(right(*pair) for pair in pairs) / len(pairs) for name, right in MEASURES.items()}
