# SPDX-License-Identifier: Apache-2.0
"""Writes tables and packs. A file gets its name when it is complete."""

from __future__ import annotations

import atexit
import errno
import itertools
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from . import _arguments, _conversion, _dtypes, _jvm
from ._dataset import Dataset, open
from ._formats import OTHER_EXTENSIONS, format_of, require_format
from ._paths import PathLike, Target, exists, folder_exists, local
from ._ragged import Ragged
from ._tree import write_tree

_PENDING_BYTES = 1 << 20
_PENDING_COUNT = 10_000
# The number of records that `extend` handles at once.
_EXTEND_COUNT = 512
# The number of records that are taken from a generator at once.
_CHUNK_COUNT = 4096
# Names are sent as JSON, whose size is limited.
_PENDING_NAME_SIZE = 1 << 18
# Calls with more bytes than this are handed to Java at once.
_COLLECTED_BYTES_MAX = 1 << 17
# Ctrl-C is handled between calls, so each call writes a limited number of bytes.
_APPEND_BYTES = 64 << 20

# Writers that have not been closed yet.
_unfinished: weakref.WeakSet[_Writer] = weakref.WeakSet()


def _give_up() -> None:
    """Deletes the temporary files of open writers when the interpreter ends."""
    for writer in list(_unfinished):
        if writer._lock.acquire(timeout=1):
            writer._handle.close()
            writer._lock.release()


class _Writer:
    """The common part of the writers. The file appears at the end of `with`, unless an exception
    was raised."""

    def __init__(self, verb: str, path: str, options: dict[str, Any]) -> None:
        in_place = bool(options.get("append"))
        self._target = Target(path, options["overwrite"], in_place)
        try:
            self._handle, self._answer = _jvm.create(
                f"the writer of {path}", verb, path=self._target.text, **options
            )
        except FileExistsError as e:
            raise self._exists(path, e.filename) from None
        self._path = path
        # The records that Java has, and the last call of Java, which may not have happened.
        self._count = int(self._answer)
        self._ticket = 0
        self._is_settled = True
        # Only one thread at a time may call a writer in Java.
        self._lock = threading.Lock()
        # atexit runs functions in reverse order, so this one is registered after the runtime's own.
        atexit.unregister(_give_up)
        atexit.register(_give_up)
        _unfinished.add(self)

    def _exists(self, path: str, name: Any) -> FileExistsError:
        """The error of a target that exists."""
        return folder_exists(name) if os.path.isdir(path) else exists(name)

    def __len__(self) -> int:
        """Returns the number of records so far. After an interrupt such as Ctrl-C it tells whether
        a call has happened."""
        self._require_usable()
        with self._lock:
            self._settle()
            return self._count

    def _flush(self) -> None:
        pass

    def _append(self, verb: str, **arguments: Any) -> None:
        """Passes records to Java. Until the result is noted, nobody knows whether that has
        happened."""
        number = self._handle.number
        self._settle()
        self._ticket, self._is_settled = self._ticket + 1, False
        count = _jvm.call(verb, handle=number, ticket=self._ticket, **arguments)
        self._taken(count)

    def _settle(self) -> None:
        """Asks Java what has become of a call that was interrupted."""
        if self._is_settled or self._handle.is_closed:
            return
        found = _jvm.call("writerOutcome", handle=self._handle.number, ticket=self._ticket)
        if found["isTaken"]:
            self._taken(found["count"])
        self._is_settled = True

    def _taken(self, count: int) -> None:
        """Notes that Java has the records of the last call. It may be repeated."""
        self._count, self._is_settled = count, True

    def _require_usable(self) -> None:
        """Raises in a forked child, where the lock may be held by a thread that was not copied."""
        _jvm.functions()

    def close(self) -> None:
        """Completes the file, once everything is on stable storage. It may be repeated after an
        interrupt such as Ctrl-C."""
        self._require_usable()
        with self._lock:
            if self._handle.is_closed:
                return
            try:
                self._flush()
                _jvm.call("finish", handle=self._handle.number)
                self._target.publish()
            except MemoryError:
                raise
            except Exception:
                self._release()
                raise
            self._release()

    def _release(self) -> None:
        """Releases a finished writer, or discards an unfinished one."""
        self._handle.close()
        _unfinished.discard(self)

    def abort(self) -> None:
        """Discards the new file. An existing file of this name does not change."""
        if not _jvm.is_usable():
            return
        with self._lock:
            self._release()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            # Nobody will close it later.
            self.abort()


class _RowWriter(_Writer):
    """The common part of the writers of rows. The rows of small calls are collected, because a call
    of Java costs as much as many of them."""

    def __init__(self, verb: str, path: str, options: dict[str, Any], append_verb: str) -> None:
        self._append_verb = append_verb
        # Rows that Java does not have, and how many of them are there.
        self._collected: np.ndarray[Any, Any] | None = None
        self._collected_count = 0
        super().__init__(verb, path, options)

    def __len__(self) -> int:
        return super().__len__() + self._collected_count

    def _add(self, rows: np.ndarray[Any, Any]) -> None:
        """Adds contiguous rows. The lock must be held."""
        count = len(rows)
        if rows.nbytes > _COLLECTED_BYTES_MAX:
            self._flush()
            step = max(1, _APPEND_BYTES // (rows.nbytes // count))
            for start in range(0, count, step):
                self._hand_over(rows[start : start + step])
            return
        start = self._room(rows, count)
        assert self._collected is not None
        self._collected[start : start + count] = rows
        # The rows are there from here on.
        self._collected_count = start + count

    def _room(self, rows: np.ndarray[Any, Any], count: int) -> int:
        """Makes room for some rows, and returns the place of the first."""
        held = self._collected
        if self._handle.is_closed:
            self._handle.require_open()
        if not self._is_settled:
            self._settle()
        if held is None or held.dtype != rows.dtype:
            self._flush()
            size = max(1, rows.nbytes // len(rows))
            shape = (max(count, _PENDING_BYTES // size), *rows.shape[1:])
            self._collected = np.empty(shape, rows.dtype)
        elif self._collected_count + count > len(held):
            self._flush()
            if count > len(held):
                self._collected = None
                return self._room(rows, count)
        return self._collected_count

    def _flush(self) -> None:
        self._settle()
        if self._collected_count:
            assert self._collected is not None
            self._hand_over(self._collected[: self._collected_count])

    def _hand_over(self, rows: np.ndarray[Any, Any]) -> None:
        self._append(
            self._append_verb,
            rows=rows.ctypes.data,
            rowsBytes=rows.nbytes,
            **self._arguments_of(rows),
        )

    def _arguments_of(self, rows: np.ndarray[Any, Any]) -> dict[str, Any]:
        return {}

    def _taken(self, count: int) -> None:
        # No interrupt comes between these.
        self._count, self._collected_count, self._is_settled = count, 0, True


class TableWriter(_RowWriter):
    """Writes rows of one type: one file when the path ends in `.npy`, a folder of shards when it
    has no extension.

    Args:
        path: the file or folder to write
        dtype: the type of an element, structured for rows with fields; not needed with `append`
        shape: the shape of a row
        overwrite: whether a file of this name is replaced
        append: whether rows are added to an existing table
        shard_rows: the number of rows in each file of a folder
        metadata: texts by name that are stored in the folder's manifest

    >>> import numpy as np, penstock
    >>> with penstock.TableWriter("points.npy", "<f4", shape=(2,)) as writer:
    ...     writer.append(np.zeros((3, 2)))
    >>> penstock.open("points.npy").shape
    (3, 2)
    """

    @_arguments.named_options
    def __init__(
        self,
        path: PathLike,
        dtype: Any = None,
        *,
        shape: Sequence[int] | int = (),
        overwrite: bool = False,
        append: bool = False,
        shard_rows: int | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        whole = local(path)
        overwrite = _arguments.boolean("overwrite", overwrite)
        append = _arguments.boolean("append", append)
        options: dict[str, Any] = {"overwrite": overwrite, "append": append}
        if append:
            with open(whole) as old:
                if old._row is None:
                    raise ValueError(f"{whole} is not a table")
                row = old._row
        else:
            require_format(whole, "table")
            if dtype is None:
                raise ValueError("a new table needs a dtype")
            sizes = [shape] if isinstance(shape, (int, np.integer)) else shape
            lengths = tuple(_arguments.integer("shape", one, minimum=0) for one in sizes)
            row = np.dtype((_dtypes.parsed("dtype", dtype), lengths))
            options["dtype"] = _dtypes.descr_text(row.base)
            options["shape"] = list(row.shape)
        if shard_rows is not None:
            options["shardRows"] = _arguments.integer("shard_rows", shard_rows, minimum=1)
        if metadata is not None:
            options["metadata"] = _arguments.metadata(metadata)
        self._row = row
        # The fields, unless records are nested: then columns have names like `outer.inner`.
        fields = [(name, row.base[name]) for name in row.base.names or ()]
        is_flat = row.shape == () and all(one.base.names is None for _, one in fields)
        self._fields = [(name, one.base, one.shape) for name, one in fields] if is_flat else []
        self._one = np.empty(1, row)
        super().__init__("tableWriter", whole, options, "appendRows")

    def append(self, rows: Any) -> None:
        """Adds rows: an array, a dictionary of columns, or a dictionary with the values of one row.
        Small calls are cheap: their rows are collected and written together.

        Raises:
            ValueError: when the table's type cannot hold the values as they are; only
                floating-point rounding is allowed
        """
        if isinstance(rows, Mapping):
            if self._append_columns(rows) or self._append_row(rows):
                return
            if self._is_row(rows):
                rows = {name: [value] for name, value in rows.items()}
            array = _conversion.assembled(rows, self._row)
        else:
            array = _conversion.converted(rows, self._row.base)
        if array.shape == self._row.shape:
            array = array.reshape((1, *array.shape))
        if array.shape[1:] != self._row.shape:
            raise ValueError(
                f"rows of shape {array.shape[1:]} do not fit the table, whose rows have shape "
                f"{self._row.shape}"
            )
        if array.nbytes == 0:
            return
        self._require_usable()
        with self._lock:
            self._add(array)

    def _append_columns(self, columns: Mapping[str, Any]) -> bool:
        """Copies columns of the very types of the table straight to where rows are collected.
        Returns whether that was possible."""
        if not self._fields or len(columns) != len(self._fields):
            return False
        counts = set()
        for name, dtype, shape in self._fields:
            values = columns.get(name)
            if type(values) is not np.ndarray or values.dtype != dtype or values.ndim == 0:
                return False
            if values.shape[1:] != shape:
                return False
            counts.add(len(values))
        count = counts.pop()
        if counts or count == 0 or count * self._row.itemsize > _COLLECTED_BYTES_MAX:
            return False
        self._require_usable()
        with self._lock:
            start = self._room(self._one, count)
            assert self._collected is not None
            for name, _, _ in self._fields:
                self._collected[name][start : start + count] = columns[name]
            # The rows are there from here on.
            self._collected_count = start + count
        return True

    def _append_row(self, values: Mapping[str, Any]) -> bool:
        """Copies the numbers and arrays of one row straight to where rows are collected. Returns
        whether that was possible."""
        if not self._fields or len(values) != len(self._fields):
            return False
        for name, dtype, shape in self._fields:
            value = values.get(name)
            if type(value) is np.ndarray:
                is_same = value.dtype == dtype and value.shape == shape
            else:
                is_same = shape == () and _is_number_of(value, dtype)
            if not is_same:
                return False
        self._require_usable()
        with self._lock:
            start = self._room(self._one, 1)
            assert self._collected is not None
            # A tuple takes a fifth of the time of single fields.
            self._collected[start] = tuple([values[name] for name, _, _ in self._fields])
            # The row is there from here on.
            self._collected_count = start + 1
        return True

    def _is_row(self, values: Mapping[str, Any]) -> bool:
        """Whether a dictionary has the values of one row, and not columns. A list is a column."""
        if not self._fields or len(values) != len(self._fields):
            return False
        for name, _, shape in self._fields:
            value = values.get(name)
            if value is None or isinstance(value, (list, tuple)) or _conversion.is_masked(value):
                return False
            if np.ndim(value) != len(shape):
                return False
        return True

    def __enter__(self) -> TableWriter:
        return self


def _is_number_of(value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether this is a number of Python that a type holds as it is, but for rounding."""
    if type(value) is float:
        return dtype.kind == "f" and dtype.itemsize == 8
    if type(value) is int and dtype.kind in "iu":
        bits = 8 * dtype.itemsize
        return (
            0 <= value < 1 << bits
            if dtype.kind == "u"
            else -(1 << bits - 1) <= value < 1 << bits - 1
        )
    return isinstance(value, np.generic) and value.dtype == dtype


class PackWriter(_Writer):
    """Writes records of bytes, with names or without.

    Args:
        path: the file to write; its name ends in `.a2pack` or has no extension
        codec: how records are compressed: `none`, `zstd` or `lz4`
        level: the compression level; 0 is the codec's default
        overwrite: whether a file of this name is replaced
        align: each record starts at a multiple of this many bytes. Without it, records below 128
            bytes are stored without gaps, and larger ones at multiples of 8, 64 (from 1 KiB) or
            4,096 bytes (from 64 KiB), so that padding stays below a sixteenth

    >>> import penstock
    >>> with penstock.PackWriter("texts.a2pack") as writer:
    ...     writer.append(b"hello")
    ...     writer.append(b"world")
    >>> penstock.open("texts.a2pack")[:]
    [b'hello', b'world']
    """

    def __init__(
        self,
        path: PathLike,
        *,
        codec: str | None = None,
        level: int = 0,
        overwrite: bool = False,
        align: int | None = None,
    ) -> None:
        whole = local(path)
        require_format(whole, "pack")
        options: dict[str, Any] = {
            "overwrite": _arguments.boolean("overwrite", overwrite),
            "level": _arguments.integer("level", level),
        }
        if align is not None:
            options["align"] = _arguments.integer("align", align, minimum=1)
            if options["align"].bit_count() != 1:
                raise ValueError(f"align must be a power of two, such as 64 or 4096, got {align}")
        if codec is not None:
            if codec not in ("none", "zstd", "lz4"):
                raise ValueError(f"codec is 'none', 'zstd' or 'lz4', not {codec!r}")
            options["codec"] = codec
        self._pending: list[bytes] = []
        # The names of these records, if any of them has one. After an interrupt there may be one
        # more.
        self._names: list[str | None] = []
        self._pending_bytes = 0
        self._name_size = 0
        super().__init__("packWriter", whole, options)

    def append(self, record: Any, name: str | None = None) -> None:
        """Adds a record: `bytes`, an array, or another object with the buffer protocol. Either all
        records have names or none has."""
        # Every step counts here: many records are appended one by one.
        data = record if type(record) is bytes else _conversion.record_bytes(record)
        if name is not None:
            # Raises for values that are not text, and for text that is not valid UTF-8.
            if not isinstance(name, str):
                raise TypeError(f"name must be a string, got {_arguments.shown(name)}")
            name.encode("utf-8")
        if _jvm._is_forked:
            # Raises. The lock may be held by a thread that this process does not have.
            _jvm.functions()
        with self._lock:
            if self._handle.is_closed or not self._is_settled or self._names:
                self._begin()
            if name is not None or self._names:
                self._note_name(name)
            # The record is there from here on.
            self._pending.append(data)
            self._pending_bytes += len(data)
            is_full = self._pending_bytes >= _PENDING_BYTES or len(self._pending) >= _PENDING_COUNT
            if is_full or self._name_size >= _PENDING_NAME_SIZE:
                try:
                    self._flush()
                except Exception:
                    self._take_back(data)
                    raise

    def _note_name(self, name: str | None) -> None:
        """Notes the name of the next record. Without any names there is no list of them."""
        self._names += [None] * (len(self._pending) - len(self._names))
        self._names.append(name)
        self._name_size += 0 if name is None else len(name)

    def _begin(self) -> None:
        """Begins to add records, and drops what an interrupted call has left."""
        if self._handle.is_closed:
            self._handle.require_open()
        if not self._is_settled:
            self._settle()
        del self._names[len(self._pending) :]

    def _take_back(self, data: bytes) -> None:
        """Removes the last record, unless Java has it."""
        with suppress(Exception):
            self._settle()
            if self._pending and self._pending[-1] is data:
                self._pending.pop()

    def __len__(self) -> int:
        self._require_usable()
        with self._lock:
            self._settle()
            return self._count + len(self._pending)

    def _is_full(self) -> bool:
        """Whether enough records are collected for a call of Java."""
        return (
            self._pending_bytes >= _PENDING_BYTES
            or len(self._pending) >= _PENDING_COUNT
            or self._name_size >= _PENDING_NAME_SIZE
        )

    def extend(self, records: Iterable[Any], names: Iterable[str] | None = None) -> None:
        """Adds many records: a list, an iterator, a `Ragged` of bytes, or an array of bytes or
        texts of pyarrow. A list is faster than an iterator, because its length is known; the last
        two are written without making Python objects."""
        if _conversion.is_arrow_binary(records):
            records = _conversion.arrow_ragged(records)
        if names is None and isinstance(records, Ragged) and records.values.dtype == np.uint8:
            self._append_ragged(records)
            return
        if names is not None:
            for record, name in zip(records, names, strict=True):
                self.append(record, name)
            return
        self._require_usable()
        if isinstance(records, (list, tuple)):
            with self._lock:
                self._reserve(len(records))
        pieces = iter(records)
        while piece := list(itertools.islice(pieces, _EXTEND_COUNT)):
            self._append_all(piece)

    def _reserve(self, count: int) -> None:
        """Reserves space for the index of these records in front of them, so that closing the pack
        need not move them."""
        self._settle()
        if self._count == 0 and not self._pending and count > 0:
            _jvm.call("reserveRecords", handle=self._handle.number, count=count)

    def _append_ragged(self, records: Ragged) -> None:
        """Adds the rows of a `Ragged` where they are in memory."""
        if records.missing is not None and bool(np.any(records.missing)):
            raise ValueError("a pack has no missing records, and some rows are missing")
        bounds = np.ascontiguousarray(records.offsets, np.int64)
        values = np.ascontiguousarray(records.values)
        self._require_usable()
        with self._lock:
            self._reserve(len(records))
            self._begin()
            self._flush()
            start = 0
            while start < len(records):
                limit = int(bounds[start]) + _APPEND_BYTES
                stop = max(start + 1, int(np.searchsorted(bounds, limit, "right")) - 1)
                # An array without elements may have no address.
                part = (
                    values[bounds[start] : bounds[stop]] if len(values) else np.zeros(1, np.uint8)
                )
                offsets = bounds[start : stop + 1] - bounds[start]
                self._append(
                    "appendRecords",
                    values=part.ctypes.data,
                    valuesBytes=int(offsets[-1]),
                    offsets=offsets.ctypes.data,
                    offsetsBytes=offsets.nbytes,
                )
                start = stop

    def _append_all(self, records: list[Any]) -> None:
        """Adds some of the records given to `extend`. When a record has the wrong type, the records
        before it are added, as by single calls of `append`."""
        are_bytes = set(map(type, records)) == {bytes}
        byte_count = sum(map(len, records)) if are_bytes else 0
        if not are_bytes or byte_count > _APPEND_BYTES:
            for record in records:
                self.append(record)
            return
        with self._lock:
            self._begin()
            self._pending_bytes += byte_count
            if self._names:
                self._names += [None] * len(records)
            self._pending += records
            if self._is_full():
                self._flush()

    def _flush(self) -> None:
        self._settle()
        if not self._pending:
            return
        named = [name for name in self._names[: len(self._pending)] if name is not None]
        if named and len(named) != len(self._pending):
            raise ValueError("in one pack either all records have names or none has")
        joined = b"".join(self._pending)
        values = np.frombuffer(joined or b"\0", np.uint8)
        offsets = np.zeros(len(self._pending) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, self._pending), np.int64), out=offsets[1:])
        self._append(
            "appendRecords",
            values=values.ctypes.data,
            valuesBytes=len(joined),
            offsets=offsets.ctypes.data,
            offsetsBytes=offsets.nbytes,
            **({"names": named} if named else {}),
        )

    def _taken(self, count: int) -> None:
        # No interrupt comes between these.
        self._count, self._pending, self._names = count, [], []
        self._pending_bytes, self._name_size, self._is_settled = 0, 0, True

    def __enter__(self) -> PackWriter:
        return self


def write(
    path: PathLike,
    data: Any,
    *,
    overwrite: bool = False,
    align: int | None = None,
    share: bool = False,
) -> None:
    """Writes data as a dataset. The extension of the name decides the format.

    `.npy` takes an array, a dictionary of columns, a list that NumPy makes an array of, a list of
    dictionaries, a pandas or Polars `DataFrame`, a table or reader of pyarrow, a relation of
    DuckDB, or a dataset. `.a2pack` takes `bytes` or other objects with the buffer protocol, as a
    list or as a dictionary by name. `.npz` takes a dictionary of arrays. `.store` and `.csv` take
    the data of a table. `.act` and `.tree` take a dictionary of whole numbers by path. A name
    without an extension takes a list of `bytes`, which becomes a pack, or the data of a table,
    which becomes a folder.

    A table and a pack are also written from a generator of records, one by one: values, arrays of
    one shape, dictionaries with the same keys, or `bytes`. Only a few of them are in memory at a
    time. A tree is written from a generator of pairs of a path and a number, in any order.

    Args:
        path: the file or folder to write
        data: the records
        overwrite: whether a file of this name is replaced
        align: for a pack, see `PackWriter`
        share: for a tree, whether equal subtrees are stored once. The file is smaller, and all
            readers can read it, but its bytes depend on more than its paths and values

    Raises:
        TypeError: when the data does not fit the extension
        ValueError: when the extension is unknown

    >>> import numpy as np, penstock
    >>> penstock.write("pairs.npy", {"x": np.arange(3), "y": np.ones((3, 2), "f4")})
    >>> penstock.open("pairs.npy")[1]["y"]
    array([1., 1.], dtype=float32)
    """
    overwrite = _arguments.boolean("overwrite", overwrite)
    share = _arguments.boolean("share", share)
    if share and not os.fsdecode(path).endswith((".act", ".tree")):
        raise ValueError(f"share is for trees, and {os.fsdecode(path)} is none")
    frame = _conversion.frame_columns(data)
    if frame is not None:
        data = frame
    elif hasattr(type(data), "__arrow_c_stream__") and not isinstance(data, Dataset):
        _write_stream(path, data, overwrite, align)
        return
    extension = os.path.splitext(os.fsdecode(path))[1].lower()
    if overwrite and extension and extension != ".store":
        _require_no_folder(os.fsdecode(path))
    if extension in OTHER_EXTENSIONS:
        _write_other(path, data, extension, overwrite, align)
        return
    kind = format_of(os.fsdecode(path))
    if kind != "tree" and isinstance(data, Iterator):
        _write_records(path, data, kind, overwrite, align)
        return
    if isinstance(data, Dataset):
        data = data[:] if data.dtype.hasobject else np.asarray(data)
    if isinstance(data, Ragged):
        data = data.tolist()
    if kind is None:
        kind = "pack" if _is_list_of_bytes(data) else "table"
    if align is not None and kind != "pack":
        raise ValueError(f"align is for packs, and {os.fsdecode(path)} is a {kind}")
    if kind == "tree":
        write_tree(path, data, overwrite=overwrite, share=share)
    elif kind == "pack":
        _write_pack(path, data, overwrite, align)
    else:
        _write_table(path, data, overwrite)


def _require_no_folder(path: str) -> None:
    """Raises where a folder has the name of a file that is to be written."""
    if os.path.isdir(path):
        raise IsADirectoryError(
            errno.EISDIR,
            "a file does not replace a folder: remove it, or choose another name",
            path,
        )


def _write_stream(path: PathLike, data: Any, overwrite: bool, align: int | None) -> None:
    """Writes a table of pyarrow, a relation of DuckDB and the like, batch after batch."""
    from ._converting import convert

    kind = format_of(os.fsdecode(path))
    if kind == "tree" or align is not None:
        raise ValueError(f"{os.fsdecode(path)} cannot be written from {_arguments.shown(data)}")
    convert(data, path, overwrite=overwrite)


def _write_other(
    path: PathLike, data: Any, extension: str, overwrite: bool, align: int | None
) -> None:
    from ._converting import convert
    from ._files import write_csv, write_npz

    if align is not None:
        raise ValueError(f"align is for packs, and {os.fsdecode(path)} is not a pack")
    if isinstance(data, Iterator):
        data = list(data)
    if extension == ".store":
        convert(data, path, to="store", overwrite=overwrite)
        return
    writer = write_csv if extension == ".csv" else write_npz
    writer(path, data, overwrite=overwrite)


def _write_records(
    path: PathLike, records: Iterator[Any], kind: str | None, overwrite: bool, align: int | None
) -> None:
    """Writes the records of a generator as they come."""
    chunk = list(itertools.islice(records, _CHUNK_COUNT))
    if kind is None:
        kind = "pack" if _is_list_of_bytes(chunk) else "table"
    everything = itertools.chain(chunk, records)
    if kind == "pack":
        _write_pack(path, everything, overwrite, align)
        return
    if align is not None:
        raise ValueError(f"align is for packs, and {os.fsdecode(path)} is a table")
    if not chunk:
        raise ValueError(
            "the generator gave no records, so the type of the table's rows is not known"
        )
    _require_no_bytes(chunk)
    rows = _conversion.rows_of(chunk)
    with TableWriter(path, rows.dtype, shape=rows.shape[1:], overwrite=overwrite) as table:
        while chunk:
            table.append(_conversion.rows_of(chunk))
            chunk = list(itertools.islice(records, _CHUNK_COUNT))


def _is_list_of_bytes(data: Any) -> bool:
    """Whether this is a list of bytes. An empty list is not."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(record, (bytes, bytearray, memoryview)) for record in data)
    )


def _write_pack(path: PathLike, data: Any, overwrite: bool, align: int | None) -> None:
    if isinstance(data, Mapping) and _is_list_of_bytes(list(data.values())):
        with PackWriter(path, overwrite=overwrite, align=align) as pack:
            pack.extend(data.values(), names=data.keys())
        return
    is_single = isinstance(data, (np.ndarray, Mapping, str, bytes, bytearray, memoryview))
    if is_single or not isinstance(data, Iterable):
        raise TypeError(
            "a pack is written from a list of bytes, or from a dictionary of bytes by name, got "
            f"{_arguments.shown(data)}; an array or a dictionary of columns is a table, whose name "
            "ends in .npy"
        )
    # An iterator can be read once only, so each record is checked on its way into the pack. An
    # error leaves no file, because the writer publishes the pack when it is complete.
    with PackWriter(path, overwrite=overwrite, align=align) as pack:
        pack.extend(data if _is_list_of_bytes(data) else _checked_records(data))


def _checked_records(data: Iterable[Any]) -> Iterator[Any]:
    for number, record in enumerate(data):
        if not isinstance(record, (bytes, bytearray, memoryview, np.ndarray, np.generic)):
            advice = "encode it first" if isinstance(record, str) else "use a table for numbers"
            raise TypeError(
                f"a pack is written from a list of bytes, and record {number} is "
                f"{_arguments.shown(record)}; {advice}"
            )
        yield record


def _require_no_bytes(data: Any) -> None:
    if _is_list_of_bytes(data):
        raise TypeError(
            "a list of bytes is not a table: an array would cut zeros at their ends; end the name "
            "in .a2pack for a pack, or give an array"
        )


def _write_table(path: PathLike, data: Any, overwrite: bool) -> None:
    _require_no_bytes(data)
    if isinstance(data, Mapping):
        if _is_list_of_bytes(list(data.values())):
            raise TypeError(
                "a dictionary of bytes by name is a pack and not a table; end the name in .a2pack"
            )
        data = _conversion.assembled(data, None)
    array = _conversion.rows_of(data)
    if array.ndim == 0:
        raise TypeError(f"data must have records, got the single value {_arguments.shown(data)}")
    with TableWriter(path, array.dtype, shape=array.shape[1:], overwrite=overwrite) as table:
        table.append(array)
