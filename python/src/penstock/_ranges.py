# SPDX-License-Identifier: Apache-2.0
"""Datasets in ranges of records, as tables of Arrow: what the doors to Spark and Ray read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from . import _tabular
from ._dataset import Dataset, open

# The bytes of a partition, as in Spark and Ray.
PARTITION_BYTES = 128 << 20
# The bytes of a table that is in memory.
_TABLE_BYTES = 8 << 20
_ROWS_MAX = 1 << 16
INDEX = "_index"
NAME = "_name"


def opened(path: Any) -> Dataset:
    """The dataset at a path."""
    dataset = open(path)
    if not isinstance(dataset, Dataset):
        raise TypeError(f"{path} has no records that are read by index; convert it to a table")
    return dataset


def columns(dataset: Dataset, asked: Any) -> list[str]:
    """The columns that are asked for: a list, names separated by commas, or None for all fields."""
    fields = [one.name for one in dataset._fields]
    if asked is None:
        return fields
    names = [one.strip() for one in asked.split(",")] if isinstance(asked, str) else list(asked)
    for name in names:
        if name not in fields and name not in (INDEX, NAME):
            raise ValueError(f"there is no field {name}; the fields are {', '.join(fields)}")
    return names


def require_condition(dataset: Dataset, where: str) -> None:
    """Raises when a condition is invalid."""
    dataset.select(np.zeros(0, np.int64)).where(where)


def divided(dataset: Dataset, size: int) -> list[tuple[int, int]]:
    """Ranges of about equal size with at most `size` bytes each, or one record."""
    count = len(dataset)
    bytes_each = max(1.0, dataset._description["bytes"] / max(1, count))
    rows = max(1, int(size / bytes_each))
    pieces = -(-count // rows)
    bounds = [count * piece // pieces for piece in range(pieces + 1)] if pieces else [0]
    return list(pairwise(bounds))


def tables(
    dataset: Dataset, names: Sequence[str], where: str | None, start: int, stop: int
) -> Iterator[Any]:
    """The records of a range that match a condition, some at a time."""
    pyarrow = _tabular._imported("pyarrow", "reading as Arrow")
    bytes_each = dataset._description["bytes"] / max(1, len(dataset))
    step = int(min(_ROWS_MAX, max(1, _TABLE_BYTES / max(1, bytes_each))))
    for first in range(start, stop, step):
        indices = np.arange(first, min(stop, first + step))
        rows: Any = dataset.select(indices)
        if where is not None:
            rows = rows.where(where)
            indices = rows._base_indices(np.arange(len(rows)))
        if len(rows) == 0:
            continue
        yield (
            pyarrow.table({name: _column(pyarrow, dataset, rows, name, indices) for name in names})
            if names
            else pyarrow.table({"": pyarrow.nulls(len(rows))})
        )


def _column(pyarrow: Any, dataset: Dataset, rows: Any, name: str, indices: Any) -> Any:
    fields = {one.name: one for one in dataset._fields}
    if name not in fields:
        if name == INDEX:
            return pyarrow.array(np.asarray(indices, np.int64))
        return pyarrow.array([dataset.name(int(one)) for one in indices], pyarrow.string())
    values = rows[:] if dataset._is_bare_field else rows[name][:]
    return _tabular._arrow(pyarrow, values)


def cast(table: Any, schema: Any) -> Any:
    """A table with the types of a schema."""
    import pyarrow

    if not schema.names:
        return table
    return pyarrow.table(
        {field.name: _cast(pyarrow, table.column(field.name), field.type) for field in schema},
        schema=schema,
    )


def _cast(pyarrow: Any, column: Any, wanted: Any) -> Any:
    if column.type == wanted:
        return column
    if pyarrow.types.is_decimal(wanted):
        # Arrow's own cast allows 20 digits for uint64 only in some versions.
        values = [None if one is None else int(one) for one in column.to_pylist()]
        return pyarrow.chunked_array([pyarrow.array(values, wanted)])
    return column.cast(wanted)
