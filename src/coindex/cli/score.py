"""`coindex score`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

import click

from .scoring import as_options, output_options, print_tables, scoring_options, working

if TYPE_CHECKING:
    from ..analysis.results import Scored
    from ..api.scoring import Grouping
    from ..scoring import Result

Pairs = dict[str, tuple[str, str]]


@click.command("score")
@click.argument(
    "paths", metavar="KEY RESPONSE ...", type=click.Path(exists=True, allow_dash=True), nargs=-1, required=True
)
@click.option(
    "--by",
    type=click.Choice(["document", "upos", "dataset", "singletons"]),
    help="Also score each document, part of speech of heads, or dataset by itself; or without and with singletons.",
)
@scoring_options
@output_options
def command(paths: tuple[str, ...], by: str | None, form: str, output: IO[str], **options: Any) -> None:
    """Score RESPONSE against KEY: files, or folders whose files have the same names. Several pairs are datasets,
    scored one by one, with their mean.

    Without --profile this is crac24, the CorefUD scorer 1.2 as in the shared tasks of 2024 and 2025. Single options
    change the profile's, and the signature under the numbers says so.

    \b
    coindex score key.conllu response.conllu
    coindex score key/ response/ --by dataset --format latex
    coindex score key.conll response.conll --profile conll12
    """
    pairs = _pairs(paths, by, options["from_format"])
    with working(f"scoring {paths[1]}"):
        report = make_report(pairs, by, as_options(options))
    report.write(form, output)


def _pairs(paths: tuple[str, ...], by: str | None, format: str | None) -> Pairs:
    """Datasets by name: the pairs that were given, with --by dataset what is in their folders."""
    from ..api import find_datasets
    from ..corpora.key_and_response import dataset_name

    if len(paths) % 2:
        raise click.UsageError(
            f"{len(paths)} paths; give a RESPONSE after each KEY. To compare responses to one key: coindex compare"
        )
    found: Pairs = {}
    for key, response in zip(paths[::2], paths[1::2], strict=True):
        if by == "dataset":
            inside: Pairs = find_datasets(key, response, format)
        else:
            inside = {dataset_name(key): (key, response)}
        for name, pair in inside.items():
            found[name if name not in found else pair[0]] = pair
    return found


@dataclass(frozen=True)
class Report:
    """Results to show: all together, and by something."""

    total: Scored
    groups: Mapping[str, Scored]
    group: str = ""
    plural: str = ""
    summary: str = "all"

    def write(self, form: str, output: IO[str]) -> None:
        from ..analysis.results import groups_table, long_table, scores_table

        total = None if self.group == "singletons" else self.total
        if form == "json":
            output.write(json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n")
        elif form == "csv":
            table = long_table(self.groups, total, group=self.group or None, summary=self.summary)
            print_tables([table], form, output)
        elif self.groups:
            print_tables([groups_table(self.groups, total, group=self.group, summary=self.summary)], form, output)
        else:
            print_tables([scores_table(self.total)], form, output)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the numbers of all, and those of the groups under their kind."""
        data = self.total.to_dict()
        if self.groups:
            data[self.plural] = {name: result.to_dict() for name, result in self.groups.items()}
            if self.group != "singletons":
                for found in data[self.plural].values():
                    del found["signature"]
        return data


def make_report(pairs: Pairs, by: str | None, options: dict[str, Any]) -> Report:
    """Score all pairs, and take the mean of several."""
    from ..api import score_by
    from ..scoring.breakdowns import macro_average

    inside = cast("Grouping | None", None if by == "dataset" else by)
    scored = {name: score_by(*pair, inside, **options) for name, pair in pairs.items()}
    results = {name: found.total for name, found in scored.items()}
    several = len(pairs) > 1 or by == "dataset"
    total: Scored = macro_average(results) if several else next(iter(results.values()))
    summary = "macro average" if several else "all"
    if by in (None, "dataset"):
        return Report(total, results if several else {}, "dataset", "datasets", summary)
    if by == "document":
        unit = next(iter(results.values())).settings.unit
        documents = {
            f"{dataset}/{name}" if several else name: result
            for dataset, found in scored.items()
            for name, result in found.groups.items()
        }
        return Report(total, documents, unit, f"{unit}s", summary)
    by_name: dict[str, dict[str, Result]] = {}
    for dataset, found in scored.items():
        for name, result in found.groups.items():
            by_name.setdefault(name, {})[dataset] = result
    groups = {name: macro_average(found) if several else next(iter(found.values())) for name, found in by_name.items()}
    return Report(total, groups, str(by), str(by), summary)
