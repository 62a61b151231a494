# SPDX-License-Identifier: Apache-2.0
"""Functions of records: datasets whose records a function makes, and records that a function
chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, SupportsIndex, overload

import numpy as np

from . import _arguments, _index
from ._dataset import Dataset

Function = Callable[[Any], Any]


class Chain:
    """Several functions that are called one after another, each with the result of the one before.
    It can be pickled when its functions can."""

    def __init__(self, functions: tuple[Function, ...]) -> None:
        self.functions = functions

    def __call__(self, record: Any) -> Any:
        for function in self.functions:
            record = function(record)
        return record


class Mapped(Sequence[Any]):
    """The records of a dataset as a function returns them; made by `Dataset.map`.

    The function is called whenever a record is read, and its results are not kept. A
    `penstock.Loader` calls it for each record of a batch, in its `workers` where it has some.
    """

    def __init__(self, base: Dataset, functions: tuple[Function, ...]) -> None:
        self._base = base
        self._functions = functions

    @property
    def base(self) -> Dataset:
        """The dataset whose records the function is called with."""
        return self._base

    def followed_by(self, function: Function | None) -> Chain:
        """Returns the functions of this dataset, followed by another one, as one function."""
        return Chain(self._functions if function is None else (*self._functions, function))

    def __len__(self) -> int:
        return len(self._base)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(
        self, index: slice | Sequence[int] | Sequence[bool] | np.ndarray[Any, Any]
    ) -> list[Any]: ...
    def __getitem__(self, index: Any) -> Any:
        """One result for an integer; a list of results for a slice, a list, an array or a mask."""
        indices, shape = _index.parse(index, len(self))
        _index.require_one_dimension(shape, "a list of results")
        records = _records(self._base.take(indices), len(indices))
        made = [*map(self.followed_by(None), records)]
        return made[0] if shape is None else made

    def __iter__(self) -> Iterator[Any]:
        return map(self.followed_by(None), iter(self._base))

    def map(self, function: Function) -> Mapped:
        """The results of a further function."""
        return Mapped(self._base, (*self._functions, function_of(function)))

    def filter(self, function: Function) -> Mapped:
        """The results for which a function returns true. All records are read once, now."""
        kept = _kept(iter(self), function_of(function))
        return Mapped(self._base.select(kept), self._functions)

    def select(self, indices: Any) -> Mapped:
        """The results for some records of the dataset."""
        return Mapped(self._base.select(indices), self._functions)

    def split(self, test: float | int = 0.1, seed: int = 0) -> tuple[Mapped, Mapped]:
        """Two parts at random, as `Dataset.split` makes them."""
        train, held_out = self._base.split(test, seed)
        return Mapped(train, self._functions), Mapped(held_out, self._functions)

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        results: list[Any] = self[np.asarray(indices, dtype=np.int64)]
        return results

    def __repr__(self) -> str:
        names = ", ".join(getattr(one, "__name__", repr(one)) for one in self._functions)
        return f"<penstock records of {self._base.path!r} mapped by {names}: {len(self):,}>"


def _records(batch: Any, count: int) -> Iterator[Any]:
    if not isinstance(batch, dict):
        return iter(batch)
    return ({name: values[row] for name, values in batch.items()} for row in range(count))


def function_of(function: Any) -> Function:
    if not callable(function):
        raise TypeError(f"function must be callable, got {_arguments.shown(function)}")
    checked: Function = function
    return checked


def _kept(records: Iterator[Any], function: Function) -> np.ndarray[Any, Any]:
    """The numbers of the records for which a function returns true."""
    kept = [number for number, record in enumerate(records) if function(record)]
    return np.array(kept, dtype=np.int64)


def mapped(dataset: Dataset, function: Any) -> Mapped:
    """The records of a dataset as a function returns them."""
    return Mapped(dataset, (function_of(function),))


def filtered(dataset: Dataset, function: Any) -> Dataset:
    """The records for which a function returns true."""
    return dataset.select(_kept(iter(dataset), function_of(function)))
