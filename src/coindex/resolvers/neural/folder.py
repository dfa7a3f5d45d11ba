"""The model folder: what it says of itself, checked before anything in it is used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import CoindexError, MissingExtraError, UnknownNameError
from .graphs import GraphScorer
from .linking import LinkOptions
from .pairs import BASIC
from .pieces import Pieces
from .resolving import NeuralResolver, ResolveOptions
from .tags import TagSet

VERSION = 1
DESCRIPTION = "model.json"
TOKENIZER = "tokenizer.json"


class ModelFolderError(CoindexError):
    """A model folder that cannot be used."""


def read_description(folder: Path) -> dict[str, Any]:
    """What the folder says of itself, after checking that its files are those it speaks of."""
    try:
        data: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelFolderError(
            f"{folder}: no readable {DESCRIPTION} ({error}); expected a model folder; check the path"
        ) from error
    if data.get("version") != VERSION:
        raise ModelFolderError(
            f"{folder}: a model of version {data.get('version')!r}; expected version {VERSION}; train or export it anew"
        )
    for name, expected in data["weights"].items():
        if not (folder / name).exists():
            raise ModelFolderError(f"{folder}: {name} is missing; expected all files of the model; copy it anew")
        if file_hash(folder / name) != expected:
            raise ModelFolderError(
                f"{folder}: {name} is another file than the model was saved with; expected its hash; copy it anew"
            )
    return data


def file_hash(path: Path) -> str:
    """SHA-256 of a file; of a folder, of the names and contents below it."""
    digest = hashlib.sha256()
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    for one in files:
        if path.is_dir():
            digest.update(one.relative_to(path).as_posix().encode())
        digest.update(one.read_bytes())
    return digest.hexdigest()


def make_pieces(tokenizer: Any) -> Pieces:
    """The pieces of a tokenizer, whatever its special tokens are called."""
    tokenizer.no_padding()  # else every word is as long as the longest
    tokenizer.no_truncation()

    def special(*names: str) -> int:
        numbers = (tokenizer.token_to_id(name) for name in names)
        found = next((number for number in numbers if number is not None), None)
        if found is None:
            raise ModelFolderError(f"a tokenizer without {names[0]}; expected one of {', '.join(names)}; use another")
        return int(found)

    return Pieces(
        tokenizer,
        begin=special("[CLS]", "<s>", "<pad>"),
        end=special("[SEP]", "</s>"),
        pad=special("[PAD]", "<pad>"),
        unknown=special("[UNK]", "<unk>"),
    )


def resolve_options(decode: Mapping[str, Any]) -> ResolveOptions:
    """How the model was scored, which is how it is used."""
    return ResolveOptions(
        window=decode["window"],
        candidates=decode["candidates"],
        min_mention=decode["min_mention"],
        link=LinkOptions(decoding=decode["decoding"], new_bias=decode["new_bias"]),
    )


def corpus_number(corpora: tuple[str, ...], name: str | None) -> int:
    """The number of an annotation scheme, from 1; 0 for none."""
    if name is None:
        return 0
    if name not in corpora:
        raise UnknownNameError("annotation scheme of this model", name, corpora)
    return corpora.index(name) + 1


def load_resolver(
    folder: Path, *, corpus: str | None, given: bool = False, options: ResolveOptions | None = None, threads: int = 0
) -> NeuralResolver:
    """The resolver of a folder with exported graphs."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("tokenizers", "models") from error
    data = read_description(folder)
    return NeuralResolver(
        GraphScorer(folder, threads=threads),
        make_pieces(Tokenizer.from_file(str(folder / TOKENIZER))),
        TagSet(tuple(data["tags"]), data["depth"]),
        name=data["config"]["name"],
        features=data["config"]["model"].get("features", BASIC),
        corpus=corpus_number(tuple(data["corpora"]), corpus),
        given=given,
        options=options or resolve_options(data["config"]["decode"]),
    )
