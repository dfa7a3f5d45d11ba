"""Comparing responses: cases that can be counted by hand, a slow twin to check the fast sums, and synthetic corpora."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from coindex import __version__
from coindex.errors import CoindexError, DataWarning, UnknownNameError
from coindex.scoring import METRICS, Counts, Result, UnitCounts, compare, get_metric, make_settings
from coindex.scoring.metrics.registry import VARIANTS
from coindex.scoring.significance import holm

ALL = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor", "zero", "mentions")


def simple(*correct: float, of: int = 10) -> Result:
    """Documents with as many of ten right: recall, precision and F1 are the plain mean."""
    units = [UnitCounts(f"d{n}", {"muc": Counts((c, of, c, of))}) for n, c in enumerate(correct)]
    return Result.of(make_settings(metrics=["muc"]), units)


def made_up(units: int, seed: int, metrics: tuple[str, ...] = ALL) -> Result:
    """Random counts for all metrics, with documents where there is nothing to find."""
    draw = random.Random(seed)

    def part() -> list[float]:
        key, response = draw.choice([0, 3, 8]), draw.choice([0, 2, 9])
        return [key * draw.random(), key, response * draw.random(), response]

    def counts(name: str) -> Counts:
        return Counts(tuple(value for _ in get_metric(name).parts for value in part()))

    found = [UnitCounts(f"d{n}", {name: counts(name) for name in metrics}) for n in range(units)]
    return Result.of(make_settings(metrics=metrics), found)


@pytest.mark.parametrize(
    ("name", "rules"), [*((name, "") for name in METRICS), *((name, rules) for rules, name in VARIANTS)]
)
def test_metrics_finish_arrays_as_they_finish_numbers(name: str, rules: str) -> None:
    metric = get_metric(name, rules)
    draw = random.Random(7)
    rows = [[draw.choice([0, 0, 1, 2.5, 7]) for _ in range(4 * len(metric.parts))] for _ in range(300)]
    columns = tuple(np.array(column) for column in zip(*rows, strict=True))
    many = metric.finish(Counts(columns))  # type: ignore[arg-type]
    alone = [metric.finish(Counts(tuple(row))) for row in rows]
    for measure in ("recall", "precision", "f1"):
        np.testing.assert_array_equal(getattr(many, measure), [getattr(score, measure) for score in alone])


def test_permutation_counted_by_hand() -> None:
    """Differences 2, 2, -1: of the 8 ways to sign them the sum is 3 or more from 0 where both 2 have one sign: 4."""
    found = compare({"A": simple(6, 7, 8), "B": simple(4, 5, 9)}, test="permutation").difference("muc", "A", "B")
    assert found.difference == pytest.approx((6 + 7 + 8) / 30 - (4 + 5 + 9) / 30)
    assert found.p_value == 4 / 8


def test_permutation_is_exact_where_rounds_suffice() -> None:
    pair = {"A": simple(6, 7, 8, 5), "B": simple(4, 5, 9, 5)}
    exact, drawn = (compare(pair, test="permutation", rounds=rounds) for rounds in (16, 15))
    assert (exact.exact, drawn.exact) == (True, False)
    assert "|test:permutation-exact|rounds:16|" in exact.signature
    assert "|test:permutation|rounds:15|" in drawn.signature
    assert exact.difference("muc", "A", "B").p_value == 8 / 16  # as above, and it does not matter whose the last 5 is
    assert drawn.difference("muc", "A", "B").p_value * 16 % 1 == 0  # (1 + hits) / (1 + 15)


def test_equal_differences_are_equal_however_they_are_rounded() -> None:
    """A is better by 0.1 in eleven documents and worse in one: so it is, one way or the other, in 2 * 12 ways to
    swap, and better or worse in all in two more."""
    correct = [0.7, 0.3, 0.9, 1.1, 2.3, 0.2, 3.7, 4.9, 0.6, 5.3, 0.4, 2.9]
    pair = {"A": simple(*correct), "B": simple(correct[0] + 0.1, *(c - 0.1 for c in correct[1:]))}
    assert compare(pair, test="permutation").difference("muc", "A", "B").p_value == (2 * 12 + 2) / 2**12


def swapped(one: Result, other: Result, swap: tuple[int, ...]) -> list[Result]:
    sides = [
        [units[n] if not s else turned[n] for n, s in enumerate(swap)]
        for units, turned in ((one.units, other.units), (other.units, one.units))
    ]
    return [Result.of(one.settings, units) for units in sides]


def all_f1(result: Result) -> list[float]:
    return [*(score.f1 for score in result.scores.values()), result.conll or 0.0]


def test_permutation_against_its_slow_twin() -> None:
    """Every way to swap, each scored as any corpus is."""
    one, other = made_up(6, 1), made_up(6, 2)
    observed = np.abs(np.subtract(all_f1(one), all_f1(other)))
    ways = [swapped(one, other, swap) for swap in product((0, 1), repeat=6)]
    gaps = np.array([np.abs(np.subtract(all_f1(a), all_f1(b))) for a, b in ways])
    expected = dict(zip((*ALL, "conll"), (gaps >= observed - 1e-12).mean(axis=0), strict=True))
    comparison = compare({"A": one, "B": other}, test="permutation")
    assert comparison.exact
    assert {name: found[0].p_value for name, found in comparison.differences.items()} == expected
    assert 2 / 64 < min(expected.values()) < max(expected.values()) < 1  # else this test would show little
    drawn = compare({"A": one, "B": other}, test="permutation", rounds=63)
    for name, found in drawn.differences.items():
        assert found[0].p_value == pytest.approx(expected[name], abs=0.25)


def test_bootstrap_counted_by_hand() -> None:
    """Only one of 20 documents differs. Drawn k times it makes the difference k times as large, so all but k = 1 are
    at least as far from the observed one as that is from 0; k is 1 with the probability 20 * 1/20 * (19/20)^19."""
    pair = {"A": simple(8, *[5] * 19), "B": simple(4, *[5] * 19)}
    found = compare(pair).difference("muc", "A", "B")
    assert found.p_value == pytest.approx(1 - (19 / 20) ** 19, abs=0.015)
    assert found.difference == pytest.approx(4 / 200)
    # k is 0 in 36 % of the rounds, at most 3 in 98.5 %, at most 2 in 92.5 %
    assert (found.interval.low, found.interval.high) == pytest.approx((0, 3 * 4 / 200))
    swap = compare(pair, test="permutation").difference("muc", "A", "B")
    assert swap.p_value == 1  # swapped or not, the difference is as large


def test_bootstrap_intervals_are_those_of_a_mean() -> None:
    draw = random.Random(3)
    correct = [draw.randrange(11) for _ in range(400)]
    found = compare({"A": simple(*correct)}, confidence=0.9).scores["muc"]["A"]
    error = np.std(correct) / 10 / np.sqrt(400)
    assert found.score == pytest.approx(np.mean(correct) / 10)
    assert found.interval.low == pytest.approx(found.score - 1.645 * error, abs=0.1 * error)
    assert found.interval.high == pytest.approx(found.score + 1.645 * error, abs=0.1 * error)


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
@pytest.mark.parametrize("units", [12, 40])
def test_identical_responses(test: str, units: int) -> None:
    comparison = compare({"A": made_up(units, 1), "B": made_up(units, 1)}, test=test)  # type: ignore[arg-type]
    for (found,) in comparison.differences.values():
        assert (found.difference, found.interval.low, found.interval.high, found.p_value) == (0, 0, 0, 1)


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_a_clear_difference(test: str) -> None:
    draw = random.Random(5)
    worse = [draw.randrange(1, 6) for _ in range(50)]
    better = [c + draw.randrange(1, 4) for c in worse]
    found = compare({"A": simple(*better), "B": simple(*worse)}, test=test, rounds=999)  # type: ignore[arg-type]
    gap = found.difference("muc", "A", "B")
    assert gap.p_value == 1 / 1000
    assert 0.1 < gap.interval.low < gap.difference < gap.interval.high < 0.3


def test_the_sign_is_first_minus_second() -> None:
    one, other = made_up(30, 1), made_up(30, 2)
    there, back = compare({"A": one, "B": other}), compare({"B": other, "A": one})
    for name in (*ALL, "conll"):
        gap, turned = there.difference(name, "A", "B"), back.difference(name, "B", "A")
        assert turned.difference == -gap.difference
        assert (turned.interval.low, turned.interval.high) == pytest.approx((-gap.interval.high, -gap.interval.low))
        assert turned.p_value == gap.p_value


def test_scores_are_those_of_the_results() -> None:
    one, other = made_up(30, 1), made_up(30, 2)
    for measure in ("recall", "precision", "f1"):
        found = compare({"A": one, "B": other}, rounds=10, measure=measure)  # type: ignore[arg-type]
        for name in ALL:
            assert found.scores[name]["A"].score == pytest.approx(getattr(one[name], measure))
        assert ("conll" in found.scores) == (measure == "f1")
        assert ("|measure:" in found.signature) == (measure != "f1")
    assert found.scores["conll"]["B"].score == pytest.approx(other.conll)


def test_the_seed_decides() -> None:
    pair = {"A": made_up(30, 1), "B": made_up(30, 2)}
    for test in ("bootstrap", "permutation"):
        first, again, other = (compare(pair, test=test, seed=seed, rounds=500) for seed in (1, 1, 2))  # type: ignore[arg-type]
        assert first == again
        assert first.differences != other.differences
        assert first.scores != other.scores


def test_intervals_do_not_depend_on_the_test_nor_pairs_on_other_responses() -> None:
    results = {name: made_up(30, seed) for seed, name in enumerate("ABC")}
    for test in ("bootstrap", "permutation"):
        three = compare(results, test=test, rounds=300)  # type: ignore[arg-type]
        two = compare({"A": results["A"], "C": results["C"]}, test=test, rounds=300)  # type: ignore[arg-type]
        for name in (*ALL, "conll"):
            assert three.difference(name, "A", "C").p_value == two.difference(name, "A", "C").p_value
            assert three.difference(name, "A", "C").interval == two.difference(name, "A", "C").interval
    swaps = compare(results, test="permutation", rounds=300)
    assert swaps.scores == compare(results, rounds=300).scores


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many units are taken a few rounds at a time."""
    pair = {"A": made_up(11, 1), "B": made_up(11, 2)}
    whole = [compare(pair, test=test, rounds=rounds) for test, rounds in CASES]  # type: ignore[arg-type]
    monkeypatch.setattr("coindex.scoring.significance.BLOCK", 11 * 7)
    parts = [compare(pair, test=test, rounds=rounds) for test, rounds in CASES]  # type: ignore[arg-type]
    for one, other in zip(whole, parts, strict=True):
        for name, (gap,) in one.differences.items():
            (same,) = other.differences[name]
            assert (same.p_value, same.difference) == (gap.p_value, gap.difference)
            assert same.interval.low == pytest.approx(gap.interval.low)


CASES = [("bootstrap", 100), ("permutation", 100), ("permutation", 5000)]


def test_intervals_and_p_values_hold_what_they_promise() -> None:
    """Of 300 synthetic pairs of equally good systems 95 % of the intervals hold the truth, and 5 % seem different."""
    draw = np.random.default_rng(11)
    inside = 0
    false = {"bootstrap": 0, "permutation": 0}
    for trial in range(300):
        hard = draw.beta(3, 2, size=40)  # how hard each document is: so documents, not mentions, are what varies
        one, other = (simple(*draw.binomial(20, hard).tolist(), of=20) for _ in range(2))
        for test in false:
            found = compare({"A": one, "B": other}, test=test, rounds=400, seed=trial)  # type: ignore[arg-type]
            false[test] += found.difference("muc", "A", "B").p_value <= 0.05
        interval = found.scores["muc"]["A"].interval
        inside += interval.low <= 3 / 5 <= interval.high
    assert 0.91 <= inside / 300 <= 0.98
    assert 0.02 <= false["permutation"] / 300 <= 0.08
    assert 0.02 <= false["bootstrap"] / 300 <= 0.09


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([3 * 0.01, 2 * 0.03, 2 * 0.03])
    assert holm([0.6, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


def test_correction_is_over_the_pairs_of_a_metric() -> None:
    results = {name: made_up(12, seed) for seed, name in enumerate("ABC")}
    plain, corrected = (compare(results, rounds=200, correction=how) for how in ("none", "holm"))  # type: ignore[arg-type]
    for name, gaps in corrected.differences.items():
        raw = [gap.p_value for gap in gaps]
        assert (
            raw
            == [gap.p_value for gap in plain.differences[name]]
            == [gap.p_adjusted for gap in plain.differences[name]]
        )
        assert [gap.p_adjusted for gap in gaps] == holm(raw)
    assert [(gap.first, gap.second) for gap in corrected.differences["muc"]] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert "|corr:holm|" in corrected.signature


def test_signature_text_and_plain_data() -> None:
    found = compare({"mine": made_up(12, 1), "theirs": made_up(12, 2)}, rounds=50, seed=3)
    settings = "test:bootstrap|rounds:50|seed:3|conf:0.95"
    assert found.signature == f"coindex|crac24@1|match:head|sing:no|zeros:dep|{settings}|v:{__version__}"
    lines = repr(found).splitlines()
    assert lines[-1] == found.signature
    assert len(lines) == 3 * (len(ALL) + 1) + 1
    gap = found.difference("muc", "mine", "theirs")
    assert lines[2].split()[:5] == ["muc", "mine", "-", "theirs", f"{100 * gap.difference:.2f}"]
    assert lines[2].endswith(f"p {gap.p_value:.4f}")
    data = json.loads(json.dumps(found.to_dict()))
    assert data["differences"]["muc"][0]["interval"] == {"low": gap.interval.low, "high": gap.interval.high}
    assert (data["test"], data["rounds"], data["units"], data["exact"]) == ("bootstrap", 50, 12, False)


def test_one_response_has_an_interval_only() -> None:
    found = compare({"A": made_up(12, 1)}, rounds=50)
    assert set(found.scores["conll"]) == {"A"}
    assert found.differences["conll"] == []


def test_few_units() -> None:
    pair = {"A": simple(*[6] * 9), "B": simple(*[5] * 9)}
    with pytest.warns(DataWarning, match="bootstrap .* only 9 units; .* permutation"):
        compare(pair, rounds=10)
    compare(pair, rounds=10, test="permutation")
    compare({name: simple(*[5] * 10) for name in "AB"}, rounds=10)


OTHER_IDS = Result.of(
    make_settings(metrics=["muc"]), [UnitCounts(id, {"muc": Counts((1, 2, 1, 2))}) for id in ("d0", "d2")]
)


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ({}, {}, "no results; pass"),
        ({"A": simple(1, 2), "B": simple(1, 2, 3)}, {}, "'A' and 'B' have 2 and 3 units; expected the same documents"),
        (
            {"A": simple(1, 2), "B": OTHER_IDS},
            {},
            "'A' and 'B' have as unit 2 'd1' and 'd2'; .* score both against the same",
        ),
        ({"A": simple(1, 2), "B": made_up(2, 1)}, {}, "'A' and 'B' were scored with different settings"),
        ({"A": simple(1), "B": simple(2)}, {}, "1 document to compare responses on; expected at least 2"),
        ({"A": simple(1, 2), "B": simple(2, 3)}, {"rounds": 0}, "number of rounds: 0; expected at least 1"),
        ({"A": simple(1, 2), "B": simple(2, 3)}, {"confidence": 95}, "confidence: 95; expected .* 0.95"),
        ({"A": simple(1, 2), "B": simple(2, 3)}, {"test": "boot"}, "unknown test 'boot'; did you mean bootstrap"),
        ({"A": simple(1, 2), "B": simple(2, 3)}, {"measure": "f2"}, "unknown measure 'f2'; did you mean f1"),
        ({"A": simple(1, 2), "B": simple(2, 3)}, {"correction": "holme"}, "unknown correction 'holme'; .* holm"),
    ],
)
def test_errors(results: dict[str, Result], options: dict[str, object], message: str) -> None:
    with pytest.raises(CoindexError, match=message):
        compare(results, **options)  # type: ignore[arg-type]


def test_unknown_names() -> None:
    found = compare({"A": made_up(12, 1), "B": made_up(12, 2)}, rounds=10)
    with pytest.raises(UnknownNameError, match="unknown metric in this comparison 'bcub'"):
        found.difference("bcub", "A", "B")
    with pytest.raises(UnknownNameError, match="unknown pair of responses 'B - A'; did you mean A - B"):
        found.difference("muc", "B", "A")


def test_scoring_alone_loads_no_numpy() -> None:
    code = "import sys, coindex, coindex.scoring; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
