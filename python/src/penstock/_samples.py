# SPDX-License-Identifier: Apache-2.0
"""Reads samples of a map-style dataset by their numbers, and makes batches of them. It uses no
Java, because worker processes do it as well."""

from __future__ import annotations

import contextlib
import random
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ._collation import Collate

Failed = list[tuple[int, Exception]]
"""Rows of a batch with the errors for which they are left out."""

ROW = "_penstock_row"
"""The attribute of an exception that has the row in the batch. It is pickled with the exception."""


@dataclass(frozen=True)
class Samples:
    """The step from numbers of samples to a batch."""

    name: ClassVar[str] = "the dataset"

    source: Any
    functions: tuple[Callable[[Any], Any], ...]
    collate: Callable[[list[Any]], Any]
    is_seeded: bool

    def made(self, numbers: Any, failed: Failed | None) -> Any:
        """Returns the batch of some samples.

        Args:
            numbers: the numbers of the samples; or a dictionary that has them as `value`, and as
                `seeds` the seeds of the samples
            failed: a list that gets the rows that failed; None raises the first error
        """
        if not self.is_seeded:
            batch = self._columns(numbers, failed)
            return self._made(numbers.tolist(), None, failed) if batch is None else batch
        with _kept_generators():
            return self._made(numbers["value"].tolist(), numbers["seeds"].tolist(), failed)

    def _columns(self, numbers: np.ndarray[Any, Any], failed: Failed | None) -> Any:
        """The batch, if the dataset has its columns at hand; otherwise None."""
        if self.functions or not isinstance(self.collate, Collate) or len(numbers) == 0:
            return None
        columns = _columns_of(self.source, self.collate)
        if columns is None:
            return None
        try:
            return columns(numbers)
        except Exception:
            if failed is None:
                raise
            # The samples are read one by one, to find those that fail.
            return None

    def _made(self, numbers: list[int], seeds: list[int] | None, failed: Failed | None) -> Any:
        samples = self._all_at_once(numbers, failed) if seeds is None else None
        if samples is None:
            samples = self._one_by_one(numbers, seeds, failed)
        return self.collate(samples)

    def _all_at_once(self, numbers: list[int], failed: Failed | None) -> list[Any] | None:
        """The samples; None if the dataset cannot read several, or if one of them failed."""
        several = getattr(self.source, "__getitems__", None)
        if several is None or (self.functions and failed is not None):
            return None
        try:
            samples = several(numbers)
        except Exception:
            if failed is None:
                raise
            return None
        if len(samples) != len(numbers):
            raise ValueError(
                f"__getitems__ of {type(self.source).__name__} returned {len(samples)} samples for "
                f"{len(numbers)} indices"
            )
        for function in self.functions:
            samples = [function(one) for one in samples]
        return list(samples)

    def _one_by_one(
        self, numbers: list[int], seeds: list[int] | None, failed: Failed | None
    ) -> list[Any]:
        read, functions = one_of(self.source), self.functions
        samples: list[Any] = []
        for row, number in enumerate(numbers):
            try:
                if seeds is not None:
                    _seed(seeds[row])
                sample = read(number)
                for function in functions:
                    sample = function(sample)
                samples.append(sample)
            except Exception as e:
                # The next sample would run out of memory as well.
                if failed is None or isinstance(e, MemoryError):
                    # An exception may refuse to have attributes.
                    with contextlib.suppress(Exception):
                        setattr(e, ROW, row)
                    raise
                failed.append((row, e))
        if failed and not samples:
            raise failed[-1][1]
        return samples


def one_of(source: Any) -> Callable[[int], Any]:
    """The function that reads one sample."""
    if hasattr(source, "__getitem__"):
        read: Callable[[int], Any] = source.__getitem__
        return read
    return lambda number: source.__getitems__([number])[0]


def _columns_of(source: Any, collate: Collate) -> Callable[[Any], Any] | None:
    """A function that makes whole batches, for classes whose columns are known."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and collate.to == "torch":
        data = torch.utils.data
        if type(source) is data.TensorDataset:
            return lambda numbers: [one[torch.from_numpy(numbers)] for one in source.tensors]
        if type(source) is data.Subset:
            inner = _columns_of(source.dataset, collate)
            if inner is not None:
                return lambda numbers: inner(_through(source.indices, numbers))
    datasets: Any = sys.modules.get("datasets")
    if datasets is not None and isinstance(source, datasets.Dataset):
        return lambda numbers: _of_table(source, numbers, collate)
    return None


def _through(indices: Any, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The numbers of samples in the dataset that a subset was taken of."""
    return np.array([int(indices[number]) for number in numbers.tolist()], np.int64)


def _of_table(source: Any, numbers: np.ndarray[Any, Any], collate: Collate) -> dict[str, Any]:
    """A batch of a Hugging Face dataset: each column is read as a whole."""
    if source.format["type"] is not None or _is_decoded(source):
        return {name: _formatted(one, collate) for name, one in source[numbers.tolist()].items()}
    table = _as_arrow(source)[numbers.tolist()]
    return {name: _of_column(table.column(name), collate) for name in table.column_names}


# The same datasets as tables of Arrow. Making one takes longer than reading a batch.
_arrow: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _as_arrow(source: Any) -> Any:
    view = _arrow.get(source)
    if view is None:
        _arrow[source] = view = source.with_format("arrow")
    return view


def _is_decoded(source: Any) -> bool:
    """Whether a column holds images or other values that are decoded when they are read."""
    return any(hasattr(one, "decode_example") for one in source.features.values())


def _formatted(values: Any, collate: Collate) -> Any:
    """A column as the format of the dataset has it: a list, or an array or a tensor of all."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufc":
        return torch.from_numpy(values) if collate.to == "torch" else values
    return collate(list(values))


def _of_column(column: Any, collate: Collate) -> Any:
    """A column of Arrow as Python's numbers would be collated, without making them."""
    wanted = _WIDE.get(str(column.type))
    if wanted is None or column.null_count:
        return collate(column.to_pylist())
    array = np.array(column.to_numpy(), wanted)
    if collate.to != "torch":
        return array
    import torch

    return torch.from_numpy(array)


# The types of Arrow, and the types of NumPy that Python's numbers become.
_WIDE: dict[str, Any] = {
    **dict.fromkeys(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"], np.int64),
    **dict.fromkeys(["halffloat", "float", "double"], np.float64),
    "bool": np.bool_,
}


def _seed(seed: int) -> None:
    """Seeds the generators that a dataset may use: those of Python, NumPy and PyTorch."""
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.default_generator.manual_seed(seed)


@contextlib.contextmanager
def _kept_generators() -> Iterator[None]:
    """Gives the program its own random numbers back after samples were read in its process."""
    torch: Any = sys.modules.get("torch")
    python, numpy = random.getstate(), np.random.get_state()
    own = None if torch is None else torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        if torch is not None:
            torch.set_rng_state(own)
