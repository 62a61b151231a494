# SPDX-License-Identifier: Apache-2.0
"""Runs of the game 2048: packs of recorded games, decoded into NumPy arrays, and datasets of their
steps.

>>> import penstock.game2048 as a2
>>> r = a2.PackReader.open("games.a2pack")  # doctest: +SKIP
>>> run = r.decode(0)  # doctest: +SKIP
>>> run.meta.max_score, run.boards.dtype, run.branches.shape  # doctest: +SKIP
(43048, dtype('uint64'), (2162, 4))
"""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from . import _jvm
from ._dataset import Dataset as RecordDataset
from ._dataset import gather
from ._dataset import open as open_dataset
from ._paths import PathLike
from ._steps import (
    Dataset,
    Exponents,
    Finding,
    Returns,
    RunRanges,
    StepsResult,
    Symmetry,
    append_runs,
    batch_from_steps,
    build_dataset,
    exps_from_boards,
)

__all__ = [
    "MOVES",
    "Dataset",
    "Exponents",
    "Finding",
    "Meta",
    "PackReader",
    "PackStats",
    "Returns",
    "RunRanges",
    "RunV2",
    "StepV2",
    "StepsResult",
    "Symmetry",
    "append_runs",
    "batch_from_steps",
    "build_dataset",
    "exps_from_boards",
]


def __dir__() -> list[str]:
    """The public names, without the modules that this one imports."""
    return __all__


MOVES = ("UP", "DOWN", "LEFT", "RIGHT")
"""The names of the moves 0 to 3."""

_ITERATED_COUNT = 32

# How many lists `iter_batches` decodes ahead.
_AHEAD_COUNT = 2

_Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Meta:
    """The metadata of a run."""

    steps: int
    start_unix_s: int
    elapsed_s: float
    max_score: int
    highest_tile: int
    engine_str: str | None = None


@dataclass(frozen=True)
class StepV2:
    """One step: the board before the move, the move, and four branch values.

    `branches` is None where the run has none; an illegal move has None in its place.
    """

    pre_board: int
    chosen: int
    branches: list[float | None] | None = None


class _Steps(Sequence[StepV2]):
    """The steps of a run; each is made on access."""

    def __init__(self, run: RunV2) -> None:
        self._run = run

    def __len__(self) -> int:
        return len(self._run.boards)

    @overload
    def __getitem__(self, index: int) -> StepV2: ...
    @overload
    def __getitem__(self, index: slice) -> list[StepV2]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        run = self._run
        branches: list[float | None] | None = None
        if run.has_branches[index]:
            legal = int(run.legal[index])
            values = run.branches[index].tolist()
            branches = [values[i] if legal >> i & 1 else None for i in range(4)]
        return StepV2(int(run.boards[index]), int(run.moves[index]), branches)


class RunV2:
    """A run of the game, with its steps as NumPy arrays.

    Attributes:
        meta: the metadata
        final_board: the board after the last move
        boards: the board before each move, `uint64`; the top left cell is the highest four bits
        moves: the moves, `uint8`: 0 up, 1 down, 2 left, 3 right
        branches: four values for each step, `float32`; 0 where a move is illegal
        legal: legality bits for each step, `uint8`: 1 up, 2 down, 4 left, 8 right
        has_branches: whether a step has branch values; runs of version 1 have none
    """

    __slots__ = ("boards", "branches", "final_board", "has_branches", "legal", "meta", "moves")

    def __init__(
        self,
        meta: Meta,
        final_board: int,
        boards: _Array,
        moves: _Array,
        branches: _Array,
        legal: _Array,
        has_branches: _Array,
    ) -> None:
        self.meta = meta
        self.final_board = final_board
        self.boards = boards
        self.moves = moves
        self.branches = branches
        self.legal = legal
        self.has_branches = has_branches

    @property
    def steps(self) -> Sequence[StepV2]:
        """The steps one by one; the arrays are faster."""
        return _Steps(self)

    def __len__(self) -> int:
        return len(self.boards)

    def __repr__(self) -> str:
        return f"RunV2({len(self)} steps, max_score {self.meta.max_score})"


class PackStats:
    """Statistics of the runs of a pack.

    The lengths come from the pack; the two dictionaries take the metadata of all runs, which is
    collected on first use.
    """

    def __init__(self, reader: PackReader, lengths: dict[str, Any]) -> None:
        self._reader = reader
        self._counts: dict[str, Any] | None = None
        self.count: int = lengths["count"]
        self.total_steps: int = lengths["total_steps"]
        self.min_len: int = lengths["min_len"]
        self.max_len: int = lengths["max_len"]
        self.mean_len: float = float(lengths["mean_len"])
        self.p50_len: int = lengths["p50_len"]
        self.p90_len: int = lengths["p90_len"]
        self.p99_len: int = lengths["p99_len"]

    def _collected(self) -> dict[str, Any]:
        if self._counts is None:
            self._counts = self._reader._ask("game2048.counts")
        return self._counts

    @property
    def highest_tile_hist(self) -> dict[int, int]:
        """The number of runs by their highest tile."""
        return {int(tile): count for tile, count in self._collected()["highest_tile_hist"].items()}

    @property
    def engine_counts(self) -> dict[str, int]:
        """The number of runs by engine; runs without an engine name count under the empty name."""
        return dict(self._collected()["engine_counts"])

    def __repr__(self) -> str:
        return f"PackStats(count={self.count}, total_steps={self.total_steps})"


class PackReader:
    """A pack of runs. Made by `PackReader.open`.

    A run that cannot be read always raises an error; iteration never skips it or ends early.
    """

    def __init__(self, pack: RecordDataset) -> None:
        self._pack = pack
        self._views: dict[tuple[str, int | None], RecordDataset] = {}
        # Opening checks that the file is a pack.
        self._runs = self._view("runs")
        self._live: _Array | None = None

    @staticmethod
    def open(path: PathLike) -> PackReader:
        """Opens a pack. Nothing is decoded yet."""
        return PackReader(open_dataset(path))

    def _ask(self, verb: str, **arguments: Any) -> Any:
        return _jvm.call_patiently(verb, handle=self._pack._java().number, **arguments)

    def _view(self, what: str, workers: int | None = None) -> RecordDataset:
        if (what, workers) not in self._views:
            options = {} if workers is None else {"workers": _workers(workers)}
            made = _view_in_java(self._pack, what, options)
            self._views[what, workers] = _view_of(self._pack, what, options, *made)
        return self._views[what, workers]

    @property
    def path(self) -> str:
        """The file."""
        return self._pack.path

    def __len__(self) -> int:
        return len(self._pack)

    def __repr__(self) -> str:
        return f"PackReader({self.path!r}, {len(self)} runs)"

    def kind(self, i: int) -> str:
        """`"v1"` or `"v2"`."""
        return str(self._ask("game2048.kind", index=self._index(i)))

    def _index(self, i: int) -> int:
        index = operator.index(i)
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError(f"run {i} of {len(self)} in {self.path}")
        return index

    def _records(self, indices: Iterable[int]) -> _Array:
        """Translates indices of runs into indices of the pack, which also count tombstones."""
        wanted = np.array([self._index(i) for i in indices], np.int64)
        if len(self._runs) == len(self):
            return wanted
        if self._live is None:
            self._live = np.asarray(self._runs["run_idx"][:], np.int64)
        found = np.minimum(np.searchsorted(self._live, wanted), max(0, len(self._live) - 1))
        if len(wanted) and (not len(self._live) or (self._live[found] != wanted).any()):
            missing = wanted if not len(self._live) else wanted[self._live[found] != wanted]
            raise ValueError(
                f"run {int(missing[0])} of {self.path} was deleted and is a tombstone; "
                "iterating over the reader leaves tombstones out"
            )
        return found

    def decode(self, i: int) -> RunV2:
        """Decodes one run. A run of version 1 is upgraded."""
        return self.decode_batch([i])[0]

    def decode_batch(self, indices: Sequence[int], workers: int | None = None) -> list[RunV2]:
        """Many runs in the order of the indices, decoded by several threads."""
        view = self._view("runs", workers)
        records = self._records(indices)
        if not len(records):
            return []
        return _runs(gather(view._java(), view._fields, records, True))

    def __iter__(self) -> Iterator[RunV2]:
        return self.iter_indices(self._without_tombstones(np.arange(len(self))).tolist())

    def _without_tombstones(self, indices: _Array) -> _Array:
        """The indices of runs that were not deleted, in their order."""
        if len(self._runs) == len(self):
            return indices
        if self._live is None:
            self._live = np.asarray(self._runs["run_idx"][:], np.int64)
        return indices[np.isin(indices, self._live)]

    def iter_indices(self, indices: Sequence[int]) -> Iterator[RunV2]:
        """The runs at these indices, one at a time."""
        wanted = [self._index(i) for i in indices]
        for start in range(0, len(wanted), _ITERATED_COUNT):
            yield from self._decoded(wanted[start : start + _ITERATED_COUNT])

    def _decoded(self, indices: list[int]) -> Iterator[RunV2]:
        """Decodes a few runs at once. The error of a damaged run comes after the runs before it."""
        try:
            runs = self.decode_batch(indices)
        except Exception:
            for index in indices:
                yield self.decode(index)
            return
        yield from runs

    def iter_batches(
        self,
        batch_size: int,
        shuffle: bool = False,
        seed: int | None = None,
        workers: int | None = None,
    ) -> Iterator[list[RunV2]]:
        """Lists of runs; the last one may be shorter. Deleted runs are left out, and the next lists
        are decoded while the program works with one.

        Args:
            batch_size: the number of runs in a list
            shuffle: whether the order is shuffled, as the original program shuffles it
            seed: the seed of the shuffle; 0 by default
            workers: the number of threads that decode; by default one for each core
        """
        size = operator.index(batch_size)
        if size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        if workers is not None:
            _workers(workers)
        order = self.order(seed) if shuffle else np.arange(len(self))
        return self._batches(self._without_tombstones(order), size, workers)

    def _batches(self, order: _Array, size: int, workers: int | None) -> Iterator[list[RunV2]]:
        pool = ThreadPoolExecutor(1, thread_name_prefix="penstock-decode")
        ahead: deque[Future[list[RunV2]]] = deque()
        try:
            for start in range(0, len(order), size):
                some = order[start : start + size].tolist()
                ahead.append(pool.submit(self.decode_batch, some, workers))
                if len(ahead) > _AHEAD_COUNT:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def order(self, seed: int | None = None) -> _Array:
        """Returns the order in which `iter_batches` shuffles the runs, as in the original
        program."""
        order = np.empty(len(self), np.int64)
        number = 0 if seed is None else operator.index(seed)
        if not -(2**63) <= number < 2**64:
            raise ValueError(f"seed must have 64 bits, got {seed}")
        signed = number - 2**64 if number >= 2**63 else number
        if len(order):
            _jvm.call(
                "game2048.order", target=order.ctypes.data, targetBytes=order.nbytes, seed=signed
            )
        return order

    def to_jsonl(
        self,
        path: PathLike,
        parallel: bool = True,
        workers: int | None = None,
        *,
        by_step: bool = False,
        runs_only: bool = False,
        schema: str = "original",
        where: str | None = None,
        indices: Sequence[int] | None = None,
        overwrite: bool = True,
    ) -> int:
        """Writes runs as lines of JSON; the file appears when it is complete.

        Args:
            path: the file to write
            parallel: whether several threads decode
            workers: the number of threads; by default one for each core
            by_step: a line for each step instead of each run
            runs_only: with the schema `compact`, only the lines of the runs
            schema: `original`, or `compact` with boards as numbers
            where: only runs whose metadata meets a condition, as `max_score >= 20000`
            indices: only these runs, in the order of the pack
            overwrite: whether an existing file is replaced

        Returns:
            the number of runs
        """
        if by_step and runs_only:
            raise ValueError("by_step leaves out the lines of runs and runs_only those of steps")
        if schema not in ("original", "compact"):
            raise ValueError(f"schema is 'original' or 'compact', not {schema!r}")
        options = {} if workers is None else {"workers": _workers(workers)}
        if not parallel:
            options = {"workers": 1}
        chosen = self._chosen(where, indices)
        if chosen is not None:
            options["indices"] = chosen.ctypes.data
            options["indicesBytes"] = chosen.nbytes
        count: int = self._ask(
            "game2048.toJsonl",
            path=os.path.abspath(os.fsdecode(path)),
            schema=schema,
            lines="steps" if by_step else "runs" if runs_only else "default",
            overwrite=overwrite,
            **options,
        )
        return count

    def _chosen(self, where: str | None, indices: Sequence[int] | None) -> _Array | None:
        """The runs that a condition and indices choose, in ascending order; None for all."""
        if where is None and indices is None:
            return None
        chosen = np.arange(len(self))
        if indices is not None:
            chosen = np.unique(np.array([self._index(i) for i in indices], np.int64))
        if where is not None:
            chosen = np.intersect1d(chosen, np.array(self.where(where), np.int64))
        # An array without elements may have no address.
        return np.require(self._without_tombstones(chosen), np.int64, ["C", "A"])

    @property
    def stats(self) -> PackStats:
        """Statistics of the runs."""
        return PackStats(self, self._ask("game2048.lengths"))

    def runs(self) -> RecordDataset:
        """The runs as a dataset, for conditions and `penstock.Loader`: metadata, and steps as
        columns of any length."""
        return self._view("runs")

    def steps(self) -> RecordDataset:
        """The steps of all runs as one dataset, for batches of steps drawn from all games."""
        return self._view("steps")

    def where(self, condition: str) -> list[int]:
        """The indices of the runs whose metadata meets a condition, as `max_score >= 20000`."""
        return [int(i) for i in self._runs.where(condition)["run_idx"][:]]

    def close(self) -> None:
        """Closes the pack. Decoded runs stay valid."""
        for view in self._views.values():
            view.close()
        self._pack.close()

    def __enter__(self) -> PackReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _view_in_java(
    pack: RecordDataset, what: str, options: dict[str, int]
) -> tuple[_jvm.Handle, dict[str, Any]]:
    return _jvm.create_patiently(
        f"the view of the {what} of {pack.path}",
        "game2048.view",
        handle=pack._java().number,
        view=what,
        **options,
    )


def _view_of(
    pack: RecordDataset,
    what: str,
    options: dict[str, int],
    handle: _jvm.Handle,
    description: dict[str, Any],
) -> RecordDataset:
    view = RecordDataset(handle, description, (rebuild_view, pack, what, options))
    view._parts = (pack,)
    return view


def rebuild_view(arguments: list[Any]) -> RecordDataset:
    """Makes a view of runs or steps from a pickle. Its Java object is made on first use."""
    pack, what, options, description, *_ = arguments
    handle = _jvm.LazyHandle(
        f"the view of the {what} of {pack.path}", lambda: _view_in_java(pack, what, options)[0]
    )
    return _view_of(pack, what, options, handle, description)


def _workers(workers: int) -> int:
    count = operator.index(workers)
    if not 1 <= count <= 1024:
        raise ValueError(f"workers must be 1 to 1024, got {workers}")
    return count


def _runs(columns: dict[str, Any]) -> list[RunV2]:
    names = ("steps", "start_unix_s", "elapsed_s", "max_score", "highest_tile")
    metas = zip(*(columns[name].tolist() for name in names), strict=True)
    engines = [bytes(engine).decode() or None for engine in columns["engine"]]
    finals = columns["final_board"].tolist()
    return [
        RunV2(
            Meta(meta[0], meta[1], meta[2], meta[3], meta[4], engines[row]),
            finals[row],
            columns["boards"][row],
            columns["moves"][row],
            columns["branches"][row],
            columns["legal"][row],
            columns["has_branches"][row],
        )
        for row, meta in enumerate(metas)
    ]
