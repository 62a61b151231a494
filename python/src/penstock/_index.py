# SPDX-License-Identifier: Apache-2.0
"""Index expressions, as NumPy understands them for the first dimension."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

INT64 = np.dtype(np.int64)

Indices = np.ndarray[Any, np.dtype[np.int64]]


def parse(index: Any, count: int) -> tuple[Indices, tuple[int, ...] | None]:
    """The records an expression asks for, and the shape they are to have; None for one record.

    Negative ones and those that do not exist are left for `wrap`, which is called when Java refuses
    them: the usual case then costs nothing.
    """
    if type(index) is np.ndarray and index.dtype == INT64 and index.ndim == 1:
        flags = index.flags
        if flags.c_contiguous and flags.aligned:
            return index, index.shape
    if isinstance(index, slice):
        start, stop, step = index.indices(count)
        indices = np.arange(start, stop, step, dtype=np.int64)
        return indices, indices.shape
    if isinstance(index, (bool, np.bool_)):
        raise IndexError("a single bool is no index; a mask has one for each record")
    if not isinstance(index, (np.ndarray, list)):
        if index is Ellipsis:
            return parse(slice(None), count)
        if isinstance(index, tuple):
            raise IndexError("records have one index; take the records first, and then index them")
        try:
            return np.array([operator.index(index)], dtype=np.int64), None
        except TypeError:
            pass
        except OverflowError:
            raise IndexError(f"index {index} is out of bounds for {count} records") from None
    return _from_array(index, count)


def _from_array(index: Any, count: int) -> tuple[Indices, tuple[int, ...] | None]:
    array = np.asarray(index)
    if array.dtype == np.bool_:
        if array.shape != (count,):
            raise IndexError(f"a mask of shape {array.shape} for {count} records")
        array = np.flatnonzero(array)
    elif array.size == 0 and not isinstance(index, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise IndexError(
            f"records are indexed by whole numbers, slices, masks or field names, not by {index!r}"
        )
    is_wide = array.dtype.kind == "u" and array.dtype.itemsize == 8
    if is_wide and array.size and int(array.max()) >= count:
        raise IndexError(f"index {array.max()} is out of bounds for {count} records")
    shape = array.shape if array.ndim else None
    return np.require(array.reshape(-1), np.int64, ["C", "A"]), shape


def require_one_dimension(shape: tuple[int, ...] | None, what: str) -> None:
    """Raises for an index of several dimensions where the result can have one only."""
    if shape is not None and len(shape) != 1:
        raise IndexError(
            f"an index of {len(shape)} dimensions, and {what} has one dimension; give a flat list "
            "or array of indices"
        )


def wrap(indices: Indices, count: int) -> Indices:
    """Counts negative indices from the end.

    Raises:
        IndexError: when there is no such record
    """
    wrong = (indices < -count) | (indices >= count)
    if wrong.any():
        raise IndexError(f"index {indices[wrong][0]} is out of bounds for {count} records")
    return np.where(indices < 0, indices + count, indices)
