# SPDX-License-Identifier: Apache-2.0
"""Functions that run in worker processes: order, resuming, errors, killed processes."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE_SECONDS
from faults import needs_mounts, run_on
from worker_functions import (
    described,
    ending,
    failing,
    failing_record,
    sleeping,
    unevenly,
    with_process,
)

import penstock
from penstock._processes import Processes, Work

# One process starts all workers of these tests.
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("worker_processes")]


@pytest.fixture
def numbers(tmp_path: Path) -> penstock.Dataset:
    penstock.write(tmp_path / "numbers.npy", np.arange(100))
    return penstock.open(tmp_path / "numbers.npy")


def test_batches_come_in_order_and_resume_exactly(numbers: penstock.Dataset) -> None:
    options: dict[str, Any] = {"transform": unevenly, "workers": 2, "worker_type": "process"}
    plain = [batch.tolist() for batch in penstock.Loader(numbers, 9, seed=5, transform=unevenly)]
    with penstock.Loader(numbers, 9, seed=5, **options) as loader:
        batches = iter(loader)
        first = [next(batches).tolist() for _ in range(4)]
        state = loader.state_dict()
        loader.load_state_dict(state)
        assert first + [batch.tolist() for batch in loader] == plain
        # The next epoch, with the same processes.
        assert sorted(one for batch in loader for one in batch.tolist()) == list(range(0, 1000, 10))


def test_functions_run_in_other_processes(numbers: penstock.Dataset) -> None:
    with penstock.Loader(
        numbers, 10, transform=with_process, workers=2, worker_type="process"
    ) as loader:
        batches = list(loader)
        assert {batch["process"] for batch in batches}.isdisjoint({os.getpid()})
        assert batches[0]["value"].flags.writeable
        kept = [batch["value"].copy() for batch in batches]
        list(loader)
        for batch, copy in zip(batches, kept, strict=True):
            np.testing.assert_array_equal(batch["value"], copy)


def test_records_of_every_kind_travel(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    texts = [b"x" * int(n) for n in rng.integers(0, 50_000, 40)]
    penstock.write(tmp_path / "t.a2pack", texts)
    penstock.write(tmp_path / "x.npy", rng.normal(size=(40, 300, 7)))
    ds = penstock.zip(
        text=penstock.open(tmp_path / "t.a2pack"), x=penstock.open(tmp_path / "x.npy")
    )
    options: dict[str, Any] = {"shuffle": False, "transform": described}
    with (
        penstock.Loader(ds, 7, workers=2, worker_type="process", **options) as loader,
        penstock.Loader(ds, 7, **options) as expected,
    ):
        for got, wanted in zip(loader, expected, strict=True):
            assert got["text"] == wanted["text"]
            np.testing.assert_array_equal(got["length"], wanted["length"])
            np.testing.assert_array_equal(got["x"], wanted["x"])


def test_errors_name_batch_and_records(numbers: penstock.Dataset) -> None:
    with penstock.Loader(
        numbers, 10, shuffle=False, transform=failing, workers=2, worker_type="process"
    ) as loader:
        batches = iter(loader)
        for _ in range(4):
            next(batches)
        with pytest.raises(ZeroDivisionError, match="no luck") as raised:
            next(batches)
        notes = str(getattr(raised.value, "__notes__", "batch 4 failing records 40"))
        assert "batch 4" in notes
        assert "records 40" in notes
        assert "failing" in notes
        assert loader.state_dict()["delivered"] == 40
    with (
        penstock.Loader(
            numbers, 10, map_records=failing_record, workers=1, worker_type="process"
        ) as loader,
        pytest.raises(ZeroDivisionError, match="no luck") as raised,
    ):
        list(loader)
    assert "in map_records for record 42, in batch" in str(
        getattr(raised.value, "__notes__", "in map_records for record 42, in batch")
    )
    with (
        penstock.Loader(
            numbers,
            10,
            shuffle=False,
            map_records=failing_record,
            on_error="skip",
            workers=1,
            worker_type="process",
        ) as loader,
        pytest.warns(RuntimeWarning),
    ):
        assert sum(len(batch) for batch in loader) == 99


def test_a_killed_worker_is_an_error_and_no_hang(numbers: penstock.Dataset) -> None:
    with penstock.Loader(
        numbers, 10, shuffle=False, transform=ending, workers=2, worker_type="process"
    ) as loader:
        batches = iter(loader)
        for _ in range(4):
            next(batches)
        with pytest.raises(RuntimeError, match="killed by SIGKILL") as raised:
            next(batches)
        assert "batch 4" in str(getattr(raised.value, "__notes__", "batch 4"))
        # Another process takes its place: the batch is tried again, and fails again.
        with pytest.raises(RuntimeError, match="killed by SIGKILL"):
            next(batches)


def test_closing_does_not_wait_for_a_function(numbers: penstock.Dataset) -> None:
    loader = penstock.Loader(numbers, 10, transform=sleeping, workers=1, worker_type="process")
    batches = iter(loader)

    def wait_in_vain() -> None:
        with contextlib.suppress(RuntimeError, StopIteration):
            next(batches)

    thread = threading.Thread(target=wait_in_vain, daemon=True)
    thread.start()
    time.sleep(0.5)
    before = time.monotonic()
    loader.close()
    # The function sleeps for an hour.
    assert time.monotonic() - before < PATIENCE_SECONDS


def test_closing_wakes_threads_that_wait_for_a_process() -> None:
    processes = Processes(Work(None, (), is_skipping=False), 0)

    def wait_in_vain() -> None:
        with pytest.raises(RuntimeError, match="the loader is closed"):
            processes.done({})

    threads = [threading.Thread(target=wait_in_vain, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    processes.close()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def test_impossible_options_are_refused(numbers: penstock.Dataset) -> None:
    with pytest.raises(ValueError, match="needs workers"):
        penstock.Loader(numbers, 10, transform=unevenly, worker_type="process")
    with pytest.raises(ValueError, match="worker_type must be"):
        penstock.Loader(numbers, 10, worker_type="greenlet")
    with pytest.raises(ValueError, match="top of a module"):
        penstock.Loader(
            numbers, 10, transform=lambda batch: batch, workers=1, worker_type="process"
        )


SMALL_MEMORY = """
import json, os, sys, warnings
import numpy as np
import penstock

def doubled(batch):
    return batch * 2

if __name__ == "__main__":
    os.environ["TMPDIR"] = sys.argv[1]
    data = penstock.from_memory(np.ones((64, 1 << 17), "f8"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with penstock.Loader(
                data, 16, transform=doubled, workers=2, worker_type="process"
            ) as loader:
                outcome = [float(batch.sum()) for batch in loader]
        except OSError as error:
            outcome = str(error)
    print(json.dumps([outcome, [str(one.message) for one in caught]]))
"""


@needs_mounts
def test_small_shared_memory_is_replaced_by_files(tmp_path: Path) -> None:
    """Each batch has 16 MiB, and /dev/shm is smaller, as in a container without --shm-size."""
    done = run_on({"/dev/shm": "8m"}, SMALL_MEMORY, tmp_path, tmp_path)
    assert done.returncode == 0, done.stderr
    outcome, warned = json.loads(done.stdout)
    assert outcome == [16.0 * (1 << 17) * 2] * 4
    assert warned and all("--shm-size" in text for text in warned)


@needs_mounts
def test_no_space_for_batches_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    done = run_on({"/dev/shm": "8m", str(small): "8m"}, SMALL_MEMORY, tmp_path, small)
    assert done.returncode == 0, done.stderr
    outcome, _ = json.loads(done.stdout)
    assert "--shm-size" in outcome and "/dev/shm" in outcome and str(small) in outcome
