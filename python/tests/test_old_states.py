# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that earlier versions made, which must continue exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run_command

import penstock
from penstock import samplers

pytestmark = pytest.mark.xdist_group("commands")

STATES = Path(__file__).parents[2] / "testdata" / "loader" / "states.json"
CASES = {one["name"]: one for one in json.loads(STATES.read_text())}


def staged(rows: penstock.Dataset, more: penstock.Dataset) -> penstock.Dataset:
    stages = [
        (0, {"rows": 3, "more": 1}),
        penstock.Stage(50, {"rows": 1, "more": 1}, ramp=30),
        penstock.Stage(150, {"rows": 1}, where={"rows": "quality > 0.5"}),
    ]
    return penstock.mix({"rows": rows, "more": more}, weights=stages, length=100, seed=5)


def filtered(rows: penstock.Dataset, more: penstock.Dataset) -> penstock.Dataset:
    return penstock.concat(rows.where("quality > 0.3"), more)


DATASETS: dict[str, Callable[..., penstock.Dataset]] = {
    "concat of filters": filtered,
    "mixture": lambda rows, more: penstock.mix(rows, more, weights=[3, 1], seed=5),
    "stages": staged,
}


def loader_of(name: str, folder: Path, batch_size: int) -> penstock.Loader:
    rows, more = (penstock.open(folder / f"{one}.npy") for one in ("rows", "more"))
    chosen = np.arange(0, 90, 3)
    orders: dict[str, Any] = {
        "block": lambda: samplers.Block(90, block_size=4, window_blocks=3, seed=5),
        "weighted": lambda: samplers.Weighted(rows["quality"][:], seed=5),
        "subset": lambda: samplers.Subset(90, chosen, samplers.Permutation(30, seed=5)),
    }
    dataset = DATASETS.get(name, lambda rows, more: rows)(rows, more)
    if name in orders:
        return penstock.Loader(dataset, batch_size, sampler=orders[name]())
    if isinstance(dataset, penstock.Mixture):
        return penstock.Loader(dataset, batch_size)
    return penstock.Loader(dataset, batch_size, seed=5)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    number = np.arange(90)
    penstock.write(tmp_path / "rows.npy", {"x": number, "quality": (number * 37 % 90) / 90})
    more = {"x": np.arange(100, 130), "quality": np.arange(30) / 30}
    penstock.write(tmp_path / "more.npy", more)
    return tmp_path


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("batch_size", [8, 5])
def test_a_checkpoint_continues(name: str, batch_size: int, folder: Path) -> None:
    case = CASES[name]
    with loader_of(name, folder, batch_size) as loader:
        loader.load_state_dict(case["state"])
        rest = [x for batch in loader for x in batch["x"].tolist()]
    assert rest == case["rest"]


def test_a_checkpoint_of_a_mixture_is_asked_for_its_records(folder: Path) -> None:
    (folder / "state.json").write_text(json.dumps(CASES["stages"]["state"]))
    files = [folder / name for name in ("rows.npy", "more.npy")]
    words = (folder / "state.json", *files, "--epoch", 1, "--step", "3..4", "--show", "--json")
    result = run_command("history", *words)
    assert result.returncode == 0, result.stderr
    steps = json.loads(result.stdout)["steps"]
    values = [one["record"]["x"] for step in steps for one in step["records"]]
    assert values == CASES["stages"]["rest"][:16]


def test_a_checkpoint_of_a_later_version_is_refused(folder: Path) -> None:
    state = {**CASES["permutation"]["state"], "version": 3}
    with loader_of("permutation", folder, 8) as loader:  # noqa: SIM117
        with pytest.raises(ValueError, match="reads versions 1 to 2"):
            loader.load_state_dict(state)
