# SPDX-License-Identifier: Apache-2.0
"""Delivered batches, seeds, and the sources of ranks."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import command_line

import penstock

Runner = Callable[..., "subprocess.CompletedProcess[str]"]


def loader(numbers: Path, **options: Any) -> penstock.Loader:
    return penstock.Loader(penstock.open(numbers), batch_size=10, **options)


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    np.save(tmp_path / "numbers.npy", np.arange(30))
    return tmp_path / "numbers.npy"


class Failing:
    """A transform that changes its batch in place and then fails, once."""

    def __init__(self, error: type[BaseException], at: int) -> None:
        self.error, self.at, self.calls = error, at, 0

    def __call__(self, batch: Any) -> Any:
        self.calls += 1
        batch += 100
        if self.calls == self.at:
            raise self.error("stop")
        return batch


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_batch_whose_transform_fails_is_skipped_on_request(
    numbers: Path, at: int, workers: int
) -> None:
    whole = [batch.tolist() for batch in loader(numbers, shuffle=False)]

    def fail(batch: Any) -> Any:
        if batch[0] == 10 * (at - 1):
            raise ValueError("stop")
        return batch

    skipping = loader(numbers, shuffle=False, transform=fail, on_error="skip", workers=workers)
    with pytest.warns(RuntimeWarning, match=r"a transform raised ValueError\('stop"):
        got = [batch.tolist() for batch in skipping]
    assert got == whole[: at - 1] + whole[at:]
    stats = skipping.stats()
    assert stats["skipped_batches"] == 1 and stats["skipped_rows"] == 10
    # The second epoch is as long, and the warning is not repeated.
    assert len(list(skipping)) == 2 and skipping.stats()["skipped_batches"] == 2
    # A step that is asked for by its number has no batch to go on with.
    with pytest.raises(ValueError, match="stop"):
        skipping[at - 1]
    # A resumed run does not try the batch again.
    skipping.set_epoch(0)
    batches = iter(skipping)
    assert next(batches).tolist() == got[0]
    state = skipping.state_dict()
    assert state["delivered"] == (20 if at == 1 else 10)
    resumed = loader(numbers, shuffle=False)
    resumed.load_state_dict(state)
    assert next(iter(resumed))[0] == state["delivered"]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_record_that_cannot_be_mapped_is_skipped_on_request(numbers: Path, workers: int) -> None:
    def invert(number: int) -> float:
        return number if number < 20 and 1 / (int(number) % 7) else 1 / 0

    options = {"map_records": invert, "workers": workers, "on_error": "skip"}
    skipping = loader(numbers, shuffle=False, **options)
    batches = iter(skipping)
    with pytest.warns(RuntimeWarning, match="map_records raised ZeroDivisionError"):
        assert next(batches).tolist() == [1, 2, 3, 4, 5, 6, 8, 9]
    assert skipping.place is not None
    assert skipping.place.indices.tolist() == [1, 2, 3, 4, 5, 6, 8, 9]
    assert skipping.place.skipped == 2 and not skipping.place.padded.any()
    assert next(batches).tolist() == [10, 11, 12, 13, 15, 16, 17, 18, 19]
    # Nothing is left of the last batch.
    assert list(batches) == []
    stats = skipping.stats()
    assert stats["skipped_rows"] == 2 + 1 + 10 and stats["skipped_batches"] == 1


def test_skipping_does_not_hide_what_concerns_the_whole_process(numbers: Path) -> None:
    for error in (MemoryError, KeyboardInterrupt):
        with pytest.raises(error) as caught:
            list(loader(numbers, transform=Failing(error, 2), on_error="skip"))
        # The advice to skip errors would be of no use.
        assert "on_error" not in str(getattr(caught.value, "__notes__", ""))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_batch_counts_when_the_consumer_gets_it(
    numbers: Path, error: type[BaseException], at: int
) -> None:
    expected = [batch + 100 for batch in loader(numbers, seed=3)]
    got = []
    failing = loader(numbers, seed=3, transform=Failing(error, at))
    with pytest.raises(error):
        for batch in failing:
            got.append(batch)
    state = failing.state_dict()
    assert state["delivered"] == 10 * (at - 1)
    resumed = loader(numbers, seed=3, transform=Failing(error, -1))
    resumed.load_state_dict(state)
    assert np.array_equal([*got, *resumed], expected)


def test_an_iterator_stays_at_the_batch_whose_transform_failed(numbers: Path) -> None:
    expected = [batch + 100 for batch in loader(numbers, seed=3)]
    failing = loader(numbers, seed=3, transform=Failing(ValueError, 2))
    batches = iter(failing)
    first = next(batches)
    with pytest.raises(ValueError, match="stop"):
        next(batches)
    # Fresh memory, and not what the transform left.
    assert np.array_equal([first, *batches], expected)
    assert failing.state_dict()["epoch"] == 1
    assert len(list(failing)) == 3


def test_a_pass_that_failed_is_left_early_by_the_next_one(numbers: Path) -> None:
    failing = loader(numbers, seed=3, transform=Failing(ValueError, 2))
    with pytest.raises(ValueError, match="stop"):
        list(failing)
    assert failing.epoch == 0
    assert np.array_equal(
        [batch - 100 for batch in failing], [loader_at(numbers, 1)[step] for step in range(3)]
    )


def loader_at(numbers: Path, epoch: int) -> penstock.Loader:
    other = loader(numbers, seed=3)
    other.set_epoch(epoch)
    return other


def test_stop_iteration_in_a_transform_is_an_error(numbers: Path) -> None:
    def transform(batch: Any) -> Any:
        return next(iter([]))

    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        list(loader(numbers, shuffle=False, transform=transform))
    assert isinstance(caught.value.__cause__, StopIteration)
    if sys.version_info >= (3, 11):
        assert "batch 0 of epoch 0, which holds the records 0, 1" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="StopIteration"):
        loader(numbers, transform=transform)[0]


@pytest.mark.parametrize("seed", [2**63, 2**64 - 1, 2**63 + 12345])
def test_seeds_have_64_bits(numbers: Path, seed: int) -> None:
    with loader(numbers, seed=seed) as large:
        first = next(iter(large))
        state = json.loads(json.dumps(large.state_dict()))
    # The same bits are the same seed.
    with loader(numbers, seed=seed - 2**64) as same:
        assert np.array_equal(next(iter(same)), first)
        same.load_state_dict(state)
    state["parameters"]["seed"] = seed
    with loader(numbers, seed=np.uint64(seed)) as again:
        again.load_state_dict(state)
        assert len(list(again)) == 2
    with loader(numbers, seed=seed - 1) as other:
        assert not np.array_equal(next(iter(other)), first)
    ds = penstock.open(numbers)
    assert len(penstock.mix(ds, ds, weights=[1, 1], seed=seed)) == 60
    assert len(ds.split(test=3, seed=seed)[1]) == 3
    order = penstock.samplers.Permutation(ds, seed=seed)
    order.load_state_dict(json.loads(json.dumps(order.state_dict())))
    other_state = order.state_dict()
    other_state["parameters"] = {"seed": seed}
    order.load_state_dict(other_state)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seeds_of_more_bits_are_refused(numbers: Path, seed: int) -> None:
    with pytest.raises(ValueError, match="64 bits"):
        loader(numbers, seed=seed)


def test_ranks_are_looked_up_when_a_loader_is_made(
    numbers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = loader(numbers)
    assert (alone.rank, alone.world_size, alone.stats()["ranks_from"]) == (0, 1, "default")
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    second = loader(numbers, shuffle=False)
    assert (second.rank, second.world_size) == (1, 2)
    assert second.stats()["ranks_from"] == "RANK and WORLD_SIZE"
    assert "rank 1 of 2 (from RANK and WORLD_SIZE)" in repr(second)
    assert np.array_equal(next(iter(second)), np.arange(10, 20))
    given = loader(numbers, rank=0, world_size=3)
    assert (given.rank, given.world_size) == (0, 3)
    assert given.stats()["ranks_from"] == "arguments"
    monkeypatch.delenv("RANK")
    monkeypatch.delenv("WORLD_SIZE")
    assert loader(numbers).world_size == 1


def test_variables_of_slurm_alone_divide_nothing(
    numbers: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_NTASKS", "4")
    monkeypatch.setenv("SLURM_PROCID", "0")
    assert loader(numbers).world_size == 1
    script = f"""
        import penstock
        with penstock.Loader(penstock.open({str(numbers)!r}), batch_size=10) as loader:
            print(loader.world_size, sum(len(batch) for batch in loader))
    """
    assert run(script, SLURM_NTASKS="4", SLURM_PROCID="0").stdout == "1 30\n"
    line = command_line("plan", numbers, "--json")
    assert json.loads(subprocess.run(line, capture_output=True, check=True).stdout)["world"] == 1


@pytest.mark.parametrize(
    ("environment", "ranks"),
    [
        ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}, (2, 4)),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, (1, 2)),
        ({"WORLD_SIZE": "2", "LOCAL_RANK": "1"}, (1, 2)),
        ({"WORLD_SIZE": " 2 ", "RANK": "0", "OMPI_COMM_WORLD_RANK": "9"}, (0, 2)),
        ({"WORLD_SIZE": "1"}, (0, 1)),
        ({"RANK": "0"}, (0, 1)),
    ],
)
def test_ranks_of_launchers(
    numbers: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    ranks: tuple[int, int],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made = loader(numbers)
    assert (made.rank, made.world_size) == ranks


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"WORLD_SIZE": "2"}, "set RANK"),
        ({"WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4", "LOCAL_RANK": "1"}, "set RANK"),
        ({"WORLD_SIZE": "two", "RANK": "0"}, "WORLD_SIZE is 'two'"),
        ({"RANK": "3"}, "set WORLD_SIZE"),
        ({"RANK": "7", "WORLD_SIZE": "5"}, "rank 7 and world_size 5 .from RANK and WORLD_SIZE"),
        ({"RANK": "-1", "WORLD_SIZE": "5"}, "rank must be from 0"),
    ],
)
def test_an_environment_that_contradicts_itself_is_an_error(
    numbers: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], words: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=words):
        loader(numbers)


def test_an_initialised_jax_tells_the_ranks(numbers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jax: Any = types.ModuleType("jax")
    jax.distributed = types.SimpleNamespace(is_initialized=lambda: False)
    jax.process_index, jax.process_count = lambda: 1, lambda: 3
    monkeypatch.setitem(sys.modules, "jax", jax)
    assert loader(numbers).world_size == 1
    jax.distributed.is_initialized = lambda: True
    made = loader(numbers)
    assert (made.rank, made.world_size, made.stats()["ranks_from"]) == (1, 3, "jax")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert loader(numbers).world_size == 2


@pytest.mark.xdist_group("torch")
def test_an_initialised_torch_tells_the_ranks(
    numbers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("torch.distributed")
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    distributed.init_process_group("gloo", f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        made = loader(numbers)
        assert (made.rank, made.world_size) == (0, 1)
        assert made.stats()["ranks_from"] == "torch.distributed"
    finally:
        distributed.destroy_process_group()
    assert loader(numbers).stats()["ranks_from"] == "RANK and WORLD_SIZE"


def test_without_torch_a_loader_for_it_cannot_be_made(
    numbers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="PyTorch"):
        loader(numbers, to="torch")


def test_steps_count_from_the_start_of_the_epoch_after_a_resume(numbers: Path) -> None:
    first = loader(numbers)
    batches = iter(first)
    next(batches)
    next(batches)
    again = loader(numbers)
    again.load_state_dict(first.state_dict())
    for step, batch in enumerate(again, start=2):
        assert again.place is not None and again.place.step == step
        assert np.array_equal(batch, again[step])
