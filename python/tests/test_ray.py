# SPDX-License-Identifier: Apache-2.0
"""Datasets in Ray Data, on a real Ray of one node."""

from __future__ import annotations

import importlib.util
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

if importlib.util.find_spec("ray") is None:
    pytest.skip("needs Ray; python/extra.sh ray installs it", allow_module_level=True)

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray

import penstock.ray

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        logging_level=logging.ERROR,
        log_to_driver=False,
        object_store_memory=200 << 20,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    values = {"a": np.arange(1000), "x": np.arange(3000, dtype="f4").reshape(1000, 3)}
    penstock.write(tmp_path / "t.npy", values)
    return tmp_path / "t.npy"


def test_ranges_are_read(table: Path) -> None:
    dataset = penstock.ray.read(table, parallelism=4)
    assert dataset.count() == 1000
    assert dataset.sum("a") == 499_500
    found = penstock.ray.read(table, where="a < 10 and x[2] > 5", columns=["a", "_index"])
    assert found.take_all() == [{"a": i, "_index": i} for i in range(2, 10)]
    with pytest.raises(ValueError, match="there is no field nothing"):
        penstock.ray.read(table, columns=["nothing"])


def test_a_write_is_published_in_one_step(table: Path, tmp_path: Path) -> None:
    dataset = penstock.ray.read(table, parallelism=4)
    doubled = dataset.map_batches(lambda batch: {"a": batch["a"] * 2, "x": batch["x"]})
    penstock.ray.write(doubled, tmp_path / "out", shard_bytes=4000)
    written = penstock.open(tmp_path / "out")
    order = np.argsort(written["a"][:])
    assert np.array_equal(written["a"][:][order], np.arange(1000) * 2)
    assert np.array_equal(written["x"][:][order], np.arange(3000).reshape(1000, 3))
    with pytest.raises(FileExistsError):
        penstock.ray.write(doubled, tmp_path / "out")
    penstock.ray.write(dataset.limit(7), tmp_path / "out", mode="append")
    assert len(penstock.open(tmp_path / "out")) == 1007
    penstock.ray.write(dataset.select_columns(["a"]), tmp_path / "store", kind="store")
    assert sorted(penstock.open(tmp_path / "store")["a"][:].tolist()) == list(range(1000))


def test_a_task_that_fails_leaves_nothing(table: Path, tmp_path: Path) -> None:
    def failing(batch: dict[str, Any]) -> dict[str, Any]:
        if 999 in batch["a"]:
            raise ValueError("planted")
        return {"a": batch["a"]}

    dataset = penstock.ray.read(table, parallelism=4).map_batches(failing, batch_size=100)
    with pytest.raises(Exception, match="planted"):
        penstock.ray.write(dataset, tmp_path / "out", shard_bytes=800)
    assert not list((tmp_path / "out").glob("rows-*"))
