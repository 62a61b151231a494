# SPDX-License-Identifier: Apache-2.0
"""Stores: records of several fields that are appended, updated and deleted, in commits."""

from __future__ import annotations

import io
import operator
import shutil
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np

from . import _dtypes, _index, _jvm, _store_values
from ._column import Column
from ._dataset import Dataset, open
from ._dtypes import Field
from ._memory import BatchInfo
from ._paths import PathLike, Target, absolute

Record = Mapping[str, Any]
Durability = Literal["none", "batch", "commit"]

_PENDING_COUNT = 10_000
_PENDING_BYTES = 4 << 20
# Ctrl-C is served between calls, so none of them writes for long.
_EXTEND_BYTES = 64 << 20

_READING = "the store is open for reading; open it with mode='a' to change it"


class Store:
    """A store of records with named fields.

    Records have the indices 0 to `len(store) - 1`. A value is `bytes`, or an array where the field
    declares a dtype; a record may lack values. Changes belong to the next `commit`: after a crash
    all of them are there or none is. One process at a time may write to a store, and any number
    may read it; a reader sees the last commit at the moment when it opened the store.

    As a context manager a store commits and closes at the end of the block. After an exception it
    goes back to the last commit.

    Args:
        path: the folder of the store
        mode: `r` to read; `a` to change a store, which is created if there is none; `w` for a new
            one in place of what is there; `x` for a new one where nothing is
        fields: of a new store, declarations by name: a dictionary with `dtype` (of an element, as
            NumPy has it, or `utf8`; without it values are bytes), `shape` (of a value; without it
            a value has any number of elements, and `[]` is a single one) and `compress` (`raw`,
            `flate`, `zstd` or `lz4`)
        durability: what a commit waits for: `commit` until it survives a power cut, `none` for
            nothing, `batch` as `none`, with commits made durable together every 1,000 records or
            100 milliseconds; or a pair of these two numbers
        delete: what deleting does in a new store: `tombstone` keeps all indices, `swap` moves the
            last record into the gap

    >>> import numpy as np, penstock
    >>> fields = {"point": {"dtype": "f4", "shape": [2], "compress": "zstd"}, "note": {}}
    >>> with penstock.Store("points", "w", fields=fields) as store:
    ...     store.append({"point": [1, 2], "note": b"first"})
    ...     store.extend({"point": np.zeros((3, 2))})
    0
    range(1, 4)
    >>> store = penstock.Store("points")
    >>> len(store), store["point"][0], store["note"][[0, 1]]
    (4, array([1., 2.], dtype=float32), [b'first', None])
    """

    def __init__(
        self,
        path: PathLike,
        mode: Literal["r", "a", "w", "x"] = "r",
        fields: Mapping[str, Mapping[str, Any] | None] | None = None,
        durability: Durability | tuple[int, int] = "commit",
        delete: Literal["tombstone", "swap"] = "tombstone",
    ) -> None:
        if mode not in ("r", "a", "w", "x"):
            raise ValueError(f"mode is 'r', 'a', 'w' or 'x', not {mode!r}")
        if delete not in ("tombstone", "swap"):
            raise ValueError(f"delete is 'tombstone' or 'swap', not {delete!r}")
        self._path = absolute(path)
        self._mode = mode
        self._lock = threading.RLock()
        self._pending: dict[str, list[bytes | None]] = {}
        self._pending_count = 0
        self._pending_bytes = 0
        self._is_changed = False
        # The last commit as a dataset, as long as there is no later one.
        self._committed: Dataset | None = None
        self._row: np.dtype[Any] | None = None
        if mode == "r":
            self._open_for_reading(fields)
        else:
            options = _options(durability)
            options["swap"] = delete == "swap"
            self._open_for_writing(mode, fields, options)
        self._names = frozenset(self.fields)

    def _open_for_reading(self, fields: Mapping[str, Any] | None) -> None:
        if fields is not None:
            raise ValueError("fields are declared when a store is created, by mode 'a', 'w' or 'x'")
        self._handle: _jvm.Handle | None = None
        dataset = open(self._path)
        if dataset.format != "store":
            found = dataset.format
            dataset.close()
            raise ValueError(f"{self._path} is a {found} and not a store; use penstock.open")
        self._committed = dataset
        self._fields = dataset._fields
        self._count = len(dataset)

    def _open_for_writing(
        self, mode: str, fields: Mapping[str, Any] | None, options: dict[str, Any]
    ) -> None:
        # Raises for names that Java cannot change files by.
        self._target = Target(self._path, True, in_place=True)
        is_there = bool(_jvm.call("storeIsStore", path=self._target.text))
        if is_there and mode == "w":
            self._remove(options)
            is_there = False
        if is_there and mode == "a":
            verb, declared = "storeOpen", {}
        elif fields is None:
            raise ValueError(
                f"there is no store at {self._path}; declare its fields, such as "
                "fields={'A': {'dtype': 'f4', 'shape': [3]}, 'B': {}}"
            )
        else:
            verb, declared = "storeCreate", {"fields": _store_values.declared(fields)}
        self._handle, answer = _jvm.create(
            f"the store {self._path}", verb, path=self._target.text, **declared, **options
        )
        self._fields = tuple(_dtypes.field(one) for one in answer["fields"])
        self._count = answer["count"]
        if verb == "storeOpen" and fields is not None:
            self._require_declared(fields)

    def _remove(self, options: dict[str, Any]) -> None:
        """Deletes the store that is there, unless another process writes to it."""
        handle, _ = _jvm.create("the store", "storeOpen", path=self._target.text, **options)
        handle.close()
        shutil.rmtree(self._path)

    def _require_declared(self, fields: Mapping[str, Any]) -> None:
        if list(fields) != [field.name for field in self._fields]:
            found = ", ".join(field.name for field in self._fields)
            self.abort()
            raise ValueError(
                f"the store {self._path} has the fields {found}, and others are declared; leave "
                "out fields= for a store that exists"
            )

    # What it is.

    @property
    def path(self) -> str:
        """The folder of the store."""
        return self._path

    @property
    def mode(self) -> str:
        """How it was opened."""
        return self._mode

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of a record, by name."""
        return {field.name: field for field in self._fields}

    def __len__(self) -> int:
        """Records, with those that are not committed yet. Deleted records that left a tombstone
        count."""
        return self._count + self._pending_count

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        if self._handle is not None:
            return self._handle.is_closed
        return self._committed is None or self._committed.closed

    def stats(self) -> dict[str, Any]:
        """How the space of the last commit is used: both utilisations, and the garbage that updates
        and deletes left, in all and by chunk."""
        figures: dict[str, Any] = _jvm.call("storeStats", handle=self._state().number)
        return figures

    def _state(self) -> _jvm.Handle:
        return self._dataset()._java()

    def _dataset(self) -> Dataset:
        """The last commit as a dataset that is closed with the store."""
        with self._lock:
            if self._committed is None:
                self._committed = self.snapshot()
            return self._committed

    # Changes.

    def _writer(self) -> int:
        """The number of Java's writer."""
        if self._handle is None:
            raise io.UnsupportedOperation(_READING)
        return self._handle.number

    def append(self, record: Record) -> int:
        """Appends a record: values by the names of fields. Fields that it lacks, or that are None,
        are missing.

        Returns:
            the index of the record

        Raises:
            KeyError: when there is no such field
            TypeError, ValueError: when a value does not fit its field
        """
        values = self._encoded(record)
        _jvm.functions()
        with self._lock:
            self._writer()
            for field in self._fields:
                self._pending.setdefault(field.name, []).append(values.get(field.name))
            self._pending_count += 1
            self._pending_bytes += sum(len(value) for value in values.values() if value)
            self._is_changed = True
            index = len(self) - 1
            # One call for many small records.
            if self._pending_count >= _PENDING_COUNT or self._pending_bytes >= _PENDING_BYTES:
                self._flush()
            return index

    def _encoded(self, record: Record) -> dict[str, bytes | None]:
        if not isinstance(record, Mapping):
            raise TypeError(f"a record is a dictionary of values, not a {type(record).__name__}")
        self._require_fields(record)
        fields = self.fields
        return {name: _store_values.encoded(fields[name], one) for name, one in record.items()}

    def _require_fields(self, values: Mapping[str, Any]) -> None:
        for name in values:
            if name not in self._names:
                raise KeyError(f"no field {name!r}; there are: {', '.join(self.fields)}")

    def _flush(self) -> None:
        """Hands records over to Java that were appended one by one."""
        if self._pending_count == 0:
            return
        pending, count = self._pending, self._pending_count
        self._pending, self._pending_count, self._pending_bytes = {}, 0, 0
        columns = [_store_values.packed(field, pending[field.name]) for field in self._fields]
        self._append(columns, count)

    def _append(self, columns: list[_store_values.Packed], count: int) -> None:
        requests = [column.request() for column in columns]
        try:
            _jvm.call("storeAppend", handle=self._writer(), columns=requests, count=count)
            self._count += count
        except OSError:
            # A write that failed has taken the changes since the last commit with it.
            self._count = _jvm.call("storeCount", handle=self._writer())
            raise

    def extend(self, columns: Mapping[str, Any]) -> range:
        """Appends many records, given as columns of equal length: arrays, lists of values, or
        `Ragged`. Masked rows, and None in a list, are missing values, as is a field without a
        column.

        Returns:
            the indices of the records
        """
        if not isinstance(columns, Mapping):
            raise TypeError(
                f"extend takes a dictionary of columns, not a {type(columns).__name__}; use append "
                "for single records"
            )
        self._require_fields(columns)
        fields = self.fields
        packed = {name: _store_values.column(fields[name], one) for name, one in columns.items()}
        counts = {name: count for name, (_, count) in packed.items()}
        if len(set(counts.values())) > 1:
            raise ValueError(f"the columns have different lengths: {counts}")
        count = next(iter(counts.values()), 0)
        _jvm.functions()
        with self._lock:
            self._writer()
            self._flush()
            first = self._count
            size = sum(one.values.nbytes for one, _ in packed.values())
            step = max(1, count * _EXTEND_BYTES // max(1, size))
            for start in range(0, count, step):
                stop = min(count, start + step)
                parts = [
                    _store_values.part(fields[name], one, start, stop)
                    for name, (one, _) in packed.items()
                ]
                self._is_changed = True
                self._append(parts, stop - start)
            return range(first, first + count)

    def update(self, index: int, record: Record) -> None:
        """Changes some values of a record. Its other fields stay as they are; None leaves the
        record without a value.

        Raises:
            IndexError: when there is no such record
            ValueError: when it was deleted, or a value does not fit
        """
        values = self._encoded(record)
        _jvm.functions()
        with self._lock:
            self._writer()
            self._flush()
            position = int(_index.wrap(np.array([operator.index(index)]), self._count)[0])
            columns = []
            kept = []
            for name, value in values.items():
                column: dict[str, Any] = {"name": name}
                if value is not None:
                    memory = np.frombuffer(value or b"\0", np.uint8)
                    kept.append(memory)
                    column.update(values=memory.ctypes.data, valuesBytes=len(value))
                columns.append(column)
            _jvm.call("storeUpdate", handle=self._writer(), index=position, columns=columns)
            self._is_changed = True

    def delete(self, index: Any) -> int | None:
        """Deletes a record, or several by a list, an array or a mask.

        All other records keep their indices, unless the store was created with `delete='swap'`:
        then the last record moves into the gap, and several records are deleted from the highest
        index down.

        Returns:
            the former index of the record that is now at this index, or None when none has moved;
            None for several
        """
        _jvm.functions()
        with self._lock:
            self._writer()
            self._flush()
            parsed, shape = _index.parse(index, self._count)
            indices = np.unique(_index.wrap(parsed, self._count))[::-1].copy()
            self._is_changed = True
            try:
                moved: list[int] = _jvm.call(
                    "storeDelete",
                    handle=self._writer(),
                    indices=indices.ctypes.data,
                    indicesBytes=indices.nbytes,
                )
            finally:
                self._count = _jvm.call("storeCount", handle=self._writer())
            return moved[0] if shape is None and moved[0] >= 0 else None

    def commit(self) -> int:
        """Makes the changes since the last commit durable, together.

        Returns:
            the number of the commit
        """
        _jvm.functions()
        with self._lock:
            self._flush()
            commit: int = _jvm.call("storeCommit", handle=self._writer())
            self._changed_state()
            return commit

    def rollback(self) -> None:
        """Gives up the changes since the last commit."""
        _jvm.functions()
        with self._lock:
            self._pending, self._pending_count, self._pending_bytes = {}, 0, 0
            self._count = _jvm.call("storeRollback", handle=self._writer())
            self._is_changed = False

    def checkpoint(self) -> None:
        """Commits, and writes all changes into the tables, so that programs that know the published
        layout alone see them."""
        _jvm.functions()
        with self._lock:
            self._flush()
            _jvm.call("storeCheckpoint", handle=self._writer())
            self._changed_state()

    def _changed_state(self) -> None:
        """A commit was made: what was read from the one before is out of date."""
        if self._is_changed and self._committed is not None:
            self._committed.close()
            self._committed = None
        self._is_changed = False

    def snapshot(self) -> Dataset:
        """The last commit as a dataset, for `penstock.Loader`, `where` and the like. It stays as it
        is, whatever is written later, and outlives the store."""
        if self._handle is None:
            if self.closed:
                raise ValueError(f"the store {self._path} is closed")
            return open(self._path)
        handle, description = _jvm.create(
            f"the snapshot of {self._path}", "storeSnapshot", handle=self._handle.number
        )
        recipe = ("open", self._path, {"io": "mmap", "lenient": False})
        return Dataset(handle, description, recipe)

    # Records.

    def _gather(
        self,
        fields: tuple[Field, ...],
        column: str | None,
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        """Columns of records, with what is not committed yet."""
        with self._lock:
            if self._handle is not None:
                self._handle.require_open()
            if not self._is_changed:
                return self._dataset()._gather(fields, column, indices, as_ragged)
            self._flush()
            wrapped = np.ascontiguousarray(_index.wrap(indices, self._count))
            info = BatchInfo(fields)
            batch, _ = _jvm.create(
                "the batch",
                "storeRead",
                handle=self._writer(),
                fields=[field.name for field in fields],
                indices=wrapped.ctypes.data,
                indicesBytes=wrapped.nbytes,
                info=info.address,
                infoBytes=info.size_bytes,
            )
            return info.values(batch, as_ragged)

    def __getitem__(self, index: Any) -> Any:
        """A record as a dictionary, by its number; columns of several records, by a slice, a list,
        an array or a mask; or a column, by the name of its field."""
        if isinstance(index, str):
            return Column(self, index)
        indices, shape = _index.parse(index, len(self))
        _index.require_one_dimension(shape, "a list of records")
        columns = self._gather(self._fields, None, indices, False)
        if shape is None:
            return {name: values[0] for name, values in columns.items()}
        return columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index in range(len(self)):
            yield self[index]

    def is_deleted(self, index: int) -> bool:
        """Whether a record was deleted and left a tombstone."""
        with self._lock:
            self._flush()
            position = int(_index.wrap(np.array([operator.index(index)]), self._count)[0])
            handle = self._state() if self._handle is None else self._handle
            return bool(_jvm.call("storeIsDeleted", handle=handle.number, index=position))

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        raise TypeError("a store has no rows of one width")

    def view(self) -> Any:
        """Not supported: values of a store do not lie in files one after another."""
        raise ValueError(f"{self!r} has no records that lie in files one after another")

    # Its life.

    def close(self) -> None:
        """Commits and closes. Snapshots and arrays stay."""
        with self._lock:
            if self._handle is not None and not self._handle.is_closed:
                try:
                    self._flush()
                    _jvm.call("storeClose", handle=self._handle.number)
                finally:
                    self._handle.close()
            self._close_committed()

    def abort(self) -> None:
        """Closes without a commit: changes since the last one are given up."""
        with self._lock:
            self._pending, self._pending_count, self._pending_bytes = {}, 0, 0
            if self._handle is not None:
                self._handle.close()
            self._close_committed()

    def _close_committed(self) -> None:
        if self._committed is not None:
            self._committed.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None and self._handle is not None and not self._handle.is_closed:
            self.rollback()
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._handle is not None:
            raise TypeError(
                "a store that is open for writing cannot be pickled; pickle its snapshot(), or "
                "open it for reading"
            )
        return Store, (self._path,)

    def __repr__(self) -> str:
        if self.closed:
            return f"<penstock.Store {self._path!r}, closed>"
        text = f"<penstock.Store {self._path!r}, mode {self._mode!r}: {len(self):,} records"
        width = max(len(field.name) for field in self._fields)
        for field in self._fields:
            text += f"\n  {field.name:<{width}}  {field}"
        return text + ">"


def _options(durability: Any) -> dict[str, Any]:
    if isinstance(durability, tuple):
        records, milliseconds = map(operator.index, durability)
        if records < 1 or milliseconds < 1:
            raise ValueError(f"durability: both numbers must be at least 1, got {durability}")
        return {"durability": "batch", "batchRecords": records, "batchMillis": milliseconds}
    if durability not in ("none", "batch", "commit"):
        raise ValueError(
            f"durability is 'none', 'batch', 'commit' or a pair of records and milliseconds, not "
            f"{durability!r}"
        )
    return {"durability": durability}
