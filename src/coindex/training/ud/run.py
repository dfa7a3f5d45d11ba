"""Train a resolver over UD columns: documents, labels, styles, networks, and a self-describing model folder.

From corpora that annotate zeros, it also learns which predicates have a dropped subject and how zeros are written. This
is a logistic regression over features of predicates without an overt subject. Each feature has a weight for all
languages and one for its own language, so that the model also works for unseen languages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...document import Document
from ...document.heads import Trees
from ...resolvers.linguistics.languages import language_of
from ...resolvers.neural.folder import DESCRIPTION, VERSION, file_hash
from ...resolvers.neural.words import Floats
from ...resolvers.ud.candidates import read_document
from ...resolvers.ud.resolver import MEMBER, WEIGHTS, UdModel, UdOptions, UdResolver
from ...resolvers.ud.zeros import Place, Predicate, base, open_predicates
from ...scoring import make_settings
from ...scoring.result import package_version
from ..loop import Dev, DevSets
from ..run import BEST, Progress, Reader, TrainingRun, put_json, write_folder
from .config import UdConfig, UdCorpusConfig
from .data import Example, common_style, learn_style, make_example, make_table, read_corpus
from .network import UdLoop, UdNetwork

LEAST_SEEN = 5
"""How often a feature is seen before it has a weight."""
LEAST_SHARE = 0.02
"""The share of open predicates with a zero under which a language drops no pronouns."""
LEAST_OPEN = 20
"""Open predicates of a language that it takes to say anything of it."""
LEAST_FORM = 3
"""How often a form is seen before zeros are written with it."""
STEPS, RATE, DECAY = 150, 0.1, 2e-4
FOLDS = 3
DIGITS = 3
SUBJECT_FORMS = frozenset({"SUBJ"})
"""Forms that mark a dropped subject if DEPS does not (KorKor)."""


@dataclass(slots=True)
class _Seen:
    """What one language shows."""

    rows: list[tuple[str, ...]] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    places: Counter[Place] = field(default_factory=Counter)
    on_copula: int = 0
    copulas: int = 0
    with_features: int = 0
    zeros: int = 0
    forms: defaultdict[str, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))


def learn_zeros(docs: Iterable[Document]) -> dict[str, Any]:
    """Return the input of `ZeroTable.from_dict`, learned from documents with trees and gold zeros."""
    seen: dict[str, _Seen] = {}
    for doc in docs:
        trees = Trees(doc)
        if trees.has_trees and len(trees.parents) == len(doc.tokens):
            _count_document(doc, trees, seen.setdefault(language_of(doc).code, _Seen()))
    known = {code: counts for code, counts in seen.items() if code and len(counts.rows) >= LEAST_OPEN}
    dropping = {
        code: counts for code, counts in known.items() if sum(counts.labels) >= LEAST_SHARE * len(counts.labels)
    }
    rows = [(code, *row) for code, counts in dropping.items() for row in counts.rows]
    labels = np.array([label for counts in dropping.values() for label in counts.labels], dtype=np.float64)
    weights = _fit(rows, labels)
    least = _thresholds(rows, labels)
    habits = {
        code: _habit(counts, least[code]) if code in dropping else {"drops": False} for code, counts in known.items()
    }
    return {"weights": weights, "languages": dict(sorted(habits.items()))}


def _count_document(doc: Document, trees: Trees, seen: _Seen) -> None:
    zeros = find_dropped_subjects(doc)
    for predicate in open_predicates(doc, trees):
        zero = zeros.get(predicate.position)
        on_copula = zero is None and predicate.copula is not None and predicate.copula in zeros
        if on_copula and predicate.copula is not None:
            zero = zeros[predicate.copula]
        seen.rows.append(predicate.features)
        seen.labels.append(zero is not None)
        if zero is not None:
            seen.copulas += predicate.copula is not None
            seen.on_copula += on_copula
            _count_zero(doc, trees, predicate, zero, seen)


def find_dropped_subjects(doc: Document) -> dict[int, int]:
    """Return the empty nodes that are subjects, by the positions of their governors."""
    zeros: dict[int, int] = {}
    trees = Trees(doc)
    for zero, token in doc.tokens.empty_tokens.items():
        if token.deps == "_" and token.form in SUBJECT_FORMS:
            governor = next((at for at in range(zero, -1, -1) if not doc.tokens[at].is_empty), None)
        else:
            arcs = trees.enhanced(zero) if token.deps != "_" else []
            governor = next((parent for parent, rel in arcs if base(rel) == "nsubj" and "xsubj" not in rel), None)
        if governor is not None:
            zeros[governor] = zero
    return zeros


def _count_zero(doc: Document, trees: Trees, predicate: Predicate, zero: int, seen: _Seen) -> None:
    token = doc.tokens[zero]
    place: Place = "before the group"
    if zero > predicate.position:
        place = "after the verb"
    elif not any(not doc.tokens[at].is_empty for at in range(zero + 1, predicate.position)):
        place = "before the verb"
    if place != "before the verb" or _is_preceded(doc, trees, predicate.position):
        seen.places[place] += 1
    seen.zeros += 1
    seen.with_features += token.feats != "_"
    pair = token.form, token.lemma
    values = [predicate.inflection.get(name, "") or "-" for name in ("Person", "Number", "Gender")]
    for many in range(4):
        seen.forms[" ".join(values[:many])][pair] += 1


def _is_preceded(doc: Document, trees: Trees, position: int) -> bool:
    """Return whether the word before the verb depends on it, so that the place of the zero matters."""
    before = next((at for at in range(position - 1, -1, -1) if not doc.tokens[at].is_empty), None)
    return before is not None and trees.parents[before] == position


def _habit(seen: _Seen, least: float) -> dict[str, Any]:
    forms: dict[str, tuple[str, str]] = {}
    for key, counts in sorted(seen.forms.items(), key=lambda item: (len(item[0].split()), item[0])):
        pair, times = counts.most_common(1)[0]
        if times >= LEAST_FORM and pair != _shorter(forms, key):
            forms[key] = pair
    return {
        "drops": True,
        "least": least,
        "place": seen.places.most_common(1)[0][0] if seen.places else "before the verb",
        "on_copula": 2 * seen.on_copula > seen.copulas,
        "features": 2 * seen.with_features > seen.zeros,
        "forms": {key: list(pair) for key, pair in forms.items()},
    }


def _shorter(forms: Mapping[str, tuple[str, str]], key: str) -> tuple[str, str]:
    """Return the form for the longest prefix of the key that has one."""
    values = key.split()
    written = (forms.get(" ".join(values[:many])) for many in range(len(values) - 1, -1, -1))
    return next((pair for pair in written if pair is not None), ("_", "_"))


def _numbers(rows: Sequence[tuple[str, ...]]) -> tuple[list[str], list[list[int]]]:
    """Return the names of features that are frequent enough, and the feature numbers of each row."""
    named = [[*row[1:], *(f"{row[0]}:{name}" for name in row[1:])] for row in rows]
    counts = Counter(name for row in named for name in row)
    names = sorted(name for name, times in counts.items() if times >= LEAST_SEEN)
    where = {name: number for number, name in enumerate(names)}
    return names, [[where[name] for name in row if name in where] for row in named]


def _fit(rows: Sequence[tuple[str, ...]], labels: NDArray[np.float64]) -> dict[str, float]:
    names, numbers = _numbers(rows)
    if not names:
        return {}
    weights = _descend(numbers, len(names), labels)
    rounded = {name: round(float(weight), DIGITS) for name, weight in zip(names, weights, strict=True)}
    return {name: weight for name, weight in rounded.items() if weight}


def _descend(numbers: Sequence[Sequence[int]], size: int, labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights with the lowest loss, found by Adam over all rows at once."""
    flat = np.array([number for row in numbers for number in row], dtype=np.intp)
    owner = np.repeat(np.arange(len(numbers)), [len(row) for row in numbers])
    weights, mean, square = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, STEPS + 1):
        total = np.bincount(owner, weights[flat], minlength=len(numbers))
        wrong = 1 / (1 + np.exp(-np.clip(total, -50, 50))) - labels
        slope = np.bincount(flat, wrong[owner], minlength=size) / len(numbers) + DECAY * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope * slope
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def _thresholds(rows: Sequence[tuple[str, ...]], labels: NDArray[np.float64]) -> dict[str, float]:
    """Return, by language, the probability threshold of zeros with the best F1 on held-out rows."""
    guesses = np.zeros(len(rows))
    fold = np.arange(len(rows)) * FOLDS // max(len(rows), 1)
    codes = np.array([row[0] for row in rows])
    for code in sorted(set(codes)):  # blocks of each language, as documents are
        mine = np.flatnonzero(codes == code)
        fold[mine] = np.arange(len(mine)) * FOLDS // len(mine)
    for part in range(FOLDS):
        train = [row for row, its in zip(rows, fold, strict=True) if its != part]
        weights = _fit(train, labels[fold != part]) if train else {}
        for number, row in enumerate(rows):
            if fold[number] == part:
                guesses[number] = _probability(weights, row)
    return {str(code): _best(guesses[codes == code], labels[codes == code]) for code in sorted(set(codes))}


def _probability(weights: Mapping[str, float], row: tuple[str, ...]) -> float:
    total = sum(weights.get(name, 0.0) + weights.get(f"{row[0]}:{name}", 0.0) for name in row[1:])
    return float(1 / (1 + np.exp(-np.clip(total, -50, 50))))


def _best(guesses: NDArray[np.float64], labels: NDArray[np.float64]) -> float:
    def f1(least: float) -> float:
        right = float(labels[guesses >= least].sum())
        return 2 * right / max(float((guesses >= least).sum() + labels.sum()), 1.0)

    return max((round(0.05 * number, 2) for number in range(5, 15)), key=f1)


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
        """Return the model of these networks."""
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
