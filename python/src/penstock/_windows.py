# SPDX-License-Identifier: Apache-2.0
"""Runs of consecutive records as the records of a dataset, without copying them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arguments, _index, _jvm
from ._dataset import Dataset
from ._forked import ForkedRows
from ._in_memory import coerced

_Array = np.ndarray[Any, Any]


class Windows(Dataset):
    """Windows of consecutive records of another dataset; made by `penstock.windows`."""

    def __init__(
        self,
        handle: _jvm.Handle,
        description: dict[str, Any],
        base: Dataset,
        numbers: dict[str, int],
        is_grouped: bool,
    ) -> None:
        super().__init__(handle, description, ("windows", base, numbers, is_grouped))
        self._parts = (base,)
        self._base = base
        self._length, self._stride = numbers["length"], numbers["stride"]
        self._stays_in_groups = is_grouped
        # Dates are plain numbers to Java, so the types come from the base dataset.
        self._fields = tuple(
            field._replace(shape=(self._length, *field.shape)) for field in base._fields
        )

    @property
    def _is_grouped(self) -> bool:
        return False

    def _require_plain(self) -> None:
        if self._stays_in_groups:
            raise ValueError(
                "windows that stay inside groups cannot be viewed; use take or a loader"
            )

    def view(self) -> Any:
        """All windows as one read-only array over the file itself, without copying: windows that
        overlap share their memory."""
        self._require_plain()
        base = self._base.view()
        if not isinstance(base, np.ndarray):
            raise ValueError(
                f"{self._base.path} is not one array, so its windows cannot be viewed; "
                "use take or a loader"
            )
        if self._length > len(base):
            return np.empty((0, self._length, *base.shape[1:]), base.dtype)
        every = np.lib.stride_tricks.sliding_window_view(base, self._length, axis=0)
        return np.moveaxis(every, -1, 1)[:: self._stride]

    def _after_fork(self) -> ForkedRows:
        self._handle.require_open()
        if self._stays_in_groups or self._base._row is None:
            _jvm.functions()
        if self._forked is None:
            self._forked = _ForkedWindows(self)
        return self._forked


class _ForkedWindows(ForkedRows):
    """Windows in a forked process, where NumPy reads the rows."""

    def __init__(self, windows: Windows) -> None:
        assert windows._row is not None
        self._row = windows._row
        self._count = len(windows)
        self._windows = windows

    def read(self, indices: _index.Indices, out: _Array) -> None:
        base, length = self._windows._base, self._windows._length
        firsts = _index.wrap(indices, self._count) * self._windows._stride
        rows = (firsts[:, None] + np.arange(length, dtype=np.int64)).reshape(-1)
        base._rows(rows, out.reshape(len(rows), *out.shape[2:]))


def windows(dataset: Any, length: int, *, stride: int = 1) -> Dataset:
    """Runs of consecutive records as a dataset, whose fields have the length as their first
    dimension. Records are copied only when they are read, and windows may overlap.

    Out of a long array of tokens it makes the rows of a language model: everything that works with
    a dataset works with them, such as shuffling, ranks and resuming. Windows that would go beyond
    the last record are left out. Where records come in groups, a window stays inside its group.

    Args:
        dataset: a dataset, the path of one, or an array
        length: the number of records in a window
        stride: the distance between the starts of two windows, in records

    >>> import numpy as np, penstock
    >>> np.arange(10, dtype="<u2").tofile("tokens.bin")
    >>> tokens = penstock.open("tokens.bin", dtype="<u2")
    >>> rows = penstock.windows(tokens, length=4, stride=3)
    >>> rows[:]
    array([[0, 1, 2, 3],
           [3, 4, 5, 6],
           [6, 7, 8, 9]], dtype=uint16)
    """
    numbers = {
        "length": _arguments.integer("length", length, minimum=1),
        "stride": _arguments.integer("stride", stride, minimum=1),
    }
    dataset = coerced(dataset, "dataset")
    if dataset._root()._is_grouped and not dataset._is_grouped:
        raise ValueError(
            f"records of {dataset.path} that were selected one by one have no groups, which windows"
            " must stay in; make windows of the dataset and select among them"
        )
    handle, description = _in_java(dataset, numbers)
    return Windows(handle, description, dataset, numbers, dataset._is_grouped)


def _in_java(dataset: Dataset, numbers: dict[str, int]) -> tuple[_jvm.Handle, dict[str, Any]]:
    return _jvm.create(
        f"the windows of {dataset.path}", "windows", handle=dataset._java().number, **numbers
    )


def rebuild(arguments: list[Any]) -> Dataset:
    """Makes windows from a pickle."""
    dataset, numbers, is_grouped, description, *_ = arguments

    def make() -> _jvm.Handle:
        if is_grouped and not dataset._is_grouped:
            raise ValueError("windows of a view that was pickled are made anew: call windows again")
        return _in_java(dataset, numbers)[0]

    handle = _jvm.LazyHandle(f"the windows of {dataset.path}", make)
    return Windows(handle, description, dataset, numbers, is_grouped)
