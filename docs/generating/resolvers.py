"""The reference page of resolvers."""

from __future__ import annotations

from importlib import import_module

from coindex.resolvers.chain import find_main_score, scores_of
from coindex.resolvers.companions import KNOWN
from coindex.resolvers.neural.pairs import BASIC, FEATURES, MEANINGS
from coindex.resolvers.registry import MODULES, get_resolver
from coindex.resolvers.resolver import Resolver

from .text import NOTES, cell, items, markdown, option_item, sentence


def resolvers_page() -> str:
    """A table of all resolvers, a section for each, and the features of pairs that models can use."""
    resolvers = [get_resolver(name) for name in (*KNOWN, *MODULES)]
    parts = [
        "# Resolvers\n\n",
        "`coindex resolvers` prints this list, `coindex resolvers NAME` describes one resolver. ",
        "Join resolvers to chains with `+` and set options in parentheses: `simple-rules + heads(merge)`. ",
        "See [Resolve text](../resolve/text.md). ",
        "`python -m benchmarks quality` reproduces the scores; `coindex resolvers NAME` prints all of them with their ",
        "signatures.\n\n```bash\ncoindex resolve examples/story.txt -r are-baseline\n```\n\n",
        "In the table, *any* means that a resolver rejects no language, not that its quality is known. ",
        "Rows marked *corpus trees* use the tags and trees of the corpus, in GUM and AnCora gold annotation; expect ",
        "lower scores on raw text. In rows marked *parsed*, spaCy or natasha made them. *Words only* means that all ",
        "columns were removed. `en-small` never uses trees. The first value of an option is the default.\n\n",
        "| name | kind | languages | needs | licence | score |\n|---|---|---|---|---|---|\n",
        *map(_resolver_row, resolvers),
    ]
    parts += ["\n", (NOTES / "resolvers.md").read_text(encoding="utf-8")]
    return "".join([*parts, *map(_resolver_section, resolvers), *_features()])


def _resolver_row(resolver: Resolver) -> str:
    score = find_main_score(resolver.name)
    shown = "" if score is None else str(score).replace(score.corpus, _corpus(score.corpus, resolver))
    return (
        f"| [{resolver.name}](#{resolver.name}) | {resolver.kind} | {', '.join(resolver.languages) or 'any'} "
        f"| {', '.join(resolver.needs)} | {cell(resolver.licence)} | {cell(shown)} |\n"
    )


def _resolver_section(resolver: Resolver) -> str:
    if resolver.name in KNOWN:  # what is installed must not change the page
        install = f"Install it with `{KNOWN[resolver.name].install}`."
        options = f"`coindex resolvers {resolver.name}` prints its options."
        facts = f"{install} {options} Source: {sentence(resolver.source)}\n"
        return "".join([f"\n## {resolver.name}\n\n{sentence(resolver.summary)}\n\n", facts, *_measured(resolver)])
    module = import_module(f"coindex.resolvers.{MODULES[resolver.name]}")
    facts = [f"Source: {sentence(resolver.source)}"] if resolver.source else []
    if resolver.kind in ("rules", "learned"):
        facts.append(f"Mentions: {' or '.join(resolver.mentions)}.")
    if resolver.collects:
        facts.append("Processes several documents together.")
    parts = [f"\n## {resolver.name}\n\n{sentence(resolver.summary)}\n\n", " ".join(facts), "\n" if facts else ""]
    parts += ["\n", items(map(option_item, resolver.options))] if resolver.options else []
    _, _, details = markdown(module).partition("\n\n")  # the first paragraph repeats the summary
    parts += ["\n", details, "\n"] if details else []
    return "".join([*parts, *_measured(resolver)])


def _features() -> list[str]:
    """The names for `model.features`."""
    rows = [
        f"| `{name}` | {count} | {'✓' if name in BASIC else ''} | {cell(MEANINGS[name])} |\n"
        for name, count in FEATURES.items()
    ]
    return [
        "\n## Features of pairs\n\n",
        "Features of a mention and a candidate antecedent that a model can use: the values of `model.features` in a ",
        "[training configuration](../train/train.md).\n\n",
        "| name | values | default | meaning |\n|---|--:|:-:|---|\n",
        *rows,
    ]


TREEBANKS = ("en_gum", "en_parcorfull", "es_ancora", "cs_faust", "hu_korkor", "fr_democrat")
"""Corpora with tags and trees."""
MENTIONS = ("detected", "given", "given-nonsingleton")


def _measured(resolver: Resolver) -> list[str]:
    """The scores by the main measure, a row for each chain and corpus."""
    main = find_main_score(resolver.name)
    if main is None or resolver.kind not in ("rules", "learned"):  # chains are listed with the resolver that ends them
        return []
    rows: dict[tuple[str, str, str], dict[str, float]] = {}
    for score in scores_of(resolver.name):
        if score.measure == main.measure:
            rows.setdefault((score.chain, score.corpus, score.signature), {})[score.mentions] = score.number
    columns = [mentions for mentions in MENTIONS if any(mentions in numbers for numbers in rows.values())]
    settings = {signature.split("|")[1] for *_, signature in rows}
    lines = [
        f"\n{main.measure} ({', '.join(f'`{name}`' for name in sorted(settings))}) by mentions:\n\n",
        f"| chain | corpus | match | {' | '.join(columns)} |\n|---|---|---|{'--:|' * len(columns)}\n",
    ]
    for (chain, corpus, signature), numbers in rows.items():
        shown = " | ".join(f"{numbers[name]:.2f}" if name in numbers else "" for name in columns)
        match = next(part for part in signature.split("|") if part.startswith("match:")).removeprefix("match:")
        lines.append(f"| {chain} | {_corpus(corpus, resolver)} | {match} | {shown} |\n")
    return lines


def _corpus(corpus: str, resolver: Resolver) -> str:
    """Return the name of a corpus, and whether the resolver used its tags and trees."""
    is_treebank = corpus.startswith(TREEBANKS) and not corpus.endswith(("parsed", "words only"))
    sees_trees = "trees" in resolver.needs or (resolver.kind == "rules" and "mentions" not in resolver.needs)
    return f"{corpus}, corpus trees" if is_treebank and sees_trees else corpus
