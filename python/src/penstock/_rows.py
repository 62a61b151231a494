# SPDX-License-Identifier: Apache-2.0
"""Whole rows of tables, as they are stored."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _index, _jvm

if TYPE_CHECKING:
    from ._dataset import Dataset
    from ._dtypes import Field


def _head_bytes() -> int | None:
    """Where in an array object its data pointer is, as Java is told, or None where array objects
    are not laid out as CPython and NumPy document it."""
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
        # Of records `__array_interface__` spells out every field, which takes many times as long.
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
    # A name with a dot may be that of a field, or lead into a record inside the record.
    for name in (field.name,) if field.name in names else field.name.split("."):
        part = part[name]
    return part.astype(field.dtype, order="C")


def fill(dataset: Dataset, indices: _index.Indices, shape: tuple[int, ...] | None, out: Any) -> Any:
    """Copies records into what the caller has."""
    row = dataset._row
    expected = dataset.shape[1:] if shape is None else shape + dataset.shape[1:]
    if type(out) is np.ndarray and row is not None and out.shape == expected:
        flags = out.flags
        # The usual case first: rows go straight to where they are wanted.
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
    if row is not None:
        stored = np.empty(expected, row.base)
        dataset._rows(indices, stored)
        _assign(out, stored)
        return out
    _fill_columns(dataset, indices, shape, out)
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


def _assign(out: np.ndarray[Any, Any], stored: np.ndarray[Any, Any]) -> None:
    """NumPy assigns fields by their places, and not by their names."""
    names = stored.dtype.names
    if names is None or out.dtype.names == names:
        out[...] = stored
        return
    if out.dtype.names is None or set(out.dtype.names) != set(names):
        raise ValueError(f"out has the fields {out.dtype.names}, and the dataset has {names}")
    for name in names:
        out[name] = stored[name]


def _fill_dictionary(values: dict[str, Any], shape: tuple[int, ...] | None, out: Any) -> None:
    for name, column in values.items():
        if name not in out:
            raise KeyError(f"out has no {name!r}, which is a field of the dataset")
        if not isinstance(column, np.ndarray):
            _require_objects(out[name], name)
    for name, column in values.items():
        part = column if shape is not None else column[0]
        if isinstance(part, np.ndarray) and out[name].shape != part.shape:
            raise ValueError(f"out[{name!r}] has shape {out[name].shape}, not {part.shape}")
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
            # A list of bytes; NumPy would otherwise look into sequences of one length.
            objects = np.empty(len(values), object)
            objects[:] = [bytes(value) if isinstance(value, bytes) else value for value in values]
            values = objects
        target[...] = values.reshape(target.shape)
