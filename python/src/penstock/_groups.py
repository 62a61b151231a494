# SPDX-License-Identifier: Apache-2.0
"""Records that come in groups: attributes, views of some groups, and splits."""

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
        # The indices already refer to the root dataset.
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

    def _portable(self) -> tuple[Any, ...]:
        self._require_open()
        number = self._java().number
        members = np.empty(_jvm.call("groups.members", handle=number), np.int64)
        if len(members):
            _jvm.call("groups.members", handle=number, **_memory("target", members))
        indices: _Array | Ranges = self._indices
        is_ranges = isinstance(indices, Ranges)
        if isinstance(indices, Ranges):
            indices = np.concatenate([indices.starts, indices.limits])
        return ("grouped", self._base._portable(), is_ranges, indices, members)


def _memory(name: str, array: _Array) -> dict[str, int]:
    return {name: array.ctypes.data, f"{name}Bytes": array.nbytes}


def rebuild_view(base: Dataset, is_ranges: bool, rows: _Array, members: _Array) -> GroupedView:
    """Makes a view from a pickle. Its Java object is made on first use."""
    rows, members = rows.copy(), members.copy()

    def make() -> _jvm.Handle:
        handle, _ = _jvm.create(
            f"the view of {base.path}",
            "groups.view",
            handle=base._java().number,
            ranges=is_ranges,
            **_memory("rows", rows),
            **_memory("members", members),
        )
        return handle

    half = len(rows) // 2
    indices = Ranges(rows[:half], rows[half:]) if is_ranges else rows
    return GroupedView(base, indices, _jvm.LazyHandle(f"the view of {base.path}", make))


def _require_groups(dataset: Dataset) -> None:
    if not dataset._is_grouped:
        raise ValueError(
            f"{dataset.path} has no groups; `penstock table group PATH --by COLUMN` makes some, and"
            " records that were selected one by one have none"
        )


def columns(dataset: Dataset) -> dict[str, _Array]:
    """The attributes of all groups."""
    _require_groups(dataset)
    handle, description = _jvm.create(
        "the groups", "groups.attributes", handle=dataset._java().number
    )
    groups = Dataset(handle, description, ())
    texts = {field["name"] for field in description["fields"] if field["type"] == "utf8"}
    return {name: _array(groups[name][:], name in texts) for name in groups.fields}


def _array(values: Any, is_text: bool) -> _Array:
    """Numbers as they are; texts as an array of `str`, and other bytes as one of `bytes`."""
    if isinstance(values, np.ndarray):
        return values
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value.decode() if is_text and value is not None else value
    return array


def chosen(dataset: Dataset, verb: str, **arguments: Any) -> GroupedView:
    """A grouped view that Java chooses."""
    _require_groups(dataset)
    handle, answer = _jvm.create_patiently(
        f"the view of {dataset.path}", verb, handle=dataset._java().number, **arguments
    )
    range_count = answer["ranges"]
    size = 2 * range_count if range_count >= 0 else answer["description"]["records"]
    numbers = np.empty(size, np.int64)
    _jvm.call("groups.rows", handle=handle.number, **_memory("target", numbers))
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
        chosen(dataset, "groups.split", seed=bits, test=False, **size),
        chosen(dataset, "groups.split", seed=bits, test=True, **size),
    )
