"""Resolve the texts of a Hugging Face dataset with `Dataset.map`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arguments import check_text
from ..corpora.resolving import load
from ..document import Document
from ..errors import CoindexError, MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from ..resolvers.chain import Chain

RESOLVED = "resolved_text"


def batch_resolver(
    resolver: Chain | str | None = None,
    *,
    text_column: str = "text",
    columns: Iterable[str] = ("mentions", "entities"),
) -> BatchResolver:
    """Return a function for `Dataset.map(function, batched=True)` that resolves the texts of a column.

    It adds columns of the format `parquet` and works with `num_proc`, `IterableDataset` and the format "arrow". Needs
    `coindex[parquet]`.

    Parameters:

    - `resolver`: a loaded resolver or the name of one (default: the model for English).
    - `text_column`: the column with the texts. A missing text has no mentions.
    - `columns`: the columns to add: those of the format `parquet`, and "resolved_text".

    Returns a `BatchResolver`.

    >>> function = batch_resolver("en-small", text_column="body")
    >>> dataset = dataset.map(function, batched=True, features=function.features(dataset))  # doctest: +SKIP
    """
    from ..formats.columns import schema

    check_text(text_column, "text_column", "the name of a column")
    known = [*schema().names, RESOLVED]
    chosen = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in chosen:
        if name not in known:
            raise UnknownNameError("column", name, known)
    return BatchResolver(
        load(resolver) if resolver is None or isinstance(resolver, str) else resolver, text_column, chosen
    )


@dataclass(frozen=True, slots=True)
class BatchResolver:
    """Resolves batches of rows. It can be pickled: a copy loads the model on first use."""

    resolver: Chain
    text_column: str
    columns: tuple[str, ...]

    def __call__(self, batch: Any) -> Any:
        """Return the new columns for a batch that is a dict of lists; a batch that is an Arrow table with them added.

        `batch` is what `Dataset.map` passes with `batched=True`.
        """
        import pyarrow

        from ..formats.columns import list_columns, make_row

        is_table = isinstance(batch, pyarrow.Table)
        names = batch.column_names if is_table else list(batch)
        if self.text_column not in names:
            message = f"no column {self.text_column!r}; the dataset has {list_columns(names)}"
            raise CoindexError(message, code="missing-column", remedy="set text_column")
        texts = batch[self.text_column]
        docs = [Document.from_text(text or "") for text in (texts.to_pylist() if is_table else texts)]
        rows = [
            make_row(doc) | {RESOLVED: doc.resolved_text() if RESOLVED in self.columns else None}
            for doc in self.resolver.pipe(docs)
        ]
        values = {name: [row[name] for row in rows] for name in self.columns}
        if not is_table:
            table = pyarrow.table(
                [pyarrow.array(values[name], self._type(name)) for name in self.columns], self.columns
            )
            return {name: table[name].to_pylist() for name in self.columns}
        for name, column in values.items():
            array = pyarrow.array(column, self._type(name))
            at = batch.column_names.index(name) if name in batch.column_names else None
            batch = batch.append_column(name, array) if at is None else batch.set_column(at, name, array)
        return batch

    def features(self, dataset: Any) -> Any:
        """Return the `Features` of the dataset after `map`: otherwise types are guessed from the first batch.

        `dataset` is the dataset before `map`, or its features.
        """
        try:
            from datasets import Features
        except ImportError as error:
            raise MissingExtraError("datasets", "datasets") from error
        import pyarrow

        before: Mapping[str, Any] = getattr(dataset, "features", dataset) or {}
        own = pyarrow.schema([(name, self._type(name)) for name in self.columns])
        return Features({**before, **Features.from_arrow_schema(own)})

    def _type(self, name: str) -> Any:
        import pyarrow

        from ..formats.columns import schema

        return pyarrow.string() if name == RESOLVED else schema().field(name).type
