# SPDX-License-Identifier: Apache-2.0
"""Reads compressed `.npz` archives member by member, some rows at a time, without loading them.
Archives without compression are datasets, which are mapped."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from . import _array_batches, _reading
from ._array_batches import Part
from ._batches import Batches
from ._dtypes import Field


def read(path: str, names: list[str] | None = None) -> Batches:
    """The arrays of an archive, which have one length, as the fields of records."""
    try:
        archive = zipfile.ZipFile(path)
        found = {
            member.removesuffix(".npy"): _Stream(archive, member)
            for member in archive.namelist()
            if member.endswith(".npy")
        }
    except (zipfile.BadZipFile, ValueError, EOFError) as e:
        raise _reading.UnreadableError(f"{path} could not be read: {e}") from None
    parts: list[Part] = []
    for name, stream in found.items():
        field = Field(name, stream.dtype, stream.shape[1:], False)
        if not stream.shape:
            continue
        whole = Part(_array_batches.plain(field), stream.shape[0], stream.read)
        parts += _array_batches.split(field, whole)
    if names is not None:
        parts = [part for part in parts if part.field.name in names]
    count = _array_batches.require_one_length(path, parts)
    step = _array_batches.rows_at_once(parts)

    def batches() -> Iterator[list[Any]]:
        for start in range(0, count, step):
            try:
                yield [part.read(start, min(count, start + step)) for part in parts]
            except (zipfile.BadZipFile, zipfile.zlib.error, EOFError) as e:  # type: ignore[attr-defined]
                raise _reading.UnreadableError(
                    f"{path} is damaged behind record {start}: {e}"
                ) from None
        for stream in found.values():
            stream.finish(path)

    fields = [part.field for part in parts]
    mark = _reading.fingerprint(path, options=names)
    return Batches(path, fields, batches(), count=count, fingerprint=mark)


class _Stream:
    """An array of an archive, which is read from its beginning to its end."""

    def __init__(self, archive: zipfile.ZipFile, member: str) -> None:
        self._file: BinaryIO = archive.open(member)  # type: ignore[assignment]
        self._member = member
        version = np.lib.format.read_magic(self._file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read is None:
            raise ValueError(f"{member} has version {version} of NumPy's format")
        self.shape, is_fortran, self.dtype = read(self._file)
        if self.dtype.hasobject:
            raise ValueError(f"{member} holds Python objects, which are never loaded")
        self._next = 0
        self._last: tuple[int, int, Any] | None = None
        # Columns of an array in Fortran's order are far apart, so it is read as a whole.
        self._whole = self._all() if is_fortran and len(self.shape) > 1 else None

    def _all(self) -> Any:
        flat = np.frombuffer(
            self._bytes(int(np.prod(self.shape)) * self.dtype.itemsize), self.dtype
        )
        return flat.reshape(self.shape, order="F")

    def _bytes(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            raise EOFError(f"{self._member} is cut short")
        return data

    def read(self, start: int, stop: int) -> Any:
        if self._last is not None and self._last[:2] == (start, stop):
            # Another field of the same records.
            return self._last[2]
        if self._whole is not None:
            values = self._whole[start:stop]
        else:
            if start != self._next:
                raise EOFError(f"{self._member} is read in order")
            row = int(np.prod(self.shape[1:])) * self.dtype.itemsize
            data = self._bytes((stop - start) * row)
            values = np.frombuffer(data, self.dtype).reshape(stop - start, *self.shape[1:])
        self._next = stop
        values = _array_batches.plain_values(values)
        self._last = (start, stop, values)
        return values

    def finish(self, path: str) -> None:
        """Compares the checksum, which happens at the end of the member."""
        if self._next == self.shape[0] if self.shape else False:
            try:
                self._file.read(1)
            except zipfile.BadZipFile as e:
                raise _reading.UnreadableError(f"{path} is damaged: {e}") from None
