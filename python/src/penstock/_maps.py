# SPDX-License-Identifier: Apache-2.0
"""Zero-copy arrays over files. NumPy maps them itself, so they outlive a closed dataset."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _jvm
from ._paths import is_remote

if TYPE_CHECKING:
    from ._dataset import Dataset

# The number of record positions that are read in one call.
_BLOCK_RECORDS = 1024


def identity(file: str) -> tuple[int, int] | None:
    """Returns the device and inode of a file, or None when it does not exist."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _require_same(dataset: Dataset, file: str) -> None:
    """Raises when another file has replaced the one that the dataset has open."""
    if identity(file) != dataset._identities[file]:
        raise ValueError(f"{file} was replaced after it was opened; open it again to view it")


def _map_array(file: str, offset: int) -> np.ndarray[Any, Any]:
    """An array over a NumPy file, or over one that begins at an offset in an archive."""
    if offset == 0:
        view: np.ndarray[Any, Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        return view
    with open(file, "rb") as archive:
        archive.seek(offset)
        version = np.lib.format.read_magic(archive)
        # Files of version 3.0 differ from 2.0 in the encoding of field names alone. The dtype comes
        # from the dataset, which knows the names.
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, is_fortran, dtype = read(archive)
        return np.memmap(
            file, dtype, "r", offset=archive.tell(), shape=shape, order="F" if is_fortran else "C"
        )


def _map_raw(file: str, row: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array over a file that holds rows and nothing else."""
    count = os.path.getsize(file) // row.itemsize
    shape = (count, *row.shape)
    return np.memmap(file, row.base, "r", shape=shape) if count else np.empty(shape, row.base)


def require_unchecked(dataset: Dataset) -> None:
    """Raises for a dataset that was opened with `verify`: a map compares no checksums."""
    recipe = dataset._recipe
    if len(recipe) > 2 and isinstance(recipe[2], dict) and "verify" in recipe[2]:
        raise ValueError(
            f"{dataset.path} was opened with verify, and a map of its files is not compared with "
            "checksums; open it without verify for this"
        )


def require_local(dataset: Dataset) -> None:
    """Raises for a remote dataset, whose files cannot be mapped."""
    if is_remote(dataset.path):
        raise ValueError(f"{dataset.path} is remote and cannot be mapped; use take or batches")


def map_rows(dataset: Dataset) -> list[np.ndarray[Any, Any]]:
    """An array over each file of a table."""
    row = dataset._row
    assert row is not None
    views = []
    if dataset.format == "shards":
        raise ValueError("activation shards cannot be viewed as one array; use take or batches")
    require_unchecked(dataset)
    require_local(dataset)
    for file in dataset._description["files"]:
        view = (
            _map_raw(file, row)
            if dataset._description.get("raw")
            else _map_array(file, dataset._description.get("arrayOffset", 0))
        )
        _require_same(dataset, file)
        if view.ndim == 0:
            view = view.reshape(1)
        views.append(view if view.dtype == row.base else view.view(row.base))
    # Rows behind the last group of a grouped table were not committed.
    left = dataset._count
    for number, view in enumerate(views):
        views[number] = view[:left] if len(view) > left else view
        left -= len(views[number])
    return views


class RecordViews(Sequence[Any]):
    """The records of a pack as read-only arrays of bytes over the file itself. The arrays outlive
    the dataset, which must be open to look up further records."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._bytes = np.memmap(dataset.path, np.uint8, mode="r")
        _require_same(dataset, dataset.path)
        # The number of the last block of records that was looked up, and their positions.
        self._known = (-1, np.empty((0, 2), np.int64))

    def __len__(self) -> int:
        return len(self._dataset)

    @overload
    def __getitem__(self, index: int) -> np.ndarray[Any, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[np.ndarray[Any, Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        wanted = operator.index(index)
        record = wanted + len(self) if wanted < 0 else wanted
        if not 0 <= record < len(self):
            raise IndexError(f"index {wanted} is out of bounds for {len(self)} records")
        offset, size = self._place(record)
        if offset < 0:
            raise ValueError(
                f"record {record} is compressed and has no view; index the dataset to read it"
            )
        if offset + size > len(self._bytes):
            raise ValueError(f"record {record} is not within its file; verify() says more")
        return self._bytes[offset : offset + size]

    def _place(self, record: int) -> tuple[int, int]:
        block = record // _BLOCK_RECORDS
        known, places = self._known
        if block != known:
            first = block * _BLOCK_RECORDS
            places = np.empty((min(_BLOCK_RECORDS, len(self) - first), 2), np.int64)
            _jvm.call(
                "places",
                handle=self._dataset._java().number,
                first=first,
                target=places.ctypes.data,
                targetBytes=places.nbytes,
            )
            self._known = (block, places)
        offset, size = places[record - block * _BLOCK_RECORDS]
        return int(offset), int(size)

    def __iter__(self) -> Iterator[np.ndarray[Any, Any]]:
        for index in range(len(self)):
            yield self[index]

    def __repr__(self) -> str:
        return f"<views of {len(self):,} records of {self._dataset.path!r}>"


class ValueViews(Sequence[Any]):
    """The values of a field of a store as read-only arrays over the files themselves; None where a
    record has no value. The arrays outlive the store, which must be open to look up further ones.
    A checksum is not compared: `verify` does that."""

    def __init__(self, dataset: Dataset, name: str) -> None:
        require_local(dataset)
        self._dataset = dataset
        self._field = dataset.fields[name]
        self._files: dict[str, np.ndarray[Any, Any]] = {}
        # The number of the last block of records that was looked up, their places and files.
        self._known: tuple[int, np.ndarray[Any, Any], list[str]] = (-1, np.empty((0, 3)), [])

    def __len__(self) -> int:
        return len(self._dataset)

    @overload
    def __getitem__(self, index: int) -> np.ndarray[Any, Any] | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[np.ndarray[Any, Any] | None]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        wanted = operator.index(index)
        record = wanted + len(self) if wanted < 0 else wanted
        if not 0 <= record < len(self):
            raise IndexError(f"index {wanted} is out of bounds for {len(self)} records")
        number, offset, size, files = self._place(record)
        if number < 0:
            return None
        field = self._field
        dtype = np.dtype(np.uint8) if field.is_bytes else field.dtype
        shape = field.shape if not field.variable else (-1, *field.shape)
        if size == 0:
            return np.empty((0, *field.shape) if field.variable else field.shape, dtype)
        # The bytes of a value may begin anywhere, which NumPy allows.
        return (
            self._mapped(files[number], offset + size)[offset : offset + size]
            .view(dtype)
            .reshape(shape)
        )

    def _mapped(self, file: str, size: int) -> np.ndarray[Any, Any]:
        mapped = self._files.get(file)
        if mapped is None or len(mapped) < size:
            # The last file of a store grows.
            mapped = self._files[file] = np.memmap(file, np.uint8, "r")
        if len(mapped) < size:
            raise ValueError(f"a value is not within {file}; verify() says more")
        return mapped

    def _place(self, record: int) -> tuple[int, int, int, list[str]]:
        block = record // _BLOCK_RECORDS
        known, places, files = self._known
        if block != known:
            first = block * _BLOCK_RECORDS
            places = np.empty((min(_BLOCK_RECORDS, len(self) - first), 3), np.int64)
            files = _jvm.call(
                "storePlaces",
                handle=self._dataset._java().number,
                field=self._field.name,
                first=first,
                target=places.ctypes.data,
                targetBytes=places.nbytes,
            )
            self._known = (block, places, files)
        number, offset, size = places[record - block * _BLOCK_RECORDS].tolist()
        return number, offset, size, files

    def __repr__(self) -> str:
        return f"<views of {len(self):,} values of {self._field.name} of {self._dataset.path!r}>"
