# SPDX-License-Identifier: Apache-2.0
"""Element types, between what Java says and what NumPy says."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

_TYPES = {
    "bool": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
    "u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8",
    "f16": "<f2", "f32": "<f4", "f64": "<f8", "c64": "<c8", "c128": "<c16",
}  # fmt: skip


@functools.cache
def bfloat16() -> np.dtype[Any]:
    """What stands for bf16: the type of `ml_dtypes`, or unsigned numbers where that is missing.
    Looked for when it is needed, because importing it takes some milliseconds."""
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype("<u2")
    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether it is the type of `ml_dtypes`."""
    return dtype.kind == "V" and dtype.itemsize == 2 and dtype == bfloat16()


class Field(NamedTuple):
    """One named part of a record.

    A fixed field has an array of `shape` in every record. A variable one has any number of items of
    that shape; bytes and text then come as `bytes`.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    variable: bool

    @property
    def is_bytes(self) -> bool:
        """Whether a record's value is a `bytes`."""
        return self.variable and self.dtype.kind in "SV" and not is_bfloat16(self.dtype)

    @property
    def item_size(self) -> int:
        return self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))

    def __str__(self) -> str:
        if self.is_bytes:
            return "bytes"
        shape = f" {self.shape}" if self.shape else ""
        return f"{self.dtype}{shape}" + (" (any number)" if self.variable else "")


def row_dtype(description: dict[str, Any]) -> np.dtype[Any] | None:
    """The type of a row as it is stored, for a table; its own shape is in it."""
    if "dtype" not in description:
        return None
    descr = ast.literal_eval(description["dtype"])
    item: np.dtype[Any] = np.lib.format.descr_to_dtype(descr)
    fields = description["fields"]
    if item.names is None and fields and fields[0]["type"] == "bf16":
        item = bfloat16()
    # NumPy refuses an empty shape for elements of no bytes.
    shape = tuple(description["shape"])
    return np.dtype((item, shape)) if shape else item


def _leaves(dtype: np.dtype[Any], name: str) -> Iterator[tuple[str, np.dtype[Any]]]:
    """The plain values in a row, named as Java names them."""
    base = dtype.base
    if base.names is None:
        yield name or "value", base
        return
    assert base.fields is not None
    for member in base.names:
        yield from _leaves(base.fields[member][0], f"{name}.{member}" if name else member)


def fields(description: dict[str, Any]) -> tuple[Field, ...]:
    """The fields of a dataset, with their types in this machine's byte order."""
    row = row_dtype(description)
    stored = dict(_leaves(row, "")) if row is not None else {}
    return tuple(field(one, stored.get(one["name"])) for one in description["fields"])


def field(one: dict[str, Any], stored: np.dtype[Any] | None = None) -> Field:
    """A field as Java describes it, and as it is stored, where it is."""
    kind = one["type"]
    dtype: np.dtype[Any]
    if kind == "bf16":
        dtype = bfloat16()
    elif stored is not None:
        # What Java takes for mere bytes stays as it is stored, in whatever order.
        dtype = stored if kind == "bytes" else stored.newbyteorder("=")
    elif kind == "bytes":
        dtype = np.dtype(f"V{one['elementSize']}")
    elif kind == "utf8":
        dtype = np.dtype(f"S{one['elementSize']}")
    elif kind == "utf32":
        dtype = np.dtype(f"<U{one['elementSize'] // 4}")
    else:
        dtype = np.dtype(_TYPES[kind])
    return Field(one["name"], dtype, tuple(one["shape"]), one["variable"])


def java_name(dtype: np.dtype[Any]) -> str:
    """What Java calls a type of numbers."""
    if is_bfloat16(dtype):
        return "bf16"
    for name, text in _TYPES.items():
        if dtype == np.dtype(text):
            return name
    raise ValueError(f"{dtype} is no type of numbers that batches are converted to")


def descr_text(dtype: np.dtype[Any]) -> str:
    """A type as files spell it."""
    if dtype.hasobject:
        raise ValueError(f"{dtype} holds Python objects, which no table can store")
    return repr(np.lib.format.dtype_to_descr(_plain(dtype)))


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type with extension types as NumPy's file format spells them."""
    if dtype.subdtype is not None:
        return np.dtype((_plain(dtype.base), dtype.shape))
    if dtype.names is None or dtype.fields is None:
        return dtype
    members = [dtype.fields[name] for name in dtype.names]
    return np.dtype(
        {
            "names": list(dtype.names),
            "formats": [_plain(member[0]) for member in members],
            "offsets": [member[1] for member in members],
            "itemsize": dtype.itemsize,
        }
    )
