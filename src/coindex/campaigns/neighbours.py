"""Is a rank worth anything: would the next in rank be as good if somebody else had answered some of the documents?

A permutation test over documents (approximate randomisation, Noreen 1989), as in `scoring.significance`, of the number
that the board is sorted by: the mean over datasets. In each round the two answers to each document are swapped or not,
every dataset is scored anew, and the mean is taken. With at most as many ways to swap as rounds each way is taken once
and the p-value is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..scoring.profiles import signature
from ..scoring.result import package_version
from .records import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """How sure it is that a run is better than the next one."""

    p_value: float
    signature: str


def compare_runs(first: Run, second: Run, metric: str, *, rounds: int = ROUNDS, seed: int = 0) -> Comparison | None:
    """The p-value of the difference of two runs; None where they cannot be compared, as with one document."""
    if first.score(metric) is None or second.score(metric) is None or first.results.keys() != second.results.keys():
        return None
    names = list(first.results)
    pairs = [(first.results[name], second.results[name]) for name in names]
    units = [len(one.units) for one, _ in pairs]
    same = all([unit.id for unit in one.units] == [unit.id for unit in other.units] for one, other in pairs)
    if not same or sum(units) < 2:
        return None
    import numpy as np  # loaded where it is needed

    from ..scoring.significance import TOLERANCE, Resampler

    settings = pairs[0][0].settings
    column = [*settings.metrics, "conll"].index(metric)
    samples = [Resampler([one, other], settings, "f1", seed) for one, other in pairs]
    gap = np.mean([sample.observed[0, column] - sample.observed[1, column] for sample in samples])
    exact = 2 ** sum(units) <= rounds
    hits = 0
    for swaps in _swaps(sum(units), rounds, seed, exact=exact):
        differences = np.zeros(len(swaps))
        start = 0
        for sample in samples:
            swap = swaps[:, start : start + sample.units]
            start += sample.units
            mine, other = sample.counts[:, 0], sample.counts[:, 1]
            sums = np.stack([(1 - swap) @ mine + swap @ other, (1 - swap) @ other + swap @ mine], axis=1)
            scores = sample.finish(sums)[..., column]
            differences += (scores[:, 0] - scores[:, 1]) / len(samples)
        hits += int((np.abs(differences) >= abs(gap) - TOLERANCE).sum())
    p_value = hits / 2 ** sum(units) if exact else (1 + hits) / (1 + rounds)
    test = f"test:permutation{'-exact' if exact else ''}"
    macro = [f"macro:{len(names)}"] if len(names) > 1 else []
    return Comparison(
        p_value,
        signature(settings, package_version(), *macro, *first.notes, test, f"rounds:{rounds}", f"seed:{seed}"),
    )


def _swaps(units: int, rounds: int, seed: int, *, exact: bool) -> Iterator[NDArray[np.float64]]:
    """Blocks of rows that say for each document whether its answers are swapped."""
    import numpy as np

    if exact:
        ways = np.arange(2**units)
        yield ((ways[:, None] >> np.arange(units)) & 1).astype(float)
        return
    random = np.random.default_rng(seed)
    size = max(1, 2_000_000 // units)
    for start in range(0, rounds, size):
        yield random.integers(0, 2, (min(size, rounds - start), units)).astype(float)
