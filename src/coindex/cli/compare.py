"""`coindex compare`."""

from __future__ import annotations

import json
from typing import IO, Any, cast

import click

from ..scoring.comparison import Correction, Measure, Test
from .scoring import as_options, output_options, print_tables, scoring_options, working


@click.command("compare")
@click.argument("key", type=click.Path(exists=True))
@click.argument("responses", type=click.Path(exists=True), nargs=-1, required=True)
@click.option(
    "--test", type=click.Choice(["bootstrap", "permutation"]), default="bootstrap", help="Where p comes from."
)
@click.option("--rounds", type=click.IntRange(min=1), default=10_000, help="How often documents are drawn or swapped.")
@click.option("--seed", type=int, default=0, help="The same seed gives the same numbers.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="The level of the intervals.",
)
@click.option("--measure", type=click.Choice(["f1", "recall", "precision"]), default="f1", help="What is compared.")
@click.option(
    "--correction",
    type=click.Choice(["none", "holm"]),
    default="none",
    help="Correct p for several pairs of responses.",
)
@scoring_options
@output_options
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
    """Compare RESPONSES to one KEY: is one better than another, or would other documents have said otherwise?

    Every response is scored as `coindex score` does. Then documents are drawn at random (--test bootstrap), or swapped
    between two responses (--test permutation), and summed anew in each round.

    \b
    coindex compare key.conllu baseline.conllu ours.conllu
    coindex compare key/ a/ b/ c/ --test permutation --correction holm
    """
    from ..analysis.results import comparison_tables, long_comparison
    from ..api import compare

    with working(f"comparing {len(responses)} responses"):
        found = compare(
            key,
            dict(zip(_names(responses), responses, strict=True)),
            test=cast(Test, test),
            rounds=rounds,
            seed=seed,
            confidence=confidence,
            measure=cast(Measure, measure),
            correction=cast(Correction, correction),
            **as_options(options),
        )
    if form == "json":
        output.write(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n")
    elif form == "csv":
        print_tables([long_comparison(found)], form, output)
    else:
        print_tables(comparison_tables(found), form, output)


def _names(responses: tuple[str, ...]) -> list[str]:
    """Short names where they differ, else the paths."""
    from ..corpora.key_and_response import dataset_name

    short = [dataset_name(path) for path in responses]
    if len(set(short)) == len(short):
        return short
    if len(set(responses)) < len(responses):
        raise click.UsageError("the same response twice; give each once")
    return list(responses)
