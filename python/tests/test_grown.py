# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of loaders whose datasets grow afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run_command as run

import penstock
import penstock.shards

GOLDEN = Path(__file__).parents[2] / "testdata" / "runs"

pytestmark = pytest.mark.xdist_group("commands")

Step = Callable[[], Any]


def done(*words: object) -> None:
    result = run(*words)
    assert result.returncode == 0, result.stderr


def append(path: Path, rows: dict[str, Any]) -> None:
    with penstock.TableWriter(path, append=True) as writer:
        writer.append(rows)


def table(path: Path) -> tuple[Path, Step]:
    penstock.write(path / "t.npy", {"x": np.arange(500)})
    return path / "t.npy", lambda: append(path / "t.npy", {"x": np.arange(500, 700)})


def groups(path: Path) -> tuple[Path, Step]:
    def rows(documents: range) -> dict[str, Any]:
        return {"document": np.repeat(documents, 50), "x": np.arange(50 * len(documents))}

    penstock.write(path / "g", rows(range(10)))
    done("table", "group", path / "g", "--by", "document")

    def grow() -> None:
        append(path / "g", rows(range(10, 13)))
        done("table", "group", path / "g", "--by", "document", "--overwrite")

    return path / "g", grow


def steps(path: Path) -> tuple[Path, Step]:
    done("steps", "build", "-i", GOLDEN / "clean", "-o", path / "s", "--shard-rows", 200)
    return path / "s", lambda: done("steps", "append", "-d", path / "s", "-i", GOLDEN / "more")


def shards(path: Path) -> tuple[Path, Step]:
    def write(resume: bool, count: int) -> None:
        options: Any = {"width": 3, "shard_rows": 64, "resume": resume}
        with penstock.shards.Writer(path / "c", **options) as writer:
            first = writer.next_row
            writer.append(np.arange(first * 3, (first + count) * 3, dtype="f4").reshape(-1, 3))

    write(False, 500)
    return path / "c", lambda: write(True, 200)


def store(path: Path) -> tuple[Path, Step]:
    def add(mode: str, count: int) -> None:
        with penstock.Store(path / "s", mode, fields={"x": {"dtype": "i8"}}) as changed:
            changed.extend({"x": np.arange(count)})

    add("w", 500)
    return path / "s", lambda: add("a", 200)


def last_of_several(path: Path) -> tuple[list[Path], Step]:
    penstock.write(path / "first.npy", {"x": np.arange(300)})
    grown, grow = table(path)
    return [path / "first.npy", grown], grow


def indices(loader: penstock.Loader) -> list[int]:
    return [int(i) for batch in loader for i in batch["indices"]]


@pytest.mark.parametrize("make", [table, groups, steps, shards, store, last_of_several])
def test_a_checkpoint_continues_after_its_dataset_has_grown(
    make: Callable[[Path], tuple[Any, Step]], tmp_path: Path
) -> None:
    path, grow = make(tmp_path)
    with penstock.Loader(path, 32, seed=5, indices=True) as loader:
        old = len(loader.dataset)
        batches = iter(loader)
        seen = [int(i) for _ in range(3) for i in next(batches)["indices"]]
        state = loader.state_dict()
        rest = [int(i) for batch in batches for i in batch["indices"]]
    assert sorted(seen + rest) == list(range(old))
    grow()
    with penstock.Loader(path, 16, seed=5, indices=True) as loader:
        assert len(loader.dataset) > old
        loader.load_state_dict(state)
        assert indices(loader) == rest
        # Without move_on later epochs keep the old length.
        assert sorted(indices(loader)) == list(range(old))
        loader.load_state_dict(state)
        loader.move_on()
        assert indices(loader) == rest
        assert sorted(indices(loader)) == list(range(len(loader.dataset)))


def test_records_added_in_the_middle_are_refused(tmp_path: Path) -> None:
    path, grow = table(tmp_path)
    penstock.write(tmp_path / "last.npy", {"x": np.arange(300)})
    with penstock.Loader([path, tmp_path / "last.npy"], 32) as loader:
        next(iter(loader))
        state = loader.state_dict()
    grow()
    with penstock.Loader([path, tmp_path / "last.npy"], 32) as loader:  # noqa: SIM117
        with pytest.raises(ValueError, match="records may only be added at the end"):
            loader.load_state_dict(state)
