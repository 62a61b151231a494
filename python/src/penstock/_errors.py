# SPDX-License-Identifier: Apache-2.0
"""Maps failures in Java to Python exceptions."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import Any


class DatasetError(ValueError):
    """The bytes of a file are wrong.

    Attributes:
        file: the file whose bytes are wrong
        offset: the byte in that file
        reason: a word for programs, such as `CHECKSUM` or `TRUNCATED`
        record: the record that could not be read, or None when it is not known
        step: the loader's step that holds the record, or None
    """

    file: str | None = None
    offset: int | None = None
    reason: str | None = None
    record: int | None = None
    step: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickling keeps all attributes, so that worker processes can pass errors on.
        return (type(self), self.args, self.__dict__)


class WrongFormatError(DatasetError):
    """The file has another format than the one it was opened as."""


class UnsupportedVersionError(DatasetError):
    """The file has a version that is not supported."""


class CorruptDataError(DatasetError):
    """The file is damaged: cut short, altered, or written wrongly."""


class UntypedTextError(ValueError):
    """Text has nothing in it from which types could be guessed, so the caller must give them."""


class StoreLostError(OSError):
    """Changes of a store that were not committed yet are given up: a value of some thread could not
    be written, for example to a full disk, or another thread has rolled back. Earlier commits, and
    a commit that another thread is making, are not affected. Make the changes again.

    Each thread whose changes are given up gets it once, from its next call that changes or commits
    something. After a failed write so does the next commit by a thread that does not know of it.

    Attributes:
        first_lost_index: the index of the first appended record that is given up; records before
            it are committed, or belong to the commit that another thread is making
    """

    first_lost_index: int | None = None


class StoreStoppedError(OSError):
    """The disk has failed in a way that leaves unclear what is durable, so the store accepts
    nothing more. The call that raised it first may have happened or not: open the store again and
    look. Commits that returned before are not affected."""


class StorePublishError(OSError):
    """All changes are committed, but the tables that other programs read could not be written.
    Nothing has to be done again except `Store.checkpoint`."""


_STORE: dict[str, type[OSError]] = {
    "StoreLostException": StoreLostError,
    "StoreStoppedException": StoreStoppedError,
    "StorePublishException": StorePublishError,
}

_SIMPLE: dict[str, type[Exception]] = {
    "WrongFormat": WrongFormatError,
    "UnsupportedVersion": UnsupportedVersionError,
    "Corrupt": CorruptDataError,
    "WrongTypeException": TypeError,
    "Untyped": UntypedTextError,
    "BadInput": ValueError,
    # As Python's own files: used after close.
    "ClosedException": ValueError,
    "IllegalStateException": RuntimeError,
    "IllegalArgumentException": ValueError,
    "ArithmeticException": OverflowError,
    "IndexOutOfBoundsException": IndexError,
    "OutOfMemoryError": MemoryError,
    "UnsupportedOperationException": NotImplementedError,
}

_LENIENT = "penstock.open(path, lenient=True) reads the shard files as they are"
# What can be done in Python about a reason. Java's messages name no arguments.
_ADVICE = {"BAD_MANIFEST": _LENIENT, "MISSING_SHARD": _LENIENT}
_UNKNOWN_FORMAT = "penstock.open(path, dtype=...) gives it"

_FILE: dict[str, int] = {
    "NoSuchFileException": errno.ENOENT,
    "FileAlreadyExistsException": errno.EEXIST,
    "AccessDeniedException": errno.EACCES,
    "NotDirectoryException": errno.ENOTDIR,
    "DirectoryNotEmptyException": errno.ENOTEMPTY,
    "FileSystemLoopException": errno.ELOOP,
    # Python raises BlockingIOError for this number.
    "FileInUseException": errno.EAGAIN,
}

# The system's messages of errors that Java has no type for, such as a full disk.
_NUMBERS = {os.strerror(number): number for number in errno.errorcode}


def _make(words: dict[str, Any]) -> Exception:
    message: Any = words.get("message")
    for name in words["types"]:
        if name in _STORE:
            return store_error(_STORE[name], message, words.get("firstLostIndex"))
        if name in _FILE:
            number = _FILE[name]
            # Python chooses the class, such as FileNotFoundError, by the errno.
            return OSError(number, message or os.strerror(number), words.get("file"))
        if name in ("FileSystemException", "IOException"):
            return _disk_error(message, words.get("file"))
        if name in _SIMPLE:
            return _SIMPLE[name](message)
    return RuntimeError(f"{words['types'][0]}: {message}")


def store_error(kind: type[OSError], message: str, first_lost_index: int | None = None) -> OSError:
    """Returns an exception about the changes of a store. Its `errno` is the system's, if the
    message ends with one of the system's."""
    error = kind(message)
    error.errno = _NUMBERS.get(message.rpartition(": ")[2])
    if isinstance(error, StoreLostError):
        error.first_lost_index = first_lost_index
    return error


def _disk_error(message: str | None, file: str | None) -> OSError:
    # Java puts the file's name in front of the system's message.
    place, _, reason = (message or "").rpartition(": ")
    number = _NUMBERS.get(reason)
    if number is not None:
        return OSError(number, reason, file or place or None)
    # The message is Java's own and not the system's.
    return OSError(message) if file is None else OSError(errno.EINVAL, message, file)


def from_words(words: dict[str, Any]) -> Exception:
    """Returns the exception for a failure that Java reported."""
    if words["types"][0] != "LoaderException":
        error = _make(words)
        if isinstance(error, DatasetError):
            error.file, error.offset, error.reason = words["file"], words["offset"], words["reason"]
            advice = _ADVICE.get(words["reason"])
            if "UnknownFormat" in words["types"]:
                advice = _UNKNOWN_FORMAT
            if advice is not None:
                error.args = (f"{words['message']}; {advice}",)
        return error
    # The cause decides the type; the loader adds where it happened.
    error = from_words(words["cause"])
    if not isinstance(error, OSError):
        error.args = (words["message"],)
    if isinstance(error, DatasetError):
        error.record = words["record"] if words["record"] >= 0 else None
        error.step = words["step"]
    return error


def note(error: BaseException, text: str) -> None:
    """Adds a note to an exception. An exception that cannot be changed, such as a frozen dataclass,
    stays as it is."""
    with contextlib.suppress(Exception):
        # A transform may raise the same exception object for every batch.
        if text in getattr(error, "__notes__", ()):
            return
        if hasattr(error, "add_note"):
            error.add_note(text)
        else:
            _note_in_message(error, text)


def _note_in_message(error: Any, text: str) -> None:
    """Adds a note to an exception of Python 3.10, whose tracebacks do not show notes. If the
    exception has a plain message, the note is added to the message as well."""
    error.__notes__ = [*getattr(error, "__notes__", []), text]
    kind: Any = type(error)
    is_plain = kind.__str__ is BaseException.__str__
    if is_plain and all(isinstance(one, str) for one in error.args) and len(error.args) <= 1:
        error.args = ("\n".join([*error.args, text]),)
