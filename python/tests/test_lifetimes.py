# SPDX-License-Identifier: Apache-2.0
"""Datasets, loaders, batches and views that end in any order, in any thread, in the middle."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import handles, wait_until

import penstock


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    before = handles()
    yield
    wait_until(lambda: handles() <= before)


def boards(batches: Any) -> list[int]:
    return [int(board) for batch in batches for board in batch["board"]]


def test_an_exception_in_a_transform_reaches_the_consumer(steps: Path) -> None:
    seen = []

    def transform(batch: Any) -> Any:
        seen.append(int(batch["board"][0]))
        if batch["board"][0] == 300 and seen.count(300) < 3:
            raise LookupError("no")
        return batch

    with penstock.Loader(penstock.open(steps), 100, shuffle=False, transform=transform) as loader:
        batches = iter(loader)
        got = [next(batches)["board"][0] for _ in range(3)]
        for _ in range(2):
            with pytest.raises(LookupError, match="no"):
                next(batches)
        # The batch comes again until the transform takes it.
        assert next(batches)["board"][0] == 300 and got == [0, 100, 200]
        assert len(list(batches)) == 6
        assert seen == [0, 100, 200, 300, 300, *range(300, 1000, 100)]
        seen.clear()
        with pytest.raises(LookupError):
            loader[3]
        assert loader.stats()["transform_seconds"] > 0


def test_a_generator_that_is_left_half_way(steps: Path) -> None:
    ended = []

    def samples() -> Iterator[Any]:
        try:
            with penstock.open(steps) as ds, penstock.Loader(ds, 10) as loader:
                yield from loader
        finally:
            ended.append(True)

    generator = samples()
    first = next(generator)
    boards_before = first["board"].copy()
    del generator
    assert ended == [True] and first["board"].tolist() == boards_before.tolist()


def test_nested_iteration_needs_loaders_of_its_own(steps: Path) -> None:
    ds = penstock.open(steps)
    with (
        penstock.Loader(ds, 500, shuffle=False) as outer,
        penstock.Loader(ds, 250, seed=1) as inner,
    ):
        total = 0
        for batch in outer:
            total += len(batch["board"])
            assert sorted(boards(inner)) == list(range(1000))
        assert total == 1000 and inner.epoch == 2
        # The second pass of a loader ends the first one, with a message.
        first = iter(outer)
        next(first)
        assert len(boards(outer)) == 1000
        with pytest.raises(RuntimeError, match="this iteration is over"):
            next(first)


def test_two_loaders_over_one_dataset(steps: Path) -> None:
    ds = penstock.open(steps)
    one, two = penstock.Loader(ds, 7, seed=1), penstock.Loader(ds, 13, seed=1)
    a, b = iter(one), iter(two)
    first, second = [], []
    for _ in range(70):
        first += boards([next(a)])
        second += boards([next(b)])
    one.close()
    second += boards(b)
    assert sorted(second) == list(range(1000)) and first == second[: len(first)]


def test_a_dataset_closed_under_a_loader(steps: Path) -> None:
    for prefetch in (0, None):
        ds = penstock.open(steps)
        with penstock.Loader(ds, 10, prefetch=prefetch) as loader:
            batches = iter(loader)
            kept = [next(batches) for _ in range(5)]
            copies = [batch["board"].tolist() for batch in kept]
            ds.close()
            with pytest.raises(ValueError, match="closed"):
                list(batches)
            assert [batch["board"].tolist() for batch in kept] == copies


def test_views_keep_what_they_are_of(steps: Path) -> None:
    ds = penstock.open(steps)
    chosen = ds.select([5, 6]).where("board == 6")
    both = penstock.zip(a=ds, b=penstock.concat(ds.select(range(500)), ds.select(range(500))))
    column = ds["values"]
    watch = weakref.ref(ds)
    del ds
    gc.collect()
    assert (
        chosen[0]["board"] == 6 and both[501]["b.board"] == 1 and column[7].tolist() == [21, 22, 23]
    )
    assert watch() is not None
    del chosen, both, column
    gc.collect()
    assert watch() is None


def test_cycles_are_collected(steps: Path) -> None:
    class Node:
        def __init__(self) -> None:
            self.ds = penstock.open(steps)
            self.loader = penstock.Loader(self.ds, 10, transform=self.double)
            self.batches = iter(self.loader)
            self.batch = next(self.batches)
            self.me = self

        def double(self, batch: Any) -> Any:
            return batch

    before = handles()
    for _ in range(20):
        Node()
    gc.collect()
    wait_until(lambda: handles() <= before)


def test_arrays_outlive_the_thread_they_came_from(steps: Path) -> None:
    kept: list[Any] = []

    def work() -> None:
        ds = penstock.open(steps)
        kept.append(ds[100:200])
        with penstock.Loader(ds, 50, shuffle=False) as loader:
            kept.extend(loader)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    gc.collect()
    assert kept[0]["board"].tolist() == list(range(100, 200))
    assert boards(kept[1:]) == list(range(1000))


def test_batches_are_dropped_in_any_thread(steps: Path, rng: np.random.Generator) -> None:
    ds = penstock.open(steps)
    stop = threading.Event()
    errors: list[BaseException] = []

    def churn(seed: int) -> None:
        own = np.random.default_rng(seed)
        kept: list[tuple[Any, Any]] = []
        try:
            while not stop.is_set():
                index = own.integers(0, 1000, int(own.integers(1, 300)))
                kept.append((index, ds[index]["values"][::2]))
                if len(kept) > 20:
                    index, values = kept.pop(int(own.integers(0, 20)))
                    assert (values[:, 0] == index[::2] * 3).all()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=churn, args=(seed,)) for seed in rng.integers(0, 2**32, 4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        gc.collect()
        time.sleep(0.02)
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []


def test_one_loader_in_many_threads_with_a_slow_transform(steps: Path) -> None:
    def transform(batch: Any) -> Any:
        time.sleep(0.001)
        return batch["board"]

    with penstock.Loader(penstock.open(steps), 50, transform=transform) as loader:
        batches = iter(loader)
        seen: list[int] = []

        def work() -> None:
            for batch in batches:
                seen.extend(batch.tolist())

        threads = [threading.Thread(target=work) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == list(range(1000)) and loader.epoch == 1


def test_closing_twice_and_using_what_is_closed(steps: Path, pack: Path) -> None:
    for path in (steps, pack):
        ds = penstock.open(path)
        column = ds[next(iter(ds.fields))]
        loader = penstock.Loader(ds, 10)
        batches = iter(loader)
        for thing in (loader, loader, ds, ds):
            thing.close()
        for wrong in (
            lambda ds=ds: ds[0],
            lambda ds=ds: ds[:],
            lambda ds=ds: ds.select([1])[0],
            lambda ds=ds: ds.where("1 == 1"),
            lambda ds=ds: ds.verify(),
            lambda ds=ds: ds.fingerprint,
            lambda ds=ds: np.asarray(ds),
            lambda ds=ds: penstock.Loader(ds, 1),
            lambda ds=ds: penstock.concat(ds),
            lambda column=column: column[0],
            lambda loader=loader: loader.state_dict(),
            lambda loader=loader: loader[0],
            lambda loader=loader: iter(loader),
            lambda loader=loader: len(loader),
        ):
            with pytest.raises(ValueError, match="closed"):
                wrong()
        with pytest.raises((ValueError, RuntimeError)):
            next(batches)
        assert "closed" in repr(ds) and "closed" in repr(loader) and ds.closed
