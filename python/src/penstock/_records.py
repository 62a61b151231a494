# SPDX-License-Identifier: Apache-2.0
"""Calls a function with each record of a batch, and makes a batch of the results. It uses no Java,
because worker processes do it as well."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Number
from typing import Any, ClassVar

import numpy as np

from ._samples import ROW, Failed


@dataclass(frozen=True)
class MapRecords:
    """The step from records to a batch of a function's results."""

    name: ClassVar[str] = "map_records"

    function: Callable[[Any], Any]

    def made(self, batch: Any, failed: Failed | None) -> Any:
        """Returns the results of the function that is called with each record, as one batch.

        Args:
            failed: a list that gets the rows that failed and are left out; None raises the first
                error
        """
        results = []
        for row, record in enumerate(_records(batch)):
            try:
                results.append(self.function(record))
            except Exception as e:
                # The next record would run out of memory as well.
                if failed is None or isinstance(e, MemoryError):
                    # An exception may refuse to have attributes.
                    with contextlib.suppress(Exception):
                        setattr(e, ROW, row)
                    raise
                failed.append((row, e))
        if failed and not results:
            raise failed[-1][1]
        return stacked(results)


def _records(batch: Any) -> Iterator[Any]:
    """The records of a batch: dictionaries, or values where there is one field."""
    if isinstance(batch, dict):
        names = list(batch)
        rows = zip(*batch.values(), strict=True)
        return (dict(zip(names, row, strict=True)) for row in rows)
    return iter(batch)


def _kind(value: Any) -> str:
    """The kind of values that NumPy stores together without changing them: numbers or one other
    kind of NumPy."""
    kind = np.asarray(value).dtype.kind
    return "number" if kind in "biufc" else kind


def _require_alike(records: list[Any]) -> None:
    """Checks that records have the same parts as the first one. Parts that only some of them have
    would be lost.

    Raises:
        ValueError: when they differ
    """
    wanted = _parts(records[0])
    for row, record in enumerate(records):
        if _parts(record) != wanted:
            raise ValueError(
                f"map_records must return the same parts for every record: {wanted} for the first "
                f"record of the batch, and {_parts(record)} for record {row} of the batch"
            )


def _parts(record: Any) -> str:
    if isinstance(record, dict):
        return f"the keys {sorted(map(str, record))}"
    if isinstance(record, tuple):
        return f"a tuple of {len(record)}"
    return f"a value of type {type(record).__name__}"


def stacked(records: list[Any]) -> Any:
    """Records as columns: dictionaries and tuples by their parts, arrays and numbers as one array,
    PyTorch's tensors as one tensor, and everything else as a list."""
    if not records:
        return records
    first = records[0]
    if isinstance(first, (dict, tuple)):
        _require_alike(records)
    if isinstance(first, dict):
        return {name: stacked([record[name] for record in records]) for name in first}
    if isinstance(first, tuple):
        return tuple(stacked(list(part)) for part in zip(*records, strict=True))
    if isinstance(first, (np.ndarray, np.generic, Number)):
        # NumPy would make texts of numbers beside texts.
        kinds = {_kind(record) for record in records}
        shapes = {np.shape(record) for record in records}
        is_one_array = len(kinds) == len(shapes) == 1 and kinds != {"O"}
        return np.stack(records) if is_one_array else records
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor):
        return torch.stack(records)
    return records
