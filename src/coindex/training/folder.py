"""The model folder: weights, configuration, tags, data and scores, so that it explains itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from ..errors import UnknownNameError
from ..resolvers.neural.folder import (
    DESCRIPTION,
    TOKENIZER,
    VERSION,
    corpus_number,
    file_hash,
    make_pieces,
    read_description,
    resolve_options,
)
from ..resolvers.neural.pairs import FEATURES
from ..resolvers.neural.pieces import Pieces
from ..resolvers.neural.resolving import NeuralResolver
from ..resolvers.neural.tags import TagSet
from .checkpoint import write_json, write_whole
from .config import Config, ConfigError, parse_section
from .model import CoreferenceModel, load_encoder
from .scoring_model import TorchScorer

WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class TrainedModel:
    """A model with what is needed to use it."""

    config: Config
    tags: TagSet
    corpora: tuple[str, ...]
    """Names of annotation schemes; the number of one is its place here, from 1."""
    model: CoreferenceModel
    pieces: Pieces
    tokenizer: Any

    def corpus_number(self, name: str | None) -> int:
        """The number of a scheme; 0 for none."""
        return corpus_number(self.corpora, name)

    def resolver(self, corpus: str | None, *, given: bool = False) -> NeuralResolver:
        """A resolver that computes with torch."""
        return NeuralResolver(
            TorchScorer(self.model),
            self.pieces,
            self.tags,
            name=self.config.name,
            features=self.config.model.features,
            corpus=self.corpus_number(corpus),
            given=given,
            options=resolve_options(asdict(self.config.decode)),
        )


def new_model(config: Config, tags: TagSet) -> TrainedModel:
    """An untrained model on its encoder."""
    from transformers import AutoTokenizer

    corpora = tuple(dict.fromkeys(corpus.name for corpus in config.corpora))
    check_features(config.model.features)
    model = CoreferenceModel(load_encoder(config.model), config.model, tags=len(tags.names), corpora=len(corpora))
    if config.model.start is not None:
        start_from(model, Path(config.model.start), tags, corpora)
    tokenizer = AutoTokenizer.from_pretrained(config.model.encoder, use_fast=True).backend_tokenizer
    return TrainedModel(config, tags, corpora, model, make_pieces(tokenizer), tokenizer)


def check_features(names: Sequence[str]) -> None:
    """Refuse names that do not exist, and a choice without what every model needs."""
    for name in names:
        if name not in FEATURES:
            raise UnknownNameError("feature of a pair", name, FEATURES)
    if missing := sorted({"match", "kinds"} - set(names)):
        raise ConfigError(f"model: features without {' and '.join(missing)}; expected both; add them")


def start_from(model: CoreferenceModel, folder: Path, tags: TagSet, corpora: tuple[str, ...]) -> None:
    """Put the weights of another model into this one; both must know the same tags and corpora."""
    data = read_description(folder)
    if tuple(data["tags"]) != tags.names or tuple(data["corpora"]) != corpora:
        raise ConfigError(
            f"{folder}: made for other tags or corpora; expected those of this run; train on the same corpora, in "
            "the same order, or leave out model.start"
        )
    try:
        model.load_state_dict(load_file(folder / WEIGHTS), strict=False)
    except RuntimeError as error:  # another size of some part
        raise ConfigError(f"{folder}: {error}; expected a model of the same sizes; use its settings") from error


def save_model(folder: Path, trained: TrainedModel, facts: dict[str, Any]) -> None:
    """Write the folder; `facts` are data hashes, scores, the seed: all that is good to know."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: weight.detach().contiguous() for name, weight in trained.model.state_dict().items()}
    write_whole(folder / WEIGHTS, lambda beside: save_file(weights, beside))
    write_whole(folder / TOKENIZER, lambda beside: trained.tokenizer.save(str(beside)))
    write_json(folder / "encoder.json", trained.model.words.encoder.config.to_dict())
    write_json(
        folder / DESCRIPTION,
        {
            "version": VERSION,
            "config": trained.config.to_dict(),
            "tags": trained.tags.names,
            "depth": trained.tags.depth,
            "corpora": trained.corpora,
            "weights": {WEIGHTS: file_hash(folder / WEIGHTS)},
            **facts,
        },
    )


def load_model(folder: str | Path, *, attention: str = "sdpa") -> TrainedModel:
    """The model of a folder, to be used with torch or exported."""
    folder = Path(folder)
    data = read_description(folder)
    config: Config = parse_section(Config, data["config"], str(folder / DESCRIPTION))
    tags = TagSet(tuple(data["tags"]), data["depth"])
    encoder = load_encoder(config.model, settings=folder / "encoder.json", attention=attention)
    model = CoreferenceModel(encoder, config.model, tags=len(tags.names), corpora=len(data["corpora"]))
    model.load_state_dict(load_file(folder / WEIGHTS))
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    return TrainedModel(config, tags, tuple(data["corpora"]), model.eval(), make_pieces(tokenizer), tokenizer)
