"""Share loaded weights: what is in use is never loaded a second time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def share_loaded(keep: int) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Return a decorator for functions that load something; the arguments have to be positional and hashable.

    Like `functools.lru_cache`, it keeps the last `keep` results. In addition it returns any earlier result that is
    still used elsewhere, and threads that need the same one wait for each other.
    """

    def decorate(load: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        used: WeakValueDictionary[Hashable, Result] = WeakValueDictionary()
        recent: OrderedDict[Hashable, Result] = OrderedDict()
        lock = Lock()

        @wraps(load)
        def shared(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
            with lock:
                result = used.get(arguments)
                if result is None:
                    result = used[arguments] = load(*arguments, **options)
                recent[arguments] = result
                recent.move_to_end(arguments)
                if len(recent) > keep:
                    recent.popitem(last=False)
                return result

        return shared

    return decorate
