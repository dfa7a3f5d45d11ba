"""Profiles and signatures. A published number never moves, so this table only grows."""

import pytest

from coindex import __version__
from coindex.errors import CoindexError, UnknownNameError
from coindex.scoring import PROFILES, make_settings
from coindex.scoring.profiles import signature
from scoring.texts import doc, score

V = f"v:{__version__}"
ALL = ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mor", "zero")


def test_profiles() -> None:
    found = {name: (p.rules, p.match, p.singletons, p.zeros) for name, p in PROFILES.items()}
    assert found == {
        "crac22@1": ("corefud-1.0", "partial", False, "linear"),
        "crac23@1": ("corefud-1.1", "head", False, "linear"),
        "crac24@1": ("corefud-1.2", "head", False, "dependent"),
        "crac25@1": ("corefud-1.2", "head", False, "dependent"),
        "crac26@1": ("corefud-1.2", "head", False, "dependent"),
        "conll12@1": ("conll-8.01", "exact", True, "linear"),
        "ecb-topic@1": ("cross-document", "exact", False, "linear"),
        "ecb-subtopic@1": ("cross-document", "exact", False, "linear"),
        "rueval14-anaphora@1": ("rueval-2014", "lenient", False, "linear"),
        "rueval14-coref@1": ("rueval-2014", "lenient", False, "linear"),
        "are07-task1@1": ("are-2007", "exact", False, "linear"),
        "are07-task2@1": ("are-2007", "exact", False, "linear"),
        "are07-task3@1": ("are-2007", "overlap", False, "linear"),
        "are07-task4@1": ("are-2007", "overlap", False, "linear"),
        "ua1@1": ("ua-1", "exact", True, "linear"),
        "ua2@1": ("ua-2", "exact", True, "none"),
    }


@pytest.mark.parametrize(
    ("profile", "options", "wanted"),
    [
        (None, {}, "crac24@1|match:head|sing:no|zeros:dep"),
        ("crac24", {}, "crac24@1|match:head|sing:no|zeros:dep"),
        ("crac24@1", {"match": "head"}, "crac24@1|match:head|sing:no|zeros:dep"),
        ("crac24", {"match": "exact", "singletons": True}, "crac24@1|match:exact|sing:yes|zeros:dep"),
        ("crac24", {"zeros": "linear"}, "crac24@1|match:head|sing:no|zeros:lin"),
        ("crac23", {"singletons": False}, "crac23@1|match:head|sing:no|zeros:lin"),
        ("crac22", {"match": "head"}, "crac22@1|match:head|sing:no|zeros:lin"),
        ("conll12", {}, "conll12@1|match:exact|sing:yes|zeros:lin"),
        ("crac24", {"strict": False}, "crac24@1|match:head|sing:no|zeros:dep|strict:no"),
    ],
)
def test_signature(profile: str | None, options: dict[str, object], wanted: str) -> None:
    settings = make_settings(profile, **options)  # type: ignore[arg-type]
    assert signature(settings, __version__) == f"coindex|{wanted}|{V}"


def test_the_signature_comes_with_the_result() -> None:
    assert score(doc("w"), doc("w")).signature == f"coindex|crac24@1|match:head|sing:no|zeros:dep|{V}"


@pytest.mark.parametrize(
    ("profile", "options", "message"),
    [
        ("crac42", {}, "unknown profile 'crac42'; did you mean"),
        ("crac24@7", {}, "unknown profile 'crac24@7'; did you mean crac24@1"),
        (None, {"match": "haed"}, "unknown matching .* 'haed'; did you mean head"),
        (None, {"zeros": "dependend"}, "unknown way to match zeros 'dependend'; did you mean dependent"),
        (None, {"metrics": ["mucc"]}, "unknown metric 'mucc'; did you mean muc"),
        ("conll12", {"match": "head"}, "unknown matching of the rules conll-8.01 'head'; known: exact"),
    ],
)
def test_unknown_names(profile: str | None, options: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        make_settings(profile, **options)  # type: ignore[arg-type]


def test_zeros_by_dependents_came_with_crac24() -> None:
    with pytest.raises(
        CoindexError, match="crac22@1 with match partial does not support zeros 'dependent', only linear"
    ):
        make_settings("crac22", zeros="dependent")


def test_metrics_are_asked_for_once() -> None:
    assert make_settings().metrics == ALL
    assert make_settings(metrics=["lea", "muc", "lea"]).metrics == ("lea", "muc")
