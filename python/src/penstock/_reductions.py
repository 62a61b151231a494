# SPDX-License-Identifier: Apache-2.0
"""Sums, means and extremes of a column, which is read in pieces and never as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments
from ._conversion import is_masked
from ._dtypes import is_bfloat16

if TYPE_CHECKING:
    from ._column import Column

_PIECE_BYTES = 4 << 20


def pieces(column: Column) -> Iterator[np.ndarray[Any, Any]]:
    """The column as arrays of some megabytes, one after another.

    Raises:
        TypeError: when the values are not numbers
    """
    kind = column.dtype.kind
    if kind not in "biufc" and not is_bfloat16(column.dtype):
        raise TypeError(
            f"column {column.name!r} holds {column.dtype}, and only columns of numbers have sums, "
            "means, smallest and largest values"
        )
    size = max(1, column.dtype.itemsize * math.prod(column.shape[1:]))
    rows = max(1, _PIECE_BYTES // size)
    for start in range(0, len(column), rows):
        piece = column[start : start + rows]
        yield piece.astype(np.float32) if is_bfloat16(piece.dtype) else piece


def _axis(axis: Any) -> int | None:
    if axis is None or (axis == 0 and not isinstance(axis, bool)):
        return None if axis is None else 0
    raise ValueError(
        f"axis must be None, for one result, or 0, for one result per element, got "
        f"{_arguments.shown(axis)}"
    )


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the type of the accumulator: the type of `numpy.sum` for integers, and 64 bits for
    floating-point numbers, so that long columns keep their precision."""
    if dtype.kind == "c":
        return np.dtype(np.complex128)
    if dtype.kind == "u":
        return np.dtype(np.uint64)
    return np.dtype(np.int64 if dtype.kind in "bi" else np.float64)


def total(column: Column, axis: Any = None, dtype: Any = None) -> Any:
    """The sum. A `dtype` is that of the accumulator, as in NumPy."""
    axis = _axis(axis)
    wide = _wide(column.dtype) if dtype is None else np.dtype(dtype)
    result: Any = np.zeros(column.shape[1:] if axis == 0 else (), wide)
    for piece in pieces(column):
        part = piece.sum(axis=axis, dtype=result.dtype)
        result = result + (part.filled(0) if is_masked(part) else part)
    return result[()] if isinstance(result, np.ndarray) else result


def _present(piece: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The rows that are not missing. A ufunc would take the numbers behind a mask for values."""
    if not is_masked(piece):
        return piece
    missing = np.ma.getmaskarray(piece).reshape(len(piece), -1).any(axis=1)
    values: np.ndarray[Any, Any] = np.ma.getdata(piece)[~missing]
    return values


def extreme(column: Column, function: Any, axis: Any = None) -> Any:
    """The smallest or the largest value, by `np.minimum` or `np.maximum`."""
    axis = _axis(axis)
    result: Any = None
    for piece in pieces(column):
        values = _present(piece)
        if len(values) == 0:
            continue
        part = function.reduce(values, axis=axis)
        result = part if result is None else function(result, part)
    if result is None:
        raise ValueError(
            f"column {column.name!r} has no values, and so no smallest or largest value"
        )
    return result


def moments(column: Column, axis: Any = None) -> tuple[Any, Any, Any]:
    """The number of values, their mean, and the sum of squared differences from the mean. Pieces
    are joined by the method of Chan, Golub and LeVeque, which does not cancel."""
    axis = _axis(axis)
    count: Any = 0
    mean: Any = 0.0
    squares: Any = 0.0
    kind = np.complex128 if column.dtype.kind == "c" else np.float64
    for piece in pieces(column):
        wide: Any = piece.astype(kind)
        here: Any = wide.size if axis is None else len(wide)
        if is_masked(wide):
            here = wide.count(axis=axis)
        if not np.any(here):
            continue
        own = wide.mean(axis=axis)
        with np.errstate(invalid="ignore"):
            spread = (np.abs(wide - own) ** 2).sum(axis=axis)
        if is_masked(own):
            own, spread = own.filled(0), spread.filled(0)
        both = count + here
        with np.errstate(invalid="ignore"):
            shift = own - mean
            share = np.divide(here, both, out=np.zeros_like(both, dtype=float), where=both != 0)
            squares = squares + spread + np.abs(shift) ** 2 * count * share
            # The difference of two infinities is no number, and their sum is what NumPy has.
            is_finite = np.isfinite(mean) & np.isfinite(own)
            mean = np.where(is_finite, mean + shift * share, mean + own)[()]
        count = both
    if not np.any(count):
        raise ValueError(f"column {column.name!r} has no values, and so no mean")
    return count, mean, squares


def variance(column: Column, axis: Any = None, ddof: Any = 0) -> Any:
    """The variance, with the sum of squares divided by the number of values less `ddof`."""
    ddof = _arguments.finite("ddof", ddof)
    count, _, squares = moments(column, axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        # A sample that is too small has no variance, which is NaN, as in NumPy.
        return np.divide(squares, np.maximum(count - ddof, 0))[()]


def result(value: Any, dtype: Any, out: Any) -> Any:
    """The result of a reduction, in the type and the array that the caller wants."""
    if out is not None:
        out[...] = value
        return out
    return value if dtype is None else np.asarray(value).astype(dtype)[()]
