# SPDX-License-Identifier: Apache-2.0
"""Steps datasets of the game 2048: rows of steps, and the runs that they belong to."""

from __future__ import annotations

import math
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from . import _arguments, _dataset, _jvm, _paths
from ._errors import WrongFormatError
from ._paths import PathLike
from ._tree import Tree
from .transforms import Ahead

_Array = np.ndarray[Any, Any]

_FIELDS = ("board", "move", "ev_legal", "ev_values", "run_id", "step_index")


class RunRanges(Mapping[int, "tuple[int, int]"]):
    """The rows of each run by its id: `(first, limit)`, as for a slice.

    Attributes:
        ids: the ids of the runs, in the order of their rows
        starts: the first row of each
        limits: the row behind the last one of each
    """

    def __init__(self, ids: _Array, starts: _Array, limits: _Array) -> None:
        self.ids = ids
        self.starts = starts
        self.limits = limits
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def __getitem__(self, run_id: int) -> tuple[int, int]:
        if not isinstance(run_id, (int, np.integer)):
            raise KeyError(run_id)
        place = int(np.searchsorted(self._sorted, run_id))
        if place == len(self._sorted) or self._sorted[place] != run_id:
            raise KeyError(run_id)
        run = self._order[place]
        return int(self.starts[run]), int(self.limits[run])

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<the rows of {len(self)} runs>"


class Finding(NamedTuple):
    """A run that a build left out, or that is odd."""

    file: str
    reason: str
    what: str


class StepsResult(NamedTuple):
    """What `build_dataset` or `append_runs` did.

    Attributes:
        runs: the number of runs that were added
        steps: the number of their steps
        skipped: the runs that cannot be used, with `skip_bad`
        warnings: what is odd about runs that were used, and files that were left out
    """

    runs: int
    steps: int
    skipped: list[Finding]
    warnings: list[Finding]


def build_dataset(
    runs_dir: PathLike,
    output_dir: PathLike,
    *,
    shard_rows: int | None = None,
    workers: int | None = None,
    missing_branches: str = "error",
    skip_bad: bool = False,
    wide: bool = False,
) -> StepsResult:
    """Builds a steps dataset from a folder of recorded runs or from a pack of them, as `penstock
    game2048 steps build` does. Runs are decoded in parallel and written in the order of the files.

    Args:
        runs_dir: a folder of runs, or a pack
        output_dir: the folder of the dataset, which is complete when its metadata.db appears
        shard_rows: start a new shard after so many rows; by default there is one file
        workers: the number of threads that decode; by default one for each core
        missing_branches: `error`, or `synthesize` to make values for steps without branch values
            from the legal moves
        skip_bad: whether runs that cannot be used are left out and reported
        wide: whether the step index has 32 bits, for runs of more than 65,536 steps

    >>> import penstock.game2048 as a2
    >>> a2.build_dataset("games", "steps").runs  # doctest: +SKIP
    12
    """
    options = _build_options(workers, missing_branches, skip_bad)
    if shard_rows is not None:
        options["shardRows"] = _arguments.integer("shard_rows", shard_rows, minimum=1)
    options["wide"] = _arguments.boolean("wide", wide)
    return _build("buildSteps", runs_dir, output_dir, options)


def append_runs(
    dataset_dir: PathLike,
    new_runs_dir: PathLike,
    *,
    workers: int | None = None,
    missing_branches: str = "error",
    skip_bad: bool = False,
) -> StepsResult:
    """Appends recorded runs to a steps dataset, as `penstock game2048 steps append` does. Readers
    see the old dataset until the new one is complete, and a checkpoint of a loader continues.

    Args:
        dataset_dir: the folder of the dataset
        new_runs_dir: a folder of runs, or a pack
        workers, missing_branches, skip_bad: as for `build_dataset`
    """
    options = _build_options(workers, missing_branches, skip_bad)
    return _build("appendSteps", new_runs_dir, dataset_dir, options)


def _build_options(workers: int | None, missing_branches: str, skip_bad: bool) -> dict[str, Any]:
    _arguments.choice("missing_branches", missing_branches, ("error", "synthesize"))
    options: dict[str, Any] = {
        "synthesize": missing_branches == "synthesize",
        "skipBad": _arguments.boolean("skip_bad", skip_bad),
    }
    if workers is not None:
        options["workers"] = _arguments.integer("workers", workers, minimum=1)
    return options


def _build(verb: str, runs: PathLike, dataset: PathLike, options: dict[str, Any]) -> StepsResult:
    answer = _jvm.call_patiently(
        f"game2048.{verb}", input=_paths.absolute(runs), dataset=_paths.absolute(dataset), **options
    )
    found = {name: [Finding(*one) for one in answer[name]] for name in ("skipped", "warnings")}
    return StepsResult(answer["runs"], answer["steps"], **found)


class Dataset:
    """The steps of many games, and the runs they come from.

    A dataset is a folder that `penstock game2048 steps build` or the original program wrote.
    `steps` is an array over the file, so opening reads no rows.

    >>> import penstock.game2048 as a2
    >>> ds = a2.Dataset("steps")  # doctest: +SKIP
    >>> batch = ds.get_batch([0, 5, -1])  # doctest: +SKIP
    >>> best = ds.filter_by_score(20000)  # doctest: +SKIP
    """

    def __init__(self, dataset_dir: PathLike) -> None:
        folder = _paths.absolute(dataset_dir)
        opened: Any = _dataset.open(folder)
        if isinstance(opened, Tree):
            opened.close()
            raise _no_steps(folder, "it is a tree")
        self._set(opened, folder, None)

    def _set(self, rows: _dataset.Dataset, folder: str, base: Dataset | None) -> None:
        if tuple(rows.fields) != _FIELDS or not rows._is_grouped:
            rows.close()
            has = "its rows have no runs in metadata.db"
            if tuple(rows.fields) != _FIELDS:
                has = f"its fields are {', '.join(rows.fields)}, and not {', '.join(_FIELDS)}"
            raise _no_steps(folder, has)
        self._rows = rows
        self._folder = folder
        self._base = base
        self._steps: _Array | None = None
        self._groups: dict[str, _Array] | None = None
        self._metadata: sqlite3.Connection | None = None

    # Properties.

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def path(self) -> str:
        """The folder."""
        return self._folder

    @property
    def rows(self) -> _dataset.Dataset:
        """The same rows as a `penstock.Dataset`, for conditions, windows and `penstock.Loader`."""
        return self._rows

    @property
    def _records(self) -> _dataset.Dataset:
        """The rows, for a `penstock.Loader` that is given this object."""
        return self._rows

    @property
    def metadata(self) -> sqlite3.Connection:
        """A read-only connection to a copy of the database, with the runs of the whole dataset as
        it was opened. Appends do not wait for queries of it."""
        if self._base is not None:
            return self._base.metadata
        if self._metadata is None:
            self._metadata = _connect(self._rows)
        return self._metadata

    @property
    def groups(self) -> dict[str, _Array]:
        """The attributes of the runs by name, an array with a value for each run."""
        if self._groups is None:
            self._groups = self._rows.groups
        return self._groups

    @property
    def steps(self) -> _Array:
        """All steps as a structured array: a view of the file if it is a single file, otherwise a
        copy."""
        if self._steps is None:
            try:
                view = self._rows.view()
            except ValueError:
                view = []
            self._steps = np.asarray(self._rows) if isinstance(view, list) else view
        return self._steps

    @property
    def run_ranges(self) -> RunRanges:
        """The rows of each run, by its id."""
        groups = self.groups
        starts = np.asarray(groups["first_step_idx"])
        limits = starts + np.asarray(groups["num_steps"])
        return RunRanges(np.asarray(groups["id"]), starts, limits)

    # Steps.

    def get_batch(self, indices: Any) -> _Array:
        """Steps by number, as a structured array; negative numbers count from the end. A slice or
        a mask with a value for each step chooses steps, too."""
        if indices is Ellipsis:
            indices = slice(None)
        if isinstance(indices, slice):
            indices = np.arange(*indices.indices(len(self)), dtype=np.int64)
        wanted = np.asarray(indices)
        if wanted.dtype == np.bool_:
            if wanted.shape != (len(self),):
                raise IndexError(f"a mask needs {len(self)} elements, and has {wanted.size}")
            wanted = np.flatnonzero(wanted)
        if wanted.size == 0:
            wanted = wanted.astype(np.int64)
        out = np.empty(wanted.shape, self._rows.dtype)
        return np.asarray(self._rows.take(wanted, out=out))

    def __getitem__(self, index: Any) -> Any:
        """A step by its number, steps as `get_batch` takes them, or a column by its name."""
        if isinstance(index, (int, np.integer)) and not isinstance(index, bool):
            return self.get_batch([index])[0]
        if isinstance(index, str):
            return self._rows[index]
        return self.get_batch(index)

    def filter_by_score(self, min_score: int) -> Dataset:
        """The steps of the runs whose highest score is at least a number, without copying any."""
        # Scores are whole numbers.
        least = math.ceil(_arguments.finite("min_score", min_score))
        if isinstance(min_score, (int, np.integer)):
            least = int(min_score)
        return self.where(f"max_score >= {least}")

    def where(self, condition: str) -> Dataset:
        """The steps that match a condition on steps and runs, as `max_score >= 20000`."""
        view = Dataset.__new__(Dataset)
        view._set(self._rows.where(condition), self._folder, self._base or self)
        return view

    def close(self) -> None:
        """Closes the files. Closing a view leaves the files of its dataset open."""
        if self._metadata is not None:
            self._metadata.close()
        self._rows.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        # A connection stays in its process, and the array would be copied into the pickle.
        return {**self.__dict__, "_steps": None, "_metadata": None}

    def __repr__(self) -> str:
        if self._rows.closed:
            return f"<2048 steps {self._folder!r}, closed>"
        return f"<2048 steps {self._folder!r}: {len(self):,} steps>"

    # The helpers of the original, which take any array of steps or boards.

    @staticmethod
    def exps_from_boards(boards: Any, parallel: bool = True) -> bytearray:
        """`penstock.game2048.exps_from_boards`."""
        return exps_from_boards(boards, parallel)

    @staticmethod
    def batch_from_steps(
        steps: Any, idxs: Any, parallel: bool = True
    ) -> tuple[bytearray, _Array, _Array]:
        """`penstock.game2048.batch_from_steps`."""
        return batch_from_steps(steps, idxs, parallel)


class Exponents(Ahead):
    """A transform of `penstock.Loader`: the field `board` becomes the field `exponents`, 16 bytes
    for each board."""

    def _request(self) -> dict[str, Any]:
        return {"kind": "game2048.exponents"}

    def __repr__(self) -> str:
        return "Exponents()"


class Symmetry(Ahead):
    """A transform of `penstock.Loader`: boards are turned and mirrored, and with them moves, legal
    moves and values.

    Args:
        symmetry: 0 to 7, the same for all rows: mirrored left to right first when it is 4 or more,
            then turned clockwise by `symmetry % 4` quarters
        seed: without a symmetry, each row gets a random one. It depends on the seed, the epoch and
            the place of the row in the epoch, so a row is turned another way in the next epoch,
            and a resumed loader gives the same rows
    """

    def __init__(self, symmetry: int | None = None, *, seed: int = 0) -> None:
        if symmetry is not None and not 0 <= symmetry < 8:
            raise ValueError(f"a symmetry is 0 to 7, got {symmetry}")
        self.symmetry = symmetry
        self.seed = seed

    def _request(self) -> dict[str, Any]:
        from .samplers import seed_bits

        if self.symmetry is not None:
            return {"kind": "game2048.symmetry", "symmetry": int(self.symmetry)}
        return {"kind": "game2048.symmetry", "seed": seed_bits(self.seed)}

    def __repr__(self) -> str:
        return f"Symmetry({self.symmetry}, seed={self.seed})"


class Returns(Ahead):
    """A transform of `penstock.Loader`: adds the discounted return of each step as the `float32`
    field `return`. The reward of a step is the sum of the tiles that its move makes.

    Args:
        dataset: the dataset that the loader draws from, or the whole one if it draws from a view.
            The rewards of steps that the condition of a view leaves out are counted
        gamma: the weight of the next step's return, from 0 to 1
    """

    def __init__(self, dataset: Dataset, gamma: float = 0.997) -> None:
        self._dataset = dataset
        self.gamma = gamma

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "game2048.returns",
            "handle": self._dataset.rows._java().number,
            "gamma": float(self.gamma),
        }

    def __repr__(self) -> str:
        return f"Returns({self._dataset!r}, {self.gamma})"


def _no_steps(folder: str, has: str) -> WrongFormatError:
    error = WrongFormatError(f"{folder} is no steps dataset: {has}")
    error.file, error.offset, error.reason = folder, 0, "BAD_MAGIC"
    return error


def _connect(rows: _dataset.Dataset) -> sqlite3.Connection:
    """A connection to a copy of the database that has no name any more."""
    descriptor, copy = tempfile.mkstemp(prefix="penstock-", suffix=".db")
    os.close(descriptor)
    try:
        _jvm.call("groups.database", handle=rows._java().number, path=copy)
        connection = sqlite3.connect(
            f"file:{quote(copy)}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        connection.execute("PRAGMA query_only = ON")
        # SQLite opens the file when it is first read.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        os.unlink(copy)
    return connection


def exps_from_boards(boards: Any, parallel: bool = True) -> bytearray:
    """The 16 exponents of each board, row by row: view it with
    `np.frombuffer(exps, np.uint8).reshape(-1, 16)`.

    Args:
        boards: a one-dimensional array, or another buffer, of `uint64`
        parallel: accepted as the original does, and without effect

    Raises:
        TypeError: when `boards` is not a one-dimensional buffer
        BufferError: when its elements are not native `uint64`
    """
    try:
        memory = memoryview(boards)
    except TypeError:
        raise TypeError("boards must be a 1-D buffer of uint64") from None
    if memory.ndim != 1:
        raise TypeError("boards must be a 1-D buffer of uint64")
    array = np.asarray(boards)
    if array.dtype != np.uint64 or not array.dtype.isnative:
        raise BufferError("buffer contents are not compatible with u64")
    out = bytearray(16 * len(array))
    exponents = np.frombuffer(out, np.uint8).reshape(-1, 16)
    # The highest byte holds the first two cells.
    pairs = np.ascontiguousarray(array).astype(">u8", copy=False).view(np.uint8).reshape(-1, 8)
    np.right_shift(pairs, 4, out=exponents[:, 0::2])
    np.bitwise_and(pairs, 15, out=exponents[:, 1::2])
    return out


def batch_from_steps(
    steps: Any, idxs: Any, parallel: bool = True
) -> tuple[bytearray, _Array, _Array]:
    """Exponents, moves and values of some steps: `(bytearray, uint8 (N,), float32 (N, 4))`.

    Args:
        steps: a structured array of steps, such as `Dataset.steps`
        idxs: an index that NumPy accepts: numbers, a mask or a slice
        parallel: accepted as the original does, and without effect
    """
    chosen = steps[idxs]
    boards = np.ascontiguousarray(chosen["board"])
    return (
        exps_from_boards(boards, parallel),
        np.ascontiguousarray(chosen["move"]),
        np.ascontiguousarray(chosen["ev_values"]),
    )
