# SPDX-License-Identifier: Apache-2.0
"""Which step sees which record: questions about the order of a loader."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import _arguments, _jvm

_LONG_MAX = (1 << 63) - 1


class RecordPlace(NamedTuple):
    """A place at which training sees a record. Records that fill up the last step of an epoch are
    seen at a second place, with the position of the first."""

    epoch: int
    step: int
    rank: int
    position: int


class Origin(NamedTuple):
    """Where records of a view come from: consecutive records of a dataset with files of its own.

    `record_count` is above 1 for a window. `file` and `file_record` are the file with the first
    record and its number there, where a dataset has several files. `name` is None where records
    have no names.
    """

    path: str
    record: int
    record_count: int
    file: str
    file_record: int
    name: str | None


def origins_of(handle: int, index: int) -> list[Origin]:
    """Returns where a record of a dataset comes from."""
    return [Origin(*one) for one in _jvm.call("origins", handle=handle, index=index)]


def steps_of(handle: int, record: int, epochs: Iterable[int]) -> list[RecordPlace]:
    """Returns the places of a record in some epochs, on all ranks."""
    wanted = [_arguments.integer("epochs", one, minimum=0, maximum=_LONG_MAX) for one in epochs]
    found = _jvm.call_patiently("stepsOf", handle=handle, record=record, epochs=wanted)
    return [RecordPlace(*place) for place in found]


def records_of(handle: int, step: int, epoch: int, rank: int) -> np.ndarray[Any, Any]:
    """Returns the records of a step on a rank, or on all ranks, one after the other, for -1."""
    indices = np.empty(0, np.int64)
    while True:
        count: int = _jvm.call(
            "recordsOf",
            handle=handle,
            step=step,
            epoch=epoch,
            rank=rank,
            target=indices.ctypes.data,
            targetBytes=indices.nbytes,
        )
        if count <= len(indices):
            return indices[:count]
        indices = np.empty(count, np.int64)
