# SPDX-License-Identifier: Apache-2.0
"""Writing tables and packs. A file appears when it is complete, or not at all."""

from __future__ import annotations

import atexit
import itertools
import os
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _conversion, _dtypes, _jvm
from ._dataset import Dataset, PathLike
from ._ragged import Ragged

_PENDING_BYTES = 1 << 20
_PENDING_COUNT = 10_000
# Names travel as JSON, which has a limit.
_PENDING_NAME_SIZE = 1 << 18
# Ctrl-C is served between calls, so none of them writes for long.
_APPEND_BYTES = 64 << 20

# Java counts upwards from 1, and -1 is a failure.
_numbers = itertools.count(-2, -1)

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
        self._require_usable()
        # Ctrl-C may come between Java's making a writer and its answer; the number is known before.
        number = next(_numbers)
        self._handle = _jvm.Handle(number, f"the writer of {path}")
        self._path = path
        # Java's writers are for one thread at a time.
        self._lock = threading.Lock()
        # Functions run in the reverse order, so this one has to come after the runtime's own.
        atexit.unregister(_give_up)
        atexit.register(_give_up)
        _unfinished.add(self)
        try:
            _jvm.call(verb, path=path, number=number, **options)
        except BaseException:
            self._handle.close()
            raise

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
    """Writes rows of one type: one file when the path ends in `.npy`, otherwise a folder of shards.

    Args:
        path: what to write
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
        absolute = os.path.abspath(os.fsdecode(path))
        options: dict[str, Any] = {"overwrite": overwrite, "append": append}
        if append:
            with Dataset(_jvm.call("open", path=absolute), ()) as old:
                if old._row is None:
                    raise ValueError(f"{absolute} is no table")
                row = old._row
        else:
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
        super().__init__("tableWriter", absolute, options)

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
        path: what to write
        codec: how records are compressed: `none`, `zstd` or `lz4`
        level: of the compression; 0 for the codec's own choice
        overwrite: whether a file of this name is replaced

    >>> import penstock
    >>> with penstock.PackWriter("texts.a2pack") as writer:
    ...     writer.append(b"hello")
    ...     writer.append(b"world")
    >>> penstock.open("texts.a2pack")[:]
    [b'hello', b'world']
    """

    def __init__(
        self, path: PathLike, *, codec: str | None = None, level: int = 0, overwrite: bool = False
    ) -> None:
        absolute = os.path.abspath(os.fsdecode(path))
        options: dict[str, Any] = {"overwrite": overwrite, "level": level}
        if codec is not None:
            if codec not in ("none", "zstd", "lz4"):
                raise ValueError(f"codec is 'none', 'zstd' or 'lz4', not {codec!r}")
            options["codec"] = codec
        self._pending: list[bytes] = []
        self._names: list[str | None] = []
        self._pending_bytes = 0
        self._name_size = 0
        super().__init__("packWriter", absolute, options)

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


def write(path: PathLike, data: Any, *, overwrite: bool = False) -> None:
    """Writes an array or a dictionary of columns as a table, or a list of bytes as a pack.

    >>> import numpy as np, penstock
    >>> penstock.write("pairs.npy", {"x": np.arange(3), "y": np.ones((3, 2), "f4")})
    >>> penstock.open("pairs.npy")[1]["y"]
    array([1., 1.], dtype=float32)
    """
    if isinstance(data, Dataset):
        data = data[:] if data.dtype.hasobject else np.asarray(data)
    if isinstance(data, Mapping):
        data = _conversion.assembled(data, None)
    if isinstance(data, Ragged):
        data = data.tolist()
    is_bytes = isinstance(data, (list, tuple)) and all(
        isinstance(record, (bytes, bytearray, memoryview)) for record in data
    )
    if is_bytes and len(data) > 0:
        with PackWriter(path, overwrite=overwrite) as pack:
            pack.extend(data)
        return
    array = _conversion.unmasked(data)
    if array.ndim == 0:
        raise ValueError("a table has rows; a single value has none")
    with TableWriter(path, array.dtype, array.shape[1:], overwrite=overwrite) as table:
        table.append(array)
