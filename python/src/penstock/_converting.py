# SPDX-License-Identifier: Apache-2.0
"""`convert` and `doctor`: requests that read all records of a source."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _arguments, _arrow, _batches, _conversion, _paths, _reading
from ._batches import Batches
from ._dataset import Dataset
from ._dtypes import Field
from ._ragged import Ragged

# The number of records of a dataset that become a batch.
_ROWS_AT_ONCE = 1 << 14


def convert(
    source: Any,
    target: _paths.PathLike,
    *,
    to: str | None = None,
    fields: str | Sequence[str] | None = None,
    where: str | None = None,
    without: Any = None,
    cast: str | None = None,
    compress: str | None = None,
    level: int | None = None,
    shard_rows: int | None = None,
    overwrite: bool = False,
    decode: Sequence[str] | None = None,
    on_error: str = "stop",
    dtype: str | None = None,
    end_token: int | None = None,
    window: int | None = None,
    types: Mapping[str, str] | None = None,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Copies records into a new dataset of any format, without loading them into memory. The result
    is read back and compared with the source before it gets its name.

    Args:
        source: the path of a dataset, or of a file or folder of another program that `penstock
            convert` reads; or data of another library that has Arrow's PyCapsule interface, such as
            a Hugging Face `Dataset`, a `DataFrame` of pandas or Polars, a table or a reader of
            pyarrow, or a relation of DuckDB; or a dictionary of columns
        target: the path of the new dataset
        to: its format: `table`, `store`, `pack` or `shards`. Without it the extension of the path
            decides; without an extension it is a table if all fields have a fixed size, and
            otherwise a store
        fields: the names of the fields to copy; a single name makes plain values of that field
        where: a condition for records, such as `label == 3`
        without: indices of records to leave out, or a file with them, such as one that `doctor`
            wrote
        cast: the type that floating-point numbers get: `f16`, `bf16`, `f32` or `f64`
        compress: the compression of a pack or store
        level: the level of the compression of a pack
        shard_rows: the number of rows in each file of a folder
        overwrite: whether a dataset of this name is replaced
        decode: of a tar or zip archive, what is decoded: `json`, `cls`, `txt`, `npy` or `all`; of
            TFRecord files, `raw` leaves records as bytes
        on_error: `stop` at a record that cannot be read, or `skip` it, in text, Parquet, archives
            and data of other loaders; other sources refuse to skip
        dtype: the type of the numbers in a file without a header, such as `uint16`
        end_token: divides a stream of tokens into documents that end with this token
        window: divides tokens, or other numbers, into rows of this length
        types: the types of fields of CSV or JSON that are not to be guessed: `{"zip": "utf8"}`
        dry_run: whether nothing is written, and the result says what the source is, in `kind`, and
            which `fields` it has and what they become, like `penstock convert --dry-run --json`

    Returns:
        what was made: `format`, `records`, `fields`, `bytes`, `resumed_at`, `fingerprint`, and
        `left_out`, which describes the records that were skipped

    >>> import numpy as np, penstock
    >>> penstock.convert({"x": np.arange(5), "text": ["a", "bc", "", "d", "e"]}, "rows")["format"]
    'store'
    """
    request: dict[str, Any] = {
        "target": _paths.local(target),
        "overwrite": _arguments.boolean("overwrite", overwrite),
        "dryRun": _arguments.boolean("dry_run", dry_run),
    }
    if fields is not None:
        names = [fields] if isinstance(fields, str) else _arguments.texts("fields", fields)
        request["fields"], request["plain"] = names, isinstance(fields, str)
    texts = (("to", to), ("where", where), ("cast", cast), ("compress", compress), ("dtype", dtype))
    for name, value in texts:
        if value is not None:
            request[name] = _arguments.text(name, value)
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error must be 'stop' or 'skip', got {_arguments.shown(on_error)}")
    request["skip"] = on_error == "skip"
    if decode is not None:
        request["decode"] = _arguments.texts("decode", decode)
    if types is not None:
        pairs = [_arguments.texts("types", pair) for pair in types.items()]
        request["types"] = [word for pair in pairs for word in pair]
    if end_token is not None:
        request["endToken"] = _arguments.integer("end_token", end_token)
    if window is not None:
        request["window"] = _arguments.integer("window", window, minimum=1)
    if level is not None:
        request["level"] = _arguments.integer("level", level)
    if shard_rows is not None:
        request["shardRows"] = _arguments.integer("shard_rows", shard_rows, minimum=1)
    if isinstance(without, (str, bytes, os.PathLike)):
        request["withoutFile"] = _paths.absolute(without)
    elif without is not None:
        indices = _indices(without)
        request["without"], request["withoutBytes"] = indices.ctypes.data, indices.nbytes
    sources: dict[str, Batches] = {}
    # A condition may name fields that are not copied.
    read = request.get("fields") if where is None else None
    request["source"] = _source(source, "source", "pipe", sources, read)
    answer: dict[str, Any] = _batches.request("convert", sources, **request)
    return answer


def _indices(values: Any) -> np.ndarray[Any, Any]:
    """Indices of records, which must not be negative: a source need not have a known length."""
    array = np.asarray(values)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 0:
        raise ValueError("without must be a list of indices from 0, or a file with one")
    return np.ascontiguousarray(array, np.int64)


def doctor(
    source: Any,
    *,
    against: Any = None,
    fields: Sequence[str] | None = None,
    checks: Sequence[str] | None = None,
    key: str | None = None,
    max_bytes: int | None = None,
    output: _paths.PathLike | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Finds what training would trip over: missing values, NaN and infinity, fields with one value
    or with the values of another field, copies of records, empty and oversized values, images that
    do not decode, text that is not UTF-8, classes of very different size, outliers in length, keys
    that repeat, and records that are in another dataset as well.

    Args:
        source: what `convert` takes
        against: records that must not be among those of the source, such as those for testing
        fields: the fields to examine, and to compare records by
        checks: the checks to make, such as `["nan", "duplicates"]`
        key: the field whose values must not repeat
        max_bytes: larger values are oversized
        output: a file that ends in `.npy`, for the indices of the records with findings.
            `Dataset.select` and `convert` take it
        overwrite: whether the file is replaced

    Returns:
        `records`, `fields` with facts about each, `findings` with `check`, `field`, `count`, the
        first `records` and a `message`, `remarks` about what could not be checked, and `bad`, the
        number of records with findings

    >>> import numpy as np, penstock
    >>> report = penstock.doctor({"x": np.array([1.0, np.nan, 1.0]), "y": np.arange(3)})
    >>> [(one["check"], one["records"]) for one in report["findings"]]
    [('nan', [1])]
    """
    request: dict[str, Any] = {}
    if fields is not None:
        request["fields"] = _arguments.texts("fields", fields)
    if checks is not None:
        request["checks"] = _arguments.texts("checks", checks)
    if key is not None:
        request["key"] = _arguments.text("key", key)
    if max_bytes is not None:
        request["maxBytes"] = _arguments.integer("max_bytes", max_bytes, minimum=1)
    if output is not None:
        path = _paths.local(output)
        if not path.endswith(".npy"):
            raise ValueError(f"output must end in .npy, got {path}")
        request["output"] = path
        request["overwrite"] = _arguments.boolean("overwrite", overwrite)
    sources: dict[str, Batches] = {}
    if against is not None:
        # Java reads these records first.
        request["other"] = _source(against, "against", "otherPipe", sources, None)
    request["source"] = _source(source, "source", "pipe", sources, None)
    answer: dict[str, Any] = _batches.request("doctor", sources, **request)
    return answer


def _source(
    data: Any, what: str, pipe: str, sources: dict[str, Batches], names: Sequence[str] | None
) -> str:
    """The path of a source, or a description of data whose batches are added to the sources."""
    if isinstance(data, (str, bytes, os.PathLike)):
        if not os.fspath(data):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), data)
        return _paths.absolute(data)
    sources[pipe] = batches_of(data, what, names)
    return sources[pipe].name


def batches_of(data: Any, what: str, names: Sequence[str] | None = None) -> Batches:
    """The records of data in memory or of another library.

    Raises:
        TypeError: when it is something else
    """
    if isinstance(data, Batches):
        return data
    if isinstance(data, Dataset):
        return _of_dataset(data)
    if _arrow.has_stream(data):
        try:
            return _arrow.batches_of(data, names)
        except ImportError:
            # A DataFrame of pandas needs pyarrow for this.
            frame = _conversion.frame_columns(data)
            if frame is None:
                raise
            return _of_columns(frame, what)
    found = _reading.opened(data)
    if found is not None:
        return found
    columns = _columns(data)
    if columns is None:
        raise TypeError(
            f"{what} must be a path, data with Arrow's interface ({_arrow.STREAM}), an array, a "
            f"list of records or a dictionary of columns, got {_arguments.shown(data)}"
        )
    return _of_columns(columns, what)


def _of_dataset(dataset: Dataset) -> Batches:
    rows = max(1, min(_ROWS_AT_ONCE, _batches.BATCH_BYTES // max(1, _record_size(dataset))))

    def batches() -> Iterator[list[Any]]:
        for start in range(0, len(dataset), rows):
            indices = np.arange(start, min(len(dataset), start + rows), dtype=np.int64)
            columns = dataset._gather(dataset._fields, None, indices, True)
            yield [columns[field.name] for field in dataset._fields]

    return Batches(
        dataset.path,
        [_plain(field) for field in dataset._fields],
        batches(),
        count=len(dataset),
        fingerprint=dataset.fingerprint,
    )


def _record_size(dataset: Dataset) -> int:
    return dataset.nbytes // max(1, len(dataset))


def _plain(field: Field) -> Field:
    """A field of bytes of a table keeps its size; dates are whole numbers."""
    kind = np.dtype(np.int64) if field.dtype.kind in "mM" else field.dtype
    return field._replace(dtype=kind)


def _columns(data: Any) -> dict[str, Any] | None:
    """The columns of data in memory, or None for anything else."""
    if isinstance(data, Mapping):
        if not data or not all(isinstance(name, str) for name in data):
            raise ValueError(
                "a dictionary of columns needs names that are strings, and one at least"
            )
        return dict(data)
    if isinstance(data, (list, tuple)):
        if data and isinstance(data[0], Mapping):
            names = _conversion.require_same_keys(data)
            return {name: [record[name] for record in data] for name in names}
        return {"value": data}
    if isinstance(data, np.ndarray):
        if data.dtype.names is not None:
            return {name: data[name] for name in data.dtype.names}
        return {"value": data}
    return {"value": data} if isinstance(data, Ragged) else _conversion.frame_columns(data)


def _of_columns(columns: Mapping[str, Any], what: str) -> Batches:
    parsed = {name: _column(name, values) for name, values in columns.items()}
    _conversion.require_one_length({name: values for name, (_, values) in parsed.items()})
    fields = [field for field, _ in parsed.values()]
    count = len(next(iter(parsed.values()))[1])
    size = sum(field.item_size for field in fields if not field.variable) + 1
    rows = max(1, min(_ROWS_AT_ONCE, _batches.BATCH_BYTES // size))

    def batches() -> Iterator[list[Any]]:
        for start in range(0, count, rows):
            yield [values[start : start + rows] for _, values in parsed.values()]

    return Batches(f"the data in {what}", fields, batches(), count=count)


def _column(name: str, values: Any) -> tuple[Field, Any]:
    """The field of a column of data in memory, and its values."""
    if isinstance(values, Ragged):
        is_bytes = values.values.dtype == np.uint8
        return Field(name, np.dtype("V1") if is_bytes else values.values.dtype, (), True), values
    if isinstance(values, np.ndarray) and values.dtype.hasobject:
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        kinds = {type(one) for one in values if one is not None}
        if kinds and kinds <= {str, np.str_}:
            return Field(name, np.dtype("S1"), (), True), values
        if kinds and kinds <= {bytes, bytearray, memoryview}:
            return Field(name, np.dtype("V1"), (), True), values
        if None in values and kinds <= {int, float, bool, np.float64, np.int64}:
            filled = np.asarray([0 if one is None else one for one in values])
            values = np.ma.masked_array(filled, [one is None for one in values])
    array = values if _conversion.is_masked(values) else _conversion.unmasked(values)
    if array.ndim == 0:
        raise TypeError(f"{name!r} is a single value, and a column has a value for each record")
    if array.dtype.hasobject:
        raise TypeError(f"the values of {name!r} are not numbers, texts or bytes")
    if array.dtype.kind in "mM":
        array = array.view(np.int64)
    if array.dtype.names is not None:
        raise TypeError(f"{name!r} has records in it; give each of their fields as a column")
    native = array.dtype.newbyteorder("=")
    return Field(name, native, array.shape[1:], False), array
