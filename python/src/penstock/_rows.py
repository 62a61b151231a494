# SPDX-License-Identifier: Apache-2.0
"""Whole rows of tables in their stored form."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _index, _jvm
from ._conversion import converted, is_masked

if TYPE_CHECKING:
    from ._dataset import Dataset
    from ._dtypes import Field


def _head_bytes() -> int | None:
    """Returns the offset of the data pointer in an array object, or None if array objects are not
    laid out as CPython and NumPy document it."""
    if sys.implementation.name != "cpython":
        return None
    head = object.__basicsize__
    array = np.zeros((3, 5), np.int64)
    words = (ctypes.c_int64 * 7).from_address(id(array) + head)
    count, flags = words[1] & 0xFFFFFFFF, words[6] & 0xFFFFFFFF
    if (words[0], count, flags) != (array.ctypes.data, array.ndim, array.flags.num):
        return None
    shape = (ctypes.c_int64 * 2).from_address(words[2])
    return head if tuple(shape) == array.shape else None


HEAD_BYTES = _head_bytes()


def read_rows(handle: _jvm.Handle, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
    """Copies rows into an array that is contiguous and of their type."""
    java = _jvm.functions()
    if HEAD_BYTES is not None:
        status = java.fill(handle.number, id(indices) + HEAD_BYTES, id(out) + HEAD_BYTES)
        if status == 0:
            return
        if status < 0:
            _jvm.fail(status)
    status = java.take_rows(
        handle.number,
        indices.__array_interface__["data"][0],
        len(indices),
        # For structured types `__array_interface__` describes every field, which is much slower.
        out.ctypes.data,
        out.nbytes,
    )
    if status < 0:
        _jvm.fail(status)


def columns(rows: np.ndarray[Any, Any], fields: tuple[Field, ...]) -> dict[str, Any]:
    """Rows as they are stored, taken apart into fresh columns in this machine's byte order."""
    return {field.name: _column(rows, field) for field in fields}


def _column(rows: np.ndarray[Any, Any], field: Field) -> np.ndarray[Any, Any]:
    names = rows.dtype.names
    if names is None:
        return rows.astype(field.dtype, copy=False)
    part = rows
    # A name with a dot is a field of that name, or a field of a nested record.
    for name in (field.name,) if field.name in names else field.name.split("."):
        part = part[name]
    return part.astype(field.dtype, order="C")


def fill(dataset: Dataset, indices: _index.Indices, shape: tuple[int, ...] | None, out: Any) -> Any:
    """Copies records into the caller's arrays."""
    row = dataset._row
    expected = dataset.shape[1:] if shape is None else shape + dataset.shape[1:]
    if type(out) is np.ndarray and row is not None and out.shape == expected:
        flags = out.flags
        # The usual case: rows are copied straight into the caller's array.
        if flags.c_contiguous and flags.writeable and out.dtype == row.base:
            dataset._rows(indices, out)
            return out
    if isinstance(out, dict):
        _fill_dictionary(dataset._gather(dataset._fields, None, indices, False), shape, out)
        return out
    if not isinstance(out, np.ndarray) or out.shape != expected:
        found = f"of shape {out.shape}" if isinstance(out, np.ndarray) else f"a {type(out)}"
        raise ValueError(f"out must be an array of shape {expected}, and is {found}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if (out.dtype.names is None) != dataset._is_plain_array:
        raise TypeError(_wrong_type(dataset, out))
    if row is not None and not dataset._is_bare_field:
        stored = np.empty(expected, row.base)
        dataset._rows(indices, stored)
        _assign(out, stored)
        return out
    _fill_columns(dataset, indices, shape, out)
    return out


def masked(dataset: Dataset) -> np.ndarray[Any, Any]:
    """All records as a masked array."""
    out: np.ndarray[Any, Any] = np.ma.zeros(dataset.shape, dataset.dtype)
    everything = np.arange(len(dataset), dtype=np.int64)
    fill(dataset, everything, None if dataset._is_scalar else everything.shape, out)
    return out


def _wrong_type(dataset: Dataset, out: np.ndarray[Any, Any]) -> str:
    if out.dtype.names is None:
        names = ", ".join(dataset.dtype.names or ())
        return (
            f"out is an array of {out.dtype}, and the records have the fields {names}; make it "
            "with np.empty(count, ds.dtype), or give a dictionary of arrays"
        )
    return f"out has the fields {out.dtype.names}, and the records are plain {dataset.dtype}"


def _require_objects(out: Any, name: str) -> None:
    """Bytes of any length fit into an array of objects only: NumPy would cut them, or take them for
    the digits of a number."""
    if not isinstance(out, np.ndarray) or out.dtype != object:
        found = f"an array of {out.dtype}" if isinstance(out, np.ndarray) else f"a {type(out)}"
        raise TypeError(
            f"{name!r} has values of any length, which need an array of objects, and out is "
            f"{found}; make it with np.empty(count, object), or leave out= away"
        )


class MissingValuesError(ValueError):
    """Values are missing, and an array without a mask cannot say so: zeros would look like data."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"values of field {name!r} are missing, and a plain array cannot hold them; read the "
            "records by an index such as ds[:], which masks them, or choose records that have them"
        )


def require_present(values: Any, name: str) -> None:
    """Refuses a masked column."""
    if is_masked(values):
        raise MissingValuesError(name)


def _assign(out: np.ndarray[Any, Any], stored: np.ndarray[Any, Any]) -> None:
    """Copies records into the caller's array. Fields are assigned by name, where NumPy would assign
    them by position.

    Raises:
        ValueError: when the array has other fields, or its type cannot hold the values as they are
    """
    names = stored.dtype.names
    if names is not None and (out.dtype.names is None or set(out.dtype.names) != set(names)):
        raise ValueError(f"out has the fields {out.dtype.names}, and the dataset has {names}")
    out[...] = stored if out.dtype == stored.dtype else converted(stored, out.dtype)


def _fill_dictionary(values: dict[str, Any], shape: tuple[int, ...] | None, out: Any) -> None:
    for name, column in values.items():
        if name not in out:
            raise KeyError(f"out has no {name!r}, which is a field of the dataset")
        if not isinstance(column, np.ndarray):
            _require_objects(out[name], name)
        elif not is_masked(out[name]):
            require_present(column, name)
    for name, column in values.items():
        part = column if shape is not None else column[0]
        if isinstance(part, np.ndarray) and out[name].shape != part.shape:
            raise ValueError(f"out[{name!r}] has shape {out[name].shape}, not {part.shape}")
        if isinstance(part, np.ndarray):
            _assign(out[name], part)
        else:
            out[name][...] = part


def _fill_columns(
    dataset: Dataset, indices: _index.Indices, shape: tuple[int, ...] | None, out: Any
) -> None:
    for field in dataset._fields:
        if field.variable:
            _require_objects(out if dataset.is_plain else out[field.name], field.name)
    columns = dataset._gather(dataset._fields, None, indices, False)
    for name, values in columns.items():
        target = out if dataset.is_plain else out[name]
        if not isinstance(values, np.ndarray):
            # Made as objects first: NumPy would make an array of bytes that have one length.
            objects = np.empty(len(values), object)
            objects[:] = [bytes(value) if isinstance(value, bytes) else value for value in values]
            values = objects
        elif not is_masked(target):
            require_present(values, name)
        _assign(target, values.reshape(target.shape))
