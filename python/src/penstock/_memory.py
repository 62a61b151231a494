# SPDX-License-Identifier: Apache-2.0
"""Arrays over memory that Java gathered records into.

Nothing is copied on the way: an array refers to a batch of Java's, which is its own until the last
array over it is gone, whatever becomes of the dataset or loader it came from. It is fresh, aligned
to 64 bytes and writable.
"""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import Any

import numpy as np

from . import _jvm
from ._dtypes import Field
from ._ragged import Ragged

Value = Any
"""What a field has for many records: an array, a list of `bytes`, or a `Ragged`."""

HEAD_COUNT = 8
COLUMN_COUNT = 3


class _Memory:
    """Memory of a batch, in the way NumPy asks for it; keeps the batch from being given back."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: _jvm.Handle, address: int, typestr: str, shape: tuple[int, ...]):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "typestr": typestr,
            "shape": shape,
        }


def array(
    owner: _jvm.Handle, address: int, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """An array over memory of a batch."""
    if address == 0 or 0 in shape or dtype.itemsize == 0:
        return np.empty(shape, dtype)
    if dtype.kind == "V":
        # Types that NumPy knows by extension have no text of their own.
        raw = np.asarray(_Memory(owner, address, f"|V{dtype.itemsize}", shape))
        return raw.view(dtype)
    return np.asarray(_Memory(owner, address, dtype.str, shape))


class BatchInfo:
    """Room for what Java says about a batch: where everything is."""

    __slots__ = ("address", "fields", "words")

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.fields = fields
        self.words = (ctypes.c_int64 * (HEAD_COUNT + COLUMN_COUNT * len(fields)))()
        self.address = ctypes.addressof(self.words)

    def values(self, owner: _jvm.Handle, as_ragged: bool) -> dict[str, Value]:
        """The columns by name."""
        count = self.words[0]
        columns: dict[str, Value] = {}
        at = HEAD_COUNT
        for field in self.fields:
            address, byte_count, offsets = self.words[at : at + COLUMN_COUNT]
            at += COLUMN_COUNT
            if not field.variable:
                columns[field.name] = array(owner, address, field.dtype, (count, *field.shape))
            elif field.is_bytes and not as_ragged:
                columns[field.name] = _bytes(address, offsets, count)
            else:
                columns[field.name] = _ragged(owner, field, (address, byte_count, offsets), count)
        return columns

    def indices(self, owner: _jvm.Handle) -> np.ndarray[Any, Any]:
        """Which records a loader's batch holds."""
        return array(owner, self.words[5], np.dtype(np.int64), (self.words[0],))

    def padded(self, owner: _jvm.Handle) -> np.ndarray[Any, Any]:
        """Which of them come a second time in the epoch."""
        if self.words[6] == 0:
            return np.zeros(self.words[0], np.bool_)
        return array(owner, self.words[6], np.dtype(np.bool_), (self.words[0],))


def _bytes(address: int, offsets: int, count: int) -> list[bytes]:
    if count == 0:
        return []
    ends = (ctypes.c_int64 * (count + 1)).from_address(offsets)[:]
    read = ctypes.string_at
    return [read(address + a, b - a) for a, b in pairwise(ends)]


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
