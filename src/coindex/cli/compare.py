"""`coindex compare`."""

from __future__ import annotations

import json
from typing import IO, Any, cast

import click

from ..scoring.significance import Correction, Measure, Test
from .help import Command, option
from .scoring import convert_options, print_tables, scoring_options, show_spinner, table_options


@click.command("compare", cls=Command)
@click.argument("key", type=click.Path(exists=True))
@click.argument("responses", type=click.Path(exists=True), nargs=-1, required=True)
@option(
    "--test",
    type=click.Choice(["bootstrap", "permutation"]),
    default="bootstrap",
    section="Statistics",
    help="Significance test.",
)
@option("--rounds", type=click.IntRange(min=1), default=10_000, section="Statistics", help="Resampling rounds.")
@option("--seed", type=int, default=0, section="Statistics", help="Seed of the random number generator.")
@option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    section="Statistics",
    help="Level of the confidence intervals.",
)
@option(
    "--measure",
    type=click.Choice(["f1", "recall", "precision"]),
    default="f1",
    section="Statistics",
    help="Measure to compare.",
)
@option(
    "--correction",
    type=click.Choice(["none", "holm"]),
    default="none",
    section="Statistics",
    help="Correction of p-values for multiple comparisons.",
)
@scoring_options
@table_options
def command(
    key: str,
    responses: tuple[str, ...],
    test: str,
    rounds: int,
    seed: int,
    confidence: float,
    measure: str,
    correction: str,
    form: str,
    output: IO[str],
    **options: Any,
) -> None:
    """Compare responses to one key with significance tests.

    Scores each of the RESPONSES as 'coindex score' does and reports differences, confidence intervals and p-values. In
    each round, documents are drawn at random (--test bootstrap) or swapped between two responses (--test permutation).

    \b
    Examples:
      coindex compare key.conllu baseline.conllu ours.conllu
      coindex compare key/ a/ b/ c/ --test permutation --correction holm
      coindex compare key/ a/ b/ --measure recall --format latex -o table.tex
    """
    from ..analysis.tables import comparison_tables, long_comparison
    from ..api import compare

    with show_spinner(f"comparing {len(responses)} responses"):
        comparison = compare(
            key,
            dict(zip(_name_responses(responses), responses, strict=True)),
            test=cast(Test, test),
            rounds=rounds,
            seed=seed,
            confidence=confidence,
            measure=cast(Measure, measure),
            correction=cast(Correction, correction),
            **convert_options(options),
        )
    if form == "json":
        output.write(json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False) + "\n")
    elif form == "csv":
        print_tables([long_comparison(comparison)], form, output)
    else:
        print_tables(comparison_tables(comparison), form, output)


def _name_responses(responses: tuple[str, ...]) -> list[str]:
    """Return short names if they are unique, otherwise the paths."""
    from ..corpora.key_and_response import dataset_name

    short = [dataset_name(path) for path in responses]
    if len(set(short)) == len(short):
        return short
    if len(set(responses)) < len(responses):
        raise click.UsageError("the same response is given twice; give each response once")
    return list(responses)
