# SPDX-License-Identifier: Apache-2.0
"""Writing tables and packs. A file appears when it is complete, or not at all."""

from __future__ import annotations

import atexit
import operator
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _conversion, _dtypes, _jvm
from ._dataset import Dataset, open
from ._formats import format_of, require_format
from ._paths import PathLike, Target, absolute
from ._ragged import Ragged
from ._tree import write_tree

_PENDING_BYTES = 1 << 20
_PENDING_COUNT = 10_000
# Names travel as JSON, which has a limit.
_PENDING_NAME_SIZE = 1 << 18
# Ctrl-C is served between calls, so none of them writes for long.
_APPEND_BYTES = 64 << 20

# Writers that nobody has finished yet.
_unfinished: weakref.WeakSet[_Writer] = weakref.WeakSet()


def _give_up() -> None:
    """Leaves no temporary files when the interpreter ends before its writers do."""
    for writer in list(_unfinished):
        if writer._lock.acquire(timeout=1):
            writer._handle.close()
            writer._lock.release()


class _Writer:
    """What both writers have: all of it appears at the end of `with`, nothing after an error."""

    def __init__(self, verb: str, path: str, options: dict[str, Any]) -> None:
        in_place = bool(options.get("append"))
        self._target = Target(path, options["overwrite"], in_place)
        self._handle, self._answer = _jvm.create(
            f"the writer of {path}", verb, path=self._target.text, **options
        )
        self._path = path
        # Java's writers are for one thread at a time.
        self._lock = threading.Lock()
        # Functions run in the reverse order, so this one has to come after the runtime's own.
        atexit.unregister(_give_up)
        atexit.register(_give_up)
        _unfinished.add(self)

    def _flush(self) -> None:
        pass

    def _require_usable(self) -> None:
        """Raises in a forked child, whose lock may be held by a thread that it does not have."""
        _jvm.functions()

    def close(self) -> None:
        """Completes the file, once everything is on stable storage."""
        self._require_usable()
        with self._lock:
            if self._handle.is_closed:
                return
            try:
                self._flush()
                _jvm.call("finish", handle=self._handle.number)
                self._target.publish()
            finally:
                # What is finished is known to nobody any more; what is not is given up.
                self._handle.close()
                _unfinished.discard(self)

    def abort(self) -> None:
        """Gives up what was written; what was there before stays."""
        if not _jvm.is_usable():
            return
        with self._lock:
            self._handle.close()
            _unfinished.discard(self)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


class TableWriter(_Writer):
    """Writes rows of one type: one file when the path ends in `.npy`, a folder of shards when it
    has no extension.

    Args:
        path: the file or folder to write
        dtype: of an element, structured for rows with fields; not needed with `append`
        shape: of a row
        overwrite: whether a file of this name is replaced
        append: whether rows are added to a table that is there
        shard_rows: rows after which a new file begins, in a folder
        metadata: notes for the folder

    >>> import numpy as np, penstock
    >>> with penstock.TableWriter("points.npy", "<f4", shape=(2,)) as writer:
    ...     writer.append(np.zeros((3, 2)))
    >>> penstock.open("points.npy").shape
    (3, 2)
    """

    def __init__(
        self,
        path: PathLike,
        dtype: Any = None,
        shape: Sequence[int] = (),
        *,
        overwrite: bool = False,
        append: bool = False,
        shard_rows: int | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        whole = absolute(path)
        options: dict[str, Any] = {"overwrite": overwrite, "append": append}
        if append:
            with open(whole) as old:
                if old._row is None:
                    raise ValueError(f"{whole} is no table")
                row = old._row
        else:
            require_format(whole, "table")
            if dtype is None:
                raise ValueError("a new table needs a dtype")
            row = np.dtype((np.dtype(dtype), tuple(shape)))
            options["dtype"] = _dtypes.descr_text(row.base)
            options["shape"] = list(row.shape)
        if shard_rows is not None:
            options["shardRows"] = shard_rows
        if metadata is not None:
            options["metadata"] = dict(metadata)
        self._row = row
        super().__init__("tableWriter", whole, options)

    def append(self, rows: Any) -> None:
        """Adds rows: an array, or a dictionary of columns.

        Raises:
            ValueError: when the table's type cannot hold the values as they are; only numbers with
                a point may lose digits
        """
        if isinstance(rows, Mapping):
            array = _conversion.assembled(rows, self._row)
        else:
            array = _conversion.converted(rows, self._row.base)
        if array.shape == self._row.shape:
            array = array.reshape((1, *array.shape))
        if array.shape[1:] != self._row.shape:
            raise ValueError(
                f"rows of shape {array.shape[1:]}, and the table's are {self._row.shape}"
            )
        if array.nbytes == 0:
            return
        self._require_usable()
        step = max(1, _APPEND_BYTES // self._row.itemsize)
        with self._lock:
            for start in range(0, len(array), step):
                part = array[start : start + step]
                _jvm.call(
                    "appendRows",
                    handle=self._handle.number,
                    rows=part.ctypes.data,
                    rowsBytes=part.nbytes,
                )

    def __enter__(self) -> TableWriter:
        return self


class PackWriter(_Writer):
    """Writes records of bytes, with names or without.

    Args:
        path: the file to write; its name ends in `.a2pack` or has no extension
        codec: how records are compressed: `none`, `zstd` or `lz4`
        level: of the compression; 0 for the codec's own choice
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
        whole = absolute(path)
        require_format(whole, "pack")
        options: dict[str, Any] = {"overwrite": overwrite, "level": level}
        if align is not None:
            options["align"] = operator.index(align)
            if options["align"] < 1:
                raise ValueError(f"align must be at least 1, got {align}")
        if codec is not None:
            if codec not in ("none", "zstd", "lz4"):
                raise ValueError(f"codec is 'none', 'zstd' or 'lz4', not {codec!r}")
            options["codec"] = codec
        self._pending: list[bytes] = []
        self._names: list[str | None] = []
        self._pending_bytes = 0
        self._name_size = 0
        super().__init__("packWriter", whole, options)

    def append(self, record: Any, name: str | None = None) -> None:
        """Adds a record: `bytes`, an array, or whatever else has bytes. Either all records have
        names or none has."""
        data = _conversion.record_bytes(record)
        if name is not None:
            # Raises for what is no text, and for text that no file can hold.
            str.encode(name, "utf-8")
        self._require_usable()
        with self._lock:
            self._handle.number  # noqa: B018 - raises when it is closed
            self._pending.append(data)
            self._names.append(name)
            self._pending_bytes += len(data)
            self._name_size += len(name or "")
            # One call for many small records.
            if (
                self._pending_bytes >= _PENDING_BYTES
                or len(self._pending) >= _PENDING_COUNT
                or self._name_size >= _PENDING_NAME_SIZE
            ):
                self._flush()

    def extend(self, records: Iterable[Any], names: Iterable[str] | None = None) -> None:
        """Adds many."""
        if names is None:
            for record in records:
                self.append(record)
        else:
            for record, name in zip(records, names, strict=True):
                self.append(record, name)

    def _flush(self) -> None:
        if not self._pending:
            return
        named = [name for name in self._names if name is not None]
        if named and len(named) != len(self._names):
            raise ValueError("in one pack either all records have names or none has")
        values = np.frombuffer(b"".join(self._pending) or b"\0", np.uint8)
        sizes = [len(record) for record in self._pending]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        _jvm.call(
            "appendRecords",
            handle=self._handle.number,
            values=values.ctypes.data,
            valuesBytes=self._pending_bytes,
            offsets=offsets.ctypes.data,
            offsetsBytes=offsets.nbytes,
            **({"names": named} if named else {}),
        )
        self._pending, self._names = [], []
        self._pending_bytes = self._name_size = 0

    def __enter__(self) -> PackWriter:
        return self


def write(path: PathLike, data: Any, *, overwrite: bool = False, align: int | None = None) -> None:
    """Writes data as a dataset. The extension of the name decides the format.

    `.npy` takes an array, a dictionary of columns, or a list that NumPy makes an array of.
    `.a2pack` takes a list of `bytes` or of whatever else has bytes. `.act` takes a dictionary of
    whole numbers by path. A name without an extension takes a list of `bytes`, which becomes a
    pack, or the data of a table, which becomes a folder.

    Args:
        path: the file or folder to write
        data: the records
        overwrite: whether a file of this name is replaced
        align: for a pack, see `PackWriter`

    Raises:
        TypeError: when the data does not fit the extension
        ValueError: when the extension is unknown

    >>> import numpy as np, penstock
    >>> penstock.write("pairs.npy", {"x": np.arange(3), "y": np.ones((3, 2), "f4")})
    >>> penstock.open("pairs.npy")[1]["y"]
    array([1., 1.], dtype=float32)
    """
    kind = format_of(os.fsdecode(path))
    if isinstance(data, Dataset):
        data = data[:] if data.dtype.hasobject else np.asarray(data)
    if isinstance(data, Ragged):
        data = data.tolist()
    if kind is None:
        kind = "pack" if _is_list_of_bytes(data) else "table"
    if align is not None and kind != "pack":
        raise ValueError(f"align is for packs, and {os.fsdecode(path)} is a {kind}")
    if kind == "tree":
        write_tree(path, data, overwrite=overwrite)
    elif kind == "pack":
        _write_pack(path, data, overwrite, align)
    else:
        _write_table(path, data, overwrite)


def _is_list_of_bytes(data: Any) -> bool:
    """Whether this is a list of bytes; one without records says nothing about them."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(record, (bytes, bytearray, memoryview)) for record in data)
    )


def _write_pack(path: PathLike, data: Any, overwrite: bool, align: int | None) -> None:
    if isinstance(data, (np.ndarray, Mapping, str, bytes, bytearray, memoryview)):
        raise TypeError(
            f"a pack is written from a list of bytes, not from a {type(data).__name__}; an array "
            "or a dictionary of columns is a table, whose name ends in .npy"
        )
    # An iterator can be read once only, so each record is checked on its way into the pack. An
    # error leaves no file, because the writer publishes the pack when it is complete.
    with PackWriter(path, overwrite=overwrite, align=align) as pack:
        pack.extend(_checked_records(data))


def _checked_records(data: Iterable[Any]) -> Iterator[Any]:
    for number, record in enumerate(data):
        if not isinstance(record, (bytes, bytearray, memoryview, np.ndarray, np.generic)):
            raise TypeError(
                f"a pack is written from a list of bytes, and record {number} is a "
                f"{type(record).__name__}; encode text first"
            )
        yield record


def _write_table(path: PathLike, data: Any, overwrite: bool) -> None:
    if _is_list_of_bytes(data):
        raise TypeError(
            "a list of bytes is not a table: an array would cut zeros at their ends; end the name "
            "in .a2pack for a pack, or give an array"
        )
    if isinstance(data, Mapping):
        data = _conversion.assembled(data, None)
    if isinstance(data, Iterator):
        raise TypeError(
            f"a table is written from an array or a list, not from a {type(data).__name__}; make a "
            "list of it, or append its rows to a penstock.TableWriter"
        )
    array = _conversion.unmasked(data)
    if array.ndim == 0:
        raise ValueError("a table has rows; a single value has none")
    with TableWriter(path, array.dtype, array.shape[1:], overwrite=overwrite) as table:
        table.append(array)
