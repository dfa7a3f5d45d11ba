"""The page of metrics, matchings and profiles."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from coindex.scoring import breakdowns, corefud10, corefud12, corpus, lenient, significance
from coindex.scoring.matching import RULES
from coindex.scoring.metrics.registry import METRICS, get_metric
from coindex.scoring.profiles import PROFILES

from .text import cell, markdown


def scoring_page() -> str:
    """Metrics, matchings and profiles from their tables, with what their modules say."""
    by_module: dict[str, list[str]] = {}
    for name, place in METRICS.items():
        by_module.setdefault(place.partition(":")[0], []).append(name)
    matchings = list(dict.fromkeys(name for rules in RULES.values() for name in rules.matchings))
    parts = [
        "# Metrics, matchings and profiles\n\n",
        "Made from the tables that the scorer works by. [What scores mean](../background/scoring.md) has examples; ",
        "`coindex profiles` prints the profiles.\n\n",
        "## Profiles\n\nA name without a number means the newest. A published number never moves: a profile that is ",
        "mended gets a new number, and the old one stays.\n\n",
        "| profile | rules | match | singletons | zeros | unit | metrics | source |\n",
        "|---|---|---|---|---|---|---|---|\n",
        *(
            f"| `{name}` | {profile.rules} | {profile.match} | {'in' if profile.singletons else 'out'} "
            f"| {profile.zeros} | {profile.unit} | {', '.join(profile.metrics)} | {cell(profile.source)} |\n"
            for name, profile in PROFILES.items()
        ),
        "\n## Matchings\n\nThe rules of a profile say which matchings there are.\n\n",
        f"| rules | {' | '.join(matchings)} |\n|---|{':-:|' * len(matchings)}\n",
        *(
            f"| {name} | {' | '.join('✓' if match in rules.matchings else '' for match in matchings)} |\n"
            for name, rules in RULES.items()
        ),
        *_told("Matching of the CorefUD scorers 1.0 and 1.1", corefud10),
        *_told("Matching of the CorefUD scorer 1.2", corefud12),
        *_told("Lenient matching and markables", lenient),
        *_told("Matching by overlap", lenient),
        *_told("Pairs of documents, and units", corpus),
        "\n## Metrics\n\n| name | title |\n|---|---|\n",
        *(f"| `{name}` | {get_metric(name).title} |\n" for name in METRICS),
    ]
    for module, names in by_module.items():
        parts += _told(", ".join(f"`{name}`" for name in names), import_module(f"coindex.scoring.metrics.{module}"))
    parts += ["\n## Groups and comparisons\n", *_told("By part of speech, and macro averages", breakdowns)]
    parts += _told("Significance", significance)
    return "".join(parts)


def _told(title: str, module: ModuleType) -> list[str]:
    return [f"\n### {title}\n\n{markdown(module)}\n"]
