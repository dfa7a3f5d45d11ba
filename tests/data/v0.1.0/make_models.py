"""The script that made the model folders beside it with coindex 0.1.0; kept as their documentation, not run by tests.

They are as small as can be: a neural model as it was trained and as it was exported, one over UD columns and one of
collections, each with the entities that it found then in a text of its own (`models.json`). From the root of the
repository, with version 0.1.0: `PYTHONPATH=tests python tests/data/v0.1.0/make_models.py`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import coindex
import tiny_cross
import tiny_encoders
import tiny_model
import tiny_ud
from coindex.document import Document

HERE = Path(__file__).parent
TEXT = "Clara met David . She lost her dog . David found the dog of Clara ."
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
NEURAL = {
    "model.mention": 16,
    "model.query": 8,
    "model.pair": 4,
    "model.tag_hidden": 16,
    "model.features": ["gap", "mentions", "sentences", "match", "nesting"],
    "train.epochs": 40,
    "decode.window": 40,
}
UD = {"model.word": 8, "model.layers": 1, "model.mention": 8, "model.pair": 4, "model.second": 2}
CROSS = {"train.epochs": 60, "train.head_rate": 0.02, "pairs.projection": 0, "pairs.networks": 0, "pairs.rounds": 20}
INPUTS = {"neural-trained": "text", "neural": "text", "ud": "trees", "cross": "news"}


def entities(docs: Sequence[Document]) -> dict[str, list[str]]:
    """The mentions of each entity, with their documents; an entity may be in several."""
    found: dict[str, list[str]] = {}
    for doc in docs:
        for mention, entity in doc.mentions():
            found.setdefault(entity.id, []).append(f"{doc.id}: {mention.text}")
    return found


def keep(model: Path, name: str) -> Path:
    """Copy a folder to this one."""
    shutil.rmtree(HERE / name, ignore_errors=True)
    return Path(shutil.copytree(model, HERE / name))


def make_neural(folder: Path) -> None:
    config = tiny_model.make_run(folder, tiny_model.LEARNED)
    shutil.rmtree(folder / "encoder")
    make_small_encoder(folder / "encoder")
    best = keep(coindex.train(config, folder / "run", changes=NEURAL), "neural-trained")
    exported, _ = coindex.export(best, folder / "exported")
    keep(exported, "neural")


def make_small_encoder(folder: Path) -> None:
    """An encoder like that of `tiny_model`, with fewer weights."""
    import transformers

    original = transformers.BertConfig

    def smaller(**options: int) -> transformers.BertConfig:
        return original(**{**options, **SMALL, "max_position_embeddings": 64})

    transformers.BertConfig = smaller
    try:
        tiny_model.make_encoder(folder)
    finally:
        transformers.BertConfig = original


def make_ud(folder: Path) -> None:
    folder.mkdir()
    keep(coindex.train(tiny_ud.make_run(folder) / "tiny.toml", folder / "run", changes=UD), "ud")


def make_cross(folder: Path) -> None:
    folder.mkdir()
    sizes = {**SMALL, "num_hidden_layers": 2, "max_position_embeddings": 64}  # the first layer is frozen
    tiny_encoders.KINDS["bert"] = (*tiny_encoders.KINDS["bert"][:4], sizes)
    keep(coindex.train(tiny_cross.make_run(folder) / "tiny.toml", folder / "run", changes=CROSS), "cross")


def main() -> None:
    makers: dict[str, Callable[[Path], None]] = {"neural": make_neural, "ud": make_ud, "cross": make_cross}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in makers.items():
            make(Path(folder) / name)
    texts = {"text": [Document.from_text(TEXT, id="text")], "trees": [tiny_ud.story(5)]}
    for name, docs in (texts | {"news": tiny_cross.documents()[-3:]}).items():
        coindex.write([doc.replace(entities=()) for doc in docs], HERE / f"{name}.jsonl", "json")
    found = {}
    for model, name in INPUTS.items():
        docs = list(coindex.read(HERE / f"{name}.jsonl"))
        found[model] = {"input": name, "entities": entities(list(coindex.load(str(HERE / model)).pipe(docs)))}
    (HERE / "models.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
