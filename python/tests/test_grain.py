# SPDX-License-Identifier: Apache-2.0
"""Grain: a dataset is a random-access source as it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

pytestmark = pytest.mark.xdist_group("grain")


@pytest.fixture(scope="module")
def grain() -> Any:
    """Imported only by the process that runs these tests, because it takes seconds."""
    grain = pytest.importorskip("grain", reason="needs Grain; python/torch.sh installs one")
    # Grain's workers read flags of absl, which are parsed by a program and not by pytest.
    pytest.importorskip("absl.flags").FLAGS.mark_as_parsed()
    return grain


def test_map_dataset(grain: Any, steps: Path) -> None:
    ds = penstock.open(steps)
    batches = grain.MapDataset.source(ds).shuffle(seed=3).batch(10)
    assert len(batches) == 100
    seen = np.concatenate([batch["board"] for batch in batches])
    assert sorted(seen) == list(range(1000)) and list(seen) != sorted(seen)
    assert (batches[7]["values"][:, 0] == batches[7]["board"] * 3).all()


def test_records_come_in_one_call_and_each_by_itself(grain: Any, steps: Path, pack: Path) -> None:
    ds = penstock.open(steps)
    records = ds._getitems([7, 3])
    assert [r["board"] for r in records] == [7, 3] and records[1]["values"].tolist() == [9, 10, 11]
    assert penstock.open(pack)._getitems([2, 0]) == [b"\2\2", b""]
    # Grain asks so only in some of its versions; here is what it asks.
    batch = grain.MapDataset.source(ds).shuffle(seed=3)._getitems([2, 0])
    shuffled = grain.MapDataset.source(ds).shuffle(seed=3)
    assert [r["board"] for r in batch] == [shuffled[2]["board"], shuffled[0]["board"]]


def test_resume(grain: Any, steps: Path) -> None:
    source = grain.MapDataset.source(penstock.open(steps)).shuffle(seed=3).batch(10)
    batches = source.to_iter_dataset()
    some = iter(batches)
    for _ in range(3):
        next(some)
    state = some.get_state()
    rest = [batch["board"].tolist() for batch in some]
    again = iter(batches)
    again.set_state(state)
    assert [batch["board"].tolist() for batch in again] == rest and len(rest) == 97


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader(grain: Any, workers: int, steps: Path) -> None:
    ds = penstock.open(steps)
    order = grain.samplers.IndexSampler(num_records=1000, shuffle=True, seed=1, num_epochs=1)
    loader = grain.DataLoader(
        data_source=ds,
        sampler=order,
        operations=[grain.transforms.Batch(50)],
        worker_count=workers,
    )
    seen = [int(board) for batch in loader for board in batch["board"]]
    assert sorted(seen) == list(range(1000)) and seen != sorted(seen)
