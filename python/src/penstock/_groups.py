# SPDX-License-Identifier: Apache-2.0
"""Records that come in groups: attributes, views of some groups, splits and windows."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _index, _jvm
from ._dataset import Dataset
from ._views import Subset

_Array = np.ndarray[Any, Any]


class Ranges:
    """Ranges of records in ascending order, which are indexed like an array of all their records
    and take memory for each range only."""

    def __init__(self, starts: _Array, limits: _Array) -> None:
        self.starts = starts
        self.limits = limits
        self._firsts = np.concatenate([[0], np.cumsum(limits - starts)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def __getitem__(self, positions: Any) -> _Array:
        wanted = _index.wrap(np.asarray(positions, np.int64), len(self))
        ranges = np.searchsorted(self._firsts, wanted, side="right") - 1
        found: _Array = self.starts[ranges] + (wanted - self._firsts[ranges])
        return found

    def copy(self) -> Ranges:
        return Ranges(self.starts.copy(), self.limits.copy())


class GroupedView(Subset):
    """Some records of a grouped dataset, with their groups."""

    def __init__(self, base: Dataset, indices: _Array | Ranges, handle: _jvm.Handle) -> None:
        # The indices are those of the root already.
        root = base._root()
        if isinstance(indices, Ranges):
            super().__init__(root, np.empty(0, np.int64))
            self._indices = indices  # type: ignore[assignment]
            self._count = len(indices)
        else:
            super().__init__(root, indices)
        self._subset = handle

    @property
    def _is_grouped(self) -> bool:
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy in another process is a plain subset.
        from ._dataset import _reopen

        return _reopen, (self._portable(),)

    def _portable(self) -> tuple[Any, ...]:
        self._require_open()
        indices = self._indices
        if isinstance(indices, Ranges):
            indices = np.concatenate(
                [
                    np.arange(start, limit, dtype=np.int64)
                    for start, limit in zip(indices.starts, indices.limits, strict=True)
                ]
                or [np.empty(0, np.int64)]
            )
        return ("subset", self._base._portable(), indices)


def _require_groups(dataset: Dataset) -> None:
    if not dataset._is_grouped:
        raise ValueError(
            f"{dataset.path} has no groups; `penstock table group PATH --by COLUMN` makes some, and"
            " records that were selected one by one have none"
        )


def columns(dataset: Dataset) -> dict[str, _Array]:
    """The attributes of all groups."""
    _require_groups(dataset)
    handle, description = _jvm.create("the groups", "groups", handle=dataset._java().number)
    groups = Dataset(handle, description, ())
    return {name: _array(groups[name][:]) for name in groups.fields}


def _array(values: Any) -> _Array:
    """Numbers as they are; texts as an array of objects."""
    if isinstance(values, np.ndarray):
        return values
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def chosen(dataset: Dataset, verb: str, **arguments: Any) -> GroupedView:
    """A grouped view that Java chooses."""
    _require_groups(dataset)
    handle, answer = _jvm.create_patiently(
        f"the view of {dataset.path}", verb, handle=dataset._java().number, **arguments
    )
    range_count = answer["ranges"]
    size = 2 * range_count if range_count >= 0 else answer["description"]["count"]
    numbers = np.empty(size, np.int64)
    _jvm.call(
        "groupRows",
        handle=handle.number,
        target=numbers.ctypes.data,
        targetBytes=numbers.nbytes,
    )
    if range_count < 0:
        return GroupedView(dataset, numbers, handle)
    return GroupedView(
        dataset, Ranges(numbers[:range_count].copy(), numbers[range_count:].copy()), handle
    )


def split(dataset: Dataset, test: float | int, seed: int) -> tuple[Dataset, Dataset]:
    """A part of the groups for training, and the rest for testing."""
    from .samplers import seed_bits

    _require_groups(dataset)
    size: dict[str, Any] = (
        {"share": float(test)}
        if isinstance(test, (float, np.floating))
        else {"count": operator.index(test)}
    )
    bits = seed_bits(seed)
    return (
        chosen(dataset, "groupSplit", seed=bits, test=False, **size),
        chosen(dataset, "groupSplit", seed=bits, test=True, **size),
    )


def windows(dataset: Dataset, length: int, stride: int) -> Dataset:
    """Runs of consecutive records inside groups."""
    _require_groups(dataset)
    numbers = {"length": operator.index(length), "stride": operator.index(stride)}
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    handle, description = _jvm.create(
        f"the windows of {dataset.path}", "groupWindows", handle=dataset._java().number, **numbers
    )
    found = Dataset(handle, description, ("windows", numbers))
    found._parts = (dataset,)
    found._recipe = ("windows", dataset, numbers)
    return found


def rebuild_windows(arguments: list[Any]) -> Dataset:
    """What pickle calls."""
    dataset, numbers, description, *_ = arguments

    def make() -> _jvm.Handle:
        if not dataset._is_grouped:
            raise ValueError("windows of a view that was pickled are made anew: call windows again")
        handle, _ = _jvm.create(
            "the windows", "groupWindows", handle=dataset._java().number, **numbers
        )
        return handle

    found = Dataset(
        _jvm.LazyHandle("the windows", make), description, ("windows", dataset, numbers)
    )
    found._parts = (dataset,)
    return found
