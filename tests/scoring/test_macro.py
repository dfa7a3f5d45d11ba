"""The mean over datasets."""

import json
from fractions import Fraction

import pytest

from coindex import __version__
from coindex.errors import CoindexError, UnknownNameError
from coindex.scoring import Counts, Result, UnitCounts, macro_average, make_settings
from scoring.texts import doc, score

METRICS = ("muc", "b3", "ceafe")


def result(*muc: int, metrics: tuple[str, ...] = ("muc",), profile: str = "crac24") -> Result:
    counts = {name: Counts(muc) for name in metrics}
    return Result.of(make_settings(profile, metrics=metrics), [UnitCounts("d", counts)])


def test_every_dataset_counts_the_same() -> None:
    """Recall 1/2 and 90/100, precision 1/1 and 90/300: F1 is the mean of 2/3 and 9/20, not the F1 of the means."""
    small, large = result(1, 2, 1, 1), result(90, 100, 90, 300)
    mean = macro_average({"small": small, "large": large})
    assert mean["muc"].recall == pytest.approx(float((Fraction(1, 2) + Fraction(9, 10)) / 2))
    assert mean["muc"].precision == pytest.approx(float((1 + Fraction(3, 10)) / 2))
    assert mean["muc"].f1 == pytest.approx(float((Fraction(2, 3) + Fraction(9, 20)) / 2))
    assert mean.conll is None
    assert mean.results == {"small": small, "large": large}
    assert list(mean) == ["muc"]
    assert len(mean) == 1
    assert "muc" in mean


def test_conll_is_the_mean_of_the_datasets() -> None:
    key = doc("(a) w (a) w (b) w (b) w")
    datasets = {
        "right": score(key, key, metrics=METRICS),
        "half": score(key, doc("(a) w (a) w w w"), metrics=METRICS),
    }
    half = (Fraction(2, 3) + Fraction(2, 3) + Fraction(2, 3)) / 3  # each has recall 1/2 and precision 1
    assert macro_average(datasets).conll == pytest.approx(float((1 + half) / 2))


def test_signature_and_plain_data() -> None:
    mean = macro_average({name: result(1, 2, 1, 1, metrics=METRICS) for name in ("one", "two", "three")})
    assert mean.signature == f"coindex|crac24@1|match:head|sing:no|zeros:dep|macro:3|v:{__version__}"
    data = json.loads(json.dumps(mean.to_dict()))
    assert list(data) == ["signature", "metrics", "conll", "datasets"]
    assert data["metrics"]["b3"] == pytest.approx({"recall": 1 / 2, "precision": 1, "f1": 2 / 3})
    assert list(data["datasets"]) == ["one", "two", "three"]
    assert data["datasets"]["two"] == {"metrics": data["metrics"], "conll": data["conll"]}


def test_one_dataset_is_its_own_mean() -> None:
    alone = result(1, 3, 1, 7)
    assert macro_average({"alone": alone})["muc"] == alone["muc"]


@pytest.mark.parametrize("other", [{"profile": "crac23"}, {"metrics": ("muc", "b3")}])
def test_datasets_must_have_the_same_settings(other: dict[str, object]) -> None:
    message = "'one' and 'two' were scored with different settings: coindex.crac24@1.* .* muc and .*; score all with"
    with pytest.raises(CoindexError, match=message):
        macro_average({"one": result(1, 2, 1, 2), "two": result(1, 2, 1, 2, **other)})  # type: ignore[arg-type]


def test_no_datasets() -> None:
    with pytest.raises(CoindexError, match="no results; pass"):
        macro_average({})


def test_unknown_metric() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric in this result 'b3'"):
        macro_average({"one": result(1, 2, 1, 2)})["b3"]
