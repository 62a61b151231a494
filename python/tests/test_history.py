# SPDX-License-Identifier: Apache-2.0
"""Which step sees which record, beside a log of what loaders delivered."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import samplers

IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))
CONFIGURATIONS = 10_000 if IS_LONG else 60

Log = dict[int, list[tuple[int, int, int]]]


def sampler(rng: np.random.Generator, count: int, ranks: int) -> Any:
    seed = int(rng.integers(1 << 30))
    subset = np.sort(rng.permutation(count)[: count // 2 + 1])
    makers: list[Any] = [
        lambda: None,
        lambda: samplers.Sequential(count),
        lambda: samplers.Permutation(count, seed=seed),
        lambda: samplers.Block(count, block_size=3, window_blocks=2, seed=seed),
        lambda: samplers.Share(count, block_size=1, shares=ranks, window_blocks=2, seed=seed),
        lambda: samplers.Uniform(count, length=count + 3, seed=seed),
        lambda: samplers.Weighted(rng.random(count) + 0.01, seed=seed),
        lambda: samplers.Subset(count, subset, samplers.Permutation(len(subset), seed=seed)),
    ]
    return makers[rng.integers(len(makers))]()


def deliver(loader: penstock.Loader, rank: int, log: Log, steps: int | None = None) -> None:
    """Logs what a rank receives in the rest of the epoch, or in some steps."""
    for number, _ in enumerate(loader, 1):
        place = loader.place
        assert place is not None
        for index in place.indices:
            log[int(index)].append((place.epoch, place.step, rank))
        if number == steps:
            return


def found(loader: penstock.Loader, record: int, epochs: range) -> list[tuple[int, int, int]]:
    return sorted((one.epoch, one.step, one.rank) for one in loader.steps_of(record, epochs=epochs))


def test_steps_of_and_records_of_agree_with_what_is_delivered(rng: np.random.Generator) -> None:
    for _ in range(CONFIGURATIONS):
        count = int(rng.integers(4, 60))
        ranks = int(rng.integers(1, 5))
        options = {
            "batch_size": int(rng.integers(1, 9)),
            "drop_last": bool(rng.integers(2)),
            "sampler": sampler(rng, count, ranks),
            "threads": 1,
        }
        if not options["drop_last"] and rng.integers(2):
            options["even_batches"] = False
        data = {"x": np.arange(count)}
        log: Log = defaultdict(list)
        loaders = [
            penstock.Loader(data, rank=rank, world_size=ranks, **options) for rank in range(ranks)
        ]
        for rank, loader in enumerate(loaders):
            for _ in range(2):
                deliver(loader, rank, log)
        for record in range(count):
            assert found(loaders[-1], record, range(2)) == sorted(log[record]), options
        for step in range(max(len(one) for one in loaders)):
            for rank in range(ranks):
                delivered = {i for i in log if (1, step, rank) in log[i]}
                assert set(loaders[0].records_of(step, epoch=1, rank=rank)) == delivered
        for loader in loaders:
            loader.close()


def test_after_a_resume_with_another_batch_size_the_rest_has_its_own_steps() -> None:
    data = {"x": np.arange(101)}
    log: Log = defaultdict(list)
    with penstock.Loader(data, 10, seed=3) as first:
        deliver(first, 0, log, steps=3)
        state = first.state_dict()
    log.clear()
    with penstock.Loader(data, 7, seed=3) as second:
        second.load_state_dict(state)
        batches = iter(second)
        next(batches)
        place = second.place
        assert place is not None
        for index in place.indices:
            assert (0, place.step, 0) in found(second, int(index), range(1))
        for _ in batches:
            place = second.place
            assert place is not None
            for index in place.indices:
                assert (0, place.step, 0) in found(second, int(index), range(1))


def test_records_are_asked_for_by_name_and_must_exist(tmp_path: Path) -> None:
    with penstock.PackWriter(tmp_path / "p.a2pack") as writer:
        for name in "abc":
            writer.append(name.encode(), name=name)
    with penstock.Loader(tmp_path / "p.a2pack", 2, shuffle=False) as loader:
        assert loader.steps_of("c") == [penstock.RecordPlace(0, 1, 0, 2)]
        with pytest.raises(KeyError):
            loader.steps_of("d")
        with pytest.raises(IndexError):
            loader.steps_of(3)
        with pytest.raises(IndexError):
            loader.records_of(2)
        with pytest.raises(IndexError):
            loader.records_of(0, rank=1)
