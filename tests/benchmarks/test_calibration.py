"""Calibration of probabilities: errors, fitted lines, and what counts as right."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration import Judged, calibration_error, compose, fit, judge

from coindex.resolvers.neural.resolving import calibrate
from marked_text import marked


def decisions(probability, right, number=1000):
    return [Judged("link", probability, n < right * number) for n in range(number)]


def test_the_error_is_the_mean_difference_of_probability_and_accuracy():
    assert calibration_error(decisions(0.9, 0.9)) == pytest.approx(0, abs=1e-6)
    assert calibration_error(decisions(0.9, 0.7)) == pytest.approx(20)
    assert calibration_error(decisions(0.9, 0.7) + decisions(0.5, 0.5)) == pytest.approx(10)


def test_a_fitted_line_corrects_overconfident_probabilities():
    rng = np.random.default_rng(3)
    true = rng.uniform(0.05, 0.95, 6000)
    sharp = [calibrate(float(p), (2.0, 0.5)) for p in true]
    rows = [Judged("link", p, bool(rng.random() < q)) for p, q in zip(sharp, true, strict=True)]
    line = fit(rows)
    assert line == pytest.approx((0.5, -0.25), abs=0.1)
    assert calibration_error([row._replace(probability=calibrate(row.probability, line)) for row in rows]) < 2
    assert calibration_error(rows) > 5


def test_lines_compose():
    inner, outer = (2.0, 0.5), (0.5, -0.1)
    both = calibrate(calibrate(0.3, inner), outer)
    assert calibrate(0.3, compose(inner, outer)) == pytest.approx(both)


def test_what_is_right():
    key = marked("[Anna|a] met [Berta|b] . [She|a] left [her|b] .")
    resolved = marked("[Anna|x] met [Berta|y] . [She|x] left [her|x] .")
    entities = [
        replace(
            entity, mentions=tuple(replace(m, attributes={"score": "0.8", "mention": "0.9"}) for m in entity.mentions)
        )
        for entity in resolved.entities
    ]
    rows = list(judge(key, resolved.replace(entities=tuple(entities))))
    assert [row.is_right for row in rows if row.kind == "link"] == [True, False]
    assert [row.is_right for row in rows if row.kind == "new"] == [True, True]
    assert all(row.is_right for row in rows if row.kind == "mention")
