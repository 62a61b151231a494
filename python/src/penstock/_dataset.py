# SPDX-License-Identifier: Apache-2.0
"""The class `Dataset`, and `open`."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast, overload

import numpy as np

from . import _arguments, _dtypes, _index, _jvm, _paths, _several
from ._column import Column
from ._display import count_text, size_text
from ._dtypes import Field
from ._errors import CorruptDataError
from ._exploring import Exploring
from ._forked import ForkedRows
from ._history import Origin, origins_of
from ._maps import RecordViews, identity, map_rows, require_unchecked
from ._memory import BatchInfo
from ._paths import PathLike
from ._rows import HEAD_BYTES, columns, fill, read_rows
from ._served import ServedRecords
from ._torch import ReadyBatch
from ._tree import Tree
from ._verification import Verification

# The number of bytes that loops over all records read at once.
_CHUNK_BYTES = 1 << 20

# Reads of at most this many bytes of a table come as rows, which NumPy splits into columns. That is
# faster for few records, and keeps no batch in Java: a program may keep millions of records.
_SMALL_BYTES = 2048


def gather(
    handle: _jvm.Handle, fields: tuple[Field, ...], indices: _index.Indices, as_ragged: bool
) -> dict[str, Any]:
    """Copies records into fresh columns.

    Raises:
        IndexError: when an index is out of range
    """
    info, batch = BatchInfo(fields), _jvm.Handle("the batch")
    data = indices.__array_interface__["data"][0]
    java = _jvm.functions()
    status = java.take(batch.number, handle.number, data, len(indices), info.address)
    if status < 0:
        _jvm.fail(status)
    return info.values(batch, as_ragged)


class Dataset(Exploring):
    """Records by index; made by `penstock.open`, and by methods such as `select` and `where`.

    A dataset with one field called `value`, such as a plain array or a pack, has that field's
    values as its records. Any other has dictionaries by field name. Indexing always returns a
    writable copy that outlives the dataset.

    >>> import numpy as np, penstock
    >>> rows = np.zeros(100, dtype=[("board", "<u8"), ("move", "u1")])
    >>> rows["board"] = np.arange(100)
    >>> np.save("steps.npy", rows)
    >>> ds = penstock.open("steps.npy")
    >>> len(ds), ds[-1]["board"], ds[[3, 1]]["board"]
    (100, np.uint64(99), array([3, 1], dtype=uint64))
    >>> ds["board"][10:13]
    array([10, 11, 12], dtype=uint64)
    """

    # Whether the array has no dimensions: it is one record. A subset of it has a dimension.
    _is_scalar = False

    # The fingerprint in the pickle that this dataset was made from. The files are compared with it
    # when they are opened, which a forked process cannot do.
    _promised: str | None = None

    def __init__(
        self, handle: _jvm.Handle, description: dict[str, Any], recipe: tuple[Any, ...]
    ) -> None:
        self._handle = handle
        self._description = description
        self._recipe = recipe
        self._count: int = description["records"]
        self._fields = _dtypes.fields(description)
        self._row = _dtypes.row_dtype(description)
        # The dtype of arrays that rows are copied into without conversion.
        self._row_type = None if self._row is None or HEAD_BYTES is None else self._row.base
        # Java's view of single fields. Columns refer to the dataset and not the other way round, so
        # that both are gone with their last user and not with the next garbage collection.
        self._sources: dict[str, _jvm.Handle] = {}
        self._is_scalar = bool(description.get("isScalar"))
        self._fingerprint: str | None = None
        self._forked: ForkedRows | None = None
        files = description.get("files") or [description["path"]]
        self._identities = {file: identity(file) for file in files}
        # Views need their parts for as long as they live.
        self._parts: tuple[Dataset, ...] = ()
        # Datasets that are closed together with this one.
        self._owned: tuple[Dataset, ...] = ()
        # Keeps a name in /proc valid.
        self._source_path: _paths.Source | None = None

    # Properties.

    def __len__(self) -> int:
        return self._count

    @property
    def path(self) -> str:
        """The path this dataset was opened from, or `<memory>` for data in memory."""
        path = str(self._description["path"])
        # A view of data in memory has the path of an anonymous file, which means nothing to users.
        is_anonymous = self._source_path is None and path.startswith("/proc/self/fd/")
        return "<memory>" if is_anonymous else path

    @property
    def format(self) -> str:
        """The name of the format."""
        return str(self._description["format"])

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of a record, by name."""
        return {field.name: field for field in self._fields}

    @property
    def is_plain(self) -> bool:
        """Whether records are bare values and not dictionaries."""
        return len(self._fields) == 1 and self._fields[0].name == "value"

    @property
    def _is_bare_field(self) -> bool:
        """Whether rows are stored with a single field called `value`, so that they differ from the
        records, which are bare values."""
        return self.is_plain and self._row is not None and self._row.base.names is not None

    @property
    def _is_plain_array(self) -> bool:
        """Whether an array of all records has no fields."""
        return self.dtype.names is None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array with all records, which `np.asarray` makes. It is `()` for a file
        with one value and no dimensions, which is a dataset of one record."""
        if self._is_scalar:
            return ()
        if self._row is not None and not self._is_bare_field:
            return (self._count, *self._row.shape)
        return (self._count, *(self._fields[0].shape if self.is_plain else ()))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element: structured for records with fields, `object` for bytes."""
        if self.is_plain:
            return np.dtype(object) if self._fields[0].variable else self._fields[0].dtype
        if self._row is not None:
            return self._row.base
        return np.dtype(
            [
                (field.name, object) if field.variable else (field.name, field.dtype, field.shape)
                for field in self._fields
            ]
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all records of a table, otherwise of its files."""
        if self._row is not None:
            return self._count * self._row.itemsize
        return int(self._description["bytes"])

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata that the writer stored."""
        return dict(self._description["metadata"])

    @property
    def facts(self) -> dict[str, Any]:
        """Facts about the file that are specific to its format."""
        return dict(self._description["facts"])

    @property
    def fingerprint(self) -> str:
        """A short text that identifies the records and their order, wherever the files are.

        It is quick: it covers the checksums that the writer stored or, where there are none,
        256 KiB of samples. `full_fingerprint` reads every record.
        """
        if self._promised is not None and _jvm.is_forked():
            return self._promised
        if self._fingerprint is None:
            self._fingerprint = str(_jvm.call("fingerprint", handle=self._java().number))
        return self._fingerprint

    def full_fingerprint(self) -> str:
        """The fingerprint of every byte of every record: another text than `fingerprint`, and the
        same for the same records in other files or another format."""
        return str(_jvm.call("fullFingerprint", handle=self._java().number))

    def name(self, index: int) -> str | None:
        """The name of a record, where the format keeps one."""
        parsed, shape = _index.parse(index, self._count)
        if shape is not None:
            raise TypeError(
                f"index must be an integer for one record, got {_arguments.shown(index)}"
            )
        indices = _index.wrap(parsed, self._count)
        name = _jvm.call("name", handle=self._java().number, index=int(indices[0]))
        return None if name is None else str(name)

    def origins(self, index: int) -> list[Origin]:
        """Where a record comes from, through filters, mixtures, windows and concatenations: the
        dataset, its file, and the number and name of the record in them. A record of `zip` has
        several.

        >>> import numpy as np, penstock
        >>> penstock.write("first.npy", np.arange(10))
        >>> penstock.write("second.npy", np.arange(10, 30))
        >>> both = penstock.concat(penstock.open("first.npy"), penstock.open("second.npy"))
        >>> both.select(range(8, 12)).origins(3)[0].record
        1
        """
        return origins_of(self._java().number, int(_index.wrap(np.array([index]), self._count)[0]))

    def __repr__(self) -> str:
        if self._handle.is_closed:
            return f"<penstock.Dataset {self.path!r}, closed>"
        text = f"<penstock.Dataset {self.path!r}: {self.format}, {count_text(self._count)}, "
        text += size_text(self.nbytes)
        width = max((len(field.name) for field in self._fields), default=0)
        for field in self._fields[:20]:
            text += f"\n  {field.name:<{width}}  {field}"
        if len(self._fields) > 20:
            text += f"\n  and {len(self._fields) - 20} more fields"
        return text + ">"

    # Records.

    def _java(self) -> _jvm.Handle:
        """Returns Java's handle of the dataset."""
        return self._handle

    def _root(self) -> Dataset:
        """The dataset that Java gathers from: this one, or the one it is a view of."""
        return self

    def _base_indices(self, indices: _index.Indices) -> _index.Indices:
        """Records of this dataset as records of its root."""
        return indices

    def _gather(
        self,
        fields: tuple[Field, ...],
        column: str | None,
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        """Reads one field of records, or all fields if the name is None."""
        row = self._row
        if row is not None and len(indices) * row.itemsize <= _SMALL_BYTES:
            rows = np.empty((len(indices), *row.shape), row.base)
            self._rows(indices, rows)
            return columns(rows, fields)
        if _jvm.is_forked():
            return self._gather_after_fork(fields, column, indices, as_ragged)
        handle = self._handle if column is None else self._source(column)
        try:
            return gather(handle, fields, indices, as_ragged)
        except IndexError:
            return gather(handle, fields, _index.wrap(indices, self._count), as_ragged)

    @overload
    def __getitem__(self, index: str) -> Column: ...
    @overload
    def __getitem__(self, index: list[str]) -> dict[str, Column]: ...
    @overload
    def __getitem__(self, index: _index.Index) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        """Records by an integer, a slice, a list, an array or a mask; a column by the name of its
        field; or a dictionary of columns by a list of names. A dataset of plain values takes an
        index for each dimension as NumPy does, such as `ds[3, 1]`."""
        if isinstance(index, str):
            return Column(self, index)
        if isinstance(index, list) and index and all(isinstance(one, str) for one in index):
            return {name: Column(self, name) for name in index}
        if isinstance(index, tuple):
            return self._element(index)
        indices, shape = self._parse(index)
        return self._shaped(self._gather(self._fields, None, indices, False), shape)

    def _element(self, index: tuple[Any, ...]) -> Any:
        """A part of some records, such as `ds[3, 1]` or `ds[:, 0]`."""
        if not self.is_plain or self._fields[0].variable:
            what = "records with fields" if not self.is_plain else "records of any length"
            raise IndexError(
                f"{what} take one index, got {_arguments.shown(index)}; index a column, such as "
                f"ds[{self._fields[0].name!r}][3, 1], or what ds[...] returns"
            )
        return _index.element(self, index, self.shape)

    def _parse(self, index: Any) -> tuple[_index.Indices, tuple[int, ...] | None]:
        """The records an index asks for, and the shape of the result."""
        indices, shape = _index.parse(index, self._count)
        if any(field.variable for field in self._fields):
            _index.require_one_dimension(shape, "a list of bytes")
        return indices, shape

    def _shaped(self, columns: dict[str, Any], shape: tuple[int, ...] | None) -> Any:
        if shape is None:
            columns = {name: values[0] for name, values in columns.items()}
        elif len(shape) != 1:
            columns = {
                name: values.reshape(shape + values.shape[1:]) for name, values in columns.items()
            }
        return columns["value"] if self.is_plain else columns

    def __getitems__(self, indices: Sequence[int]) -> Any:
        """Many records in one call, as one batch: PyTorch's `DataLoader` calls this method."""
        batch = self[np.asarray(indices, dtype=np.int64)]
        return ReadyBatch(batch) if isinstance(batch, dict) else batch

    def _getitems(self, indices: Sequence[int]) -> Sequence[Any]:
        """Many records in one call, each by itself: Grain calls this method."""
        batch = self[np.asarray(indices, dtype=np.int64)]
        if not isinstance(batch, dict):
            return list(batch)
        return [{name: values[i] for name, values in batch.items()} for i in range(len(indices))]

    def take(self, indices: Any, out: Any = None, *, ragged: bool = False) -> Any:
        """Records in the order of the indices, which may repeat.

        Args:
            indices: whole numbers, negative ones from the end
            out: an array of `dtype` that is filled and returned, structured for a table with
                fields and of objects for a pack; or a dictionary of columns. Another type is
                filled if it holds the values as they are; floating-point numbers may be rounded
            ragged: fields of bytes as `Ragged` rather than as a list of `bytes`

        Raises:
            IndexError: when an index is out of range
            ValueError: when `out` has another shape, or cannot hold the values
        """
        # The fast path for the usual case: Java checks the indices while it gathers.
        if (
            self._row_type is not None
            and type(out) is np.ndarray
            and type(indices) is np.ndarray
            and indices.dtype is _index.INT64
            and out.dtype == self._row_type
            and HEAD_BYTES is not None
        ):
            try:
                java_fill = _jvm.functions().fill
                head = HEAD_BYTES
                if java_fill(self._handle.number, id(indices) + head, id(out) + head) == 0:
                    return out
            except _jvm.ForkedError:
                pass
        if out is not None:
            return fill(self, *_index.parse(indices, self._count), out)
        parsed, shape = self._parse(indices)
        return self._shaped(self._gather(self._fields, None, parsed, ragged), shape)

    def _rows(self, indices: _index.Indices, out: np.ndarray[Any, Any]) -> None:
        """Copies rows of a table in their stored form."""
        if _jvm.is_forked():
            self._after_fork().read(indices, out)
            return
        try:
            read_rows(self._handle, indices, out)
        except IndexError:
            read_rows(self._handle, _index.wrap(indices, self._count), out)

    def _gather_after_fork(
        self,
        fields: tuple[Field, ...],
        column: str | None,
        indices: _index.Indices,
        as_ragged: bool,
    ) -> dict[str, Any]:
        """`_gather` in a forked process. NumPy reads the files of a table. The process that runs
        Java reads other formats."""
        if self._row is not None and not _paths.is_remote(self.path):
            return self._after_fork().columns(fields, indices)
        self._handle.require_open()
        served = ServedRecords(self._handle, self._portable)
        return served.gather(fields, column, _index.wrap(indices, self._count), as_ragged)

    def _after_fork(self) -> ForkedRows:
        self._handle.require_open()
        if self._forked is None:
            self._forked = ForkedRows(self)
        return self._forked

    def _source(self, name: str) -> _jvm.Handle:
        """Returns Java's view of the dataset with one field only."""
        if len(self._fields) == 1:
            return self._handle
        source = self._sources.get(name)
        if source is None:
            source, _ = _jvm.create(
                f"the column {name}", "choose", handle=self._handle.number, fields=[name]
            )
            self._sources[name] = source
        return source

    def __iter__(self) -> Iterator[Any]:
        size = max(1, self.nbytes // max(1, self._count))
        chunk = int(max(1, min(4096, _CHUNK_BYTES // size)))
        for start in range(0, self._count, chunk):
            part = self[start : start + chunk]
            if self.is_plain:
                yield from part
            else:
                for row in range(min(chunk, self._count - start)):
                    yield {name: values[row] for name, values in part.items()}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("records are copied into an array; use view() for one without copies")
        out = np.empty(self.shape, self.dtype)
        everything = np.arange(self._count, dtype=np.int64)
        fill(self, everything, None if self._is_scalar else everything.shape, out)
        return out if dtype is None else out.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        """Copies all records of a table of plain numbers, for `torch.from_dlpack`."""
        if options.get("copy") is False:
            raise BufferError("records are copied; use view() for an array without copies")
        return np.asarray(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def view(self) -> Any:
        """The records as read-only arrays over the files themselves, without copying.

        A table is one array, or a list of them when it has several files. A pack is a sequence of
        arrays of bytes. Files are mapped anew, so arrays stay valid after `close`. As with every
        map, do not shorten a file while it is in use.
        """
        if _jvm.is_forked():
            self._handle.require_open()
        else:
            # Raises when the dataset is closed, or was pickled and its files have changed.
            self._handle.number  # noqa: B018
        if self._row is not None:
            views = map_rows(self)
            if self._is_scalar:
                return views[0].reshape(())
            return views[0] if len(views) == 1 else views
        if self.format == "pack":
            require_unchecked(self)
            return RecordViews(self)
        raise ValueError(f"{self!r} has no records that lie in files one after another")

    # Selections.

    def select(self, indices: Any) -> Dataset:
        """These records as a dataset, without copying any.

        Args:
            indices: integers, a slice, a mask, or the path of a NumPy file with indices, such as
                one that `penstock select` or `penstock.doctor` wrote
        """
        from ._views import Subset

        if isinstance(indices, (str, bytes, os.PathLike)):
            indices = np.load(_paths.absolute(indices), allow_pickle=False)
        parsed, shape = _index.parse(indices, self._count)
        _index.require_one_dimension(shape, "a dataset")
        return Subset(self, _index.wrap(parsed, self._count))

    def where(self, condition: str) -> Dataset:
        """The records that match a condition, such as `move == 2 and reward > 3`.

        Where records come in groups, the condition may name attributes of the groups as well, and
        the result has groups, too.
        """
        from ._views import Subset

        if not isinstance(condition, str):
            raise TypeError(f"condition must be a string, got {_arguments.shown(condition)}")
        if self._is_grouped:
            from ._groups import chosen

            return chosen(self, "groups.where", condition=condition)

        handle, answer = _jvm.create_patiently(
            "the subset", "where", handle=self._java().number, condition=condition
        )
        indices = np.empty(answer["records"], np.int64)
        _jvm.call(
            "baseIndices",
            handle=handle.number,
            target=indices.ctypes.data,
            targetBytes=indices.nbytes,
        )
        return Subset(self, indices, condition)

    def split(
        self, test: float | int = 0.1, seed: int = 0, *, by: str = "record"
    ) -> tuple[Dataset, Dataset]:
        """Two datasets, for training and for testing: a random part, and the rest.

        Args:
            test: the number of records in the second part, or its share if it is a float
            seed: the seed of the random choice. The same seed gives the same parts on every machine
            by: `record`, or `group` to keep all records of a group in one part. `test` then counts
                groups, and a share takes at least one group
        """
        _arguments.choice("by", by, ("record", "group"))
        seed = _arguments.integer("seed", seed)
        if isinstance(test, (float, np.floating)):
            test = _arguments.finite("test", test)
        else:
            try:
                test = _arguments.integer("test", test)
            except TypeError:
                raise TypeError(
                    "test must be a number of records or a fraction such as 0.1, got "
                    f"{_arguments.shown(test)}"
                ) from None
        if by == "group":
            from ._groups import split

            return split(self, test, seed)
        from .samplers import Permutation

        size = round(test * self._count) if isinstance(test, float) else test
        if not 0 <= test <= (1 if isinstance(test, float) else self._count):
            limit = "1.0" if isinstance(test, float) else f"{self._count}, the number of records"
            raise ValueError(f"test must be between 0 and {limit}, got {test}")
        indices = np.empty(0, np.int64)
        if self._count:
            indices = Permutation(self._count, seed=seed).draw(0, self._count)
        # Records keep their order, which keeps reads close to each other.
        return self.select(np.sort(indices[size:])), self.select(np.sort(indices[:size]))

    # Groups of records.

    @property
    def _is_grouped(self) -> bool:
        return "groups" in self._description

    @property
    def groups(self) -> dict[str, np.ndarray[Any, Any]]:
        """The attributes of the groups by name, an array with a value for each group.

        The two that give the range of a group count records of this dataset. Texts are `str`, as in
        `sqlite3`. Missing numbers are masked; missing texts are None.

        Raises:
            ValueError: when the records do not come in groups
        """
        from ._groups import columns

        return columns(self)

    def windows(self, length: int, stride: int = 1) -> Dataset:
        """Every run of consecutive records of a length, as a dataset whose fields have the length
        as their first dimension. Where records come in groups, a window stays inside its group. It
        is the same as `penstock.windows`.

        Args:
            length: the number of records in a window
            stride: the distance between the starts of two windows, in records
        """
        from ._windows import windows

        return windows(self, length, stride=stride)

    def verify(self) -> Verification:
        """Reads every byte and checks every checksum; damage is reported in the result and raises
        no exception."""
        return Verification.of(_jvm.call_patiently("verify", handle=self._java().number))

    def refresh(self) -> bool:
        """Moves on to the last commit of a store, which another process may have made meanwhile.
        Of several stores that are open as one, each moves on, and the records that were added to
        one come before those of the next. Datasets of other formats do not change.

        Returns:
            whether there is a later commit
        """
        return self._update(move=True)

    def _update(self, move: bool) -> bool:
        """Updates the properties from Java. With `move`, the dataset first moves on to the last
        commit."""
        if self.format not in ("store", "concat"):
            return False
        answer = _jvm.call("storeRefresh", handle=self._java().number, move=move)
        moved = bool(answer.pop("moved"))
        if answer["fields"] != self._description["fields"]:
            raise ValueError(f"the fields of {self.path} have changed; open it again")
        self._description.update(answer)
        if moved or self._count != answer["records"]:
            self._count = answer["records"]
            self._fingerprint = None
        return moved

    def prepare(self) -> None:
        """Starts to load the files into memory, if the memory budget allows them to stay
        resident."""
        _jvm.call("prepare", handle=self._java().number)

    # Closing and pickling.

    def close(self) -> None:
        """Unmaps the files. Records that were read stay valid."""
        for source in list(self._sources.values()):
            source.close()
        self._handle.close()
        for part in self._owned:
            part.close()

    @property
    def closed(self) -> bool:
        return self._handle.is_closed

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self._portable(),)

    def _portable(self) -> tuple[Any, ...]:
        """Returns the recipe from which another process makes the dataset again."""
        return (*self._recipe, self._description, self._identities, self.fingerprint)


_Opened = TypeVar("_Opened")


@overload
def open(
    path: PathLike | Iterable[PathLike],
    *,
    expect: type[_Opened],
    dtype: Any = None,
    io: str = "mmap",
    memory: int | None = None,
    lenient: bool = False,
    verify: str | None = None,
    snapshot: str | None = None,
    cache: str | int | None = None,
) -> _Opened: ...
@overload
def open(
    path: PathLike | Iterable[PathLike],
    *,
    dtype: Any = None,
    io: str = "mmap",
    memory: int | None = None,
    lenient: bool = False,
    verify: str | None = None,
    snapshot: str | None = None,
    cache: str | int | None = None,
) -> Dataset: ...
def open(
    path: PathLike | Iterable[PathLike],
    *,
    expect: type[Any] | None = None,
    dtype: Any = None,
    io: str = "mmap",
    memory: int | None = None,
    lenient: bool = False,
    verify: str | None = None,
    snapshot: str | None = None,
    cache: str | int | None = None,
) -> Any:
    """Opens any dataset. The content of the file decides the format, and not its name, except for
    CSV files, which are read into memory (see `read_csv`). The arrays of an `.npz` file that have
    one length are the fields of one dataset; `open("file.npz/name")` opens one of them.

    Returns a `Dataset`; for activation shards a `penstock.shards.Shards`, which is one; and for a
    tree, which has paths instead of records, a `Tree`.

    Args:
        path: a file or a folder; as text, bytes or a path object. A list of paths, or a pattern
            such as `"day-*"`, opens several datasets with the same fields as one. Those that match
            a pattern come in the order of the bytes of their names. A list of activation shards
            is one corpus, as a folder of them is
        expect: the class that the result must have, such as `penstock.Tree`. Type checkers know the
            result by it, and a file of another kind is a TypeError
        dtype: for a file without a header, which holds values of this NumPy type and nothing else:
            `open("train.bin", dtype="<u2")`. A type with a shape, such as `("<f4", (3,))`, makes
            rows of that shape. It is an error for files whose format already describes the type
        io: `mmap`, or `read` where files cannot be mapped
        memory: the number of bytes that may stay resident; by default the machine's free memory
        lenient: whether to read the shard files of a folder as they are when its `manifest.json` is
            damaged, newer than this package, or lists missing files. A `UserWarning` says so.
        verify: with `first`, each shard of a table is read whole and compared with its checksum in
            `manifest.json` before its first record is returned, so that a changed bit is a
            `CorruptDataError`. Packs and stores compare every record anyway. A dataset without
            checksums is a ValueError, and `view` is not available. By default only
            `Dataset.verify` compares the checksums of a table
        snapshot: the named snapshot of a store to open instead of its last commit
        cache: for a dataset in remote storage, the size of the cache on the local disk, such as
            `"200GB"` or a number of bytes, or its folder and its size, such as
            `"/fast/cache:200GB"`; `0` is no cache. By default the environment variable
            `PENSTOCK_CACHE` says it in the same way
    """
    _arguments.choice("io", io, ("mmap", "read"))
    lenient = _arguments.boolean("lenient", lenient)
    if verify is not None:
        _arguments.choice("verify", verify, ("first",))
    if isinstance(path, (np.ndarray, Mapping)) or not isinstance(
        path, (str, bytes, os.PathLike, Iterable)
    ):
        raise TypeError(
            "path must be a string, bytes, a path object or a list of them, got "
            f"{_arguments.shown(path)}; penstock.from_memory makes a dataset of data in memory"
        )
    several = _several.paths(path)
    corpus = None
    if several is not None and dtype is None and snapshot is None:
        corpus = _several.shards(several)
    if several is not None and corpus is None:
        from . import _views

        same: dict[str, Any] = {"io": io, "memory": memory, "lenient": lenient, "verify": verify}
        same["cache"] = cache
        parts = [open(one, dtype=dtype, snapshot=snapshot, **same) for one in several]
        return _expected(_views.opened_as_one(parts), expect)
    options: dict[str, Any] = {"io": io, "lenient": lenient}
    if verify is not None:
        options["verify"] = verify
    if corpus is not None:
        path, options["shards"] = corpus[0], corpus
    if dtype is not None:
        row = _dtypes.parsed("dtype", dtype)
        options["dtype"] = _dtypes.descr_text(row.base)
        options["rowShape"] = list(row.shape)
    if memory is not None:
        options["memory"] = _arguments.integer("memory", memory, minimum=0)
    if cache is not None:
        options["cache"] = _cache_text(cache)
    if isinstance(path, (str, bytes)) and not path:
        # The working folder is ".", as it is for Python's own functions.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    absolute = _paths.absolute(cast(PathLike, path))
    if snapshot is not None and not isinstance(snapshot, str):
        raise TypeError(f"snapshot must be a string, got {_arguments.shown(snapshot)}")
    if snapshot is not None:
        absolute = str(_jvm.call("storeSnapshotPath", path=absolute, name=snapshot))
    if dtype is None and absolute.lower().endswith(".csv") and os.path.isfile(absolute):
        from ._files import read_csv

        if verify is not None:
            raise ValueError(f"{absolute} has no checksums; open it without verify")
        return _expected(read_csv(absolute), expect)
    source = _paths.Source(absolute)
    if dtype is None and absolute.lower().endswith(".npz"):
        names = _jvm.call("arrays", path=source.text)
        if len(names) > 1:
            same = {"io": io, "memory": memory, "lenient": lenient, "verify": verify}
            same["cache"] = cache
            return _expected(_open_archive(absolute, names, same), expect)
    handle, description = _open_in_java(absolute, source, options)
    if description["format"] == "tree":
        return _expected(Tree._of(handle, description, io, source), expect)
    _warn(description, options)
    dataset = _class_of(description)(handle, description, ("open", absolute, options))
    dataset._source_path = source
    return _expected(dataset, expect)


def _cache_text(cache: str | int) -> str:
    if isinstance(cache, str):
        return cache
    return str(_arguments.integer("cache", cache, minimum=0))


def _open_archive(path: str, names: list[str], options: dict[str, Any]) -> Dataset:
    """The arrays of an `.npz` file as the fields of one dataset."""
    from ._views import zip as zipped

    return zipped({name: open(os.path.join(path, name), **options) for name in names})


def _expected(opened: Any, expect: type[Any] | None) -> Any:
    if expect is None or isinstance(opened, expect):
        return opened
    kind = "tree" if isinstance(opened, Tree) else opened.format
    words = f"{opened.path} is a {kind}, which opens as a {type(opened).__name__}"
    opened.close()
    raise TypeError(f"{words}, and expect is {expect.__name__}")


def _class_of(description: dict[str, Any]) -> type[Dataset]:
    """Returns `Shards` for activation shards, and `Dataset` for other formats."""
    if description["format"] == "shards":
        from .shards import Shards

        return Shards
    return Dataset


def _open_in_java(
    path: str, source: _paths.Source, options: dict[str, Any]
) -> tuple[_jvm.Handle, dict[str, Any]]:
    return _jvm.create(f"the dataset {path}", "open", path=source.text, **options)


def _warn(description: dict[str, Any], options: dict[str, Any]) -> None:
    """Warns about problems that `lenient` accepted."""
    if options["lenient"]:
        for remark in description["remarks"]:
            warnings.warn(remark, stacklevel=3)


def _is_first(handle: _jvm.Handle, count: int, fingerprint: str) -> bool:
    """Whether the fingerprint is that of the first `count` records."""
    arguments = {"records": count, "fingerprint": fingerprint}
    return bool(_jvm.call("hasFingerprint", handle=handle.number, **arguments))


def _reopen(recipe: tuple[Any, ...]) -> Dataset:
    """Makes a dataset from a pickle. Files are opened on first use."""
    kind, *arguments = recipe
    if kind != "open":
        from . import _views

        return _views.rebuild(kind, arguments, _reopen)
    path, options, description, identities, fingerprint = arguments

    # The handle keeps them, not the dataset: a reference cycle would wait for the garbage
    # collector.
    sources: list[_paths.Source] = []
    bases: list[_jvm.Handle] = []

    def make() -> _jvm.Handle:
        sources.append(_paths.Source(path))
        handle, found_description = _open_in_java(path, sources[-1], options)
        _warn(found_description, options)
        found = str(_jvm.call("fingerprint", handle=handle.number))
        if found == fingerprint:
            return handle
        is_store = description["format"] == "store"
        if is_store and _is_first(handle, description["records"], fingerprint):
            # A writer has appended meanwhile. The dataset stays as it was pickled.
            bases.append(handle)
            return _jvm.create(
                f"the first records of {path}",
                "subset",
                handle=handle.number,
                first=description["records"],
            )[0]
        handle.close()
        advice = "; pickle a named snapshot, which does not change" if is_store else ""
        raise CorruptDataError(
            f"{path} has changed since the dataset was pickled: its fingerprint was "
            f"{fingerprint} and is {found}{advice}"
        )

    handle = _jvm.LazyHandle(f"the dataset {path}", make)
    dataset = _class_of(description)(handle, description, recipe[:3])
    dataset._promised = fingerprint
    if _jvm.is_forked():
        # NumPy will read the files, if they have not been replaced.
        dataset._identities = identities
    return dataset
