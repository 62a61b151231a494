# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as the types a Python user expects."""

from __future__ import annotations

import errno
import os
from typing import Any


class DatasetError(ValueError):
    """The bytes of a file are wrong.

    Attributes:
        file: the file whose bytes are wrong
        offset: where in it
        reason: a word for programs, such as `CHECKSUM` or `TRUNCATED`
        record: the record that could not be read, or None when it is not known
        step: the step of the loader that was to hold it, or None
    """

    file: str | None = None
    offset: int | None = None
    reason: str | None = None
    record: int | None = None
    step: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors travel between processes, with all they know.
        return (type(self), self.args, self.__dict__)


class WrongFormatError(DatasetError):
    """The file is something else than what it was opened as."""


class UnsupportedVersionError(DatasetError):
    """The file is of a version that this program does not read."""


class CorruptDataError(DatasetError):
    """The file is damaged: cut short, altered, or written wrongly."""


_SIMPLE: dict[str, type[Exception]] = {
    "WrongFormat": WrongFormatError,
    "UnsupportedVersion": UnsupportedVersionError,
    "Corrupt": CorruptDataError,
    "IllegalArgumentException": ValueError,
    "ArithmeticException": OverflowError,
    "IndexOutOfBoundsException": IndexError,
    "OutOfMemoryError": MemoryError,
    "UnsupportedOperationException": NotImplementedError,
}

_FILE: dict[str, int] = {
    "NoSuchFileException": errno.ENOENT,
    "FileAlreadyExistsException": errno.EEXIST,
    "AccessDeniedException": errno.EACCES,
    "NotDirectoryException": errno.ENOTDIR,
    "DirectoryNotEmptyException": errno.ENOTEMPTY,
    "FileSystemLoopException": errno.ELOOP,
}

# What the system says, for errors that Java has no type for: a full disk and the like.
_NUMBERS = {os.strerror(number): number for number in errno.errorcode}


def _make(words: dict[str, Any]) -> Exception:
    message: Any = words.get("message")
    for name in words["types"]:
        if name in _FILE:
            number = _FILE[name]
            # Python chooses FileNotFoundError and its like by the number.
            return OSError(number, message or os.strerror(number), words.get("file"))
        if name in ("FileSystemException", "IOException"):
            return _disk_error(message, words.get("file"))
        if name == "IllegalStateException":
            return ValueError(message) if "closed" in str(message) else RuntimeError(message)
        if name in _SIMPLE:
            return _SIMPLE[name](message)
    return RuntimeError(f"{words['types'][0]}: {message}")


def _disk_error(message: str | None, file: str | None) -> OSError:
    # Where Java has no place for the file, its name stands before what the system says.
    place, _, reason = (message or "").rpartition(": ")
    number = _NUMBERS.get(reason)
    if number is not None:
        return OSError(number, reason, file or place or None)
    # The words are Java's own: the file is not what it should be, or something failed.
    return OSError(message) if file is None else OSError(errno.EINVAL, message, file)


def from_words(words: dict[str, Any]) -> Exception:
    """The exception for what Java says about a failure."""
    if words["types"][0] != "LoaderException":
        error = _make(words)
        if isinstance(error, DatasetError):
            error.file, error.offset, error.reason = words["file"], words["offset"], words["reason"]
        return error
    # The cause decides the type; the loader adds where it happened.
    error = from_words(words["cause"])
    if not isinstance(error, OSError):
        error.args = (words["message"],)
    if isinstance(error, DatasetError):
        error.record = words["record"] if words["record"] >= 0 else None
        error.step = words["step"]
    return error
