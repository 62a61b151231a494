# SPDX-License-Identifier: Apache-2.0
"""Reads LMDB databases by the package lmdb: a record of `key` and `value` for each entry, in the
order of the keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _batches, _reading
from ._batches import Batches
from ._dtypes import Field

_COUNT_MAX = 1 << 16


def read(path: str, names: list[str] | None = None) -> Batches:
    """The entries of the main database of an environment."""
    lmdb = _reading.package("lmdb", "lmdb", path)
    is_folder = os.path.isdir(path)
    data = os.path.join(path, "data.mdb") if is_folder else path
    try:
        environment = lmdb.open(
            path, subdir=is_folder, readonly=True, lock=False, create=False, max_spare_txns=1
        )
        count = environment.stat()["entries"]
    except lmdb.Error as e:
        raise _reading.UnreadableError(f"{path} could not be read by LMDB: {e}") from None
    both = [Field("key", np.dtype("V1"), (), True), Field("value", np.dtype("V1"), (), True)]
    chosen = [field for field in both if names is None or field.name in names]

    def batches() -> Iterator[list[Any]]:
        # One snapshot, whatever other processes write meanwhile.
        with environment.begin() as transaction:
            keys: list[bytes] = []
            values: list[bytes] = []
            size = 0
            columns = {"key": keys, "value": values}
            try:
                for key, value in transaction.cursor():
                    keys.append(key)
                    values.append(value)
                    size += len(key) + len(value)
                    if size >= _batches.BATCH_BYTES or len(keys) >= _COUNT_MAX:
                        yield [columns[field.name] for field in chosen]
                        keys.clear()
                        values.clear()
                        size = 0
            except lmdb.Error as e:
                raise _reading.UnreadableError(f"{path} is damaged: {e}") from None
            if keys:
                yield [columns[field.name] for field in chosen]

    mark = _reading.fingerprint(data, options=names)
    return Batches(path, chosen, batches(), count=count, fingerprint=mark)
