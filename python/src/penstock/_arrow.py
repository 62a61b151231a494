# SPDX-License-Identifier: Apache-2.0
"""Reads data of any library that has Arrow's PyCapsule interface (`__arrow_c_stream__`): Hugging
Face datasets, pandas, Polars, pyarrow, DuckDB. Arrow's structures are read where they are, by
ctypes, so that pyarrow is not needed.

The structures are those of Arrow's C data interface and C stream interface.
"""

from __future__ import annotations

import base64
import ctypes
import json
import math
from collections.abc import Iterator, Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ._batches import Batches
from ._dtypes import Field
from ._store_values import Packed

Array = np.ndarray[Any, Any]

STREAM = "__arrow_c_stream__"

# The number of records that a dataset of Hugging Face gives at once.
_ROWS_AT_ONCE = 1024


class _Schema(Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]


class _Array(Structure):
    pass


_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]


class _Stream(Structure):
    pass


_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", CFUNCTYPE(None, POINTER(_Stream))),
    ("private_data", c_void_p),
]


class Type(NamedTuple):
    """A type of Arrow, copied from its schema."""

    name: str
    format: str
    children: tuple[Type, ...]
    dictionary: Type | None
    metadata: dict[bytes, bytes]


class Values(NamedTuple):
    """Values of one type: fixed ones as an array, others with offsets into the array.

    `missing` is true for the rows without a value, or None.
    """

    values: Array
    offsets: Array | None
    missing: Array | None


_NUMBERS = {
    "c": "i1", "C": "u1", "s": "<i2", "S": "<u2", "i": "<i4", "I": "<u4", "l": "<i8", "L": "<u8",
    "e": "<f2", "f": "<f4", "g": "<f8",
    # Dates and times are whole numbers: days, seconds, or parts of seconds.
    "tdD": "<i4", "tdm": "<i8", "tts": "<i4", "ttm": "<i4", "ttu": "<i8", "ttn": "<i8",
    "tDs": "<i8", "tDm": "<i8", "tDu": "<i8", "tDn": "<i8",
    "tss": "<i8", "tsm": "<i8", "tsu": "<i8", "tsn": "<i8",
}  # fmt: skip

_TEXTS = {"u": np.int32, "U": np.int64, "z": np.int32, "Z": np.int64}
_LISTS = {"+l": np.int32, "+L": np.int64, "+m": np.int32}
_UTF8, _BYTES = np.dtype("S1"), np.dtype("V1")


def has_stream(data: Any) -> bool:
    """Whether this is data with Arrow's interface, or a dataset of Hugging Face."""
    return hasattr(type(data), STREAM) or _is_hugging_face(data)


def batches_of(data: Any, names: Sequence[str] | None = None) -> Batches:
    """The records of data with Arrow's interface.

    Args:
        data: the data
        names: the fields to read, or None for all

    Raises:
        TypeError: when a column has a type that records cannot have
    """
    if not hasattr(type(data), STREAM):
        return _of_hugging_face(data, names)
    what = f"the {type(data).__module__.partition('.')[0]} {type(data).__name__}"
    stream = _Reader(data)
    columns = _columns(stream.schema, what, names)
    fields = [column.field for column in columns]
    try:
        count = len(data)
    except Exception:
        # A stream has no length, and a query may not be executed for it.
        count = -1
    return Batches(what, fields, stream.batches(columns), count=count)


def _is_hugging_face(data: Any) -> bool:
    """Whether this is a dataset of Hugging Face, which gives tables of pyarrow."""
    kind = type(data)
    return kind.__module__.startswith("datasets.") and hasattr(kind, "with_format")


def _of_hugging_face(data: Any, names: Sequence[str] | None) -> Batches:
    """The records of a `Dataset` or an `IterableDataset`, through its shuffles and selections."""
    what = f"the Hugging Face {type(data).__name__}"
    if not hasattr(data, "iter"):
        raise TypeError(f"{what} has several parts; convert one of them, such as data['train']")
    tables = data.with_format("arrow").iter(batch_size=_ROWS_AT_ONCE)
    first = None
    if data.features is not None:
        empty = data.features.arrow_schema.empty_table()
    else:
        tables = iter(tables)
        empty = first = next(tables, None)
    if empty is None:
        raise ValueError(f"{what} has no features and no records")
    columns = _columns(_Reader(empty).schema, what, names)

    def batches() -> Iterator[list[Packed]]:
        if first is not None:
            yield from _Reader(first).batches(columns)
        for table in tables:
            yield from _Reader(table.cast(empty.schema)).batches(columns)

    count = len(data) if hasattr(data, "__len__") else -1
    fingerprint = getattr(data, "_fingerprint", None)
    return Batches(
        what,
        [column.field for column in columns],
        batches(),
        count=count,
        fingerprint=f"hugging face {fingerprint}" if isinstance(fingerprint, str) else None,
    )


def columns_of(data: Any, what: str, names: Sequence[str] | None) -> list[_Column]:
    """The columns of data with Arrow's interface, for `packed_batches`."""
    return _columns(_Reader(data).schema, what, names)


def packed_batches(data: Any, columns: list[_Column]) -> Iterator[list[Packed]]:
    """The batches of data whose schema is that of the columns."""
    return _Reader(data).batches(columns)


class _Reader:
    """A stream of record batches, and the capsule that owns it."""

    def __init__(self, data: Any) -> None:
        self._capsule = getattr(data, STREAM)()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
        address = pointer(self._capsule, b"arrow_array_stream")
        self._stream = ctypes.cast(address, POINTER(_Stream))
        schema = _Schema()
        self._check(self._stream.contents.get_schema(self._stream, byref(schema)))
        try:
            self.schema = _type(schema)
        finally:
            if schema.release:
                schema.release(byref(schema))

    def _check(self, status: int) -> None:
        if status:
            words = self._stream.contents.get_last_error(self._stream)
            text = words.decode(errors="replace") if words else f"error {status}"
            raise OSError(status, f"the data could not be read: {text}")

    def batches(self, columns: list[_Column]) -> Iterator[list[Packed]]:
        is_struct = self.schema.format == "+s"
        while True:
            array = _Array()
            self._check(self._stream.contents.get_next(self._stream, byref(array)))
            if not array.release:
                return
            try:
                if array.length:
                    yield [_packed(column, array, is_struct) for column in columns]
            finally:
                # The columns refer to its memory, and are used before the next batch.
                array.release(byref(array))


def _type(schema: _Schema) -> Type:
    return Type(
        (schema.name or b"").decode(),
        schema.format.decode(),
        tuple(_type(schema.children[i].contents) for i in range(schema.n_children)),
        _type(schema.dictionary.contents) if schema.dictionary else None,
        _metadata(schema.metadata),
    )


def _metadata(address: int | None) -> dict[bytes, bytes]:
    """Keys and values, each after its size."""
    if not address:
        return {}
    place = address

    def take() -> bytes:
        nonlocal place
        size = c_int.from_address(place).value
        text = ctypes.string_at(place + 4, size)
        place += 4 + size
        return text

    count = c_int.from_address(place).value
    place += 4
    return {take(): take() for _ in range(count)}


class _Column(NamedTuple):
    """A field, and where its values are in a batch."""

    field: Field
    type: Type
    # The numbers of the children from the batch to the values. A map's keys and values are below
    # a list.
    path: tuple[int, ...]
    # Whether values are nested deeper than those of a field, and become JSON.
    is_nested: bool = False


def _columns(schema: Type, what: str, names: Sequence[str] | None) -> list[_Column]:
    if schema.format != "+s":
        return [_column("value", schema, (), what, None)]
    features = _features(schema)
    columns: list[_Column] = []
    for number, child in enumerate(schema.children):
        # A field of a struct is called `outer.inner`.
        is_wanted = names is None or any(
            name == child.name or name.startswith(f"{child.name}.") for name in names
        )
        if is_wanted:
            columns += _leaves(child, child.name, (number,), what, features.get(child.name))
    return columns


def _features(schema: Type) -> dict[str, Any]:
    """What Hugging Face notes about columns."""
    noted = schema.metadata.get(b"huggingface")
    try:
        features = json.loads(noted)["info"]["features"] if noted else {}
    except (ValueError, KeyError, TypeError):
        return {}
    return features if isinstance(features, dict) else {}


def _leaves(type: Type, name: str, path: tuple[int, ...], what: str, feature: Any) -> list[_Column]:
    """The columns that a type becomes: a struct one for each of its members."""
    if type.format == "+s":
        kind = feature.get("_type") if isinstance(feature, dict) else None
        columns = []
        for number, child in enumerate(type.children):
            # The bytes of an image or a sound are the value; its path is a column beside it.
            is_content = kind in ("Image", "Audio") and child.name == "bytes"
            inner = name if is_content else f"{name}.{child.name}"
            below = feature.get(child.name) if isinstance(feature, dict) and kind is None else None
            columns += _leaves(child, inner, (*path, number), what, below)
        return columns
    if type.format == "+m":
        entries = type.children[0]
        return [
            _column(f"{name}.{entries.children[i].name}", type, (*path, -1 - i), what, None)
            for i in range(2)
        ]
    return [_column(name, type, path, what, feature)]


def _column(name: str, type: Type, path: tuple[int, ...], what: str, feature: Any) -> _Column:
    inner = type
    if type.format == "+m":
        inner = type._replace(format="+l", children=(type.children[0].children[-1 - path[-1]],))
    shape = _noted_shape(feature)
    try:
        return _Column(_field(name, inner, shape), inner, path)
    except _Nested:
        return _Column(Field(name, _UTF8, (), True), inner, path, True)
    except _Unsupported as e:
        raise TypeError(
            f"{what}: column {name!r} has {e}, which records cannot have; cast it, or choose other "
            "fields"
        ) from None


def _noted_shape(feature: Any) -> tuple[int, ...] | None:
    """The shape of an `Array2D` of Hugging Face and its like, if it is the same for all records."""
    if not isinstance(feature, dict) or not str(feature.get("_type", "")).startswith("Array"):
        return None
    shape = feature.get("shape")
    if not isinstance(shape, list) or not all(isinstance(one, int) for one in shape):
        return None
    return tuple(shape)


class _Unsupported(Exception):
    pass


class _Nested(Exception):
    """Lists of texts, of lists or of structs."""


def _field(name: str, type: Type, shape: tuple[int, ...] | None) -> Field:
    if type.dictionary is not None:
        return _field(name, type.dictionary, None)
    format = type.format
    if shape is not None:
        element = type
        while element.format in _LISTS:
            element = element.children[0]
        return Field(name, _number(element), shape, False)
    if format in ("u", "U", "vu", "n"):
        return Field(name, _UTF8, (), True)
    if format in ("z", "Z", "vz"):
        return Field(name, _BYTES, (), True)
    if format.startswith("w:"):
        return Field(name, np.dtype(f"V{format[2:]}"), (), False)
    if format.startswith("+w:"):
        size = int(format[3:])
        inner = _inner(name, type)
        return Field(name, inner.dtype, (size, *inner.shape), False)
    if format in _LISTS:
        inner = _inner(name, type)
        if inner.shape or inner.dtype.kind == "V":
            raise _Nested
        return Field(name, inner.dtype, (), True)
    return Field(name, _number(type), (), False)


def _inner(name: str, type: Type) -> Field:
    """The field of the elements of a list."""
    child = type.children[0]
    if child.format in ("+s", "+m"):
        raise _Nested
    inner = _field(name, child, None)
    if inner.variable:
        raise _Nested
    return inner


def _number(type: Type) -> np.dtype[Any]:
    format = type.format
    if format.startswith("ts"):
        format = format[:3]
    if format == "b":
        return np.dtype(np.bool_)
    if format.startswith("d:"):
        return np.dtype("<f8")
    if format not in _NUMBERS:
        raise _Unsupported(f"the Arrow type {format!r}")
    return np.dtype(_NUMBERS[format])


def _packed(column: _Column, batch: _Array, is_struct: bool) -> Packed:
    field, start, count = column.field, batch.offset, batch.length
    array = batch
    missing: Array | None = None
    for number in column.path:
        if number < 0:
            # A part of a map, whose entries are a struct below the list.
            read = _map_texts if column.is_nested else _map_part
            return _checked(column, read(column.type, array, -1 - number, start, count), missing)
        if array is not batch or is_struct:
            missing = _either(missing, None if array is batch else _nulls(array, start, count))
        array = array.children[number].contents
        # Offsets of a struct apply to its members, which may have offsets of their own.
        start += array.offset
    if column.is_nested:
        return _checked(column, _texts(column.type, array, start, count), missing)
    values = _values(column.type, array, start, count)
    if not field.variable and values.offsets is not None:
        values = _shaped(field, values, missing)
    return _checked(column, values, missing)


def _checked(column: _Column, values: Values, missing: Array | None) -> Packed:
    field = column.field
    missing = _either(values.missing, missing)
    if missing is not None and not missing.any():
        missing = None
    array = np.ascontiguousarray(values.values)
    offsets = values.offsets
    if offsets is None:
        array = array.astype(field.dtype, copy=False)
        if missing is not None:
            # Memory under a missing value may hold anything.
            array = array.copy()
            array[missing] = np.zeros((), array.dtype)
        return Packed(field.name, array.reshape(-1).view(np.uint8), None, missing)
    if missing is not None:
        array, offsets = _without_missing(array, offsets, missing)
    start, end = int(offsets[0]), int(offsets[-1])
    part = np.ascontiguousarray(array[start:end])
    if not field.is_bytes:
        part = part.astype(field.dtype, copy=False)
    size = 1 if field.is_bytes else field.dtype.itemsize
    relative = (offsets.astype(np.int64) - start) * size
    return Packed(field.name, part.reshape(-1).view(np.uint8), relative, missing)


def _without_missing(array: Array, offsets: Array, missing: Array) -> tuple[Array, Array]:
    """Drops the items under missing values."""
    sizes = np.diff(offsets)
    if not sizes[missing].any():
        return array, offsets
    start, end = int(offsets[0]), int(offsets[-1])
    kept = np.repeat(~missing, sizes)
    sizes = np.where(missing, 0, sizes)
    return array[start:end][kept], np.concatenate([[0], np.cumsum(sizes)])


def _either(one: Array | None, other: Array | None) -> Array | None:
    return other if one is None else one if other is None else one | other


def _nulls(array: _Array, start: int, count: int) -> Array | None:
    """The rows without a value; `start` counts from the beginning of the buffers."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    return ~_bits(array.buffers[0], start, count)


def _bits(address: int, start: int, count: int) -> Array:
    first = start // 8
    packed = _memory(address, np.uint8, first, (start + count + 7) // 8 - first)
    bits = np.unpackbits(packed, bitorder="little")
    return bits[start % 8 : start % 8 + count].view(np.bool_)


def _memory(address: int | None, dtype: Any, start: int, count: int) -> Array:
    """Elements of a buffer, without a copy."""
    kind = np.dtype(dtype)
    if count == 0 or not address:
        return np.empty(0, kind)
    memory = (ctypes.c_char * (count * kind.itemsize)).from_address(address + start * kind.itemsize)
    return np.frombuffer(memory, kind)


def _values(type: Type, array: _Array, start: int, count: int) -> Values:
    """Rows of an array; `start` counts from the beginning of its buffers."""
    if type.dictionary is not None:
        return _looked_up(type, array, start, count)
    format = type.format
    missing = _nulls(array, start, count) if not format.startswith("+u") else None
    if format == "n":
        return Values(np.empty(0, np.uint8), np.zeros(count + 1, np.int64), np.ones(count, bool))
    if format in _TEXTS:
        offsets = _offsets(array, _TEXTS[format], start, count)
        data = _memory(array.buffers[2], np.uint8, 0, int(offsets[-1]))
        return Values(data, offsets, missing)
    if format in ("vu", "vz"):
        return _viewed(array, start, count, missing)
    if format in _LISTS:
        offsets = _offsets(array, _LISTS[format], start, count)
        first, size = int(offsets[0]), int(offsets[-1] - offsets[0])
        child = array.children[0].contents
        inner = _values(type.children[0], child, child.offset + first, size)
        return _listed(inner, offsets - first, missing, type)
    if format.startswith("+w:"):
        length = int(format[3:])
        child = array.children[0].contents
        inner = _values(type.children[0], child, child.offset + start * length, count * length)
        return _in_rows(inner, count, length, missing, type)
    if format == "b":
        return Values(_bits(array.buffers[1], start, count), None, missing)
    if format.startswith("d:"):
        return Values(_decimals(format, array, start, count), None, missing)
    dtype = np.dtype(f"V{format[2:]}") if format.startswith("w:") else _number(type)
    return Values(_memory(array.buffers[1], dtype, start, count), None, missing)


def _offsets(array: _Array, dtype: Any, start: int, count: int) -> Array:
    # An array without rows may have no offsets.
    offsets = _memory(array.buffers[1], dtype, start, count + 1)
    return offsets if len(offsets) else np.zeros(count + 1, np.int64)


def _listed(inner: Values, offsets: Array, missing: Array | None, type: Type) -> Values:
    if inner.offsets is not None:
        # Lists of lists, whose lengths are checked by the shape that was noted.
        return Values(inner.values, inner.offsets[offsets], missing)
    values = inner.values
    if inner.missing is not None and inner.missing.any():
        values = _filled(values, inner.missing, type)
    return Values(values, offsets, missing)


def _in_rows(inner: Values, count: int, length: int, missing: Array | None, type: Type) -> Values:
    values = inner.values
    if inner.missing is not None:
        # Elements of a missing row are missing as well.
        gaps = inner.missing.reshape(count, length)
        gaps = gaps if missing is None else gaps & ~missing[:, None]
        if gaps.any():
            flat = np.repeat(gaps.reshape(-1), len(values) // max(1, gaps.size))
            values = _filled(values.reshape(len(flat), -1), flat, type).reshape(values.shape)
    return Values(values.reshape(count, length, *values.shape[1:]), None, missing)


def _filled(values: Array, missing: Array, type: Type) -> Array:
    """Elements with NaN where they are missing."""
    if values.dtype.kind != "f":
        raise ValueError(
            f"a list in column {type.name!r} has an element without a value, and an array of "
            f"{values.dtype} has one everywhere; fill it in first"
        )
    values = values.copy()
    values[missing] = math.nan
    return values


def _viewed(array: _Array, start: int, count: int, missing: Array | None) -> Values:
    """Texts or bytes as views: the size, then up to 12 bytes, or the place in a buffer."""
    views = _memory(array.buffers[1], "<i4", 4 * start, 4 * count).reshape(count, 4)
    sizes = views[:, 0].astype(np.int64)
    if missing is not None:
        sizes = np.where(missing, 0, sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    data = np.empty(int(offsets[-1]), np.uint8)
    short = sizes <= 12
    _scatter(
        data, offsets[:-1][short], views.view(np.uint8).reshape(count, 16)[short, 4:], sizes[short]
    )
    for row in np.flatnonzero(~short):
        size, _, buffer, place = views[row]
        address = array.buffers[2 + int(buffer)]
        data[offsets[row] : offsets[row + 1]] = _memory(address, np.uint8, int(place), int(size))
    return Values(data, offsets, missing)


def _scatter(target: Array, starts: Array, rows: Array, sizes: Array) -> None:
    """Copies the first bytes of each row to its place."""
    for column in range(rows.shape[1]):
        has = sizes > column
        target[starts[has] + column] = rows[has, column]


def _looked_up(type: Type, array: _Array, start: int, count: int) -> Values:
    """Values by their number in a dictionary."""
    assert type.dictionary is not None
    numbers = _memory(array.buffers[1], _number(type), start, count).astype(np.int64)
    missing = _nulls(array, start, count)
    words = array.dictionary.contents
    all_words = _values(type.dictionary, words, words.offset, words.length)
    if missing is not None:
        numbers = np.where(missing, 0, numbers)
    if words.length == 0:
        numbers = np.empty(0, np.int64)
    if all_words.missing is not None and len(numbers):
        missing = _either(missing, all_words.missing[numbers])
    if all_words.offsets is None:
        shape = (count, *all_words.values.shape[1:])
        found = (
            all_words.values[numbers] if len(numbers) else np.zeros(shape, all_words.values.dtype)
        )
        return Values(found, None, missing)
    sizes = np.diff(all_words.offsets).astype(np.int64)
    chosen = sizes[numbers] if len(numbers) else np.zeros(count, np.int64)
    offsets = np.concatenate([[0], np.cumsum(chosen)]).astype(np.int64)
    if not len(numbers):
        return Values(np.empty(0, all_words.values.dtype), offsets, missing)
    # The place of each item: that of its word, plus its distance from the beginning of the word.
    firsts = np.repeat(np.asarray(all_words.offsets, np.int64)[numbers] - offsets[:-1], chosen)
    return Values(all_words.values[firsts + np.arange(offsets[-1])], offsets, missing)


def _decimals(format: str, array: _Array, start: int, count: int) -> Array:
    """Decimal numbers as float64: the nearest to whole number / 10^scale."""
    parts = format[2:].split(",")
    scale, bits = int(parts[1]), int(parts[2]) if len(parts) > 2 else 128
    if bits == 32:
        whole = _memory(array.buffers[1], "<i4", start, count).astype(np.float64)
    elif bits == 64:
        whole = _memory(array.buffers[1], "<i8", start, count).astype(np.float64)
    else:
        words = _memory(array.buffers[1], "<u8", start * bits // 64, count * bits // 64)
        words = words.reshape(count, bits // 64)
        high = words[:, -1].view(np.int64)
        if bits == 128 and ((words[:, 0].view(np.int64) >> 63) == high).all():
            whole = words[:, 0].view(np.int64).astype(np.float64)
        else:
            # Python's numbers have any size.
            data = [row.tobytes() for row in words]
            exact = [int.from_bytes(one, "little", signed=True) for one in data]
            return np.array([float(_divided(one, scale)) for one in exact], np.float64)
    return whole / 10.0**scale


def _divided(number: int, scale: int) -> float:
    return number / 10**scale if scale >= 0 else float(number * 10**-scale)


def _map_part(type: Type, array: _Array, part: int, start: int, count: int) -> Values:
    """The keys or the values of maps, as lists."""
    offsets = _offsets(array, np.int32, start, count)
    first, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    entries = array.children[0].contents
    child = entries.children[part].contents
    inner = _values(type.children[0], child, entries.offset + child.offset + first, size)
    return _listed(inner, offsets - first, _nulls(array, start, count), type)


def _map_texts(type: Type, array: _Array, part: int, start: int, count: int) -> Values:
    """The keys or the values of maps, as JSON."""
    offsets = _offsets(array, np.int32, start, count)
    first, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    entries = array.children[0].contents
    child = entries.children[part].contents
    items = _objects(type.children[0], child, entries.offset + child.offset + first, size)
    bounds = (offsets - first).tolist()
    return _json([items[a:b] for a, b in pairwise(bounds)], _nulls(array, start, count))


def _shaped(field: Field, values: Values, missing: Array | None) -> Values:
    """Lists of lists that have one shape, as arrays.

    Raises:
        ValueError: when a value has another number of elements
    """
    assert values.offsets is not None
    size = math.prod(field.shape)
    gone = _either(values.missing, missing)
    sizes = np.diff(values.offsets)
    is_there = np.ones(len(sizes), bool) if gone is None else ~gone
    if (sizes[is_there] != size).any():
        row = int(np.flatnonzero(is_there & (sizes != size))[0])
        raise ValueError(
            f"a value of column {field.name!r} has {sizes[row]} elements, and its shape "
            f"{field.shape} has {size}"
        )
    shaped = np.zeros((len(sizes), size), field.dtype)
    starts = np.asarray(values.offsets[:-1], np.int64)[is_there]
    shaped[is_there] = values.values[starts[:, None] + np.arange(size)]
    return Values(shaped.reshape(len(sizes), *field.shape), None, values.missing)


def _texts(type: Type, array: _Array, start: int, count: int) -> Values:
    """Nested values as JSON."""
    return _json(_objects(type, array, start, count), _nulls(array, start, count))


def _json(values: list[Any], missing: Array | None) -> Values:
    texts = [b"" if one is None else json.dumps(one, ensure_ascii=False).encode() for one in values]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(one) for one in texts], out=offsets[1:])
    data = np.frombuffer(b"".join(texts) or b"\0", np.uint8)[: offsets[-1]]
    return Values(data, offsets, missing)


def _objects(type: Type, array: _Array, start: int, count: int) -> list[Any]:
    """Rows as lists, dictionaries, texts and numbers; bytes are in base64."""
    missing = _nulls(array, start, count)
    found: list[Any]
    if type.format in _LISTS:
        offsets = _offsets(array, _LISTS[type.format], start, count)
        first, size = int(offsets[0]), int(offsets[-1] - offsets[0])
        child = array.children[0].contents
        items = _objects(type.children[0], child, child.offset + first, size)
        bounds = (offsets - first).tolist()
        found = [items[a:b] for a, b in pairwise(bounds)]
    elif type.format.startswith("+w:"):
        length, child = int(type.format[3:]), array.children[0].contents
        items = _objects(type.children[0], child, child.offset + start * length, count * length)
        found = [items[length * row : length * (row + 1)] for row in range(count)]
    elif type.format == "+s":
        children = [array.children[i].contents for i in range(array.n_children)]
        parts = [
            _objects(kind, child, child.offset + start, count)
            for kind, child in zip(type.children, children, strict=True)
        ]
        names = [kind.name for kind in type.children]
        found = [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)]
    else:
        values = _values(type, array, start, count)
        missing = values.missing
        found = _plain(_field("", type, None), values)
    return (
        found
        if missing is None
        else [None if is_missing else one for one, is_missing in zip(found, missing, strict=True)]
    )


def _plain(field: Field, values: Values) -> list[Any]:
    if values.offsets is None:
        return [one if one == one else None for one in values.values.tolist()]
    data = values.values.view(np.uint8).tobytes()
    rows = [data[a:b] for a, b in pairwise(values.offsets.tolist())]
    if field.dtype == _UTF8:
        return [row.decode(errors="replace") for row in rows]
    return [base64.b64encode(row).decode() for row in rows]
