# SPDX-License-Identifier: Apache-2.0
"""Arrays in files, by row."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import _index
from .._dataset import open
from .._paths import PathLike

Rows = np.ndarray[Any, Any]


class BaseDataset:
    """The interface that a `DataLoader` needs. Derive from it for other kinds of data."""

    def __len__(self) -> int:
        """The number of rows."""
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Any:
        """One row by its number; or several, by a slice, a list, an array or a mask."""
        raise NotImplementedError

    def __getitems__(self, indices: Any) -> Any:
        """The rows of these numbers, in this order, as one array."""
        raise NotImplementedError

    def close(self) -> None:
        """Releases the files."""


class _Source(Protocol):
    """A source of rows."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def rows(self, indices: _index.Indices) -> Rows:
        """Copies rows. The indices must be in range."""

    def close(self) -> None:
        """Releases the files."""


class _TableSource:
    """A penstock table."""

    def __init__(self, path: PathLike) -> None:
        table = open(path)
        if table._row is None:
            table.close()
            raise ValueError(f"{table.path} is a {table.format}; a table was expected")
        self.shape = table.shape
        self.dtype = table.dtype
        self._table = table

    def rows(self, indices: _index.Indices) -> Rows:
        out = np.empty((len(indices), *self.shape[1:]), self.dtype)
        rows: Rows = self._table.take(indices, out=out)
        return rows

    def close(self) -> None:
        self._table.close()


class _ArrayRecordSource:
    """ArrayRecord files, as loaderx's own `converter` writes them."""

    def __init__(self, folder: Path, meta: dict[str, Any]) -> None:
        try:
            from array_record.python.array_record_data_source import ArrayRecordDataSource
        except ImportError as e:
            raise ImportError(
                f"{folder} holds ArrayRecord files, which the package array_record reads; install "
                "it by `pip install array_record`, or write the folder again with "
                "penstock.loaderx.converter"
            ) from e
        self.shape = (_count(meta, "length"), *_numbers(meta, "shape"))
        self.dtype = np.dtype(meta["dtype"])
        self._files = ArrayRecordDataSource([str(folder / name) for name in meta["blocks"]])

    def rows(self, indices: _index.Indices) -> Rows:
        rows = bytearray().join(self._files.__getitems__(indices.tolist()))
        return np.frombuffer(rows, self.dtype).reshape(len(indices), *self.shape[1:])

    def close(self) -> None:
        self._files.__exit__(None, None, None)


def _count(meta: dict[str, Any], key: str) -> int:
    value = meta.get(key)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"meta.json has no {key} that is a whole number from 0 on: {value!r}")
    return value


def _numbers(meta: dict[str, Any], key: str) -> list[int]:
    return [_count({key: value}, key) for value in meta.get(key, ())]


class _Rows(BaseDataset):
    def __init__(self, source: _Source) -> None:
        self._source = source

    def __len__(self) -> int:
        return self._source.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole array."""
        return self._source.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._source.dtype

    def __getitem__(self, index: Any) -> Any:
        indices, shape = _index.parse(index, len(self))
        rows = self._source.rows(_index.wrap(indices, len(self)))
        return rows[0] if shape is None else rows.reshape(shape + rows.shape[1:])

    def __getitems__(self, indices: Any) -> Rows:
        rows: Rows = self[np.asarray(indices)]
        return rows

    def close(self) -> None:
        self._source.close()

    def __repr__(self) -> str:
        return f"<penstock.loaderx.{type(self).__name__} of {self.dtype}, shape {self.shape}>"


class NPDataset(_Rows):
    """The rows of a `.npy` file, which is mapped and not read as a whole."""

    def __init__(self, path: PathLike) -> None:
        super().__init__(_TableSource(path))


class ARDataset(_Rows):
    """The rows of a folder that `converter` wrote: ours, or loaderx's own.

    Folders of loaderx's converter hold ArrayRecord files. Reading them takes the package
    `array_record`; ours need nothing.
    """

    def __init__(self, path: PathLike) -> None:
        folder = Path(os.fsdecode(path))
        meta = _array_record_meta(folder)
        super().__init__(_TableSource(path) if meta is None else _ArrayRecordSource(folder, meta))


def _array_record_meta(folder: Path) -> dict[str, Any] | None:
    """The `meta.json` of a folder of ArrayRecord files, or None for any other folder."""
    try:
        text = (folder / "meta.json").read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    meta = json.loads(text)
    return meta if isinstance(meta, dict) and isinstance(meta.get("blocks"), list) else None
