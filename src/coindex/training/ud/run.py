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
from ...scoring import make_settings
from ...scoring.result import package_version
from ..evaluation import Dev, DevSets
from ..run import BEST, Progress, Reader, TrainingRun, put_json, write_folder
from .config import UdConfig, UdCorpusConfig
from .data import Example, common_style, learn_style, make_example, make_table, read_corpus
from .network import UdLoop, UdNetwork
from .zeros import learn_zeros

OWN = frozenset((DESCRIPTION, WEIGHTS))
METRICS = ("muc", "b3", "ceafe", "mentions", "zero")


class UdRun(TrainingRun[UdConfig]):
    """A run for a resolver over UD columns: one or several networks, whose scores are averaged."""

    files = ("member-*.pt",)

    def prepare(self, read: Reader) -> None:
        devs: list[Dev] = []
        trained: list[tuple[UdCorpusConfig, list[Document]]] = []
        settings = make_settings("crac24", metrics=METRICS)
        for corpus in self.config.corpora:
            train, dev = read_corpus(corpus, read)
            if corpus.language not in self.config.train.leave_out and train:
                trained.append((corpus, train))
            if dev:
                path = str(corpus.dev or corpus.train)
                devs.append(Dev(corpus.name, path, tuple(dev), settings, keep_columns=True, is_timed=False))
        self.devs = DevSets(devs)
        self._learn_styles(trained)

    def _learn_styles(self, trained: Sequence[tuple[UdCorpusConfig, list[Document]]]) -> None:
        self.zeros = learn_zeros(doc for _, docs in trained for doc in docs)
        readings = [(corpus, [read_document(doc) for doc in docs]) for corpus, docs in trained]
        self.table = make_table((reading for _, own in readings for reading in own), self.config.train.labels)
        names = dict.fromkeys(corpus.name for corpus, _ in readings)
        styles = {
            name: learn_style(reading for corpus, own in readings if corpus.name == name for reading in own)
            for name in names
        }
        self.styles = {"": common_style(list(styles.values())), **styles}
        numbers = {name: number for number, name in enumerate(self.styles)}
        self.examples: list[tuple[float, list[Example]]] = [
            (
                corpus.weight,
                [
                    make_example(reading, self.table, numbers[corpus.name], singletons=corpus.singletons)
                    for reading in own
                ],
            )
            for corpus, own in readings
        ]
        sizes: dict[str, dict[str, float]] = {}
        for (corpus, _), (weight, examples) in zip(readings, self.examples, strict=True):
            own = sizes.setdefault(corpus.language, {})
            own[corpus.name] = own.get(corpus.name, 0.0) + weight * sum(example.size for example in examples)
        self.default_styles = {language: max(own, key=own.__getitem__) for language, own in sizes.items()}

    def run(self) -> None:
        members = [self._train_member(number) for number in range(self.config.train.members)]
        networks = [loop.network for loop in members]
        together = self._score([network.arrays() for network in networks], self.config.train.epochs)
        self.report({"together": together})
        scores = {"members": [loop.scores[-1]["scores"] for loop in members], "together": together}
        write_folder(self.folder / BEST, lambda beside: self._put(beside, networks, scores), OWN)

    def _train_member(self, number: int) -> UdLoop:
        """Train one of the networks."""
        train = replace(self.config.train, seed=self.config.train.seed + number)
        torch.manual_seed(train.seed)
        network = UdNetwork(self.table.size, len(self.styles), self.config.model)
        loop = UdLoop(
            replace(self.config, train=train),
            network,
            self.examples,
            self.folder / f"member-{number + 1}.pt",
            fingerprint=f"{self.fingerprint}-{number}",
            score=lambda epoch: self._score([network.arrays()], epoch),
            report=lambda row: self.report({"member": number + 1, **row}),
            tick=self.tick,
        )
        loop.run()
        return loop

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

    def _score(self, members: Sequence[Mapping[str, Floats]], epoch: int) -> dict[str, Any]:
        model = self.model(members)

        def make_resolver(corpus: str) -> UdResolver:
            return UdResolver(model, style=corpus if corpus in self.styles else "")

        return self.devs.score(make_resolver, Progress(epoch, self.config.train.epochs, 0, 0), self.tick)

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
