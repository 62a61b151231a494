# SPDX-License-Identifier: Apache-2.0
"""Loaders and samplers: every sample once, and exact resume."""

from __future__ import annotations

import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import handles

import penstock
from penstock import samplers


def test_every_pass_is_an_epoch(steps: Path) -> None:
    ds = penstock.open(steps)
    with penstock.Loader(ds, batch_size=64, seed=7) as loader:
        assert len(loader) == 16 and loader.epoch == 0
        first = np.concatenate([batch["board"] for batch in loader])
        assert loader.epoch == 1
        second = np.concatenate([batch["board"] for batch in loader])
        assert sorted(first) == sorted(second) == list(range(1000))
        assert first.tolist() != second.tolist() and first.tolist() != sorted(first)
        loader.set_epoch(0)
        assert np.concatenate([batch["board"] for batch in loader]).tolist() == first.tolist()
        assert loader.stats()["rows"] == 3000
    assert penstock.Loader(ds, 64, drop_last=True).__len__() == 15


def test_a_pass_that_is_left_is_not_gone_on_with(steps: Path) -> None:
    with penstock.Loader(penstock.open(steps), batch_size=100, shuffle=False) as loader:
        left = iter(loader)
        next(left)
        assert loader.place is not None and loader.place.indices.tolist() == list(range(100))
        assert next(iter(loader))["board"][0] == 0 and loader.epoch == 1
        with pytest.raises(RuntimeError, match="this iteration is over"):
            next(left)


def test_resume_at_every_step_with_other_batches_and_ranks(
    steps: Path, rng: np.random.Generator
) -> None:
    ds = penstock.open(steps).select(range(200))
    with penstock.Loader(ds, batch_size=7, seed=3) as loader:
        whole = np.concatenate([batch["board"] for batch in loader])
        loader.set_epoch(0)
        taken = 0
        for batch in loader:
            taken += len(batch["board"])
            state = json.loads(json.dumps(loader.state_dict()))
            assert state["delivered"] == taken % 200 or state["delivered"] == taken
            world, size = int(rng.integers(1, 4)), int(rng.integers(1, 50))
            rest: dict[int, int] = {}
            for rank in range(world):
                with penstock.Loader(
                    ds, batch_size=size, seed=3, rank=rank, world_size=world
                ) as other:
                    other.load_state_dict(state)
                    for part in other:
                        place = other.place
                        assert place is not None
                        for board, again in zip(part["board"], place.padded, strict=True):
                            if not again:
                                rest[int(board)] = rest.get(int(board), 0) + 1
            if taken < 200:
                assert sorted(rest) == sorted(whole[taken:].tolist())
                assert set(rest.values()) <= {1}


@pytest.mark.parametrize("workers", [0, 2])
def test_the_number_of_batches_that_are_left(tmp_path: Path, workers: int) -> None:
    penstock.write(tmp_path / "n.npy", np.arange(100))
    options: dict[str, Any] = {"transform": lambda batch: batch, "workers": workers}
    with penstock.Loader(tmp_path / "n.npy", 10, **options) as loader:
        assert loader.steps_left == len(loader) == 10
        batches = iter(loader)
        assert loader.steps_left == 10
        for left in (9, 8, 7, 6):
            next(batches)
            assert loader.steps_left == left
        state = loader.state_dict()
        for _ in batches:
            pass
        assert loader.steps_left == 10
        loader.load_state_dict(state)
        assert loader.steps_left == 6
    with penstock.Loader(tmp_path / "n.npy", 10, rank=0, world_size=2, **options) as half:
        half.load_state_dict(state)
        assert (half.steps_left, len(half)) == (3, 5)
        batches = iter(half)
        next(batches)
        assert half.steps_left == 2
        assert len(list(batches)) == 2


def test_states_of_others_are_refused(steps: Path) -> None:
    ds = penstock.open(steps)
    state = penstock.Loader(ds, 10, seed=1).state_dict()
    with pytest.raises(ValueError, match=r"another (order|sampler)"):
        penstock.Loader(ds, 10, seed=2).load_state_dict(state)
    with pytest.raises(ValueError, match="another dataset"):
        penstock.Loader(ds.select(range(999)), 10, seed=1).load_state_dict(state)


def test_steps_by_number(steps: Path) -> None:
    with penstock.Loader(penstock.open(steps), batch_size=300) as loader:
        batches = [batch["board"].tolist() for batch in loader]
        loader.set_epoch(0)
        assert [loader[i]["board"].tolist() for i in range(4)] == batches
        assert loader[-1]["board"].tolist() == batches[-1]
        with pytest.raises(IndexError):
            loader[4]


def test_transform_and_fields(steps: Path) -> None:
    with penstock.Loader(
        penstock.open(steps),
        batch_size=100,
        fields=["values"],
        transform=lambda batch: batch["values"].sum(),
    ) as loader:
        assert sum(loader) == pytest.approx(np.arange(3000).sum())
        assert loader.stats()["transform_seconds"] > 0


def test_batches_outlive_everything(steps: Path, rng: np.random.Generator) -> None:
    before = handles()
    ds = penstock.open(steps)
    loader = penstock.Loader(ds, batch_size=10, shuffle=False)
    kept = list(loader)
    alone = ds[:100]
    column = ds["values"][:10]
    loader.close()
    ds.close()
    del loader, ds
    with penstock.open(steps) as other:
        # Others come and go, and get none of the memory that is still in use.
        for _ in range(50):
            other[rng.integers(0, 1000, 100)]["board"][:] = 77
    assert np.concatenate([b["board"] for b in kept]).tolist() == list(range(1000))
    assert alone["board"].tolist() == list(range(100)) and column[9, 2] == 29
    kept[0]["board"][:] = 5
    del kept, alone, column, other
    assert handles() == before


def test_packs(pack: Path) -> None:
    ds = penstock.open(pack)
    with penstock.Loader(ds, batch_size=30, shuffle=False) as loader:
        assert [record for batch in loader for record in batch] == ds[:]
    with penstock.Loader(ds, batch_size=30, shuffle=False, ragged=True) as loader:
        assert [r for batch in loader for r in batch.tolist()] == ds[:]


def test_wrong_arguments(steps: Path) -> None:
    ds = penstock.open(steps)
    for wrong in (
        {"batch_size": 0},
        {"batch_size": 1, "to": "cupy"},
        {"batch_size": 1, "on_error": "zero"},
        {"batch_size": 1, "rank": 1},
        {"batch_size": 1, "rank": 2, "world_size": 2},
        {"batch_size": 1, "sampler": samplers.Sequential(5)},
        {"batch_size": 1, "fields": ["nothing"]},
    ):
        with pytest.raises(ValueError):
            penstock.Loader(ds, **wrong)  # type: ignore[arg-type]
    for name, value in (
        ("even_batches", "no"),
        ("pin_memory", "yes"),
        ("ragged", 3),
        ("follow", None),
        ("drop_last", 1),
    ):
        options: dict[str, Any] = {name: value}
        with pytest.raises(TypeError, match=f"{name} must be True or False, got {value!r}"):
            penstock.Loader(ds, 1, **options)
    for local in ("2", 2.0):
        with pytest.raises(TypeError, match=f"local_world_size must be an integer, got {local!r}"):
            penstock.Loader(ds, 1, rank=0, world_size=2, local_world_size=local)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pickle its dataset"):
        pickle.dumps(penstock.Loader(ds, 1))


@pytest.mark.parametrize(
    "make",
    [
        lambda: samplers.Sequential(100),
        lambda: samplers.Permutation(100, seed=5),
        lambda: samplers.Block(100, block_size=10, window_blocks=3, seed=5),
        lambda: samplers.Share(100, block_size=10, shares=2, seed=5),
        lambda: samplers.Window(100, size=4, stride=2),
        lambda: samplers.Uniform(100, length=30, seed=5),
        lambda: samplers.Weighted(np.arange(100), length=50, seed=5),
        lambda: samplers.Subset(100, np.arange(0, 100, 2), samplers.Permutation(50)),
        lambda: samplers.Bucket(np.arange(100) % 7, run_size=5, pool_size=50),
        lambda: samplers.Mixture(
            [samplers.Permutation(60), samplers.Sequential(40)], [0.9, 0.1], 80
        ),
    ],
)
def test_samplers_stand_alone(make: object, steps: Path) -> None:
    sampler = make()  # type: ignore[operator]
    first = list(sampler)
    assert len(first) == len(sampler) and all(0 <= i < 100 for i in first)
    assert sampler.epoch == 1 and len(list(sampler)) == len(sampler)
    sampler.set_epoch(0)
    some = iter(sampler)
    begun = [next(some) for _ in range(7)]
    again = pickle.loads(pickle.dumps(sampler))
    assert begun + list(again) == first
    other = make()  # type: ignore[operator]
    other.load_state_dict(json.loads(json.dumps(sampler.state_dict())))
    assert list(other) == first[7:] and other.epoch == 1
    next(iter(sampler))
    assert sampler.epoch == 1
    ds = penstock.open(steps).select(range(100))
    with penstock.Loader(ds, batch_size=7, sampler=make()) as loader:  # type: ignore[operator]
        boards = [int(board) for batch in loader for board in batch["board"]]
    assert boards == first


def test_threads(steps: Path, rng: np.random.Generator) -> None:
    ds = penstock.open(steps)
    errors: list[BaseException] = []
    seen: list[int] = []
    loader = penstock.Loader(ds, batch_size=10)
    batches = iter(loader)
    seeds = rng.integers(0, 2**32, 8)

    def work(seed: int) -> None:
        own = np.random.default_rng(seed)
        try:
            for _ in range(100):
                index = own.integers(0, 1000, 50)
                assert (ds[index]["board"] == index).all()
                assert (ds["values"][index][:, 0] == index * 3).all()
            while True:
                # All share one pass, and none gets what another got.
                seen.extend(next(batches)["board"].tolist())
        except StopIteration:
            pass
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and sorted(seen) == list(range(1000))


def test_closing_while_threads_read(steps: Path) -> None:
    for _ in range(20):
        ds = penstock.open(steps)
        loader = penstock.Loader(ds, batch_size=3)
        errors: list[BaseException] = []

        def work(
            ds: penstock.Dataset = ds,
            loader: penstock.Loader = loader,
            errors: list[BaseException] = errors,
        ) -> None:
            try:
                for batch in loader:
                    assert batch["values"][0, 0] == batch["board"][0] * 3
                    ds[:50]
            except (ValueError, RuntimeError):
                pass
            except BaseException as e:
                errors.append(e)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        loader.close()
        ds.close()
        for thread in threads:
            thread.join()
        assert errors == []
