# SPDX-License-Identifier: Apache-2.0
"""Datasets made of others, without copying a record."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _index, _jvm
from ._dataset import Dataset

if TYPE_CHECKING:
    from .samplers import Sampler


class Subset(Dataset):
    """Some records of another dataset. Its indices are kept here and translated before Java is
    asked; Java learns of them only when a loader or a fingerprint needs it."""

    def __init__(self, base: Dataset, indices: _index.Indices) -> None:
        self._base = base._root()
        own = base._base_indices(indices)
        own.flags.writeable = False
        self._indices = own
        self._handle = self._base._handle
        self._description = self._base._description
        self._recipe = ()
        self._count = len(own)
        self._fields = self._base._fields
        self._row = self._base._row
        self._row_type = None
        self._sources = {}
        self._fingerprint = None
        self._forked = None
        self._parts = (self._base,)
        self._source_path = None
        self._subset: _jvm.Handle | None = None
        self._is_closed = False

    @property
    def _is_grouped(self) -> bool:
        # The records that were chosen one by one are in any order.
        return False

    def _root(self) -> Dataset:
        return self._base

    def _base_indices(self, indices: _index.Indices) -> _index.Indices:
        return self._indices[indices]

    def _java(self) -> _jvm.Handle:
        self._require_open()
        if self._subset is None:
            self._subset = self._in_java()
        return self._subset

    def _in_java(self) -> _jvm.Handle:
        handle, _ = _jvm.create(
            f"the subset of {self.path}",
            "subset",
            handle=self._base._java().number,
            indices=self._indices.ctypes.data,
            indicesBytes=self._indices.nbytes,
        )
        return handle

    def _require_open(self) -> None:
        if self._is_closed:
            raise ValueError(f"the subset of {self.path} is closed")

    def _translated(self, indices: _index.Indices) -> _index.Indices:
        self._require_open()
        try:
            # NumPy counts negative ones from the end here as well.
            return self._indices[indices]
        except IndexError:
            # Raises with the words that all datasets use.
            return self._indices[_index.wrap(indices, self._count)]

    def _gather(self, fields: Any, column: Any, indices: Any, as_ragged: bool) -> dict[str, Any]:
        return self._base._gather(fields, column, self._translated(indices), as_ragged)

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        self._base._rows(self._translated(indices), out)

    def view(self) -> Any:
        raise ValueError("a subset has no rows one after another; view() the dataset it is of")

    def close(self) -> None:
        """Ends the view; the dataset it is of stays open."""
        self._is_closed = True
        if self._subset is not None:
            self._subset.close()

    @property
    def closed(self) -> bool:
        return self._is_closed or self._base.closed

    def _portable(self) -> tuple[Any, ...]:
        self._require_open()
        return ("subset", self._base._portable(), self._indices)


class Mixture(Dataset):
    """Several datasets one after the other, with the order that draws from each its share."""

    sampler: Sampler

    def _portable(self) -> tuple[Any, ...]:
        return (*super()._portable(), self.sampler)


def _joined_in_java(
    verb: str, parts: Sequence[Dataset], **more: Any
) -> tuple[_jvm.Handle, dict[str, Any]]:
    handles = [part._java().number for part in parts]
    return _jvm.create(f"the {verb}", verb, parts=handles, **more)


def concat(*datasets: Dataset | Sequence[Dataset]) -> Dataset:
    """The records of several datasets with the same fields, one after the other."""
    parts = _flat(datasets)
    return _joined(Dataset(*_joined_in_java("concat", parts), ("concat",)), parts)


def zip(*datasets: Mapping[str, Dataset], **named: Dataset) -> Dataset:
    """Records side by side: record `i` has the fields of record `i` of each dataset.

    Fields are called `NAME.FIELD`, or `NAME` where a dataset has plain values only.
    """
    together: dict[str, Dataset] = {}
    for more in (*datasets, named):
        together.update(more)
    parts, names = tuple(together.values()), list(together)
    return _joined(Dataset(*_joined_in_java("zip", parts, names=names), ("zip", names)), parts)


def mix(
    *datasets: Dataset | Sequence[Dataset],
    weights: Sequence[float],
    length: int | None = None,
    seed: int = 0,
) -> Mixture:
    """Several datasets in proportions of your own; a `Loader` draws from it in that proportion.

    Args:
        weights: the share of each dataset
        length: samples of an epoch; without it, as many as there are records. With 0 epochs are
            empty
        seed: of the order inside each dataset, and of the mixture
    """
    from .samplers import Mixture as MixtureSampler
    from .samplers import Permutation, seed_bits

    parts = _flat(datasets)
    mixture = Mixture(*_joined_in_java("concat", parts), ("mix",))
    _joined(mixture, parts)
    # Each part has a seed of its own, again of 64 bits.
    seeds = [seed_bits((seed_bits(seed) + i) % (1 << 64)) for i in range(len(parts))]
    orders = [
        Permutation(len(part), seed=own) for part, own in builtins.zip(parts, seeds, strict=True)
    ]
    mixture.sampler = MixtureSampler(
        orders, weights, len(mixture) if length is None else length, seed=seed
    )
    return mixture


def _flat(datasets: Sequence[Dataset | Sequence[Dataset]]) -> tuple[Dataset, ...]:
    parts: list[Dataset] = []
    for one in datasets:
        if isinstance(one, Dataset):
            parts.append(one)
        else:
            parts.extend(one)
    return tuple(parts)


def _joined(dataset: Dataset, parts: tuple[Dataset, ...]) -> Dataset:
    dataset._parts = parts
    if dataset._recipe[0] != "zip":
        # Dates and the like are mere numbers to Java; the parts know better.
        for part in parts[1:]:
            if part._fields != parts[0]._fields:
                raise ValueError(
                    f"the fields differ: {parts[0].path} has {_words(parts[0])}, and {part.path} "
                    f"has {_words(part)}"
                )
        dataset._fields = parts[0]._fields
    dataset._recipe = (*dataset._recipe, parts)
    return dataset


def _words(dataset: Dataset) -> str:
    return ", ".join(f"{field.name} {field}" for field in dataset._fields)


def rebuild(kind: str, arguments: list[Any], reopen: Callable[[Any], Dataset]) -> Dataset:
    """Makes a view again from what `Dataset._portable` says. Java learns of it when it is used."""
    if kind == "subset":
        base, indices = arguments
        return Subset(reopen(base), indices.copy())
    if kind == "mix":
        parts, description, *_, sampler = arguments
        mixture = Mixture(_lazy("concat", parts), description, ("mix",))
        mixture.sampler = sampler
        return _joined(mixture, parts)
    if kind == "zip":
        names, parts, description, *_ = arguments
        return _joined(
            Dataset(_lazy("zip", parts, names=names), description, ("zip", names)), parts
        )
    if kind == "windows":
        from ._groups import rebuild_windows

        return rebuild_windows(arguments)
    if kind == "runView":
        from .game2048 import rebuild_view

        return rebuild_view(arguments)
    parts, description, *_ = arguments
    return _joined(Dataset(_lazy("concat", parts), description, ("concat",)), parts)


def _lazy(verb: str, parts: Sequence[Dataset], **more: Any) -> _jvm.Handle:
    return _jvm.LazyHandle(f"the {verb}", lambda: _joined_in_java(verb, parts, **more)[0])
