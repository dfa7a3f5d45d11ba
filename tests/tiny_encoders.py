"""Tiny encoders of several kinds, made here: `from tiny_encoders import KINDS, make_encoder`."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tiny_stories import BOOK, KING

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
T5_SIZES = {"d_model": 32, "num_layers": 2, "num_heads": 2, "d_ff": 64, "d_kv": 16}


def word_pieces() -> Any:
    """Lower-cased words of the stories, and letters: BERT's way."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    letters = [*string.ascii_lowercase, *string.punctuation, *string.digits]
    words = sorted({line.split()[0].lower() for line in (KING + BOOK).splitlines() if line} - set(letters))
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters), *words]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def byte_pairs() -> Any:
    """Bytes, and nothing joined but the blank with the next letter: RoBERTa's way."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    joined = [f"Ġ{letter}" for letter in string.ascii_letters]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *alphabet, *joined]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", letter) for letter in string.ascii_letters], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def sentence_pieces() -> Any:
    """Letters after a mark for the blank: T5's way."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    letters = [*string.ascii_letters, *string.punctuation, *string.digits]
    pieces = ["<pad>", "</s>", "<unk>", "<s>", "▁", *letters, *(f"▁{letter}" for letter in letters)]
    tokenizer = Tokenizer(models.Unigram([(piece, -2.0) for piece in pieces], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


BERT = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
ROBERTA = {"unk_token": "<unk>", "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>"}
T5 = {"unk_token": "<unk>", "pad_token": "<pad>", "eos_token": "</s>"}
LONG = {"max_position_embeddings": 300}
# Names of the configuration and of the model in transformers, the tokenizer, its special tokens, sizes.
KINDS: dict[str, tuple[str, str, Callable[[], Any], dict[str, str], dict[str, int]]] = {
    "bert": ("BertConfig", "BertModel", word_pieces, BERT, SIZES | LONG),
    "roberta": ("RobertaConfig", "RobertaModel", byte_pairs, ROBERTA, SIZES | LONG),
    "xlm-roberta": ("XLMRobertaConfig", "XLMRobertaModel", sentence_pieces, ROBERTA, SIZES | LONG),
    "mpnet": ("MPNetConfig", "MPNetModel", word_pieces, BERT, SIZES | LONG),
    "rembert": ("RemBertConfig", "RemBertModel", word_pieces, BERT, SIZES | {"input_embedding_size": 16}),
    "electra": ("ElectraConfig", "ElectraModel", word_pieces, BERT, SIZES | {"embedding_size": 16}),
    "nomic": ("NomicBertConfig", "NomicBertModel", word_pieces, BERT, SIZES | LONG | {"head_dim": 16}),
    "t5": ("T5Config", "T5ForConditionalGeneration", sentence_pieces, T5, T5_SIZES),
    "mt5": ("MT5Config", "MT5EncoderModel", sentence_pieces, T5, T5_SIZES),
}


def make_encoder(kind: str, folder: Path) -> str:
    """An encoder with its tokenizer, saved as Hugging Face saves one."""
    import torch
    import transformers

    config, model, make_tokenizer, specials, sizes = KINDS[kind]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **specials).save_pretrained(folder)
    pad = tokenizer.token_to_id(specials["pad_token"])
    ends = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": pad}
    shape = getattr(transformers, config)(vocab_size=tokenizer.get_vocab_size(), **ends, **sizes)
    torch.manual_seed(1)  # the same weights, whatever ran before
    getattr(transformers, model)(shape).save_pretrained(folder)
    return str(folder)
