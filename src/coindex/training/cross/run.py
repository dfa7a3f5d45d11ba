"""A whole run: the tagger, mentions to learn pairs on, graphs, the pair scorer, a folder that describes itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from ...document import Document, Kind
from ...formats.json import document_record, record_document
from ...resolvers.cross.model import GRAPHS, SCORERS, KindTags, tags_description
from ...resolvers.cross.vectors import Encoder
from ...resolvers.cross.within import Tagger, load_tagger
from ...resolvers.neural.folder import DESCRIPTION, TOKENIZER, VERSION, file_hash
from ...scoring.result import package_version
from ..run import BEST, Reader, TrainingRun, put_json, write_folder, write_whole
from .config import CrossConfig
from .pair_scorer import train_pairs
from .tagger import (
    TaggerLoop,
    TrainedTagger,
    choose_bias,
    folds,
    make_tags,
    new_tagger,
    put_graphs,
    put_weights,
    read_topics,
    score_tagger,
    select_trained_weights,
)

TAGGER = "tagger"
"""The name of the tagger that is kept; those of folds have numbers behind it."""
OWN = frozenset((DESCRIPTION, TOKENIZER, *GRAPHS, *SCORERS.values()))


class CrossRun(TrainingRun[CrossConfig]):
    """A run for cross-document coreference: the tagger, mentions to learn pairs from, graphs, the pair scorers."""

    files = (f"{TAGGER}.pt", f"{TAGGER}-*.pt", "predicted-*.jsonl")

    def prepare(self, read: Reader) -> None:
        self.docs, self.dev = read_topics(self.config.corpus, read)
        self.tags = make_tags(self.docs, self.config.model)

    def run(self) -> None:
        trained = self._train_tagger(TAGGER, self.docs, self.config.train.members)
        predicted = self._predict_folds()
        write_folder(self.folder / BEST, lambda beside: self._put(beside, trained, predicted), OWN)

    def _train_tagger(self, name: str, docs: Sequence[Document], members: int) -> TrainedTagger:
        loop = TaggerLoop(
            self.config,
            docs,
            self.tags,
            self.folder / f"{name}.pt",
            name=name,
            members=members,
            fingerprint=self.fingerprint,
            report=self.report,
            tick=self.tick,
        )
        loop.run()
        return loop.trained

    def _predict_folds(self) -> list[Document]:
        """Return the training documents with mentions of taggers that have not seen their topics."""
        number = self.config.train.folds
        path = self.folder / f"predicted-{number}.jsonl"
        if not number:
            return []
        if path.exists() and (known := _read_documents(path, self.fingerprint)) is not None:
            return known
        by_id: dict[int, Document] = {}
        for part, topics in enumerate(folds(self.docs, number), 1):
            seen = [doc for doc in self.docs if doc.topic not in topics]
            trained = self._train_tagger(f"{TAGGER}-{number}-{part}", seen, 1)
            places = [at for at, doc in enumerate(self.docs) if doc.topic in topics]
            for at, doc in zip(places, trained.tagger().pipe(self.docs[at] for at in places), strict=True):
                by_id[at] = doc
        docs = [by_id[at] for at in range(len(self.docs))]
        _write_documents(path, self.fingerprint, docs)
        return docs

    def _put(self, folder: Path, trained: TrainedTagger, predicted: list[Document]) -> None:
        exported = new_tagger(self.config.model, self.tags, self.config.train.seed, attention="eager")
        put_weights(exported.network, select_trained_weights(trained.network))
        put_graphs(exported, folder, self.config.train.bits)
        files = (*GRAPHS, TOKENIZER)
        self._describe(folder, files, self.tags, {})
        tagger = load_tagger(folder, threads=self.config.train.threads)
        scores = {}
        if self.dev:  # what is chosen and scored is what users get, with weights of few bits
            tagger = choose_bias(tagger, self.dev)
            scores = score_tagger(tagger, self.dev)
        self.report({"mentions": scores})
        pairs = self._train_pairs(folder, tagger, predicted)
        made = tuple(name for name in SCORERS.values() if (folder / name).exists())
        self._describe(folder, (*files, *made), tagger.tags, {"scores": {"mentions": scores}, "pairs": pairs})

    def _train_pairs(self, folder: Path, tagger: Tagger, predicted: list[Document]) -> dict[str, Any]:
        encoder = Encoder(folder, threads=self.config.train.threads)
        detected = {"train": predicted, "dev": list(tagger.pipe(self.dev))}
        docs = {"train": self.docs, "dev": self.dev}
        return train_pairs(self.config.pairs, folder, docs, encoder, detected, self.report)

    def _describe(
        self, folder: Path, files: Sequence[str], tags: Mapping[Kind, KindTags], facts: dict[str, Any]
    ) -> None:
        description = {
            "version": VERSION,
            "kind": self.config.kind,
            "coindex": package_version(),
            "config": self.shown.to_dict(),
            "tags": tags_description(tags),
            "weights": {name: file_hash(folder / name) for name in files},
            "data": self.data,
            "licences": {
                Path(self.shown.corpus.path).name: self.shown.corpus.licence,
                **({"WordNet 3.0": "WordNet 3.0 license"} if self.config.pairs.meanings else {}),
            },
            "seed": self.config.train.seed,
            "torch": str(torch.__version__),
            **facts,
        }
        put_json(folder / DESCRIPTION, description)


def _write_documents(path: Path, fingerprint: str, docs: Sequence[Document]) -> None:
    lines = [json.dumps(fingerprint), *(json.dumps(document_record(doc), ensure_ascii=False) for doc in docs)]

    def write(beside: Path) -> None:
        beside.write_text("\n".join(lines) + "\n", "utf-8", "surrogatepass")

    write_whole(path, write)


def _read_documents(path: Path, fingerprint: str) -> list[Document] | None:
    """Return the documents of a file; None if the file belongs to another run."""
    first, *lines = path.read_text("utf-8", "surrogatepass").splitlines()
    return [record_document(json.loads(line)) for line in lines] if json.loads(first) == fingerprint else None
