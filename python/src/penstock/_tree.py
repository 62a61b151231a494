# SPDX-License-Identifier: Apache-2.0
"""Trees: values by byte path."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import _arguments, _jvm, _paths
from ._dtypes import Field
from ._errors import CorruptDataError
from ._memory import BatchInfo
from ._verification import Verification

_FIELDS = (
    Field("path", np.dtype("V1"), (), True),
    Field("value", np.dtype(np.uint64), (), False),
)

# How much memory sorts the paths of a new tree, and how many are handed over at once.
_SORTING_BYTES = 64 << 20
_CHUNK_COUNT = 8192
_CHUNK_BYTES = 4 << 20

Path = bytes | str
"""A path of a tree; text stands for its UTF-8."""


_Self = TypeVar("_Self", bound="_Paths")


class TreeNode(NamedTuple):
    """A node of a `Tree`. `value` is None where the path itself has no value."""

    path: bytes
    value: int | None
    children: list[bytes]


class _Paths(Mapping[bytes, int]):
    """The reading half of `Tree` and `HybridTree`."""

    _handle: _jvm.Handle
    _verbs: str
    path: str

    def _lookup(self, paths: list[Path]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Returns the values, and a mask of the paths that have one."""
        values = np.empty(len(paths), np.uint64)
        found = np.empty(len(paths), np.bool_)
        arrays = {**_arrays([_bytes(path) for path in paths]), "values": values, "found": found}
        _jvm.call(self._verbs + "Get", handle=self._handle.number, **_memory(arrays))
        return values, found

    def __getitem__(self, path: Path) -> int:
        values, found = self._lookup([path])
        if not found[0]:
            raise KeyError(path)
        return int(values[0])

    def __contains__(self, path: object) -> bool:
        return isinstance(path, (bytes, str)) and bool(self._lookup([path])[1][0])

    def take(self, paths: Iterable[Path], default: int | None = None) -> np.ndarray[Any, Any]:
        """The values of many paths, much faster than one by one.

        Raises:
            KeyError: when a path has no value and there is no default
        """
        wanted = list(paths)
        values, found = self._lookup(wanted)
        missing = np.flatnonzero(~found)
        if len(missing):
            if default is None:
                raise KeyError(wanted[int(missing[0])])
            values[missing] = default
        return values

    def __iter__(self) -> Iterator[bytes]:
        for path, _ in self.items():
            yield path

    def items(  # type: ignore[override]
        self, prefix: Path = b"", *, start: Path | None = None, stop: Path | None = None
    ) -> Iterator[tuple[bytes, int]]:
        """Paths that begin with a prefix and their values, in order.

        Args:
            prefix: how paths begin
            start: the first path
            stop: the path before which the scan ends
        """
        for paths, values in self.batches(prefix, start=start, stop=stop):
            yield from zip(paths, values.tolist(), strict=True)

    def batches(
        self, prefix: Path = b"", *, start: Path | None = None, stop: Path | None = None
    ) -> Iterator[tuple[list[bytes], np.ndarray[Any, Any]]]:
        """`items`, a few thousand at a time."""
        ends = {"prefix": prefix, "start": start, "stop": stop}
        given = {name: _bytes(one) for name, one in ends.items() if one is not None}
        key = {name: np.frombuffer(one, np.uint8) for name, one in given.items()}
        scan, _ = _jvm.create(
            "the scan", self._verbs + "Scan", handle=self._handle.number, **_memory(key)
        )
        while True:
            info = BatchInfo(_FIELDS)
            place = {"info": info.address, "infoBytes": info.size_bytes}
            batch, is_any = _jvm.create("the batch", "treeNext", handle=scan.number, **place)
            if not is_any:
                return
            columns = info.values(batch, False)
            yield columns["path"], columns["value"]

    def close(self) -> None:
        """Unmaps the file."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        return self._handle.is_closed

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Tree(_Paths):
    """A file of byte paths with whole numbers, as a mapping that is not loaded but mapped.

    Iterating is in the order of the paths. `len` goes through the whole tree, once.

    >>> import penstock
    >>> penstock.write("names.act", {"cat": 3, "catfish": 5, "dog": 7})
    >>> names = penstock.open("names.act")
    >>> names["cat"], b"dog" in names, names.get("cow")
    (3, True, None)
    >>> list(names.items(prefix="c"))
    [(b'cat', 3), (b'catfish', 5)]
    >>> names.take(["dog", "cow"], default=0)
    array([7, 0], dtype=uint64)
    """

    _verbs = "tree"

    def __init__(self, path: _paths.PathLike, *, io: str = "mmap") -> None:
        absolute = _paths.absolute(path)
        source = _paths.Source(absolute)
        handle, description = _jvm.create(f"the tree {absolute}", "open", path=source.text, io=io)
        if description["format"] != "tree":
            handle.close()
            raise ValueError(f"{description['path']} is a {description['format']} and no tree")
        self._set(handle, description, io, source)

    @classmethod
    def _of(
        cls, handle: _jvm.Handle, description: dict[str, Any], io: str, source: Any = None
    ) -> Tree:
        """Makes a tree that Java has already opened."""
        tree = cls.__new__(cls)
        tree._set(handle, description, io, source)
        return tree

    def _set(self, handle: _jvm.Handle, description: dict[str, Any], io: str, source: Any) -> None:
        self._handle = handle
        # Keeps a name in /proc valid.
        self._source_path = source
        self._io = io
        self._count: int | None = None
        self._fingerprint: str | None = None
        self.path = str(description["path"])
        self.format = str(description["format"])
        self.nbytes = int(description["bytes"])

    def count(self, prefix: Path = b"") -> int:
        """Returns the number of paths that begin with a prefix."""
        key = {"prefix": np.frombuffer(_bytes(prefix), np.uint8)}
        return int(_jvm.call_patiently("treeCount", handle=self._handle.number, **_memory(key)))

    def children(self, path: Path = b"") -> list[bytes]:
        """The bytes that lead on from a path, in order; none where no path goes on from there.

        >>> import penstock
        >>> penstock.write("animals.tree", {"cat": 3, "catfish": 5, "cow": 7})
        >>> animals = penstock.open("animals.tree")
        >>> animals.children("c"), animals.children("cow")
        ([b'a', b'o'], [])
        """
        key = {"prefix": np.frombuffer(_bytes(path), np.uint8)}
        found = _jvm.call("treeChildren", handle=self._handle.number, **_memory(key))
        return [bytes([one]) for one in found]

    def node(self, path: Path = b"") -> TreeNode:
        """The node of a path: its value, and the bytes that lead on from it.

        Raises:
            KeyError: when no path of the tree begins with this one
        """
        value, children = self.get(_bytes(path)), self.children(path)
        if value is None and not children:
            raise KeyError(path)
        return TreeNode(_bytes(path), value, children)

    def stats(self) -> dict[str, Any]:
        """The figures of `penstock tree stats`: the number of keys, nodes and bytes."""
        figures: dict[str, Any] = _jvm.call_patiently("treeStats", handle=self._handle.number)
        return figures

    def __len__(self) -> int:
        if self._count is None:
            self._count = self.count()
        return self._count

    @property
    def fingerprint(self) -> str:
        """A short text that identifies the content of the file."""
        if self._fingerprint is None:
            self._fingerprint = str(_jvm.call("treeFingerprint", handle=self._handle.number))
        return self._fingerprint

    def full_fingerprint(self) -> str:
        """The fingerprint of every byte of the file, another text than `fingerprint`."""
        return str(_jvm.call("treeFullFingerprint", handle=self._handle.number))

    def verify(self) -> Verification:
        """Reads every node; damage is reported in the result and raises no exception."""
        return Verification.of(_jvm.call_patiently("treeVerify", handle=self._handle.number))

    def __reduce__(self) -> tuple[Any, ...]:
        description = {"path": self.path, "format": self.format, "bytes": self.nbytes}
        return _reopen, (description, self._io, self.fingerprint)

    def __repr__(self) -> str:
        state = ", closed" if self.closed else f": {self.nbytes:,} bytes"
        return f"<penstock.Tree {self.path!r}{state}>"


class HybridTree(_Paths, MutableMapping[bytes, int]):
    """A tree that takes changes: a mapping in memory over a tree on disk.

    Changes are kept in memory until `snapshot` writes everything as a new tree, which replaces the
    file in one step: a reader, or a crash, finds the old tree or the new one. Changes since the
    last snapshot are lost when the tree is closed or the process ends. A file that does not exist
    is an empty tree. One process at a time may change a tree: a second `HybridTree` of the same
    file, or `penstock.write` to it, raises `BlockingIOError`, which names the first, until
    that one is closed.

    With `read_only` the file is never replaced and nothing is locked, so that the folder need not
    be writable and another process may change the tree meanwhile. Changes stay in memory, and
    `snapshot` writes them to another path.

    Iterating is in the order of the paths. `len` goes through the whole tree.

    >>> import penstock
    >>> with penstock.HybridTree("sessions.act") as sessions:
    ...     sessions.put("session/1", 17)
    ...     sessions.update({"session/2": 18, "other": 0})
    ...     sessions.remove("other")
    ...     sessions.snapshot()
    ...     list(sessions.items(prefix="session/"))
    2
    [(b'session/1', 17), (b'session/2', 18)]
    """

    _verbs = "hybrid"

    def __init__(self, path: _paths.PathLike, *, read_only: bool = False) -> None:
        self.path = _paths.local(path)
        self.read_only = read_only
        if read_only:
            os.stat(self.path)  # A missing file is an error in this mode.
        self._target = _paths.Target(self.path, True, in_place=True)
        self._handle, _ = _jvm.create(
            f"the tree {self.path}", "hybridOpen", path=self._target.text, readOnly=read_only
        )

    def put(self, path: Path, value: int) -> None:
        """Sets the value of a path, a whole number from 0 to 2^64 - 1."""
        self._put([(_bytes(path), _unsigned(value))])

    def update(self, *others: Any, **named: int) -> None:
        """Sets the values of many paths, much faster than one by one. On an error, no value is
        set."""
        pairs = dict(*others, **named).items()
        self._put([(_bytes(path), _unsigned(value)) for path, value in pairs])

    def _put(self, entries: list[tuple[bytes, int]]) -> None:
        numbers = np.array([value for _, value in entries], np.uint64)
        arrays = {**_arrays([path for path, _ in entries]), "values": numbers}
        _jvm.call("hybridPut", handle=self._handle.number, **_memory(arrays))

    def remove(self, *paths: Path) -> None:
        """Removes paths. Paths that have no value are ignored."""
        arrays = _arrays([_bytes(path) for path in paths])
        _jvm.call("hybridRemove", handle=self._handle.number, **_memory(arrays))

    def clear(self) -> None:
        """Removes all paths."""
        for paths, _ in self.batches():
            self.remove(*paths)

    def __setitem__(self, path: Path, value: int) -> None:
        self.put(path, value)

    def __delitem__(self, path: Path) -> None:
        if path not in self:
            raise KeyError(path)
        self.remove(path)

    def count(self, prefix: Path = b"") -> int:
        """Returns the number of paths that begin with a prefix. It iterates over all of them."""
        return sum(len(paths) for paths, _ in self.batches(prefix))

    def __len__(self) -> int:
        return self.count()

    @property
    def change_count(self) -> int:
        """The number of changed paths since the last snapshot."""
        return int(_jvm.call("hybridChangeCount", handle=self._handle.number))

    def snapshot(self, path: _paths.PathLike | None = None, *, overwrite: bool = False) -> int:
        """Writes everything as a new tree and returns the number of paths in it.

        Replaces the file of this tree, in one step. With a `path`, writes the new tree there
        instead, and this tree keeps its changes. `overwrite` says whether an existing file of that
        name is replaced. A read-only tree needs a `path`.
        """
        if path is None and self.read_only:
            raise ValueError(f"{self.path} was opened read-only: give snapshot() another path")
        overwrite = _arguments.boolean("overwrite", overwrite)
        target = None if path is None else _paths.Target(_paths.local(path), overwrite)
        more = {} if target is None else {"target": target.text}
        count = _jvm.call_patiently(
            "hybridSnapshot", handle=self._handle.number, overwrite=overwrite, **more
        )
        if target is not None:
            target.publish()
        return int(count)

    def __exit__(self, *error: object) -> None:
        is_failing = any(part is not None for part in error)
        lost = 0 if is_failing or self.closed or self.read_only else self.change_count
        self.close()
        if lost:
            warnings.warn(
                f"{lost:,} changes of {self.path} were not saved: call snapshot() before the end of"
                " the with statement",
                RuntimeWarning,
                stacklevel=2,
            )

    def __repr__(self) -> str:
        state = ", closed" if self.closed else f": {self.change_count:,} changes in memory"
        return f"<penstock.HybridTree {self.path!r}{state}>"


def _bytes(path: Path) -> bytes:
    if isinstance(path, str):
        return path.encode()
    try:
        # `bytes(5)` would be five zeros.
        return bytes(memoryview(path))
    except TypeError:
        shown = _arguments.shown(path)
        raise TypeError(f"paths of trees must be strings or bytes, got {shown}") from None


def _unsigned(value: Any) -> int:
    """Checks a value. NumPy would cut off fractions, and old releases would wrap negative
    numbers."""
    try:
        number = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"values of trees must be integers, got a {kind}") from None
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"values of trees must be from 0 to 2^64 - 1, got {number}")
    return number


def _arrays(paths: list[bytes]) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the paths one after another, and their offsets."""
    offsets = np.array([0, *accumulate(len(path) for path in paths)], np.int64)
    return {"paths": np.frombuffer(b"".join(paths), np.uint8), "offsets": offsets}


def _memory(arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, int]:
    """Returns the addresses of arrays as arguments of a request."""
    places = {name: one.ctypes.data for name, one in arrays.items()}
    return places | {name + "Bytes": one.nbytes for name, one in arrays.items()}


def write_tree(
    path: _paths.PathLike, values: Any, *, overwrite: bool = False, share: bool = False
) -> None:
    """Writes a mapping of paths to whole numbers, or pairs of both, as a tree."""
    if isinstance(values, Mapping):
        values = values.items()
    elif not isinstance(values, Iterator):
        raise TypeError(
            "a tree is written from a dictionary of numbers by path, or from a generator of pairs, "
            f"not from a {type(values).__name__}"
        )
    target = _paths.Target(_paths.local(path), overwrite)
    try:
        sorting, _ = _jvm.create(
            f"the tree {os.fsdecode(path)}",
            "treeSort",
            path=target.text,
            overwrite=overwrite,
            share=share,
            memory=_SORTING_BYTES,
        )
        try:
            for chunk in _chunks(values):
                numbers = np.array([value for _, value in chunk], np.uint64)
                arrays = {**_arrays([key for key, _ in chunk]), "values": numbers}
                _jvm.call("treeSortMore", handle=sorting.number, **_memory(arrays))
            _jvm.call_patiently("treeSortFinish", handle=sorting.number)
        finally:
            sorting.close()
    except FileExistsError as e:
        raise _paths.exists(e.filename) from None
    target.publish()


def _chunks(pairs: Iterable[Any]) -> Iterator[list[tuple[bytes, int]]]:
    """The checked pairs, a few thousand at a time."""
    chunk: list[tuple[bytes, int]] = []
    size = 0
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                f"a tree is written from pairs of a path and a number, got {_arguments.shown(pair)}"
            )
        key = _bytes(pair[0])
        chunk.append((key, _unsigned(pair[1])))
        size += len(key)
        if len(chunk) == _CHUNK_COUNT or size > _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _reopen(description: dict[str, Any], io: str, fingerprint: str) -> Tree:
    """Makes a tree from a pickle. The file is opened on first use."""
    path = description["path"]
    opened: list[Tree] = []

    def make() -> _jvm.Handle:
        tree = Tree(path, io=io)
        if tree.fingerprint != fingerprint:
            raise CorruptDataError(
                f"{path} has changed since the tree was pickled: its fingerprint was "
                f"{fingerprint} and is {tree.fingerprint}"
            )
        opened.append(tree)
        return tree._handle

    return Tree._of(_jvm.LazyHandle(f"the tree {path}", make), description, io)
