# SPDX-License-Identifier: Apache-2.0
"""Archives of arrays, as `np.savez` writes them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

ARRAYS: dict[str, Any] = {
    "plain": np.arange(35.0).reshape(7, 5),
    "fortran": np.asfortranarray(np.arange(84, dtype=">i2").reshape(7, 12)),
    "records": np.array([(i, i / 2) for i in range(9)], [("a", "<u1"), ("größe", ">f8")]),
    "chinese": np.array([(i,) for i in range(9)], [("日本語", "<u4")]),
    "empty": np.empty((0, 3), np.int32),
    "scalar": np.array(7, np.int64),
    "dir/inner": np.arange(5, dtype=np.uint8),
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "arrays.npz"
    np.savez(path, **ARRAYS)
    return path


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("io", ["mmap", "read"])
def test_members_of_npz(archive: Path, name: str, io: Any) -> None:
    whole = ARRAYS[name]
    array = np.atleast_1d(whole)
    for path in (archive / name, f"{archive}/{name}.npy"):
        with penstock.open(path, io=io) as dataset:
            assert dataset.shape == whole.shape
            rows = dataset.take(np.arange(len(array)), out=np.empty_like(array, order="C"))
            assert np.array_equal(rows, array)
            view = dataset.view()
            assert np.array_equal(view, whole)
            assert not view.flags.writeable
            assert dataset.verify().ok
        # A view outlives its dataset.
        assert np.array_equal(view, whole)


def test_the_only_member_of_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", np.arange(10))
    with penstock.open(tmp_path / "one.npz") as dataset:
        assert dataset[3] == 3
        assert np.array_equal(pickle.loads(pickle.dumps(dataset))[:], np.arange(10))
        with penstock.Loader(dataset, batch_size=5, shuffle=False) as loader:
            assert [batch.tolist() for batch in loader] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_npz_that_cannot_be_opened(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"several arrays; open .*NAME plain or fortran"):
        penstock.open(archive)
    with pytest.raises(FileNotFoundError, match="no array of this name; its arrays are plain"):
        penstock.open(archive / "absent")
    np.savez_compressed(tmp_path / "small.npz", a=np.zeros(9))
    with pytest.raises(ValueError, match=r"np\.savez instead of np\.savez_compressed"):
        penstock.open(tmp_path / "small.npz")
    np.savez(tmp_path / "objects.npz", a=np.array([{}, None], dtype=object))
    with pytest.raises(ValueError, match="objects"):
        penstock.open(tmp_path / "objects.npz")
    with pytest.raises(ValueError, match="rows cannot be appended to it"):
        penstock.TableWriter(archive / "plain", append=True)


def test_a_changed_npz_fails_verify(archive: Path) -> None:
    with penstock.open(archive / "plain") as dataset:
        offset = dataset._description["arrayOffset"]
    content = bytearray(archive.read_bytes())
    content[offset + 200] ^= 1
    archive.write_bytes(content)
    with penstock.open(archive / "plain") as dataset:
        assert not dataset.verify().ok
