"""Find the best one-to-one pairing of rows and columns of a sparse weight matrix.

The official CorefUD scorer fills a dense matrix and calls `scipy.optimize.linear_sum_assignment`. Where several
pairings are equally good, its result depends on the whole matrix: a row without any weight takes the first free
column and so changes how later ties are broken. To return the same pairing without a dense matrix, this module
follows the same published algorithm (Crouse 2016, "On implementing 2D rectangular assignment algorithms": rows are
added one by one along a shortest augmenting path) with the same order of visits and the same floating-point
operations, but looks only at the columns that can be chosen. This is sufficient because:

- all columns without a price for which no visited row has a weight have the same cost;
- among equal columns a free one is preferred, and there always is a free one, so an assigned column of that kind is
  never chosen;
- the price of a column is never above zero (columns that exceed it by rounding are tracked in `overpriced`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

Weights = Sequence[Mapping[int, float]]
"""For each row a mapping from columns to weights above zero; missing columns have weight zero."""


def assign(weights: Weights, width: int) -> list[tuple[int, int]]:
    """Return the pairs (row, column) with the greatest total weight, without pairs of weight zero.

    >>> assign([{0: 0.5}, {0: 0.9, 1: 0.3}], 2)
    [(1, 0)]
    >>> assign([{0: 0.5}, {0: 0.9, 1: 0.5}], 2)
    [(0, 0), (1, 1)]
    """
    if len(weights) <= width:
        columns = _Solver(weights, width).solve()
        return [(row, column) for row, column in enumerate(columns) if column in weights[row]]
    transposed: list[dict[int, float]] = [{} for _ in range(width)]
    for row, line in enumerate(weights):
        for column, weight in line.items():
            transposed[column][row] = weight
    return sorted((row, column) for column, row in assign(transposed, len(weights)))


def best_total(rows: Iterable[Mapping[int, float]]) -> float:
    """Return the total weight of the best one-to-one pairing."""
    lines = [row for row in rows if row]
    degree = Counter(chain.from_iterable(lines))
    total = 0.0
    contested = []
    for line in lines:
        if len(line) == 1:
            ((column, weight),) = line.items()
            if degree[column] == 1:
                total += weight
                continue
        contested.append(line)
    number: dict[int, int] = {}
    dense = [{number.setdefault(column, len(number)): w for column, w in line.items()} for line in contested]
    return total + sum(dense[row][column] for row, column in assign(dense, len(number)))


class _Solver:
    """The state of the assignment; there are at most as many rows as columns."""

    def __init__(self, weights: Weights, width: int) -> None:
        self.weights = weights
        self.width = width
        self.row_price: dict[int, float] = {}
        self.column_price: dict[int, float] = {}
        self.row_of: dict[int, int] = {}
        self.column_of = [-1] * len(weights)
        self.overpriced: set[int] = set()
        self._next_free = list(range(width + 1))

    def solve(self) -> list[int]:
        """Return the column of each row."""
        for row in range(len(self.weights)):
            if self.overpriced or not self._take_free(row):
                _Search(self, row).run()
        return self.column_of

    def _take_free(self, row: int) -> bool:
        """Assign the nearest column to a new row if it is free, as the first step of a full search would."""
        prices, taken = self.column_price, self.row_of
        lowest, free = 0.0, -1
        nearest_is_taken = False
        for column, weight in self.weights[row].items():
            distance = -weight - prices.get(column, 0.0)
            if distance < lowest:
                lowest, free = distance, -1
                nearest_is_taken = column in taken
                if not nearest_is_taken:
                    free = column
            elif distance == lowest and column not in taken and (free < 0 or column < free):
                free = column
        if free < 0 and nearest_is_taken:
            return False
        if lowest:
            self.row_price[row] = lowest
        self.take(row, free if free >= 0 else self.first_free(0))
        return True

    def take(self, row: int, column: int) -> None:
        self.row_of[column] = row
        self.column_of[row] = column

    def first_free(self, column: int) -> int:
        """Return the first free column at or after this one, or the width if there is none."""
        follow = self._next_free
        skipped = []
        while column in self.row_of or follow[column] != column:
            skipped.append(column)
            column = max(follow[column], column + 1) if column in self.row_of else follow[column]
        for earlier in skipped:
            follow[earlier] = column
        return column

    def set_price(self, column: int, price: float) -> None:
        self.column_price[column] = price
        if price > 0:
            self.overpriced.add(column)
        else:
            self.overpriced.discard(column)


class _Search:
    """The search for the shortest augmenting path from a new row to a free column."""

    def __init__(self, solver: _Solver, row: int) -> None:
        self.solver = solver
        self.new_row = row
        self.visited: list[tuple[int, float]] = []  # rows and their distances
        self.distance: dict[int, float] = {}  # of the columns that are tracked individually
        self.came_from: dict[int, int] = {}
        self.closed: dict[int, float] = {}
        self.common = float("inf")  # the distance of all other columns without a price
        self.common_from = -1
        # Columns are visited from last to first, but a closed column is replaced by the one at the end.
        self.left = solver.width
        self.moved: dict[int, int] = {}  # column -> place
        self.moved_at: dict[int, int] = {}  # place -> column

    def run(self) -> None:
        solver = self.solver
        row, length = self.new_row, 0.0
        while True:
            self._visit(row, length)
            column, length = self._nearest()
            if column not in solver.row_of:
                break
            row = solver.row_of[column]
            self._close(column, length)
        self._update_prices(length)
        self._flip(column)

    def _visit(self, row: int, length: float) -> None:
        """Update the distances of all columns from a row at distance `length`."""
        solver = self.solver
        price = solver.row_price.get(row, 0.0)
        line = solver.weights[row]
        fresh = [c for c in line if c not in self.distance and c not in self.closed]
        fresh += [c for c in solver.overpriced if c not in line and c not in self.distance and c not in self.closed]
        for column in fresh:
            self._track(column)
        self.visited.append((row, length))
        prices = solver.column_price
        for column, known in self.distance.items():
            reach = length - line.get(column, 0.0) - price - prices.get(column, 0.0)
            if reach < known:
                self.distance[column] = reach
                self.came_from[column] = row
        if length - price < self.common:
            self.common = length - price
            self.common_from = row

    def _track(self, column: int) -> None:
        """Start to track a column individually, with its distance from the rows visited so far."""
        column_price = self.solver.column_price.get(column, 0.0)
        best = float("inf")
        for row, length in self.visited:
            reach = length - self.solver.row_price.get(row, 0.0) - column_price
            if reach < best:
                best = reach
                self.came_from[column] = row
        self.distance[column] = best

    def _place(self, column: int) -> int:
        return self.moved.get(column, self.solver.width - 1 - column)

    def _nearest(self) -> tuple[int, float]:
        """Return the nearest column: of equal ones the free one visited last, or the assigned one visited first."""
        taken = self.solver.row_of
        lowest = min(self.distance.values(), default=self.common)
        free = taken_best = -1
        if self.common <= lowest:
            lowest = self.common
            free = self._last_common()
        for column, distance in self.distance.items():
            if distance == lowest:
                if column not in taken:
                    free = column if free < 0 else max(free, column, key=self._place)
                else:
                    taken_best = column if taken_best < 0 else min(taken_best, column, key=self._place)
        return (free if free >= 0 else taken_best), lowest

    def _last_common(self) -> int:
        """Return the free column visited last among the untracked ones, or -1 if there is none."""
        solver, distance, moved = self.solver, self.distance, self.moved
        best = solver.first_free(0)
        while best < solver.width and (best in distance or best in moved):
            best = solver.first_free(best + 1)
        if best == solver.width:
            best = -1
        for column in moved:
            if column not in distance and column not in solver.row_of:
                best = column if best < 0 else max(best, column, key=self._place)
        return best

    def _close(self, column: int, length: float) -> None:
        self.closed[column] = self.distance.pop(column)
        place = self._place(column)
        self.left -= 1
        last = self.moved_at.get(self.left, self.solver.width - 1 - self.left)
        if last != column:
            self.moved[last] = place
            self.moved_at[place] = last

    def _update_prices(self, length: float) -> None:
        solver = self.solver
        prices = solver.row_price
        prices[self.new_row] = prices.get(self.new_row, 0.0) + length
        for row, _ in self.visited[1:]:
            prices[row] = prices.get(row, 0.0) + (length - self.closed[solver.column_of[row]])
        for column, distance in self.closed.items():
            price = solver.column_price.get(column, 0.0) - (length - distance)
            solver.set_price(column, price)

    def _flip(self, column: int) -> None:
        """Reassign the columns along the path to the rows before them."""
        solver = self.solver
        while True:
            row = self.came_from.get(column, self.common_from)
            before = solver.column_of[row]
            solver.take(row, column)
            if row == self.new_row:
                return
            column = before
