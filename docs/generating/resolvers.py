"""The reference page of resolvers."""

from __future__ import annotations

from importlib import import_module

from coindex.resolvers.chain import find_main_score, scores_of
from coindex.resolvers.neural.pairs import BASIC, FEATURES, MEANINGS
from coindex.resolvers.registry import MODULES, all_resolvers
from coindex.resolvers.resolver import Resolver

from .text import cell, code, markdown, sentence


def resolvers_page() -> str:
    """A table of all resolvers, a section for each, and the features of pairs that models can use."""
    parts = [
        "# Resolvers\n\n",
        "`coindex resolvers` prints this list, `coindex resolvers NAME` describes one resolver. ",
        "Join resolvers to chains with `+` and set options in parentheses: `simple-rules + heads(merge)`. ",
        "See [Resolve text](../resolve/text.md) and [Resolvers and chains](../background/resolvers.md). ",
        "`python -m benchmarks quality` reproduces the scores.\n\n",
        "| name | kind | languages | needs | licence | score |\n|---|---|---|---|---|---|\n",
        *map(_resolver_row, all_resolvers()),
    ]
    return "".join([*parts, *map(_resolver_section, all_resolvers()), *_features()])


def _resolver_row(resolver: Resolver) -> str:
    score = find_main_score(resolver.name)
    return (
        f"| [{resolver.name}](#{resolver.name}) | {resolver.kind} | {', '.join(resolver.languages) or 'any'} "
        f"| {', '.join(resolver.needs)} | {cell(resolver.licence)} | {cell(str(score or ''))} |\n"
    )


def _resolver_section(resolver: Resolver) -> str:
    module = import_module(f"coindex.resolvers.{MODULES[resolver.name]}")
    facts = [f"Source: {sentence(resolver.source)}"] if resolver.source else []
    if resolver.kind in ("rules", "learned"):
        facts.append(f"Mentions: {' or '.join(resolver.mentions)}.")
    if resolver.collects:
        facts.append("Processes several documents together.")
    rows = []
    for option in resolver.options:
        values = ", ".join(f"`{choice}`" for choice in option.choices) or "any"
        rows.append(f"| `{option.name}` | {values} | {cell(option.help)} |\n")
    parts = [f"\n## {resolver.name}\n\n{sentence(resolver.summary)}\n\n", " ".join(facts), "\n" if facts else ""]
    parts += ["\n| option | values (default first) | |\n|---|---|---|\n", *rows] if rows else []
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


MENTIONS = ("detected", "given", "given-nonsingleton")


def _measured(resolver: Resolver) -> list[str]:
    """The scores by the main measure, a row for each chain and corpus; signatures are notes below the table."""
    main = find_main_score(resolver.name)
    if main is None or resolver.kind == "parser":  # chains are listed with the resolver that ends them
        return []
    rows: dict[tuple[str, str, str], dict[str, float]] = {}
    for score in scores_of(resolver.name):
        if score.measure == main.measure:
            rows.setdefault((score.chain, score.corpus, score.signature), {})[score.mentions] = score.number
    signatures = list(dict.fromkeys(signature for *_, signature in rows))
    columns = [mentions for mentions in MENTIONS if any(mentions in numbers for numbers in rows.values())]
    lines = [
        f"\n{main.measure} scores by mentions (`coindex resolvers {resolver.name}` prints all scores):\n\n",
        f"| chain | corpus | {' | '.join(columns)} | |\n|---|---|{'--:|' * len(columns)}---|\n",
    ]
    for (chain, corpus, signature), numbers in rows.items():
        shown = " | ".join(f"{numbers[name]:.2f}" if name in numbers else "" for name in columns)
        lines.append(f"| {chain} | {corpus} | {shown} | [{signatures.index(signature) + 1}] |\n")
    notes = (f"[{number}] {code(signature)}" for number, signature in enumerate(signatures, 1))
    return [*lines, "\n", "<br>\n".join(notes), "\n"]
