# SPDX-License-Identifier: Apache-2.0
"""Windows of token streams, and files without a header."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    file = tmp_path / "train.bin"
    np.arange(10_000, dtype="<u2").tofile(file)
    return file


def sliding(array: Any, length: int, stride: int) -> Any:
    every = np.lib.stride_tricks.sliding_window_view(array, length, axis=0)
    return np.moveaxis(every, -1, 1)[::stride]


@pytest.mark.parametrize("length,stride", [(1025, 1024), (65, 64), (1, 1), (10, 100), (10_000, 3)])
def test_windows_are_rows_of_consecutive_elements(tokens: Path, length: int, stride: int) -> None:
    expected = sliding(np.fromfile(tokens, "<u2"), length, stride)
    ds = penstock.windows(penstock.open(tokens, dtype="<u2"), length=length, stride=stride)
    assert ds.shape == expected.shape
    assert ds.dtype == np.uint16
    assert ds.is_plain
    np.testing.assert_array_equal(ds[:], expected)
    np.testing.assert_array_equal(np.asarray(ds), expected)
    np.testing.assert_array_equal(ds[-1], expected[-1])
    view = ds.view()
    np.testing.assert_array_equal(view, expected)
    assert not view.flags.writeable
    order = np.arange(len(ds))[::-1].copy()
    out = np.empty_like(expected)
    assert ds.take(order, out=out) is out
    np.testing.assert_array_equal(out, expected[::-1])
    np.testing.assert_array_equal(ds.take(order), expected[::-1])
    with pytest.raises(IndexError):
        ds[len(ds)]


def test_every_feature_of_the_loader_works_with_windows(tokens: Path) -> None:
    ds = penstock.windows(penstock.open(tokens, dtype="<u2"), length=65, stride=64)
    expected = np.asarray(ds)
    seen = []
    for rank in range(3):
        with penstock.Loader(ds, 8, seed=3, rank=rank, world_size=3, indices=True) as loader:
            for batch in loader:
                np.testing.assert_array_equal(batch["value"], expected[batch["indices"]])
                seen += batch["indices"].tolist()
    assert set(seen) == set(range(len(ds)))

    with penstock.Loader(ds, 8, seed=3) as loader:
        whole = [batch.tolist() for batch in loader]
    with penstock.Loader(ds, 8, seed=3) as loader:
        batches = iter(loader)
        for _ in range(5):
            next(batches)
        state = loader.state_dict()
    with penstock.Loader(pickle.loads(pickle.dumps(ds)), 8, seed=3) as loader:
        loader.load_state_dict(state)
        assert [batch.tolist() for batch in loader] == whole[5:]
    other = penstock.windows(penstock.open(tokens, dtype="<u2"), length=65, stride=32)
    with penstock.Loader(other, 8, seed=3) as loader, pytest.raises(ValueError):
        loader.load_state_dict(state)
    train, test = ds.split(0.25, seed=1)
    assert len(train) + len(test) == len(ds)
    np.testing.assert_array_equal(train[3], expected[train.select([3])._indices[0]])
    convert = penstock.transforms.Convert(np.int64)
    with penstock.Loader(ds, 4, shuffle=False, transform=convert) as loader:
        first = next(iter(loader))
    assert first.dtype == np.int64
    np.testing.assert_array_equal(first, expected[:4])


def test_windows_of_shards_cross_their_ends(tmp_path: Path, rng: np.random.Generator) -> None:
    array = rng.integers(0, 60_000, 1000).astype(">u2")
    with penstock.TableWriter(tmp_path / "tokens", ">u2", shard_rows=123) as writer:
        writer.append(array)
    for io in ("mmap", "read"):
        ds = penstock.windows(penstock.open(tmp_path / "tokens", io=io), 77, stride=5)
        np.testing.assert_array_equal(ds[:], sliding(array, 77, 5))
        wanted = rng.integers(0, len(ds), 50)
        np.testing.assert_array_equal(ds[wanted], sliding(array, 77, 5)[wanted])
        with pytest.raises(ValueError, match="is not one array"):
            ds.view()
    joined = penstock.concat(penstock.open(tmp_path / "tokens"), penstock.open(tmp_path / "tokens"))
    both = sliding(np.concatenate([array, array]), 77, 5)
    np.testing.assert_array_equal(penstock.windows(joined, 77, stride=5)[:], both)


def test_windows_of_rows_with_fields(steps: Path) -> None:
    array = np.load(steps)
    ds = penstock.windows(penstock.open(steps), 10, stride=7)
    rows = sliding(array, 10, 7)
    batch = ds[[3, 0]]
    assert batch["values"].shape == (2, 10, 3)
    for name in array.dtype.names or ():
        np.testing.assert_array_equal(batch[name], rows[[3, 0]][name])
        np.testing.assert_array_equal(ds[name][:], rows[name])
    with penstock.Loader(ds, 5, shuffle=False, fields=["values"]) as loader:
        only = next(iter(loader))
    assert list(only) == ["values"]
    np.testing.assert_array_equal(only["values"], rows[:5]["values"])


def _first(ds: Any) -> Any:
    return ds[[1, 0]].tolist(), ds[0].sum()


def test_windows_in_other_processes(tokens: Path) -> None:
    ds = penstock.windows(penstock.open(tokens, dtype="<u2"), length=1025, stride=1024)
    expected = _first(ds)
    for way in ("fork", "spawn"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            assert pool.apply(_first, (ds,)) == expected


def test_raw_files_have_the_type_that_is_given(tmp_path: Path) -> None:
    numbers = np.arange(24, dtype="<f4")
    numbers.tofile(tmp_path / "numbers.bin")
    ds = penstock.open(tmp_path / "numbers.bin", dtype=np.float32)
    np.testing.assert_array_equal(ds[:], numbers)
    np.testing.assert_array_equal(ds.view(), numbers)
    rows = penstock.open(tmp_path / "numbers.bin", dtype=("<f4", (2, 3)))
    np.testing.assert_array_equal(rows[:], numbers.reshape(4, 2, 3))
    np.testing.assert_array_equal(rows.view(), numbers.reshape(4, 2, 3))
    fields = penstock.open(tmp_path / "numbers.bin", dtype=[("x", "<f4"), ("y", "<i4", (2,))])
    np.testing.assert_array_equal(fields["x"][:], numbers[::3])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ds))[5:7], numbers[5:7])
    assert ds.verify().ok
    penstock.write(tmp_path / "copy.npy", ds)
    np.testing.assert_array_equal(np.load(tmp_path / "copy.npy"), numbers)


def test_raw_files_that_do_not_fit_are_refused(tmp_path: Path, steps: Path) -> None:
    (tmp_path / "odd.bin").write_bytes(b"1234567")
    with pytest.raises(penstock.CorruptDataError, match="not a multiple of the 2 bytes"):
        penstock.open(tmp_path / "odd.bin", dtype="<u2")
    with pytest.raises(penstock.WrongFormatError, match="dtype="):
        penstock.open(tmp_path / "odd.bin")
    with pytest.raises(ValueError, match="stored in the file"):
        penstock.open(steps, dtype="<u2")
    with pytest.raises(TypeError):
        penstock.open(tmp_path / "odd.bin", dtype="nonsense")
    with pytest.raises(ValueError, match="Python objects"):
        penstock.open(tmp_path / "odd.bin", dtype=object)
    with pytest.raises(FileNotFoundError):
        penstock.open(tmp_path / "none.bin", dtype="<u2")


def test_impossible_windows_are_refused(tokens: Path, pack: Path) -> None:
    ds = penstock.open(tokens, dtype="<u2")
    for wrong in ({"length": 0}, {"length": 4, "stride": 0}, {"length": -1}):
        with pytest.raises(ValueError, match="must be 1 or more"):
            penstock.windows(ds, **wrong)
    with pytest.raises(TypeError):
        penstock.windows(ds, length=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is variable"):
        penstock.windows(penstock.open(pack), length=2)
    assert len(penstock.windows(ds, length=10_001)) == 0
    assert penstock.windows(ds, length=10_001).view().shape == (0, 10_001)
