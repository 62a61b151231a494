# SPDX-License-Identifier: Apache-2.0
"""Translates file names into names that Java can open.

On Linux a name is any sequence of bytes. Java opens only names that are valid UTF-8, so a file
with another name is reached through `/proc/self/fd`: an open descriptor of the file, or of its
folder, has a name there that every program can use.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import stat
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

PathLike = str | bytes | os.PathLike[str] | os.PathLike[bytes]

_DESCRIPTORS = "/proc/self/fd"
_DESCRIPTOR = re.compile(re.escape(_DESCRIPTORS) + r"/\d+")

# A name with a single colon is a path. Java decides in the same way.
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

# The original paths, by their names in /proc.
_originals: dict[str, str] = {}

memory_names: dict[str, str] = {}
"""Names in /proc of data in memory, and what errors call it."""

_numbers = itertools.count()


def absolute(path: PathLike) -> str:
    """Returns the absolute path. Bytes that are not UTF-8 are lone surrogates, as in Python. The
    address of a remote dataset stays as it is."""
    text = os.fsdecode(path)
    return text if is_remote(text) else os.path.abspath(text)


def local(path: PathLike) -> str:
    """Returns the absolute path of something to write.

    Raises:
        ValueError: when it is the address of a remote dataset
    """
    text = os.fsdecode(path)
    if is_remote(text):
        raise ValueError(
            f"{text} is remote; write to a local path and copy the dataset with penstock.copy"
        )
    return absolute(path)


def is_remote(path: str) -> bool:
    """Whether a text is an address such as https://host/x.npy and not a local path."""
    return _REMOTE.match(path) is not None and not path.lower().startswith("file://")


def is_utf8(path: str) -> bool:
    """Whether Java can open a file of this name."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Alias:
    """A second name for a file or a folder, for as long as this object lives."""

    def __init__(self, path: str) -> None:
        if not hasattr(os, "O_PATH") or not os.path.isdir(_DESCRIPTORS):
            raise ValueError(
                f"{path!r} is not valid UTF-8, and without {_DESCRIPTORS} such a name cannot be "
                "passed to Java; rename the file or its folder"
            )
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        self.text = f"{_DESCRIPTORS}/{descriptor}"
        _originals[self.text] = path
        weakref.finalize(self, _forget, descriptor, self.text)


def _forget(descriptor: int, text: str) -> None:
    _originals.pop(text, None)
    with suppress(OSError):
        os.close(descriptor)


def restored(value: Any, others: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Replaces names in /proc by the original paths in an answer of Java.

    Args:
        others: more names to replace
    """
    if not _originals and not others:
        return value
    if isinstance(value, str):
        known = {**others, **_originals}
        return _DESCRIPTOR.sub(lambda match: known.get(match[0], match[0]), value)
    if isinstance(value, list):
        return [restored(one, others) for one in value]
    if isinstance(value, dict):
        return {key: restored(one, others) for key, one in value.items()}
    return value


class Source:
    """An existing file or folder. `text` is its path for Java while this object lives."""

    def __init__(self, path: str) -> None:
        self.text = path
        self._alias: _Alias | None = None
        if is_utf8(path):
            return
        folder, name = os.path.split(path)
        if is_utf8(name):
            self._alias = _Alias(folder)
            self.text = f"{self._alias.text}/{name}"
        else:
            self._alias = _Alias(path)
            self.text = self._alias.text


def exists(
    path: Any, words: str = "the file exists; overwrite=True replaces it"
) -> FileExistsError:
    """The error of a file that exists and is not to be overwritten."""
    return FileExistsError(errno.EEXIST, words, path)


def folder_exists(path: Any) -> FileExistsError:
    """The error of a folder that exists: only files are overwritten."""
    words = "an existing folder is not replaced: remove it, or choose another name"
    return FileExistsError(errno.EEXIST, words, path)


def take_after(path: str, file: int) -> None:
    """Gives a new file the owner, the group and the mode of the file that it is to replace, as far
    as this user may. Without such a file it stays as it is."""
    try:
        old = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(old.st_mode):
        # The mode of a link says nothing.
        return
    for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
        with suppress(PermissionError):
            os.fchown(file, owner, group)
    with suppress(PermissionError):
        # Last, because a new owner takes away some bits.
        os.fchmod(file, stat.S_IMODE(old.st_mode))


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """The descriptor of a file or folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class Target:
    """A file or folder that is to be written. `text` is its path for Java while this object lives.

    Where the last part of the path is not UTF-8, Java writes under another name in the same folder,
    and `publish` gives the file its own name in one step. An existing file cannot be changed like
    this, so with `in_place` such a name raises an error.
    """

    def __init__(self, path: str, overwrite: bool, in_place: bool = False) -> None:
        self.text = path
        self._path = path
        self._overwrite = overwrite
        self._alias: _Alias | None = None
        self._temporary: str | None = None
        if is_utf8(path):
            return
        folder, name = os.path.split(path)
        self._alias = _Alias(folder)
        if not is_utf8(name):
            if in_place:
                raise ValueError(
                    f"{path!r} is not valid UTF-8: a file of such a name can be read and written "
                    "anew, but not changed; rename it"
                )
            if os.path.isdir(path):
                raise folder_exists(path)
            if not overwrite and os.path.lexists(path):
                raise exists(path)
            name = f".penstock-{os.getpid()}-{next(_numbers)}{os.path.splitext(name)[1]}"
            self._temporary = os.path.join(folder, name)
        self.text = f"{self._alias.text}/{name}"

    def publish(self) -> None:
        """Renames the completed file to its own name, durably."""
        if self._temporary is None:
            return
        if not self._overwrite and os.path.lexists(self._path):
            self.discard()
            raise exists(self._path)
        with _opened(self._temporary) as new:
            take_after(self._path, new)
        os.replace(self._temporary, self._path)
        with _opened(os.path.dirname(self._path)) as folder:
            os.fsync(folder)

    def discard(self) -> None:
        """Deletes the completed file."""
        if self._temporary is not None:
            with suppress(OSError):
                os.unlink(self._temporary)
