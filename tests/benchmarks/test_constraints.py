"""The table of constraints: gains are differences to all constraints."""

from benchmarks.constraints import table

from coindex.resolvers.neural.constraints import RULES


def test_a_gain_is_what_is_lost_without_the_rule():
    rows = ("all", "none", *(f"-{rule}" for rule in RULES))
    scores = {rules: {"gum": 70.0, "litbank": 66.0} for rules in rows}
    changed = {rules: {"gum": 0, "litbank": 0} for rules in rows}
    scores["none"], scores["-nested"], changed["-nested"] = (
        {"gum": 68.5, "litbank": 66.5},
        {"gum": 69.5, "litbank": 66.25},
        {"gum": 7, "litbank": 3},
    )
    lines = table("en-small", scores, changed).splitlines()
    assert "| all constraints | 70.00 | 66.00 |" in lines
    assert "| no constraints | 68.50 | 66.50 |" in lines
    assert "| `nested` | +0.50 | 7 | -0.25 | 3 |" in lines
    assert "| `gender` | +0.00 | 0 | +0.00 | 0 |" in lines
