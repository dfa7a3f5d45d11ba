"""`coindex score`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

import click

from .help import Command, option
from .options import InputPath
from .scoring import convert_options, print_tables, scoring_options, show_spinner, table_options

if TYPE_CHECKING:
    from ..analysis.tables import Scored
    from ..api.scoring import Grouping
    from ..scoring import Result

Pairs = dict[str, tuple[str, str]]


@click.command("score", cls=Command)
@click.argument("paths", metavar="KEY RESPONSE ...", type=InputPath(), nargs=-1, required=True)
@option(
    "--by",
    type=click.Choice(["document", "upos", "dataset", "singletons"]),
    section="Scoring",
    help="Also score each document, part of speech of heads or dataset separately, or with and without singletons.",
)
@scoring_options
@table_options
def command(paths: tuple[str, ...], by: str | None, form: str, output: IO[str], **options: Any) -> None:
    """Score a response against a key.

    KEY and RESPONSE are files, or folders whose files have the same names. Several pairs are separate datasets, scored
    one by one and averaged. The default profile is crac24, the CorefUD scorer 1.2 of the shared tasks of 2024 and 2025.
    Other options override single settings of the profile and appear in the signature below the scores.

    \b
    Examples:
      coindex score key.conllu response.conllu
      coindex score key.conll response.conll --profile conll12
      coindex score key/ response/ --by dataset --format latex
    """
    pairs = _find_pairs(paths, by, options["from_format"])
    with show_spinner(f"scoring {paths[1]}"):
        report = make_report(pairs, by, convert_options(options))
    report.write(form, output)


def _find_pairs(paths: tuple[str, ...], by: str | None, format: str | None) -> Pairs:
    """Return datasets by name: the pairs of paths, or with --by dataset the datasets in these folders."""
    from ..api import find_datasets
    from ..corpora.key_and_response import dataset_name

    if len(paths) % 2:
        raise click.UsageError(
            f"expected a RESPONSE after each KEY, but got {len(paths)} paths; "
            "to compare responses to one key, use coindex compare"
        )
    datasets: Pairs = {}
    for key, response in zip(paths[::2], paths[1::2], strict=True):
        if by == "dataset":
            inside: Pairs = find_datasets(key, response, format)
        else:
            inside = {dataset_name(key): (key, response)}
        for name, pair in inside.items():
            datasets[name if name not in datasets else pair[0]] = pair
    return datasets


@dataclass(frozen=True)
class Report:
    """Results to print: the total and groups, such as documents or datasets."""

    total: Scored
    groups: Mapping[str, Scored]
    group: str = ""
    plural: str = ""
    summary: str = "all"

    def write(self, form: str, output: IO[str]) -> None:
        from ..analysis.tables import groups_table, long_table, scores_table

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
        """Return plain data: the scores of the total, and of the groups under the plural of their kind."""
        data = self.total.to_dict()
        if self.groups:
            data[self.plural] = {name: result.to_dict() for name, result in self.groups.items()}
            if self.group != "singletons":
                for scores in data[self.plural].values():
                    del scores["signature"]
        return data


def make_report(pairs: Pairs, by: str | None, options: dict[str, Any]) -> Report:
    """Score all pairs and average over several datasets."""
    from ..api import score_by
    from ..scoring.corpus import macro_average

    inside = cast("Grouping | None", None if by == "dataset" else by)
    scored = {name: score_by(*pair, inside, **options) for name, pair in pairs.items()}
    results = {name: by_group.total for name, by_group in scored.items()}
    several = len(pairs) > 1 or by == "dataset"
    total: Scored = macro_average(results) if several else next(iter(results.values()))
    summary = "macro average" if several else "all"
    if by in (None, "dataset"):
        return Report(total, results if several else {}, "dataset", "datasets", summary)
    if by == "document":
        unit = next(iter(results.values())).settings.unit
        documents = {
            f"{dataset}/{name}" if several else name: result
            for dataset, by_group in scored.items()
            for name, result in by_group.groups.items()
        }
        return Report(total, documents, unit, f"{unit}s", summary)
    by_name: dict[str, dict[str, Result]] = {}
    for dataset, by_group in scored.items():
        for name, result in by_group.groups.items():
            by_name.setdefault(name, {})[dataset] = result
    groups = {
        name: macro_average(by_dataset) if several else next(iter(by_dataset.values()))
        for name, by_dataset in by_name.items()
    }
    return Report(total, groups, str(by), str(by), summary)
