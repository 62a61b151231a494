# SPDX-License-Identifier: Apache-2.0
"""One field of all records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from . import _index, _reductions
from ._dtypes import Field
from ._rows import require_present


class Records(Protocol):
    """The methods that a column calls on its dataset or store."""

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
        """Reads fields of records into columns."""

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        """Copies rows in their stored form."""

    def view(self) -> Any:
        """Returns zero-copy arrays over the files."""


class Column:
    """One field of a dataset, read when it is indexed.

    It is indexed like an array. `np.asarray(column)` reads all of it.
    """

    def __init__(self, dataset: Records, name: str) -> None:
        self._dataset = dataset
        self._name = name
        self._field = dataset.fields.get(name)
        # Java does not know a nested record as a field, so it is cut from the stored rows.
        self._member: np.dtype[Any] | None = None
        if self._field is None:
            row = dataset._row
            members = None if row is None else row.base.fields
            if members is None or name not in members or row is None:
                hint = ""
                if getattr(dataset, "_has_names", False):
                    hint = "; ds.get(name) reads a record by its name"
                names = ", ".join(dataset.fields)
                raise KeyError(f"no field {name!r}; the fields are {names}{hint}")
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

    @property
    def size(self) -> int:
        """The number of elements in all records."""
        return math.prod(self.shape)

    @property
    def _is_variable(self) -> bool:
        return self._field is not None and self._field.variable

    def __getitem__(self, index: _index.Index) -> Any:
        """Values by an integer, a slice, a list, an array or a mask, or by an index for each
        dimension, as in NumPy."""
        if isinstance(index, tuple) and not self._is_variable:
            return _index.element(self, index, self.shape)
        indices, shape = _index.parse(index, len(self))
        if self._is_variable:
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
        whole = _as_array(self[:])
        require_present(whole, self._name)
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        """Copies the column for `torch.from_dlpack`. The field must hold numbers."""
        if options.get("copy") is False:
            raise BufferError("a column is copied; use view() for an array without copies")
        return np.asarray(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns DLPack's device numbers of CPU memory."""
        return 1, 0

    # Summaries. Each reads the column once, in pieces, so it may be larger than memory. They take
    # the arguments of NumPy's functions, because `np.mean(column)` calls `column.mean` with them.

    def sum(self, axis: int | None = None, *, dtype: Any = None, out: Any = None) -> Any:
        """The sum of all values; with `axis=0` the sum over the records, for each element. A
        `dtype` is the type in which it is added up, and `out` an array that gets it."""
        return _reductions.result(_reductions.total(self, axis, dtype), None, out)

    def mean(self, axis: int | None = None, *, dtype: Any = None, out: Any = None) -> Any:
        """The mean of all values as a 64-bit number; with `axis=0` the mean over the records. A
        `dtype` is the type of the result, and `out` an array that gets it.

        >>> import numpy as np, penstock
        >>> penstock.write("points.npy", {"point": np.array([[1, 2], [3, 6]], "f4")})
        >>> point = penstock.open("points.npy")["point"]
        >>> float(point.mean()), point.mean(axis=0).tolist(), float(point.max())
        (3.0, [2.0, 4.0], 6.0)
        """
        _, mean, _ = _reductions.moments(self, axis)
        return _reductions.result(mean, dtype, out)

    def var(
        self, axis: int | None = None, *, dtype: Any = None, out: Any = None, ddof: float = 0
    ) -> Any:
        """The variance, as in `numpy.var`: of a whole population, or of a sample with `ddof=1`."""
        return _reductions.result(_reductions.variance(self, axis, ddof), dtype, out)

    def std(
        self, axis: int | None = None, *, dtype: Any = None, out: Any = None, ddof: float = 0
    ) -> Any:
        """The standard deviation, as in `numpy.std`: of a whole population, or of a sample with
        `ddof=1`."""
        return _reductions.result(np.sqrt(_reductions.variance(self, axis, ddof)), dtype, out)

    def min(self, axis: int | None = None, *, out: Any = None) -> Any:
        """The smallest value; with `axis=0` the smallest over the records, for each element."""
        return _reductions.result(_reductions.extreme(self, np.minimum, axis), None, out)

    def max(self, axis: int | None = None, *, out: Any = None) -> Any:
        """The largest value; with `axis=0` the largest over the records, for each element."""
        return _reductions.result(_reductions.extreme(self, np.maximum, axis), None, out)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All values as an array in memory. Missing values are masked; `np.asarray` raises then."""
        return _as_array(self[:])

    def view(self) -> Any:
        """The column of the dataset's `view`: read-only, and not contiguous when rows have other
        fields."""
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


def _as_array(values: Any) -> np.ndarray[Any, Any]:
    """The values of a column as one array: of objects, unless they are an array already."""
    if isinstance(values, np.ndarray):
        return values
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array
