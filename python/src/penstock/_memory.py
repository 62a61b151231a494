# SPDX-License-Identifier: Apache-2.0
"""Arrays over memory that Java gathered records into.

The arrays are zero-copy: each refers to a batch in Java, which lives until the last array over it
is deleted, also when the dataset or loader is closed. The memory is aligned to 64 bytes, writable
and not shared with other batches.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _arguments, _jvm
from ._dtypes import Field
from ._ragged import Ragged

Value = Any
"""The values of a field for many records: an array, a list of `bytes`, or a `Ragged`. Missing
values are masked in an array, `None` in a list, and true in `missing` of a `Ragged`."""


class BatchPlace(NamedTuple):
    """The position of a batch in its epoch, and the indices of its records."""

    epoch: int
    step: int
    position: int
    indices: np.ndarray[Any, Any]
    padded: np.ndarray[Any, Any]
    skipped: int


def memory(*, idle_limit: int | None = None) -> dict[str, int]:
    """Returns the memory of all batches of this process, in bytes.

    Args:
        idle_limit: the number of bytes of idle memory to keep from now on; 128 MiB by default.
            Memory beyond it is freed, the oldest first

    Returns:
        `used_bytes` of batches that the program still refers to; `idle_bytes` of memory that is
        kept for reuse, and its limit `idle_limit_bytes`; `ahead_bytes` of prefetched batches

    >>> import penstock
    >>> sorted(penstock.memory())
    ['ahead_bytes', 'idle_bytes', 'idle_limit_bytes', 'used_bytes']
    """
    limit = (
        {}
        if idle_limit is None
        else {"limit": _arguments.integer("idle_limit", idle_limit, minimum=0)}
    )
    answer: dict[str, int] = _jvm.call("memory", **limit)
    return answer


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
    """Returns an array over a batch's memory."""
    if address == 0 or 0 in shape or dtype.itemsize == 0:
        return np.empty(shape, dtype)
    memory = _Memory.from_address(address)
    memory.owner = owner
    values: np.ndarray[Any, Any] = np.ndarray(shape, dtype, memory)
    # A program that keeps very many batches gets copies, which take no memory in Java.
    return values.copy() if _jvm.is_crowded() else values


def _words(field_count: int) -> Any:
    """The type of Java's description of a batch."""
    return ctypes.c_int64 * (HEAD_COUNT + COLUMN_COUNT * field_count)


_Fixed = tuple[str, "np.dtype[Any]", tuple[int, ...]]


class Plan:
    """How Java describes the batches of some fields. A loader makes it once and uses it for every
    batch."""

    __slots__ = ("fixed", "unpack", "words")

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.words = _words(len(fields))
        self.unpack = struct.Struct(f"={HEAD_COUNT + COLUMN_COUNT * len(fields)}q").unpack_from
        # The names, types and shapes of the columns; None unless all are arrays of a fixed shape.
        is_fixed = all(
            not one.variable and 0 not in one.shape and one.dtype.itemsize > 0 for one in fields
        )
        self.fixed = [(one.name, one.dtype, one.shape) for one in fields] if is_fixed else None


class BatchInfo:
    """Java's description of a batch: the addresses of its columns."""

    __slots__ = ("address", "fields", "left_out", "padded", "plan", "words")

    def __init__(
        self,
        fields: tuple[Field, ...],
        padded: dict[str, int] | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.fields = fields
        self.plan = plan
        # Fields that transforms made arrays of: the length of their rows, or 0 when every batch has
        # a length of its own and a row for each record.
        self.padded = padded or {}
        self.words = plan.words() if plan is not None else _words(len(fields))()
        self.address = ctypes.addressof(self.words)
        # Rows that `map_records` failed for, when errors are skipped.
        self.left_out: list[int] = []

    @property
    def count(self) -> int:
        """The number of records that Java put into the batch."""
        return int(self.words[0])

    @property
    def size_bytes(self) -> int:
        return ctypes.sizeof(self.words)

    def values(self, owner: _jvm.Handle, as_ragged: bool) -> dict[str, Value]:
        """The columns by name."""
        plan = self.plan
        words: Sequence[int] = self.words[:] if plan is None else plan.unpack(self.words)
        if plan is not None and plan.fixed is not None:
            plain = _arrays(owner, plan.fixed, words)
            if plain is not None:
                return plain
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
                fixed = self.padded[field.name]
                length = fixed or len(rows) // max(1, count)
                row_count = len(rows) // fixed if fixed else count
                items = rows.reshape((row_count, length, *rows.shape[1:]))
                # Rows that several records were packed into have no missing values.
                has_all = mask is None or fixed > 0
                columns[field.name] = items if has_all else _masked(items, np.asarray(mask))
            elif field.is_bytes and not as_ragged:
                texts: list[Any] = _bytes(address, byte_count, offsets, count)
                if field.is_text:
                    texts = [one.decode() for one in texts]
                for row in () if mask is None else np.flatnonzero(mask).tolist():
                    texts[row] = None
                columns[field.name] = texts
            else:
                ragged = _ragged(owner, field, (address, byte_count, offsets), count)
                columns[field.name] = Ragged(ragged.values, ragged.offsets, missing=mask)
        return columns

    def indices(self, owner: _jvm.Handle) -> np.ndarray[Any, Any]:
        """Returns the indices of the records in a loader's batch."""
        return array(owner, self.words[5], np.dtype(np.int64), (self.words[0],))

    def seeds(self, owner: _jvm.Handle) -> np.ndarray[Any, Any]:
        """The seeds of the records of a loader's batch."""
        return array(owner, self.words[7], np.dtype(np.uint64), (self.words[0],))

    def place(self, owner: _jvm.Handle) -> BatchPlace:
        """Returns the position of a loader's batch in its epoch."""
        count, epoch, step, position, skipped, _, padded, _ = self.words[:HEAD_COUNT]
        indices = self.indices(owner)
        flags = np.zeros(count, bool)
        if padded:
            flags = array(owner, padded, np.dtype(np.bool_), (count,))
        if self.left_out:
            skipped += len(self.left_out)
            indices, flags = np.delete(indices, self.left_out), np.delete(flags, self.left_out)
        return BatchPlace(epoch, step, position, indices, flags, skipped)


# Names of this module are found faster than attributes of others.
_from_address = _Memory.from_address
_ndarray = np.ndarray
_frombuffer = np.frombuffer


def _arrays(
    owner: _jvm.Handle, fixed: list[_Fixed], words: Sequence[int]
) -> dict[str, Value] | None:
    """The columns by name, if all of them are arrays without missing values, as in most batches.
    It takes half as long as to decide about each column, and that in the thread that trains."""
    count = words[0]
    if count == 0 or _jvm.is_crowded():
        return None
    columns: dict[str, Value] = {}
    at = HEAD_COUNT
    for name, dtype, shape in fixed:
        address = words[at]
        if address == 0 or words[at + 3]:
            return None
        memory = _from_address(address)
        memory.owner = owner
        if shape:
            columns[name] = _ndarray((count, *shape), dtype, memory)
        else:
            columns[name] = _frombuffer(memory, dtype, count)
        at += COLUMN_COUNT
    return columns


def _masked(items: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A masked array in which all elements of a missing row are masked."""
    whole = np.broadcast_to(mask.reshape(-1, *[1] * (items.ndim - 1)), items.shape)
    return np.ma.MaskedArray(items, whole.copy())


def _bytes(address: int, byte_count: int, offsets: int, count: int) -> list[Any]:
    if count == 0 or address == 0:
        return [b""] * count
    # One call for all of them takes a third of the time of one for each. Its format is 12s7s...
    text = np.empty(count * (len(str(byte_count)) + 1), np.uint8)
    size = _jvm.functions().size_text(offsets, count, text.ctypes.data, len(text))
    if size < 0:
        _jvm.fail(size)
    return list(struct.Struct(text[:size].tobytes()).unpack_from(_Memory.from_address(address)))


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
