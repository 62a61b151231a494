# SPDX-License-Identifier: Apache-2.0
"""Datasets as tables of pandas and Arrow. Both are imported on first use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._conversion import is_masked
from ._dtypes import is_bfloat16

if TYPE_CHECKING:
    from ._dataset import Dataset


def _imported(name: str, caller: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise ImportError(f"{caller} needs {name}; install it with pip install {name}") from e


def columns(dataset: Dataset) -> dict[str, Any]:
    """All records, as a dictionary of columns."""
    values = dataset[:]
    return values if isinstance(values, dict) else {"value": values}


def to_pandas(dataset: Dataset) -> Any:
    """A `pandas.DataFrame` with a column for each field."""
    pandas = _imported("pandas", "to_pandas()")
    index = pandas.RangeIndex(len(dataset))
    return pandas.DataFrame(
        {name: _series(pandas, values, index) for name, values in columns(dataset).items()},
        index=index,
    )


def _series(pandas: Any, values: Any, index: Any) -> Any:
    if is_masked(values):
        present = ~np.ma.getmaskarray(values)
        if values.ndim == 1:
            return pandas.Series(values.data, index=index).where(present)
        rows: Any = present.reshape(len(present), -1).all(axis=1)
        values = [row if here else None for row, here in zip(values.data, rows, strict=True)]
    if isinstance(values, np.ndarray):
        if is_bfloat16(values.dtype):
            values = values.astype(np.float32)
        elif not values.dtype.isnative:
            values = values.astype(values.dtype.newbyteorder("="))
        if values.ndim == 1 and values.dtype.kind != "V":
            return pandas.Series(values, index=index)
    # A cell holds the whole array of a record.
    return pandas.Series(_objects(values), index=index, dtype=object)


def _objects(values: Any) -> np.ndarray[Any, Any]:
    objects = np.empty(len(values), object)
    for row, value in enumerate(values):
        objects[row] = value
    return objects


def to_arrow(dataset: Dataset) -> Any:
    """A `pyarrow.Table` with a column for each field."""
    pyarrow = _imported("pyarrow", "to_arrow()")
    return pyarrow.table(
        {name: _arrow(pyarrow, values) for name, values in columns(dataset).items()}
    )


def _arrow(pyarrow: Any, values: Any) -> Any:
    mask = None
    if is_masked(values):
        mask = np.ma.getmaskarray(values).reshape(len(values), -1).any(axis=1)
        values = values.data
    if not isinstance(values, np.ndarray):
        return _lists(pyarrow, values)
    if is_bfloat16(values.dtype):
        values = values.astype(np.float32)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.kind in "VS":
        cells = [None if value is None else bytes(value) for value in values.reshape(-1).tolist()]
        flat = pyarrow.array(cells, pyarrow.binary())
    elif values.dtype.kind == "c":
        raise TypeError("Arrow has no complex numbers; choose the other fields by ds[['a', 'b']]")
    else:
        flat = pyarrow.array(values.reshape(-1))
    for length in reversed(values.shape[1:]):
        flat = pyarrow.FixedSizeListArray.from_arrays(flat, length)
    if mask is None:
        return flat
    if math.prod(values.shape[1:]) == len(flat) and values.ndim == 1:
        return pyarrow.array(values, mask=mask)
    return pyarrow.compute.if_else(pyarrow.array(~mask), flat, pyarrow.scalar(None, flat.type))


def _lists(pyarrow: Any, values: Any) -> Any:
    """Values of any length: bytes, or arrays of numbers."""
    present = [value for value in values if value is not None]
    if all(isinstance(value, bytes) for value in present):
        return pyarrow.array(list(values), pyarrow.large_binary())
    arrays = [None if value is None else np.asarray(value) for value in values]
    lists = [None if one is None else one.tolist() for one in arrays]
    first = next((one for one in arrays if one is not None), None)
    if first is None or first.dtype.kind not in "biuf":
        return pyarrow.array(lists)
    # A guess from the first numbers would be int64, which numbers from 2^63 on do not fit.
    inner = pyarrow.from_numpy_dtype(first.dtype.newbyteorder("="))
    for _ in range(first.ndim):
        inner = pyarrow.list_(inner)
    return pyarrow.array(lists, inner)
