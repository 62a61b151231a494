# SPDX-License-Identifier: Apache-2.0
"""Arrays in Fortran order read as NumPy reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

ARRAYS: dict[str, Any] = {
    "two": np.arange(35.0).reshape(7, 5),
    "three": np.arange(84, dtype=">i2").reshape(7, 4, 3),
    "records": np.array(
        [[(i, j / 2) for j in range(3)] for i in range(7)], [("a", "<u1"), ("b", ">f8")]
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("io", ["mmap", "read"])
def test_rows_of_arrays_in_fortran_order(tmp_path: Path, name: str, io: Any) -> None:
    array = ARRAYS[name]
    np.save(tmp_path / "a.npy", np.asfortranarray(array))
    with penstock.open(tmp_path / "a.npy", io=io) as dataset:
        assert len(dataset) == 7
        if array.dtype.names is None:
            assert np.array_equal(dataset[:], array)
            assert np.array_equal(dataset[[5, 0, 5, -1]], array[[5, 0, 5, -1]])
            assert np.array_equal(dataset[3], array[3])
        else:
            for field in array.dtype.names:
                assert np.array_equal(dataset[:][field], array[field])
                assert np.array_equal(dataset[[5, 0, -1]][field], array[field][[5, 0, -1]])
        assert np.array_equal(dataset.view(), array)
        out = np.empty((2, *array.shape[1:]), array.dtype)
        dataset.take([6, 1], out=out)
        assert np.array_equal(out, array[[6, 1]])
