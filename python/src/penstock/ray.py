# SPDX-License-Identifier: Apache-2.0
"""Datasets in Ray Data.

>>> import penstock.ray
>>> penstock.ray.read("/data/steps").map_batches(work)  # doctest: +SKIP
>>> penstock.ray.write(dataset, "/data/steps")  # doctest: +SKIP
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from ray.data import Datasource
from ray.data import read_datasource as _read_datasource
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import Datasink, ReadTask

from . import _parts, _ranges
from ._paths import PathLike

__all__ = ["read", "write"]


def read(
    path: PathLike,
    *,
    where: str | None = None,
    columns: Sequence[str] | None = None,
    parallelism: int | None = None,
) -> Any:
    """Reads a dataset as a `ray.data.Dataset`, whose blocks are ranges of records.

    Args:
        path: any dataset that `penstock.open` opens and that all nodes see
        where: a condition; records that do not match are not read
        columns: the fields to read, among them `_index` and `_name`; all fields without it
        parallelism: the number of read tasks; without it, blocks have 128 MiB
    """
    source = _Source(path, where, columns)
    return _read_datasource(source, override_num_blocks=parallelism)


def write(
    dataset: Any,
    path: PathLike,
    *,
    kind: Literal["table", "pack", "shards", "store"] = "table",
    mode: Literal["create", "append", "replace"] = "create",
    types: str = "",
    name: str | None = None,
    compress: str | None = None,
    shard_bytes: int | None = None,
) -> None:
    """Writes a `ray.data.Dataset`. Tasks write whole shards, and all are published in one step.

    Args:
        dataset: the rows
        path: the folder of the dataset, which all nodes share
        kind: the format
        mode: what happens when there is a dataset
        types: the types of some fields, as in `label u8, image u8[32,32,3]`
        name: for a pack, the column with the names of the records
        compress: for a pack or a store, `zstd`, `lz4`, or `flate` for a store
        shard_bytes: the size after which a task begins a new shard
    """
    options = {"types": types, "name": name, "compress": compress, "shard_bytes": shard_bytes}
    if mode not in ("create", "append", "replace"):
        raise ValueError(f"mode must be create, append or replace, got {mode!r}")
    schema = dataset.schema()
    if schema is None:
        raise ValueError("the dataset has no rows, so its columns are not known")
    arrow = schema.base_schema
    job = _parts.job(path, kind, mode, _plain(arrow), options)
    job.prepare()
    dataset.write_datasink(_Sink(job))


def _plain(schema: Any) -> Any:
    """A schema without Ray's types of tensors, which are lists of fixed sizes."""
    import pyarrow

    fields = []
    for field in schema:
        kind = field.type
        shape = getattr(kind, "shape", None)
        if shape is not None and hasattr(kind, "storage_type"):
            kind = kind.storage_type.value_type
            for length in reversed(shape):
                kind = pyarrow.list_(kind, length)
        fields.append(pyarrow.field(field.name, kind))
    return pyarrow.schema(fields)


class _Source(Datasource):
    def __init__(self, path: PathLike, where: str | None, columns: Sequence[str] | None) -> None:
        super().__init__()
        self._path, self._where = path, where
        with _ranges.opened(path) as dataset:
            self._names = _ranges.columns(dataset, columns)
            if where is not None:
                _ranges.require_condition(dataset, where)
            self._count = len(dataset)
            self._bytes = dataset._description["bytes"]

    def get_name(self) -> str:
        return "Penstock"

    def estimate_inmemory_data_size(self) -> int:
        return int(self._bytes)

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, *_: Any, **__: Any
    ) -> list[ReadTask]:
        pieces = max(1, min(parallelism, self._count))
        bounds = [self._count * piece // pieces for piece in range(pieces + 1)]
        return [
            self._task(start, stop, per_task_row_limit)
            for start, stop in itertools.pairwise(bounds)
        ]

    def _task(self, start: int, stop: int, limit: int | None) -> ReadTask:
        path, names, where = self._path, self._names, self._where
        is_exact = where is None and limit is None

        def blocks() -> Iterable[Any]:
            with _ranges.opened(path) as dataset:
                yield from _ranges.tables(dataset, names, where, start, stop)

        metadata = BlockMetadata(
            num_rows=stop - start if is_exact else None,
            size_bytes=int(self._bytes * (stop - start) / max(1, self._count)),
            input_files=None,
            exec_stats=None,
        )
        return ReadTask(blocks, metadata, per_task_row_limit=limit)


class _Sink(Datasink[Any]):
    def __init__(self, job: _parts.Job) -> None:
        self._job = job

    def write(self, blocks: Iterable[Any], ctx: Any) -> list[_parts.Part]:
        batches = (
            batch
            for block in blocks
            for batch in _storage(BlockAccessor.for_block(block).to_arrow()).to_batches()
        )
        # A task that is repeated gets another number.
        return _parts.write(self._job, ctx.task_idx, uuid.uuid4().int >> 66, batches)

    def on_write_complete(self, write_result: Any) -> None:
        self._job.publish([part for parts in write_result.write_returns for part in parts])

    def on_write_failed(self, error: Exception) -> None:
        self._job.abandon()


def _storage(table: Any) -> Any:
    """A table without Ray's types of tensors."""
    import pyarrow

    columns = []
    for column, wanted in zip(table.columns, _plain(table.schema).types, strict=True):
        if column.type != wanted:
            chunks = [_nested(chunk.storage, wanted) for chunk in column.chunks]
            column = pyarrow.chunked_array(chunks, wanted)
        columns.append(column)
    return pyarrow.table(dict(zip(table.schema.names, columns, strict=True)))


def _nested(flat: Any, wanted: Any) -> Any:
    """The lists of a tensor, which Ray stores as one list for each row."""
    import pyarrow

    lengths = []
    while pyarrow.types.is_fixed_size_list(wanted):
        lengths.append(wanted.list_size)
        wanted = wanted.value_type
    values = flat.flatten()
    for length in reversed(lengths):
        values = pyarrow.FixedSizeListArray.from_arrays(values, length)
    return values
