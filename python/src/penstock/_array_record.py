# SPDX-License-Identifier: Apache-2.0
"""Reads ArrayRecord files by the package array_record: records of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _batches, _reading
from ._batches import Batches
from ._dtypes import Field

_COUNT_MAX = 1 << 12


def read(path: str, names: list[str] | None = None) -> Batches:
    """The records of a file."""
    module = _reading.package("array_record.python.array_record_module", "arrayrecord", path)
    try:
        reader = module.ArrayRecordReader(path)
        count = reader.num_records()
    except Exception as e:
        raise _reading.UnreadableError(f"{path} could not be read as ArrayRecord: {e}") from None

    def batches() -> Iterator[list[Any]]:
        rows = 64
        start = 0
        while start < count:
            stop = min(count, start + rows)
            try:
                records = reader.read(start, stop)
            except Exception as e:
                raise _reading.UnreadableError(
                    f"{path} is damaged between records {start} and {stop}: {e}"
                ) from None
            yield [records]
            size = sum(map(len, records)) // max(1, len(records))
            rows = max(1, min(_COUNT_MAX, _batches.BATCH_BYTES // max(1, size)))
            start = stop
        reader.close()

    field = Field("value", np.dtype("V1"), (), True)
    mark = _reading.fingerprint(path)
    return Batches(path, [field], batches(), count=count, fingerprint=mark)
