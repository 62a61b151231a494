# SPDX-License-Identifier: Apache-2.0
"""Arrays as folders that `ARDataset` reads."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .._paths import PathLike
from .._writer import TableWriter

# Files that mark the folder of a converter: penstock's, and loaderx's.
_MARKS = ("manifest.json", "meta.json")


def converter(
    data: Any,
    output_dir: PathLike,
    replace: bool = False,
    blocksize: int = 4096,
    ar_options: str | None = None,
) -> None:
    """Writes the rows of an array as a folder for `ARDataset`.

    The folder is a table of penstock's: `.npy` files of `blocksize` rows with a manifest, which
    `penstock.open` and the command line read as well. It appears when it is complete.

    Args:
        data: an array, mapped or in memory; its first dimension counts the rows
        output_dir: the folder; it must not exist or be empty, unless `replace` is given
        replace: whether to replace a folder that a converter wrote; it stays until the new one is
            complete
        blocksize: the number of rows in a file
        ar_options: accepted and ignored: rows are not compressed

    Raises:
        ValueError: when the folder is not empty, or is to be replaced and no converter wrote it
    """
    folder = Path(os.fsdecode(output_dir)).absolute()
    array = data if isinstance(data, np.ndarray) else np.asarray(data)
    if array.ndim == 0:
        raise ValueError("a single value has no rows; give an array of at least one dimension")
    if blocksize < 1:
        raise ValueError(f"blocksize must be at least 1, got {blocksize}")
    _require_free(folder, replace)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as place:
        fresh = Path(place) / "table"
        _write(array, fresh, blocksize)
        if folder.exists():
            # The name is free for a moment only.
            folder.rename(Path(place) / "old")
        fresh.rename(folder)


def _require_free(folder: Path, replace: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ValueError(f"output_dir is a file: {folder}")
    names = os.listdir(folder)
    if names and not replace:
        raise ValueError(f"output_dir is not empty: {folder}")
    if names and not any(mark in names for mark in _MARKS):
        raise ValueError(
            f"output_dir holds no {' or '.join(_MARKS)}, so no converter wrote it, and it is not "
            f"replaced: {folder}"
        )


def _write(array: np.ndarray[Any, Any], folder: Path, blocksize: int) -> None:
    shape = array.shape[1:]
    with TableWriter(folder, array.dtype, shape=shape, shard_rows=blocksize) as writer:
        for start in range(0, len(array), blocksize):
            writer.append(array[start : start + blocksize])
