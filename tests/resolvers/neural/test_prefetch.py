"""Prefetching: the same results in the same order, one item ahead and no more."""

import threading

import pytest

from coindex.resolvers.neural.resolving import prefetch


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_nothing_is_lost_and_the_order_kept(count):
    assert list(prefetch(lambda number: number * 2, range(count))) == [(number, number * 2) for number in range(count)]


def test_nothing_is_an_item_like_others():
    assert list(prefetch(str, [None, 1, None, None])) == [(None, "None"), (1, "1"), (None, "None"), (None, "None")]


def test_the_next_is_under_way_while_one_is_looked_at():
    begun = [threading.Event() for _ in range(3)]
    for number, _ in prefetch(lambda number: begun[number].set(), range(3)):
        if number < 2:
            assert begun[number + 1].wait(10)


def test_one_at_a_time_is_taken_from_a_stream():
    taken = []

    def stream():
        for number in range(5):
            taken.append(number)
            yield number

    for number, _ in prefetch(str, stream()):
        assert len(taken) <= number + 2


def test_an_error_comes_in_its_turn():
    def work(number):
        return 1 // (2 - number)

    found = prefetch(work, range(4))
    assert [next(found), next(found)] == [(0, 0), (1, 1)]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_who_stops_early_leaves_no_thread_behind():
    before = threading.active_count()
    found = prefetch(str, range(9))
    next(found)
    found.close()
    assert threading.active_count() == before
