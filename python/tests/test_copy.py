# SPDX-License-Identifier: Apache-2.0
"""`penstock.copy` between folders; test_s3.py copies to a bucket."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock


def test_a_dataset_is_copied_and_compared(tmp_path: Path) -> None:
    penstock.write(tmp_path / "rows.npy", np.arange(100))
    report = penstock.copy(tmp_path / "rows.npy", tmp_path / "copy.npy")
    assert (report["format"], report["records"], report["files"]) == ("table", 100, 1)
    with penstock.open(tmp_path / "copy.npy") as copy:
        assert copy.fingerprint == report["fingerprint"]
    with pytest.raises(FileExistsError):
        penstock.copy(tmp_path / "rows.npy", tmp_path / "copy.npy")
    assert penstock.copy(tmp_path / "rows.npy", tmp_path / "copy.npy", overwrite=True) == report


def test_a_named_snapshot_of_a_store_is_copied(tmp_path: Path) -> None:
    penstock.convert({"a": [b"one"]}, tmp_path / "store", to="store")
    with penstock.Store(tmp_path / "store") as store:
        store.create_snapshot("first")
    report = penstock.copy(tmp_path / "store", tmp_path / "copy", snapshot="first")
    assert report["records"] == 1


def test_what_cannot_be_copied_says_why(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(penstock.WrongFormatError, match="only datasets are copied"):
        penstock.copy(tmp_path / "text.txt", tmp_path / "copy")
    penstock.write(tmp_path / "rows.npy", np.arange(3))
    with pytest.raises(ValueError, match="web servers are read-only"):
        penstock.copy(tmp_path / "rows.npy", "https://127.0.0.1:1/rows.npy")
    with pytest.raises(ValueError, match=r"penstock\.copy"):
        penstock.write("s3://bucket/rows.npy", np.arange(3))
    with pytest.raises(TypeError, match="overwrite"):
        penstock.copy(tmp_path / "rows.npy", tmp_path / "copy.npy", overwrite=1)  # type: ignore[arg-type]
