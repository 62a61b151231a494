# SPDX-License-Identifier: Apache-2.0
"""Values of different lengths in one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np


class Ragged(Sequence[Any]):
    """Rows of different lengths: row `i` is `values[offsets[i]:offsets[i + 1]]`.

    >>> import numpy as np
    >>> rows = Ragged(np.array([1, 2, 3, 4, 5]), np.array([0, 2, 2, 5]))
    >>> len(rows), rows[0], rows.lengths
    (3, array([1, 2]), array([2, 0, 3]))

    `missing` is `None`, or an array that is true for the rows that have no value at all. Such a row
    is `None`, and has no items in `values`.
    """

    __slots__ = ("missing", "offsets", "values")

    def __init__(
        self,
        values: np.ndarray[Any, Any],
        offsets: np.ndarray[Any, Any],
        *,
        missing: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.values = values
        self.offsets = offsets
        self.missing = missing

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray[Any, Any]:
        """The number of items in each row."""
        return np.diff(self.offsets)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Ragged: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError("rows of different lengths are sliced in steps of 1 only")
            limit = max(start, stop)
            missing = None if self.missing is None else self.missing[start:limit]
            return Ragged(self.values, self.offsets[start : limit + 1], missing=missing)
        row = index + len(self) if index < 0 else index
        if not 0 <= row < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        if self.missing is not None and self.missing[row]:
            return None
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[Any]:
        for row in range(len(self)):
            yield self[row]

    def tolist(self) -> list[Any]:
        """Each row as `bytes`, or `None` where it is missing."""
        values = np.ascontiguousarray(self.values).view(np.uint8).tobytes()
        size = self.values.nbytes // max(1, len(self.values))
        rows: list[Any] = [values[a:b] for a, b in pairwise((self.offsets * size).tolist())]
        for row in () if self.missing is None else np.flatnonzero(self.missing).tolist():
            rows[row] = None
        return rows

    def __repr__(self) -> str:
        return f"Ragged({len(self)} rows, {len(self.values)} items of {self.values.dtype})"
