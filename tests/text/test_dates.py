"""Dates in a text."""

import pytest

from coindex.text.tokenizer import Date, find_dates


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("on January 6 , 2009 .", ["2009-01-06"]),
        ("on Jan. 6 , 2009", ["2009-01-06"]),
        ("on 6 January 2009", ["2009-01-06"]),
        ("the 6th January", ["????-01-06"]),
        ("January 6 and February 7 , 2010", ["????-01-06", "2010-02-07"]),
        ("in March 2011", ["2011-03"]),
        ("2014-06-03 and 2014/6/4", ["2014-06-03", "2014-06-04"]),
        ("2014-06-03T12:00", ["2014-06-03"]),
        ("in 1999 or 2001", ["1999", "2001"]),
        ("February 30 , 2010", []),
        ("2010-13-40", []),
        ("they may 5 march in march", []),
        ("May 5", ["????-05-05"]),
        ("12 people , 4000 men", []),
        ("", []),
        ("January", []),
        ("5", []),
    ],
)
def test_find_dates(text, dates):
    assert [str(date) for date in find_dates(text.split())] == dates


def test_what_may_be_the_same_day():
    day = Date(2009, 1, 6)
    assert day.fits(Date(2009, None, None))
    assert day.fits(Date(None, 1, 6))
    assert not day.fits(Date(None, 1, 7))
