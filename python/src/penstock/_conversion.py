# SPDX-License-Identifier: Apache-2.0
"""What callers have as what files hold: never other values than those that were given."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._dtypes import is_bfloat16

Array = np.ndarray[Any, Any]


def is_masked(values: Any) -> bool:
    """Whether this is an array with a mask. There is none before `numpy.ma` is loaded, and loading
    it only to ask would take time, and fail in a process that has changed its user."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(values, masked.MaskedArray)


def unmasked(values: Any, dtype: np.dtype[Any] | None = None) -> Array:
    """An array of the values; one with a mask would lose it."""
    if is_masked(values):
        raise ValueError("a file has no mask; fill the array first, for example by .filled(0)")
    return np.asarray(values, dtype)


def record_bytes(record: Any) -> bytes:
    """The bytes of a record. A number has none: `bytes(5)` would be five zeros."""
    if isinstance(record, (np.ndarray, np.generic)):
        array = unmasked(record)
        if array.dtype.hasobject:
            raise TypeError(f"an array of {array.dtype} holds addresses, which mean nothing later")
        return array.tobytes()
    return bytes(memoryview(record))


def converted(values: Any, dtype: np.dtype[Any]) -> Array:
    """The values as another type, in memory that can be written as it is.

    Raises:
        ValueError: when it has no place for them; only digits after the point may get lost
    """
    # Tuples are records only for those who say so.
    is_array = isinstance(values, (np.ndarray, np.generic))
    array = unmasked(values, None if is_array or dtype.names is None else dtype)
    if array.dtype != dtype:
        array = _by_name(array, dtype) if dtype.names is not None else _checked(array, dtype)
    return np.require(array, requirements=["C", "A"])


def _by_name(array: Array, dtype: np.dtype[Any]) -> Array:
    """NumPy would go by position, and fields of another order would trade their values."""
    if array.dtype.names is None:
        raise ValueError(f"values of {array.dtype} for rows with fields {dtype.names}")
    rows = np.zeros(array.shape, dtype)
    _place(rows, {name: array[name] for name in array.dtype.names}, "")
    return rows


def _checked(array: Array, dtype: np.dtype[Any]) -> Array:
    if np.can_cast(array.dtype, dtype):
        return array.astype(dtype)
    is_number = array.dtype.kind in "biufc" and (dtype.kind in "biufc" or _is_inexact(dtype))
    if not is_number and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ValueError(f"values of {array.dtype} for {dtype}")
    if array.dtype.kind == "c" and dtype.kind != "c":
        raise ValueError(f"values of {array.dtype} for {dtype}")
    with np.errstate(invalid="ignore"):
        result = array.astype(dtype)
    if not _is_inexact(dtype) and not np.array_equal(result, array, equal_nan=dtype.kind in "Mm"):
        raise ValueError(f"some values of {array.dtype} would be others as {dtype}")
    return result


def _is_inexact(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fc" or is_bfloat16(dtype)


def assembled(columns: Mapping[str, Any], row: np.dtype[Any] | None) -> Array:
    """Columns as rows; without a type, of packed fields. Fields of records inside records are
    called `outer.inner`, as in batches, or given together as one column of records."""
    arrays = {name: unmasked(values) for name, values in columns.items()}
    if not arrays or any(values.ndim == 0 for values in arrays.values()):
        raise ValueError("rows need columns, and a column has a value for each row")
    counts = {len(values) for values in arrays.values()}
    if len(counts) != 1:
        raise ValueError(f"the columns have different lengths: {sorted(counts)}")
    if row is None:
        row = np.dtype([(name, a.dtype, a.shape[1:]) for name, a in arrays.items()])
    if row.base.names is None:
        raise ValueError("the table has plain values and no fields; give it an array")
    rows = np.zeros((counts.pop(), *row.shape), row.base)
    _place(rows, arrays, "")
    return rows


def _place(rows: Array, columns: dict[str, Array], prefix: str) -> None:
    """Copies columns to where they belong, and refuses those that belong nowhere."""
    assert rows.dtype.names is not None
    for name in rows.dtype.names:
        target = rows[name]
        values = columns.pop(prefix + name, None)
        if values is None and target.dtype.names is not None:
            _place(target, columns, f"{prefix}{name}.")
        elif values is None:
            raise ValueError(f"there is no column {prefix + name!r}")
        elif values.shape != target.shape:
            raise ValueError(
                f"column {prefix + name!r} has shape {values.shape}, and its place {target.shape}"
            )
        else:
            target[...] = converted(values, target.dtype)
    if columns and not prefix:
        raise ValueError(f"there are no fields {sorted(columns)} in {rows.dtype.names}")
