"""Evaluating: a resolver on corpora, with all that is needed to say what its scores are worth."""

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
from .scoring import ScoreOptions, score

if TYPE_CHECKING:
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
"""Told the corpus, how many of its documents are done, and how many it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusEvaluation:
    """The scores on a corpus, and what it took to get them; `hash` is that of the files."""

    path: str
    hash: str
    documents: int
    words: int
    seconds: float
    result: Result

    @property
    def words_per_second(self) -> int:
        return round(self.words / max(self.seconds, 1e-9))

    def to_dict(self) -> dict[str, Any]:
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
    """The scores of a resolver on corpora, by their names; `models` has the hashes of the model folders it uses."""

    resolver: str
    models: Mapping[str, str]
    columns: Columns
    mentions: Mentions = "detected"
    jobs: int
    corpora: Mapping[str, CorpusEvaluation]

    @property
    def results(self) -> dict[str, Result]:
        return {name: found.result for name, found in self.corpora.items()}

    @property
    def macro(self) -> MacroResult:
        """The mean of all corpora."""
        from ..scoring.corpus import macro_average

        return macro_average(self.results)

    @property
    def total(self) -> Result | MacroResult:
        """The result of the one corpus, or the mean of several."""
        return self.macro if len(self.corpora) > 1 else next(iter(self.results.values()))

    @property
    def words_per_second(self) -> int:
        found = self.corpora.values()
        return round(sum(one.words for one in found) / max(sum(one.seconds for one in found), 1e-9))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the signature, the scores of each corpus, their mean, the speed, all hashes."""
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
            "corpora": {name: found.to_dict() for name, found in self.corpora.items()},
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
    """Resolve corpora with a resolver, a chain or a model folder ("runs/mine/best(scheme=gum)"), and score the result.

    The resolver sees raw tokens, sentences and speakers, as a user's text would have them; with `columns="keep"` also
    the tags and trees of the corpus, for resolvers that work on them, and with "overt" these without empty nodes, so
    that zeros are to be found. With `mentions="given"` it links the mentions of
    the corpus, with "given-nonsingleton" those of entities with several. The options are those of `score`.

    >>> evaluate("are-baseline", ["dev.conllu"]).total.conll  # doctest: +SKIP
    """
    check_text(model, "model", "a resolver, a chain or the path of a model folder (str)")
    check_paths(corpora, "corpora")
    if not corpora:
        raise CoindexError("no corpora were given; give at least one", code="nothing-given")
    settings = ResolveSettings(resolver=model, mentions=mentions, language=language)
    chain = settings.chain()
    if columns == "raw":
        check_raw(chain)
    found: dict[str, CorpusEvaluation] = {}
    for path in [os.fspath(corpus) for corpus in corpora]:
        name = dataset_name(path)
        name = path if name in found else name
        found[name] = _evaluate_corpus(settings, path, columns, partial(tick, name), options)
    return Evaluation(
        resolver=chain.name,
        models=model_hashes(chain),
        columns=columns,
        mentions=mentions,
        jobs=options.get("jobs", 1),
        corpora=found,
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
            "no entities in it; expected a corpus with coreference to score by; leave it out",
            code="no-entities",
            path=path,
        )
    resolved = resolve_key(
        key,
        partial(_resolved, settings=settings, overt=columns == "overt", jobs=options.get("jobs", 1)),
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


def _resolved(docs: Iterable[Document], *, settings: ResolveSettings, overt: bool, jobs: int) -> Iterator[Document]:
    """The documents resolved, without their empty nodes if only what is overt is to be seen."""
    from ..formats.surface import without_zeros

    given = map(without_zeros, docs) if overt else docs
    return resolve_documents(given, settings, jobs=jobs)


def check_raw(chain: Chain) -> None:
    """Refuse a resolver that works on columns which raw tokens do not have, and nobody before it makes."""
    for part in chain.parts:
        if part.resolver.kind == "parser":
            return
        if needs := COLUMN_NEEDS.intersection(part.resolver.needs):
            name = part.resolver.name
            raise CoindexError(
                f"{name} works on {' and '.join(sorted(needs))}, and is given raw tokens; expected a resolver of raw "
                f"text; put a parser before it, as in 'spacy(MODEL) + {name}', or let it see the columns of the corpus "
                'with --columns keep (columns="keep" in Python)',
                code="missing-layer",
            )


def model_hashes(chain: Chain) -> dict[str, str]:
    """The hash of the description of each model, shipped or in a folder, which has those of its files."""
    from ..resolvers.neural.folder import DESCRIPTION, file_hash
    from ..resolvers.registry import MODULES
    from ..resolvers.resolver import shipped_folder

    names = dict.fromkeys(part.resolver.name for part in chain.parts)
    paths = {name: (shipped_folder(name) if name in MODULES else Path(name)) / DESCRIPTION for name in names}
    return {name: file_hash(path) for name, path in paths.items() if path.is_file()}
