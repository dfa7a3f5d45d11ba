"""Work that is done ahead in a second thread, while this one is busy with what came before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Each item with what `work` makes of it, in order; that of the next is under way meanwhile.

    It gains where the work leaves Python alone, as onnxruntime does. An error comes when it is the item's turn.
    """
    rest = iter(items)
    for first in rest:
        second = next(rest, None)
        if second is None:  # nothing to do meanwhile
            yield first, work(first)
            return
        with ThreadPoolExecutor(1) as thread:
            item, coming = first, thread.submit(work, first)
            while second is not None:
                following = thread.submit(work, second)
                yield item, coming.result()
                item, coming = second, following
                second = next(rest, None)
            yield item, coming.result()
