# SPDX-License-Identifier: Apache-2.0
"""Datasets that several processes write together: each writes whole files under names of its own,
and one of them publishes all in one step. Spark and Ray use this. Columns come as Arrow batches."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _conversion, _dtypes, _jvm
from ._paths import local
from ._ragged import Ragged
from ._store import Store
from ._tabular import _imported
from ._writer import PackWriter

KINDS = ("table", "pack", "shards", "store")
# Shards are completed when they have this size, unless it is asked for another one.
SHARD_BYTES = 1 << 30
_COLUMN = re.compile(
    r"\s*(`(?:[^`]|``)+`|[^\s:,]+)[\s:]+([a-z][a-z0-9]*)(?:\((\d+)\))?(\[\])?(?:\[([\d\s,]+)\])?\s*"
    r"(?:,|$)"
)


@dataclass(frozen=True)
class Type:
    """The type of a field: that of an element, the shape of a value, and whether a value has any
    length. The element type is a name of NumPy, `bytes` or `utf8`."""

    element: str
    width: int = 0
    shape: tuple[int, ...] = ()
    variable: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of a fixed field."""
        if self.element in ("bytes", "utf8"):
            return np.dtype(f"{'V' if self.element == 'bytes' else 'S'}{self.width}")
        return _dtypes.parsed("types", self.element)


@dataclass(frozen=True)
class Part:
    """A file that a task has written. It is small, so it can be sent to another process."""

    name: str
    records: int
    bytes: int
    crc: str


@dataclass(frozen=True)
class Job:
    """What all processes know of a write."""

    path: str
    kind: str
    mode: str
    fields: dict[str, Type]
    name: str | None = None
    compress: str | None = None
    shard_bytes: int = SHARD_BYTES
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def row(self) -> np.dtype[Any]:
        """The type of a row of a table."""
        if list(self.fields) == ["value"]:
            only = self.fields["value"]
            return np.dtype((only.dtype, only.shape))
        return np.dtype([(name, one.dtype, one.shape) for name, one in self.fields.items()])

    def _request(self) -> dict[str, Any]:
        request: dict[str, Any] = {"path": self.path, "kind": self.kind, "job": self.identity}
        if self.kind == "table":
            request["dtype"] = _dtypes.descr_text(self.row.base)
            request["shape"] = list(self.row.shape)
        return request

    def _begin(self) -> _jvm.Handle:
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        handle, _ = _jvm.create(
            f"the dataset {self.path}", "partsBegin", mode=self.mode, **self._request()
        )
        return handle

    def prepare(self) -> None:
        """Makes the folder, and raises when the dataset cannot be written."""
        self._begin().close()

    def publish(self, parts: Sequence[Part]) -> None:
        """Makes the parts the dataset, or its end, in this order."""
        if not parts and self.mode != "append" and self.kind != "table":
            parts = [self._empty()]
        handle = self._begin()
        try:
            _jvm.call(
                "partsCommit",
                handle=handle.number,
                names=[one.name for one in parts],
                counts=[one.records for one in parts],
                sizes=[one.bytes for one in parts],
                crcs=[one.crc for one in parts],
            )
        finally:
            handle.close()

    def _empty(self) -> Part:
        raise ValueError(f"there are no rows, and a {self.kind} needs one; write a table instead")

    def abandon(self) -> None:
        """Removes the files of this job."""
        self._begin().close()

    def part_path(self, task: int, attempt: int, number: int) -> str:
        """The path of a part, which no other job, task or attempt has."""
        name = _jvm.call(
            "partName",
            kind=self.kind,
            job=self.identity,
            task=task,
            attempt=attempt,
            number=number,
        )
        return os.path.join(self.path, name)


def job(path: Any, kind: str | None, mode: str, schema: Any, options: dict[str, Any]) -> Job:
    """The job of a write.

    Args:
        path: the folder of the dataset
        kind: one of `KINDS`, or None for a table
        mode: `create`, `append` or `replace`
        schema: the columns as a schema of Arrow
        options: `types`, `name`, `compress` and `shard_bytes`
    """
    kind = kind or "table"
    if kind not in KINDS:
        raise ValueError(f"kind must be table, pack, shards or store, got {kind!r}")
    name = options.get("name")
    if name is not None and (kind != "pack" or name not in schema.names):
        raise ValueError(f"name must be a column of text of a pack, got {name!r} for a {kind}")
    given = parse_types(options.get("types") or "")
    unknown = [one for one in given if one not in schema.names]
    if unknown:
        raise ValueError(f"types has {unknown[0]!r}, but the columns are {', '.join(schema.names)}")
    fields = {
        one.name: given.get(one.name) or _natural(one.name, one.type)
        for one in schema
        if one.name != name
    }
    _require(kind, fields)
    return Job(
        path=os.path.abspath(local(path)),
        kind=kind,
        mode=mode,
        fields=fields,
        name=name,
        compress=options.get("compress"),
        shard_bytes=int(options.get("shard_bytes") or SHARD_BYTES),
    )


def _require(kind: str, fields: dict[str, Type]) -> None:
    if not fields:
        raise ValueError("there is no column to write")
    if kind == "table":
        for name, one in fields.items():
            if one.variable:
                raise ValueError(
                    f"the rows of a table have one size, and column {name} has values of any "
                    f"length: give its width or shape by types, as in '{name} "
                    f"{'utf8(16)' if one.element in ('utf8', 'bytes') else one.element + '[768]'}'"
                    ", or write kind store"
                )
    elif kind != "store" and len(fields) != 1:
        what = "binary or text" if kind == "pack" else "lists of floats"
        raise ValueError(
            f"a dataset of kind {kind} has one column of {what}, got {', '.join(fields)}; "
            "select one"
        )


def parse_types(text: str) -> dict[str, Type]:
    """The types of some columns: `label u8, image u8[32,32,3], text utf8(16), tokens i32[]`."""
    types: dict[str, Type] = {}
    end = 0
    while end < len(text.rstrip()):
        found = _COLUMN.match(text, end)
        if found is None:
            raise ValueError(
                "types must be a list of columns with their types, as in 'label u8, image "
                f"u8[32,32,3]', got {text[end:]!r}"
            )
        name, element, width, ragged, shape = found.groups()
        name = name[1:-1].replace("``", "`") if name.startswith("`") else name
        is_text = element in ("bytes", "utf8")
        if not is_text:
            _dtypes.parsed("types", element)
        dimensions = tuple(int(one) for one in shape.split(",")) if shape else ()
        types[name] = Type(
            element,
            int(width or 0),
            dimensions,
            ragged is not None or (is_text and width is None),
        )
        end = found.end()
    return types


def _natural(name: str, arrow: Any) -> Type:
    pyarrow = _imported("pyarrow", "writing Arrow columns")
    kinds = pyarrow.types
    if kinds.is_string(arrow) or kinds.is_large_string(arrow):
        return Type("utf8", variable=True)
    if kinds.is_binary(arrow) or kinds.is_large_binary(arrow):
        return Type("bytes", variable=True)
    if kinds.is_fixed_size_binary(arrow):
        return Type("bytes", arrow.byte_width)
    if kinds.is_boolean(arrow):
        return Type("bool")
    if kinds.is_integer(arrow) or kinds.is_floating(arrow):
        return Type(np.dtype(arrow.to_pandas_dtype()).name)
    if kinds.is_decimal(arrow) and arrow.precision == 20 and arrow.scale == 0:
        return Type("uint64")
    if kinds.is_fixed_size_list(arrow):
        inner = _natural(name, arrow.value_type)
        if not inner.variable:
            return Type(inner.element, inner.width, (arrow.list_size, *inner.shape))
    if kinds.is_list(arrow) or kinds.is_large_list(arrow):
        inner = _natural(name, arrow.value_type)
        if not inner.variable and not inner.shape:
            return Type(inner.element, inner.width, variable=True)
    raise ValueError(
        f"column {name} has type {arrow}, for which no field is known: cast it, or give the type "
        f"by types, as in '{name} f4[3,4]'"
    )


def write(job: Job, task: int, attempt: int, batches: Iterable[Any]) -> list[Part]:
    """Writes the rows of a task to files of its own. When it fails, it leaves none of them."""
    writers = {"table": _TableParts, "pack": _PackParts, "shards": _Activations}
    parts = writers.get(job.kind, _StoreParts)(job, task, attempt)
    try:
        for batch in batches:
            if batch.num_rows > 0:
                parts.append(batch)
        return parts.finish()
    except BaseException:
        parts.discard()
        raise


class _Parts:
    """The files of a task."""

    def __init__(self, job: Job, task: int, attempt: int) -> None:
        self._job, self._task, self._attempt = job, task, attempt
        self._done: list[Part] = []
        self._number = 0
        self._path = ""

    def _next_path(self) -> str:
        self._path = self._job.part_path(self._task, self._attempt, self._number)
        self._number += 1
        return self._path

    def append(self, batch: Any) -> None:
        raise NotImplementedError

    def finish(self) -> list[Part]:
        raise NotImplementedError

    def discard(self) -> None:
        import shutil

        for part in self._done:
            path = os.path.join(self._job.path, part.name)
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.exists(path):
                os.remove(path)


class _Rows(_Parts):
    """Files of rows of one size, which Java completes."""

    _handle: _jvm.Handle | None = None
    _open_verb = _append_verb = ""

    def _arguments(self) -> dict[str, Any]:
        raise NotImplementedError

    def _append_rows(self, rows: np.ndarray[Any, Any], row_size: int) -> None:
        """Adds rows, and begins a new file where one is full, also within the rows of a batch."""
        data = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
        start = 0
        while start < data.nbytes:
            used = 0 if self._handle is None else self._bytes
            count = max(1, (self._job.shard_bytes - used) // row_size)
            stop = min(data.nbytes, start + count * row_size)
            self._append_bytes(data[start:stop], row_size)
            start = stop

    def _append_bytes(self, rows: np.ndarray[Any, Any], row_size: int) -> None:
        if self._handle is None:
            self._handle, _ = _jvm.create(
                "a shard", self._open_verb, path=self._next_path(), **self._arguments()
            )
            self._bytes = self._count = 0
        _jvm.call(
            self._append_verb,
            handle=self._handle.number,
            rows=rows.ctypes.data,
            rowsBytes=rows.nbytes,
        )
        self._bytes += rows.nbytes
        self._count += rows.nbytes // row_size
        if self._bytes + row_size > self._job.shard_bytes:
            self._complete()

    def _complete(self) -> None:
        raise NotImplementedError

    def finish(self) -> list[Part]:
        if self._handle is not None:
            self._complete()
        return self._done

    def _close(self) -> None:
        if self._handle is not None:
            self._handle.close()
            self._handle = None

    def discard(self) -> None:
        self._close()
        super().discard()


class _TableParts(_Rows):
    _open_verb, _append_verb = "tableShard", "appendTableRows"

    def _arguments(self) -> dict[str, Any]:
        row = self._job.row
        return {"dtype": _dtypes.descr_text(row.base), "shape": list(row.shape)}

    def append(self, batch: Any) -> None:
        row = self._job.row
        columns = {
            name: fixed(name, one, batch.column(name)) for name, one in self._job.fields.items()
        }
        if row.names is None:
            rows = _conversion.converted(columns["value"], row.base)
        else:
            rows = _conversion.assembled(columns, row)
        self._append_rows(rows, row.itemsize)

    def _complete(self) -> None:
        assert self._handle is not None
        done = _jvm.call("finishTableShard", handle=self._handle.number)
        self._done.append(Part(**done))
        self._close()


class _Activations(_Rows):
    _open_verb, _append_verb = "activationShard", "appendActivations"
    _width = 0

    def _arguments(self) -> dict[str, Any]:
        return {"width": self._width, "type": self._element}

    def append(self, batch: Any) -> None:
        ((name, one),) = self._job.fields.items()
        column = batch.column(name)
        if one.variable:
            lengths = np.unique(np.asarray(_lengths(column)))
            if len(lengths) != 1:
                raise ValueError(f"the rows of shards have one width, and column {name} has others")
            one = Type(one.element, 0, (int(lengths[0]),))
        values = _conversion.converted(fixed(name, one, column), one.dtype)
        self._width = self._width or one.shape[0]
        self._element = {"float64": "f64", "float16": "f16"}.get(one.dtype.name, "f32")
        if one.dtype.kind != "f" or values.shape[1:] != (self._width,):
            raise ValueError(f"column {name} must have lists of {self._width or 'several'} floats")
        self._append_rows(values, self._width * one.dtype.itemsize)

    def _complete(self) -> None:
        assert self._handle is not None
        _jvm.call("finishActivations", handle=self._handle.number)
        size = os.path.getsize(self._path)
        self._done.append(Part(os.path.basename(self._path), self._count, size, ""))
        self._close()


class _PackParts(_Parts):
    _writer: PackWriter | None = None

    def append(self, batch: Any) -> None:
        (name,) = self._job.fields
        records = batch.column(name)
        if records.null_count > 0:
            raise ValueError(f"column {name} has a null, and a pack has no missing records")
        if self._writer is None:
            codec = self._job.compress
            self._writer = PackWriter(self._next_path(), codec=None if codec == "raw" else codec)
            self._bytes = self._count = 0
        names = None if self._job.name is None else batch.column(self._job.name).to_pylist()
        self._writer.extend(records.to_pylist() if names else records, names)
        self._count += len(records)
        self._bytes += records.nbytes
        if self._bytes >= self._job.shard_bytes:
            self.finish()

    def finish(self) -> list[Part]:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            size = os.path.getsize(self._path)
            self._done.append(Part(os.path.basename(self._path), self._count, size, ""))
        return self._done

    def discard(self) -> None:
        if self._writer is not None:
            self._writer.abort()
        super().discard()


class _StoreParts(_Parts):
    _store: Store | None = None

    def append(self, batch: Any) -> None:
        if self._store is None:
            self._store = Store(
                self._next_path(), "x", fields=self._declared(), durability="commit", writers=1
            )
        columns = {
            name: _store_column(name, one, batch.column(name))
            for name, one in self._job.fields.items()
        }
        self._store.extend(columns)

    def _declared(self) -> dict[str, Any]:
        declared: dict[str, Any] = {}
        for name, one in self._job.fields.items():
            dtype = one.element if one.element in ("utf8",) else None
            if one.element not in ("utf8", "bytes"):
                dtype = one.dtype.name
            declared[name] = {} if dtype is None else {"dtype": dtype}
            if not one.variable and dtype is not None:
                declared[name]["shape"] = list(one.shape)
            if self._job.compress:
                declared[name]["compress"] = self._job.compress
        return declared

    def finish(self) -> list[Part]:
        if self._store is not None:
            count = len(self._store)
            self._store.close()
            self._store = None
            size = sum(
                os.path.getsize(os.path.join(folder, name))
                for folder, _, names in os.walk(self._path)
                for name in names
            )
            self._done.append(Part(os.path.basename(self._path), count, size, ""))
        return self._done

    def discard(self) -> None:
        if self._store is not None:
            import shutil

            self._store.abort()
            shutil.rmtree(self._path, ignore_errors=True)
        super().discard()


def _lengths(column: Any) -> Any:
    pyarrow = _imported("pyarrow", "writing Arrow columns")
    import pyarrow.compute as compute

    if column.null_count > 0:
        raise ValueError("a null cannot be a row of shards")
    return compute.list_value_length(column).to_numpy(zero_copy_only=False) if pyarrow else None


def fixed(name: str, one: Type, column: Any) -> np.ndarray[Any, Any]:
    """The values of an Arrow column without missing values as an array."""
    pyarrow = _imported("pyarrow", "writing Arrow columns")
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.combine_chunks()
    lengths: list[int] = [len(column)]
    kinds = pyarrow.types
    while True:
        if column.null_count > 0:
            raise ValueError(
                f"column {name} has a null, which only a store can hold: fill it, drop the row, or "
                "write kind store"
            )
        if kinds.is_fixed_size_list(column.type):
            lengths.append(column.type.list_size)
        elif kinds.is_list(column.type) or kinds.is_large_list(column.type):
            counts = np.diff(np.asarray(column.offsets))
            expected = one.shape[len(lengths) - 1] if len(lengths) <= len(one.shape) else -1
            if (counts != expected).any():
                raise ValueError(
                    f"column {name} has lists of other lengths than the shape {one.shape}: give "
                    "the shape by types, or write kind store"
                )
            lengths.append(expected)
        else:
            break
        column = column.flatten()
    if tuple(lengths[1:]) != one.shape:
        raise ValueError(f"column {name} has values of shape {lengths[1:]}, not {one.shape}")
    return _flat(name, one, column).reshape(lengths)


def _flat(name: str, one: Type, column: Any) -> np.ndarray[Any, Any]:
    if one.element in ("utf8", "bytes"):
        values = [one.encode() if isinstance(one, str) else one for one in column.to_pylist()]
        exact = one.element == "bytes"
        for value in values:
            if len(value) > one.width or (exact and len(value) != one.width):
                raise ValueError(
                    f"a value of column {name} has {len(value)} bytes, but the field has "
                    f"{one.width}; give the width by types, or write kind store"
                )
        return np.array(values, one.dtype) if values else np.empty(0, one.dtype)
    if "decimal" in str(column.type):
        return np.array([int(value) for value in column.to_pylist()], np.uint64)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _store_column(name: str, one: Type, column: Any) -> Any:
    """An Arrow column for `Store.extend`."""
    if _conversion.is_arrow_binary(column):
        return _conversion.arrow_ragged(column)
    if column.null_count == 0 and not one.variable:
        return fixed(name, one, column).astype(one.dtype, copy=False)
    if column.null_count == 0 and not one.shape:
        column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        items = fixed(name, Type(one.element, one.width), column.flatten())
        offsets = np.asarray(column.offsets, np.int64)
        return Ragged(items.astype(one.dtype, copy=False), offsets - offsets[0])
    return [None if value is None else np.asarray(value, one.dtype) for value in column.to_pylist()]
