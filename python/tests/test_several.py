# SPDX-License-Identifier: Apache-2.0
"""Several datasets opened as one."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import penstock


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """Three arrays whose numbers go on from one to the next, in the order of their names."""
    for number, name in enumerate(["day-10.npy", "day-9.npy", "day-a.npy"]):
        np.save(tmp_path / name, np.arange(number * 10, number * 10 + 10))
    np.save(tmp_path / ".day-x.npy", np.arange(5))
    return tmp_path


def test_a_pattern_opens_all_that_match_in_the_order_of_the_bytes(days: Path) -> None:
    with penstock.open(days / "day-*.npy") as ds:
        assert len(ds) == 30
        assert np.array_equal(ds[:], np.arange(30))
        assert ds.fingerprint == penstock.open(str(days / "day-*")).fingerprint


def test_a_list_opens_in_its_order(days: Path) -> None:
    with penstock.open([days / "day-a.npy", str(days / "day-1?.npy")]) as ds:
        assert np.array_equal(ds[:], np.r_[20:30, 0:10])


def test_closing_closes_all_parts(days: Path) -> None:
    ds = penstock.open(days / "day-*.npy")
    parts = ds._owned
    ds.close()
    assert ds.closed and all(part.closed for part in parts)
    with pytest.raises(ValueError, match="closed"):
        ds[0]


def test_it_can_be_pickled_and_loaded_from(days: Path) -> None:
    ds = penstock.open(days / "day-*.npy")
    copy = pickle.loads(pickle.dumps(ds))
    assert np.array_equal(copy[:], ds[:])
    batches = list(penstock.Loader(ds, batch_size=6, shuffle=True, seed=1))
    assert sorted(np.concatenate([np.asarray(batch) for batch in batches])) == list(range(30))


def test_stores_and_tables_are_one(days: Path) -> None:
    fields = {"value": {"dtype": "int64", "shape": []}}
    with penstock.Store(days / "store", mode="w", fields=fields) as store:
        store.append({"value": 100})
    with penstock.open([days / "day-9.npy", days / "store"]) as ds:
        assert ds[-1] == 100


def test_mistakes_are_named(days: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file or folder matches this pattern"):
        penstock.open(days / "night-*")
    with pytest.raises(ValueError, match="the list of datasets is empty"):
        penstock.open([])
    np.save(days / "day-z.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"field value is i64 in .*, but f64 in"):
        penstock.open(days / "day-*.npy")


def test_a_file_with_an_asterisk_in_its_name_is_opened_itself(days: Path) -> None:
    np.save(days / "day-*.npy", np.arange(3))
    assert len(penstock.open(days / "day-*.npy")) == 3
    assert os.path.exists(days / "day-*.npy")


def test_an_empty_path_is_no_folder(days: Path) -> None:
    for path in ("", b"", [""]):
        with pytest.raises(FileNotFoundError):
            penstock.open(path)
    with pytest.raises(TypeError, match="snapshot must be a string, got 3"):
        penstock.open(days / "day-9.npy", snapshot=3)  # type: ignore[call-overload]
