# SPDX-License-Identifier: Apache-2.0
"""Evaluation: every record exactly once over all ranks; and columns that are chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock


def seen(ds: penstock.Dataset, world: int, batch_size: int, **options: Any) -> list[list[int]]:
    """The records of each rank."""
    all_ranks = []
    for rank in range(world):
        loader = penstock.Loader(
            ds, batch_size, rank=rank, world_size=world, indices=True, even_batches=False, **options
        )
        with loader:
            batches = [batch["indices"].tolist() for batch in loader]
            assert len(batches) == len(loader)
            assert all(batches), "a batch is empty"
        all_ranks.append([one for batch in batches for one in batch])
    return all_ranks


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 17, 64, 65])
def test_every_record_comes_once_over_all_ranks(tmp_path: Path, count: int) -> None:
    penstock.write(tmp_path / "n.npy", np.arange(count))
    ds = penstock.open(tmp_path / "n.npy")
    for world in (1, 2, 4, 7):
        for options in ({"shuffle": False}, {"seed": 3}):
            ranks = seen(ds, world, 4, **options)
            assert sorted(one for rank in ranks for one in rank) == list(range(count))
            sizes = [len(rank) for rank in ranks]
            assert max(sizes) - min(sizes) <= 1


def test_an_evaluation_is_resumed_with_other_ranks(tmp_path: Path) -> None:
    penstock.write(tmp_path / "n.npy", np.arange(50))
    ds = penstock.open(tmp_path / "n.npy")
    done, state = [], {}
    for rank in range(3):
        with penstock.Loader(ds, 4, seed=1, rank=rank, world_size=3, even_batches=False) as loader:
            batches = iter(loader)
            done += [one for _ in range(2) for one in next(batches).tolist()]
            state = loader.state_dict()
    for rank in range(2):
        with penstock.Loader(ds, 5, seed=1, rank=rank, world_size=2, even_batches=False) as loader:
            loader.load_state_dict(state)
            done += [one for batch in loader for one in batch.tolist()]
            assert loader.epoch == 1
    assert sorted(done) == list(range(50))


def test_dropping_the_last_batch_contradicts_it(steps: Path) -> None:
    with pytest.raises(ValueError, match="choose one"):
        penstock.Loader(penstock.open(steps), 8, drop_last=True, even_batches=False)


def test_some_fields_of_every_kind_of_dataset(steps: Path, pack: Path) -> None:
    table = penstock.open(steps)
    kinds: dict[str, penstock.Dataset] = {
        "table": table,
        "subset": table.select(np.arange(500)),
        "where": table.where("move == 2"),
        "concat": penstock.concat(table, table),
        "mix": penstock.mix(table, table, weights=[1, 2]),
        "windows": penstock.windows(table, 4),
    }
    for kind, ds in kinds.items():
        for fields in (["move"], ["values", "board"]):
            with penstock.Loader(ds, 8, fields=fields) as loader:
                batch = next(iter(loader))
            assert list(batch) == fields, kind
    zipped = penstock.zip(a=table, b=penstock.open(pack).select([0] * 1000))
    with penstock.Loader(zipped, 8, fields=["b", "a.move"]) as loader:
        assert list(next(iter(loader))) == ["b", "a.move"]
    with pytest.raises(ValueError, match="no field"):
        penstock.Loader(table, 8, fields=["bored"])
