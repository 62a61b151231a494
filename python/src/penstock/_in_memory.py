# SPDX-License-Identifier: Apache-2.0
"""Datasets of data that is in memory: arrays, dictionaries of columns, lists of bytes, and
map-style datasets of other libraries."""

from __future__ import annotations

import ast
import builtins
import mmap
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, overload

import numpy as np

from . import _arguments, _conversion, _dtypes, _jvm, _objects, _paths
from ._dataset import Dataset, open
from ._mapped import Mapped
from ._objects import Objects
from ._ragged import Ragged

_Array = np.ndarray[Any, Any]


class InMemory(Dataset):
    """Records that were given as an array or as a list of bytes. The dataset keeps a copy of them
    in an anonymous file in memory, which is deleted with the dataset."""

    _memory_file: _MemoryFile

    @property
    def path(self) -> str:
        """A description, because the dataset has no path."""
        return "<memory>"

    def _portable(self) -> tuple[Any, ...]:
        return ("memory", self._memory_file.content(), self._description)


@overload
def from_memory(data: _Array | Mapping[str, Any] | list[Any] | tuple[Any, ...]) -> Dataset: ...
@overload
def from_memory(data: Any) -> Any: ...
def from_memory(data: Any) -> Any:
    """Makes a dataset of data that is in memory, so that it can be indexed, queried and loaded like
    any other dataset. The data is copied once, except for an `np.memmap` of a whole file, which is
    opened where it is.

    A map-style dataset, which is any other object with `__len__` and `__getitem__` or
    `__getitems__`, becomes a `penstock.Objects`, as does a list of tuples whose parts fit in no
    array, such as `(image, "cat")`. Nothing of it is copied or read.

    Args:
        data: an array or a tensor, whose first dimension counts the records; a dictionary of
            columns of one length; a list of `bytes`, of numbers, of strings, or of dictionaries
            with the same keys; a pandas `DataFrame`; or a map-style dataset, such as one for
            PyTorch's `DataLoader` or of Hugging Face. A column may also be a list of `bytes`

    Raises:
        TypeError: when the data is something else, such as a generator or an `IterableDataset`
        ValueError: when the columns have different lengths

    >>> import numpy as np, penstock
    >>> ds = penstock.from_memory({"x": np.arange(4), "text": [b"a", b"bc", b"", b"d"]})
    >>> ds[1]
    {'x': np.int64(1), 'text': b'bc'}
    """
    if isinstance(data, (Dataset, Mapped, Objects)):
        return data
    columns = _columns(data)
    if columns is not None:
        return _of_columns(columns)
    if _objects.is_objects(data):
        return _objects.of(data)
    return _of_values(data)


def _of_values(data: Any) -> Dataset:
    """The dataset of an array or of a list of values."""
    if isinstance(data, Ragged):
        data = data.tolist()
    if _is_bytes(data):
        return _of_records(data)
    mapped = _mapped_file(data) if isinstance(data, np.memmap) else None
    return _of_array(_array("the data", data)) if mapped is None else mapped


def _columns(data: Any) -> dict[Any, Any] | None:
    """The columns of a dictionary or a data frame, or None for any other data."""
    if isinstance(data, Mapping):
        columns = dict(data)
    elif _is_dictionaries(data):
        names = _conversion.require_same_keys(data)
        columns = {name: [record[name] for record in data] for name in names}
    else:
        found = _conversion.frame_columns(data)
        if found is None:
            return None
        columns = found
    if not columns:
        raise ValueError("a dataset needs at least one column, and the dictionary is empty")
    for name in columns:
        if not isinstance(name, str):
            raise TypeError(f"the names of columns must be strings, got {_arguments.shown(name)}")
    return columns


def _is_dictionaries(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and bool(data) and isinstance(data[0], Mapping)


def _is_bytes(data: Any) -> bool:
    """Whether this is a list of bytes. Tuples are accepted, too."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(one, (bytes, bytearray, memoryview)) for one in data)
    )


def _of_columns(columns: dict[str, Any]) -> Dataset:
    from ._views import zip as zipped

    columns = {name: _column(name, values) for name, values in columns.items()}
    _conversion.require_one_length(columns)
    if all(isinstance(values, np.ndarray) for values in columns.values()):
        return _of_array(_conversion.assembled(columns, None))
    return zipped({name: _of_values(values) for name, values in columns.items()})


def _column(name: str, values: Any) -> Any:
    """A column as an array or as a list of bytes."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    if isinstance(values, Ragged):
        values = values.tolist()
    return values if _is_bytes(values) else _array(f"the column {name!r}", values)


def _array(what: str, data: Any) -> _Array:
    if isinstance(data, Iterator):
        _objects.refuse_iterable(data)
    if isinstance(data, (str, bytes, bytearray, set, frozenset)):
        raise TypeError(f"{what} must be an array or a list, got {_arguments.shown(data)}")
    try:
        array = _conversion.unmasked(data)
    except (ValueError, TypeError) as e:
        raise TypeError(f"{what} cannot be made an array: {e}") from None
    if array.dtype.hasobject:
        raise TypeError(
            f"{what} holds Python objects, got {_arguments.shown(data)}; a dataset holds numbers, "
            "texts or bytes"
        )
    if array.ndim == 0:
        raise TypeError(f"{what} must have records, got the single value {_arguments.shown(data)}")
    return array


def _of_array(array: _Array) -> Dataset:
    descr = ast.literal_eval(_dtypes.descr_text(array.dtype))
    header = repr({"descr": descr, "fortran_order": False, "shape": array.shape}).encode()
    # Version 3, unlike 2, has names of fields in any script. The rows start at a multiple of 64.
    header += b" " * (-(len(header) + 13) % 64) + b"\n"
    file = _MemoryFile()
    with file.writer() as out:
        out.write(b"\x93NUMPY\x03\x00" + len(header).to_bytes(4, "little") + header)
        if array.nbytes:
            plain = np.require(array, requirements=["C"])
            out.write(plain.reshape(-1).view(np.uint8).data)
    return file.dataset()


def _mapped_file(array: np.memmap[Any, Any]) -> Dataset | None:
    """The dataset of the file that an array maps as a whole, or None."""
    name = getattr(array, "filename", None)
    if name is None or not isinstance(array.base, mmap.mmap):
        return None
    try:
        dataset = open(name)
    except (OSError, ValueError):
        return None
    row = dataset._row
    if row is not None and row.base == array.dtype and dataset.shape == array.shape:
        offset = os.path.getsize(name) - array.nbytes
        if offset == array.offset and array.flags.c_contiguous:
            return dataset
    dataset.close()
    return None


def _of_records(records: Any) -> Dataset:
    from ._writer import PackWriter

    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        path = os.path.join(folder, "records.a2pack")
        with PackWriter(path) as pack:
            pack.extend(records)
        file = _MemoryFile()
        with file.writer() as out, builtins.open(path, "rb") as packed:
            shutil.copyfileobj(packed, out, 1 << 20)
    return file.dataset()


class _MemoryFile:
    """An anonymous file in memory, which only a descriptor of this process refers to. On systems
    without such files, it is a temporary file."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd"):
            descriptor = os.memfd_create("penstock", os.MFD_CLOEXEC)
            self._path = f"/proc/self/fd/{descriptor}"
            # Errors of Java do not show the name of the anonymous file.
            _paths.memory_names[self._path] = "<memory>"
            weakref.finalize(self, _paths.memory_names.pop, self._path, None)
        else:
            descriptor, self._path = tempfile.mkstemp(prefix="penstock-")
            weakref.finalize(self, os.unlink, self._path)
        self._descriptor = descriptor
        weakref.finalize(self, os.close, descriptor)

    def writer(self) -> Any:
        return os.fdopen(os.dup(self._descriptor), "wb")

    def content(self) -> bytes:
        with builtins.open(self._path, "rb") as file:
            return file.read()

    def dataset(self) -> InMemory:
        return self._dataset(*self._open())

    def unopened_dataset(self, description: dict[str, Any]) -> InMemory:
        """The dataset, which Java opens on first use."""
        where = {"path": self._path, "files": [self._path]}
        handle = _jvm.LazyHandle("the dataset in memory", lambda: self._open()[0])
        return self._dataset(handle, {**description, **where})

    def _open(self) -> tuple[_jvm.Handle, dict[str, Any]]:
        return _jvm.create(
            "the dataset in memory", "open", path=self._path, io="mmap", lenient=False
        )

    def _dataset(self, handle: _jvm.Handle, description: dict[str, Any]) -> InMemory:
        dataset = InMemory(handle, description, ())
        dataset._memory_file = self
        return dataset


def rebuild(content: bytes, description: dict[str, Any]) -> Dataset:
    """Makes the dataset from a pickle, without Java: a forked worker of a process pool has none,
    and the pool would wait for ever for a worker that fails there."""
    file = _MemoryFile()
    with file.writer() as out:
        out.write(content)
    return file.unopened_dataset(description)


def _is_paths(data: Any) -> bool:
    """Whether this is a list of paths: of path objects, or of strings of which one among the first
    is the name of a file or folder. Other strings are records."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(one, (str, os.PathLike)) for one in data)
        # Of millions of records only a few are looked up in the file system.
        and any(isinstance(one, os.PathLike) or os.path.exists(one) for one in data[:100])
    )


def coerced(data: Any, what: str) -> Dataset:
    """The dataset that an argument stands for: a dataset, a path, or data in memory that is no
    map-style dataset.

    Raises:
        TypeError: when the argument is none of these
    """
    from ._store import Store

    rows = _rows_of(data)
    if rows is not None:
        return rows
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, bytes, os.PathLike)) or _is_paths(data):
        opened = open(data)
        if not isinstance(opened, Dataset):
            raise TypeError(f"{what} must have records, and {data!r} is a tree")
        return opened
    if isinstance(data, Store):
        if data._is_changed:
            raise ValueError(
                f"{what} is a store with changes that are not committed; commit them, or use "
                "store.snapshot() for the last commit"
            )
        return data.snapshot()
    if isinstance(data, Iterator):
        _objects.refuse_iterable(data)
    kinds = (np.ndarray, Mapping, list, tuple, range)
    is_data = isinstance(data, kinds) or hasattr(data, "__array__")
    if not is_data or isinstance(data, np.generic) or _objects.is_objects(data):
        raise TypeError(
            f"{what} must be a penstock dataset, a path, an array, a dictionary of columns or a "
            f"list of bytes, got {_arguments.shown(data)}"
        )
    made: Dataset = from_memory(data)
    return made


def samples_of(data: Any) -> Objects | None:
    """The samples of a map-style dataset, or None for any other data."""
    if isinstance(data, Objects):
        return data
    if _rows_of(data) is not None:
        return None
    return _objects.of(data) if _objects.is_objects(data) else None


def _rows_of(data: Any) -> Dataset | None:
    """The rows of an object of this package that is a dataset by other means, such as a steps
    dataset of the game 2048."""
    rows = getattr(data, "_records", None)
    return rows if isinstance(rows, Dataset) else None
