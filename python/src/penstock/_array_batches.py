# SPDX-License-Identifier: Apache-2.0
"""Arrays of one length as the fields of records: those of HDF5, Zarr and `.npz` files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _batches
from ._batches import Batches
from ._dtypes import Field

Array = np.ndarray[Any, Any]

# Values of any length are counted with this size, which decides how many are read at once.
_VARIABLE_SIZE = 1024


@dataclass(frozen=True)
class Part:
    """A field of records, and how its values are read.

    `read` returns the values from one record to another, in a form that `Batches` takes.
    """

    field: Field
    count: int
    read: Callable[[int, int], Any]
    # The number of records that the file stores together.
    chunk: int = 1


def batches_of(name: str, parts: list[Part], *, fingerprint: str | None = None) -> Batches:
    """The records of arrays, read some rows at a time.

    Raises:
        LookupError: when the arrays have different lengths
    """
    count = require_one_length(name, parts)
    step = rows_at_once(parts)

    def batches() -> Iterator[list[Any]]:
        for start in range(0, count, step):
            stop = min(count, start + step)
            yield [part.read(start, stop) for part in parts]

    fields = [part.field for part in parts]
    return Batches(name, fields, batches(), count=count, fingerprint=fingerprint)


def require_one_length(name: str, parts: list[Part]) -> int:
    """The number of records of all arrays.

    Raises:
        LookupError: when there are none, or they have different lengths
    """
    counts = {part.count for part in parts}
    if len(counts) == 1:
        return counts.pop()
    if not parts:
        raise LookupError(f"{name} has no arrays whose first dimension could count records")
    lengths: dict[int, list[str]] = {}
    for part in parts:
        lengths.setdefault(part.count, []).append(part.field.name)
    shown = "; ".join(
        f"{count} rows in {', '.join(names[:5])}{' and others' if len(names) > 5 else ''}"
        for count, names in sorted(lengths.items(), key=lambda one: -len(one[1]))[:5]
    )
    raise LookupError(
        f"the arrays of {name} have different lengths: {shown}. Choose fields of one length, or "
        f"convert one array or group by its name behind the path, such as {name}/NAME"
    )


def rows_at_once(parts: list[Part]) -> int:
    """As many rows as make a batch, in whole chunks of the file."""
    size = sum(
        _VARIABLE_SIZE if part.field.variable else max(1, part.field.item_size) for part in parts
    )
    rows = max(1, _batches.BATCH_BYTES // size)
    chunk = max((part.chunk for part in parts), default=1)
    # A very large chunk is read in pieces.
    return rows if chunk > 16 * rows else max(1, -(-rows // chunk)) * chunk


def split(field: Field, part: Part) -> list[Part]:
    """A field of records becomes a field for each of their members, called `outer.inner`."""
    dtype = field.dtype
    if dtype.names is None:
        return [part]
    assert dtype.fields is not None
    parts: list[Part] = []
    for member in dtype.names:
        kind = dtype.fields[member][0]
        inner = Field(f"{field.name}.{member}", kind.base, (*field.shape, *kind.shape), False)
        read = _member(part.read, member)
        parts += split(inner, Part(plain(inner), part.count, read, part.chunk))
    return parts


def _member(read: Callable[[int, int], Any], member: str) -> Callable[[int, int], Any]:
    return lambda start, stop: read(start, stop)[member]


def plain(field: Field) -> Field:
    """The field with numbers in this machine's byte order; dates are whole numbers."""
    dtype = field.dtype
    if dtype.kind in "mM":
        return field._replace(dtype=np.dtype(np.int64))
    return field if dtype.names is not None else field._replace(dtype=dtype.newbyteorder("="))


def plain_values(values: Array) -> Array:
    """Values as `plain` describes them."""
    return values.view(np.int64) if values.dtype.kind in "mM" else values


def selected(parts: Mapping[str, list[Part]], names: list[str] | None) -> list[Part]:
    """The parts of arrays whose fields are named, or all."""
    everything = [part for group in parts.values() for part in group]
    if names is None:
        return everything
    return [part for part in everything if part.field.name in names]
