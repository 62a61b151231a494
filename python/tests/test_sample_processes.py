# SPDX-License-Identifier: Apache-2.0
"""Map-style datasets that worker processes read: order, errors, killed processes, memory."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NEEDS_TORCH, PATIENCE_SECONDS, wait_until
from faults import needs_mounts, run_on
from sample_datasets import Dying, Failing, Noisy, Parents, Rows, Sleeping, Squares, Where

import penstock

# One process starts all workers of these tests.
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("worker_processes")]


def loader_of(dataset: Any, batch_size: int = 10, **options: Any) -> penstock.Loader:
    given = {"workers": 2, "worker_type": "process", "to": "numpy", **options}
    return penstock.Loader(dataset, batch_size, **given)


def test_batches_come_in_order_and_resume_exactly() -> None:
    with (
        penstock.Loader(Squares(300), 9, to="numpy", seed=2) as plain,
        loader_of(Squares(300), 9, seed=2) as loader,
    ):
        wanted = [batch[0].tolist() for batch in plain]
        batches = iter(loader)
        first = [next(batches)[0].tolist() for _ in range(5)]
        loader.load_state_dict(loader.state_dict())
        assert first + [batch[0].tolist() for batch in loader] == wanted
        # The next epoch, with the same processes.
        assert sorted(one for batch in loader for one in batch[0].tolist()) == list(range(300))


def test_workers_have_random_numbers_of_their_own() -> None:
    with loader_of(Noisy(400), 4) as loader:
        drawn = [one for batch in loader for one in zip(*batch[1:], strict=True)]
    for numbers in zip(*drawn, strict=True):
        assert len(set(numbers)) == 400


def test_one_server_process_starts_the_workers() -> None:
    with loader_of(Parents(400), 4) as loader:
        parents = {parent for batch in loader for parent in batch.tolist()}
    assert len(parents) == 1 and os.getpid() not in parents


def test_several_processes_read_the_samples() -> None:
    with loader_of(Where(400), 4) as loader:
        found = {int(one) for batch in loader for one in batch[1]}
        assert os.getpid() not in found and len(found) == 2
        # num_workers is the word of DataLoader for it.
    with penstock.Loader(Where(40), 4, num_workers=1, to="numpy") as loader:
        assert os.getpid() not in {int(one) for batch in loader for one in batch[1]}


def test_seeds_repeat_random_samples_in_processes() -> None:
    def found(loader: penstock.Loader) -> list[Any]:
        with loader:
            return [[part.tolist() for part in batch] for batch in loader]

    options: dict[str, Any] = {"seed": 5, "seeds": True}
    plain = penstock.Loader(Noisy(60), 7, to="numpy", **options)
    assert found(loader_of(Noisy(60), 7, **options)) == found(plain)


def test_errors_and_left_out_samples() -> None:
    with loader_of(Failing(100), shuffle=False) as loader:
        batches = iter(loader)
        for _ in range(4):
            next(batches)
        with pytest.raises(ZeroDivisionError, match="no luck") as raised:
            next(batches)
        words = "in the dataset for record 42, in batch 4"
        assert words in str(getattr(raised.value, "__notes__", words))
        assert loader.state_dict()["delivered"] == 40
    with loader_of(Failing(100), on_error="skip") as loader:
        with pytest.warns(RuntimeWarning, match="the dataset raised ZeroDivisionError"):
            assert sum(len(batch) for batch in loader) == 99
        assert loader.stats()["skipped_rows"] == 1


def test_a_killed_worker_is_an_error_and_another_takes_its_place() -> None:
    with loader_of(Dying(100), shuffle=False) as loader:
        batches = iter(loader)
        assert len([next(batches) for _ in range(4)]) == 4
        for _ in range(2):
            with pytest.raises(RuntimeError, match="killed by SIGKILL") as raised:
                next(batches)
            assert "batch 4" in str(getattr(raised.value, "__notes__", "batch 4"))
        state = loader.state_dict()
    with penstock.Loader(Squares(100), 10, shuffle=False, to="numpy") as healthy:
        healthy.load_state_dict(state)
        assert next(iter(healthy))[0].tolist() == list(range(40, 50))


def test_closing_from_another_thread_ends_a_waiting_iteration() -> None:
    loader = loader_of(Sleeping(100), workers=1)
    outcome: list[str] = []

    def iterate() -> None:
        try:
            next(iter(loader))
        except (RuntimeError, ValueError) as e:
            outcome.append(str(e))

    thread = threading.Thread(target=iterate, daemon=True)
    thread.start()
    wait_until(lambda: loader._pass is not None and loader._pass.is_under_way)
    loader.close()
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive() and len(outcome) == 1
    assert "closed" in outcome[0] or "over" in outcome[0]


def test_a_dataset_that_cannot_be_pickled_is_refused_with_advice() -> None:
    class Local(Squares):
        pass

    with pytest.raises(ValueError, match="worker_type='thread'"):
        loader_of(Local(10))


def test_workers_share_the_arrays_of_a_dataset_and_nothing_is_left() -> None:
    rows = np.arange(1 << 20, dtype="i8").reshape(-1, 8)

    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = open_files()
    with loader_of(Rows(rows), 1 << 10, shuffle=False) as loader:
        for number, batch in enumerate(loader):
            start = number << 10
            np.testing.assert_array_equal(batch["row"], rows[start : start + (1 << 10)])
            assert batch["row"].flags.writeable and batch["name"][1] == f"row {start + 1}"
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        sizes = [_private_bytes(child) for child in children]
        # Each worker would have the 8 MiB as memory of its own.
        assert sizes and all(size < 1 << 20 for size in sizes)
    del loader
    gc.collect()
    wait_until(lambda: open_files() <= before)


def _private_bytes(process: str) -> int:
    """The memory that a process does not share in mappings of anonymous files."""
    found, is_inside = 0, False
    with contextlib.suppress(FileNotFoundError):
        for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
            if "-" in line.split(" ")[0] and ":" not in line.split(" ")[0]:
                is_inside = "/dev/shm" in line and "(deleted)" in line
            elif is_inside and line.startswith("Private_Dirty"):
                found += int(line.split()[1]) * 1024
    return found


TENSORS = """
import torch
import penstock
from sample_datasets import Rows

if __name__ == "__main__":
    rows = torch.arange(64 * 3, dtype=torch.float32).reshape(64, 3)
    for kind in (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        dataset = Rows(rows.to(kind))
        with penstock.Loader(dataset, 7, workers=1, worker_type="process", seed=1) as loader:
            for batch in loader:
                assert batch["row"].dtype is kind
                assert torch.equal(batch["row"], dataset.rows[batch["index"]])
                batch["row"].zero_()
    pairs = torch.utils.data.TensorDataset(rows, torch.arange(64))
    with penstock.Loader(pairs, 7, num_workers=1, pin_memory=True) as loader:
        for part, numbers in loader:
            assert torch.equal(part, rows[numbers])
    print("done")
"""


@NEEDS_TORCH
def test_tensors_travel_without_becoming_copies(tmp_path: Path) -> None:
    done = run_on({}, TENSORS, tmp_path, PYTHONPATH=_python_path())
    assert done.stdout == "done\n", done.stderr


def _python_path() -> str:
    own = [str(Path(__file__).parent), str(Path(penstock.__file__).parents[1])]
    return os.pathsep.join([*own, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])


SMALL = """
import os, sys, warnings
import numpy as np
import penstock
from sample_datasets import Rows

if __name__ == "__main__":
    os.environ["TMPDIR"] = sys.argv[1]
    dataset = Rows(np.ones((64, 1 << 17)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with penstock.Loader(dataset, 16, workers=2, worker_type="process") as loader:
                print(sum(float(batch["row"].sum()) for batch in loader) == 64 << 17)
        except OSError as error:
            print(error)
    print(" ".join(str(one.message) for one in caught))
"""


@needs_mounts
@pytest.mark.parametrize("has_room", [True, False])
def test_small_shared_memory(tmp_path: Path, has_room: bool) -> None:
    mounts = {"/dev/shm": "8m"}
    if not has_room:
        (tmp_path / "small").mkdir()
        mounts[str(tmp_path / "small")] = "8m"
    folder = tmp_path if has_room else tmp_path / "small"
    done = run_on(mounts, SMALL, tmp_path, folder, PYTHONPATH=_python_path())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True\n") == has_room
    assert "--shm-size" in done.stdout
