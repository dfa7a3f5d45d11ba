"""Statistics of corpora and responses. What they need is loaded when they are asked for."""

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


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """What corpora are made of; `surveys` has the counts by the name of the corpus."""

    surveys: Mapping[str, Survey]
    singletons: bool | None = None
    """Whether singletons count in the tables of entities and mentions; as in the papers where None."""
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Table]:
        """All tables by their names."""
        from ..analysis.statistics.tables import all_tables

        return all_tables(self.surveys, singletons=self.singletons)

    def tables(self, names: Sequence[str] = ()) -> list[Table]:
        """The tables of these names; without names all that have rows and are not long."""
        from ..analysis.statistics.tables import LONG

        for name in names:
            if name not in self.by_name:
                raise UnknownNameError("table", name, self.by_name)
        chosen = names or [name for name, table in self.by_name.items() if table.rows and name not in LONG]
        return [self.by_name[name] for name in chosen]

    def render(self, form: str = "text", *, tables: Sequence[str] = (), **options: Any) -> str:
        """Tables as text, json, csv, markdown or latex, or the page with tables, charts and lists as html."""
        chosen = self.tables(tables)
        if form == "html":
            from ..analysis.statistics.report import report_page

            title = "Statistics of " + ", ".join(self.surveys)
            return report_page(self.surveys, self.by_name, [table.name for table in chosen], title)
        from ..analysis.writers import render

        return render(chosen, form, about={"statistics": list(self.surveys), **self.about}, **options)

    def charts(self) -> list[Chart]:
        """The distributions as charts (see `coindex.analysis.figures`)."""
        from ..analysis.statistics.report import charts

        return charts(self.surveys, self.by_name)

    def save_charts(self, folder: str | os.PathLike[str], form: Form = "svg") -> list[str]:
        """Write the charts into a folder, as svg or png; the paths of the files."""
        from ..analysis.figures import save

        return [str(path) for path in save(self.charts(), os.fspath(folder), form)]

    def to_frame(self, table: str = "dataset") -> Any:
        """A pandas frame of one table: a row for each of its rows, numbers as they are."""
        from ..analysis.writers import to_frame

        (found,) = self.tables([table])
        return to_frame(found)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from ..analysis.figures import can_draw
        from ..analysis.page import fragment

        return fragment(self.tables(), self.charts() if can_draw() else ())


def stats(
    corpora: Corpora,
    *,
    singletons: bool | None = None,
    lists: bool = False,
    format: str | None = None,
    read_options: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> Statistics:
    """What corpora or responses are made of: documents, words, entities, mentions, as the papers count them.

    Documents are read one by one, so that memory does not grow with their text. With `lists` the entities and
    mentions are kept for the page that `render("html")` makes. `jobs` is the number of processes for files.

    >>> print(stats("corpus.conllu"))  # doctest: +SKIP
    >>> stats({"gold": "key.conllu", "mine": "response.conllu"}).to_frame("entities")  # doctest: +SKIP
    """
    from ..analysis.statistics.survey import Surveying, named, path_of

    work = Surveying(format=format, options=read_options or {}, jobs=jobs, lists=lists)
    pairs = named(corpora)
    surveys = {name: work.survey(name, corpus) for name, corpus in pairs.items()}
    about = {"corpora": {name: path_of(corpus) for name, corpus in pairs.items()}}
    return Statistics(surveys=surveys, singletons=singletons, about=about)
