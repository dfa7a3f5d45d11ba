"""Compute statistics of corpora and responses. The analysis is imported when a function is called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import UnknownNameError

if TYPE_CHECKING:
    from ..analysis.figures import Chart, Form
    from ..analysis.statistics.survey import Corpora, Survey
    from ..analysis.tables import Table
    from ..engines import Engine


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """The statistics of one or more corpora, as tables and charts."""

    surveys: Mapping[str, Survey]
    """The counts of each corpus, by name."""
    singletons: bool | None = None
    """Whether singletons count in the tables of entities and mentions; None counts as the papers do."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """The corpora and their paths, for JSON output."""

    @cached_property
    def by_name(self) -> dict[str, Table]:
        """All tables, by name."""
        from ..analysis.statistics.tables import all_tables

        return all_tables(self.surveys, singletons=self.singletons)

    def tables(self, names: Sequence[str] = ()) -> list[Table]:
        """Return the tables with these names; by default, all that have rows and are not long."""
        from ..analysis.statistics.tables import LONG

        for name in names:
            if name not in self.by_name:
                raise UnknownNameError("table", name, self.by_name)
        chosen = names or [name for name, table in self.by_name.items() if table.rows and name not in LONG]
        return [self.by_name[name] for name in chosen]

    def render(self, form: str = "text", *, tables: Sequence[str] = (), **options: Any) -> str:
        """Return tables as text, json, csv, markdown or latex, or an html page with tables, charts and lists."""
        chosen = self.tables(tables)
        if form == "html":
            from ..analysis.statistics.report import report_page

            title = "Statistics of " + ", ".join(self.surveys)
            return report_page(self.surveys, self.by_name, [table.name for table in chosen], title)
        from ..analysis.writers import render

        return render(chosen, form, about={"statistics": list(self.surveys), **self.about}, **options)

    def charts(self) -> list[Chart]:
        """Return charts of the distributions."""
        from ..analysis.statistics.report import charts

        return charts(self.surveys, self.by_name)

    def save_charts(self, folder: str | os.PathLike[str], form: Form = "svg") -> list[str]:
        """Write the charts to a folder, as svg or png, and return the paths of the files."""
        from ..analysis.figures import save

        return [str(path) for path in save(self.charts(), os.fspath(folder), form)]

    def to_frame(self, table: str = "dataset") -> Any:
        """Return a table as a pandas frame, with numbers that are not rounded."""
        from ..analysis.writers import to_frame

        (selected,) = self.tables([table])
        return to_frame(selected)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from ..analysis.figures import can_draw, fragment

        return fragment(self.tables(), self.charts() if can_draw() else ())


def stats(
    corpora: Corpora,
    *,
    singletons: bool | None = None,
    lists: bool = False,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
    engine: Engine = "local",
    address: str | None = None,
) -> Statistics:
    """Compute statistics of corpora or responses: documents, words, entities and mentions, counted as papers do.

    Documents are read one by one, so memory does not grow with the size of the texts.

    Parameters:

    - `corpora`: a corpus (a file, a folder or documents), a dict from names to corpora, a list of paths, or pairs of
      name and corpus.
    - `singletons`: whether singletons count in the tables of entities and mentions; by default as in the papers.
    - `lists`: whether to keep entities and mentions for the lists in `render("html")`.
    - `format`, `read_options`: the input format (default: detected) and its options.
    - `jobs`, `engine`, `address`: the processes that read files, as in `score`.

    Returns a `Statistics`; print it, or take its tables.

    >>> print(stats("corpus.conllu"))  # doctest: +SKIP
    >>> stats({"gold": "key.conllu", "mine": "response.conllu"}).to_frame("entities")  # doctest: +SKIP
    """
    from ..analysis.statistics.survey import Surveying, name_corpora, path_of
    from ..engines import Workers

    work = Surveying(format=format, options=read_options or {}, workers=Workers(jobs, engine, address), lists=lists)
    pairs = name_corpora(corpora)
    surveys = {name: work.survey(name, corpus) for name, corpus in pairs.items()}
    about = {"corpora": {name: path_of(corpus) for name, corpus in pairs.items()}}
    return Statistics(surveys=surveys, singletons=singletons, about=about)
