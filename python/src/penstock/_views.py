# SPDX-License-Identifier: Apache-2.0
"""Views: datasets made of other datasets, without copying records."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments, _display, _index, _jvm
from ._dataset import Dataset

if TYPE_CHECKING:
    from .samplers import Sampler


class Subset(Dataset):
    """Some records of another dataset. Python keeps the indices and translates them before it calls
    Java. The Java object of the subset is made when a loader or a fingerprint needs it."""

    def __init__(
        self, base: Dataset, indices: _index.Indices, condition: str | None = None
    ) -> None:
        # The condition that exactly these records of the base match, for checkpoints.
        self._condition = _joined_conditions(base, condition)
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
        # Records that were selected one by one may be in any order.
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
            **({} if self._condition is None else {"condition": self._condition}),
        )
        return handle

    def _require_open(self) -> None:
        if self._is_closed:
            raise ValueError(f"the subset of {self.path} is closed")

    def _translated(self, indices: _index.Indices) -> _index.Indices:
        self._require_open()
        try:
            # NumPy counts negative indices from the end here as well.
            return self._indices[indices]
        except IndexError:
            # Raises the same message as all datasets.
            return self._indices[_index.wrap(indices, self._count)]

    def _gather(self, fields: Any, column: Any, indices: Any, as_ragged: bool) -> dict[str, Any]:
        return self._base._gather(fields, column, self._translated(indices), as_ragged)

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        self._base._rows(self._translated(indices), out)

    def view(self) -> Any:
        raise ValueError("a subset cannot be viewed as one array; use view() of the whole dataset")

    def close(self) -> None:
        """Closes the view. Its base dataset stays open."""
        self._is_closed = True
        if self._subset is not None:
            self._subset.close()

    @property
    def closed(self) -> bool:
        return self._is_closed or self._base.closed

    def _portable(self) -> tuple[Any, ...]:
        self._require_open()
        return ("subset", self._base._portable(), self._indices, self._condition)


def _joined_conditions(base: Dataset, condition: str | None) -> str | None:
    """Returns the condition on the records of the root dataset, if there is one."""
    if condition is None or not isinstance(base, Subset):
        return condition
    return None if base._condition is None else f"({base._condition}) and ({condition})"


class Head(Subset):
    """The first records of a dataset, which are shown as a table."""

    def __repr__(self) -> str:
        if self.closed:
            return f"<penstock.Dataset {self.path!r}, closed>"
        return _display.text_table(_display.rows(self, len(self)))

    def _repr_html_(self) -> str:
        return _display.html_table(_display.rows(self, len(self)))


class Mixture(Dataset):
    """Several datasets one after another, with a sampler that draws from each in proportion."""

    sampler: Sampler

    def _portable(self) -> tuple[Any, ...]:
        return (*super()._portable(), self.sampler)


def joined_in_java(
    verb: str, parts: Sequence[Dataset], **more: Any
) -> tuple[_jvm.Handle, dict[str, Any]]:
    handles = [part._java().number for part in parts]
    return _jvm.create(f"the {verb}", verb, parts=handles, **more)


def concat(*datasets: Dataset | Sequence[Dataset]) -> Dataset:
    """The records of several datasets with the same fields, one after another."""
    parts = flat(datasets)
    return joined(Dataset(*joined_in_java("concat", parts), ("concat",)), parts)


def opened_as_one(parts: Sequence[Dataset]) -> Dataset:
    """Concatenates datasets. Closing the result closes them too."""
    for part in parts:
        if not isinstance(part, Dataset):
            raise ValueError(
                f"{part.path} is a tree, and only datasets of records are opened as one"
            )
    whole = concat(*parts)
    whole._owned = tuple(parts)
    return whole


def zip(*datasets: Mapping[str, Dataset], **named: Dataset) -> Dataset:
    """Records side by side: record `i` has the fields of record `i` of each dataset.

    Fields are called `NAME.FIELD`, or `NAME` where a dataset has plain values only.
    """
    together: dict[str, Dataset] = {}
    for more in (*datasets, named):
        if not isinstance(more, Mapping):
            raise TypeError(
                "zip takes datasets by name, such as zip(image=images, label=labels), got "
                f"{_arguments.shown(more)}"
            )
        together.update(more)
    parts, names = tuple(map(require_dataset, together.values())), list(together)
    return joined(Dataset(*joined_in_java("zip", parts, names=names), ("zip", names)), parts)


def flat(datasets: Sequence[Dataset | Sequence[Dataset]]) -> tuple[Dataset, ...]:
    parts: list[Dataset] = []
    for one in datasets:
        if isinstance(one, (list, tuple)):
            parts.extend(flat(one))
        else:
            parts.append(require_dataset(one))
    return tuple(parts)


def require_dataset(value: Any) -> Dataset:
    if isinstance(value, Dataset):
        return value
    raise TypeError(
        f"the arguments must be datasets, got {_arguments.shown(value)}; use "
        "penstock.open(path), or "
        "penstock.from_memory(data) for an array"
    )


def joined(dataset: Dataset, parts: tuple[Dataset, ...]) -> Dataset:
    dataset._parts = parts
    if dataset._recipe[0] != "zip":
        # Dates are plain numbers to Java, so the types come from the parts.
        for part in parts[1:]:
            if part._fields != parts[0]._fields:
                raise ValueError(
                    f"the fields differ: {parts[0].path} has {_words(parts[0])}, and {part.path} "
                    f"has {_words(part)}"
                )
        dataset._fields = parts[0]._fields
    else:
        known = {
            name if part.is_plain else f"{name}.{field.name}": field
            for name, part in builtins.zip(dataset._recipe[1], parts, strict=True)
            for field in part._fields
        }
        dataset._fields = tuple(
            known[field.name]._replace(name=field.name) if field.name in known else field
            for field in dataset._fields
        )
    dataset._recipe = (*dataset._recipe, parts)
    return dataset


def _words(dataset: Dataset) -> str:
    return ", ".join(f"{field.name} {field}" for field in dataset._fields)


def rebuild(kind: Any, arguments: list[Any], reopen: Callable[[Any], Dataset]) -> Dataset:
    """Makes a view from the recipe of `Dataset._portable`. Its Java object is made on first use."""
    if kind == "subset":
        base, indices, condition = arguments
        return Subset(reopen(base), indices.copy(), condition)
    if kind == "grouped":
        from ._groups import rebuild_view as rebuild_grouped

        base, *selection = arguments
        return rebuild_grouped(reopen(base), *selection)
    if kind == "mix":
        parts, description, _, fingerprint, sampler = arguments
        mixture = Mixture(_lazy("concat", parts), description, ("mix",))
        mixture._promised = fingerprint
        mixture.sampler = sampler
        return joined(mixture, parts)
    if kind == "zip":
        names, parts, description, _, fingerprint = arguments
        zipped = Dataset(_lazy("zip", parts, names=names), description, ("zip", names))
        zipped._promised = fingerprint
        return joined(zipped, parts)
    if kind == "memory":
        from ._in_memory import rebuild as rebuild_memory

        return rebuild_memory(*arguments)
    if kind == "windows":
        from ._windows import rebuild as rebuild_windows

        return rebuild_windows(arguments)
    if callable(kind):
        # A view of a plug-in names the function that makes it.
        rebuilt: Dataset = kind(arguments)
        return rebuilt
    parts, description, _, fingerprint = arguments
    whole = Dataset(_lazy("concat", parts), description, ("concat",))
    whole._promised = fingerprint
    return joined(whole, parts)


def _lazy(verb: str, parts: Sequence[Dataset], **more: Any) -> _jvm.Handle:
    return _jvm.LazyHandle(f"the {verb}", lambda: joined_in_java(verb, parts, **more)[0])
