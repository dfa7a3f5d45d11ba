"""Trees and types that are learned beside the task."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import coindex  # noqa: E402
from coindex.resolvers.neural.words import (  # noqa: E402
    NUMBER,
    document_words,
)
from coindex.training.neural.data import (  # noqa: E402
    cut_alone,
    make_example,
    make_stretch,
    word_syntax,
)
from coindex.training.neural.folder import (  # noqa: E402
    batch_tensors,
    load_model,
)
from coindex.training.neural.network import AuxiliaryLosses  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402

TREE = """# newdoc id = d
# sent_id = 1
1	Mr.	Mr.	PROPN	_	_	2	nmod:desc	_	Entity=(e1
2	Green	Green	PROPN	_	_	3	nsubj	_	Entity=e1)
3	slept	sleep	VERB	_	_	0	root	_	_

# sent_id = 2
1	He	he	PRON	_	_	2	nsubj	_	Entity=(e1)
2	snored	snore	VERB	_	_	0	root	_	_

"""


@pytest.fixture
def doc(tmp_path):
    path = tmp_path / "d.conllu"
    path.write_text("# global.Entity = eid\n" + TREE, encoding="utf-8")
    return next(iter(coindex.read(path)))


def test_a_word_has_its_tag_its_relation_and_its_parent(doc):
    found = word_syntax(doc, document_words(doc))
    tags, relations = NUMBER["upos"], NUMBER["deprel"]
    assert found[:, 0].tolist() == [tags[name] for name in ("PROPN", "PROPN", "VERB", "PRON", "VERB")]
    assert found[0, 1] == relations["nmod"]
    assert found[:, 2].tolist() == [1, 2, 2, 4, 4]


def test_trees_and_types_are_read_only_where_the_model_asks_for_them(doc, make_config):
    model = make_config().model
    doc = doc.replace(entities=tuple(replace(entity, type="person") for entity in doc.entities))
    plain = make_example(doc, "c", model)
    assert plain.syntax is None
    assert plain.types == ()
    asked = make_example(doc, "c", replace(model, syntax=True, types=("place", "person")))
    assert asked.syntax is not None
    assert asked.types == (1, 1)
    assert make_example(doc, "c", replace(model, types=("place",))).types == ()


def test_a_part_counts_parents_from_its_own_first_word(doc, make_config):
    whole = make_example(doc, "c", replace(make_config().model, syntax=True))
    second = cut_alone(whole, 1, 2)
    assert second.syntax[:, 2].tolist() == [1, 1]


def test_a_parent_is_sought_in_the_sentence_alone(make_config):
    torch.manual_seed(1)
    lessons = AuxiliaryLosses(replace(make_config().model, syntax=True), 8, 4)
    vectors = torch.randn(4, 8)
    sentences = np.array([0, 0, 1, 1])
    syntax = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 3], [1, 1, 3]])
    moved = vectors.clone()
    moved[2:] += 5  # other words change nothing in what the first sentence costs
    unknown = syntax.copy()
    unknown[2:] = [0, 0, -1]
    assert lessons.words(vectors, unknown, sentences).item() == pytest.approx(
        lessons.words(moved, unknown, sentences).item(), rel=1e-5
    )


def test_a_model_learns_them_and_its_folder_loads(tmp_path, make_config):
    path = tmp_path / "trees.conllu"
    blocks = [TREE.replace("id = d", f"id = d{n}") for n in range(6)]
    path.write_text("# global.Entity = eid-etype\n" + "".join(blocks).replace("(e1", "(e1-person"), encoding="utf-8")
    config = make_config(epochs=6)
    config = replace(
        config,
        model=replace(config.model, syntax=True, types=("person", "place")),
        corpora=(replace(config.corpora[0], train=str(path), dev=None),),
    )
    rows = []
    best = NeuralRun.train(config, tmp_path / "run", coindex.read, rows.append)
    loaded = load_model(best)
    example = make_example(next(iter(coindex.read(path))), "stories", config.model)
    vectors = loaded.model.words(*_inputs(loaded, example))[0]
    loss = loaded.model.auxiliary_losses.words(vectors, example.syntax, example.words.sentence_of)
    assert loss.item() < 1.0  # untrained it is about the logarithm of the number of tags, 3


def _inputs(loaded, example):
    return batch_tensors(make_stretch(example, loaded.pieces, loaded.detector, 40).batch, 1)
