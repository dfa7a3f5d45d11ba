"""The reference page of metrics, matchings and profiles."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from coindex.scoring import corefud10, corefud12, corpus, lenient, significance
from coindex.scoring.matching import RULES
from coindex.scoring.metrics.registry import METRICS, get_metric
from coindex.scoring.profiles import PROFILES

from .text import cell, markdown


def scoring_page() -> str:
    """Profiles, matchings and metrics from their tables and the docstrings of their modules."""
    by_module: dict[str, list[str]] = {}
    for name, place in METRICS.items():
        by_module.setdefault(place.partition(":")[0], []).append(name)
    matchings = list(dict.fromkeys(name for rules in RULES.values() for name in rules.matchings))
    parts = [
        "# Metrics, matchings and profiles\n\n",
        "See [What scores mean](../background/scoring.md) for explanations and examples. ",
        "`coindex profiles` prints the profiles.\n\n",
        "## Profiles\n\nA name without a version means the newest one. Published versions never change: ",
        "a correction gets a new version.\n\n",
        "| profile | rules | match | singletons | zeros | unit | metrics | source |\n",
        "|---|---|---|---|---|---|---|---|\n",
        *(
            f"| `{name}` | {profile.rules} | {profile.match} | {'in' if profile.singletons else 'out'} "
            f"| {profile.zeros} | {profile.unit} | {', '.join(profile.metrics)} | {cell(profile.source)} |\n"
            for name, profile in PROFILES.items()
        ),
        "\n## Matchings\n\nThe rules of a profile determine which matchings are available.\n\n",
        f"| rules | {' | '.join(matchings)} |\n|---|{':-:|' * len(matchings)}\n",
        *(
            f"| {name} | {' | '.join('✓' if match in rules.matchings else '' for match in matchings)} |\n"
            for name, rules in RULES.items()
        ),
        *_module_text("Matching of the CorefUD scorers 1.0 and 1.1", corefud10),
        *_module_text("Matching of the CorefUD scorer 1.2", corefud12),
        *_module_text("Lenient matching and markables", lenient),
        *_module_text("Pairs of documents, units, macro averages, parts of speech", corpus),
        "\n## Metrics\n\n| name | title |\n|---|---|\n",
        *(f"| `{name}` | {get_metric(name).title} |\n" for name in METRICS),
    ]
    for module, names in by_module.items():
        parts += _module_text(
            ", ".join(f"`{name}`" for name in names), import_module(f"coindex.scoring.metrics.{module}")
        )
    parts += ["\n## Comparisons\n", *_module_text("Significance", significance)]
    return "".join(parts)


def _module_text(title: str, module: ModuleType) -> list[str]:
    return [f"\n### {title}\n\n{markdown(module)}\n"]
