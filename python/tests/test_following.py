# SPDX-License-Identifier: Apache-2.0
"""Loaders that follow files which grow, or become more, while they train."""

from __future__ import annotations

import json
import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
import penstock.shards
from penstock import samplers


def add(folder: Path, name: str, first: int, count: int = 40) -> None:
    penstock.write(folder / f"{name}.npy", {"x": np.arange(first, first + count)})


def epoch(loader: penstock.Loader) -> list[int]:
    return [int(x) for batch in loader for x in batch["x"]]


def test_new_files_come_with_the_next_epoch_behind_the_known_ones(tmp_path: Path) -> None:
    add(tmp_path, "day-2", 200)
    pattern = str(tmp_path / "day-*.npy")
    log: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def run(loader: penstock.Loader, steps: int | None = None) -> list[int]:
        values: list[int] = []
        for number, batch in enumerate(loader, 1):
            place = loader.place
            assert place is not None
            for index, x in zip(place.indices, batch["x"], strict=True):
                values.append(int(x))
                log[int(index)].append((place.epoch, place.step))
            if number == steps:
                break
        return values

    with penstock.Loader(pattern, 8, seed=3, follow=True) as loader:
        assert sorted(run(loader)) == list(range(200, 240))
        # Its name comes before that of the known one.
        add(tmp_path, "day-1", 100)
        assert sorted(run(loader)) == [*range(100, 140), *range(200, 240)]
        assert int(loader.dataset[40]["x"]) == 100
        begun = run(loader, steps=3)
        state = json.loads(json.dumps(loader.state_dict()))
        add(tmp_path, "day-3", 300)
    with penstock.Loader(pattern, 8, seed=3, follow=True) as loader:
        loader.load_state_dict(state)
        rest = run(loader)
        assert sorted(begun + rest) == [*range(100, 140), *range(200, 240)]
        assert sorted(run(loader)) == [*range(100, 140), *range(200, 240), *range(300, 340)]
        for record in range(120):
            found = [(one.epoch, one.step) for one in loader.steps_of(record, epochs=range(4))]
            assert sorted(found) == sorted(log[record]), record
    (tmp_path / "day-2.npy").unlink()
    with penstock.Loader(pattern, 8, seed=3, follow=True) as loader:  # noqa: SIM117
        with pytest.raises(ValueError, match=r"the checkpoint has a file .*day-2.npy"):
            loader.load_state_dict(state)


def table(path: Path) -> Callable[[], None]:
    add(path, "t", 0)

    def grow() -> None:
        with penstock.TableWriter(path / "t.npy", append=True) as writer:
            writer.append({"x": np.arange(40, 60)})

    return grow


def shards(path: Path) -> Callable[[], None]:
    def write(resume: bool, count: int) -> None:
        options: Any = {"width": 1, "shard_rows": 16, "resume": resume}
        with penstock.shards.Writer(path / "t.npy", **options) as writer:
            first = writer.next_row
            writer.append(np.arange(first, first + count, dtype="f4").reshape(-1, 1))

    write(False, 40)
    return lambda: write(True, 20)


@pytest.mark.parametrize("make", [table, shards])
def test_records_at_the_end_of_a_path_come_with_the_next_epoch(
    make: Callable[[Path], Callable[[], None]], tmp_path: Path
) -> None:
    grow = make(tmp_path)
    with penstock.Loader(tmp_path / "t.npy", 7, follow=True, indices=True) as loader:
        for count in (40, 60):
            indices = [int(i) for batch in loader for i in batch["indices"]]
            assert sorted(indices) == list(range(count))
            if count == 40:
                grow()


def test_packs_of_a_folder_are_followed(tmp_path: Path) -> None:
    penstock.write(tmp_path / "a.a2pack", [b"one", b"two"])
    with penstock.Loader(str(tmp_path / "*.a2pack"), 4, follow=True) as loader:
        assert sorted(next(iter(loader))) == [b"one", b"two"]
        penstock.write(tmp_path / "b.a2pack", [b"three"])
        assert sorted(text for batch in loader for text in batch) == [b"one", b"three", b"two"]


class Ranks:
    """Gathers objects of ranks that are threads."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.barrier = threading.Barrier(count, timeout=60)
        self.objects: list[Any] = [None] * count

    def of(self, rank: int) -> Callable[[Any], Sequence[Any]]:
        def gather(one: Any) -> Sequence[Any]:
            self.objects[rank] = one
            self.barrier.wait()
            everything = list(self.objects)
            self.barrier.wait()
            return everything

        return gather


def test_ranks_begin_an_epoch_with_the_files_that_all_of_them_see(tmp_path: Path) -> None:
    folders = [tmp_path / "rank0", tmp_path / "rank1"]
    ranks = Ranks(2)
    for folder in folders:
        folder.mkdir()
        add(folder, "day-1", 100)
    add(folders[0], "day-2", 200)
    seen: list[list[list[int]]] = [[], []]

    def run(rank: int) -> None:
        options: Any = {"rank": rank, "world_size": 2, "follow": ranks.of(rank)}
        with penstock.Loader(str(folders[rank] / "*.npy"), 8, seed=1, **options) as loader:
            seen[rank].append(epoch(loader))
            ranks.of(rank)(None)
            if rank == 1:
                shutil.copyfile(folders[0] / "day-2.npy", folders[1] / "day-2.npy")
            ranks.of(rank)(None)
            seen[rank].append(epoch(loader))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))
    assert sorted(set(seen[0][0] + seen[1][0])) == list(range(100, 140))
    assert sorted(seen[0][1] + seen[1][1]) == [*range(100, 140), *range(200, 240)]


def test_what_cannot_be_followed_says_so(tmp_path: Path) -> None:
    add(tmp_path, "a", 0)
    with pytest.raises(ValueError, match="have to agree about the files"):
        penstock.Loader(tmp_path / "a.npy", 8, rank=0, world_size=2, follow=True)
    with pytest.raises(ValueError, match="any number of records"):
        penstock.Loader(tmp_path / "a.npy", 8, follow=True, sampler=samplers.Weighted(np.ones(40)))
    with pytest.raises(ValueError, match="can only follow"):
        penstock.Loader(penstock.open(tmp_path / "a.npy"), 8, follow=True)
    with penstock.Loader(str(tmp_path / "*.npy"), 8, follow=True) as loader:
        epoch(loader)
        (tmp_path / "a.npy").unlink()
        add(tmp_path, "b", 0)
        with pytest.raises(FileNotFoundError, match="is gone"):
            iter(loader)
