# SPDX-License-Identifier: Apache-2.0
"""Files of other programs: CSV, and archives of several NumPy arrays."""

from __future__ import annotations

import csv
import errno
import io
import os
import secrets
import stat
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _conversion, _dtypes, _jvm, _paths
from ._dataset import Dataset
from ._errors import UntypedTextError
from ._in_memory import from_memory
from ._objects import Objects

_ROWS_AT_ONCE = 4096


def read_csv(path: _paths.PathLike, *, dtype: Any = None) -> Dataset:
    """Reads a CSV file into a dataset in memory. The first line names the columns. To keep the
    result, give it to `penstock.write("name.npy", ...)`.

    Args:
        path: the file
        dtype: the structured NumPy type of a row, which also chooses the columns. Without it the
            types are guessed: truth values, integers, numbers with a point, or text

    Raises:
        ValueError: when a line does not fit; the message has the line and the column

    >>> from pathlib import Path
    >>> import penstock
    >>> _ = Path("people.csv").write_text("name,age\\nAda,36\\nAlan,41\\n")
    >>> penstock.read_csv("people.csv")["age"][:]
    array([36, 41])
    """
    whole = _paths.absolute(path)
    _require_file(whole)
    source = _paths.Source(whole)
    wanted = {} if dtype is None else {"dtype": _dtypes.descr_text(_dtypes.parsed("dtype", dtype))}
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        table = os.path.join(folder, "table.npy")
        try:
            _jvm.call_patiently("readCsv", path=source.text, target=table, **wanted)
        except UntypedTextError as e:
            raise ValueError(f"{e} with penstock.read_csv(path, dtype=...)") from None
        with open(table, "rb") as file:
            rows = np.load(file, allow_pickle=False)
    dataset: Dataset = from_memory(rows)
    return dataset


def _require_file(path: str) -> None:
    """Raises for what is not a file. Reading a pipe would wait for a writer for ever."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        words = "this is a pipe, a socket or a device; only files can be opened"
        raise OSError(errno.EINVAL, words, path)


def write_npz(path: _paths.PathLike, data: Any, *, overwrite: bool) -> None:
    """Writes an archive of arrays, uncompressed, so that it can be mapped."""
    if isinstance(data, Dataset):
        data = {name: np.asarray(data[name]) for name in data.fields}
    if not isinstance(data, Mapping):
        data = {"value": _conversion.rows_of(data)}
    arrays = {str(name): _conversion.unmasked(values) for name, values in data.items()}
    for name, values in arrays.items():
        if values.dtype.hasobject:
            raise TypeError(
                f"{name!r} holds Python objects; an array of numbers or texts is needed"
            )

    def write(file: Any) -> None:
        # np.savez cannot write arrays that are called like its arguments.
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, values in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)

    _publish(path, overwrite, write)


def write_csv(path: _paths.PathLike, data: Any, *, overwrite: bool) -> None:
    """Writes columns as CSV. The elements of a value with a shape are columns `name[0]`, `name[1]`
    and so on, as `penstock table write` reads them."""
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
        data = _conversion.rows_of(data)
    dataset = from_memory(data)
    if isinstance(dataset, Objects):
        raise TypeError("values of several types without names are no rows, which CSV cannot hold")
    for name, field in dataset.fields.items():
        if field.variable or (field.dtype.kind == "V" and not _dtypes.is_bfloat16(field.dtype)):
            raise TypeError(f"{name!r} holds bytes or values of any length, which CSV cannot hold")

    def write(file: Any) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        fields = dataset.fields.values()
        writer.writerow([name for field in fields for name in _column_names(field)])
        for start in range(0, len(dataset), _ROWS_AT_ONCE):
            batch = dataset[start : start + _ROWS_AT_ONCE]
            columns = list(batch.values()) if isinstance(batch, dict) else [batch]
            flat = [values.reshape(len(values), -1) for values in columns]
            writer.writerows(zip(*(part for c in flat for part in _texts(c)), strict=True))
        text.flush()
        text.detach()

    _publish(path, overwrite, write)


def _column_names(field: _dtypes.Field) -> list[str]:
    return [
        field.name + "".join(f"[{number}]" for number in numbers)
        for numbers in np.ndindex(*field.shape)
    ]


def _texts(columns: np.ndarray[Any, Any]) -> list[list[Any]]:
    """Returns the cells of each column. A number is the shortest text that reads back as it."""
    if columns.dtype.kind == "f" and columns.dtype.itemsize < 8:
        return [[str(one) for one in column] for column in columns.T]
    if columns.dtype.kind == "S":
        return [[one.decode() for one in column] for column in columns.T]
    return [column.tolist() for column in columns.T]


def _publish(path: _paths.PathLike, overwrite: bool, write: Callable[[Any], object]) -> None:
    """Writes a file under another name, and gives it its own name when it is complete and on
    stable storage."""
    whole = _paths.local(path)
    _require_replaceable(whole, overwrite)
    folder = os.path.dirname(whole)
    if not stat.S_ISDIR(os.stat(folder).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)
    temporary = os.path.join(folder, f".penstock-{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb", opener=_private if _is_file(whole) else None) as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            _paths.take_after(whole, file.fileno())
        if overwrite:
            os.replace(temporary, whole)
        else:
            # Fails where another process has made the file meanwhile.
            os.link(temporary, whole)
            os.unlink(temporary)
    except BaseException:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _is_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


def _private(path: str, flags: int) -> int:
    """Opens a new file that nobody else can read: the file that it replaces may be private."""
    return os.open(path, flags, 0o600)


def _require_replaceable(path: str, overwrite: bool) -> None:
    """Raises where a file of this name cannot be written. The error names the file: later ones
    would name the temporary file."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(status.st_mode):
        words = "an existing folder is not replaced by a file: remove it, or choose another name"
        raise IsADirectoryError(errno.EISDIR, words, path)
    if not overwrite:
        raise _paths.exists(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
        words = "this is a pipe, a socket or a device, which cannot be replaced by a file"
        raise OSError(errno.EINVAL, words, path)
