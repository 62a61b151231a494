# SPDX-License-Identifier: Apache-2.0
"""Files of other libraries, converted and compared with what these libraries read."""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import struct
import sys
import tarfile
import types
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

pytestmark = pytest.mark.full


def _texts(array: Any) -> list[str]:
    return [value if isinstance(value, str) else bytes(value).decode() for value in array]


def test_webdataset_reads_the_same_samples(tmp_path: Path) -> None:
    wds = pytest.importorskip("webdataset")
    rng = np.random.default_rng(1)
    with wds.ShardWriter(str(tmp_path / "w-%03d.tar"), maxcount=40, verbose=0) as writer:
        for i in range(100):
            writer.write(
                {
                    "__key__": f"a/{i:05d}",
                    "jpg": rng.bytes(100 + i),
                    "cls": i % 7,
                    "json": {"a": i, "b": "x" * i},
                    "txt": f"tëxt {i}",
                    "npy": rng.random((3, 4)).astype("f4"),
                }
            )
    report = penstock.convert(tmp_path / "w-{000..002}.tar", tmp_path / "s.store", decode=["all"])
    assert report["records"] == 100
    ours = penstock.open(tmp_path / "s.store")
    names = [str(path) for path in sorted(tmp_path.glob("w-*.tar"))]
    theirs = list(wds.WebDataset(names, shardshuffle=False).decode(wds.autodecode.basichandlers))
    assert len(theirs) == 100
    for mine, other in zip(ours, theirs, strict=True):
        assert _texts([mine["__key__"], mine["txt"]]) == [other["__key__"], other["txt"]]
        assert bytes(mine["jpg"]) == other["jpg"]
        assert mine["cls"] == other["cls"]
        assert mine["json.a"] == other["json"]["a"]
        assert _texts([mine["json.b"]]) == [other["json"]["b"]]
        np.testing.assert_array_equal(mine["npy"], other["npy"])


def test_webdataset_reads_what_convert_writes(tmp_path: Path) -> None:
    wds = pytest.importorskip("webdataset")
    columns = {"x": np.arange(6.0).reshape(3, 2), "cls": np.arange(3), "name": ["a", "b" * 200, ""]}
    penstock.convert(columns, tmp_path / "out.tar")
    read = list(wds.WebDataset(str(tmp_path / "out.tar"), shardshuffle=False))
    assert [int(sample["cls"]) for sample in read] == [0, 1, 2]
    assert [sample["name.txt"].decode() for sample in read] == columns["name"]
    arrays = [np.lib.format.read_array(io.BytesIO(sample["x.npy"])) for sample in read]
    np.testing.assert_array_equal(np.stack(arrays), columns["x"])


@pytest.mark.parametrize("form", ["pax", "gnu", "ustar", "gz", "zip"])
def test_archives_of_the_standard_library(tmp_path: Path, form: str) -> None:
    names = ["README", "d/" + "y" * 90 + "/z.bin"]
    if form in ("pax", "gnu"):
        names.append("d/" + "ü" * 120 + ".txt")
    content = {name: name.encode() * 100 for name in names}
    path = tmp_path / ("x.zip" if form == "zip" else "x.tar")
    if form == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in content.items():
                archive.writestr(name, data)
    else:
        formats = {"gnu": tarfile.GNU_FORMAT, "ustar": tarfile.USTAR_FORMAT}
        mode: Any = "w:gz" if form == "gz" else "w"
        with tarfile.open(path, mode, format=formats.get(form, tarfile.PAX_FORMAT)) as tar:
            for name, data in content.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    penstock.convert(path, tmp_path / "s.store")
    found = {
        _texts([one["name"]])[0]: bytes(one["data"]) for one in penstock.open(tmp_path / "s.store")
    }
    assert found == content
    with pytest.raises(penstock.WrongFormatError, match="penstock convert"):
        penstock.open(path)


def test_tfrecord_reads_the_same_examples(tmp_path: Path) -> None:
    tfrecord = pytest.importorskip("tfrecord")
    path = str(tmp_path / "t.tfrecord")
    writer = tfrecord.writer.TFRecordWriter(path)
    for i in range(50):
        ids = list(range(i % 5))
        writer.write(
            {
                "image": (bytes([i]) * i, "byte"),
                "label": (i - 3, "int"),
                "v": ([0.5 * i, 1.0], "float"),
                "ids": (ids, "int"),
            }
        )
    writer.close()
    penstock.convert(path, tmp_path / "t.store")
    theirs = list(tfrecord.tfrecord_loader(path, None))
    assert len(theirs) == 50
    for mine, other in zip(penstock.open(tmp_path / "t.store"), theirs, strict=True):
        assert bytes(mine["image"]) == bytes(other["image"])
        assert mine["label"] == np.asarray(other["label"]).item()
        np.testing.assert_array_equal(mine["v"], other["v"])
        np.testing.assert_array_equal(np.ravel(mine["ids"]), np.ravel(other["ids"]))


def _streaming(monkeypatch: pytest.MonkeyPatch) -> Any:
    """MosaicML Streaming. It imports classes of transformers that the tests do not use."""
    pytest.importorskip("torch")
    if importlib.util.find_spec("transformers") is None:
        for name, thing in (
            ("transformers", ""),
            ("transformers.models", ""),
            ("transformers.models.auto", ""),
            ("transformers.models.auto.tokenization_auto", "AutoTokenizer"),
            ("transformers.feature_extraction_utils", "BatchFeature"),
            ("transformers.tokenization_utils_base", "BatchEncoding"),
        ):
            module = types.ModuleType(name)
            if thing:
                setattr(module, thing, type(thing, (), {}))
            # Other tests in this process must not find it.
            monkeypatch.setitem(sys.modules, name, module)
    return pytest.importorskip("streaming", exc_type=ImportError)


@pytest.mark.parametrize("compression", [None, "zstd", "gz"])
def test_streaming_reads_the_same_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compression: str | None
) -> None:
    streaming = _streaming(monkeypatch)
    columns = {
        "b": "bytes",
        "s": "str",
        "i": "int",
        "f": "float32",
        "a": "ndarray:int16:2,2",
        "r": "ndarray:float64",
        "j": "json",
    }
    out = str(tmp_path / "mds")
    with streaming.MDSWriter(
        out=out, columns=columns, compression=compression, size_limit=2000
    ) as w:
        for i in range(60):
            a, r = np.full((2, 2), i, "int16"), np.arange(i + 1.0)
            w.write(
                {
                    "b": bytes([i]) * i,
                    "s": f"é{i}",
                    "i": -i,
                    "f": i / 2,
                    "a": a,
                    "r": r,
                    "j": {"q": i},
                }
            )
    penstock.convert(out, tmp_path / "m.store")
    theirs = streaming.LocalDataset(out) if compression is None else None
    for i, mine in enumerate(penstock.open(tmp_path / "m.store")):
        other = {"b": bytes([i]) * i, "s": f"é{i}", "i": -i, "f": i / 2, "r": np.arange(i + 1.0)}
        other = other if theirs is None else theirs[i]
        assert bytes(mine["b"]) == other["b"] and _texts([mine["s"]]) == [other["s"]]
        assert mine["i"] == other["i"] and mine["f"] == other["f"]
        np.testing.assert_array_equal(mine["r"], other["r"])
        assert json.loads(_texts([mine["j"]])[0]) == {"q": i}
        np.testing.assert_array_equal(mine["a"], np.full((2, 2), i))


def test_litdata_reads_the_same_samples(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    litdata = pytest.importorskip("litdata", exc_type=ImportError)
    out = str(tmp_path / "lit")
    writer = importlib.import_module("litdata.streaming.writer").BinaryWriter(out, chunk_bytes=2000)
    for i in range(30):
        t = torch.arange(6).reshape(2, 3) + i
        writer[i] = {"x": i, "f": i / 4, "s": f"s{i}", "t": t, "v": np.arange(i, dtype="int32")}
    writer.done()
    writer.merge()
    penstock.convert(out, tmp_path / "l.store")
    theirs = litdata.StreamingDataset(out)
    for i, mine in enumerate(penstock.open(tmp_path / "l.store")):
        other = theirs[i]
        assert mine["x"] == other["x"] and mine["f"] == other["f"]
        assert _texts([mine["s"]]) == [other["s"]]
        tensor = np.reshape(mine["t"], mine["t.shape"])
        np.testing.assert_array_equal(tensor, other["t"].numpy())
        np.testing.assert_array_equal(mine["v"], other["v"])


def test_megatron_documents_and_windows(tmp_path: Path) -> None:
    documents = [np.arange(n, dtype="<u2") for n in (3, 0, 5, 1)]
    lengths = [len(one) for one in documents]
    np.concatenate(documents).tofile(tmp_path / "c.bin")
    pointers = np.concatenate([[0], np.cumsum(lengths)[:-1]]) * 2
    head = b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, 4, 5)
    index = np.asarray(lengths, "<i4").tobytes() + pointers.astype("<i8").tobytes()
    (tmp_path / "c.idx").write_bytes(head + index + np.arange(5, dtype="<i8").tobytes())
    penstock.convert(tmp_path / "c.idx", tmp_path / "d.store")
    read = [one["tokens"] for one in penstock.open(tmp_path / "d.store")]
    for mine, expected in zip(read, documents, strict=True):
        np.testing.assert_array_equal(mine, expected)
    penstock.convert(tmp_path / "c.bin", tmp_path / "w.npy", window=4)
    rows = np.load(tmp_path / "w.npy")["tokens"]
    np.testing.assert_array_equal(rows.ravel(), np.concatenate(documents)[:8])
    tokens = np.array([1, 2, 9, 3, 9, 4], "<u2")
    tokens.tofile(tmp_path / "t.raw")
    penstock.convert(tmp_path / "t.raw", tmp_path / "e.store", dtype="uint16", end_token=9)
    penstock.convert(tmp_path / "t.raw", tmp_path / "t.npy", dtype="<u2", cast="f32")
    assert penstock.open(tmp_path / "t.npy").dtype == np.float32
    with pytest.raises(ValueError, match="cast converts"):
        penstock.convert(tmp_path / "t.npy", tmp_path / "f.npy", dtype="f16")
    read = [one["tokens"].tolist() for one in penstock.open(tmp_path / "e.store")]
    assert read == [[1, 2, 9], [3, 9], [4]]


def test_types_of_text_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("zip,n\n02134,1\n10115,2\n")
    types = {"zip": "utf8", "n": "u2"}
    penstock.convert(tmp_path / "x.csv", tmp_path / "x.npy", types=types)
    ds = penstock.open(tmp_path / "x.npy")
    assert ds[0]["zip"] == "02134"
    assert ds["n"].dtype == np.uint16
    with pytest.raises(ValueError, match="types are stored in it"):
        penstock.convert(tmp_path / "x.npy", tmp_path / "y.npy", types=types)


def test_a_dry_run_says_what_would_be_made(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("zip,n\n02134,1\n10115,2\n")
    found = penstock.convert(
        tmp_path / "x.csv", tmp_path / "x.npy", types={"zip": "utf8"}, dry_run=True
    )
    assert (found["kind"], found["format"]) == ("a CSV file", "table")
    assert [one["name"] for one in found["fields"]] == ["zip", "n"]
    assert not (tmp_path / "x.npy").exists()
    memory = penstock.convert({"x": np.arange(3)}, tmp_path / "y", dry_run=True)
    assert memory["kind"] == "data in memory"
    assert memory["fields"] == [{"name": "x", "type": "int64", "becomes": "int64"}]
    assert not (tmp_path / "y").exists()


def test_bad_lines_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'{"n":1}\n{"n":\n{"n":"\xff"}\n{"n":"a","m":1}\n{"n":2}\n')
    made = penstock.convert(tmp_path / "x.jsonl", tmp_path / "x.npy", on_error="skip")
    assert [one["record"] for one in made["left_out"]] == ["line 2", "line 3", "line 4"]
    assert penstock.open(tmp_path / "x.npy")["n"][:].tolist() == [1, 2]
    for source in (tmp_path / "x.npy", {"n": [1]}):
        with pytest.raises(ValueError, match="cannot be read; stop"):
            penstock.convert(source, tmp_path / "z.npy", on_error="skip")


def test_bad_records_are_listed(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        for name, data in (("0.cls", b"1"), ("1.cls", b"one"), ("2.cls", b"3")):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    target = tmp_path / "x.store"
    with pytest.raises(
        penstock.CorruptDataError, match="record 1: field cls: 'one' is not a whole"
    ):
        penstock.convert(tmp_path / "x.tar", target, decode=["cls"])
    report = penstock.convert(tmp_path / "x.tar", target, decode=["cls"], on_error="skip")
    assert report["records"] == 2
    assert [one["record"] for one in report["left_out"]] == ["1"]
