# SPDX-License-Identifier: Apache-2.0
"""Reads LeRobot datasets of version 2 and 3: the frames in their Parquet files by pyarrow, and the
frames of their videos by PyAV where fields name them."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from . import _arrow, _reading
from ._batches import Batches

_ROWS_AT_ONCE = 4096


def read(path: str, names: list[str] | None = None) -> Batches:
    """The frames of all episodes, in the order of the files."""
    parquet = _reading.package("pyarrow.parquet", "lerobot", path)
    arrow = _reading.package("pyarrow", "lerobot", path)
    with open(os.path.join(path, "meta", "info.json"), encoding="utf-8") as file:
        info = _parsed(path, file.read())
    files = sorted(
        glob.glob(os.path.join(glob.escape(path), "data", "**", "*.parquet"), recursive=True)
    )
    if not files:
        raise _reading.UnreadableError(f"{path} has no Parquet files under data")
    try:
        schema = parquet.read_schema(files[0])
    except arrow.ArrowInvalid as e:
        raise _reading.UnreadableError(f"{files[0]} is damaged: {e}") from None
    features = info.get("features", {})
    fixed = _with_shapes(arrow, schema, features)
    columns = _arrow.columns_of(fixed.empty_table(), path, names)

    def batches() -> Iterator[Sequence[Any]]:
        for number in files:
            try:
                with parquet.ParquetFile(number) as one:
                    for batch in one.iter_batches(_ROWS_AT_ONCE):
                        table = arrow.Table.from_batches([batch]).cast(fixed)
                        yield from _arrow.packed_batches(table, columns)
            except (arrow.ArrowInvalid, arrow.ArrowTypeError, OSError) as e:
                raise _reading.UnreadableError(f"{number} could not be read: {e}") from None

    count = info.get("total_frames", -1)
    mark = _reading.fingerprint(*files, options=names)
    fields = [column.field for column in columns]
    return Batches(path, fields, batches(), count=count, fingerprint=mark)


def _parsed(path: str, text: str) -> dict[str, Any]:
    try:
        info: dict[str, Any] = json.loads(text)
    except ValueError as e:
        raise _reading.UnreadableError(f"{path}/meta/info.json is damaged: {e}") from None
    version = str(info.get("codebase_version", ""))
    if not version.startswith(("v2", "v3")):
        raise _reading.UnreadableError(
            f"{path} is a LeRobot dataset of version {version or 'unknown'}, and versions 2 and 3 "
            "are supported"
        )
    return info


def _with_shapes(arrow: Any, schema: Any, features: dict[str, Any]) -> Any:
    """The schema with lists of a fixed size where a feature has a shape."""
    fields = []
    for field in schema:
        feature = features.get(field.name, {})
        shape = feature.get("shape") if isinstance(feature, dict) else None
        is_list = arrow.types.is_list(field.type) or arrow.types.is_large_list(field.type)
        is_number = is_list and arrow.types.is_primitive(field.type.value_type)
        if is_number and isinstance(shape, list) and len(shape) == 1:
            field = field.with_type(arrow.list_(field.type.value_type, shape[0]))
        fields.append(field)
    return arrow.schema(fields, metadata=schema.metadata)
