# SPDX-License-Identifier: Apache-2.0
"""Which step sees which record, beside a log of what loaders delivered."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run_command

import penstock
from penstock import samplers

pytestmark = pytest.mark.xdist_group("commands")

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


def command(*words: object) -> Any:
    result = run_command("history", *words, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def deliver_some(loader: penstock.Loader, log: Log, steps: int | None = None) -> None:
    """Logs the values of records as they are delivered."""
    for number, batch in enumerate(loader, 1):
        place = loader.place
        assert place is not None
        for value in batch["x"].reshape(-1):
            log[int(value)].append((place.epoch, place.step, 0))
        if number == steps:
            return


def test_a_checkpoint_alone_tells_what_was_delivered(tmp_path: Path) -> None:
    penstock.write(tmp_path / "web.npy", {"x": np.arange(300)})
    penstock.write(tmp_path / "books.npy", {"x": np.arange(1000, 1200)})
    web, books = (penstock.open(tmp_path / name) for name in ("web.npy", "books.npy"))
    both = penstock.concat(web.where("x >= 50").where("x < 250"), books.select(range(20, 120)))
    log: Log = defaultdict(list)
    with penstock.Loader(both, 16, seed=3) as first:
        deliver_some(first, log)
        deliver_some(first, log, steps=4)
        state = first.state_dict()
    with penstock.Loader(both, 10, seed=3) as second:
        second.load_state_dict(json.loads(json.dumps(state)))
        deliver_some(second, log, steps=7)
        # The epoch is left early.
        deliver_some(second, log, steps=5)
        state = second.state_dict()
    (tmp_path / "state.json").write_text(json.dumps({"step": 1, "data": [state]}))
    files = [tmp_path / name for name in ("state.json", "web.npy", "books.npy")]
    for record in (0, 7, 199, 200, 299):
        value = int(both[record]["x"])
        found = command(*files, "--record", record)
        seen = [
            (one["epoch"], one["epochStep"], one["rank"]) for one in found["places"] if one["seen"]
        ]
        assert sorted(seen) == sorted(log[value]), record
        [origin] = found["origins"]
        assert origin["record"] == value % 1000
        assert origin["path"] == str(tmp_path / ("web.npy" if value < 1000 else "books.npy"))
    # All steps of the run in order, as they were delivered.
    steps = command(*files, "--step", "0..34", "--show")["steps"]
    assert [(one["epoch"], one["epochStep"]) for one in steps[:20]] == [
        *((0, step) for step in range(19)),
        (1, 0),
    ]
    for one in steps[:30]:
        for shown in one["records"]:
            place = (one["epoch"], one["epochStep"], 0)
            assert place in log[shown["record"]["x"]]


def test_a_checkpoint_of_version_1_needs_the_batch_size(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.npy", {"x": np.arange(100)})
    with penstock.Loader(tmp_path / "t.npy", 8, seed=3) as loader:
        next(iter(loader))
        state = loader.state_dict()
        third = loader.records_of(3)
    for key in ("segments", "order", "source"):
        del state[key]
    state["version"] = 1
    (tmp_path / "old.json").write_text(json.dumps(state))
    with penstock.Loader(tmp_path / "t.npy", 8, seed=3) as loader:
        loader.load_state_dict(state)
        assert len(next(iter(loader))["x"]) == 8
    refused = run_command("history", tmp_path / "old.json", tmp_path / "t.npy", "--step", 3)
    assert refused.returncode == 2
    assert "--batch" in refused.stderr
    [step] = command(tmp_path / "old.json", tmp_path / "t.npy", "--step", 3, "--batch", 8)["steps"]
    assert step["indices"] == third.tolist()


def test_other_data_than_that_of_the_checkpoint_is_refused(tmp_path: Path) -> None:
    for name, first in (("a.npy", 0), ("b.npy", 1)):
        penstock.write(tmp_path / name, {"x": np.arange(first, 100 + first)})
    with penstock.Loader(tmp_path / "a.npy", 8) as loader:
        next(iter(loader))
        (tmp_path / "s.json").write_text(json.dumps(loader.state_dict()))
    refused = run_command("history", tmp_path / "s.json", tmp_path / "b.npy", "--step", 0)
    assert refused.returncode == 2
    assert "another dataset" in refused.stderr
    (tmp_path / "not.json").write_text("{}")
    refused = run_command("history", tmp_path / "not.json", tmp_path / "b.npy", "--step", 0)
    assert refused.returncode == 2
    assert "loader.state_dict()" in refused.stderr


def test_a_repeated_record_of_a_step_to_come_was_not_seen(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.npy", {"x": np.arange(13)})
    states = []
    with penstock.Loader(tmp_path / "t.npy", 4, shuffle=False, rank=0, world_size=2) as loader:
        for _ in loader:
            states.append(loader.state_dict())
        twice = [r for r in range(8) if len(loader.steps_of(r, epochs=[0])) > 1]
    assert twice
    for state, seen in zip(states, ([True, False], [True, True]), strict=True):
        (tmp_path / "s.json").write_text(json.dumps(state))
        found = command(tmp_path / "s.json", tmp_path / "t.npy", "--record", twice[0])["places"]
        assert [one["seen"] for one in found if one["epoch"] == 0] == seen
