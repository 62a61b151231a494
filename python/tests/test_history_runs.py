# SPDX-License-Identifier: Apache-2.0
"""What `steps_of` and `records_of` say about whole runs, beside a log of what was delivered: with
resumes, other ranks and batch sizes, epochs left early, mixtures in stages, and data that grows."""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import penstock
from penstock import samplers

CONFIGURATIONS = 10_000 if os.environ.get("PENSTOCK_LONG") else 40

Place = tuple[int, int, int]
State = dict[str, Any]


class Plain:
    """Records in memory, in the order of any sampler."""

    ranks_max = 4

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        count, seed = int(rng.integers(12, 60)), int(rng.integers(1 << 30))
        self.data = {"x": np.arange(count)}
        chosen = np.sort(rng.permutation(count)[: count // 2 + 1])
        makers: list[Any] = [
            lambda: samplers.Sequential(count),
            lambda: samplers.Permutation(count, seed=seed),
            lambda: samplers.Block(count, block_size=3, window_blocks=2, seed=seed),
            lambda: samplers.Share(count, block_size=1, shares=12, window_blocks=2, seed=seed),
            lambda: samplers.Uniform(count, length=count + 3, seed=seed),
            lambda: samplers.Weighted(rng.random(count) + 0.01, seed=seed),
            lambda: samplers.Subset(count, chosen, samplers.Permutation(len(chosen), seed=seed)),
            lambda: samplers.Bucket(rng.integers(1, 9, count), run_size=4, pool_size=8, seed=seed),
        ]
        self.sampler = makers[rng.integers(len(makers))]()

    def loader(self, batch_size: int, **options: Any) -> penstock.Loader:
        return penstock.Loader(self.data, batch_size, sampler=self.sampler, **options)

    def change(self, rng: np.random.Generator, position: int) -> bool:
        """Changes the data behind a position of the run. Returns whether `move_on` includes it."""
        return False


class Mixed:
    """A mixture, to which stages and sources are added during the run."""

    ranks_max = 4

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        self.sources = {"0": self._source(rng)}
        self.length, self.seed = int(rng.integers(5, 80)), int(rng.integers(1 << 30))
        self.stages = [penstock.Stage(0, {"0": 1.0})]
        for _ in range(int(rng.integers(3))):
            self.change(rng, self.stages[-1].start)

    def _source(self, rng: np.random.Generator) -> penstock.Dataset:
        return penstock.from_memory({"x": np.arange(rng.integers(2, 25))})

    def loader(self, batch_size: int, **options: Any) -> penstock.Loader:
        mixture = penstock.mix(
            self.sources, weights=self.stages, length=self.length, seed=self.seed
        )
        return penstock.Loader(mixture, batch_size, **options)

    def change(self, rng: np.random.Generator, position: int) -> bool:
        if rng.integers(2):
            self.sources[str(len(self.sources))] = self._source(rng)
        weights = {name: float(rng.random() ** 2) for name in self.sources}
        start = max(position, self.stages[-1].start) + int(rng.integers(1, 60))
        self.stages.append(penstock.Stage(start, weights, ramp=int(rng.integers(0, 60))))
        return False


class Growing:
    """A table that grows, and a loader that is told so."""

    ranks_max = 4

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        self.path = folder / "t.npy"
        self.count = int(rng.integers(4, 40))
        penstock.write(self.path, {"x": np.arange(self.count)})
        self.seed = int(rng.integers(1 << 30))

    def loader(self, batch_size: int, **options: Any) -> penstock.Loader:
        return penstock.Loader(self.path, batch_size, seed=self.seed, **options)

    def change(self, rng: np.random.Generator, position: int) -> bool:
        more = int(rng.integers(1, 15))
        with penstock.TableWriter(self.path, append=True) as writer:
            writer.append({"x": np.arange(self.count, self.count + more)})
        self.count += more
        return bool(rng.integers(2))


class Followed:
    """Files that become more, and a loader that follows them."""

    ranks_max = 1

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        self.folder = folder
        self.seed = int(rng.integers(1 << 30))
        self.names = rng.permutation(20).tolist()
        self.change(rng, 0)

    def loader(self, batch_size: int, **options: Any) -> penstock.Loader:
        pattern = str(self.folder / "part-*.npy")
        return penstock.Loader(pattern, batch_size, seed=self.seed, follow=True, **options)

    def change(self, rng: np.random.Generator, position: int) -> bool:
        name = self.folder / f"part-{self.names.pop():02}.npy"
        penstock.write(name, {"x": np.arange(rng.integers(1, 15))})
        return False


KINDS: tuple[Any, ...] = (Plain, Plain, Mixed, Mixed, Growing, Followed)


class Run:
    """A run of several parts, each with its own ranks and batch size, and the log of it."""

    def __init__(self, rng: np.random.Generator, kind: Any, folder: Path) -> None:
        self.rng = rng
        self.data = kind(rng, folder)
        self.log: dict[int, list[Place]] = defaultdict(list)
        self.steps: dict[Place, list[int]] = defaultdict(list)
        self.state: State | None = None
        self.loader: penstock.Loader | None = None

    def go(self) -> None:
        for part in range(int(self.rng.integers(1, 5))):
            moves = False
            if part and self.rng.integers(2):
                assert self.state is not None
                done = self.state["epoch"] * 1000 + self.state["delivered"]
                if isinstance(self.data, Mixed):
                    done = self.state["epoch"] * self.data.length + self.state["delivered"]
                moves = self.data.change(self.rng, done)
            self._part(moves)

    def _part(self, moves: bool) -> None:
        rng = self.rng
        ranks = int(rng.integers(1, self.data.ranks_max + 1))
        options = {"threads": 1, "drop_last": bool(rng.integers(2))}
        if not options["drop_last"]:
            options["even_batches"] = bool(rng.integers(2))
        batch_size = int(rng.integers(1, 9))
        # Epochs in this part; how many steps each has at most; whether it is left then.
        limits = [int(one) for one in rng.integers(1, 12, rng.integers(1, 4))]
        states: list[State] = []
        # All ranks leave an epoch after the same step, or go to its end.
        leaving: list[int | None] = []
        for rank in range(ranks):
            loader = self.data.loader(batch_size, rank=rank, world_size=ranks, **options)
            if self.state is not None:
                loader.load_state_dict(json.loads(json.dumps(self.state)))
                if moves:
                    loader.move_on()
            for number, limit in enumerate(limits):
                if rank == 0:
                    leaving.append(limit if limit < loader.steps_left - 1 else None)
                self._epoch(loader, rank, leaving[number])
            states.append(loader.state_dict())
            if self.loader is not None:
                self.loader.close()
            self.loader = loader
        self.state = states[0]
        # The last loader may have one batch less, so the one that answers is that of the state.
        assert self.loader is not None
        self.loader.close()
        self.loader = self.data.loader(batch_size, rank=0, world_size=ranks, **options)
        self.loader.load_state_dict(self.state)

    def _epoch(self, loader: penstock.Loader, rank: int, limit: int | None) -> None:
        for number, _ in enumerate(loader, 1):
            place = loader.place
            assert place is not None
            key = (place.epoch, place.step, rank)
            for index in place.indices.tolist():
                self.log[index].append(key)
                self.steps[key].append(index)
            if number == limit:
                return

    def differences(self) -> Iterator[str]:
        """What the loader says that is not what was delivered."""
        assert self.loader is not None and self.state is not None
        epoch, delivered = self.state["epoch"], self.state["delivered"]
        for record in range(len(self.loader.dataset)):
            places = self.loader.steps_of(record, epochs=range(epoch + 1))
            whole = sorted((one.epoch, one.step, one.rank) for one in places if one.epoch < epoch)
            logged = sorted(one for one in self.log[record] if one[0] < epoch)
            if whole != logged:
                yield f"record {record}: {whole}, but it was at {logged}"
            # The epoch under way: a place in its last step that repeats a record is still to come.
            last = [one for one in places if one.epoch == epoch]
            seen = [one for one in last if one.position < delivered]
            positions = [one.position for one in seen]
            once = [one for one in seen if positions.count(one.position) == 1]
            logged = [one for one in self.log[record] if one[0] == epoch]
            told = {(one.epoch, one.step, one.rank) for one in last}
            if not set(logged) <= told:
                yield f"record {record}: {told}, but it was at {logged}"
            if not {(one.epoch, one.step, one.rank) for one in once} <= set(logged):
                yield f"record {record}: {once}, but it was at {logged} only"
        for (one, step, rank), indices in self.steps.items():
            told = self.loader.records_of(step, epoch=one, rank=rank).tolist()
            if sorted(told) != sorted(indices) and one < epoch:
                yield f"step {step} of epoch {one}, rank {rank}: {told}, but it had {indices}"


def test_history_agrees_with_logs_of_runs(rng: np.random.Generator, tmp_path: Path) -> None:
    for number in range(CONFIGURATIONS):
        kind = KINDS[rng.integers(len(KINDS))]
        folder = tmp_path / "run"
        folder.mkdir()
        run = Run(rng, kind, folder)
        run.go()
        found = list(run.differences())
        assert not found, (number, kind.__name__, run.state, found[:5])
        assert run.loader is not None
        run.loader.close()
        shutil.rmtree(folder)
