"""The model folder: weights, configuration, tags, data and scores, so that it explains itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

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
from ..resolvers.neural.pieces import Pieces
from ..resolvers.neural.resolving import NeuralResolver
from ..resolvers.neural.tags import TagSet
from .checkpoint import write_json, write_whole
from .config import Config, parse_section
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
            corpus=self.corpus_number(corpus),
            given=given,
            options=resolve_options(asdict(self.config.decode)),
        )


def new_model(config: Config, tags: TagSet) -> TrainedModel:
    """An untrained model on its encoder."""
    from transformers import AutoTokenizer

    corpora = tuple(dict.fromkeys(corpus.name for corpus in config.corpora))
    model = CoreferenceModel(load_encoder(config.model), config.model, tags=len(tags.names), corpora=len(corpora))
    tokenizer = AutoTokenizer.from_pretrained(config.model.encoder, use_fast=True).backend_tokenizer
    return TrainedModel(config, tags, corpora, model, make_pieces(tokenizer), tokenizer)


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
