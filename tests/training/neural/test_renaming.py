"""Names that are exchanged while a model is trained."""

from dataclasses import replace

import numpy as np
import pytest

import coindex
from coindex.resolvers.neural.detection import FEMININE, MASCULINE
from coindex.training.neural.config import ModelConfig
from coindex.training.neural.data import Names, make_example

STORIES = (
    "[Anna Berg]a met [the baker]b . [She]a greeted [Karl]b ; [he]b knew [Anna]a . [May]c is a month , it may rain .",
    "[Olga Lund]a sang . [Olga]a was happy and [her]a friend [Ivan]b heard [himself]b laugh .",
    "[Paris]a is large . [Rome]b is old .",
)
MODEL = ModelConfig(encoder="none", types=("person", "place"))


def example(text, types=None):
    """A story whose mentions stand in brackets, each with the letter of its entity."""
    forms, spans, entities, open_at = [], [], [], 0
    for word in text.split():
        if word.startswith("["):
            open_at = len(forms)
        form, _, entity = word.lstrip("[").partition("]")
        forms.append(form)
        if entity:
            spans.append((open_at, len(forms)))
            entities.append(ord(entity) - ord("a"))
    plain = make_example(coindex.Document.from_text(" ".join(forms)), "c", MODEL)
    assert plain.words.forms == forms
    known = () if types is None else tuple(types[entity] for entity in entities)
    return replace(plain, spans=tuple(spans), entities=tuple(entities), heads=(-1,) * len(spans), types=known)


@pytest.fixture
def examples():
    return [example(STORIES[0]), example(STORIES[1]), example(STORIES[2], types=[1, 1])]


def test_a_name_is_what_is_always_written_with_a_capital(examples):
    roles = Names(examples).roles(examples[0])
    assert {form: role.gender for form, role in roles.items()} == {
        "Anna": FEMININE,
        "Berg": FEMININE,
        "Karl": MASCULINE,
    }  # neither May, which occurs as "may" and whose gender nothing tells, nor the baker


def test_names_are_replaced_by_names_used_in_the_same_way(examples):
    names = Names(examples)
    new = names.exchange(examples[0], np.random.default_rng(1))
    changed = {old: form for old, form in zip(examples[0].words.forms, new.words.forms, strict=True) if old != form}
    assert changed == {"Anna": "Olga", "Berg": "Lund", "Karl": "Ivan"}
    assert (new.spans, new.entities) == (examples[0].spans, examples[0].entities)


def test_titles_are_no_names(examples):
    """Neither exchanged nor put in the place of a name, with a dot or without."""
    told = [
        example("[Captain Anna Berg]a saw [Mr Karl]b . [She]a greeted [him]b ; [Sir Karl]b thanked [Capt Berg]a ."),
        example("[Dr Olga Lund]a met [Mister Ivan]b . [She]a knew [him]b ."),
    ]
    names = Names(told)
    assert set(names.roles(told[0])) == {"Anna", "Berg", "Karl"}
    forms = [names.exchange(told[0], np.random.default_rng(seed)).words.forms for seed in range(5)]
    for one in forms:
        assert [one[at] for at in (0, 4, 11, 14)] == ["Captain", "Mr", "Sir", "Capt"]
        assert not {"Dr", "Mister"} & set(one)


def test_nothing_is_exchanged_where_all_others_are_there_already(examples):
    new = Names(examples).exchange(examples[2], np.random.default_rng(1))
    assert new.words.forms == examples[2].words.forms


def test_two_runs_with_one_seed_exchange_the_same_names(tmp_path, make_config):
    pytest.importorskip("torch")
    from coindex.training.neural.run import NeuralRun

    rows = []
    for folder in ("one", "two"):
        rows.append([])
        NeuralRun.train(make_config(renamed=0.5), tmp_path / folder, coindex.read, rows[-1].append)
    losses = [[row["scores"] for row in one if "scores" in row] for one in rows]
    for run in losses:
        for one in run:
            one["stories"].pop("words_per_second")
    assert losses[0] == losses[1]
