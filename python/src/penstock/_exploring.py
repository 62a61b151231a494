# SPDX-License-Identifier: Apache-2.0
"""Methods of `Dataset` to look at records, summarise them and convert them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments, _display, _jvm, _rows, _tabular
from ._errors import DatasetError

if TYPE_CHECKING:
    from ._dataset import Dataset
    from ._dtypes import Field
    from ._mapped import Mapped

# The number of names that are read in one call.
_NAMES_COUNT = 1 << 16

# In place of a default that was not given.
REQUIRED: Any = object()


class Exploring:
    """The methods of `Dataset` for looking at records, summarising and converting them."""

    _names: list[str] | None = None
    _numbers_by_name: dict[str, int] | None = None
    _keys: _jvm.Handle | None = None
    _keys_of: str | None = None

    if TYPE_CHECKING:
        # Members that `Dataset` provides.
        _count: int
        _fields: tuple[Field, ...]

        def __len__(self) -> int: ...
        @property
        def fingerprint(self) -> str: ...
        def __getitem__(self, index: Any) -> Any: ...
        def _java(self) -> _jvm.Handle: ...
        def name(self, index: int) -> str | None: ...
        def select(self, indices: Any) -> Dataset: ...
        def where(self, condition: str) -> Dataset: ...

    # Names.

    @property
    def _has_names(self) -> bool:
        return self._count > 0 and self.name(0) is not None

    @property
    def names(self) -> list[str]:
        """The names of all records in their order, or an empty list where the format keeps no
        names. A pack that was built from files has their paths as names."""
        if self._names is None:
            self._names = self._read_names() if self._has_names else []
        return list(self._names)

    def _read_names(self) -> list[str]:
        names: list[str] = []
        handle = self._java().number
        for first in range(0, self._count, _NAMES_COUNT):
            count = min(_NAMES_COUNT, self._count - first)
            names += _jvm.call("names", handle=handle, first=first, count=count)
        return names

    def find(self, name: str | bytes | int) -> int:
        """Returns the index of the record with a name. If several have it, the first one counts.

        A pack keeps names of its records. For other formats `penstock.convert(..., name="field")`
        makes an index of a field; names are texts, whole numbers, or bytes.

        Raises:
            KeyError: when no record has the name

        >>> import penstock
        >>> rows = {"word": ["cat", "cow"], "legs": [4, 4]}
        >>> made = penstock.convert(rows, "words", to="store", name="word")
        >>> penstock.open("words").find("cow")
        1
        """
        if not self._has_names:
            return self._find_key(name)
        if not isinstance(name, str):
            raise TypeError(f"name must be a string, got {_arguments.shown(name)}")
        if self._numbers_by_name is None:
            names = self.names
            # Records are inserted in reverse, so the first record with a name wins.
            pairs = zip(reversed(names), range(len(names) - 1, -1, -1), strict=True)
            self._numbers_by_name = dict(pairs)
        number = self._numbers_by_name.get(name)
        if number is None:
            raise KeyError(f"{name}: no record has this name")
        return number

    def _find_key(self, name: Any) -> int:
        """The index of the record with a key, by the index of keys."""
        is_number = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
        if not is_number and not isinstance(name, (str, bytes)):
            raise TypeError(
                f"name must be a string, bytes or a whole number, got {_arguments.shown(name)}"
            )
        java = self._java().number
        if self._keys is None or self._keys_of != self.fingerprint:
            try:
                self._keys = _jvm.create("the index of keys", "keys", handle=java)[0]
                self._keys_of = self.fingerprint
            except DatasetError:
                raise
            except ValueError as e:
                raise KeyError(f"{name!r}: {e}") from None
        text = name if isinstance(name, bytes) else str(name).encode("utf-8", "surrogateescape")
        key = np.frombuffer(text, np.uint8)
        number = _jvm.call(
            "find", handle=self._keys.number, key=key.ctypes.data, keyBytes=key.nbytes
        )
        if number is None:
            raise KeyError(f"{name!r}: no record has this name")
        return int(number)

    def get(self, name: str | bytes | int, default: Any = REQUIRED) -> Any:
        """The record with a name. `find` gives its index.

        Raises:
            KeyError: when no record has the name, unless a default is given

        >>> import penstock
        >>> with penstock.PackWriter("animals.a2pack") as writer:
        ...     writer.append(b"meow", name="cat.txt")
        ...     writer.append(b"woof", name="dog.txt")
        >>> ds = penstock.open("animals.a2pack")
        >>> ds.names, ds.get("dog.txt"), ds.get("cow.txt", b"")
        (['cat.txt', 'dog.txt'], b'woof', b'')
        """
        try:
            return self[self.find(name)]
        except KeyError:
            if default is REQUIRED:
                raise
            return default

    # Looking.

    def head(self, n: int = 5) -> Dataset:
        """The first `n` records as a dataset, which shows them as a table when it is printed.

        >>> import numpy as np, penstock
        >>> penstock.write("squares.npy", {"n": np.arange(9), "square": np.arange(9) ** 2})
        >>> penstock.open("squares.npy").head(3)
           n  square
        0  0       0
        1  1       1
        2  2       4
        """
        from ._views import Head

        n = _arguments.integer("n", n, minimum=0)
        return Head(self._dataset(), np.arange(min(n, self._count), dtype=np.int64))

    def _dataset(self) -> Dataset:
        from ._dataset import Dataset

        assert isinstance(self, Dataset)
        return self

    def _repr_html_(self) -> str:
        return _display.html_text(self._dataset())

    def stats(self) -> dict[str, dict[str, Any]]:
        """Statistics of each field by its name, from one pass over all records: `count`, `missing`,
        `min`, `max`, `mean`, `std`, `nonFinite` and a `histogram`. For texts, bytes and values of
        any length, `sizes` is true and the statistics are of the sizes in bytes.

        >>> import numpy as np, penstock
        >>> ds = penstock.from_memory({"x": np.array([1.0, 2.0, 6.0])})
        >>> stats = ds.stats()["x"]
        >>> stats["count"], stats["min"], stats["max"], stats["mean"]
        (3, 1.0, 6.0, 3.0)
        """
        answer = _jvm.call_patiently("fieldStats", handle=self._java().number)
        return {one.pop("name"): one for one in answer}

    # Functions of records.

    def map(self, function: Callable[[Any], Any]) -> Mapped:
        """The records as a function returns them. The function is called when a record is read: by
        indexing, by iterating, or by a `penstock.Loader`, which stacks the results to batches.

        >>> import numpy as np, penstock
        >>> ds = penstock.from_memory(np.arange(5))
        >>> doubled = ds.map(lambda number: 2 * int(number))
        >>> doubled[3], doubled[:2]
        (6, [0, 2])
        """
        from ._mapped import mapped

        return mapped(self._dataset(), function)

    def filter(self, function: Callable[[Any], Any] | str) -> Dataset:
        """The records for which a function returns true, as a dataset. Each record is read once,
        now. A text is a condition for `where`, which is much faster.

        >>> import numpy as np, penstock
        >>> ds = penstock.from_memory(np.arange(9))
        >>> ds.filter(lambda number: number % 4 == 0)[:]
        array([0, 4, 8])
        """
        from ._mapped import filtered

        if isinstance(function, str):
            return self.where(function)
        return filtered(self._dataset(), function)

    # Conversion.

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All records as an array in memory: structured where records have fields, and of `bytes`
        objects for a pack. Missing values are masked; `np.asarray` raises then."""
        try:
            return np.asarray(self)
        except _rows.MissingValuesError:
            return _rows.masked(self._dataset())

    def to_pandas(self) -> Any:
        """All records as a `pandas.DataFrame` in memory. Values with several elements become cells
        that hold arrays."""
        return _tabular.to_pandas(self._dataset())

    def to_arrow(self) -> Any:
        """All records as a `pyarrow.Table` in memory. Values with several elements become lists of
        a fixed size, and bytes become binary values."""
        return _tabular.to_arrow(self._dataset())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All records as a stream of Arrow, some at a time, for `duckdb.from_arrow`,
        `polars.from_arrow` and other libraries with Arrow's PyCapsule interface. Needs pyarrow."""
        from . import _streams

        return _streams.stream(self._dataset()).__arrow_c_stream__(requested_schema)
