"""Resolvers in other processes: a pickle is small, holds no weights, and gives the same results."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import coindex
from coindex import Document
from coindex.errors import CoindexError
from coindex.resolvers.chain import Chain
from coindex.resolvers.resolver import find_shipped_folder
from pipelines import english

TEXT = "Ann lost her key. She looked for it."
FOUND = [["Ann", "her", "She"], ["her key", "it"]]


def clusters(doc: Document) -> list[list[str]]:
    return [[mention.text for mention in entity.mentions] for entity in doc.entities]


@pytest.fixture(scope="module")
def resolver() -> Chain:
    return coindex.load("en-small", singletons=False, min_link=0.1)


def test_a_pickle_is_small_and_loads_when_it_is_used(resolver: Chain) -> None:
    data = pickle.dumps(resolver)
    assert len(data) < 1000
    again = pickle.loads(data)
    assert "parts" not in vars(again)
    assert repr(again) == "<Chain: en-small>"
    assert clusters(again(TEXT)) == clusters(resolver(TEXT)) == FOUND
    assert again.name == resolver.name == "en-small(min_link=0.1, singletons=no)"


def test_a_copy_shares_the_weights(resolver: Chain) -> None:
    for again in (copy.deepcopy(resolver), copy.copy(resolver), pickle.loads(pickle.dumps(resolver))):
        assert again is not resolver
        assert again.parts[0].step.scorer is resolver.parts[0].step.scorer  # type: ignore[attr-defined]


def test_settings_travel() -> None:
    chain = coindex.load("heads(merge)", mentions="given", keep_entities=True, language="Spanish")
    again = pickle.loads(pickle.dumps(chain))
    assert again.recipe == chain.recipe
    assert (again.mentions, again.keep_entities, again.language, again.singletons) == ("given", True, "es", True)
    assert again.name in ("heads(merge=merge)", chain.name)


def test_a_parser_travels() -> None:
    chain = coindex.load(f"spacy({english()}) + sieves + heads")
    again = pickle.loads(pickle.dumps(chain))
    assert clusters(again(TEXT)) == clusters(chain(TEXT))
    assert again.parts[0].step.engine.nlp is chain.parts[0].step.engine.nlp
    shorter = coindex.load("sieves", parser=f"spacy({english()})")
    assert shorter.name == f"spacy(model={english()}) + sieves"


def test_a_model_folder_is_found_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, elsewhere = tmp_path / "my models + more", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "mine").symlink_to(find_shipped_folder("en-small"))
    monkeypatch.chdir(home)
    data = pickle.dumps(coindex.load("./mine(scheme=gum, singletons=no)"))
    monkeypatch.chdir(elsewhere)
    again = pickle.loads(data)
    assert clusters(again(TEXT)) == FOUND
    assert again.name == "./mine(scheme=gum, singletons=no)"


def test_a_path_object_may_have_any_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a (new) model + more"
    folder.symlink_to(find_shipped_folder("en-small"))
    assert clusters(coindex.load(folder, singletons=False)(TEXT))[0] == FOUND[0]
    with pytest.raises(CoindexError, match=r"cannot read model\.json"):
        coindex.load(tmp_path / "nothing")


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_process_pools(resolver: Chain, method: str) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
        assert [clusters(doc) for doc in pool.map(resolver, [TEXT, TEXT])] == [FOUND, FOUND]


def test_joblib(resolver: Chain) -> None:
    joblib = pytest.importorskip("joblib")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(resolver)(text) for text in [TEXT, "Bob slept."])
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)  # its processes wait for more work
    assert [clusters(doc) for doc in found] == [FOUND, []]


def test_cloudpickle(resolver: Chain) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    data = cloudpickle.dumps(lambda text: clusters(resolver(text)))
    assert len(data) < 10_000
    assert pickle.loads(data)(TEXT) == FOUND
