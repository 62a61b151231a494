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
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _dtypes, _jvm
from ._dataset import Dataset
from ._paths import PathLike, absolute
from ._writer import _Writer

__all__ = ["Batches", "ReadAhead", "Shards", "Stats", "Writer"]

_BATCH_ROWS_MAX = 1024
_APPEND_BYTES = 64 << 20


@dataclass(frozen=True)
class Stats:
    """Statistics of the rows of a corpus. Values that are not finite are counted and left out of
    everything else."""

    count: int
    mean: np.ndarray[Any, Any]
    """Of each column."""
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
    """What the read-ahead of batches has done."""

    read_bytes: int
    ahead_bytes_max: int
    wait_count: int
    failure_count: int


class Shards(Dataset):
    """An open corpus of activation shards; made by `penstock.open`. It is a `Dataset` of one field
    `value`, and streams its rows in order besides."""

    def batches(
        self, dtype: Any = "f8", batch_rows: int | None = None, cross_shards: bool = False
    ) -> Batches:
        """The rows in order, as pairs of rows and their ids.

        Args:
            dtype: of the rows: `f8`, `f4`, `f2`, `bfloat16`, or a NumPy type
            batch_rows: rows of a batch at most; without it 1024, or all if there are fewer
            cross_shards: whether a batch may hold rows of several shards, so that only the last
                one is short
        """
        if batch_rows is not None:
            batch_rows = operator.index(batch_rows)
            if batch_rows < 1:
                raise ValueError(f"a batch has at least one row; got batch_rows={batch_rows}")
        rows = min(_BATCH_ROWS_MAX, len(self)) if batch_rows is None else batch_rows
        return Batches(self, _element_type(dtype), rows, cross_shards)

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self.facts["width"])

    def stats(self, save: bool = False) -> Stats:
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
    """The rows of a corpus in order; made by `Shards.batches`. Arrays are fresh and writable."""

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
        """Goes back to the first row; the same batches come again."""
        self._position = 0

    def seek(self, row_id: int) -> None:
        """Moves to a row; the number of rows is the end.

        Raises:
            IndexError: when there is no such row
        """
        row_id = operator.index(row_id)
        if not 0 <= row_id <= len(self._dataset):
            raise IndexError(f"cannot seek to row {row_id} of {len(self._dataset)}")
        self._position = row_id

    def state_dict(self) -> dict[str, Any]:
        """Where it is, for `load_state_dict`: bound to the fingerprint of the corpus."""
        return {"fingerprint": self._dataset.fingerprint, "position": self._position}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves to where another one over the same corpus was.

        Raises:
            ValueError: when the state is that of another corpus
        """
        if state["fingerprint"] != self._dataset.fingerprint:
            raise ValueError(
                f"the state belongs to a corpus with fingerprint {state['fingerprint']}, and this "
                f"one has {self._dataset.fingerprint}"
            )
        self.seek(state["position"])

    def read_ahead(self) -> ReadAhead:
        """What was read in the background so far."""
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
    """A type that rows can have.

    Raises:
        ValueError: when they cannot have it
    """
    if str(dtype).removeprefix("torch.") in ("bfloat16", "bf16"):
        return _dtypes.bfloat16()
    found: np.dtype[Any] = np.dtype(_torch_name(dtype))
    if not (found.kind == "f" and found.itemsize <= 8) and not _dtypes.is_bfloat16(found):
        raise ValueError(f"shards hold f4, f8, f2 or bfloat16 numbers, not {found}")
    return found


def _torch_name(dtype: Any) -> Any:
    text = str(dtype)
    return text.removeprefix("torch.") if text.startswith("torch.") else dtype


class Writer(_Writer):
    """Writes a corpus of shards into a folder. Each shard appears when it is full and on disk.

    Args:
        path: the folder
        width: numbers in a row
        dtype: of the stored numbers: `f4`, which other programs read, or `bfloat16`, `f2`, `f8`
        shard_rows: rows after which a new shard begins
        shard_bytes: bytes that a shard does not exceed; 1 GiB without it
        resume: whether to go on behind the shards that are there; `next_row` says where
        metadata: notes for `corpus.json`
    """

    def __init__(
        self,
        path: PathLike,
        width: int,
        dtype: Any = "f4",
        *,
        shard_rows: int | None = None,
        shard_bytes: int | None = None,
        resume: bool = False,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        stored = _element_type(dtype)
        options: dict[str, Any] = {
            "overwrite": False,
            "append": resume,
            "width": operator.index(width),
            "type": "bf16" if stored == _dtypes.bfloat16() else _dtypes.java_name(stored),
        }
        if shard_rows is not None:
            options["shardRows"] = operator.index(shard_rows)
        if shard_bytes is not None:
            options["shardBytes"] = operator.index(shard_bytes)
        if metadata is not None:
            options["metadata"] = dict(metadata)
        self._width: int = options["width"]
        super().__init__("shardWriter", absolute(path), options)
        # Java says how many rows are there already.
        self._next_row = int(self._answer)

    @property
    def next_row(self) -> int:
        """The id of the row that is appended next."""
        return self._next_row

    def append(self, rows: Any) -> None:
        """Adds rows: an array or a tensor of shape `(n, width)`, or one row of shape `(width,)`.

        Raises:
            ValueError: when the rows have another width, or are not floating-point numbers
        """
        array, kind = _rows(rows)
        if array.ndim == 1:
            array = array.reshape(1, -1)
        if array.ndim != 2 or array.shape[1] != self._width:
            raise ValueError(f"rows of shape {array.shape[1:]}; the shards have ({self._width},)")
        self._require_usable()
        step = max(1, _APPEND_BYTES // max(1, array.itemsize * self._width))
        with self._lock:
            for start in range(0, len(array), step):
                part = array[start : start + step]
                self._next_row = _jvm.call(
                    "appendShardRows",
                    handle=self._handle.number,
                    type=kind,
                    rows=part.ctypes.data,
                    rowsBytes=part.nbytes,
                )

    def commit(self) -> int:
        """Publishes the rows so far as a shard, even if it is not full, and returns `next_row`."""
        self._require_usable()
        with self._lock:
            return int(_jvm.call("commitShard", handle=self._handle.number))

    def __enter__(self) -> Writer:
        return self


def _rows(rows: Any) -> tuple[np.ndarray[Any, Any], str]:
    """Rows as a contiguous little-endian array, and what Java calls their type."""
    if str(getattr(rows, "dtype", "")) == "torch.bfloat16":
        import torch

        bits = rows.detach().cpu().contiguous().view(torch.int16).numpy()
        return bits.view(np.uint16), "bf16"
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
