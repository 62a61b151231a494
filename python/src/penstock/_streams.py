# SPDX-License-Identifier: Apache-2.0
"""Datasets as streams of Arrow, some records at a time: what DuckDB, Polars and pyarrow read
without a copy of the whole dataset in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import _ranges, _tabular
from ._dataset import Dataset
from ._dtypes import Field, is_bfloat16


def schema(dataset: Dataset, names: Sequence[str]) -> Any:
    """The types of columns, as `Dataset.to_arrow` makes them."""
    pyarrow = _tabular._imported("pyarrow", "reading as Arrow")
    fields = {field.name: field for field in dataset._fields}
    types = {one["name"]: one["type"] for one in dataset._description["fields"]}
    return pyarrow.schema(
        [(name, _type(pyarrow, fields[name], types[name] == "utf8")) for name in names]
    )


def _type(pyarrow: Any, field: Field, is_text: bool) -> Any:
    if field.variable and (is_text or field.is_bytes):
        return pyarrow.large_string() if is_text else pyarrow.large_binary()
    dtype = field.dtype.newbyteorder("=")
    if is_bfloat16(dtype):
        kind = pyarrow.float32()
    elif dtype.kind == "c":
        raise TypeError("Arrow has no complex numbers; choose the other fields by ds[['a', 'b']]")
    elif dtype.kind in "SV":
        kind = pyarrow.binary()
    else:
        kind = pyarrow.from_numpy_dtype(dtype) if dtype.kind != "U" else pyarrow.string()
    for length in reversed(field.shape):
        kind = pyarrow.list_(kind, length)
    return pyarrow.list_(kind) if field.variable else kind


def stream(dataset: Dataset, names: Sequence[str] | None = None) -> Any:
    """A `pyarrow.RecordBatchReader` of the records, with some columns or all.

    The dataset must stay open until the stream has been read.
    """
    names = [one.name for one in dataset._fields] if names is None else names
    types = schema(dataset, names)
    pyarrow = _tabular._imported("pyarrow", "reading as Arrow")

    def batches() -> Iterator[Any]:
        for table in _ranges.tables(dataset, names, None, 0, len(dataset)):
            columns = {one.name: _cast(table.column(one.name), one.type) for one in types}
            yield from pyarrow.table(columns, schema=types).to_batches()

    return pyarrow.RecordBatchReader.from_batches(types, batches())


def _cast(column: Any, wanted: Any) -> Any:
    import pyarrow

    if column.type == wanted:
        return column
    if pyarrow.types.is_list(wanted) and column.null_count == len(column):
        return pyarrow.chunked_array([pyarrow.nulls(len(column), wanted)])
    return column.cast(wanted)
