# SPDX-License-Identifier: Apache-2.0
"""Parquet and Arrow files that pyarrow and Hugging Face datasets wrote, converted and compared
value by value with what these libraries read back."""

from __future__ import annotations

import base64
import contextlib
import datetime
import decimal
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

pa = pytest.importorskip("pyarrow", reason="needs pyarrow; python/extra.sh readers installs it")
import pyarrow.compute as pc  # noqa: E402
import pyarrow.feather as feather  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

pytestmark = pytest.mark.full

COUNT = 1500
CODECS = ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]


def _with_nulls(values: list[Any], rng: Any) -> list[Any]:
    return [None if rng.random() < 0.2 else one for one in values]


def _numbers(rng: Any) -> dict[str, Any]:
    columns = {}
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        info = np.iinfo(kind)
        values = rng.integers(info.min, info.max, COUNT, dtype=kind, endpoint=True).tolist()
        columns[kind] = pa.array(_with_nulls(values, rng), getattr(pa, kind)())
    columns["f16"] = pa.array(rng.random(COUNT).astype("f2"))
    columns["f32"] = pa.array(_with_nulls(rng.random(COUNT).tolist(), rng), pa.float32())
    columns["f64"] = pa.array(rng.random(COUNT))
    columns["few"] = pa.array(_with_nulls((rng.integers(0, 9, COUNT) / 4).tolist(), rng))
    columns["truth"] = pa.array(_with_nulls((rng.random(COUNT) < 0.5).tolist(), rng))
    columns["all_true"] = pa.array([True] * COUNT)
    return columns


def _texts_and_times(rng: Any) -> dict[str, Any]:
    day, moment = datetime.date(1969, 1, 1), datetime.datetime(1970, 1, 2, 3)
    days = [day + datetime.timedelta(i) for i in range(COUNT)]
    moments = [moment + datetime.timedelta(seconds=i) for i in range(COUNT)]
    times = [datetime.time(1, 2, i % 60) for i in range(COUNT)]
    columns = {
        "text": pa.array(_with_nulls([f"text {i % 50} é" for i in range(COUNT)], rng)),
        "large": pa.array(_with_nulls([f"{i}" * (i % 9) for i in range(COUNT)], rng), "large_utf8"),
        "binary": pa.array(_with_nulls([rng.bytes(i % 20) for i in range(COUNT)], rng)),
        "fixed": pa.array(_with_nulls([rng.bytes(5) for _ in range(COUNT)], rng), pa.binary(5)),
        "word": pa.array(_with_nulls([f"w{i % 7}" for i in range(COUNT)], rng)).dictionary_encode(),
        "day": pa.array(_with_nulls(days, rng)),
        "moment": pa.array(_with_nulls(moments, rng), pa.timestamp("us")),
        "nanos": pa.array(list(range(COUNT)), pa.timestamp("ns", tz="UTC")),
        "time32": pa.array(times, pa.time32("ms")),
        "time64": pa.array(_with_nulls(times, rng), pa.time64("us")),
        "nothing": pa.nulls(COUNT),
    }
    for precision, kind in (
        (7, pa.decimal128),
        (17, pa.decimal128),
        (35, pa.decimal128),
        (50, pa.decimal256),
    ):
        values = [decimal.Decimal(i * (-1) ** i) / 100 for i in range(COUNT)]
        columns[f"decimal{precision}"] = pa.array(_with_nulls(values, rng), kind(precision, 2))
    return columns


def _nested(rng: Any) -> dict[str, Any]:
    rows = range(COUNT)
    inner = pa.struct([("w", pa.float64())])
    struct = pa.struct([("x", pa.int32()), ("y", pa.string()), ("z", inner)])
    pair = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.int16()))])
    structs = [{"x": i, "y": None if i % 3 == 0 else f"y{i}", "z": {"w": i / 2}} for i in rows]
    gaps = [[None if j % 3 == 2 else j / 3 for j in range(i % 5)] for i in rows]
    words = [[f"a{j}" if j != 1 else None for j in range(i % 4)] for i in rows]
    lists = [[list(range(j)) if j != 1 else None for j in range(i % 4)] for i in rows]
    maps = [[(f"k{j}", j) for j in range(i % 3)] for i in rows]
    return {
        "list": pa.array(
            _with_nulls([list(range(i % 5)) for i in rows], rng), pa.list_(pa.int32())
        ),
        "gaps": pa.array(_with_nulls(gaps, rng), pa.list_(pa.float64())),
        "vector": pa.array(
            _with_nulls([[i, 1.0, 2.0] for i in rows], rng), pa.list_(pa.float32(), 3)
        ),
        "pair": pa.array([[i, -i] for i in rows], pa.list_(pa.int64(), 2)),
        "words": pa.array(_with_nulls(words, rng), pa.list_(pa.string())),
        "lists": pa.array(_with_nulls(lists, rng), pa.list_(pa.list_(pa.int64()))),
        "struct": pa.array(_with_nulls(structs, rng), struct),
        "structs": pa.array(
            [[{"a": i, "b": [j]} for j in range(i % 3)] for i in rows], pa.list_(pair)
        ),
        "map": pa.array(_with_nulls(maps, rng), pa.map_(pa.string(), pa.int64())),
        "numbers": pa.array(
            [[(j, j / 2) for j in range(i % 3)] for i in rows], pa.map_("i4", "f4")
        ),
    }


@pytest.fixture(scope="module")
def table() -> Any:
    rng = np.random.default_rng(1)
    return pa.table({**_numbers(rng), **_texts_and_times(rng), **_nested(rng)})


def _json(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (list, tuple)):
        return [_json(one) for one in value]
    return {key: _json(one) for key, one in value.items()} if isinstance(value, dict) else value


def _expected(name: str, column: Any) -> dict[str, list[Any]]:
    """The fields that a column of pyarrow becomes, by the documented rule."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks else pa.array([], column.type)
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _expected(name, column.dictionary_decode())
    if pa.types.is_struct(kind):
        fields: dict[str, list[Any]] = {}
        for child, part in zip(kind, column.flatten(), strict=True):
            fields |= _expected(f"{name}.{child.name}", part)
        return fields
    rows = column.to_pylist()
    if pa.types.is_map(kind):
        parts = {}
        for number, part in enumerate(("key", "value")):
            of = [None if row is None else [entry[number] for entry in row] for row in rows]
            item = kind.key_type if number == 0 else kind.item_type
            parts |= _expected(f"{name}.{part}", pa.array(of, pa.list_(item)))
        return parts
    if pa.types.is_temporal(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return {name: pc.cast(column, width).to_pylist()}
    if pa.types.is_decimal(kind):
        return {name: [None if one is None else float(one) for one in rows]}
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
        item = kind.value_type
        if not (pa.types.is_integer(item) or pa.types.is_floating(item)):
            texts = [None if row is None else json.dumps(_json(row)) for row in rows]
            return {name: texts}
    return {name: rows}


def _shown(value: Any) -> Any:
    """A value of penstock as pyarrow has it."""
    if value is None or value is np.ma.masked:
        return None
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype.kind == "V" else value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, str):
        text = found.decode() if isinstance(found, bytes) else found
        is_json = wanted[:1] in "[{" and wanted[:1] != ""
        return bool(json.loads(text) == json.loads(wanted)) if is_json else text == wanted
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(_same, found, wanted))
    if wanted is None and isinstance(found, float):
        return math.isnan(found)
    return bool(found == wanted)


def _compare(source: Path, table: Any, tmp_path: Path, **options: Any) -> Any:
    target = tmp_path / f"{source.name}.store"
    answer = penstock.convert(source, target, overwrite=True, **options)
    with penstock.open(target) as dataset:
        expected: dict[str, list[Any]] = {}
        for name in table.column_names:
            expected |= _expected(name, table[name])
        assert list(dataset.fields) == list(expected)
        assert len(dataset) == table.num_rows
        columns = dataset[:]
        for name, wanted in expected.items():
            found = [_shown(one) for one in columns[name]]
            missing = _missing(columns[name])
            for row in range(len(wanted)):
                is_same = missing[row] if wanted[row] is None else _same(found[row], wanted[row])
                assert is_same, (source.name, name, row, found[row], wanted[row])
    return answer


def _missing(values: Any) -> Any:
    if isinstance(values, list):
        return [one is None for one in values]
    if isinstance(values, penstock.Ragged):
        return np.zeros(len(values), bool) if values.missing is None else values.missing
    mask = np.ma.getmaskarray(values)
    return mask.reshape(len(values), -1).any(axis=1)


def test_every_type_of_parquet_is_read(table: Any, tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    pq.write_table(table, path, row_group_size=400)
    _compare(path, table, tmp_path)
    pq.write_table(table, path, use_dictionary=False, store_schema=False)
    plain = pq.read_table(path)
    # Without the schema of Arrow a list of one size is a list.
    _compare(path, plain, tmp_path)
    pq.write_table(table.select(["moment", "nanos"]), path, use_deprecated_int96_timestamps=True)
    _compare(path, pq.read_table(path), tmp_path)


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_of_parquet_is_read(codec: str, table: Any, tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        path = tmp_path / f"{codec}-{version}.parquet"
        pq.write_table(
            table,
            path,
            compression=codec,
            data_page_version=version,
            row_group_size=600,
            data_page_size=2000,
            write_page_checksum=version == "2.0",
        )
        _compare(path, table, tmp_path)


def test_every_encoding_of_parquet_is_read(table: Any, tmp_path: Path) -> None:
    encodings = {}
    for field in table.schema:
        kind = field.type
        if pa.types.is_integer(kind) or pa.types.is_temporal(kind):
            encodings[field.name] = ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
        elif pa.types.is_floating(kind):
            encodings[field.name] = ["BYTE_STREAM_SPLIT", "PLAIN"]
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
            encodings[field.name] = ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"]
        elif pa.types.is_fixed_size_binary(kind):
            encodings[field.name] = ["DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"]
        elif pa.types.is_boolean(kind):
            encodings[field.name] = ["RLE", "PLAIN"]
    some = table.select(list(encodings))
    for choice in range(2):
        path = tmp_path / f"encodings-{choice}.parquet"
        pq.write_table(
            some,
            path,
            use_dictionary=False,
            column_encoding={name: both[choice] for name, both in encodings.items()},
            data_page_size=3000,
        )
        _compare(path, some, tmp_path)


def test_a_folder_of_parquet_is_read_in_order(table: Any, tmp_path: Path) -> None:
    folder = tmp_path / "hub" / "data"
    folder.mkdir(parents=True)
    for part in range(3):
        pq.write_table(table.slice(part * 500, 500), folder / f"train-{part:05}-of-00003.parquet")
    _compare(tmp_path / "hub", table, tmp_path)
    pq.write_table(table.slice(0, 10), folder / "test-00000-of-00001.parquet")
    with pytest.raises(ValueError, match=r"has the splits test, train; convert one of them"):
        penstock.convert(tmp_path / "hub", tmp_path / "x")
    _compare(tmp_path / "hub" / "test", table.slice(0, 10), tmp_path)
    (folder / "test-00000-of-00001.parquet").unlink()
    names = ["other" if name == "f64" else name for name in table.column_names]
    pq.write_table(table.rename_columns(names), folder / "train-1.parquet")
    with pytest.raises(
        penstock.CorruptDataError, match=r"train-1.parquet.*the column f64 is not there"
    ):
        penstock.convert(folder, tmp_path / "x")


def test_columns_and_row_groups_that_are_not_needed_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sorted.parquet"
    numbers = np.arange(10_000)
    pq.write_table(pa.table({"i": numbers, "x": numbers / 7}), path, row_group_size=1000)
    data = bytearray(path.read_bytes())
    meta = pq.ParquetFile(path).metadata
    for group in range(9):
        chunk = meta.row_group(group).column(1)
        data[chunk.data_page_offset] ^= 0xFF
    path.write_bytes(data)
    some = penstock.convert(path, tmp_path / "some", where="i >= 9500", fields=["x"])
    assert some["records"] == 500
    assert penstock.convert(path, tmp_path / "i.npy", fields="i")["records"] == 10_000
    words = r"sorted.parquet.*row group 0, rows 0 to 1000, column x"
    with pytest.raises(penstock.CorruptDataError, match=words):
        penstock.convert(path, tmp_path / "all")


@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
def test_every_type_of_arrow_is_read(codec: str, table: Any, tmp_path: Path) -> None:
    large = pa.array(table["list"].to_pylist(), pa.large_list(pa.int32()))
    views = table["large"].cast(pa.string_view())
    more = table.append_column("large_list", large).append_column("views", views)
    more = more.append_column("duration", pa.array(range(COUNT), pa.duration("ms")))
    path = tmp_path / "data.arrow"
    feather.write_feather(more, path, compression=codec, chunksize=700)
    _compare(path, more, tmp_path)
    stream = tmp_path / "data.arrows"
    with pa.ipc.new_stream(stream, more.schema) as writer:
        writer.write_table(more.slice(3, 900), max_chunksize=250)
        writer.write_table(more.slice(903))
    _compare(stream, more.slice(3), tmp_path)


def test_dictionaries_of_a_stream_grow(tmp_path: Path) -> None:
    path = tmp_path / "words.arrow"
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    kind = pa.dictionary(pa.int8(), pa.string())
    batches = []
    for words in (["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]):
        numbers = pa.array([len(words) - 1, 0, None], pa.int8())
        column = pa.DictionaryArray.from_arrays(numbers, pa.array(words))
        batches.append(pa.record_batch({"word": column}))
    with pa.ipc.new_stream(path, pa.schema([("word", kind)]), options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    _compare(path, pa.Table.from_batches(batches), tmp_path)


def test_a_saved_dataset_of_hugging_face_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets; python/extra.sh readers")
    features = datasets.Features(
        {
            "label": datasets.ClassLabel(names=["cat", "dog"]),
            "image": datasets.Image(decode=False),
            "grid": datasets.Array2D((2, 3), "float32"),
            "tokens": datasets.Sequence(datasets.Value("int32")),
        }
    )
    grids = np.random.default_rng(2).random((50, 2, 3)).astype(np.float32)
    columns = {
        "label": [i % 2 for i in range(50)],
        "image": [{"bytes": bytes([i]) * i, "path": f"{i}.png"} for i in range(50)],
        "grid": [one.tolist() for one in grids],
        "tokens": [list(range(i)) for i in range(50)],
    }
    kinds = {field.name: field.type for field in features.arrow_schema}
    kinds["grid"] = kinds["grid"].storage_type
    arrays = [pa.array(columns[name], kind) for name, kind in kinds.items()]
    arrays[2] = pa.ExtensionArray.from_storage(features.arrow_schema.field("grid").type, arrays[2])
    data = datasets.Dataset(
        pa.Table.from_arrays(arrays, schema=features.arrow_schema), fingerprint="abc"
    )
    data.save_to_disk(tmp_path / "saved", num_shards=3)
    answer = penstock.convert(tmp_path / "saved", tmp_path / "out")
    assert answer["format"] == "store" and answer["records"] == 50
    with penstock.open(tmp_path / "out") as found:
        names = ["label", "image", "image.path", "grid", "tokens"]
        assert sorted(found.fields) == sorted(names)
        read = found[:]
        np.testing.assert_array_equal(read["grid"], grids)
        assert list(read["image"]) == [bytes([i]) * i for i in range(50)]
        assert [one.tolist() for one in read["tokens"]] == columns["tokens"]
        assert read["label"].tolist() == columns["label"]
    split = datasets.DatasetDict({"train": data})
    split.save_to_disk(tmp_path / "splits")
    with pytest.raises(ValueError, match="has the splits"):
        penstock.convert(tmp_path / "splits", tmp_path / "x")
    data.to_parquet(tmp_path / "hub.parquet")
    penstock.convert(tmp_path / "hub.parquet", tmp_path / "hub", fields=["grid"])
    with penstock.open(tmp_path / "hub") as found:
        np.testing.assert_array_equal(found[:]["grid"], grids)


def test_damaged_files_are_refused_with_their_place(tmp_path: Path) -> None:
    """Every flipped byte and truncation is an error of the data, or changes nothing but values."""
    small = pa.table({"i": pa.array([1, None, 3]), "s": ["a", "b", None], "l": [[1], [], [2, 3]]})
    pq.write_table(small, tmp_path / "a.parquet")
    feather.write_feather(small, tmp_path / "a.arrow", compression="zstd")
    rng = np.random.default_rng(3)
    for name in ("a.parquet", "a.arrow"):
        whole = (tmp_path / name).read_bytes()
        bad = tmp_path / f"bad-{name}"
        for cut in rng.integers(12, len(whole) - 1, 25):
            bad.write_bytes(whole[:cut])
            with pytest.raises(penstock.CorruptDataError, match="bad-a"):
                penstock.convert(bad, tmp_path / "x")
        for place in rng.integers(12, len(whole), 150):
            data = bytearray(whole)
            data[place] ^= 1 << int(rng.integers(8))
            bad.write_bytes(data)
            with contextlib.suppress(penstock.CorruptDataError, ValueError):
                penstock.convert(bad, tmp_path / "x", to="store", overwrite=True)


def test_what_is_written_is_read_by_other_libraries(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets; python/extra.sh readers")
    rng = np.random.default_rng(3)
    vectors = [None if i % 7 == 0 else rng.random(3).tolist() for i in range(3000)]
    columns = {
        "whole": pa.array(_with_nulls(list(range(3000)), rng), pa.int64()),
        "half": pa.array(rng.random(3000).astype("f4")),
        "vector": pa.array(vectors, pa.list_(pa.float64(), 3)),
        "text": pa.array(_with_nulls([f"ä{i}" for i in range(3000)], rng)),
        "raw": pa.array(_with_nulls([rng.bytes(i % 9) for i in range(3000)], rng)),
        "fixed": pa.array([rng.bytes(4) for _ in range(3000)], pa.binary(4)),
        "truth": pa.array(_with_nulls((rng.random(3000) < 0.5).tolist(), rng)),
        "list": pa.array(_with_nulls([list(range(i % 4)) for i in range(3000)], rng)),
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "in.parquet")
    penstock.convert(tmp_path / "in.parquet", tmp_path / "store", to="store")
    penstock.convert(tmp_path / "store", tmp_path / "saved", to="hf")
    saved = datasets.load_from_disk(tmp_path / "saved")
    assert saved.column_names == table.column_names
    assert saved.to_dict() == table.to_pydict()
    assert saved.map(lambda row: {"next": row["half"] + 1})[5]["next"] == saved[5]["half"] + 1
    penstock.convert(tmp_path / "store", tmp_path / "out.parquet")
    file = pq.ParquetFile(tmp_path / "out.parquet")
    assert file.metadata.num_row_groups == 1
    read = file.read()
    assert read.to_pydict() == table.to_pydict()
    assert read.schema.field("vector").type.list_size == 3
    grids = rng.random((50, 2, 3)).astype("f4")
    np.save(tmp_path / "grids.npy", grids)
    penstock.convert(tmp_path / "grids.npy", tmp_path / "grids", to="hf")
    found = datasets.load_from_disk(tmp_path / "grids").with_format("numpy")
    np.testing.assert_array_equal(found[:][found.column_names[0]], grids)
    answer = penstock.convert(tmp_path / "grids", tmp_path / "again.npy")
    assert answer["records"] == 50
    with penstock.open(tmp_path / "again.npy") as again:
        np.testing.assert_array_equal(again[:], grids)
