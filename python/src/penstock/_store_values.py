# SPDX-License-Identifier: Apache-2.0
"""Encodes values for a store."""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from . import _arguments, _conversion, _dtypes
from ._dtypes import Field
from ._ragged import Ragged

# The start of a word inside a key of Java.
_WORD = re.compile("[A-Z]")

COMPRESSIONS = ("raw", "flate", "zstd", "lz4")

# The letters of `struct` for NumPy's types of numbers.
_CODES = dict(
    zip(
        ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"),
        "bhiqBHIQefd",
        strict=True,
    )
)

# Types that NumPy has no name for.
_NAMES = {"bytes": None, "utf8": "utf8", "bf16": "bf16", "bfloat16": "bf16"}


def figures(answer: Any) -> Any:
    """Returns a result of Java with the keys of Python: `copied_bytes` for `copiedBytes`."""
    if isinstance(answer, list):
        return [figures(one) for one in answer]
    if isinstance(answer, dict):
        return {_WORD.sub(_lower, key): figures(value) for key, value in answer.items()}
    return answer


def _lower(letter: re.Match[str]) -> str:
    return "_" + letter[0].lower()


def declared(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the declared fields of a new store as arguments for Java.

    Raises:
        TypeError: when a declaration is no dictionary of dtype, shape and compress
        ValueError: when a dtype or compression is not supported
    """
    if not isinstance(fields, Mapping) or not fields:
        raise TypeError(
            "fields must be a dictionary with the declaration of one field or more, such as "
            f"{{'A': {{'dtype': 'f4'}}}}, got {_arguments.shown(fields)}"
        )
    return [_declared(name, {} if one is None else one) for name, one in fields.items()]


def _declared(name: str, one: Any) -> dict[str, Any]:
    if not isinstance(name, str):
        raise TypeError(f"the name of a field must be text, got {name!r}")
    if not isinstance(one, Mapping) or set(one) - {"dtype", "shape", "compress"}:
        raise TypeError(
            f"field {name!r} must be declared by a dictionary with some of dtype, shape and "
            f"compress, got {one!r}"
        )
    compress = one.get("compress", "raw")
    if compress not in COMPRESSIONS:
        raise ValueError(f"compress of field {name!r} must be one of {', '.join(COMPRESSIONS)}")
    request: dict[str, Any] = {"name": name, "compress": compress}
    dtype = None if one.get("dtype") is None else _dtype_name(name, one["dtype"])
    if dtype is not None:
        request["dtype"] = dtype
    if one.get("shape") is not None:
        request["shape"] = _shape(name, one["shape"])
    return request


def _shape(name: str, shape: Any) -> list[int]:
    try:
        lengths = list(shape) if isinstance(shape, Iterable) else [shape]
        return [operator.index(length) for length in lengths]
    except TypeError:
        raise TypeError(
            f"shape of field {name!r} must be a list of integers such as [3], or [] for a single "
            f"value, got {_arguments.shown(shape)}"
        ) from None


def _dtype_name(name: str, dtype: Any) -> str | None:
    if isinstance(dtype, str) and dtype in _NAMES:
        return _NAMES[dtype]
    try:
        return _dtypes.java_name(np.dtype(dtype).newbyteorder("="))
    except (TypeError, ValueError):
        if isinstance(dtype, str) and dtype in _dtypes.JAVA_NAMES:
            # A name of `meta.json` that is not one of NumPy's, such as f32.
            return dtype
        raise ValueError(
            f"dtype {dtype!r} of field {name!r} is not supported; use a type of numbers such as "
            "'f4', or 'utf8', or leave it out for bytes"
        ) from None


def is_missing(value: Any) -> bool:
    """Whether this means a missing value."""
    if not _conversion.is_masked(value):
        return value is None
    mask = np.ma.getmaskarray(value)
    return bool(mask.size and mask.all())


def encoded(field: Field, value: Any) -> bytes | None:
    """The bytes of one value, or None when it is missing.

    Raises:
        TypeError: when the value has the wrong type for the field
        ValueError: when the value does not fit the field
    """
    if is_missing(value):
        return None
    if isinstance(value, str):
        return _text(field, value)
    if field.is_bytes:
        return _bytes(field, value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _fitting(field, bytes(value))
    array = _array(field, value)
    if field.variable:
        if array.ndim > 1:
            raise ValueError(
                f"field {field.name!r} holds any number of {field.dtype} without a shape; a value "
                f"of shape {array.shape} needs a field that declares it"
            )
    elif array.shape != field.shape:
        raise ValueError(
            f"field {field.name!r} has values of shape {field.shape}, got {array.shape}"
        )
    return array.tobytes()


def encoder(field: Field) -> Callable[[Any], bytes | None]:
    """Returns a function like `encoded` for one field, which is quick for values of the very type
    of the field."""
    if field.is_bytes:
        return lambda value: value if type(value) is bytes else encoded(field, value)
    dtype, shape = field.dtype, field.shape
    if dtype.kind not in "iufb":
        return partial(encoded, field)
    # A field without a shape holds any number of values, a single one among them.
    is_any, is_single = field.variable, field.variable or shape == ()
    code = _CODES.get(f"{dtype.kind}{dtype.itemsize}")
    number = struct.Struct("<" + code) if code is not None else None
    python_type = float if dtype.kind == "f" else int

    def quick(value: Any) -> bytes | None:
        found = type(value)
        if found is np.ndarray and value.dtype == dtype:
            if value.ndim < 2 if is_any else value.shape == shape:
                return cast(bytes, value.tobytes())
        elif found is python_type and number is not None and is_single:
            # A number that does not fit gets its message below.
            with suppress(struct.error, OverflowError):
                return number.pack(value)
        return encoded(field, value)

    return quick


def _array(field: Field, value: Any) -> np.ndarray[Any, Any]:
    try:
        return _conversion.converted(value, field.dtype)
    except (TypeError, ValueError) as e:
        raise type(e)(f"field {field.name!r}: {e}") from None


def _text(field: Field, value: str) -> bytes:
    if field.is_bytes and field.dtype.kind == "S":
        return value.encode()
    raise TypeError(f"field {field.name!r} holds no text; encode it first, got {value!r}")


def _bytes(field: Field, value: Any) -> bytes:
    try:
        return _conversion.record_bytes(value)
    except TypeError:
        raise TypeError(
            f"field {field.name!r} holds bytes, got {_arguments.shown(value)}; declare a dtype to "
            "store numbers"
        ) from None


def _fitting(field: Field, value: bytes) -> bytes:
    size = field.item_size
    if len(value) % size if field.variable else len(value) != size:
        raise ValueError(
            f"field {field.name!r} holds {field}, {size} bytes each; {len(value)} bytes do not fit"
        )
    return value


class Packed(NamedTuple):
    """The encoded values of one field for many records."""

    name: str
    values: np.ndarray[Any, Any]
    offsets: np.ndarray[Any, Any] | None
    missing: np.ndarray[Any, Any] | None

    @property
    def nbytes(self) -> int:
        return self.values.nbytes

    def request(self) -> dict[str, Any]:
        """Returns the addresses of the values. The arrays must live until Java has read them."""
        request: dict[str, Any] = {
            "name": self.name,
            "values": self.values.ctypes.data,
            "valuesBytes": self.values.nbytes,
        }
        if self.offsets is not None:
            request["offsets"] = self.offsets.ctypes.data
            request["offsetsBytes"] = self.offsets.nbytes
        if self.missing is not None:
            request["missing"] = self.missing.ctypes.data
            request["missingBytes"] = self.missing.nbytes
        return request


def packed(field: Field, values: Sequence[bytes | None]) -> Packed:
    """Returns encoded values one after another. A missing value of a fixed field takes space."""
    mask, parts = None, values
    if None in values:
        mask = np.array([value is None for value in values], np.bool_)
        filler = b"" if field.variable else bytes(field.item_size)
        parts = [filler if value is None else value for value in values]
    joined = b"".join(parts)  # type: ignore[arg-type]
    offsets = None
    if field.variable:
        offsets = np.zeros(len(parts) + 1, np.int64)
        sizes = map(len, parts)  # type: ignore[arg-type]
        np.cumsum(np.fromiter(sizes, np.int64, len(parts)), out=offsets[1:])
    return Packed(
        field.name, np.frombuffer(joined or b"\0", np.uint8)[: len(joined)], offsets, mask
    )


class Listed(NamedTuple):
    """Encoded values of one field for many records, which are joined when they are needed."""

    values: Sequence[bytes | None]
    nbytes: int


def column(field: Field, values: Any) -> tuple[Packed | Listed, int]:
    """Returns the encoded column for `extend`, and the number of values."""
    if field.is_bytes and _conversion.is_arrow_binary(values):
        values = _conversion.arrow_ragged(values)
    elif not field.variable and _conversion.is_arrow(values) and values.null_count == 0:
        values = np.asarray(values)
    if isinstance(values, Ragged) and field.variable:
        return _ragged(field, values)
    if field.is_bytes and type(values) in (list, tuple) and set(map(type, values)) == {bytes}:
        return Listed(values, sum(map(len, values))), len(values)
    is_array = isinstance(values, np.ndarray) and not values.dtype.hasobject
    if is_array and not field.variable:
        return _fixed(field, values)
    if is_array and field.is_bytes and values.ndim < 2:
        raise TypeError(
            f"field {field.name!r} holds bytes; give a list of bytes, or an array whose rows are "
            "values"
        )
    if isinstance(values, (str, bytes, bytearray, Mapping)):
        raise TypeError(f"field {field.name!r}: a column is a list or an array with all values")
    encoded_values = [encoded(field, value) for value in values]
    size = sum(len(value) for value in encoded_values if value is not None)
    return Listed(encoded_values, size), len(encoded_values)


def _fixed(field: Field, values: np.ndarray[Any, Any]) -> tuple[Packed, int]:
    if values.ndim == 0 or values.shape[1:] != field.shape:
        raise ValueError(
            f"field {field.name!r} has values of shape {field.shape}, and the column has shape "
            f"{values.shape}"
        )
    missing: np.ndarray[Any, Any] | None = None
    if _conversion.is_masked(values):
        mask = np.ma.getmaskarray(values).reshape(len(values), -1)
        missing = np.asarray(mask.all(axis=1))
        if (mask.any(axis=1) != missing).any():
            raise ValueError(
                f"field {field.name!r}: a value is missing as a whole; some rows have a mask for "
                "some elements only"
            )
        values = np.ma.getdata(values)
        missing = missing if missing.any() else None
    array = np.ascontiguousarray(_array(field, values))
    return Packed(field.name, _bytes_of(array), None, missing), len(array)


def _bytes_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.reshape(-1).view(np.uint8)


def _ragged(field: Field, values: Ragged) -> tuple[Packed, int]:
    dtype = np.dtype(np.uint8) if field.is_bytes else field.dtype
    if values.values.dtype != dtype:
        raise ValueError(f"field {field.name!r} holds {dtype}, got {values.values.dtype}")
    start, end = int(values.offsets[0]), int(values.offsets[-1])
    items = np.ascontiguousarray(values.values[start:end])
    size = field.item_size if not field.is_bytes else 1
    offsets = (np.asarray(values.offsets, np.int64) - start) * size
    missing = None if values.missing is None else np.ascontiguousarray(values.missing, np.bool_)
    return Packed(field.name, _bytes_of(items), offsets, missing), len(values)


def part(field: Field, whole: Packed | Listed, start: int, stop: int) -> Packed:
    """Some rows of a column."""
    if isinstance(whole, Listed):
        return packed(field, whole.values[start:stop])
    missing = None if whole.missing is None else np.ascontiguousarray(whole.missing[start:stop])
    if whole.offsets is None:
        size = field.item_size
        return Packed(field.name, whole.values[start * size : stop * size], None, missing)
    first, last = int(whole.offsets[start]), int(whole.offsets[stop])
    offsets = np.ascontiguousarray(whole.offsets[start : stop + 1]) - first
    return Packed(field.name, whole.values[first:last], offsets, missing)
