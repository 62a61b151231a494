# SPDX-License-Identifier: Apache-2.0
"""Turns batches of Java into columns, calls the program's functions, and makes tensors."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from . import _jvm
from ._errors import note
from ._images import DecodeImage
from ._jax import to_jax
from ._memory import BatchInfo
from ._processes import Processes
from ._torch import to_torch

# The attribute of an exception of `map_records` that has the row in the batch. It is pickled along
# with the exception.
_ROW = "_penstock_row"

LEFT_OUT = object()
"""Stands for a batch whose transform failed, when errors are skipped."""


class BatchWork(NamedTuple):
    """The steps from a batch in Java to the batch that a loader returns. It does not refer to the
    loader, because worker threads keep it alive."""

    is_plain: bool
    is_ragged: bool
    has_indices: bool
    has_seeds: bool
    map_records: Callable[[Any], Any] | None
    functions: Sequence[Callable[[Any], Any]]
    to: str
    is_pinned: bool
    bfloats: frozenset[str]
    spent: Spent
    # None unless on_error is skip.
    skipped: Skipped | None
    # None unless worker_type is process.
    processes: Processes | None

    def finished_or_left_out(self, info: BatchInfo, owner: _jvm.Handle) -> Any:
        """Returns the finished batch, or `LEFT_OUT` if a transform failed and errors are
        skipped."""
        if self.skipped is None:
            return self.finished(info, owner)
        try:
            return self.finished(info, owner)
        except MemoryError:
            # The next batch would fail as well.
            raise
        except Exception as e:
            self.skipped.add_batch(info.count - len(info.left_out), e)
            return LEFT_OUT

    def finished(self, info: BatchInfo, owner: _jvm.Handle) -> Any:
        """Returns the finished batch."""
        columns = info.values(owner, self.is_ragged)
        if self.has_indices:
            columns["indices"] = info.indices(owner)
        if self.has_seeds:
            columns["seeds"] = info.seeds(owner)
        is_plain = self.is_plain and len(columns) == 1
        batch = columns["value"] if is_plain else columns
        if self.map_records is None and not self.functions:
            return self._converted(batch, is_plain)
        before = time.perf_counter()
        try:
            if self.processes is not None:
                batch, failed = self.processes.done(batch)
                self._leave_out(failed, info)
                return self._converted(batch, is_plain)
            if self.map_records is not None:
                failures: list[tuple[int, Exception]] | None = None if self.skipped is None else []
                batch = mapped(self.map_records, batch, failures)
                self._leave_out(failures or [], info)
            batch = self._converted(batch, is_plain)
            for function in self.functions:
                batch = function(batch)
                if isinstance(function, DecodeImage):
                    # The image transform makes arrays, which become tensors like all others.
                    batch = self._converted(batch, is_plain)
            return batch
        except StopIteration as e:
            # A StopIteration would end the epoch silently.
            row = getattr(e, _ROW, None)
            name = "a transform" if row is None else "map_records"
            error = RuntimeError(f"{name} raised StopIteration")
            setattr(error, _ROW, row)
            _note(error, info, owner)
            raise error from e
        except Exception as e:
            _note(e, info, owner)
            raise
        finally:
            self.spent.add(time.perf_counter() - before)

    def _leave_out(self, failed: list[tuple[int, Exception]], info: BatchInfo) -> None:
        for row, error in failed:
            info.left_out.append(row)
            assert self.skipped is not None
            self.skipped.add_record(error)

    def _converted(self, batch: Any, is_plain: bool) -> Any:
        if self.to == "numpy":
            return batch
        name = "value" if is_plain else ""
        if self.to == "jax":
            return to_jax(batch, self.bfloats, name)
        return to_torch(batch, self.is_pinned, self.bfloats, name)


def mapped(
    function: Callable[[Any], Any], batch: Any, failed: list[tuple[int, Exception]] | None
) -> Any:
    """The results of a function that is called with each record, as one batch.

    Args:
        failed: a list that gets the rows that failed and are left out; None raises the first error
    """
    results = []
    for row, record in enumerate(_records(batch)):
        try:
            results.append(function(record))
        except Exception as e:
            # The next record would run out of memory as well.
            if failed is None or isinstance(e, MemoryError):
                # An exception may refuse to have attributes.
                with contextlib.suppress(Exception):
                    setattr(e, _ROW, row)
                raise
            failed.append((row, e))
    if failed and not results:
        raise failed[-1][1]
    return stacked(results)


class Spent:
    """The number of seconds spent in functions, summed over all threads."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    def add(self, seconds: float) -> None:
        with self._lock:
            self.seconds += seconds


class Skipped:
    """Counts records and batches that were skipped because a function failed. The first one also
    warns, so that a bug in a function is noticed."""

    def __init__(self) -> None:
        self.rows = 0
        self.batches = 0
        self._lock = threading.Lock()
        self._has_warned = False

    def add_record(self, error: Exception) -> None:
        with self._lock:
            self.rows += 1
        self._warn("a record", "map_records", error)

    def add_batch(self, rows: int, error: Exception) -> None:
        with self._lock:
            self.rows += rows
            self.batches += 1
        self._warn("a batch", "a transform", error)

    def _warn(self, what: str, where: str, error: Exception) -> None:
        with self._lock:
            is_first, self._has_warned = not self._has_warned, True
        if is_first:
            warnings.warn(
                f"{what} is left out, because {where} raised {error!r}; stats() counts such rows "
                "and batches, and on_error='raise' raises the exception",
                RuntimeWarning,
                stacklevel=2,
            )


def _note(error: Exception, info: BatchInfo, owner: _jvm.Handle) -> None:
    """Adds the batch and its records to an exception as a note."""
    place = info.place(owner)
    batch = f"batch {place.step} of epoch {place.epoch}"
    row = getattr(error, _ROW, None)
    if row is not None:
        note(error, f"in map_records for record {place.indices[row]}, in {batch}")
        return
    some = ", ".join(map(str, place.indices[:8].tolist()))
    more = ", ..." if len(place.indices) > 8 else ""
    note(error, f"in the transform of {batch}, which holds the records {some}{more}")


def _records(batch: Any) -> Iterator[Any]:
    """The records of a batch: dictionaries, or values where there is one field."""
    if isinstance(batch, dict):
        names = list(batch)
        rows = zip(*batch.values(), strict=True)
        return (dict(zip(names, row, strict=True)) for row in rows)
    return iter(batch)


def _kind(value: Any) -> str:
    """The kind of values that NumPy stores together without changing them: numbers or one other
    kind of NumPy."""
    kind = np.asarray(value).dtype.kind
    return "number" if kind in "biufc" else kind


def _require_alike(records: list[Any]) -> None:
    """Checks that records have the same parts as the first one. Parts that only some of them have
    would be lost.

    Raises:
        ValueError: when they differ
    """
    wanted = _parts(records[0])
    for row, record in enumerate(records):
        if _parts(record) != wanted:
            raise ValueError(
                f"map_records must return the same parts for every record: {wanted} for the first "
                f"record of the batch, and {_parts(record)} for record {row} of the batch"
            )


def _parts(record: Any) -> str:
    if isinstance(record, dict):
        return f"the keys {sorted(map(str, record))}"
    if isinstance(record, tuple):
        return f"a tuple of {len(record)}"
    return f"a value of type {type(record).__name__}"


def stacked(records: list[Any]) -> Any:
    """Records as columns: dictionaries and tuples by their parts, arrays and numbers as one array,
    PyTorch's tensors as one tensor, and everything else as a list."""
    if not records:
        return records
    first = records[0]
    if isinstance(first, (dict, tuple)):
        _require_alike(records)
    if isinstance(first, dict):
        return {name: stacked([record[name] for record in records]) for name in first}
    if isinstance(first, tuple):
        return tuple(stacked(list(part)) for part in zip(*records, strict=True))
    if isinstance(first, (np.ndarray, np.generic, Number)):
        # NumPy would make texts of numbers beside texts.
        kinds = {_kind(record) for record in records}
        shapes = {np.shape(record) for record in records}
        is_one_array = len(kinds) == len(shapes) == 1 and kinds != {"O"}
        return np.stack(records) if is_one_array else records
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor):
        return torch.stack(records)
    return records
