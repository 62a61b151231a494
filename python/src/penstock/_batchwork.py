# SPDX-License-Identifier: Apache-2.0
"""Turns batches of Java into columns, calls the program's functions, and makes tensors."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import _jvm
from ._collation import pinned
from ._errors import note
from ._images import DecodeImage
from ._jax import to_jax
from ._memory import BatchInfo
from ._processes import Failure, Outcome, Processes, Step
from ._samples import ROW, Failed, Samples
from ._torch import to_torch

LEFT_OUT = object()
"""Stands for a batch whose transform failed, when errors are skipped."""


Item = tuple[BatchInfo, _jvm.Handle]
"""A batch in Java's memory."""


class BatchWork(NamedTuple):
    """The steps from a batch in Java to the batch that a loader returns. It does not refer to the
    loader, because worker threads keep it alive."""

    is_plain: bool
    is_ragged: bool
    has_indices: bool
    has_seeds: bool
    # The step that makes a batch of records, before the functions.
    step: Step | None
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

    def finished_all(self, items: Sequence[Item]) -> list[tuple[BatchInfo, _jvm.Handle, Any]]:
        """Returns each batch after `finished_or_left_out`, or the `Failure` of the batch."""
        if self.processes is None:
            return [(*one, self.finished_or_left_out(*one)) for one in items]
        before = time.perf_counter()
        batches = [self._columns(*one) for one in items]
        outcomes = self.processes.done_all([batch for batch, _ in batches])
        self.spent.add(time.perf_counter() - before)
        return [
            (*item, self._settled(outcome, item, is_plain))
            for item, outcome, (_, is_plain) in zip(items, outcomes, batches, strict=True)
        ]

    def _settled(self, outcome: Outcome, item: Item, is_plain: bool) -> Any:
        """A batch of a worker process as the loader returns it, or its failure."""
        info, owner = item
        try:
            if isinstance(outcome, Failure):
                raise outcome.error
            self._leave_out(outcome.failed, info)
            return self._converted(outcome.batch, is_plain)
        except Exception as e:
            error = self._worded(e, info, owner)
            if self.skipped is None or isinstance(e, MemoryError):
                return Failure(error)
            self.skipped.add_batch(info.count - len(info.left_out), error)
            return LEFT_OUT

    def _columns(self, info: BatchInfo, owner: _jvm.Handle) -> tuple[Any, bool]:
        """The batch as Java made it, and whether it is a bare value."""
        columns = info.values(owner, self.is_ragged)
        if self.has_indices:
            columns["indices"] = info.indices(owner)
        if self.has_seeds:
            columns["seeds"] = info.seeds(owner)
        is_plain = self.is_plain and len(columns) == 1
        return columns["value"] if is_plain else columns, is_plain

    def finished(self, info: BatchInfo, owner: _jvm.Handle) -> Any:
        """Returns the finished batch."""
        batch, is_plain = self._columns(info, owner)
        if self.step is None and not self.functions:
            return self._converted(batch, is_plain)
        before = time.perf_counter()
        try:
            if self.processes is not None:
                batch, failed = self.processes.done(batch)
                self._leave_out(failed, info)
                return self._converted(batch, is_plain)
            if self.step is not None:
                failures: Failed | None = None if self.skipped is None else []
                batch = self.step.made(batch, failures)
                self._leave_out(failures or [], info)
            batch = self._converted(batch, is_plain)
            for function in self.functions:
                batch = function(batch)
                if isinstance(function, DecodeImage):
                    # The image transform makes arrays, which become tensors like all others.
                    batch = self._converted(batch, is_plain)
            return batch
        except StopIteration as e:
            raise self._worded(e, info, owner) from e
        except Exception as e:
            self._note(e, info, owner)
            raise
        finally:
            self.spent.add(time.perf_counter() - before)

    def _worded(self, error: Exception, info: BatchInfo, owner: _jvm.Handle) -> Exception:
        """The error with its place, and another one for a StopIteration, which would end the epoch
        silently."""
        if isinstance(error, StopIteration):
            row = getattr(error, ROW, None)
            name = "a transform" if row is None else self._step_name
            error = RuntimeError(f"{name} raised StopIteration")
            setattr(error, ROW, row)
        self._note(error, info, owner)
        return error

    @property
    def _step_name(self) -> str:
        return "" if self.step is None else self.step.name

    def _leave_out(self, failed: Failed, info: BatchInfo) -> None:
        for row, error in failed:
            info.left_out.append(row)
            assert self.skipped is not None
            self.skipped.add_record(self._step_name, error)

    def _converted(self, batch: Any, is_plain: bool) -> Any:
        if self.to == "numpy":
            return batch
        if isinstance(self.step, Samples) and self.to == "torch":
            # The samples were collated to tensors.
            return pinned(batch) if self.is_pinned else batch
        name = "value" if is_plain else ""
        if self.to == "jax":
            return to_jax(batch, self.bfloats, name)
        return to_torch(batch, self.is_pinned, self.bfloats, name)

    def _note(self, error: Exception, info: BatchInfo, owner: _jvm.Handle) -> None:
        """Adds the batch and its records to an exception as a note."""
        place = info.place(owner)
        batch = f"batch {place.step} of epoch {place.epoch}"
        row = getattr(error, ROW, None)
        if row is not None:
            note(error, f"in {self._step_name} for record {place.indices[row]}, in {batch}")
            return
        some = ", ".join(map(str, place.indices[:8].tolist()))
        more = ", ..." if len(place.indices) > 8 else ""
        where = "the transform" if self.functions or self.step is None else self._step_name
        note(error, f"in {where} of {batch}, which holds the records {some}{more}")


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

    def add_record(self, where: str, error: Exception) -> None:
        with self._lock:
            self.rows += 1
        self._warn("a record", where, error)

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
