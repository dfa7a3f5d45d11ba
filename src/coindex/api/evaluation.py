"""Evaluate resolvers on corpora, and record what is needed to reproduce the scores."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from ..arguments import check_paths, check_text
from ..corpora.files import documents
from ..corpora.key_and_response import dataset_name
from ..corpora.resolving import ResolveSettings, resolve_documents
from ..document import Document
from ..errors import CoindexError
from .scoring import ScoreOptions, choose_workers, score

if TYPE_CHECKING:
    from ..engines import Workers
    from ..resolvers.chain import Chain
    from ..resolvers.resolver import Mentions
    from ..scoring import Result
    from ..scoring.corpus import MacroResult

Columns = Literal["raw", "keep", "overt"]
COLUMNS: dict[Columns, str] = {
    "raw": "raw tokens, sentences and speakers",
    "keep": "all columns of the corpus",
    "overt": "all columns of the corpus, without its empty nodes",
}
COLUMN_NEEDS = frozenset({"trees", "tags", "lemmas"})
Tick = Callable[[str, int, int], None]
"""Called with the name of the corpus, the number of finished documents, and the number of all documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusEvaluation:
    """The scores on a corpus, with its size and the time that it took."""

    path: str
    hash: str
    """The checksum of the files."""
    documents: int
    words: int
    seconds: float
    result: Result

    @property
    def words_per_second(self) -> int:
        """The speed on this corpus."""
        return round(self.words / max(self.seconds, 1e-9))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "path": self.path,
            "hash": self.hash,
            "documents": self.documents,
            "words": self.words,
            "seconds": round(self.seconds, 3),
            "words_per_second": self.words_per_second,
            **self.result.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The scores of a resolver on one or more corpora."""

    resolver: str
    models: Mapping[str, str]
    """The checksums of the models that the resolver uses, by name or folder."""
    columns: Columns
    mentions: Mentions = "detected"
    jobs: int
    corpora: Mapping[str, CorpusEvaluation]
    """The evaluation on each corpus, by name."""

    @property
    def results(self) -> dict[str, Result]:
        """The results of all corpora, by name."""
        return {name: evaluation.result for name, evaluation in self.corpora.items()}

    @property
    def macro(self) -> MacroResult:
        """The mean over all corpora."""
        from ..scoring.corpus import macro_average

        return macro_average(self.results)

    @property
    def total(self) -> Result | MacroResult:
        """The result if there is one corpus; otherwise the mean."""
        return self.macro if len(self.corpora) > 1 else next(iter(self.results.values()))

    @property
    def words_per_second(self) -> int:
        """The speed on all corpora together."""
        corpora = self.corpora.values()
        return round(sum(corpus.words for corpus in corpora) / max(sum(corpus.seconds for corpus in corpora), 1e-9))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the signature, the scores of each corpus, their mean, speed and checksums."""
        import platform

        from ..scoring.result import package_version

        macro = self.macro.to_dict()
        del macro["datasets"]
        return {
            "resolver": self.resolver,
            "models": dict(self.models),
            "input": COLUMNS[self.columns],
            "mentions": self.mentions,
            "signature": self.total.signature,
            "corpora": {name: evaluation.to_dict() for name, evaluation in self.corpora.items()},
            "macro": macro,
            "speed": {
                "words_per_second": self.words_per_second,
                "jobs": self.jobs,
                "cores": os.cpu_count(),
                "machine": f"{platform.system()} {platform.machine()}",
            },
            "coindex": package_version(),
            "python": ".".join(map(str, sys.version_info[:3])),
        }


def evaluate(
    model: str,
    corpora: Sequence[str | os.PathLike[str]],
    *,
    columns: Columns = "raw",
    mentions: Mentions = "detected",
    language: str | None = None,
    tick: Tick = lambda corpus, done, documents: None,
    **options: Unpack[ScoreOptions],
) -> Evaluation:
    """Resolve corpora with a model, and score the result.

    Parameters:

    - `model`: a resolver, a chain or a model folder, with options in parentheses ("runs/mine/best(scheme=gum)").
    - `corpora`: the paths of annotated corpora.
    - `columns`: what the resolver sees: "raw" tokens, sentences and speakers; "keep" also keeps the tags and trees of
      the corpus; "overt" keeps these but removes empty nodes, so that the resolver has to predict zeros.
    - `mentions`: "detected" finds mentions, "given" uses those of the corpus, "given-nonsingleton" uses those of
      entities with several mentions.
    - `language`: the language of documents that do not specify one, as an ISO 639 code or a name.
    - `tick`: called with the name of the corpus, the number of resolved documents, and the number of all documents.
    - `options`: those of `score`.

    Returns an `Evaluation` with the scores of each corpus and their mean.

    >>> evaluate("are-baseline", ["dev.conllu"]).total.conll  # doctest: +SKIP
    """
    check_text(model, "model", "a resolver, a chain or the path of a model folder (str)")
    check_paths(corpora, "corpora")
    if not corpora:
        raise CoindexError("no corpora were given; name at least one", code="nothing-given")
    settings = ResolveSettings(resolver=model, mentions=mentions, language=language)
    chain = settings.chain()
    if columns == "raw":
        check_raw(chain)
    evaluations: dict[str, CorpusEvaluation] = {}
    for path in [os.fspath(corpus) for corpus in corpora]:
        name = dataset_name(path)
        name = path if name in evaluations else name
        evaluations[name] = _evaluate_corpus(settings, path, columns, partial(tick, name), options)
    return Evaluation(
        resolver=chain.name,
        models=model_hashes(chain),
        columns=columns,
        mentions=mentions,
        jobs=options.get("jobs", 1),
        corpora=evaluations,
    )


def _evaluate_corpus(
    settings: ResolveSettings,
    path: str,
    columns: Columns,
    tick: Callable[[int, int], None],
    options: ScoreOptions,
) -> CorpusEvaluation:
    from ..resolvers.neural.folder import file_hash
    from ..training.loop import resolve_key

    key: list[Document] = list(documents(path, options.get("format"), options.get("read_options", {}), annotated=True))
    if not any(doc.entities for doc in key):
        raise CoindexError(
            "the corpus has no entities to score against; use a corpus with coreference annotation",
            code="no-entities",
            path=path,
        )
    resolved = resolve_key(
        key,
        partial(_resolve, settings=settings, overt=columns == "overt", workers=choose_workers(options)),
        keep_columns=columns != "raw",
        keep_entities=settings.mentions != "detected",
        tick=lambda number: tick(number, len(key)),
    )
    return CorpusEvaluation(
        path=path,
        hash=file_hash(Path(path)),
        documents=len(key),
        words=resolved.words,
        seconds=resolved.seconds,
        result=score(key, resolved.response, **options),
    )


def _resolve(
    docs: Iterable[Document], *, settings: ResolveSettings, overt: bool, workers: Workers
) -> Iterator[Document]:
    """Resolve documents, with `overt` after removing their empty nodes."""
    from ..formats.surface import without_zeros

    inputs = map(without_zeros, docs) if overt else docs
    return resolve_documents(inputs, settings, workers)


def check_raw(chain: Chain) -> None:
    """Raise an error if a resolver needs columns that raw tokens lack and that no parser before it adds."""
    for part in chain.parts:
        if part.resolver.kind == "parser":
            return
        if needs := COLUMN_NEEDS.intersection(part.resolver.needs):
            name = part.resolver.name
            raise CoindexError(
                f"{name} needs {' and '.join(sorted(needs))}, but gets raw tokens; put a parser before it, as in "
                f"'spacy(MODEL) + {name}', or keep the columns of the corpus with --columns keep "
                '(columns="keep" in Python)',
                code="missing-layer",
            )


def model_hashes(chain: Chain) -> dict[str, str]:
    """Return the checksum of the description of each model; the description contains those of the model's files."""
    from ..resolvers.neural.folder import DESCRIPTION, file_hash
    from ..resolvers.registry import model_folder

    names = dict.fromkeys(part.resolver.name for part in chain.parts)
    paths = {name: model_folder(name) / DESCRIPTION for name in names}
    return {name: file_hash(path) for name, path in paths.items() if path.is_file()}
