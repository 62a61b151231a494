# SPDX-License-Identifier: Apache-2.0
"""Converts between Java's and NumPy's element types."""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from . import _arguments

_TYPES = {
    "bool": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
    "u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8",
    "f16": "<f2", "f32": "<f4", "f64": "<f8", "c64": "<c8", "c128": "<c16",
}  # fmt: skip

JAVA_NAMES = frozenset(_TYPES)

# Marks a `uint16` that stands for bfloat16. NumPy keeps the mark in views of an array.
_MARK = "penstock.bfloat16"

# Marks a type of bytes whose values are text.
_TEXT_MARK = "penstock.text"


@functools.cache
def bfloat16() -> np.dtype[Any]:
    """Returns the type of bf16 values from `ml_dtypes`. If that package is not installed, warns
    once and returns `uint16`, whose integers have the same bits. The import takes some
    milliseconds, so it happens on first use."""
    try:
        import ml_dtypes
    except ImportError:
        warnings.warn(
            "bfloat16 values come as uint16 integers with the same bits, because the package "
            "ml_dtypes is not installed; pip install ml_dtypes, or use a Loader with to='torch'",
            RuntimeWarning,
            stacklevel=2,
        )
        return np.dtype("<u2")
    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def asked_bfloat16() -> np.dtype[Any]:
    """Returns the type for bf16 values that a caller asks for or has. If `ml_dtypes` is not
    installed, it is `uint16` with a mark, so that Java gets the bits as bf16 and not as
    integers."""
    if importlib.util.find_spec("ml_dtypes") is not None:
        return bfloat16()
    # np.dtype ignores metadata beside a text.
    return np.dtype(np.uint16, metadata={_MARK: True})


def is_stand_in(dtype: np.dtype[Any]) -> bool:
    """Whether this is the `uint16` that `asked_bfloat16` marked."""
    return bool(dtype.metadata) and _MARK in (dtype.metadata or {})


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether this is bfloat16 of `ml_dtypes`; no before that package is loaded."""
    if dtype.kind != "V" or dtype.itemsize != 2 or dtype.names is not None:
        return False
    ml_dtypes: Any = sys.modules.get("ml_dtypes")
    return ml_dtypes is not None and dtype == np.dtype(ml_dtypes.bfloat16)


class Field(NamedTuple):
    """One named part of a record.

    A fixed field has an array of `shape` in every record. A variable one has any number of items of
    that shape; bytes and text then come as `bytes`, and text of a store as `str`.
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
    def is_text(self) -> bool:
        """Whether a record's value is a `str`."""
        return self.is_bytes and _TEXT_MARK in (self.dtype.metadata or {})

    @property
    def item_size(self) -> int:
        return self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))

    def __str__(self) -> str:
        if self.is_bytes:
            return "text" if self.is_text else "bytes"
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
    has_text = description.get("format") == "store"
    return tuple(field(one, stored.get(one["name"]), has_text) for one in description["fields"])


def field(
    one: dict[str, Any], stored: np.dtype[Any] | None = None, has_text: bool = False
) -> Field:
    """Returns a field from Java's description, and its stored type for tables. In a store, values
    of a field of text are `str`."""
    kind = one["type"]
    dtype: np.dtype[Any]
    if kind == "bf16":
        dtype = bfloat16()
    elif stored is not None:
        # Types that Java treats as bytes keep their stored byte order.
        dtype = stored if kind == "bytes" else stored.newbyteorder("=")
    elif kind == "bytes":
        dtype = np.dtype(f"V{one['elementSize']}")
    elif kind == "utf8":
        dtype = np.dtype(f"S{one['elementSize']}")
        if has_text and one["variable"]:
            dtype = np.dtype(dtype, metadata={_TEXT_MARK: True})
    elif kind == "utf32":
        dtype = np.dtype(f"<U{one['elementSize'] // 4}")
    else:
        dtype = np.dtype(_TYPES[kind])
    return Field(one["name"], dtype, tuple(one["shape"]), one["variable"])


def parsed(name: str, value: Any) -> np.dtype[Any]:
    """The NumPy type that an argument stands for. `bfloat16` and types of PyTorch are accepted.

    Raises:
        TypeError: when the argument is not a type
    """
    if str(value).startswith("torch."):
        value = str(value).removeprefix("torch.")
    if isinstance(value, str) and value == "bfloat16":
        return asked_bfloat16()
    if value is None:
        raise TypeError(f"{name} must be a NumPy type such as '<u2', got None")
    try:
        dtype: np.dtype[Any] = np.dtype(value)
    except (TypeError, ValueError) as e:
        shown = _arguments.shown(value)
        raise TypeError(f"{name} must be a NumPy type such as '<u2', got {shown}: {e}") from None
    return dtype


def java_name(dtype: np.dtype[Any]) -> str:
    """Returns Java's name of a numeric type."""
    if is_bfloat16(dtype) or is_stand_in(dtype):
        return "bf16"
    for name, text in _TYPES.items():
        if dtype == np.dtype(text):
            return name
    swapped = dtype.newbyteorder("<")
    hint = f"; batches hold little-endian numbers, use {swapped.str!r}" if dtype != swapped else ""
    raise ValueError(f"dtype must be a type of numbers, got {dtype.str!r}{hint}")


def descr_text(dtype: np.dtype[Any]) -> str:
    """Returns the text of a type in a file header."""
    if dtype.hasobject:
        raise ValueError(f"{dtype} holds Python objects, which no table can store")
    return repr(_marked(np.lib.format.dtype_to_descr(_plain(dtype)), dtype))


def _marked(descr: Any, dtype: np.dtype[Any]) -> Any:
    """The description of a type in a file header, with bf16 where `uint16` stands for it."""
    if is_stand_in(dtype.base):
        return "<V2"
    if dtype.fields is None or not isinstance(descr, list):
        return descr
    return [
        (name, _marked(kind, dtype.fields[name][0]), *shape) if name in dtype.fields else entry
        for entry in descr
        for name, kind, *shape in [entry]
    ]


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type with extension types as NumPy's file format spells them."""
    if dtype.subdtype is not None:
        return np.dtype((_plain(dtype.base), dtype.shape))
    if dtype.names is None or dtype.fields is None:
        return np.dtype(np.uint16) if is_stand_in(dtype) else dtype
    members = [dtype.fields[name] for name in dtype.names]
    return np.dtype(
        {
            "names": list(dtype.names),
            "formats": [_plain(member[0]) for member in members],
            "offsets": [member[1] for member in members],
            "itemsize": dtype.itemsize,
        }
    )
