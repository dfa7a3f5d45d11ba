"""A tiny encoder and a tiny corpus, made here."""

import json

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


@pytest.fixture(scope="session")
def corpus_path(tmp_path_factory):
    pairs = [(a, b) for a in NAMES for b in NAMES if a != b]
    lines = [json.dumps(marked(f"d{n}", a, b, VERBS[n % 4])) for n, (a, b) in enumerate(pairs)]
    path = tmp_path_factory.mktemp("corpus") / "stories.jsonlines"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def encoder_path(tmp_path_factory, corpus_path):
    """A BERT of two layers with a vocabulary of whole words, saved as Hugging Face saves one."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("encoder")
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
        max_position_embeddings=64,
    )
    BertModel(shape).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def make_config(encoder_path, corpus_path):
    """A configuration of a run that takes seconds; what is given replaces its training settings."""
    from coindex.training.config import Config, CorpusConfig, ModelConfig, TrainConfig

    def make(**train):
        settings = {
            "epochs": 2,
            "encoder_rate": 2e-3,
            "head_rate": 4e-3,
            "warmup": 2,
            "window": (16, 40),
            "average": 0.8,
            "predicted_after": 6,
        } | train
        return Config(
            name="tiny",
            model=ModelConfig(encoder=encoder_path, mention=32, query=16, pair=16, tag_hidden=32, dropout=0.0),
            corpora=(CorpusConfig(name="stories", train=corpus_path, dev=corpus_path, match="exact", singletons=True),),
            train=TrainConfig(**settings),
        )

    return make
