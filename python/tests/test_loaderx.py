# SPDX-License-Identifier: Apache-2.0
"""The interface of loaderx, beside what its own releases have drawn and written."""

from __future__ import annotations

import hashlib
import json
import pickle
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import wait_until

import penstock
from penstock.loaderx import ARDataset, BaseDataset, DataLoader, NPDataset, Sampler, converter

GOLDEN = Path(__file__).parents[2] / "testdata" / "samplers"
MODES = {"SEQUENTIAL": 0, "IID": 1, "CYCLIC": 2}


def golden(file: str, key: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((GOLDEN / file).read_text())[key]
    assert entries
    return entries


def require_same(entry: dict[str, Any], release: str) -> None:
    sampler = Sampler(
        int(entry["length"]),
        entry["batch"],
        MODES[entry["mode"]],
        int(entry["seed"]),
        release=release,
    )
    sampler.seek(entry.get("seek_step", 0))
    digest = hashlib.sha256()
    for batch in islice(sampler, entry["batches"]):
        digest.update(batch.astype("<u8").tobytes())
    assert digest.hexdigest() == entry["sha256"], entry
    sampler.seek(entry.get("seek_step", 0))
    for batch in entry["first_batches"]:
        assert next(sampler).tolist() == [int(index) for index in batch], entry


def test_sequences_are_those_of_the_original() -> None:
    for entry in golden("expected.json", "entries"):
        require_same(entry, "0.3.0")


@pytest.mark.parametrize(
    ("key", "release"),
    [
        ("iid_0_7_3_to_2_5_5", "2.4.0"),
        ("iid_and_cyclic_2_8_19", "2.8.19"),
        ("seek_2_8_19", "2.8.19"),
        ("whole_permutations_2_8_19", "2.8.19"),
    ],
)
def test_sequences_are_those_of_later_releases(key: str, release: str) -> None:
    for entry in golden("later-versions.json", key):
        require_same(entry, release)


def test_a_long_sequence_is_that_of_the_original() -> None:
    require_same(json.loads((GOLDEN / "expected.json").read_text())["claim_setup"], "0.3.0")


def test_words_are_those_of_the_generator() -> None:
    for entry in golden("expected.json", "raw_words_of_generator"):
        # No word is changed by the modulus that comes closest to all of them.
        sampler = Sampler(2**64 - 1, len(entry["words"]), Sampler.Mode.IID, int(entry["seed"]))
        assert [f"{word:016x}" for word in next(sampler).tolist()] == entry["words"]


@pytest.mark.parametrize("release", ["0.3.0", "2.4.0", "2.8.19"])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_seek_is_the_same_as_drawing(mode: int, release: str) -> None:
    batches = list(islice(Sampler(1000, 7, mode, 5, release=release), 20))
    sampler = Sampler(1000, 7, mode, 5, release=release)
    for step in (13, 2, 2, 19):
        sampler.seek(step)
        assert next(sampler).tolist() == batches[step].tolist()
        assert sampler.step == step + 1


@pytest.mark.parametrize(
    "arguments",
    [(0, 4, 1), (10, 0, 1), (10, 4, 3), (10, 4, -1), (10, 4, 1, -1), (10, 4, 1, 2**64), (-1, 4, 1)],
)
def test_nonsense_for_a_sampler_is_refused(arguments: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"must be|mode is"):
        Sampler(*arguments)


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.3\.0, 2\.4\.0, 2\.8\.19; got '9'"):
        Sampler(10, 4, 1, release="9")


@pytest.fixture
def sets(tmp_path: Path) -> tuple[Path, Path]:
    """Images whose pixels are the number of their row, and labels which are that number."""
    rows = np.arange(1000, dtype=np.float32)
    converter(np.broadcast_to(rows[:, None, None], (1000, 4, 5)), tmp_path / "train_data")
    np.save(tmp_path / "label.npy", np.arange(1000))
    return tmp_path / "train_data", tmp_path / "label.npy"


def test_the_quick_start_runs(sets: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sets[0].parent)
    loader = DataLoader(ARDataset("train_data"), NPDataset("label.npy"))
    for i, batch in enumerate(loader):
        assert (batch["data"][:, 0, 0] == batch["label"]).all()
        if i >= 256:
            break
    assert batch["data"].shape == (256, 4, 5)
    assert batch["label"].shape == (256,)
    with pytest.raises(TypeError, match=r"Eternal loader has no length\."):
        len(loader)


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_batches_come_in_the_order_of_the_sampler(sets: tuple[Path, Path], mode: int) -> None:
    def slow_at_times(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        time.sleep(0.002 * (int(pair[1][0]) % 3))
        return pair

    expected = Sampler(1000, 32, mode, 7)
    datasets = ARDataset(sets[0]), NPDataset(sets[1])
    with DataLoader(
        *datasets, num_workers=8, batch_size=32, mode=mode, seed=7, transform=slow_at_times
    ) as loader:
        for batch in islice(loader, 60):
            assert batch["label"].tolist() == next(expected).tolist()


def test_errors_reach_the_caller_in_order(sets: tuple[Path, Path]) -> None:
    def fail(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        if 40 in pair[1]:
            raise KeyError("forty")
        return pair

    with DataLoader(
        ARDataset(sets[0]), NPDataset(sets[1]), batch_size=16, mode=0, transform=fail
    ) as loader:
        assert next(loader)["label"][0] == 0
        assert next(loader)["label"][0] == 16
        with pytest.raises(KeyError, match="forty"):
            next(loader)
        assert next(loader)["label"][0] == 48


def test_a_transform_cannot_end_the_loop_in_silence(sets: tuple[Path, Path]) -> None:
    def stop(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        raise StopIteration

    with (
        DataLoader(ARDataset(sets[0]), NPDataset(sets[1]), transform=stop) as loader,
        pytest.raises(RuntimeError, match="raised StopIteration"),
    ):
        next(loader)


class Endless(BaseDataset):
    """Data that comes only once it is allowed to."""

    def __init__(self) -> None:
        self.is_allowed = threading.Event()
        self.is_closed = False

    def __len__(self) -> int:
        return 10

    def __getitems__(self, indices: Any) -> Any:
        self.is_allowed.wait()
        return indices

    def close(self) -> None:
        self.is_closed = True


def test_close_ends_the_threads_and_closes_both_datasets() -> None:
    before = threading.active_count()
    data, labels = Endless(), Endless()
    loader = DataLoader(data, labels, num_workers=3, batch_size=2)
    waiting: list[BaseException] = []

    def consume() -> None:
        try:
            while True:
                next(loader)
        except ValueError as e:
            waiting.append(e)

    consumer = threading.Thread(target=consume)
    consumer.start()
    data.is_allowed.set()
    labels.is_allowed.set()
    time.sleep(0.05)
    loader.close()
    loader.close()
    consumer.join()
    assert "closed" in str(waiting[0])
    assert data.is_closed and labels.is_closed
    # Threads of earlier tests may have ended meanwhile.
    assert threading.active_count() <= before
    with pytest.raises(ValueError, match="the loader is closed"):
        next(loader)


def test_a_loader_that_is_dropped_ends(sets: tuple[Path, Path]) -> None:
    before = threading.active_count()
    loader = DataLoader(ARDataset(sets[0]), NPDataset(sets[1]))
    next(loader)
    del loader
    wait_until(lambda: threading.active_count() <= before)


def test_nonsense_for_a_loader_is_refused(sets: tuple[Path, Path], tmp_path: Path) -> None:
    np.save(tmp_path / "short.npy", np.arange(3))
    np.save(tmp_path / "none.npy", np.empty(0))
    data, labels = ARDataset(sets[0]), NPDataset(sets[1])
    with pytest.raises(ValueError, match="dataset and labelset must have the same length"):
        DataLoader(data, NPDataset(tmp_path / "short.npy"))
    with pytest.raises(ValueError, match="no records"):
        DataLoader(NPDataset(tmp_path / "none.npy"), NPDataset(tmp_path / "none.npy"))
    for wrong in ({"num_workers": 0}, {"prefetch_size": 0}, {"batch_size": 0}, {"mode": 5}):
        with pytest.raises(ValueError, match=r"must be|mode is"):
            DataLoader(data, labels, **wrong)


@pytest.mark.parametrize("dtype", ["<f4", ">i2", "?", [("a", "<u8"), ("b", "<f4", (2,))]])
def test_rows_are_those_of_the_array(dtype: Any, tmp_path: Path, rng: np.random.Generator) -> None:
    array = np.zeros((100, 3), dtype)
    array.view(np.uint8)[:] = rng.integers(0, 2, array.view(np.uint8).shape)
    np.save(tmp_path / "array.npy", array)
    converter(array, tmp_path / "rows", blocksize=7)
    for rows in (NPDataset(tmp_path / "array.npy"), ARDataset(tmp_path / "rows")):
        assert len(rows) == 100 and rows.shape == array.shape
        mask = np.arange(100) % 3 == 0
        for index in (3, -1, slice(5, 50, 7), [4, 4, -100], mask, np.array([1, 99], np.uint64)):
            assert np.array_equal(rows[index], array[index])
            assert rows[index].dtype == array.dtype.newbyteorder("=")
        assert np.array_equal(rows.__getitems__(np.array([99, 0], np.uint64)), array[[99, 0]])
        for wrong in (100, -101, [0, 100]):
            with pytest.raises(IndexError):
                rows[wrong]
        again = pickle.loads(pickle.dumps(rows))
        assert np.array_equal(again[7], array[7])
        rows.close()
        rows.close()
        with pytest.raises(ValueError, match="closed"):
            rows[0]


def test_a_converter_writes_a_table(tmp_path: Path) -> None:
    converter(np.arange(20).reshape(10, 2), tmp_path / "new" / "rows", blocksize=4)
    with penstock.open(tmp_path / "new" / "rows") as table:
        assert table[:].tolist() == np.arange(20).reshape(10, 2).tolist()
    assert len(list((tmp_path / "new" / "rows").glob("*.npy"))) == 3
    assert [one.name for one in (tmp_path / "new").iterdir()] == ["rows"]


def test_a_converter_takes_an_array_without_rows(tmp_path: Path) -> None:
    converter(np.empty((0, 3), "f4"), tmp_path / "rows")
    assert ARDataset(tmp_path / "rows").shape == (0, 3)


def test_a_converter_replaces_only_what_it_may(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    converter(np.arange(3), tmp_path / "rows")
    with pytest.raises(ValueError, match="output_dir is not empty"):
        converter(np.arange(4), tmp_path / "rows")
    assert len(ARDataset(tmp_path / "rows")) == 3
    converter(np.arange(4), tmp_path / "rows", replace=True)
    assert len(ARDataset(tmp_path / "rows")) == 4
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="no converter wrote it"):
        converter(np.arange(4), tmp_path / "precious", replace=True)
    assert (tmp_path / "precious" / "thesis.tex").read_text() == "years of work"
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="output_dir is a file"):
        converter(np.arange(4), tmp_path / "file", replace=True)


def test_a_converter_that_fails_leaves_the_old_folder(tmp_path: Path) -> None:
    converter(np.arange(3), tmp_path / "rows")
    with pytest.raises((TypeError, ValueError)):
        converter(np.array([object()]), tmp_path / "rows", replace=True)
    with pytest.raises(ValueError, match="no rows"):
        converter(np.array(3), tmp_path / "rows", replace=True)
    assert ARDataset(tmp_path / "rows")[:].tolist() == [0, 1, 2]
    assert [one.name for one in tmp_path.iterdir()] == ["rows"]


def test_folders_of_the_original_say_what_reads_them(tmp_path: Path) -> None:
    try:
        import array_record  # noqa: F401

        pytest.skip("needs a Python without array_record")
    except ImportError:
        pass
    meta = {"length": 1, "shape": [], "dtype": "int64", "blocks": ["0.ar"]}
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(ImportError, match="pip install array_record"):
        ARDataset(tmp_path)


def test_folders_of_the_original_are_read(tmp_path: Path) -> None:
    original = pytest.importorskip("loaderx", reason="needs loaderx 0.1.7 and array_record")
    if not hasattr(original, "converter"):
        pytest.skip("needs loaderx 0.1.7 and array_record")
    array = np.arange(6000, dtype=np.float32).reshape(1000, 6)
    original.converter(array, tmp_path / "rows", blocksize=300)
    theirs, ours = original.ARDataset(tmp_path / "rows"), ARDataset(tmp_path / "rows")
    indices = np.array([5, 999, 5, 0], np.uint64)
    assert np.array_equal(ours.__getitems__(indices), theirs.__getitems__(indices))
    assert np.array_equal(ours[-1], array[-1])
    assert ours.shape == array.shape
    ours.close()
