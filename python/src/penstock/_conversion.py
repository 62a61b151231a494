# SPDX-License-Identifier: Apache-2.0
"""Converts values to the types that files hold. A value that would change raises an error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from . import _arguments, _dtypes
from ._dtypes import is_bfloat16, is_stand_in
from ._ragged import Ragged

Array = np.ndarray[Any, Any]

# A float64 holds every integer below this one.
_EXACT_INTEGERS = 2**53

# Padding is refused where it makes an array larger than this, and this many times as large as it
# would be if all values had the mean length.
_PADDED_BYTES_MAX = 16 << 20
_PADDED_FACTOR_MAX = 8


def is_masked(values: Any) -> bool:
    """Whether this is an array with a mask. Before `numpy.ma` is loaded the answer is no. Loading
    it only for this check would take time, and would fail in a process that has changed its
    user."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(values, masked.MaskedArray)


def unmasked(values: Any, dtype: np.dtype[Any] | None = None) -> Array:
    """Returns an array of the values. Raises for a masked array, whose mask would be lost."""
    if is_masked(values):
        raise ValueError("a file has no mask; fill the array first, for example by .filled(0)")
    if is_bfloat16_tensor(values):
        return bfloat16_bits(values).view(_dtypes.asked_bfloat16())
    try:
        array = np.asarray(values, dtype)
    except ValueError as e:
        if "inhomogeneous" not in str(e):
            raise
        raise ValueError(
            "the values have different shapes, and the rows of a table have one shape; pad the "
            "values, or write bytes of any length to a pack, whose name ends in .a2pack"
        ) from None
    if isinstance(values, (list, tuple)):
        if array.dtype.kind in "US":
            _require_texts(values, array.dtype.kind)
            _require_even(values, array)
        elif array.dtype.kind == "f":
            _require_exact(values, array)
    return array


def _leaves(values: Sequence[Any]) -> Iterator[Any]:
    """The values in lists of lists."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def _require_texts(values: Sequence[Any], kind: str) -> None:
    """NumPy makes texts of the numbers beside texts, and `'nan'` of a missing one. It cuts zeros at
    the end of a text."""
    what, empty, expected = ("texts", "''", str) if kind == "U" else ("bytes", "b''", bytes)
    for number, value in enumerate(_leaves(values)):
        if isinstance(value, expected):
            if value and value[-1] in ("\0", 0):
                raise ValueError(
                    f"value {number} is {_arguments.shown(value)}, and an array would cut the zero "
                    "at its end; write a pack, whose name ends in .a2pack, to keep it"
                )
        elif not hasattr(value, "__array__") or np.asarray(value).dtype.kind != kind:
            raise TypeError(
                f"value {number} is {_arguments.shown(value)}, and other values are {what}; fill "
                f"in missing {what}, for example by {empty}, and convert numbers by str"
            )


def _require_even(values: Sequence[Any], array: Array) -> None:
    """A table pads all texts to the longest. Refuses an array that would be mostly padding."""
    if array.nbytes <= _PADDED_BYTES_MAX:
        return
    lengths = [len(value) for value in _leaves(values) if isinstance(value, (str, bytes))]
    longest, total = max(lengths), sum(lengths)
    if longest * len(lengths) > _PADDED_FACTOR_MAX * total:
        raise ValueError(
            f"the longest of {len(lengths):,} values has the length {longest:,}, and the mean is "
            f"{total // len(lengths):,}; a table pads all to the longest, which takes "
            f"{array.nbytes // 1_000_000:,} MB for {total // 1_000:,} KB; write them to a store, "
            "which keeps values of any length: end the name in .store"
        )


def _require_exact(values: Sequence[Any], array: Array) -> None:
    """NumPy makes floating-point numbers of integers that no type of integers holds together, and
    of those beside floating-point numbers."""
    with np.errstate(invalid="ignore"):
        is_large = bool((np.abs(array) >= _EXACT_INTEGERS).any())
    for value in _leaves(values) if is_large else ():
        if isinstance(value, int) and int(float(value)) != value:
            raise ValueError(
                f"{value} would be rounded, because it is among values that NumPy stores as "
                f"{array.dtype}; give an array of the type that you want"
            )


def is_bfloat16_tensor(values: Any) -> bool:
    """Whether this is a tensor of PyTorch that NumPy cannot read."""
    return str(getattr(values, "dtype", "")) == "torch.bfloat16"


def bfloat16_bits(tensor: Any) -> Array:
    """The bits of a PyTorch tensor of bfloat16, as `uint16`."""
    import torch

    bits: Array = tensor.detach().cpu().contiguous().view(torch.int16).numpy()
    return bits.view(np.uint16)


def record_bytes(record: Any) -> bytes:
    """Returns the bytes of a record. Raises for a number: `bytes(5)` would be five zeros."""
    if isinstance(record, (np.ndarray, np.generic)):
        array = unmasked(record)
        if array.dtype.hasobject:
            raise TypeError(
                f"an array of {array.dtype} holds Python objects, which cannot be written"
            )
        return array.tobytes()
    try:
        return bytes(memoryview(record))
    except TypeError:
        encode = "; encode the text first" if isinstance(record, str) else ""
        raise TypeError(f"a record must be bytes, got {_arguments.shown(record)}{encode}") from None


def is_arrow(values: Any) -> bool:
    """Whether this is an array of pyarrow."""
    arrow: Any = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(values, (arrow.Array, arrow.ChunkedArray))


def is_arrow_binary(values: Any) -> bool:
    """Whether this is an array of bytes or texts of pyarrow."""
    if not is_arrow(values):
        return False
    arrow: Any = sys.modules["pyarrow"]
    kinds = (arrow.binary(), arrow.large_binary(), arrow.string(), arrow.large_string())
    return any(values.type == one for one in kinds)


def arrow_ragged(values: Any) -> Ragged:
    """An array of bytes or texts of pyarrow, without a copy of its values."""
    arrow: Any = sys.modules["pyarrow"]
    if isinstance(values, arrow.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, arrow.ChunkedArray):
        # Arrow makes several chunks if the offsets do not fit into 32 bits.
        values = values.cast(arrow.large_binary()).combine_chunks()
    is_large = values.type in (arrow.large_binary(), arrow.large_string())
    _, starts, data = values.buffers()
    dtype = np.dtype(np.int64 if is_large else np.int32)
    count = len(values)
    if count == 0:
        return Ragged(np.empty(0, np.uint8), np.zeros(1, np.int64))
    offsets = np.frombuffer(starts, dtype, count + 1, values.offset * dtype.itemsize)
    items = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    if values.null_count == 0:
        return Ragged(items, offsets.astype(np.int64))
    # Bytes under a missing value are nobody's.
    filled = values.fill_null("" if "string" in str(values.type) else b"")
    missing = np.asarray(values.is_null().to_numpy(zero_copy_only=False))
    plain = arrow_ragged(filled)
    return Ragged(plain.values, plain.offsets, missing=missing)


def converted(values: Any, dtype: np.dtype[Any]) -> Array:
    """The values as another type, in memory that can be written as it is.

    Raises:
        ValueError: when the type cannot hold the values; only floating-point rounding is allowed
    """
    # Tuples are records only if the type is structured.
    is_array = isinstance(values, (np.ndarray, np.generic))
    array = unmasked(values, None if is_array or dtype.names is None else dtype)
    if array.dtype != dtype:
        array = _by_name(array, dtype) if dtype.names is not None else _checked(array, dtype)
    return np.require(array, requirements=["C", "A"])


def _by_name(array: Array, dtype: np.dtype[Any]) -> Array:
    """Assigns fields by name. NumPy assigns by position, which would mix up reordered fields."""
    if array.dtype.names is None:
        raise ValueError(f"values of {array.dtype} cannot be rows with the fields {dtype.names}")
    rows = np.zeros(array.shape, dtype)
    _place(rows, {name: array[name] for name in array.dtype.names}, "")
    return rows


def _checked(array: Array, dtype: np.dtype[Any]) -> Array:
    if is_stand_in(array.dtype) or is_stand_in(dtype):
        names = ["bfloat16" if is_stand_in(one) else str(one) for one in (array.dtype, dtype)]
        raise ImportError(
            f"converting {names[0]} to {names[1]} needs the package ml_dtypes; install it with "
            "pip install ml_dtypes"
        )
    if np.can_cast(array.dtype, dtype):
        return array.astype(dtype)
    is_number = array.dtype.kind in "biufc" and (dtype.kind in "biufc" or _is_inexact(dtype))
    if not is_number and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ValueError(f"values of {array.dtype} cannot be stored as {dtype}")
    if array.dtype.kind == "c" and dtype.kind != "c":
        raise ValueError(f"values of {array.dtype} cannot be stored as {dtype}")
    with np.errstate(invalid="ignore"):
        result = array.astype(dtype)
    if not _is_inexact(dtype) and not np.array_equal(result, array, equal_nan=dtype.kind in "Mm"):
        raise ValueError(f"some values of {array.dtype} do not fit {dtype}")
    return result


def _is_inexact(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fc" or is_bfloat16(dtype)


def rows_of(records: Any) -> Array:
    """The rows of a table from an array, from values that NumPy makes an array of, or from a list
    of dictionaries with the same keys.

    Raises:
        ValueError: when the dictionaries have different keys
    """
    if not isinstance(records, (list, tuple)) or not records or not isinstance(records[0], Mapping):
        return unmasked(records)
    names = require_same_keys(records)
    columns = {name: unmasked([record[name] for record in records]) for name in names}
    for name, values in columns.items():
        if values.dtype.hasobject:
            raise TypeError(f"the values of {name!r} are not numbers or texts of one shape")
    return assembled(columns, None)


def require_same_keys(records: Sequence[Any]) -> list[Any]:
    """The keys of dictionaries, which must be the same in all of them.

    Raises:
        ValueError: when they are not
    """
    names = records[0].keys()
    for number, record in enumerate(records):
        if not isinstance(record, Mapping) or record.keys() != names:
            found = list(record) if isinstance(record, Mapping) else type(record).__name__
            raise ValueError(
                f"record {number} has {found}, and the first record has the keys {list(names)}"
            )
    return list(names)


def frame_columns(data: Any) -> dict[str, Any] | None:
    """The columns of a pandas `DataFrame` by their labels, with objects such as texts as lists; or
    None for any other data."""
    if not hasattr(data, "columns") or not hasattr(data, "to_dict"):
        return None
    columns = {str(name): data[name].to_numpy() for name in data.columns}
    return {name: one.tolist() if one.dtype == object else one for name, one in columns.items()}


def require_one_length(columns: Mapping[str, Sized]) -> None:
    """Checks that columns have the same number of records.

    Raises:
        ValueError: when they do not
    """
    counts = {name: len(values) for name, values in columns.items()}
    if len(set(counts.values())) != 1:
        lengths = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise ValueError(f"the columns have different lengths: {lengths}")


def assembled(columns: Mapping[str, Any], row: np.dtype[Any] | None) -> Array:
    """Returns columns as rows; without a type, the fields are packed. Fields of nested records are
    called `outer.inner`, as in batches, or given as one column of records."""
    arrays = {name: unmasked(values) for name, values in columns.items()}
    if not arrays:
        raise ValueError("the dictionary has no columns")
    for name, values in arrays.items():
        if values.ndim == 0:
            raise ValueError(
                f"{name!r} is the single value {_arguments.shown(columns[name])}, and a column has "
                "a value for each row"
            )
    require_one_length(arrays)
    if row is None:
        row = np.dtype([(name, a.dtype, a.shape[1:]) for name, a in arrays.items()])
    if row.base.names is None:
        raise ValueError("the table has plain values and no fields; give it an array")
    rows = np.zeros((len(next(iter(arrays.values()))), *row.shape), row.base)
    _place(rows, arrays, "")
    return rows


def _place(rows: Array, columns: dict[str, Array], prefix: str) -> None:
    """Copies columns into the rows. Raises for columns that are not fields of the rows."""
    assert rows.dtype.names is not None
    for name in rows.dtype.names:
        target = rows[name]
        values = columns.pop(prefix + name, None)
        if values is None and target.dtype.names is not None:
            _place(target, columns, f"{prefix}{name}.")
        elif values is None:
            raise ValueError(f"the column {prefix + name!r} is missing")
        elif values.shape != target.shape:
            raise ValueError(
                f"column {prefix + name!r} has shape {values.shape}, and the field {target.shape}"
            )
        else:
            target[...] = converted(values, target.dtype)
    if columns and not prefix:
        raise ValueError(f"there are no fields {sorted(columns)} in {rows.dtype.names}")
