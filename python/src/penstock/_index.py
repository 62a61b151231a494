# SPDX-License-Identifier: Apache-2.0
"""Parses index expressions with NumPy's rules for the first dimension."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import EllipsisType
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

from . import _arguments

INT64 = np.dtype(np.int64)

Indices = np.ndarray[Any, np.dtype[np.int64]]

# The types that index a dataset or a column.
Index: TypeAlias = (
    SupportsIndex
    | slice
    | EllipsisType
    | Sequence[int]
    | Sequence[bool]
    | Sequence[Sequence[int]]
    | np.ndarray[Any, Any]
    | tuple[Any, ...]
)


def parse(index: Any, count: int) -> tuple[Indices, tuple[int, ...] | None]:
    """Returns the indices of an index expression, and the shape of the result; None for one record.

    Negative indices, and indices out of range, are left to `wrap`, which is called when Java
    reports one: the usual case then costs nothing.
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
        raise IndexError(
            f"a single bool is not an index, got {index}; a mask needs one bool for each record. "
            "To select records by a value, use ds.where('x == 3') or ds[ds['x'][:] == 3]"
        )
    if not isinstance(index, (np.ndarray, list)):
        if index is Ellipsis:
            return parse(slice(None), count)
        if isinstance(index, tuple):
            raise IndexError("records take one index; read the records first, and index the result")
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
            raise IndexError(f"the mask has shape {array.shape}, and there are {count} records")
        array = np.flatnonzero(array)
    elif array.size == 0 and not isinstance(index, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise IndexError(
            "index records by integers, slices, masks or field names, got "
            f"{_arguments.shown(index)}"
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
    """Translates negative indices, which count from the end.

    Raises:
        IndexError: when an index is out of range
    """
    wrong = (indices < -count) | (indices >= count)
    if wrong.any():
        raise IndexError(f"index {indices[wrong][0]} is out of bounds for {count} records")
    return np.where(indices < 0, indices + count, indices)


def element(records: Any, index: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """A part of an array that is read record by record: what NumPy gives for the same index of the
    whole array, while only the records that the first part of the index names are read.

    Args:
        records: the object that the first part of the index is applied to
        shape: the shape of the whole array
    """
    first, *others = index or (Ellipsis,)
    if isinstance(first, tuple):
        first = list(first)
    if first is Ellipsis or first is None or np.ndim(first) > 1:
        # The first part of the index does not refer to the first dimension.
        return np.asarray(records)[index]
    is_exact = not any(other is Ellipsis or other is None for other in others)
    if len(others) >= len(shape) and is_exact:
        raise IndexError(
            f"the index has {len(index)} parts, and the array has {len(shape)} dimensions"
        )
    indices, wanted = parse(first, shape[0])
    rows = records[indices]
    if wanted is None:
        part = rows[(0, *others)]
    elif isinstance(first, slice):
        part = rows[(slice(None), *others)]
    else:
        part = rows[(np.arange(len(indices)), *others)]
    # The copy owns its memory and does not keep the records alive.
    return part.copy() if isinstance(part, np.ndarray) else part
