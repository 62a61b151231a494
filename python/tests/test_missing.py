# SPDX-License-Identifier: Apache-2.0
"""Missing values in columns that Java gathered."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Ragged, _memory
from penstock._dtypes import Field
from penstock._torch import to_torch

MASK = np.array([0, 1, 0], np.uint8)


class Owner:
    """Stands for the handle of a batch."""


def columns_of(field, values, offsets=None, mask=None, as_ragged=False):
    """The columns of a batch of three records, as Java would describe it."""
    info = _memory.BatchInfo((field,))
    info.words[0] = 3
    addresses = [0 if part is None else part.ctypes.data for part in (values, offsets, mask)]
    at = _memory.HEAD_COUNT
    info.words[at : at + 4] = [addresses[0], values.nbytes, addresses[1], addresses[2]]
    return info.values(Owner(), as_ragged)[field.name]


def test_a_fixed_field_is_a_masked_array_only_when_a_value_is_missing():
    values = np.array([1, 0, 3], "<i4")
    field = Field("x", values.dtype, (), False)
    column = columns_of(field, values, mask=MASK)
    assert isinstance(column, np.ma.MaskedArray)
    assert column.tolist() == [1, None, 3]
    plain = columns_of(field, values)
    assert type(plain) is np.ndarray
    assert plain.tolist() == [1, 0, 3]


def test_all_elements_of_a_missing_row_are_masked():
    values = np.arange(6, dtype="<f4").reshape(3, 2)
    column = columns_of(Field("x", values.dtype, (2,), False), values, mask=MASK)
    assert column.tolist() == [[0, 1], [None, None], [4, 5]]


def test_missing_bytes_are_none_and_empty_ones_are_not():
    values = np.frombuffer(b"abc", np.uint8)
    offsets = np.array([0, 3, 3, 3])
    field = Field("text", np.dtype("S1"), (), True)
    assert columns_of(field, values, offsets, MASK) == [b"abc", None, b""]
    assert columns_of(field, values, offsets) == [b"abc", b"", b""]
    ragged = columns_of(field, values, offsets, MASK, as_ragged=True)
    assert ragged[1] is None
    assert ragged[2].tolist() == []
    assert ragged.tolist() == [b"abc", None, b""]
    assert ragged[1:].tolist() == [None, b""]


def test_a_ragged_without_missing_rows_is_as_before():
    rows = Ragged(np.arange(4), np.array([0, 1, 4]))
    assert rows.missing is None
    assert [row.tolist() for row in rows] == [[0], [1, 2, 3]]


def test_tensors_refuse_missing_values():
    masked = np.ma.MaskedArray([1, 2], [False, True])
    with pytest.raises(ValueError, match="values of field 'x' are missing"):
        to_torch({"x": masked})
    with pytest.raises(ValueError, match="values of field 'r' are missing"):
        to_torch({"r": Ragged(np.arange(2), np.array([0, 1, 2]), missing=np.array([True, False]))})
