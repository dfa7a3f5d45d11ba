"""The page of the resolvers."""

from __future__ import annotations

from importlib import import_module

from coindex.resolvers.neural.pairs import BASIC, FEATURES, MEANINGS
from coindex.resolvers.registry import MODULES, all_resolvers
from coindex.resolvers.resolver import Resolver
from coindex.resolvers.scores import scores_of, telling_score

from .text import cell, code, markdown, sentence


def resolvers_page() -> str:
    """A table of the resolvers, and a section for each: what it does, needs, offers, and what it was scored at.

    Last come the features that a model to be trained can be given.
    """
    parts = [
        "# Resolvers\n\n",
        "`coindex resolvers` prints the list, `coindex resolvers NAME` all about one. Names are joined to chains with ",
        "`+`, options stand in brackets: `simple-rules + heads(merge)`. [How to resolve](../resolve/text.md) has ",
        "examples, [resolvers and chains](../background/resolvers.md) the ideas. Scores are made by ",
        "`python -m benchmarks quality`.\n\n",
        "| name | kind | languages | needs | licence | scored at |\n|---|---|---|---|---|---|\n",
        *map(_resolver_row, all_resolvers()),
    ]
    return "".join([*parts, *map(_resolver_section, all_resolvers()), *_features()])


def _resolver_row(resolver: Resolver) -> str:
    score = telling_score(resolver.name)
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
        facts.append("Looks at several documents together.")
    rows = [
        f"| `{option.name}` | {', '.join(f'`{choice}`' for choice in option.choices) or 'free'} "
        f"| {cell(option.help)} |\n"
        for option in resolver.options
    ]
    parts = [f"\n## {resolver.name}\n\n{sentence(resolver.summary)}\n\n", " ".join(facts), "\n" if facts else ""]
    parts += ["\n| option | values, the default first | |\n|---|---|---|\n", *rows] if rows else []
    parts += ["\n", markdown(module), "\n", *_measured(resolver.name)]
    return "".join(parts)


def _features() -> list[str]:
    """What `model.features` may name."""
    rows = [
        f"| `{name}` | {count} | {'✓' if name in BASIC else ''} | {cell(MEANINGS[name])} |\n"
        for name, count in FEATURES.items()
    ]
    return [
        "\n## Features of pairs\n\n",
        "What a model [that you train](../train/train.md) can be told of a mention and a candidate for its ",
        "antecedent: the names of `model.features`. Those with a mark are used where nothing is said.\n\n",
        "| name | values | by default | what it tells |\n|---|--:|:-:|---|\n",
        *rows,
    ]


def _measured(name: str) -> list[str]:
    rows = [
        f"| {score.chain} | {score.corpus} | {score.mentions} | {score.number:.2f} {score.measure} "
        f"| {code(score.signature)} |\n"
        for score in scores_of(name)
    ]
    return ["\n| chain | corpus | mentions | score | signature |\n|---|---|---|---|---|\n", *rows] if rows else []
