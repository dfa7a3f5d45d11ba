"""Work that is done ahead in a second thread, while this one is busy with what came before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Each item with what `work` makes of it, in order; that of the next is under way meanwhile.

    It gains where the work leaves Python alone, as onnxruntime does. An error comes when it is the item's turn.
    """
    rest = iter(items)
    for first in rest:
        second = list(islice(rest, 1))
        if not second:  # nothing to do meanwhile
            yield first, work(first)
            return
        with ThreadPoolExecutor(1) as thread:
            item, coming = first, thread.submit(work, first)
            for following in chain(second, rest):
                later = thread.submit(work, following)
                yield item, coming.result()
                item, coming = following, later
            yield item, coming.result()
