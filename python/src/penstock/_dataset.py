# SPDX-License-Identifier: Apache-2.0
"""Datasets: records by index."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _dtypes, _index, _jvm, _paths
from ._column import Column
from ._dtypes import Field
from ._errors import CorruptDataError
from ._forked import ForkedRows
from ._maps import RecordViews, identity, map_rows
from ._memory import BatchInfo
from ._paths import PathLike
from ._rows import HEAD_BYTES, columns, fill, read_rows
from ._torch import ReadyBatch
from ._tree import Tree
from ._verification import Verification

# How much is read at once by loops that go through all records.
_CHUNK_BYTES = 1 << 20

# So few bytes of a table come as rows that NumPy takes apart. It is faster, and leaves no batch in
# Java for as long as they are kept: there may be millions of them.
_SMALL_BYTES = 2048


def gather(
    handle: _jvm.Handle, fields: tuple[Field, ...], indices: _index.Indices, as_ragged: bool
) -> dict[str, Any]:
    """Copies records into fresh columns.

    Raises:
        IndexError: when an index is negative or has no record
    """
    info, batch = BatchInfo(fields), _jvm.Handle("the batch")
    data = indices.__array_interface__["data"][0]
    java = _jvm.functions()
    status = java.take(batch.number, handle.number, data, len(indices), info.address)
    if status < 0:
        _jvm.fail(status)
    return info.values(batch, as_ragged)


class Dataset:
    """Records by index; made by `penstock.open`, and by the methods that choose among records.

    A dataset with one field called `value`, such as a plain array or a pack, has that field's
    values as its records. Any other has dictionaries by field name. What indexing returns is always
    a fresh and writable copy that outlives the dataset.

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

    def __init__(
        self, handle: _jvm.Handle, description: dict[str, Any], recipe: tuple[Any, ...]
    ) -> None:
        self._handle = handle
        self._description = description
        self._recipe = recipe
        self._count: int = description["count"]
        self._fields = _dtypes.fields(description)
        self._row = _dtypes.row_dtype(description)
        # The type of arrays that rows can go to as they are stored.
        self._row_type = None if self._row is None or HEAD_BYTES is None else self._row.base
        # Java's view of single fields. Columns refer to the dataset and not the other way round, so
        # that both are gone with their last user and not with the next garbage collection.
        self._sources: dict[str, _jvm.Handle] = {}
        self._fingerprint: str | None = None
        self._forked: ForkedRows | None = None
        files = description.get("files") or [description["path"]]
        self._identities = {file: identity(file) for file in files}
        # Views need their parts for as long as they live.
        self._parts: tuple[Dataset, ...] = ()
        # A name in /proc is there for as long as this is.
        self._source_path: _paths.Source | None = None

    # What it is.

    def __len__(self) -> int:
        return self._count

    @property
    def path(self) -> str:
        """What was opened."""
        return str(self._description["path"])

    @property
    def format(self) -> str:
        """The name of the format."""
        return str(self._description["format"])

    @property
    def fields(self) -> dict[str, Field]:
        """What a record holds, by name."""
        return {field.name: field for field in self._fields}

    @property
    def is_plain(self) -> bool:
        """Whether records are bare values and not dictionaries."""
        return len(self._fields) == 1 and self._fields[0].name == "value"

    @property
    def _is_plain_array(self) -> bool:
        """Whether an array of all records has no fields."""
        return self.dtype.names is None

    @property
    def shape(self) -> tuple[int, ...]:
        """As of the array with all records."""
        if self._row is not None:
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
        """What the writer noted."""
        return dict(self._description["metadata"])

    @property
    def facts(self) -> dict[str, Any]:
        """Facts of the format worth showing."""
        return dict(self._description["facts"])

    @property
    def fingerprint(self) -> str:
        """A short text that identifies the records and their order, wherever the files are.

        It is quick: it covers the checksums that the writer stored or, where there are none,
        256 KiB of samples. `full_fingerprint` reads every record.
        """
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
            raise TypeError(f"the name of one record is asked for, by its number; got {index!r}")
        indices = _index.wrap(parsed, self._count)
        name = _jvm.call("name", handle=self._java().number, index=int(indices[0]))
        return None if name is None else str(name)

    def __repr__(self) -> str:
        if self._handle.is_closed:
            return f"<penstock.Dataset {self.path!r}, closed>"
        unit, size = "B", float(self.nbytes)
        for larger in ("KB", "MB", "GB", "TB"):
            if size < 1000:
                break
            unit, size = larger, size / 1000
        text = f"<penstock.Dataset {self.path!r}: {self.format}, {self._count:,} records, "
        text += f"{size:.4g} {unit}"
        width = max((len(field.name) for field in self._fields), default=0)
        for field in self._fields[:20]:
            text += f"\n  {field.name:<{width}}  {field}"
        if len(self._fields) > 20:
            text += f"\n  and {len(self._fields) - 20} more fields"
        return text + ">"

    # Records.

    def _java(self) -> _jvm.Handle:
        """The dataset as Java knows it."""
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
        """Columns of records: one, or all when it is None."""
        row = self._row
        if row is not None and len(indices) * row.itemsize <= _SMALL_BYTES:
            rows = np.empty((len(indices), *row.shape), row.base)
            self._rows(indices, rows)
            return columns(rows, fields)
        if row is not None and _jvm.is_forked():
            return self._after_fork().columns(fields, indices)
        handle = self._handle if column is None else self._source(column)
        try:
            return gather(handle, fields, indices, as_ragged)
        except IndexError:
            return gather(handle, fields, _index.wrap(indices, self._count), as_ragged)

    def __getitem__(self, index: Any) -> Any:
        """Records by number, slice, list, array or mask; or a column by the name of its field."""
        if isinstance(index, str):
            return Column(self, index)
        if isinstance(index, list) and index and all(isinstance(one, str) for one in index):
            return {name: Column(self, name) for name in index}
        indices, shape = self._parse(index)
        return self._shaped(self._gather(self._fields, None, indices, False), shape)

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
        """Many records in one call, as one batch: what PyTorch's `DataLoader` asks for."""
        batch = self[np.asarray(indices, dtype=np.int64)]
        return ReadyBatch(batch) if isinstance(batch, dict) else batch

    def _getitems(self, indices: Sequence[int]) -> Sequence[Any]:
        """Many records in one call, each by itself: what Grain asks for, by this name."""
        batch = self[np.asarray(indices, dtype=np.int64)]
        if not isinstance(batch, dict):
            return list(batch)
        return [{name: values[i] for name, values in batch.items()} for i in range(len(indices))]

    def take(self, indices: Any, out: Any = None, ragged: bool = False) -> Any:
        """Records in the order of the indices, which may repeat.

        Args:
            indices: whole numbers, negative ones from the end
            out: an array of `dtype` that is filled and returned, structured for a table with
                fields and of objects for a pack; or a dictionary of columns
            ragged: fields of bytes as `Ragged` rather than as a list of `bytes`
        """
        # The usual case without a detour: what remains to be checked, Java sees in the arrays.
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
        """Copies rows of a table as they are stored."""
        if _jvm.is_forked():
            self._after_fork().read(indices, out)
            return
        try:
            read_rows(self._handle, indices, out)
        except IndexError:
            read_rows(self._handle, _index.wrap(indices, self._count), out)

    def _after_fork(self) -> ForkedRows:
        self._handle.require_open()
        if self._forked is None:
            self._forked = ForkedRows(self)
        return self._forked

    def _source(self, name: str) -> _jvm.Handle:
        """The dataset as Java knows it with one field only."""
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
        fill(self, everything, everything.shape, out)
        return out if dtype is None else out.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        """All records of a table of plain numbers, for `torch.from_dlpack` and the like."""
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
            # Raises when it is closed, and when a pickled dataset is not what it was.
            self._handle.number  # noqa: B018
        if self._row is not None:
            views = map_rows(self)
            return views[0] if len(views) == 1 else views
        if self.format == "pack":
            return RecordViews(self)
        raise ValueError(f"{self!r} has no records that lie in files one after another")

    # Choices among the records.

    def select(self, indices: Any) -> Dataset:
        """These records as a dataset, without copying any."""
        from ._views import Subset

        parsed, shape = _index.parse(indices, self._count)
        _index.require_one_dimension(shape, "a dataset")
        return Subset(self, _index.wrap(parsed, self._count))

    def where(self, condition: str) -> Dataset:
        """The records that match a condition, such as `move == 2 and reward > 3`.

        Where records come in groups, the condition may name attributes of the groups as well, and
        the result has groups, too.
        """
        from ._views import Subset

        if self._is_grouped:
            from ._groups import chosen

            return chosen(self, "groupWhere", condition=condition)

        handle, answer = _jvm.create_patiently(
            "the subset", "where", handle=self._java().number, condition=condition
        )
        indices = np.empty(answer["count"], np.int64)
        _jvm.call(
            "baseIndices",
            handle=handle.number,
            target=indices.ctypes.data,
            targetBytes=indices.nbytes,
        )
        return Subset(self, indices)

    def split(
        self, test: float | int = 0.1, seed: int = 0, *, by: str = "record"
    ) -> tuple[Dataset, Dataset]:
        """Two datasets, for training and for testing: a random part, and the rest.

        Args:
            test: the size of the second one, or its share when it is a float
            seed: another one gives another part; the same one the same part, everywhere
            by: `record`, or `group` to keep all records of a group in one part. `test` counts
                groups then, and a share takes at least one
        """
        if by not in ("record", "group"):
            raise ValueError(f"by is 'record' or 'group', not {by!r}")
        if by == "group":
            from ._groups import split

            return split(self, test, seed)
        from .samplers import Permutation

        size = round(test * self._count) if isinstance(test, float) else test
        if not 0 <= size <= self._count:
            raise ValueError(f"a part of {test} of {self._count} records")
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

        The two that give the range of a group count records of this dataset. Missing numbers are
        masked; missing texts are None.

        Raises:
            ValueError: when the records do not come in groups
        """
        from ._groups import columns

        return columns(self)

    def windows(self, length: int, stride: int = 1) -> Dataset:
        """Every run of consecutive records of a length that stays inside a group, as a dataset
        whose fields have the length as their first dimension.

        Args:
            length: the number of records in a window
            stride: how many records further the next window starts
        """
        from ._groups import windows

        return windows(self, length, stride)

    def verify(self) -> Verification:
        """Reads every byte and checks every checksum; damage is a result and not an exception."""
        return Verification.of(_jvm.call_patiently("verify", handle=self._java().number))

    def prepare(self) -> None:
        """Begins to bring the files into memory, if they are to be kept there."""
        _jvm.call("prepare", handle=self._java().number)

    # Its life.

    def close(self) -> None:
        """Unmaps the files. What was read from them stays."""
        for source in list(self._sources.values()):
            source.close()
        self._handle.close()

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
        """How to make it again in another process."""
        return (*self._recipe, self._description, self._identities, self.fingerprint)


def open(
    path: PathLike, *, io: str = "mmap", memory: int | None = None, lenient: bool = False
) -> Dataset:
    """Opens any dataset; which format it is, its content says. A tree, which has paths instead of
    records, comes as a `Tree`.

    Args:
        path: a file or a folder; as text, bytes or anything with a path
        io: `mmap`, or `read` where files cannot be mapped
        memory: bytes it may keep in memory; without it, what the machine has to spare
        lenient: whether to read the shard files of a folder as they are when its `manifest.json` is
            damaged, newer than this package, or lists missing files. A `UserWarning` says so.
    """
    if io not in ("mmap", "read"):
        raise ValueError(f"io is 'mmap' or 'read', not {io!r}")
    options: dict[str, Any] = {"io": io, "lenient": lenient}
    if memory is not None:
        options["memory"] = operator.index(memory)
        if options["memory"] < 0:
            raise ValueError(f"memory is a number of bytes and cannot be negative; got {memory}")
    absolute = _paths.absolute(path)
    source = _paths.Source(absolute)
    handle, description = _open_in_java(absolute, source, options)
    if description["format"] == "tree":
        # Whoever opens a tree knows, and can say `penstock.Tree(path)`; all others need no cast.
        return Tree._of(handle, description, io, source)  # type: ignore[return-value]
    _warn(description, options)
    dataset = _class_of(description)(handle, description, ("open", absolute, options))
    dataset._source_path = source
    return dataset


def _class_of(description: dict[str, Any]) -> type[Dataset]:
    """Activation shards can do more than other datasets."""
    if description["format"] == "shards":
        from .shards import Shards

        return Shards
    return Dataset


def _open_in_java(
    path: str, source: _paths.Source, options: dict[str, Any]
) -> tuple[_jvm.Handle, dict[str, Any]]:
    return _jvm.create(f"the dataset {path}", "open", path=source.text, **options)


def _warn(description: dict[str, Any], options: dict[str, Any]) -> None:
    """Says what was not as it should be, for those who accept it."""
    if options["lenient"]:
        for remark in description["remarks"]:
            warnings.warn(remark, stacklevel=3)


def _reopen(recipe: tuple[Any, ...]) -> Dataset:
    """What pickle calls. Nothing is opened before it is needed."""
    kind, *arguments = recipe
    if kind != "open":
        from . import _views

        return _views.rebuild(kind, arguments, _reopen)
    path, options, description, identities, fingerprint = arguments

    # Kept by the handle, and not by the dataset: a circle would wait for the garbage collector.
    sources: list[_paths.Source] = []

    def make() -> _jvm.Handle:
        sources.append(_paths.Source(path))
        handle, found_description = _open_in_java(path, sources[-1], options)
        _warn(found_description, options)
        found = str(_jvm.call("fingerprint", handle=handle.number))
        if found != fingerprint:
            handle.close()
            raise CorruptDataError(
                f"{path} is not what it was when the dataset was pickled: its fingerprint was "
                f"{fingerprint} and is {found}"
            )
        return handle

    handle = _jvm.LazyHandle(f"the dataset {path}", make)
    dataset = _class_of(description)(handle, description, recipe[:3])
    if _jvm.is_forked():
        # NumPy will read the files, if they are still those that were opened.
        dataset._identities = identities
    return dataset
