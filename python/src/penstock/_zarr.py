# SPDX-License-Identifier: Apache-2.0
"""Reads Zarr arrays and groups, of version 2 or 3, by the package zarr."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _array_batches, _reading
from ._array_batches import Part
from ._batches import Batches
from ._dtypes import Field


def read(path: str, names: list[str] | None = None) -> Batches:
    """The records of an array, or of the arrays of a group and the groups below it."""
    zarr = _reading.package("zarr", "zarr", path)
    try:
        item = zarr.open(path, mode="r")
    except (KeyError, ValueError, TypeError) as e:
        raise _reading.UnreadableError(f"{path} could not be read as Zarr: {e}") from None
    return batches_of(item, names, name=path)


def batches_of(item: Any, names: list[str] | None = None, *, name: str | None = None) -> Batches:
    """The records of an open array or group."""
    what = str(item.store_path) if name is None else name
    if hasattr(item, "dtype"):
        parts = _parts("value", item)
    else:
        parts = _group_parts(item, "")
        if names is not None:
            parts = [part for part in parts if part.field.name in names]
    return _array_batches.batches_of(what, parts, fingerprint=_fingerprint(name, item))


def _fingerprint(path: str | None, item: Any) -> str | None:
    """The times of the metadata; chunks are many."""
    if path is None:
        return None
    import glob
    import os

    files = sorted(
        found
        for pattern in ("zarr.json", ".zarray", ".zgroup", "*/zarr.json", "*/.zarray")
        for found in glob.glob(os.path.join(glob.escape(path), pattern))
    )
    return _reading.fingerprint(*files) if files else None


def _group_parts(group: Any, prefix: str) -> list[Part]:
    parts: list[Part] = []
    for key, item in sorted(group.members()):
        if hasattr(item, "dtype"):
            parts += _parts(f"{prefix}{key}", item) if item.shape else []
        else:
            parts += _group_parts(item, f"{prefix}{key}.")
    return parts


def _parts(name: str, array: Any) -> list[Part]:
    if not array.shape:
        raise LookupError(f"{name} is a single value, and records need an array")
    count, shape, dtype = array.shape[0], tuple(array.shape[1:]), np.dtype(array.dtype)
    chunk = array.chunks[0] if array.chunks else 1
    # NumPy's texts of any length, or Python objects of Zarr 2.
    if dtype.kind in "TO":
        if shape:
            raise _reading.UnreadableError(
                f"the array {name} has several texts in each record; choose other fields"
            )
        field = Field(name, np.dtype("S1"), (), True)
        return [Part(field, count, lambda a, b: _texts(name, array[a:b]), chunk)]
    field = Field(name, dtype, shape, False)
    read = _reader(array)
    return _array_batches.split(field, Part(_array_batches.plain(field), count, read, chunk))


def _reader(array: Any) -> Any:
    return lambda start, stop: _array_batches.plain_values(np.asarray(array[start:stop]))


def _texts(name: str, values: Any) -> list[bytes]:
    texts = np.asarray(values).tolist()
    for one in texts:
        if not isinstance(one, (str, bytes)):
            raise _reading.UnreadableError(
                f"the array {name} holds Python objects that are no texts; choose other fields"
            )
    return [one.encode() if isinstance(one, str) else one for one in texts]
