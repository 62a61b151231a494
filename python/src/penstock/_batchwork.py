# SPDX-License-Identifier: Apache-2.0
"""What becomes of a batch between Java and the program: columns, functions, tensors."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from . import _jvm
from ._memory import BatchInfo
from ._torch import to_torch


class BatchWork(NamedTuple):
    """How the batches of a loader are made ready. It knows nothing of the loader, because threads
    keep it."""

    is_plain: bool
    is_ragged: bool
    has_indices: bool
    has_seeds: bool
    map_records: Callable[[Any], Any] | None
    functions: Sequence[Callable[[Any], Any]]
    is_torch: bool
    is_pinned: bool
    bfloats: frozenset[str]
    spent: Spent

    def finished(self, info: BatchInfo, owner: _jvm.Handle) -> Any:
        """The batch as the program gets it."""
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
            if self.map_records is not None:
                batch = _mapped(self.map_records, batch)
            batch = self._converted(batch, is_plain)
            for function in self.functions:
                batch = function(batch)
            return batch
        except StopIteration as e:
            # It would end the epoch as if all batches had come.
            raise RuntimeError("a transform raised StopIteration") from e
        except Exception as e:
            _note(e, info, owner)
            raise
        finally:
            self.spent.add(time.perf_counter() - before)

    def _converted(self, batch: Any, is_plain: bool) -> Any:
        if not self.is_torch:
            return batch
        name = "value" if is_plain else ""
        return to_torch(batch, self.is_pinned, self.bfloats, name)


class Spent:
    """Seconds that functions took, in all threads together."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    def add(self, seconds: float) -> None:
        with self._lock:
            self.seconds += seconds


def _note(error: Exception, info: BatchInfo, owner: _jvm.Handle) -> None:
    """Says in which batch it happened, where Python has a place for it."""
    if sys.version_info < (3, 11):
        return
    place = info.place(owner)
    some = ", ".join(map(str, place.indices[:8].tolist()))
    more = ", ..." if len(place.indices) > 8 else ""
    error.add_note(
        f"in the transform of batch {place.step} of epoch {place.epoch}, "
        f"which holds the records {some}{more}"
    )


def _mapped(function: Callable[[Any], Any], batch: Any) -> Any:
    """The results of a function that is called with each record, as one batch."""
    if isinstance(batch, dict):
        names = list(batch)
        rows = zip(*batch.values(), strict=True)
        return stacked([function(dict(zip(names, row, strict=True))) for row in rows])
    return stacked([function(record) for record in batch])


def stacked(records: list[Any]) -> Any:
    """Records as columns: dictionaries and tuples by their parts, arrays and numbers as one array,
    PyTorch's tensors as one tensor, and everything else as a list."""
    if not records:
        return records
    first = records[0]
    if isinstance(first, dict):
        return {name: stacked([record[name] for record in records]) for name in first}
    if isinstance(first, tuple):
        return tuple(stacked(list(part)) for part in zip(*records, strict=True))
    if isinstance(first, (np.ndarray, np.generic)):
        shapes = {np.shape(record) for record in records}
        return np.stack(records) if len(shapes) == 1 else records
    if isinstance(first, Number):
        return np.array(records)
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor):
        return torch.stack(records)
    return records
