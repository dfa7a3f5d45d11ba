"""A whole run: documents, labels, styles, the network, and a folder that describes itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...document import Document
from ...resolvers.neural.folder import DESCRIPTION, VERSION, file_hash
from ...resolvers.neural.words import Floats
from ...resolvers.ud.candidates import read_document
from ...resolvers.ud.resolver import MEMBER, WEIGHTS, UdModel, UdOptions, UdResolver
from ...scoring import make_settings, score_documents
from ...scoring.result import package_version
from ..neural.loop import BEST, LOG, processor
from ..run import Report, Tick, clear_run, nothing, put_json, run_fingerprint, settle, write_folder
from .config import UdConfig, UdCorpusConfig
from .data import Example, Reader, common_style, learn_style, make_example, make_table, read_corpus
from .network import UdNetwork, UdRun
from .zeros import learn_zeros

OWN = frozenset((DESCRIPTION, WEIGHTS))
METRICS = ("muc", "b3", "ceafe", "mentions", "zero")
NO_MATTER = ("threads", "save_minutes", "members")


def train_ud(
    config: UdConfig,
    folder: str | Path,
    read: Reader,
    report: Report,
    *,
    shown: UdConfig | None = None,
    tick: Tick = nothing,
    restart: bool = False,
) -> Path:
    """Train a model and give its folder; an interrupted run in the same folder is resumed, or begun anew.

    `shown` is the configuration as the model folder is to have it: with the paths as they were written.
    """
    with processor(config.train.threads):
        return WholeRun(config, Path(folder), read, report, shown=shown, tick=tick, restart=restart).run()


class WholeRun:
    """A run in its folder."""

    def __init__(
        self,
        config: UdConfig,
        folder: Path,
        read: Reader,
        report: Report,
        *,
        shown: UdConfig | None = None,
        tick: Tick = nothing,
        restart: bool = False,
    ) -> None:
        self.config, self.shown = config, shown or config
        self.folder, self.report, self.tick = folder, report, tick
        self.data: dict[str, str] = {}
        self.devs: list[tuple[UdCorpusConfig, list[Document]]] = []
        trained: list[tuple[UdCorpusConfig, list[Document]]] = []
        for corpus, written in zip(config.corpora, self.shown.corpora, strict=True):
            train, dev = read_corpus(corpus, read)
            for name, path in ((written.train, corpus.train), (written.dev, corpus.dev)):
                if name is not None and path is not None:
                    self.data[name] = file_hash(Path(path))
            if corpus.language not in config.train.leave_out and train:
                trained.append((corpus, train))
            if dev:
                self.devs.append((corpus, dev))
        if restart:
            clear_run(folder, ("member-*.pt", LOG), BEST, DESCRIPTION)
        self._prepare(trained)

    def _prepare(self, trained: Sequence[tuple[UdCorpusConfig, list[Document]]]) -> None:
        self.zeros = learn_zeros(doc for _, docs in trained for doc in docs)
        readings = [(corpus, [read_document(doc) for doc in docs]) for corpus, docs in trained]
        self.table = make_table((one for _, own in readings for one in own), self.config.train.labels)
        names = dict.fromkeys(corpus.name for corpus, _ in readings)
        styles = {
            name: learn_style(one for corpus, own in readings if corpus.name == name for one in own) for name in names
        }
        self.styles = {"": common_style(list(styles.values())), **styles}
        numbers = {name: number for number, name in enumerate(self.styles)}
        self.examples: list[tuple[float, list[Example]]] = [
            (
                corpus.weight,
                [make_example(one, self.table, numbers[corpus.name], singletons=corpus.singletons) for one in own],
            )
            for corpus, own in readings
        ]
        sizes: dict[str, dict[str, float]] = {}
        for (corpus, _), (weight, examples) in zip(readings, self.examples, strict=True):
            own = sizes.setdefault(corpus.language, {})
            own[corpus.name] = own.get(corpus.name, 0.0) + weight * sum(one.size for one in examples)
        self.default_styles = {language: max(own, key=own.__getitem__) for language, own in sizes.items()}

    @property
    def fingerprint(self) -> str:
        """Of what must be the same for the training to go on."""
        return run_fingerprint(self.shown.settings(), self.data, NO_MATTER)

    def run(self) -> Path:
        best = self.folder / BEST
        settle(best)
        members = [self._member(number) for number in range(self.config.train.members)]
        together = self._score([network.arrays() for network, _ in members])
        self.report({"together": together})
        scores = {"members": [rows[-1]["scores"] for _, rows in members], "together": together}
        write_folder(best, lambda beside: self._put(beside, [network for network, _ in members], scores), OWN)
        return best

    def _member(self, number: int) -> tuple[UdNetwork, list[dict[str, Any]]]:
        """One network, trained, with its scores by epoch."""
        train = replace(self.config.train, seed=self.config.train.seed + number)
        torch.manual_seed(train.seed)
        network = UdNetwork(self.table.size, len(self.styles), self.config.model)
        run = UdRun(
            replace(self.config, train=train),
            network,
            self.examples,
            self.folder / f"member-{number + 1}.pt",
            fingerprint=f"{self.fingerprint}-{number}",
            score=lambda: self._score([network.arrays()]),
            report=lambda row: self.report({"member": number + 1, **row}),
            tick=self.tick,
        )
        return network, run.run()

    def model(self, members: Sequence[Mapping[str, Floats]]) -> UdModel:
        """The model of these networks."""
        return UdModel(
            name=self.config.name,
            table=self.table,
            styles=self.styles,
            default_styles=self.default_styles,
            members=members,
            options=self._options,
        )

    @property
    def _options(self) -> UdOptions:
        model = self.config.model
        return UdOptions(new_bias=model.new_bias, unknown_bias=model.unknown_bias, min_linked=model.min_linked)

    def _score(self, members: Sequence[Mapping[str, Floats]]) -> dict[str, Any]:
        model = self.model(members)
        found = {}
        for corpus, key in self.devs:
            style = corpus.name if corpus.name in self.styles else ""
            resolver = UdResolver(model, style=style)
            name = corpus.name if corpus.name not in found else f"{corpus.name} ({Path(str(corpus.dev)).stem})"
            found[name] = score_dev(key, [resolver(doc) for doc in key])
        return found

    def _put(self, folder: Path, members: Sequence[UdNetwork], scores: dict[str, Any]) -> None:
        arrays = {
            f"{number}{MEMBER}{name}": weight.astype(np.float16)
            for number, network in enumerate(members)
            for name, weight in network.arrays().items()
        }
        np.savez(folder / WEIGHTS, **arrays)  # type: ignore[arg-type]  # its stubs take the names for options
        description = {
            "version": VERSION,
            "kind": self.config.kind,
            "name": self.config.name,
            "coindex": package_version(),
            "config": self.shown.to_dict(),
            "labels": list(self.table.number),
            "styles": {name: style.to_dict() for name, style in self.styles.items()},
            "default_styles": self.default_styles,
            "options": asdict(self._options),
            "zeros": self.zeros,
            "weights": {WEIGHTS: file_hash(folder / WEIGHTS)},
            "data": self.data,
            "licences": {c.name: c.licence for c in self.config.corpora if c.licence},
            "seed": self.config.train.seed,
            "torch": str(torch.__version__),
            "scores": scores,
        }
        put_json(folder / DESCRIPTION, description)


def score_dev(key: Sequence[Document], response: Sequence[Document]) -> dict[str, Any]:
    """CoNLL and its parts in per cent, with the signature."""
    result = score_documents(key, response, make_settings("crac24", metrics=METRICS))
    parts = {
        f"{name}_{side}": round(100 * getattr(result[name], side), 2)
        for name in METRICS
        for side in ("recall", "precision", "f1")
    }
    conll = 0.0 if result.conll is None else round(100 * result.conll, 2)
    return {"conll": conll, **parts, "signature": result.signature}
