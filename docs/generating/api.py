"""The reference page of the Python API."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import coindex
from coindex.analysis.errors.cases import ErrorCase, Place
from coindex.analysis.errors.result import ErrorsFound
from coindex.analysis.overlap import Known, Overlap, Size
from coindex.analysis.reports import Report
from coindex.analysis.tables import Column, Row, Table
from coindex.annotation import cleaning
from coindex.annotation.cleaning import Duplicate
from coindex.api import Agreement, Deduplication, Evaluation, ScoreOptions, Statistics
from coindex.api.experiments import ExperimentOptions
from coindex.campaigns import offline
from coindex.campaigns.checking import SubmissionProblem
from coindex.document import Multiword, Tokens, edit_log, edits, heads, validation
from coindex.formats.registry import Format, Option
from coindex.integrations.datasets import BatchResolver
from coindex.resolvers.chain import Chain
from coindex.resolvers.defaults import LanguageWarning
from coindex.resolvers.resolver import Resolver
from coindex.scoring.alignment import Counts, Score
from coindex.scoring.corpus import MacroResult, SideBySide
from coindex.scoring.result import Result
from coindex.scoring.significance import Comparison, Difference, Estimate, Interval
from coindex.text import spans
from coindex.text.language_names import language_code
from coindex.training.experiments.results import ExperimentResult

from .members import class_text, function_text, functions_text
from .text import markdown

BRIEF = (Table, Column, Row, Place, Size, Counts, Estimate, Difference, Interval, SubmissionProblem)
"""Classes of which only the fields are listed: few programs call their methods."""


@dataclass(frozen=True)
class Section:
    """A group of names with an introduction: `before`, or the docstring of `module`."""

    title: str
    members: Sequence[Any]
    before: str = ""
    module: ModuleType | None = None
    after: str = ""

    def __str__(self) -> str:
        before = self.before
        if self.module is not None:
            before = f"`{self.module.__name__}`. {markdown(self.module)}"
        functions = [one for one in self.members if not inspect.isclass(one)]
        classes = (class_text(cls, brief=cls in BRIEF) for cls in self.members if inspect.isclass(cls))
        if self.module is None:
            texts = [*map(function_text, functions), *classes]
        else:
            texts = [functions_text(functions), *classes]
        return "".join([f"\n## {self.title}\n", f"\n{before}\n" if before else "", *texts, self.after])


def api_page() -> str:
    """The public names: signatures and docstrings."""
    parts = [
        "# Python API\n\n",
        "The names in `coindex` and in the modules listed here are public; everything else can change at any time. ",
        "The package is typed (`py.typed`); `help(coindex.score)` prints a function with the types of parameters.\n\n",
        '```python\nimport coindex\n\ndoc = coindex.load()("Ann lost her key. She looked for it.")\n',
        "print([[mention.text for mention in entity.mentions] for entity in doc.entities])\n```\n\n",
        "```text\n[['Ann', 'her', 'She'], ['her key', 'it']]\n```\n\n",
        "Several parameters and methods are the same everywhere. `format` and `read_options` are the input format ",
        "(default: detected) and the [options of its reader](formats.md). `jobs` is the number of processes, 0 for ",
        "one per CPU. `tick` is called after each step, to show progress. `to_dict()` and `to_json()` return plain ",
        "data for JSON, with fractions that are not rounded.\n",
        *map(str, _functions()),
        *map(str, _analyses()),
        *map(str, _documents()),
    ]
    return "".join(parts)


def _functions() -> Iterator[Section]:
    yield Section("Reading and writing", [coindex.read, coindex.write, coindex.formats])
    yield Section(
        "Resolving",
        [
            coindex.load,
            coindex.resolvers,
            coindex.from_spacy,
            coindex.batch_resolver,
            BatchResolver,
            Chain,
            Resolver,
            LanguageWarning,
            language_code,
        ],
        "See [resolvers](resolvers.md).",
    )
    yield Section(
        "Using the result",
        [coindex.to_frame, coindex.to_graph, coindex.quotations],
        "See [Use the results](../resolve/results.md).",
    )
    scoring = [coindex.score, coindex.score_by_upos, coindex.score_side_by_side, coindex.score_datasets]
    results = [Result, Score, Counts, SideBySide, MacroResult, Comparison, Estimate, Difference, Interval]
    yield Section(
        "Scoring",
        [*scoring, coindex.compare, ScoreOptions, *results],
        "See [Score a response](../score/score.md) and [metrics and profiles](scoring.md).",
    )
    yield Section(
        "Training and evaluating",
        [coindex.train, coindex.export, coindex.evaluate, Evaluation],
        "See [Train a model](../train/train.md).",
    )


def _analyses() -> Iterator[Section]:
    yield Section(
        "Errors of a system",
        [coindex.find_errors, ErrorsFound, ErrorCase, Place],
        "See [error analysis](../analyse/errors.md).",
    )
    yield Section(
        "Statistics of corpora",
        [coindex.stats, Statistics],
        "See [corpus statistics](../analyse/statistics.md).",
    )
    yield Section(
        "Overlap of training and test",
        [coindex.overlap, Overlap, Known, Size],
        "See [overlap of training and test data](../score/overlap.md).",
    )
    experiments = [coindex.size_experiment, coindex.overlap_experiment, coindex.annotation_experiment]
    yield Section(
        "Experiments",
        [*experiments, coindex.mention_experiment, ExperimentOptions, ExperimentResult],
        "See [experiments](../score/experiments.md).",
    )
    yield Section(
        "Tables of results",
        [coindex.report, Report, Table, Column, Row],
        "See [result tables](../score/reports.md).",
    )
    several = [coindex.agreement, coindex.vote, coindex.quality, coindex.find_duplicates]
    yield Section(
        "Several annotators",
        [*several, Agreement, Deduplication, Duplicate],
        "See [agreement and voting](../annotate/agreement.md) and [cleaning a collection](../analyse/duplicates.md).",
    )
    yield Section("Cleaning texts", [cleaning.clean, cleaning.Change], module=cleaning)
    yield Section("Campaigns", [*_own_functions(offline), offline.Board, SubmissionProblem], module=offline)


def _documents() -> Iterator[Section]:
    model = [coindex.Document, coindex.Corpus, coindex.Entity, coindex.Mention, coindex.Bridge]
    words = [coindex.Sentence, coindex.Token, Tokens, Multiword]
    yield Section(
        "The document model",
        [*model, coindex.SplitAntecedent, *words],
        "See [the document model](../background/document-model.md).",
    )
    yield Section("Span conventions", _own_functions(spans), module=spans)
    yield Section("Heads", [heads.find_heads, heads.reduce_to_heads], module=heads, after=_reductions())
    yield Section("Edits", [getattr(edits, name) for name in edits.__all__], module=edits)
    logs = [edit_log.Edit, edit_log.apply, edit_log.apply_all, edit_log.inverse]
    yield Section("Logs of edits", logs, module=edit_log)
    yield Section("Validation", [validation.check, validation.Finding], module=validation)
    yield Section("Formats as data", [Format, Option], "`coindex.formats()` returns a list of these.")


def _own_functions(module: ModuleType) -> list[Callable[..., Any]]:
    """The public functions that a module defines, in the order of its source."""
    found = inspect.getmembers(module, inspect.isfunction)
    own = [one for name, one in found if one.__module__ == module.__name__ and not name.startswith("_")]
    return sorted(own, key=lambda function: function.__code__.co_firstlineno)


def _reductions() -> str:
    rows = "".join(f"| `{name}` | {what} |\n" for name, what in heads.REDUCTIONS.items())
    return f"\n| `how` | effect |\n|---|---|\n{rows}"
