"""A tiny encoder and a tiny corpus, made here: `from tiny_model import make_encoder, make_corpus, CONFIG`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NAMES = ("Anna", "Boris", "Clara", "David")
VERBS = ("saw", "met", "heard", "liked")


def story(first, second, verb):
    """Sentences whose entities are plain: a name and the pronouns that mean it."""
    gender = {"Anna": ("She", "her"), "Clara": ("She", "her"), "Boris": ("He", "his"), "David": ("He", "his")}
    subject, possessive = gender[first]
    return [f"{first} {verb} {second} .", f"{subject} lost {possessive} dog .", f"{second} found the dog of {first} ."]


def marked(doc_id, first, second, verb):
    """The story as jsonlines, its clusters written by hand."""
    sentences = [sentence.split() for sentence in story(first, second, verb)]
    return {
        "doc_key": doc_id,
        "sentences": sentences,
        "clusters": [[[0, 0], [4, 4], [6, 6], [14, 14]], [[2, 2], [9, 9]], [[6, 7], [11, 14]]],
    }


def make_corpus(path: Path) -> str:
    """Twelve stories in a file."""
    pairs = [(a, b) for a in NAMES for b in NAMES if a != b]
    lines = [json.dumps(marked(f"d{n}", a, b, VERBS[n % 4])) for n, (a, b) in enumerate(pairs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def make_encoder(folder: Path) -> str:
    """A BERT of two layers with a vocabulary of whole words, saved as Hugging Face saves one."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words = "she he her his lost found dog of the . " + " ".join((*NAMES, *VERBS)).lower()
    vocabulary = {word: number for number, word in enumerate([*specials, *dict.fromkeys(words.split())])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=16)  # as some published tokenizers do
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    shape = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=300,
    )
    torch.manual_seed(1)  # the same weights, whatever ran before
    BertModel(shape).save_pretrained(folder)
    return str(folder)


CONFIG = """
# A run that takes seconds.
name = "tiny"

[model]
encoder = "encoder"
mention = 32
query = 16
pair = 16
tag_hidden = 32

[train]
epochs = 2
encoder_rate = 2e-3
head_rate = 4e-3
warmup = 2
window = [16, 40]
average = 0.8
predicted_after = 6

[[corpora]]
name = "stories"
train = "stories.jsonlines"
dev = "stories.jsonlines"
match = "exact"
singletons = true
licence = "CC0"
"""


def make_run(folder: Path, text: str = CONFIG) -> Path:
    """A folder with an encoder, a corpus and a configuration of both; the path of the last."""
    folder.mkdir(parents=True, exist_ok=True)
    make_encoder(folder / "encoder")
    make_corpus(folder / "stories.jsonlines")
    path = folder / "tiny.toml"
    path.write_text(text, encoding="utf-8")
    return path


LEARNED = (
    CONFIG.replace("epochs = 2", "epochs = 12")
    .replace("head_rate = 4e-3", "head_rate = 6e-3")
    .replace("predicted_after = 6", "predicted_after = 60")
    .replace("tag_hidden = 32", "tag_hidden = 32\ndropout = 0.0\nword_dropout = 0.0\nencoder_dropout = 0.0")
)
"""Long enough to learn the stories by heart."""


def train_model(folder: Path) -> Path:
    """In a folder as of `make_run` the folder of a model that knows the stories by heart: runs/tiny/best."""
    from coindex.api import train

    return train(make_run(folder, LEARNED), folder / "runs" / "tiny")


@contextmanager
def small_disk(most: int) -> Iterator[None]:
    """No file can grow beyond so many bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource", reason="the system has no such limits")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
