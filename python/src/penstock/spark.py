# SPDX-License-Identifier: Apache-2.0
"""Datasets as a data source of PySpark, for clusters whose Java is older than 25, and for Spark
Connect. Only the Python workers need this package.

>>> import penstock.spark
>>> spark.dataSource.register(penstock.spark.DataSource)  # doctest: +SKIP
>>> spark.read.format("penstock").load("/data/steps").count()  # doctest: +SKIP

Options of a read: `where`, a condition; `columns`, names separated by commas, among them `_index`
and `_name`; `partition_bytes`. Options of a write: `kind`, `types`, `name`, `compress`,
`shard_bytes`, and `create` to refuse a dataset that exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark import TaskContext
from pyspark.sql import datasource, types

from . import _parts, _ranges
from ._dataset import Dataset
from ._dtypes import is_bfloat16

__all__ = ["DataSource"]

_READ_OPTIONS = {"where", "columns", "partition_bytes", "path", "paths"}
_WRITE_OPTIONS = {"kind", "types", "name", "compress", "shard_bytes", "create", "path", "paths"}


class DataSource(datasource.DataSource):
    """The data source `penstock` of PySpark.

    It has no `pushFilters`: Spark 4.2 keeps the filters of one query for later queries of the same
    data frame, which then lose rows. The option `where` filters before rows get to Spark.
    """

    @classmethod
    def name(cls) -> str:
        return "penstock"

    def _path(self) -> str:
        path = self.options.get("path")
        if path is None:
            raise ValueError("a dataset needs a path: load(path) or save(path)")
        return str(path)

    def schema(self) -> types.StructType:
        _require_known(self.options, _READ_OPTIONS, "read")
        with _ranges.opened(self._path()) as dataset:
            return _schema(dataset, _ranges.columns(dataset, self.options.get("columns")))

    def reader(self, schema: types.StructType) -> datasource.DataSourceReader:
        _require_known(self.options, _READ_OPTIONS, "read")
        size = self.options.get("partition_bytes")
        return _Reader(
            self._path(),
            schema.names,
            self.options.get("where"),
            _ranges.PARTITION_BYTES if size is None else int(size),
        )

    def writer(self, schema: types.StructType, overwrite: bool) -> datasource.DataSourceWriter:
        from pyspark.sql.pandas.types import to_arrow_schema

        _require_known(self.options, _WRITE_OPTIONS, "write")
        is_new = str(self.options.get("create", "false")).lower() == "true"
        mode = "replace" if overwrite else "create" if is_new else "append"
        options = {key: self.options.get(key) for key in _WRITE_OPTIONS}
        job = _parts.job(self._path(), options["kind"], mode, to_arrow_schema(schema), options)
        job.prepare()
        return _Writer(job)


def _require_known(options: Mapping[str, str], known: set[str], what: str) -> None:
    for option in options:
        if option.lower() not in known:
            raise ValueError(
                f"there is no option {option} of a {what}; the options are "
                f"{', '.join(sorted(known - {'path', 'paths'}))}. To filter and to choose columns, "
                "use where and columns"
            )


_TYPES: dict[str, types.DataType] = {
    "bool": types.BooleanType(),
    "int8": types.ByteType(),
    "int16": types.ShortType(),
    "uint8": types.ShortType(),
    "int32": types.IntegerType(),
    "uint16": types.IntegerType(),
    "int64": types.LongType(),
    "uint32": types.LongType(),
    "uint64": types.DecimalType(20, 0),
    "float16": types.FloatType(),
    "float32": types.FloatType(),
    "float64": types.DoubleType(),
}


def _schema(dataset: Dataset, names: Sequence[str]) -> types.StructType:
    extras = {_ranges.INDEX: types.LongType(), _ranges.NAME: types.StringType()}
    fields = {one.name: one for one in dataset._fields}
    return types.StructType(
        [
            types.StructField(name, extras[name] if name in extras else _type(fields[name]), True)
            for name in names
        ]
    )


def _type(field: Any) -> Any:
    """The same types as those of the data source in Java."""
    kind: Any
    is_bytes = field.dtype.kind == "V" and not is_bfloat16(field.dtype)
    if field.dtype.kind in "SU":
        kind = types.StringType()
    elif is_bytes:
        kind = types.BinaryType()
    elif is_bfloat16(field.dtype):
        kind = types.FloatType()
    elif field.dtype.name in _TYPES:
        kind = _TYPES[field.dtype.name]
    else:
        raise TypeError(
            f"field {field.name} has type {field.dtype}, which Spark does not have; choose others "
            "by the option columns"
        )
    depth = len(field.shape) + (field.variable and not field.is_bytes)
    for _ in range(depth):
        kind = types.ArrayType(kind, False)
    return kind


@dataclass
class _Range(datasource.InputPartition):
    start: int
    stop: int


class _Reader(datasource.DataSourceReader):
    def __init__(self, path: str, names: list[str], where: str | None, size: int) -> None:
        self._path, self._names, self._where, self._size = path, names, where, size

    def partitions(self) -> Sequence[datasource.InputPartition]:
        with _ranges.opened(self._path) as dataset:
            if self._where is not None:
                _ranges.require_condition(dataset, self._where)
            return [_Range(*one) for one in _ranges.divided(dataset, self._size)]

    def read(self, partition: Any) -> Iterator[Any]:
        from pyspark.sql.pandas.types import to_arrow_schema

        with _ranges.opened(self._path) as dataset:
            schema = to_arrow_schema(_schema(dataset, self._names))
            for table in _ranges.tables(
                dataset, self._names, self._where, partition.start, partition.stop
            ):
                yield from _ranges.cast(table, schema).to_batches()


class _Writer(datasource.DataSourceArrowWriter):
    def __init__(self, job: _parts.Job) -> None:
        self._job = job

    def write(self, iterator: Iterator[Any]) -> datasource.WriterCommitMessage:
        context = TaskContext.get()
        assert context is not None
        parts = _parts.write(self._job, context.partitionId(), context.taskAttemptId(), iterator)
        return _Written(context.partitionId(), parts)

    def commit(self, messages: list[Any]) -> None:
        written = sorted((one for one in messages if one is not None), key=lambda one: one.task)
        self._job.publish([part for one in written for part in one.parts])

    def abort(self, messages: list[Any]) -> None:
        self._job.abandon()


@dataclass
class _Written(datasource.WriterCommitMessage):
    """What a task has written: names and sizes, never rows."""

    task: int
    parts: list[_parts.Part]
