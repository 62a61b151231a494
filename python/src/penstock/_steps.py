# SPDX-License-Identifier: Apache-2.0
"""Steps datasets of the game 2048: rows of steps, and the runs that they belong to."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import numpy as np

from . import _dataset, _paths
from ._errors import WrongFormatError
from ._paths import PathLike
from .transforms import Ahead

_Array = np.ndarray[Any, Any]

_FIELDS = ("board", "move", "ev_legal", "ev_values", "run_id", "step_index")

# Opening is tried again while a writer replaces the database.
_ATTEMPTS = 10

# Where the header of a database says whether it is in WAL mode.
_WAL_BYTE = 18


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


class Dataset:
    """The steps of many games, and the runs they come from.

    A dataset is a folder that `penstock steps build` or the original program wrote. `steps` is an
    array over the file, so opening reads no rows.

    >>> import penstock.game2048 as a2
    >>> ds = a2.Dataset("steps")  # doctest: +SKIP
    >>> batch = ds.get_batch([0, 5, -1])  # doctest: +SKIP
    >>> best = ds.filter_by_score(20000)  # doctest: +SKIP
    """

    def __init__(self, dataset_dir: PathLike) -> None:
        folder = _paths.absolute(dataset_dir)
        for attempt in range(_ATTEMPTS):
            metadata = _connect(folder)
            try:
                rows = _dataset.open(folder)
                self._set(rows, metadata, folder)
                known = metadata.execute("SELECT count(*) FROM runs").fetchone()[0]
            except BaseException:
                metadata.close()
                raise
            if known == len(self.groups["id"]) or attempt == _ATTEMPTS - 1:
                break
            # An append has put a new database in place between the two.
            rows.close()
            metadata.close()

    def _set(self, rows: _dataset.Dataset, metadata: sqlite3.Connection, folder: str) -> None:
        if tuple(rows.fields) != _FIELDS or not rows._is_grouped:
            raise WrongFormatError(f"{folder} is no steps dataset: it has the fields {rows.fields}")
        self._rows = rows
        self._folder = folder
        self._steps: _Array | None = None
        self._groups: dict[str, _Array] | None = None
        self.metadata = metadata
        """A read-only connection to the database with the runs."""

    # What it is.

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
    def groups(self) -> dict[str, _Array]:
        """The attributes of the runs by name, an array with a value for each run."""
        if self._groups is None:
            self._groups = self._rows.groups
        return self._groups

    @property
    def steps(self) -> _Array:
        """All steps as a structured array: over the file where there is one, otherwise a copy."""
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
        """Steps by number, as a structured array; negative numbers count from the end."""
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
        if isinstance(index, (int, np.integer)):
            return self.get_batch([index])[0]
        if isinstance(index, slice):
            return self.get_batch(np.arange(*index.indices(len(self)), dtype=np.int64))
        return self.get_batch(index)

    def filter_by_score(self, min_score: int) -> Dataset:
        """The steps of the runs whose highest score is at least a number, without copying any."""
        return self.where(f"max_score >= {int(min_score)}")

    def where(self, condition: str) -> Dataset:
        """The steps that match a condition on steps and runs, as `max_score >= 20000`."""
        view = Dataset.__new__(Dataset)
        view._set(self._rows.where(condition), self.metadata, self._folder)
        return view

    def close(self) -> None:
        """Closes the files. A view leaves those of the dataset it was made from open."""
        if not isinstance(self._rows, _views()):
            self.metadata.close()
        self._rows.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
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
        return {"kind": "exponents"}

    def __repr__(self) -> str:
        return "Exponents()"


class Symmetry(Ahead):
    """A transform of `penstock.Loader`: boards are turned and mirrored, and with them moves, legal
    moves and values.

    Args:
        symmetry: 0 to 7, the same for all rows: mirrored left to right first when it is 4 or more,
            then turned clockwise by `symmetry % 4` quarters
        seed: without a symmetry, each row gets one that depends on the seed and its board, so that
            a resumed loader gives the same rows
    """

    def __init__(self, symmetry: int | None = None, *, seed: int = 0) -> None:
        if symmetry is not None and not 0 <= symmetry < 8:
            raise ValueError(f"a symmetry is 0 to 7, got {symmetry}")
        self.symmetry = symmetry
        self.seed = seed

    def _request(self) -> dict[str, Any]:
        from .samplers import seed_bits

        if self.symmetry is not None:
            return {"kind": "symmetry", "symmetry": int(self.symmetry)}
        return {"kind": "symmetry", "seed": seed_bits(self.seed)}

    def __repr__(self) -> str:
        return f"Symmetry({self.symmetry}, seed={self.seed})"


class Returns(Ahead):
    """A transform of `penstock.Loader`: adds the discounted return of each step as the `float32`
    field `return`. The reward of a step is the sum of the tiles that its move makes.

    Args:
        dataset: the dataset that the loader draws from, or the whole one if it draws from a view
        gamma: the weight of the next step's return, from 0 to 1
    """

    def __init__(self, dataset: Dataset, gamma: float = 0.997) -> None:
        self._dataset = dataset
        self.gamma = gamma

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "returns",
            "handle": self._dataset.rows._java().number,
            "gamma": float(self.gamma),
        }

    def __repr__(self) -> str:
        return f"Returns({self._dataset!r}, {self.gamma})"


def _views() -> type:
    from ._views import Subset

    return Subset


def _connect(folder: str) -> sqlite3.Connection:
    """A connection that cannot write, and creates no file beside the database."""
    file = os.path.join(folder, "metadata.db")
    with open(file, "rb") as database:
        head = database.read(_WAL_BYTE + 1)
    # A database in WAL mode whose log is merged can be read as it is. SQLite would make a new log.
    has_log = os.path.exists(file + "-wal")
    immutable = "&immutable=1" if head[_WAL_BYTE:] == b"\x02" and not has_log else ""
    uri = f"file:{quote(file)}?mode=ro{immutable}"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    return connection


def exps_from_boards(boards: Any, parallel: bool = True) -> bytearray:
    """The 16 exponents of each board, row by row: view it with
    `np.frombuffer(exps, np.uint8).reshape(-1, 16)`.

    Args:
        boards: a one-dimensional array, or another buffer, of `uint64`
        parallel: accepted as the original does, and without effect

    Raises:
        TypeError: when it is no one-dimensional buffer
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
        idxs: what NumPy accepts as an index: numbers, a mask or a slice
        parallel: accepted as the original does, and without effect
    """
    chosen = steps[idxs]
    boards = np.ascontiguousarray(chosen["board"])
    return (
        exps_from_boards(boards, parallel),
        np.ascontiguousarray(chosen["move"]),
        np.ascontiguousarray(chosen["ev_values"]),
    )
