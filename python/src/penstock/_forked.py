# SPDX-License-Identifier: Apache-2.0
"""Tables in a forked process: NumPy reads them, because Java does not survive a fork."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _index
from ._maps import map_rows
from ._rows import columns

if TYPE_CHECKING:
    from ._dataset import Dataset
    from ._dtypes import Field


class ForkedRows:
    """The rows of a table that was opened before the fork."""

    def __init__(self, dataset: Dataset) -> None:
        assert dataset._row is not None
        self._row = dataset._row
        self._count = len(dataset)
        self._files = map_rows(dataset)
        self._starts = np.cumsum([0, *(len(file) for file in self._files)])

    def read(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        """Copies rows as they are stored."""
        wanted = _index.wrap(indices, self._count)
        if len(self._files) == 1:
            # The indices are in range. NumPy's own check would need a second buffer.
            np.take(self._files[0], wanted, axis=0, out=out, mode="clip")
            return
        files = np.searchsorted(self._starts, wanted, side="right") - 1
        for number in np.unique(files):
            here = files == number
            out[here] = self._files[number].take(wanted[here] - self._starts[number], axis=0)

    def columns(self, fields: tuple[Field, ...], indices: _index.Indices) -> dict[str, Any]:
        """Returns new columns, equal to those that Java makes."""
        rows = np.empty((len(indices), *self._row.shape), self._row.base)
        self.read(indices, rows)
        return columns(rows, fields)
