"""A pupil learns what teachers say, annotated text or not."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import coindex

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from coindex.settings import ConfigError  # noqa: E402 - after torch
from coindex.training.neural.config import DistilConfig  # noqa: E402 - after torch
from coindex.training.neural.data import (  # noqa: E402
    Labels,
    make_detector,
    make_stretch,
    read_examples,
)
from coindex.training.neural.distillation import Teachers, normalise_links, soft_detection_loss, soft_link_loss  # noqa: E402
from coindex.training.neural.folder import (  # noqa: E402
    batch_tensors,
    load_model,
)
from coindex.training.neural.network import AuxiliaryLosses  # noqa: E402
from coindex.training.neural.run import NeuralRun  # noqa: E402


@pytest.fixture
def raw_path(tmp_path, corpus_path):
    """The stories without their entities."""
    path = tmp_path / "raw.jsonlines"
    coindex.write((doc.replace(entities=()) for doc in coindex.read(corpus_path)), str(path))
    return str(path)


@pytest.fixture
def pupil(make_config, learned, raw_path):
    """A configuration that has nothing but raw text and a teacher."""
    config = make_config(epochs=12, encoder_rate=2e-3, head_rate=6e-3, warmup=4)
    corpus = replace(config.corpora[0], train=raw_path, unlabelled=True)
    model = replace(config.model, word_dropout=0.0, encoder_dropout=0.0)
    return replace(config, model=model, corpora=(corpus,), distil=DistilConfig(teachers=(str(learned[0]),)))


def labelled(config, folder):
    """The teachers' view of the first story."""
    examples = read_examples(config.corpora[0], config.corpora[0].train, coindex.read)
    teachers = Teachers(config, make_detector(config.model, examples), folder)
    return teachers, examples[0], teachers.ask(examples[0].words, "stories")


def test_a_pupil_learns_from_raw_text(pupil, tmp_path):
    rows = []
    NeuralRun.train(pupil, tmp_path / "run", coindex.read, rows.append)
    assert rows[0] == {"labelled": 12, "of": 12}
    scores = [row["scores"]["stories"]["conll"] for row in rows if "scores" in row]
    assert max(scores) > 90
    assert len(list((tmp_path / "run" / "labels").glob("*.npz"))) == 12


def test_probabilities_add_up(pupil, tmp_path):
    teachers, example, labels = labelled(pupil, tmp_path)
    assert labels.detection.shape == (len(example.words), teachers.detector.outputs)
    assert np.allclose(labels.detection.astype(float).sum(1), 1, atol=0.01)
    spans = list(zip(labels.start.tolist(), labels.end.tolist(), strict=True))
    assert [" ".join(example.words.forms[a:b]) for a, b in spans][:3] == ["Anna", "Boris", "She"]
    # "She" is the third mention: its two candidates and a new entity
    assert labels.links[1:3].astype(float).sum() + float(labels.new[2]) == pytest.approx(1, abs=0.01)
    assert labels.links[1] > 0.5  # Anna


def test_teachers_are_asked_once(pupil, tmp_path, monkeypatch):
    examples = [read_examples(pupil.corpora[0], pupil.corpora[0].train, coindex.read)[:2]]
    teachers, _, expected = labelled(pupil, tmp_path / "labels")
    first = teachers.label(examples, lambda done, total: None)
    files = sorted((tmp_path / "labels").glob("*.npz"))
    assert len(files) == 2
    monkeypatch.setattr(Teachers, "ask", lambda self, words, scheme: pytest.fail("asked again"))
    again = teachers.label(examples, lambda done, total: None)
    for one, two in zip(first[0], again[0], strict=True):
        for name in Labels.__slots__:
            assert np.array_equal(getattr(one.labels, name), getattr(two.labels, name))
    assert np.array_equal(first[0][0].labels.links, expected.links)


def test_teachers_run_again_when_their_output_would_change(pupil, learned, tmp_path):
    teacher = tmp_path / "teacher"
    shutil.copytree(learned[0], teacher)
    config = replace(pupil, distil=DistilConfig(teachers=(str(teacher),)))
    examples = [read_examples(config.corpora[0], config.corpora[0].train, coindex.read)[:1]]
    found = []
    for bias in (0.0, 3.0):
        description = json.loads((teacher / "model.json").read_text(encoding="utf-8"))
        description["config"]["decode"]["new_bias"] = bias
        (teacher / "model.json").write_text(json.dumps(description), encoding="utf-8")
        teachers, _, _ = labelled(config, tmp_path / "labels")
        found.append(teachers.label(examples, lambda done, total: None)[0][0].labels.new)
    assert (found[1] > found[0]).any()


def test_the_kept_answers_are_those_to_the_same_words_and_columns(pupil, tmp_path, monkeypatch):
    (one, *_) = read_examples(pupil.corpora[0], pupil.corpora[0].train, coindex.read)
    teachers, _, labels = labelled(pupil, tmp_path / "labels")
    monkeypatch.setattr(Teachers, "ask", lambda self, words, scheme: labels)
    forms = ["\ud800", *one.words.forms[1:]]  # half a surrogate pair
    columns = [np.full((len(forms), 1), value) for value in (1, 2)]
    changes = [{}, {"forms": forms}, *({"columns": one} for one in columns)]
    others = [replace(one, words=replace(one.words, **change)) for change in changes]
    teachers.label([others, others], lambda done, total: None)
    assert len(list((tmp_path / "labels").iterdir())) == 4


def test_a_damaged_file_is_rebuilt(pupil, tmp_path):
    examples = [read_examples(pupil.corpora[0], pupil.corpora[0].train, coindex.read)[:1]]
    teachers, _, _ = labelled(pupil, tmp_path / "labels")
    teachers.label(examples, lambda done, total: None)
    path = next((tmp_path / "labels").glob("*.npz"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    teachers.label(examples, lambda done, total: None)
    with np.load(path) as data:
        assert set(data) == set(Labels.__slots__)


def test_two_teachers_are_one_answer(pupil, learned, make_config, tmp_path):
    other = NeuralRun.train(make_config(epochs=1, seed=9), tmp_path / "other", coindex.read, lambda row: None)
    both = replace(pupil, distil=DistilConfig(teachers=(str(learned[0]), str(other))))
    alone = [
        labelled(replace(pupil, distil=DistilConfig(teachers=(str(one),))), tmp_path)[2] for one in (learned[0], other)
    ]
    mean = np.mean([one.detection.astype(float) for one in alone], axis=0)
    assert np.allclose(labelled(both, tmp_path)[2].detection.astype(float), mean, atol=2e-3)


def test_an_exported_model_is_a_teacher(pupil, learned, tmp_path):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from coindex.training.neural.export import export_model

    export_model(learned[0], tmp_path / "graphs", bits=32)
    exported = replace(pupil, distil=DistilConfig(teachers=(str(tmp_path / "graphs"),)))
    _, _, expected = labelled(pupil, tmp_path / "labels")
    _, _, labels = labelled(exported, tmp_path / "labels")
    for name in Labels.__slots__:
        assert np.allclose(getattr(labels, name), getattr(expected, name), atol=1e-3)
    rows = []
    NeuralRun.train(exported, tmp_path / "run", coindex.read, rows.append)
    assert rows[0] == {"labelled": 12, "of": 12}
    description = json.loads((tmp_path / "run" / "best" / "model.json").read_text(encoding="utf-8"))
    (origin,) = description["origins"]
    known = json.loads((learned[0] / "model.json").read_text(encoding="utf-8"))
    assert (origin["role"], origin["data"], origin["seed"]) == ("teacher", known["data"], known["seed"])


def example_labels():
    return Labels(
        detection=np.array([[0.25, 0.75], [1.0, 0.0]], dtype=np.float16),
        start=np.array([0, 1]),
        end=np.array([1, 2]),
        head=np.array([0, 1]),
        links=np.array([0.75], dtype=np.float16),
        new=np.array([1.0, 0.25], dtype=np.float16),
        vectors=np.zeros((2, 0), dtype=np.float16),
    )


def test_the_loss_is_lowest_if_the_student_agrees():
    labels, anaphor = example_labels(), np.array([1])
    new = torch.tensor([0.0, 0.0], requires_grad=True)
    scores = torch.tensor([float(np.log(3))], requires_grad=True)  # 3 to 1, as the labels are
    loss = soft_link_loss(scores, new, anaphor, labels)
    loss.backward()
    assert torch.allclose(scores.grad, torch.zeros(1), atol=1e-6)
    assert torch.allclose(new.grad, torch.zeros(2), atol=1e-6)
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / 2
    assert float(loss.detach()) == pytest.approx(entropy, abs=1e-6)


def test_links_and_new_entities_share_one_probability():
    links, new = normalise_links(torch.tensor([1.0, 2.0, 0.5]), torch.tensor([0.0, 0.3, -1.0]), np.array([1, 2, 2]))
    sums = new.exp().index_add(0, torch.tensor([1, 2, 2]), links.exp())
    assert torch.allclose(sums, torch.ones(3))


def test_soft_tags_are_cross_entropy(learned):
    from coindex.resolvers.neural.detection import TagSet

    labels = example_labels()
    scores = torch.log(torch.tensor([[0.25, 0.75], [0.5, 0.5]]))
    expected = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75) + np.log(0.5)) / 2
    assert float(soft_detection_loss(scores, labels, TagSet(("", "PUSH,POP:1")))) == pytest.approx(expected, abs=1e-6)


def test_raw_text_without_a_teacher_is_refused(make_config):
    config = make_config()
    with pytest.raises(ConfigError, match=r"distil\.teachers"):
        replace(config, corpora=(replace(config.corpora[0], unlabelled=True),))


def test_a_teacher_that_does_not_know_the_corpus(pupil, tmp_path):
    config = replace(pupil, corpora=(replace(pupil.corpora[0], name="novels"),))
    with pytest.raises(ConfigError, match="novels"):
        NeuralRun.train(config, tmp_path / "run", coindex.read, lambda row: None)


def with_hints(config, teacher, size):
    return replace(
        config,
        model=replace(config.model, hints=size),
        distil=DistilConfig(teachers=(str(teacher),), tag_weight=0.1, share=0.0),
    )


def test_words_learn_to_predict_the_vectors_of_the_teacher(make_config, learned, tmp_path):
    size = load_model(learned[0]).model.words.encoder.config.hidden_size
    config = with_hints(make_config(epochs=6, predicted_after=0), learned[0], size)
    rows = []
    best = NeuralRun.train(config, tmp_path / "run", coindex.read, rows.append)
    assert rows[0] == {"labelled": 12, "of": 12}  # annotated as they are, as a tenth of the tags is the teacher's
    pupil, example = load_model(best), read_examples(config.corpora[0], config.corpora[0].train, coindex.read)[0]
    wanted = Teachers(config, pupil.detector, tmp_path).ask(example.words, "stories").vectors
    assert wanted.shape == (len(example.words), size)
    stretch = make_stretch(example, pupil.pieces, pupil.detector, 40)
    vectors = pupil.model.words(*batch_tensors(stretch.batch, 1))[0]
    assert pupil.model.auxiliary_losses.teacher(vectors, wanted).item() < 0.6  # 1 is what telling nothing costs


def test_the_distance_to_a_teacher_does_not_depend_on_its_scale(make_config):
    lessons = AuxiliaryLosses(replace(make_config().model, hints=4), 8, 4)
    vectors, wanted = torch.randn(3, 8), np.random.default_rng(1).normal(size=(3, 4))
    one, same = lessons.teacher(vectors, wanted), lessons.teacher(vectors, wanted * 9 + 2)
    assert one.item() == pytest.approx(same.item(), rel=1e-2)


def test_hints_of_another_size_or_without_a_teacher(make_config, learned, tmp_path):
    with pytest.raises(ConfigError, match=r"hints must be \d+, .* not 5"):
        NeuralRun.train(with_hints(make_config(), learned[0], 5), tmp_path / "run", coindex.read, lambda row: None)
    config = make_config()
    with pytest.raises(ConfigError, match=r"distil\.teachers"):
        replace(config, model=replace(config.model, hints=8))
