"""Model folders that coindex 0.1.0 wrote still load and find what they found then.

`tests/data/v0.1.0/make_models.py` made the folders and the expected entities.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex.errors import CoindexError

FOLDER = Path(__file__).parents[1] / "data" / "v0.1.0"
MODELS: dict[str, Any] = json.loads((FOLDER / "models.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", MODELS)
def test_an_old_model_finds_what_it_found(name: str) -> None:
    if name == "neural-trained":
        pytest.importorskip("torch", reason="a model that is not exported needs coindex[train]")
    docs = list(coindex.read(FOLDER / f"{MODELS[name]['input']}.jsonl"))
    assert not any(doc.entities for doc in docs)
    found: dict[str, list[str]] = {}
    for doc in coindex.load(str(FOLDER / name)).pipe(docs):
        for mention, entity in doc.mentions():
            found.setdefault(entity.id, []).append(f"{doc.id}: {mention.text}")
    assert sorted(found.values()) == sorted(MODELS[name]["entities"].values())


def test_the_models_are_of_every_kind() -> None:
    described = (json.loads((FOLDER / name / "model.json").read_text(encoding="utf-8")) for name in MODELS)
    assert {one.get("kind", "neural") for one in described} == {"neural", "ud", "cross"}


def test_the_path_of_a_folder_may_have_any_characters(tmp_path: Path) -> None:
    folder = tmp_path / "my models (old) + new"
    shutil.copytree(FOLDER / "ud", folder)
    assert len(coindex.load(str(folder)).parts) == 1
    with pytest.raises(CoindexError, match="syntax error at character"):
        coindex.load(str(tmp_path / "no such model"))
