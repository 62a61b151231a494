# SPDX-License-Identifier: Apache-2.0
"""Arrays over memory that Java gathered records into.

Nothing is copied on the way: an array refers to a batch of Java's, which is its own until the last
array over it is gone, whatever becomes of the dataset or loader it came from. It is fresh, aligned
to 64 bytes and writable.
"""

from __future__ import annotations

import ctypes
import struct
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from . import _jvm
from ._dtypes import Field
from ._ragged import Ragged

Value = Any
"""What a field has for many records: an array, a list of `bytes`, or a `Ragged`. Where values are
missing, it is a masked array, `None` in a list, or a `Ragged` with a mask."""


class BatchPlace(NamedTuple):
    """Where a batch is in its epoch, and which records it holds."""

    epoch: int
    step: int
    position: int
    indices: np.ndarray[Any, Any]
    padded: np.ndarray[Any, Any]
    skipped: int


HEAD_COUNT = 8
COLUMN_COUNT = 4


class _Memory(ctypes.c_char * (1 << 62)):  # type: ignore[misc]
    """Memory of a batch from some address on, without an end of its own; keeps the batch from being
    given back. NumPy takes memory that is as large as it likes, and a type for each size would take
    longer to make than the arrays."""

    __slots__ = ("owner",)


def array(
    owner: _jvm.Handle, address: int, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """An array over memory of a batch."""
    if address == 0 or 0 in shape or dtype.itemsize == 0:
        return np.empty(shape, dtype)
    memory = _Memory.from_address(address)
    memory.owner = owner
    values: np.ndarray[Any, Any] = np.ndarray(shape, dtype, memory)
    # Whoever keeps so many batches gets copies, which leave nothing in Java.
    return values.copy() if _jvm.is_crowded() else values


class BatchInfo:
    """What Java says about a batch: where everything is."""

    __slots__ = ("address", "fields", "padded", "words")

    def __init__(self, fields: tuple[Field, ...], padded: frozenset[str] = frozenset()) -> None:
        self.fields = fields
        # Names of those whose records are all of one length, which is the batch's own.
        self.padded = padded
        self.words = (ctypes.c_int64 * (HEAD_COUNT + COLUMN_COUNT * len(fields)))()
        self.address = ctypes.addressof(self.words)

    @property
    def size_bytes(self) -> int:
        return ctypes.sizeof(self.words)

    def values(self, owner: _jvm.Handle, as_ragged: bool) -> dict[str, Value]:
        """The columns by name."""
        words = self.words[:]
        count = words[0]
        columns: dict[str, Value] = {}
        at = HEAD_COUNT
        for field in self.fields:
            address, byte_count, offsets, missing = words[at : at + COLUMN_COUNT]
            at += COLUMN_COUNT
            mask = array(owner, missing, np.dtype(np.bool_), (count,)) if missing else None
            if not field.variable:
                items = array(owner, address, field.dtype, (count, *field.shape))
                columns[field.name] = items if mask is None else _masked(items, mask)
            elif field.name in self.padded:
                rows = _ragged(owner, field, (address, byte_count, offsets), count).values
                length = len(rows) // max(1, count)
                items = rows.reshape((count, length, *rows.shape[1:]))
                columns[field.name] = items if mask is None else _masked(items, mask)
            elif field.is_bytes and not as_ragged:
                texts: list[Any] = _bytes(address, offsets, count)
                for row in () if mask is None else np.flatnonzero(mask).tolist():
                    texts[row] = None
                columns[field.name] = texts
            else:
                ragged = _ragged(owner, field, (address, byte_count, offsets), count)
                columns[field.name] = Ragged(ragged.values, ragged.offsets, mask)
        return columns

    def indices(self, owner: _jvm.Handle) -> np.ndarray[Any, Any]:
        """Which records a loader's batch holds."""
        return array(owner, self.words[5], np.dtype(np.int64), (self.words[0],))

    def seeds(self, owner: _jvm.Handle) -> np.ndarray[Any, Any]:
        """The seeds of the records of a loader's batch."""
        return array(owner, self.words[7], np.dtype(np.uint64), (self.words[0],))

    def place(self, owner: _jvm.Handle) -> BatchPlace:
        """Where a loader's batch is in its epoch."""
        count, epoch, step, position, skipped, _, padded, _ = self.words[:HEAD_COUNT]
        return BatchPlace(
            epoch,
            step,
            position,
            self.indices(owner),
            array(owner, padded, np.dtype(np.bool_), (count,)) if padded else np.zeros(count, bool),
            skipped,
        )


def _masked(items: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A masked array in which all elements of a missing row are masked."""
    whole = np.broadcast_to(mask.reshape(-1, *[1] * (items.ndim - 1)), items.shape)
    return np.ma.MaskedArray(items, whole.copy())


def _bytes(address: int, offsets: int, count: int) -> list[Any]:
    if count == 0 or address == 0:
        return [b""] * count
    ends = (ctypes.c_int64 * (count + 1)).from_address(offsets)[:]
    # One call for all of them takes a third of the time of one for each.
    sizes = "s".join([str(b - a) for a, b in pairwise(ends)])
    return list(struct.Struct(f"{sizes}s").unpack_from(_Memory.from_address(address)))


def _ragged(owner: _jvm.Handle, field: Field, place: tuple[int, int, int], count: int) -> Ragged:
    address, byte_count, offsets = place
    dtype = np.dtype(np.uint8) if field.is_bytes else field.dtype
    size = dtype.itemsize if field.is_bytes else field.item_size
    shape = () if field.is_bytes else field.shape
    values = array(owner, address, dtype, (byte_count // size, *shape))
    if count == 0:
        return Ragged(values, np.zeros(1, np.int64))
    bounds = array(owner, offsets, np.dtype(np.int64), (count + 1,))
    return Ragged(values, bounds if size == 1 else bounds // size)
