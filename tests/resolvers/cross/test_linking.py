"""Linking on workers: shards, components and the state give the same result in every case."""

import pickle
import subprocess
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.cross.stories import documents

import coindex
from coindex.api.cross_document import CollectionSettings, resolve_collection
from coindex.errors import CoindexError
from coindex.resolvers.cross import linking, sharing
from coindex.resolvers.cross.clustering import ClusterOptions
from coindex.resolvers.cross.collection import Collection
from coindex.resolvers.cross.en_cross import model_folder
from coindex.resolvers.cross.linking import ALONE, LinkOptions, link
from coindex.resolvers.cross.mentions import CandidateOptions
from coindex.resolvers.cross.model import SCORERS
from coindex.resolvers.cross.scorer import lexical_scorers, load_scorer
from coindex.resolvers.cross.sharing import Shared
from coindex.resolvers.cross.vectors import make_vectors
from command import run
from engine_runs import COMMAND
from ray_nodes import start_nodes

SMALL = LinkOptions(
    candidates=CandidateOptions(all_up_to=10, list_up_to=5, each=2, near_documents=3, near=4),
    clusters=ClusterOptions(most=12, budget=2),
)
"""Limits that a small collection exceeds."""
NAMES = ("head", "lower", "span", "rest", "phrase", "sentence", "document")


def made_vectors(collection):
    random = np.random.default_rng(3)
    heads = [mention.text.split()[-1] for mention in collection.mentions]
    names, number = np.unique(heads, return_inverse=True)
    centres = random.standard_normal((len(names), 384))
    return {
        name: (centres[number] + 0.5 * random.standard_normal((len(heads), 384))).astype(np.float32) for name in NAMES
    }


@pytest.mark.parametrize("is_learned", [False, True])
@pytest.mark.parametrize("is_known", [False, True])
def test_shards_and_files_do_not_change_the_result(is_learned, is_known, tmp_path, monkeypatch):
    """Everything goes through files in small shards, but in this process."""
    collection = Collection.of(documents(480))
    topics = np.arange(len(collection.documents)) % 2
    scorers, vectors = lexical_scorers(), None
    if is_learned:
        scorers = {kind: load_scorer(model_folder() / file) for kind, file in SCORERS.items()}
        vectors = made_vectors(collection)
    known = np.where(collection.document < 15, collection.entity // 2, ALONE) if is_known else None
    monkeypatch.setattr(linking, "SHARD", 50)
    wanted = link(collection, topics, scorers, vectors=vectors, known=known, options=SMALL)
    assert len(np.unique(wanted.labels)) < len(collection) / 2
    monkeypatch.setattr(linking, "shared_folder", lambda workers: nullcontext(tmp_path))
    found = link(collection, topics, scorers, vectors=vectors, known=known, options=SMALL)
    assert found.labels.tolist() == wanted.labels.tolist()
    assert found.scores.tolist() == wanted.scores.tolist()
    assert len(list(tmp_path.iterdir())) > 3


def settings(**more):
    return CollectionSettings(resolver="cross", topics="none", mentions="given", **more)


def test_processes_do_not_change_the_result(tmp_path):
    """The collection has several shards of each kind; the second half is added to the first."""
    docs = list(documents(4800))
    assert resolve_collection(docs, settings(), 2) == resolve_collection(docs, settings())
    for jobs in (1, 2):
        state = tmp_path / f"{jobs}.npz"
        resolve_collection(docs[:150], settings(state=str(state)), jobs)
        after = resolve_collection(docs[150:], settings(state=str(state)), jobs)
        coindex.write(after, tmp_path / f"{jobs}.json")
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


def write_texts(folder):
    folder.mkdir()
    for number in range(70):  # more than two batches
        town, who = ("Solva", "Alder", "Bexley")[number % 3], ("Lena Brandt", "the mayor")[number % 2]
        text = (
            f"A strong earthquake struck {town} on Tuesday, said {who}. The earthquake killed {number % 5 + 2} people."
        )
        (folder / f"{number:02}.txt").write_text(text, encoding="utf-8")
    return folder


def test_a_model_on_processes(tmp_path):
    """Tagger, vectors, both stages of the scorer."""
    texts = write_texts(tmp_path / "texts")
    for jobs in ("1", "2"):
        done = run("resolve", texts, "--cross", "-r", "en-cross", "--jobs", jobs, "-o", tmp_path / f"{jobs}.json")
        assert done.code == 0, done.err
    written = (tmp_path / "1.json").read_bytes()
    assert b"earthquake" in written
    assert written == (tmp_path / "2.json").read_bytes()


def test_a_cluster_of_two_nodes(tmp_path):
    pytest.importorskip("ray")
    coindex.write(documents(4800), tmp_path / "news.json", "json")
    command = ("resolve", tmp_path / "news.json", "--cross", "-r", "cross", "--topics", "none", "--mentions", "given")
    assert run(*command, "-o", tmp_path / "here.json").code == 0
    with start_nodes(tmp_path / "gate") as nodes:
        there = ("--engine", "ray", "--address", nodes.address, "--jobs", "2")
        output = ("-o", tmp_path / "there.json", "--state", tmp_path / "state.npz")
        done = subprocess.run(
            [*COMMAND, *map(str, (*command, *there, *output))],
            env=nodes.environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "here.json").read_bytes() == (tmp_path / "there.json").read_bytes()


def test_shared_objects_are_paths(tmp_path):
    shared = Shared({"numbers": np.arange(100_000), "name": "x"}, tmp_path)
    data = pickle.dumps(shared)
    assert len(data) < 1000
    opened = pickle.loads(data).value
    assert opened["numbers"].sum() == 99_999 * 50_000
    assert not opened["numbers"].flags.writeable
    with pytest.raises(TypeError, match="cannot be shared"):
        pickle.dumps(Shared(1))
    (file,) = tmp_path.iterdir()
    missing = pickle.loads(data.replace(file.name.encode(), b"0" * len(file.name)))
    with pytest.raises(CoindexError) as raised:
        _ = missing.value
    assert raised.value.code == "unreadable-file"


class Lengths:
    """An encoder whose vectors are the lengths of words."""

    size = 2

    def encode(self, docs):
        return [self._encode(doc) for doc in docs]

    def _encode(self, doc):
        words = np.array([[len(form), 1] for form in doc.tokens.forms], dtype=np.float32)
        sentences = np.array([words[s.start : s.end].sum(axis=0) for s in doc.sentences], dtype=np.float32)
        return SimpleNamespace(words=words, lower=-words, sentences=sentences)


def test_large_vectors_are_on_disk(monkeypatch):
    collection = Collection.of(documents(100))
    make = make_vectors(Lengths())
    expected = make(collection)
    monkeypatch.setattr(sharing, "LARGE", 1)
    found = make(collection)
    assert found.keys() == expected.keys()
    for name, vectors in found.items():
        assert np.array_equal(vectors, expected[name]), name
        assert not vectors.flags.owndata
        assert vectors.flags.writeable
        assert vectors.any()
