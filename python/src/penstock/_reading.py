# SPDX-License-Identifier: Apache-2.0
"""Files and folders that packages of Python read: which module reads them, and the program that
Java starts to read one (`dev.penstock.convert.PythonReader`)."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import _batches
from ._batches import Batches


class MissingPackageError(ImportError):
    """A package that reads a source is not installed."""


class UnreadableError(ValueError):
    """A file is damaged, or has a layout that is not supported."""


def package(name: str, extra: str, what: str) -> Any:
    """Imports a package that reads a source.

    Raises:
        MissingPackageError: when it is not installed; the message has the command
    """
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise MissingPackageError(
            f"{what} is read by the package {name.partition('.')[0]}, which {sys.executable} does "
            f"not have ({e}); install it with `pip install penstock[{extra}]`"
        ) from None


def fingerprint(*files: str, options: object = "") -> str:
    """A text that changes with the size or time of a file."""
    state = hashlib.sha256(repr(options).encode())
    for file in files:
        found = os.stat(file)
        state.update(f"{file}\0{found.st_size}\0{found.st_mtime_ns}\0".encode(errors="replace"))
    return f"files {state.hexdigest()[:32]}"


def opened(data: Any) -> Batches | None:
    """The records of an open object of a package, such as an `h5py.Dataset`; None for others."""
    root = type(data).__module__.partition(".")[0]
    if root == "h5py":
        from . import _hdf5

        return _hdf5.batches_of(data)
    if root == "zarr":
        from . import _zarr

        return _zarr.batches_of(data)
    return None


def _reader(path: str) -> Callable[[str, list[str] | None], Batches]:
    """The function that reads a path. Java has recognised it."""
    head = b""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            head = file.read(16)
    if head.startswith(b"\x89HDF\r\n\x1a\n") or not os.path.exists(path):
        from . import _hdf5

        return _hdf5.read
    if any(os.path.exists(os.path.join(path, n)) for n in ("zarr.json", ".zarray", ".zgroup")):
        from . import _zarr

        return _zarr.read
    if head.startswith(b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"):
        from . import _array_record

        return _array_record.read
    if head.startswith(b"PK"):
        from . import _npz

        return _npz.read
    if os.path.exists(os.path.join(path, "meta", "info.json")):
        from . import _lerobot

        return _lerobot.read
    from . import _lmdb

    return _lmdb.read


def read(path: str, names: list[str] | None = None) -> Batches:
    """The records of a file or folder that a package of Python reads.

    Args:
        path: the file or folder
        names: the fields to read, or None for all
    """
    return _reader(path)(path, names)


def main() -> int:
    """Writes the records of a path to the standard output."""
    descriptor = os.dup(1)
    # What a package prints must not get among the records.
    os.dup2(2, 1)
    sink = _batches.Sink(descriptor)
    started = False
    try:
        try:
            batches = read(sys.argv[1], sys.argv[2:] or None)
        except BaseException as e:
            sink.write(_batches.MAGIC)
            _fail(sink, e)
        started = True
        try:
            batches.write(sink)
        except BrokenPipeError:
            raise
        except BaseException as e:
            _fail(sink, e)
    except BrokenPipeError:
        # Java needs no more records.
        return 0
    except SystemExit as e:
        return int(e.code or 0)
    finally:
        sink.close()
    return 0 if started else 1


def _fail(sink: _batches.Sink, error: BaseException) -> NoReturn:
    message = str(error) or repr(error)
    if isinstance(error, KeyboardInterrupt):
        raise SystemExit(130)
    if isinstance(error, (MissingPackageError, LookupError)):
        kind, message = "caller", str(error.args[0]) if error.args else message
    elif isinstance(error, MemoryError):
        kind, message = "disk", f"{sys.argv[1]}: out of memory"
    elif isinstance(error, OSError) and error.errno is not None:
        kind = "disk"
    else:
        kind = "data"
    _batches.failure(sink, kind, message)
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())
