# SPDX-License-Identifier: Apache-2.0
"""Stores: records of several fields that are appended, updated and deleted, in commits."""

from __future__ import annotations

import io
import operator
import shutil
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from threading import current_thread
from typing import Any, Literal

import numpy as np

from . import _arguments, _dtypes, _index, _jvm, _store_values
from ._changes import Changes, Row, size_of
from ._column import Column
from ._dataset import Dataset, open
from ._dtypes import Field
from ._errors import StorePublishError, store_error
from ._maps import ValueViews
from ._memory import BatchInfo
from ._paths import PathLike, Source, Target, local

Record = Mapping[str, Any]
Durability = Literal["none", "batch", "commit"]

# Ctrl-C is handled between calls, so each call writes a limited number of bytes.
_EXTEND_BYTES = 64 << 20
_JOINED_BYTES = 2 << 20
_WRITERS_MAX = 4

_READING = "the store is open for reading; open it with mode='a' to change it"


class Store:
    """A store of records with named fields.

    Records have the indices 0 to `len(store) - 1`. A value is `bytes`, `str` where the field is
    declared as `utf8`, or an array where it declares another dtype; a record may lack values.
    Changes belong to the next `commit`: after a crash all of them are there or none is. One process
    at a time may write to a store, and any number may read it; a reader sees the last commit at the
    moment when it opened the store, or when it last called `refresh`.

    As a context manager a store commits and closes at the end of the block. After an exception it
    goes back to the last commit.

    Args:
        path: the folder of the store
        mode: `r` to read; `a` to change a store, which is created if it does not exist; `w` to
            create a store and replace an existing one; `x` to create a store, which must not exist
        fields: of a new store, declarations by name: a dictionary with `dtype` (of an element, as
            NumPy has it, or `utf8`; without it values are bytes), `shape` (of a value; without it
            a value has any number of elements, and `[]` is a single one) and `compress` (`raw`,
            `flate`, `zstd` or `lz4`)
        durability: what a commit waits for: `commit` until it survives a power cut, `none` for
            nothing, `batch` as `none`, with commits made durable together every 1,000 records or
            100 milliseconds; or a pair of these two numbers
        delete: what deleting does in a new store: `tombstone` keeps all indices, `swap` moves the
            last record into the gap
        snapshot: with mode `r`, the named snapshot to read instead of the last commit
        writers: threads that compress and write values at the same time, 1 to 4, each to a chunk
            of its own; without it, one for each core
        readers: threads that read the values of a large batch; without it, one for each core
        chunk_rows: of a new store, the number of values after which a chunk file is full; 1,048,576
            by default

    Any number of threads may use a store. While one of them waits for a commit, the others go on,
    and commits that wait at the same time are made durable together.

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

    @_arguments.named_options
    def __init__(
        self,
        path: PathLike,
        mode: Literal["r", "a", "w", "x"] = "r",
        *,
        fields: Mapping[str, Mapping[str, Any] | None] | None = None,
        durability: Durability | tuple[int, int] = "commit",
        delete: Literal["tombstone", "swap"] = "tombstone",
        snapshot: str | None = None,
        writers: int | None = None,
        readers: int | None = None,
        chunk_rows: int | None = None,
    ) -> None:
        if mode not in ("r", "a", "w", "x"):
            raise ValueError(f"mode is 'r', 'a', 'w' or 'x', not {mode!r}")
        if delete not in ("tombstone", "swap"):
            raise ValueError(f"delete is 'tombstone' or 'swap', not {delete!r}")
        if snapshot is not None and mode != "r":
            raise ValueError("a named snapshot can only be read; use mode='r'")
        writers = _arguments.integer_or_none("writers", writers, minimum=1)
        if writers is not None and writers > _WRITERS_MAX:
            raise ValueError(f"writers must be 1 to {_WRITERS_MAX}, got {writers}")
        readers = _arguments.integer_or_none("readers", readers, minimum=1)
        chunk_rows = _arguments.integer_or_none("chunk_rows", chunk_rows, minimum=1)
        if chunk_rows is not None and mode == "r":
            raise ValueError("chunk_rows is for new stores; use mode 'a', 'w' or 'x'")
        self._path = local(path)
        self._snapshot = snapshot
        self._readers = readers
        self._mode = mode
        self._lock = threading.RLock()
        # The last commit as a dataset, as long as there is no later one.
        self._committed: Dataset | None = None
        self._row: np.dtype[Any] | None = None
        if mode == "r":
            self._open_for_reading(fields)
        else:
            self._options = _options(durability)
            self._options["swap"] = delete == "swap"
            if writers is not None:
                self._options["writers"] = writers
            if chunk_rows is not None:
                self._options["chunkRows"] = chunk_rows
            self._open_for_writing(mode, fields, self._options)
        self._learn_fields()

    def _learn_fields(self) -> None:
        self._names = frozenset(self.fields)
        # The name of the field if there is only one and it holds bytes.
        is_single = len(self._fields) == 1 and self._fields[0].is_bytes
        self._single = self._fields[0].name if is_single else None
        self._encoders = [
            (field.name, field.is_bytes, _store_values.encoder(field)) for field in self._fields
        ]

    def _open_for_reading(self, fields: Mapping[str, Any] | None) -> None:
        if fields is not None:
            raise ValueError("fields are declared when a store is created, by mode 'a', 'w' or 'x'")
        self._handle: _jvm.Handle | None = None
        dataset = _opened(self._path, self._snapshot, self._readers)
        if dataset.format != "store":
            found = dataset.format
            dataset.close()
            raise ValueError(f"{self._path} is a {found} and not a store; use penstock.open")
        self._committed = dataset
        self._fields = dataset._fields
        self._changes: Changes | None = None
        self._count = len(dataset)

    def _open_for_writing(
        self, mode: str, fields: Mapping[str, Any] | None, options: dict[str, Any]
    ) -> None:
        # Raises when the name is not UTF-8: Java cannot change such files.
        self._target = Target(self._path, True, in_place=True)
        is_there = bool(_jvm.call("storeIsStore", path=self._target.text))
        verb = "storeOpen" if is_there and mode == "a" else "storeCreate"
        declared = {} if fields is None else {"fields": _store_values.declared(fields)}
        if verb == "storeCreate" and fields is None:
            reason = f"mode {mode!r} creates a store" if is_there else "there is no store"
            raise ValueError(
                f"{reason} at {self._path}; declare its fields, such as "
                "fields={'A': {'dtype': 'f4', 'shape': [3]}, 'B': {}}"
            )
        if is_there and mode == "w":
            # A mistake in the fields must not cost the store that exists.
            _jvm.call("storeRequireFields", **declared)
            self._remove(options)
        self._handle, answer = _jvm.create(
            f"the store {self._path}", verb, path=self._target.text, **declared, **options
        )
        self._fields = tuple(_dtypes.field(one, None, True) for one in answer["fields"])
        self._changes = Changes(self._lock, self._handle, self._fields, self._path, answer["count"])

    def _remove(self, options: dict[str, Any]) -> None:
        """Deletes the existing store, unless another process writes to it."""
        handle, _ = _jvm.create("the store", "storeOpen", path=self._target.text, **options)
        handle.close()
        shutil.rmtree(self._path)

    # Properties.

    @property
    def path(self) -> str:
        """The folder of the store."""
        return self._path

    @property
    def mode(self) -> str:
        """The mode that the store was opened with."""
        return self._mode

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of a record, by name."""
        return {field.name: field for field in self._fields}

    def __len__(self) -> int:
        """Returns the number of records, including uncommitted ones and tombstones."""
        return self._count if self._changes is None else self._changes.count

    @property
    def closed(self) -> bool:
        """Whether the store is closed."""
        if self._handle is not None:
            return self._handle.is_closed
        return self._committed is None or self._committed.closed

    @property
    def _is_changed(self) -> bool:
        """Whether there are changes that are not committed."""
        return self._changes is not None and self._changes.is_uncommitted

    def stats(self) -> dict[str, Any]:
        """Returns the use of space of the last commit: row and byte utilisation, and the
        garbage of updates and deletes, in total and by chunk."""
        answer = _jvm.call("storeStats", handle=self._state().number)
        figures: dict[str, Any] = _store_values.figures(answer)
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

    def _writing(self) -> Changes:
        """The changes of a store that is open for writing."""
        if self._handle is None or self._changes is None:
            raise io.UnsupportedOperation(_READING)
        self._handle.require_open()
        return self._changes

    def _number(self) -> int:
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
            StoreLostError: when it could not be written, or changes of this thread were given up
                because a write of another thread failed
        """
        # Every step counts here: many records are appended one by one.
        row: Row
        row = record.get(self._single) if type(record) is dict and len(record) == 1 else None
        if type(row) is bytes:
            size = len(row)
        else:
            row = self._row_of(record)
            size = size_of(row)
        if _jvm._is_forked:
            # Raises. The lock may be held by a thread that this process does not have.
            _jvm.functions()
        with self._lock:
            changes = self._changes
            if changes is not None and changes.quick_thread is current_thread():
                return changes.add(row, size)
            return self._writing().append(row)

    def _row_of(self, record: Record) -> Row:
        """The encoded values of a record, in the order of the fields."""
        if type(record) is not dict or not record.keys() <= self._names:
            # Raises, unless it is another kind of dictionary.
            values = self._encoded(record)
            return _row([values.get(field.name) for field in self._fields])
        row: list[bytes | None] = []
        for name, is_bytes, encode in self._encoders:
            value = record.get(name)
            is_done = value is None or (is_bytes and type(value) is bytes)
            row.append(value if is_done else encode(value))
        return _row(row)

    def _encoded(self, record: Record) -> dict[str, bytes | None]:
        if not isinstance(record, Mapping):
            raise TypeError(f"a record is a dictionary of values, not a {type(record).__name__}")
        self._require_fields(record)
        fields = self.fields
        return {name: _store_values.encoded(fields[name], one) for name, one in record.items()}

    def _require_fields(self, values: Mapping[str, Any]) -> None:
        for name in values:
            if name not in self._names:
                raise KeyError(f"no field {name!r}; the fields are {', '.join(self.fields)}")

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
            changes = self._writing()
            changes.begin()
            changes.flush()
            first = changes.count
            size = sum(one.nbytes for one, _ in packed.values())
            # Values that are joined first stay in the processor's cache.
            is_joined = any(isinstance(one, _store_values.Listed) for one, _ in packed.values())
            limit = _JOINED_BYTES if is_joined else _EXTEND_BYTES
            step = max(1, count * limit // max(1, size))
            for start in range(0, count, step):
                stop = min(count, start + step)
                parts = [
                    _store_values.part(fields[name], one, start, stop)
                    for name, (one, _) in packed.items()
                ]
                changes.extend(parts, stop - start)
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
            changes = self._writing()
            changes.begin()
            changes.flush()
            position = _position(index, changes.count)
            columns = []
            kept = []
            for name, value in values.items():
                column: dict[str, Any] = {"name": name}
                if value is not None:
                    memory = np.frombuffer(value or b"\0", np.uint8)
                    kept.append(memory)
                    column.update(values=memory.ctypes.data, valuesBytes=len(value))
                columns.append(column)
            changes.edit("storeUpdate", index=position, columns=columns)

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
            changes = self._writing()
            changes.begin()
            changes.flush()
            parsed, shape = _index.parse(index, changes.count)
            indices = np.unique(_index.wrap(parsed, changes.count))[::-1].copy()
            moved: list[int] = changes.edit(
                "storeDelete", indices=indices.ctypes.data, indicesBytes=indices.nbytes
            )
            return moved[0] if shape is None and moved[0] >= 0 else None

    def commit(self) -> int:
        """Makes the changes since the last commit durable, together. It may be repeated after an
        interrupt such as Ctrl-C.

        Returns:
            the number of the commit

        Raises:
            StoreLostError: when changes are given up because a write failed or another thread has
                rolled back; make them again
            StoreStoppedError: when it is unclear what is durable; open the store again and look
            OSError: when the changes are kept and not committed; commit again, or roll back

        If it returns, the changes are committed, even if a new journal or table could not be
        written: a `RuntimeWarning` tells of that.
        """
        answer = self._commit(is_publishing=False)
        _warn(answer.get("warning"))
        sequence: int = answer["sequence"]
        return sequence

    def _commit(self, is_publishing: bool) -> dict[str, Any]:
        _jvm.functions()
        return self._writing().commit(is_publishing, self._drop_committed)

    def _drop_committed(self) -> None:
        """Drops the cached dataset of an old commit."""
        self._close_committed()
        self._committed = None

    def rollback(self) -> None:
        """Discards the changes of all threads since the last commit. Other threads whose changes
        these were get a `StoreLostError` from their next call."""
        _jvm.functions()
        with self._lock:
            self._writing().rollback()

    def checkpoint(self) -> None:
        """Commits, and writes all changes into the tables, so that programs that read only the
        published layout see them.

        Raises:
            StorePublishError: when the changes are committed, but the tables could not be written
            OSError: when the commit failed, as for `commit`
        """
        answer = self._commit(is_publishing=True)
        if "unpublished" in answer:
            raise store_error(StorePublishError, answer["unpublished"])
        _warn(answer.get("warning"))

    def refresh(self) -> bool:
        """Moves on to the last commit of a writer in another process, without waiting for it.
        A store that is open for writing always shows the last commit.

        Returns:
            whether there is a later commit
        """
        with self._lock:
            if self._handle is not None:
                self._handle.require_open()
                return False
            moved = self._dataset().refresh()
            self._count = len(self._dataset())
            return moved

    def snapshot(self) -> Dataset:
        """The last commit as a dataset, for `penstock.Loader` or `where`. Later writes do not
        change it, and it outlives the store."""
        if self._handle is None:
            if self.closed:
                raise ValueError(f"the store {self._path} is closed")
            return _opened(self._path, self._snapshot, self._readers)
        options = {} if self._readers is None else {"threads": self._readers}
        handle, description = _jvm.create(
            f"the snapshot of {self._path}",
            "storeSnapshot",
            handle=self._handle.number,
            **options,
        )
        recipe = ("open", self._path, {"io": "mmap", "lenient": False, **options})
        return Dataset(handle, description, recipe)

    def create_snapshot(self, name: str) -> dict[str, Any]:
        """Keeps the last commit under a name, durably. `Store(path, snapshot=name)` and
        `penstock.open(path, snapshot=name)` read it, also after the store has changed.

        Returns:
            its name, path, records and commit, and the bytes that only it keeps
        """
        answer = _upkeep("storeSnapshotCreate", self._path, name=name)
        made: dict[str, Any] = _store_values.figures(answer)
        return made

    def snapshots(self) -> list[dict[str, Any]]:
        """The named snapshots, as `create_snapshot` describes them."""
        answer = _upkeep("storeSnapshotList", self._path)
        listed: list[dict[str, Any]] = _store_values.figures(answer)
        return listed

    def add_field(self, name: str, declaration: Mapping[str, Any] | None = None) -> None:
        """Commits, and adds a field behind the others, declared as in `Store(fields=...)`. Records
        that exist have no value in it."""
        self._alter("storeFieldAdd", fields=_store_values.declared({name: declaration}))

    def drop_field(self, name: str) -> None:
        """Commits, and drops a field. Its values become garbage, which `rebalance` gives back."""
        self._alter("storeFieldDrop", name=name)

    def compress_field(self, name: str, compress: Literal["raw", "flate", "zstd", "lz4"]) -> None:
        """Commits, and changes the compression of a field: all its values are written anew. The old
        ones become garbage, which `rebalance` gives back."""
        self._alter("storeFieldCompress", name=name, compress=compress)

    def _alter(self, verb: str, **arguments: Any) -> None:
        """Closes the store, changes its fields and opens it again."""
        with self._lock:
            self._writing()
            self.close()
            try:
                _jvm.call_patiently(verb, path=self._target.text, **arguments)
            finally:
                self._committed = None
                self._open_for_writing("a", None, self._options)
                self._learn_fields()

    def rebalance(
        self,
        min_garbage: float | None = None,
        *,
        cluster_by: str | Sequence[str] | None = None,
        order: Any = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Copies the values of chunks with much garbage to new chunks, and deletes the old ones.
        Records keep their indices and values. Other threads may write meanwhile. What is garbage
        is decided by the last commit, so commit updates and deletes first.

        Args:
            min_garbage: the share of garbage at which a chunk is copied. The default is 0.3; with
                `cluster_by` or `order` it is 0, which copies all chunks
            cluster_by: fields whose values are to lie in chunks of their own
            order: indices of records in the order in which their values are to lie
            dry_run: whether to report the plan without changing anything

        Returns:
            chunks, bytes that were copied, that were deleted and by which the store became smaller,
            bytes that wait for readers, and what `stats` shows before and after

        Commit changes first: a chunk with values that are not committed is left for the next time.
        The call waits up to two seconds for other threads to commit theirs.
        """
        arguments, _indices = _rebalance_arguments(min_garbage, cluster_by, order)
        with self._lock:
            # Waiting for changes of this thread would be in vain.
            arguments["isAuthor"] = self._writing().is_author
            # An open snapshot would keep chunks from being deleted.
            self._drop_committed()
        verb = "storeRebalancePlan" if dry_run else "storeRebalance"
        answer = _jvm.call_patiently(verb, handle=self._number(), **arguments)
        figures: dict[str, Any] = _store_values.figures(answer)
        return figures

    def drop_snapshot(self, name: str) -> None:
        """Removes a named snapshot, and the chunks that only it needs.

        Raises:
            OSError: when a reader has it open
        """
        _upkeep("storeSnapshotDrop", self._path, name=name)

    # Records.

    def _gather(
        self,
        fields: tuple[Field, ...],
        column: str | None,
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        """Reads fields of records into columns, including uncommitted changes."""
        with self._lock:
            if self._handle is not None:
                self._handle.require_open()
            if self._changes is None or not self._is_changed:
                return self._dataset()._gather(fields, column, indices, as_ragged)
            wrapped = np.ascontiguousarray(_index.wrap(indices, len(self)))
            info = BatchInfo(fields)
            arguments = {
                "handle": self._number(),
                "fields": [field.name for field in fields],
                "indices": wrapped.ctypes.data,
                "indicesBytes": wrapped.nbytes,
                "info": info.address,
                "infoBytes": info.size_bytes,
            }
            batch, _ = self._changes.read(
                lambda: _jvm.create("the batch", "storeRead", **arguments)
            )
            return info.values(batch, as_ragged)

    def __getitem__(self, index: Any) -> Any:
        """A record as a dictionary, by its number; columns of several records, by a slice, a list,
        an array or a mask; a column, by the name of its field; or a dictionary of columns, by a
        list of names."""
        if isinstance(index, str):
            return Column(self, index)
        if isinstance(index, list) and index and all(isinstance(one, str) for one in index):
            return {name: Column(self, name) for name in index}
        indices, shape = _index.parse(index, len(self))
        _index.require_one_dimension(shape, "a list of records")
        columns = self._gather(self._fields, None, indices, False)
        if shape is None:
            return {name: values[0] for name, values in columns.items()}
        return columns

    def views(self, name: str) -> Sequence[Any]:
        """The values of a field of the last commit as read-only arrays over the files themselves,
        without copying; None where a record has no value. It is for fields that are stored `raw`,
        such as images that are compressed already. Checksums are not compared.

        Raises:
            KeyError: when there is no such field
            ValueError: when a value is compressed, as soon as it is looked up

        >>> import penstock
        >>> with penstock.Store("photos", "w", fields={"jpeg": {"compress": "raw"}}) as store:
        ...     store.append({"jpeg": b"not really"})
        0
        >>> bytes(penstock.Store("photos").views("jpeg")[0])
        b'not really'
        """
        self._require_fields({name: None})
        return ValueViews(self._dataset(), name)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index in range(len(self)):
            yield self[index]

    def is_deleted(self, index: int) -> bool:
        """Whether a record was deleted and left a tombstone."""
        with self._lock:
            if self._changes is not None:
                self._changes.flush()
            position = _position(index, len(self))
            handle = self._state() if self._handle is None else self._handle
            return bool(_jvm.call("storeIsDeleted", handle=handle.number, index=position))

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        raise TypeError("a store has no rows of one width")

    def view(self) -> Any:
        """Not supported: values of a store do not lie in files one after another."""
        raise ValueError(f"{self!r} has no records that lie in files one after another")

    # Closing and pickling.

    def close(self) -> None:
        """Commits and closes the store. Snapshots and arrays stay valid. It may be repeated after
        an interrupt such as Ctrl-C; after an `OSError` the store is closed, and changes that are
        not committed are lost."""
        _warn(self._close())

    def _close(self) -> str | None:
        """Closes the store, and returns what could not be written although the changes are
        durable."""
        warning = None
        with self._lock:
            if self._handle is not None and not self._handle.is_closed:
                warning = self._finish(self._handle)
            self._close_committed()
        return warning

    def _finish(self, handle: _jvm.Handle) -> str | None:
        """Commits and closes Java's writer. Returns what could not be written although the changes
        are durable."""
        try:
            earlier = self._commit(is_publishing=False).get("warning")
            warning: str | None = _jvm.call("storeClose", handle=handle.number) or earlier
        except MemoryError:
            raise
        except Exception:
            handle.close()
            raise
        handle.close()
        return warning

    def abort(self) -> None:
        """Closes without a commit. Changes since the last commit are discarded."""
        with self._lock:
            if self._handle is not None:
                self._handle.close()
            if self._changes is not None:
                self._changes.discard()
            self._close_committed()

    def _close_committed(self) -> None:
        if self._committed is not None:
            self._committed.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if kind is not None and self._handle is not None and not self._handle.is_closed:
                self._give_up(error)
            warning = self._close()
        except BaseException:
            # Nobody will close it later.
            self.abort()
            raise
        _warn(warning)

    def _give_up(self, error: BaseException) -> None:
        """Rolls back after an error, which gets a note about the records that are lost."""
        count = len(self)
        self.rollback()
        lost = count - len(self)
        if lost > 0 and hasattr(error, "add_note"):
            error.add_note(
                f"{lost:,} records that were appended since the last commit are not in {self._path}"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if self._handle is not None:
            raise TypeError(
                "a store that is open for writing cannot be pickled; pickle its snapshot(), or "
                "open it for reading"
            )
        return _reopened, (self._path, self._snapshot, self._readers)

    def __repr__(self) -> str:
        if self.closed:
            return f"<penstock.Store {self._path!r}, closed>"
        text = f"<penstock.Store {self._path!r}, mode {self._mode!r}: {len(self):,} records"
        width = max(len(field.name) for field in self._fields)
        for field in self._fields:
            text += f"\n  {field.name:<{width}}  {field}"
        return text + ">"


def _row(values: list[bytes | None]) -> Row:
    return values[0] if len(values) == 1 else tuple(values)


def rebalance(
    path: PathLike,
    min_garbage: float | None = None,
    *,
    cluster_by: str | Sequence[str] | None = None,
    order: Any = None,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Rebalances a store that no process has open for writing. A program that has it open calls
    `Store.rebalance`.

    Args:
        path: the folder of the store
        min_garbage: as for `Store.rebalance`
        cluster_by: as for `Store.rebalance`
        order: as for `Store.rebalance`
        dry_run: whether to report the plan without changing anything, which is also possible beside
            a writer

    Returns:
        the same figures as `Store.rebalance`

    Raises:
        BlockingIOError: when a process has the store open for writing

    >>> import penstock
    >>> with penstock.Store("scores", "w", fields={"score": {"dtype": "f4"}}) as store:
    ...     store.append({"score": [1, 2]})
    0
    >>> penstock.rebalance("scores", 0.3)["copied_bytes"]
    0
    """
    arguments, _indices = _rebalance_arguments(min_garbage, cluster_by, order)
    verb = "storeRebalancePlanAt" if dry_run else "storeRebalanceAt"
    figures: dict[str, Any] = _store_values.figures(_upkeep(verb, local(path), **arguments))
    return figures


def _rebalance_arguments(
    min_garbage: float | None, cluster_by: str | Sequence[str] | None, order: Any
) -> tuple[dict[str, Any], np.ndarray[Any, Any] | None]:
    """The options of a rebalance for Java, and the memory of the order, which must live until Java
    has read it."""
    arguments: dict[str, Any] = {}
    if min_garbage is not None:
        arguments["minGarbage"] = float(min_garbage)
    if cluster_by is not None:
        arguments["apart"] = [cluster_by] if isinstance(cluster_by, str) else list(cluster_by)
    if order is None:
        return arguments, None
    indices = np.asarray(order)
    if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
        raise TypeError(
            f"order must be a list of record indices, got {indices.dtype} of shape {indices.shape}"
        )
    indices = np.ascontiguousarray(indices, np.int64)
    arguments["order"] = indices.ctypes.data
    arguments["orderBytes"] = indices.nbytes
    return arguments, indices


def _opened(path: str, snapshot: str | None, readers: int | None) -> Dataset:
    """Opens a store as a dataset that `readers` threads read."""
    is_store = readers is None or _jvm.call("storeIsStore", path=Source(path).text)
    if readers is None or not is_store:
        return open(path, snapshot=snapshot)
    if snapshot is not None:
        path = str(_jvm.call("storeSnapshotPath", path=path, name=snapshot))
    source = Source(path)
    options = {"io": "mmap", "lenient": False, "threads": readers}
    handle, description = _jvm.create(f"the store {path}", "open", path=source.text, **options)
    dataset = Dataset(handle, description, ("open", path, options))
    dataset._source_path = source
    return dataset


def _reopened(path: str, snapshot: str | None, readers: int | None) -> Any:
    """Makes a store from a pickle. Unpickling never fails: a process pool would lose an error there
    and wait for ever."""
    try:
        return Store(path, snapshot=snapshot, readers=readers)
    except Exception as error:
        return _Unopened(error)


class _Unopened:
    """Stands for a store that could not be opened. Every use raises the error."""

    def __init__(self, error: Exception) -> None:
        self.__dict__["error"] = error

    def _fail(self, *_: Any) -> Any:
        raise self.__dict__["error"]

    __getattr__ = __getitem__ = __len__ = __iter__ = __enter__ = _fail

    def __exit__(self, *_: Any) -> None:
        pass


def _warn(warning: str | None) -> None:
    """Warns of trouble after a commit that is durable all the same."""
    if warning is not None:
        warnings.warn(warning, RuntimeWarning, stacklevel=3)


def _upkeep(verb: str, path: str, **arguments: Any) -> Any:
    """Calls Java with a request about a whole store, which may take long."""
    return _jvm.call_patiently(verb, path=Target(path, True, in_place=True).text, **arguments)


def _position(index: Any, count: int) -> int:
    """The number of a record, which may be counted from the end."""
    return int(_index.wrap(np.array([_arguments.integer("index", index)]), count)[0])


def _options(durability: Any) -> dict[str, Any]:
    if isinstance(durability, tuple) and len(durability) == 2:
        records, milliseconds = map(operator.index, durability)
        if records < 1 or milliseconds < 1:
            raise ValueError(f"durability: both numbers must be at least 1, got {durability}")
        return {"durability": "batch", "batchRecords": records, "batchMillis": milliseconds}
    word = durability.lower() if isinstance(durability, str) else durability
    if word not in ("none", "batch", "commit"):
        raise ValueError(
            f"durability is 'none', 'batch', 'commit' or a pair of records and milliseconds, not "
            f"{durability!r}"
        )
    return {"durability": word}
