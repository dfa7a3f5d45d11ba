"""The table by language: counts of zeros, and the page made from the rows."""

import pytest
from benchmarks.ud import _pair
from benchmarks.ud.page import page
from benchmarks.ud.zeros import zero_row

from coindex.resolvers.ud.zeros import Habit, ZeroTable
from parsed_text import parsed

TEXT = """
0.1 _ _ PRON _ _ _ 1:nsubj
Vino venir VERB Person=3 0 root
2.1 _ _ PRON _ _ _ 1:obj
y y CCONJ _ 4 cc
4.1 _ _ PRON _ _ _ 3:nsubj
vivir vivir VERB VerbForm=Inf 1 conj
fue ir VERB Person=3 1 conj
"""


def test_zeros_are_found_by_what_they_depend_on():
    table = ZeroTable({"Person=3": 5.0, "any": -1.0}, {"es": Habit()})
    found = zero_row([parsed(TEXT, language="es")], table)
    assert found == {"empty_nodes": 3, "dropped_subjects": 2, "recall": 50.0, "precision": 50.0, "f1": 50.0}
    assert zero_row([parsed("Vino venir VERB Person=3 0 root", language="es")], table) is None


def row(system, zeros, conll, zero=None, part="es"):
    return {
        "part": part,
        "language": part,
        "system": system,
        "zeros": zeros,
        "conll": conll,
        "zero_f1": zero,
        "words_per_cpu_second": 4321,
    }


def test_the_page():
    scores = [
        row("sieves", "given", 57.8, 65.0),
        row("xx-ud", "given", 66.1, 72.0),
        row("xx-ud", "predicted", 60.2, 61.0),
    ]
    scores += [row("unseen", "given", 59.9, 60.0), row("sieves", "none", 57.7, part="fr")]
    nodes = [{"part": "es", "empty_nodes": 5, "dropped_subjects": 4, "recall": 50.0, "precision": 40.0, "f1": 44.4}]
    lines = page({"scores": scores, "zeros": nodes}, {"es": "66.0 (test)"}).splitlines()
    assert "| es | 57.8 | 66.1 | 59.9 | 66.0 (test) | 4,321 |" in lines
    assert "| fr | 57.7 |  |  |  |  |" in lines
    assert "| es | xx-ud | predicted | 60.2 | 61.0 |" in lines
    assert "| es | 5 | 4 | 50.0 | 40.0 | 44.4 |" in lines
    assert not any(line.startswith("| fr | sieves |") for line in lines)


@pytest.mark.parametrize("argument", ["es", "es=nowhere"])
def test_arguments_without_a_model_are_refused(argument):
    with pytest.raises(SystemExit, match="LANGUAGE=FOLDER"):
        _pair(argument)
