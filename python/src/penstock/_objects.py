# SPDX-License-Identifier: Apache-2.0
"""Map-style datasets of other libraries: any object with `__len__` and `__getitem__`."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from . import _arguments, _conversion, _index, _jvm
from ._dataset import Dataset
from ._mapped import Chain, Function, function_of
from ._samples import one_of


class Numbers(Dataset):
    """The numbers of samples: record `i` is `i`. Java takes the order, the ranks and the
    checkpoints of a loader from it."""

    @property
    def path(self) -> str:
        return "<memory>"

    def _portable(self) -> tuple[Any, ...]:
        return (_rebuilt_numbers, *self._recipe)


def _numbers(count: int, identity: str) -> Numbers:
    handle, description = _jvm.create("the dataset", "numbers", count=count, identity=identity)
    return Numbers(handle, description, (count, identity))


def _rebuilt_numbers(arguments: list[Any]) -> Numbers:
    return _numbers(*arguments)


class Objects(Sequence[Any]):
    """The samples of a map-style dataset; made by `penstock.from_memory`.

    The dataset's `__getitem__` or `__getitems__` is called whenever a sample is read. A
    `penstock.Loader` calls it in its `workers` where it has some, and makes batches of the samples
    as PyTorch's `default_collate` does.
    """

    def __init__(self, source: Any, base: Dataset, *, functions: tuple[Function, ...] = ()) -> None:
        self._source = source
        self._base = base
        self._functions = functions

    @property
    def source(self) -> Any:
        """The object that has the samples."""
        return self._source

    @property
    def base(self) -> Dataset:
        """The numbers of the samples, as a dataset."""
        return self._base

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions that are called with each sample, one after another."""
        return self._functions

    @property
    def fingerprint(self) -> str:
        """A short text that checkpoints are compared with. It covers the number of samples, and the
        fingerprint of the dataset if it has one, but not the samples."""
        return self._base.fingerprint

    def __len__(self) -> int:
        return len(self._base)

    def __getitem__(self, index: Any) -> Any:
        """One sample for an integer; a list of samples for a slice, a list, an array or a mask."""
        indices, shape = _index.parse(index, len(self))
        _index.require_one_dimension(shape, "a list of samples")
        made = self.__getitems__(indices.tolist())
        return made[0] if shape is None else made

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        numbers = self._base.take(np.asarray(indices, dtype=np.int64)).tolist()
        several = getattr(self._source, "__getitems__", None)
        read = several or (lambda all_of_them: [*map(one_of(self._source), all_of_them)])
        return [*map(Chain(self._functions), read(numbers))]

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))

    def map(self, function: Function) -> Objects:
        """The samples as a function returns them."""
        return Objects(
            self._source, self._base, functions=(*self._functions, function_of(function))
        )

    def filter(self, function: Function) -> Objects:
        """The samples for which a function returns true. All samples are read once, now."""
        is_kept = function_of(function)
        return self.select([number for number, one in enumerate(self) if is_kept(one)])

    def select(self, indices: Any) -> Objects:
        """Some of the samples."""
        return Objects(self._source, self._base.select(indices), functions=self._functions)

    def split(self, test: float | int = 0.1, seed: int = 0) -> tuple[Objects, Objects]:
        """Two parts at random, as `Dataset.split` makes them."""
        train, held_out = self._base.split(test, seed)
        return (
            Objects(self._source, train, functions=self._functions),
            Objects(self._source, held_out, functions=self._functions),
        )

    def __repr__(self) -> str:
        return f"<penstock samples of {_name(self._source)}: {len(self):,}>"


def _name(source: Any) -> str:
    return type(source).__name__


def is_objects(data: Any) -> bool:
    """Whether this is a map-style dataset, and not data that can be made an array.

    Raises:
        TypeError: when it can only be iterated over
    """
    if isinstance(data, (list, tuple)):
        return _is_samples(data)
    is_own = type(data).__module__.partition(".")[0] == "penstock"
    if isinstance(data, (*_DATA, type)) or is_own or hasattr(data, "__array__"):
        return False
    is_map_style = hasattr(data, "__getitem__") or hasattr(data, "__getitems__")
    is_iterable = hasattr(data, "__iter__") and not isinstance(data, (set, frozenset))
    if _is_iterable_dataset(data) or ((_is_dataset(data) or is_iterable) and not is_map_style):
        refuse_iterable(data)
    if is_map_style and not hasattr(data, "__len__") and _is_dataset(data):
        raise TypeError(
            f"{_name(data)} has no __len__, so its samples cannot be shuffled or shared between "
            "ranks; define it, or write the samples to a file first with penstock.write"
        )
    return is_map_style and hasattr(data, "__len__") and not _has_buffer(data)


_DATA = (str, bytes, bytearray, Mapping, range, deque, np.generic, np.ndarray)


def _is_samples(data: Sequence[Any]) -> bool:
    """Whether a list has tuples whose parts fit in no array, such as an image and its label."""
    if not data or not isinstance(data[0], tuple):
        return False
    try:
        return bool(_conversion.unmasked([data[0]]).dtype.hasobject)
    except (TypeError, ValueError):
        return True


def refuse_iterable(data: Any) -> NoReturn:
    """Says what to do with generators and other data that can only be iterated over."""
    raise TypeError(
        f"{_arguments.shown(data)} can only be iterated over, so its records cannot be shuffled, "
        "shared between ranks or resumed; write them to a file first, with "
        "penstock.write('data.npy', iter(data)) or penstock.write('data.a2pack', iter(data)), and "
        "load that file"
    )


def _is_dataset(data: Any) -> bool:
    return any(isinstance(data, kind) for kind in _kinds("Dataset"))


def _is_iterable_dataset(data: Any) -> bool:
    return any(isinstance(data, kind) for kind in _kinds("IterableDataset"))


def _kinds(name: str) -> Iterator[type]:
    """Classes of this name in the libraries that the program has imported."""
    for library in ("torch.utils.data", "datasets"):
        kind = getattr(sys.modules.get(library), name, None)
        if isinstance(kind, type):
            yield kind


def _has_buffer(data: Any) -> bool:
    try:
        memoryview(data)
    except TypeError:
        return False
    return True


def of(source: Any) -> Objects:
    """Makes a dataset of the samples of a map-style dataset. If it has an attribute `fingerprint`
    that is a text, checkpoints are compared with it."""
    count = _arguments.integer(f"the length of {_name(source)}", len(source), minimum=0)
    own = getattr(source, "fingerprint", None)
    return Objects(source, _numbers(count, own if isinstance(own, str) else ""))
