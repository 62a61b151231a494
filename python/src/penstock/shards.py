# SPDX-License-Identifier: Apache-2.0
"""Activation shards (GAMSAE01): rows of one width, in a fixed order.

>>> import numpy as np, penstock
>>> with penstock.shards.Writer("corpus", 4, shard_rows=100) as writer:
...     writer.append(np.arange(1000, dtype=np.float32).reshape(250, 4))
>>> ds = penstock.open("corpus")
>>> rows, row_ids = next(ds.batches())
>>> rows.shape, rows.dtype, row_ids[-1]
((100, 4), dtype('float64'), np.int64(99))
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _arguments, _conversion, _dtypes, _jvm
from ._dataset import Dataset
from ._paths import PathLike, exists, local
from ._writer import _RowWriter

__all__ = ["Batches", "ReadAhead", "Shards", "Stats", "Writer"]


def __dir__() -> list[str]:
    """The public names, without the modules that this one imports."""
    return __all__


_BATCH_ROWS_MAX = 1024
_NAMES = {"f16": "f2", "f32": "f4", "f64": "f8"}


@dataclass(frozen=True)
class Stats:
    """Statistics of the rows of a corpus. Values that are not finite are counted and left out of
    everything else."""

    count: int
    mean: np.ndarray[Any, Any]
    """The mean of each column."""
    rms: np.ndarray[Any, Any]
    """Root of the mean square of each column."""
    min: float
    max: float
    mean_norm: float
    """Mean Euclidean norm of the rows."""
    scale: float
    """Makes the mean square norm of the rows the width."""
    centred_scale: float
    """The same for rows from which the mean was subtracted."""
    non_finite_count: int
    non_finite: list[tuple[int, int]]
    """Row and column of the first values that are not finite."""


class ReadAhead(NamedTuple):
    """Statistics of the read-ahead."""

    read_bytes: int
    ahead_bytes_max: int
    wait_count: int
    failure_count: int


class Shards(Dataset):
    """An open corpus of activation shards; made by `penstock.open`. It is a `Dataset` of one field
    `value`, and can also stream its rows in order."""

    @_arguments.named_options
    def batches(
        self, dtype: Any = "f8", batch_rows: int | None = None, *, cross_shards: bool = False
    ) -> Batches:
        """The rows in order, as pairs of rows and their ids.

        Args:
            dtype: the type of the rows: `f8`, `f4`, `f2`, `bfloat16`, or a NumPy type
            batch_rows: the most rows in a batch; 1024 by default, or all if there are fewer
            cross_shards: whether a batch may hold rows of several shards, so that only the last
                one is short
        """
        batch_rows = _arguments.integer_or_none("batch_rows", batch_rows, minimum=1)
        cross_shards = _arguments.boolean("cross_shards", cross_shards)
        rows = min(_BATCH_ROWS_MAX, len(self)) if batch_rows is None else batch_rows
        stored = _element_type(dtype)
        if _dtypes.is_stand_in(stored):
            # Warns that the rows come as integers.
            stored = _dtypes.bfloat16()
        return Batches(self, stored, rows, cross_shards)

    @property
    def width(self) -> int:
        """The number of values in a row."""
        return int(self.facts["width"])

    def stats(self, save: bool = False) -> Stats:  # type: ignore[override]
        """Statistics of the rows: those in `stats.json` beside the shards, or computed in one pass.

        Args:
            save: whether statistics that had to be computed are kept in `stats.json`
        """
        found = _jvm.call_patiently("shardStats", handle=self._java().number, save=save)
        return Stats(
            found["count"],
            np.array(found["mean"], np.float64),
            np.array(found["rms"], np.float64),
            float(found["min"]),
            float(found["max"]),
            float(found["meanNorm"]),
            float(found["scale"]),
            float(found["centredScale"]),
            found["nonFiniteCount"],
            [(one["row"], one["column"]) for one in found["nonFinite"]],
        )


class Batches(Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]):
    """The rows of a corpus in order; made by `Shards.batches`. Each batch is a new, writable
    array."""

    def __init__(
        self, dataset: Shards, dtype: np.dtype[Any], batch_rows: int, cross_shards: bool
    ) -> None:
        self._dataset = dataset
        self._dtype = dtype
        self._type = _dtypes.java_name(dtype) if dtype != np.dtype("<u2") else "bf16"
        self._batch_rows = batch_rows
        self._cross_shards = cross_shards
        number = dataset._java().number
        self._starts: list[int] = _jvm.call("shardStarts", handle=number)
        self._source, _ = _jvm.create("the stream of shards", "shardSource", handle=number)
        self._position = 0

    @property
    def position(self) -> int:
        """The id of the next row."""
        return self._position

    def reset(self) -> None:
        """Goes back to the first row."""
        self._position = 0

    def seek(self, row_id: int) -> None:
        """Moves to a row. The number of rows is a valid position: the end.

        Raises:
            IndexError: when the row is out of range
        """
        row_id = _arguments.integer("row_id", row_id)
        if not 0 <= row_id <= len(self._dataset):
            raise IndexError(f"cannot seek to row {row_id} of {len(self._dataset)}")
        self._position = row_id

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint: the position and the fingerprint of the corpus."""
        return {"fingerprint": self._dataset.fingerprint, "position": self._position}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resumes at a checkpoint of `state_dict`.

        Raises:
            ValueError: when the checkpoint belongs to another corpus, or is none of batches
        """
        if not {"fingerprint", "position"} <= state.keys():
            raise ValueError(
                f"a checkpoint of batches has fingerprint and position; this has {sorted(state)}"
            )
        if state["fingerprint"] != self._dataset.fingerprint:
            raise ValueError(
                f"the checkpoint belongs to a corpus with fingerprint {state['fingerprint']}, "
                f"and this one has {self._dataset.fingerprint}"
            )
        self.seek(state["position"])

    def read_ahead(self) -> ReadAhead:
        """Statistics of the read-ahead so far."""
        counts = _jvm.call("shardCounts", handle=self._source.number)
        return ReadAhead(*counts.values())

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        first = self._position
        if first >= len(self._dataset):
            raise StopIteration
        limit = min(len(self._dataset), first + self._batch_rows)
        if not self._cross_shards:
            limit = min(limit, self._starts[bisect.bisect_right(self._starts, first)])
        rows = np.empty((limit - first, self._dataset.width), self._dtype)
        _jvm.call(
            "shardRead",
            handle=self._source.number,
            rows=limit - first,
            type=self._type,
            target=rows.ctypes.data,
            targetBytes=rows.nbytes,
            **{"from": first},
        )
        self._position = limit
        return rows, np.arange(first, limit, dtype=np.int64)

    def close(self) -> None:
        """Stops reading ahead."""
        self._source.close()


def _element_type(dtype: Any) -> np.dtype[Any]:
    """Returns the NumPy type of the rows.

    Raises:
        ValueError: when the type is not supported
    """
    if str(dtype).removeprefix("torch.") in ("bfloat16", "bf16"):
        return _dtypes.asked_bfloat16()
    # The names of the command line. To NumPy "f16" has 16 bytes, and no shard has such numbers.
    plain = _NAMES.get(dtype, dtype) if isinstance(dtype, str) else dtype
    found: np.dtype[Any] = np.dtype(_torch_name(plain))
    if not (found.kind == "f" and found.itemsize <= 8) and not _dtypes.is_bfloat16(found):
        raise ValueError(f"shards hold f4, f8, f2 or bfloat16 numbers, not {found}")
    return found


def _torch_name(dtype: Any) -> Any:
    text = str(dtype)
    return text.removeprefix("torch.") if text.startswith("torch.") else dtype


class Writer(_RowWriter):
    """Writes a corpus of shards into a folder. Each shard appears when it is full and on disk. The
    rows of small calls are collected first, up to a megabyte; `commit` publishes all.

    Args:
        path: the folder
        width: the number of values in a row
        dtype: the stored type: `f4`, which other programs read, or `bfloat16`, `f2`, `f8`
        shard_rows: the number of rows in a shard
        shard_bytes: the maximum size of a shard in bytes; 1 GiB by default
        resume: whether to continue after the existing shards; `next_row` has the position
        metadata: texts by name that are stored in `corpus.json`
    """

    @_arguments.named_options
    def __init__(
        self,
        path: PathLike,
        width: int,
        *,
        dtype: Any = "f4",
        shard_rows: int | None = None,
        shard_bytes: int | None = None,
        resume: bool = False,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        stored = _element_type("f4" if dtype is None else dtype)
        options: dict[str, Any] = {
            "overwrite": False,
            "append": _arguments.boolean("resume", resume),
            "width": _arguments.integer("width", width, minimum=1),
            "type": _dtypes.java_name(stored),
        }
        if shard_rows is not None:
            options["shardRows"] = _arguments.integer("shard_rows", shard_rows, minimum=1)
        if shard_bytes is not None:
            options["shardBytes"] = _arguments.integer("shard_bytes", shard_bytes, minimum=1)
        if metadata is not None:
            options["metadata"] = _arguments.metadata(metadata)
        self._width: int = options["width"]
        # What Java calls the type of the rows that are collected.
        self._kind = ""
        super().__init__("shardWriter", local(path), options, "appendShardRows")

    @property
    def next_row(self) -> int:
        """The id of the row that is appended next."""
        return len(self)

    def _exists(self, path: str, name: Any) -> FileExistsError:
        if not os.path.isdir(path):
            return exists(name, "a file has this name; choose another name for the folder")
        return exists(name, "the folder has shards; resume=True continues after them")

    def append(self, rows: Any) -> None:
        """Adds rows: an array or a tensor of shape `(n, width)`, or one row of shape `(width,)`.

        Raises:
            ValueError: when the rows have another width, or are not floating-point numbers
        """
        array, kind = _rows(rows)
        given = array.shape
        if array.ndim == 1:
            array = array.reshape(1, -1)
        if array.ndim != 2 or array.shape[1] != self._width:
            raise ValueError(
                f"rows must have the shape (n, {self._width}) or ({self._width},), got {given}"
            )
        if len(array) == 0:
            return
        self._require_usable()
        with self._lock:
            if kind != self._kind:
                # Types that differ for Java may be the same for NumPy.
                self._flush()
                self._kind = kind
            self._add(array)

    def _arguments_of(self, rows: np.ndarray[Any, Any]) -> dict[str, Any]:
        return {"type": self._kind}

    def commit(self) -> int:
        """Publishes the rows so far as a shard, even if it is not full, and returns `next_row`."""
        self._require_usable()
        with self._lock:
            self._flush()
            return int(_jvm.call("commitShard", handle=self._handle.number))

    def __enter__(self) -> Writer:
        return self


def _rows(rows: Any) -> tuple[np.ndarray[Any, Any], str]:
    """Returns rows as a contiguous little-endian array, and Java's name of their type."""
    if _conversion.is_bfloat16_tensor(rows):
        return _conversion.bfloat16_bits(rows), "bf16"
    if str(getattr(rows, "dtype", "")).startswith("torch."):
        rows = rows.detach().cpu().numpy()
    array = np.asarray(rows)
    if _dtypes.is_bfloat16(array.dtype):
        return np.ascontiguousarray(array), "bf16"
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise ValueError(f"shards hold floating-point numbers; got an array of {array.dtype}")
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return array, _dtypes.java_name(array.dtype)
