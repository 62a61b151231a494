# SPDX-License-Identifier: Apache-2.0
"""One field of all records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from . import _index
from ._dtypes import Field


class Records(Protocol):
    """What a column asks of the dataset or store that it belongs to."""

    _row: np.dtype[Any] | None

    @property
    def fields(self) -> dict[str, Field]:
        """The fields by name."""

    def __len__(self) -> int: ...

    def _gather(
        self,
        fields: tuple[Field, ...],
        column: str | None,
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        """Columns of records."""

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        """Copies rows as they are stored."""

    def view(self) -> Any:
        """Arrays over the files."""


class Column:
    """One field of a dataset, read when it is indexed.

    It is indexed like an array. `np.asarray(column)` reads all of it.
    """

    def __init__(self, dataset: Records, name: str) -> None:
        self._dataset = dataset
        self._name = name
        self._field = dataset.fields.get(name)
        # A record inside a record is no field of Java's: its bytes come with their rows.
        self._member: np.dtype[Any] | None = None
        if self._field is None:
            row = dataset._row
            members = None if row is None else row.base.fields
            if members is None or name not in members or row is None:
                raise KeyError(f"no field {name!r}; there are: {', '.join(dataset.fields)}")
            member = members[name][0]
            self._member = np.dtype((member.base, row.shape + member.shape))

    @property
    def name(self) -> str:
        return self._name

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element; `object` for bytes."""
        if self._member is not None:
            return self._member.base
        assert self._field is not None
        return np.dtype(object) if self._field.variable else self._field.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        if self._member is not None:
            return (len(self), *self._member.shape)
        assert self._field is not None
        return (len(self), *(() if self._field.variable else self._field.shape))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, index: Any) -> Any:
        indices, shape = _index.parse(index, len(self))
        if self._field is not None and self._field.variable:
            _index.require_one_dimension(shape, "a list of bytes")
        values = self._values(indices)
        if shape is None:
            return values[0]
        if len(shape) != 1:
            return values.reshape(shape + values.shape[1:])
        return values

    def _values(self, indices: _index.Indices) -> Any:
        if self._member is not None:
            row = self._dataset._row
            assert row is not None
            rows = np.empty((len(indices), *row.shape), row.base)
            self._dataset._rows(indices, rows)
            return rows[self._name].copy()
        assert self._field is not None
        columns = self._dataset._gather((self._field,), self._name, indices, False)
        return columns[self._name]

    def __getitems__(self, indices: Any) -> Any:
        return self[np.asarray(indices, dtype=np.int64)]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), 1024):
            yield from self[start : start + 1024]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("a column is copied into an array; use view() for one without copies")
        values = self[:]
        if not isinstance(values, np.ndarray):
            array = np.empty(len(values), object)
            array[:] = list(values)
            values = array
        whole: np.ndarray[Any, Any] = values
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        """All of it, for `torch.from_dlpack` and the like; fields of numbers only."""
        if options.get("copy") is False:
            raise BufferError("a column is copied; use view() for an array without copies")
        return np.asarray(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The processor's own memory, in DLPack's numbers."""
        return 1, 0

    def view(self) -> Any:
        """The column of the dataset's `view`: read-only, and not contiguous beside other fields."""
        views = self._dataset.view()
        path = [self._name] if self._member is not None else self._name.split(".")
        return (
            [self._part(v, path) for v in views]
            if isinstance(views, list)
            else self._part(views, path)
        )

    def _part(self, view: np.ndarray[Any, Any], path: list[str]) -> np.ndarray[Any, Any]:
        if view.dtype.names is None:
            return view
        if self._name in view.dtype.names:
            return view[self._name]
        for name in path:
            view = view[name]
        return view

    def __repr__(self) -> str:
        return f"<penstock.Column {self._name!r}: {self.dtype}, shape {self.shape}>"
