# SPDX-License-Identifier: Apache-2.0
"""The format and the density of written files, and invalid arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

TEXTS = [f"text {i}".encode() for i in range(1000)]


def test_the_extension_decides(tmp_path: Path) -> None:
    penstock.write(tmp_path / "empty.a2pack", [])
    assert penstock.open(tmp_path / "empty.a2pack").format == "pack"
    penstock.write(tmp_path / "texts.a2pack", TEXTS)
    assert penstock.open(tmp_path / "texts.a2pack")[:] == TEXTS
    penstock.write(tmp_path / "arrays.a2pack", [np.arange(3, dtype="u1"), b"", bytearray(b"x")])
    assert penstock.open(tmp_path / "arrays.a2pack")[:] == [b"\0\1\2", b"", b"x"]
    ragged = penstock.open(tmp_path / "texts.a2pack").take([1, 2], ragged=True)
    penstock.write(tmp_path / "ragged.a2pack", ragged)
    penstock.write(tmp_path / "copy.a2pack", penstock.open(tmp_path / "ragged.a2pack"))
    assert penstock.open(tmp_path / "copy.a2pack")[:] == TEXTS[1:3]
    penstock.write(tmp_path / "empty.npy", [])
    assert np.load(tmp_path / "empty.npy").shape == (0,)
    penstock.write(tmp_path / "words.npy", ["a", "bc"])
    assert np.load(tmp_path / "words.npy").tolist() == ["a", "bc"]


def test_an_iterator_of_records_is_written_whole(tmp_path: Path) -> None:
    penstock.write(tmp_path / "texts.a2pack", iter(TEXTS))
    assert penstock.open(tmp_path / "texts.a2pack")[:] == TEXTS


def test_without_an_extension_the_data_decides(tmp_path: Path) -> None:
    penstock.write(tmp_path / "a", [b"a", b"b"])
    assert penstock.open(tmp_path / "a").format == "pack"
    penstock.write(tmp_path / "b", [1, 2])
    assert (tmp_path / "b").is_dir() and len(penstock.open(tmp_path / "b")) == 2
    penstock.write(f"{tmp_path}/c/", {"x": [1]})
    assert penstock.open(tmp_path / "c").format == "table"


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("s.a2pack", ["a", "b"], "record 0 is 'a'; encode it first"),
        ("s.a2pack", [b"a", 5], "record 1 is 5; use a table for numbers"),
        ("s.a2pack", np.arange(3), "a pack"),
        ("s.a2pack", {"x": [1]}, "a pack"),
        ("s.a2pack", b"abc", "a pack"),
        ("b.npy", [b"a"], "a table"),
        ("b.npy", (b"a", bytearray(b"b")), "a table"),
        ("t.act", [b"a"], "a tree"),
        ("t.act", np.arange(3), "a tree is written from .* not from a ndarray"),
        ("t.act", {"a": np.arange(3)}, "values of trees must be integers, got a ndarray"),
        ("t.act", {"a": 1.5}, "values of trees must be integers, got a float"),
        ("b.npy", iter([b"a", b"b"]), "a list of bytes is not a table"),
        ("s.a2pack", iter([b"a", "b"]), "record 1 is 'b'; encode it first"),
    ],
)
def test_data_that_does_not_fit_its_extension_is_refused(
    tmp_path: Path, name: str, data: Any, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        penstock.write(tmp_path / name, data)
    assert list(tmp_path.iterdir()) == []


def test_a_pack_is_not_written_as_a_table(tmp_path: Path, pack: Path) -> None:
    with pytest.raises(TypeError, match="a table"):
        penstock.write(tmp_path / "b.npy", penstock.open(pack))
    with pytest.raises(TypeError, match="a table"):
        penstock.write(tmp_path / "b.npy", penstock.open(pack).take([1], ragged=True))


@pytest.mark.parametrize("name", ["q.parquet", "q.NPY", "q.npy.gz", "q.txt"])
def test_an_unknown_extension_lists_the_known_ones(tmp_path: Path, name: str) -> None:
    for write in (
        lambda path: penstock.write(path, [1]),
        lambda path: penstock.write(path, [b"a"]),
        lambda path: penstock.TableWriter(path, "<f4"),
        lambda path: penstock.PackWriter(path),
    ):
        with pytest.raises(ValueError, match=r"\.npy.*\.a2pack.*\.act"):
            write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_writers_refuse_the_extension_of_another_format(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.a2pack is the extension of a pack"):
        penstock.TableWriter(tmp_path / "x.a2pack", "<f4")
    with pytest.raises(ValueError, match=r"\.npy is the extension of a table"):
        penstock.PackWriter(tmp_path / "x.npy")
    # A table that is there may have any name.
    np.save(tmp_path / "x.npy", np.arange(2))
    os.rename(tmp_path / "x.npy", tmp_path / "x.old")
    with penstock.TableWriter(tmp_path / "x.old", append=True) as writer:
        writer.append([2])
    assert penstock.open(tmp_path / "x.old")[:].tolist() == [0, 1, 2]


def overhead(path: Path, records: list[bytes]) -> int:
    """Bytes of a pack that are neither data nor entries of its index."""
    return os.path.getsize(path) - sum(len(record) for record in records) - 32 * len(records)


def test_small_records_are_packed_densely(tmp_path: Path) -> None:
    penstock.write(tmp_path / "texts.a2pack", TEXTS)
    assert sum(len(text) for text in TEXTS) == 7890
    assert overhead(tmp_path / "texts.a2pack", TEXTS) < 100
    with penstock.PackWriter(tmp_path / "named.a2pack") as writer:
        writer.extend(TEXTS, names=[f"{i:03}" for i in range(1000)])
    assert penstock.open(tmp_path / "named.a2pack")[:] == TEXTS


def test_large_records_are_on_pages_of_their_own(tmp_path: Path, rng: np.random.Generator) -> None:
    sizes = [1, 70_000, 5, 3000, 130, 65_536, 0, 200_000, 7]
    records = [rng.bytes(size) for size in sizes]
    penstock.write(tmp_path / "mixed.a2pack", records)
    ds = penstock.open(tmp_path / "mixed.a2pack")
    assert ds[:] == records and ds.verify()
    start = ds.view()._bytes.ctypes.data
    for view, size in zip(ds.view(), sizes, strict=True):
        alignment = 4096 if size >= 65_536 else 64 if size >= 1024 else 8 if size >= 128 else 1
        assert (view.ctypes.data - start) % alignment == 0, size


@pytest.mark.parametrize("align", [1, 64, 4096])
def test_alignment_can_be_given(tmp_path: Path, align: int) -> None:
    penstock.write(tmp_path / "a.a2pack", TEXTS, align=align)
    with penstock.PackWriter(tmp_path / "b.a2pack", align=align) as writer:
        writer.extend(TEXTS)
    assert (tmp_path / "a.a2pack").read_bytes() == (tmp_path / "b.a2pack").read_bytes()
    views = penstock.open(tmp_path / "a.a2pack").view()
    assert all(view.ctypes.data % align == 0 for view in views)
    assert os.path.getsize(tmp_path / "a.a2pack") >= 999 * align


def test_an_alignment_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    for wrong in (0, -1, 3, 100, 1 << 40):
        with pytest.raises(ValueError, match="align"):
            penstock.PackWriter(tmp_path / "a.a2pack", align=wrong)
    with pytest.raises(TypeError):
        penstock.PackWriter(tmp_path / "a.a2pack", align=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="align"):
        penstock.write(tmp_path / "a.npy", [1], align=64)


@pytest.mark.parametrize("dtype", ["S1", "S9", "u1", "f8", "U9", "V9"])
def test_records_of_bytes_go_only_to_arrays_of_objects(pack: Path, dtype: str) -> None:
    ds = penstock.open(pack)
    out = np.zeros(3, dtype)
    before = out.copy()
    with pytest.raises(TypeError, match="objects"):
        ds.take([1, 2, 3], out=out)
    with pytest.raises(TypeError, match="objects"):
        ds.take([1, 2, 3], out={"value": out})
    assert np.array_equal(out, before)
    objects = np.empty(3, object)
    assert ds.take([1, 2, 3], out=objects).tolist() == ds[1:4]
    assert ds.take([1, 2, 3], out={"value": objects})["value"].tolist() == ds[1:4]


def test_out_of_the_wrong_type_for_rows_with_fields_says_so(steps: Path, tmp_path: Path) -> None:
    ds = penstock.open(steps)
    for dtype in ("f4", "u8", object):
        with pytest.raises(TypeError, match="fields"):
            ds.take([1, 2], out=np.zeros(2, dtype))
    with pytest.raises(TypeError, match="fields"):
        ds.take(np.arange(2), out=np.zeros(2, "f4"))
    np.save(tmp_path / "plain.npy", np.arange(5))
    plain = penstock.open(tmp_path / "plain.npy")
    with pytest.raises(TypeError, match="fields"):
        plain.take([1, 2], out=np.zeros(2, [("a", "i8"), ("b", "i8")]))


@pytest.mark.parametrize(
    "stored, target",
    [
        (np.array([0.5, 1.0]), "i4"),
        (np.array([2**40, 1]), "i4"),
        (np.array([-1, 1]), "u8"),
        (np.array([300, 1]), "u1"),
        (np.array([1 + 2j, 1]), "f8"),
        (np.array([2, 1]), "bool"),
        (np.array(["abc", "d"]), "U1"),
        (np.array(["abc", "d"]), "S3"),
        (np.array([1.5, 2]), "S3"),
        (np.array(["2020-01-01T01"], "M8[h]"), "M8[D]"),
    ],
)
def test_out_never_changes_values(tmp_path: Path, stored: Any, target: str) -> None:
    penstock.write(tmp_path / "plain.npy", stored)
    penstock.write(tmp_path / "fields.npy", {"a": stored})
    every = range(len(stored))
    plain, fields = penstock.open(tmp_path / "plain.npy"), penstock.open(tmp_path / "fields.npy")
    out = np.zeros(len(stored), target)
    for take in (
        lambda: plain.take(every, out=out),
        lambda: plain.take(every, out={"value": out}),
        lambda: fields.take(every, out={"a": out}),
        lambda: fields.take(every, out=out.view([("a", target)])),
        lambda: penstock.concat(plain, plain).take(every, out=out),
    ):
        with pytest.raises(ValueError, match=r"do not fit|cannot be stored"):
            take()
        assert not out.astype(bool).any() or out.dtype.kind == "M"


def test_out_of_another_type_that_holds_the_values_is_filled(tmp_path: Path) -> None:
    penstock.write(tmp_path / "a.npy", {"a": np.array([1, 2]), "b": np.array([0.1, 3])})
    ds = penstock.open(tmp_path / "a.npy")
    out = np.zeros(2, [("b", ">f4"), ("a", "u1")])
    assert ds.take([1, 0], out=out) is out
    assert out.tolist() == [(3.0, 2), (float(np.float32(0.1)), 1)]
    columns = {"a": np.zeros(2, object), "b": np.zeros(2, "f2")}
    ds.take([1, 0], out=columns)
    assert columns["a"].tolist() == [2, 1] and columns["b"].tolist() == [3, float(np.float16(0.1))]


def test_an_index_of_two_dimensions_is_never_flattened(pack: Path, steps: Path) -> None:
    square = np.array([[1, 2], [3, 4]])
    ds = penstock.open(pack)
    table = penstock.open(steps)
    both = penstock.zip(step=table.select(np.arange(100)), text=ds)
    for refused in (
        lambda: ds[square],
        lambda: ds[square.tolist()],
        lambda: ds.take(square),
        lambda: ds.take(square, ragged=True),
        lambda: ds["value"][square],
        lambda: ds.select(square),
        lambda: table.select(square),
        lambda: both[square],
        lambda: ds.name(square),  # type: ignore[arg-type]
        lambda: ds.name([1]),  # type: ignore[arg-type]
    ):
        with pytest.raises((IndexError, TypeError), match=r"dimension|one record"):
            refused()
    # This is NumPy's behaviour where NumPy supports it.
    assert table[square]["board"].tolist() == square.tolist()
    objects = np.empty((2, 2), object)
    assert ds.take(square, out=objects).tolist() == [[ds[1], ds[2]], [ds[3], ds[4]]]
    assert ds[np.array(3)] == ds[3]


def test_memory_is_not_negative(pack: Path) -> None:
    with pytest.raises(ValueError, match="memory"):
        penstock.open(pack, memory=-1)
    with pytest.raises(TypeError):
        penstock.open(pack, memory=1.5)  # type: ignore[arg-type]
    assert len(penstock.open(pack, memory=0)) == 100


def test_a_mixture_of_no_samples_has_empty_epochs(steps: Path) -> None:
    ds = penstock.open(steps)
    mixed = penstock.mix(ds, ds, weights=[1, 1], length=0)
    with penstock.Loader(mixed, batch_size=10) as loader:
        assert len(loader) == 0
        assert list(loader) == []
    with pytest.raises(ValueError, match=r"length of an epoch must not be negative, got -1"):
        penstock.mix(ds, weights=[1], length=-1)
    with pytest.raises(ValueError, match=r"needs one weight; got 2 for 1 parts"):
        penstock.mix(ds, weights=[1, 2])
    with pytest.raises(TypeError, match="integer"):
        penstock.mix(ds, weights=[1], length=1.5)  # type: ignore[arg-type]


def test_a_file_is_not_written_over_a_folder(tmp_path: Path) -> None:
    for name, data in {"a.npy": [1], "b.a2pack": [b"a"], "c.act": {"a": 1}}.items():
        (tmp_path / name).mkdir()
        with pytest.raises(IsADirectoryError) as caught:
            penstock.write(tmp_path / name, data, overwrite=True)
        assert caught.value.filename == str(tmp_path / name)
        with pytest.raises(FileExistsError) as exists:
            penstock.write(tmp_path / name, data)
        assert exists.value.filename == str(tmp_path / name)


def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    import errno
    import socket

    os.mkfifo(tmp_path / "pipe.npy")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path in (
            tmp_path / "pipe.npy",
            tmp_path / "socket",
            Path("/dev/zero"),
            Path("/dev/tty"),
        ):
            for opened in (penstock.open, penstock.Tree):
                with pytest.raises(OSError, match="a pipe, a socket or a device") as caught:
                    opened(path)
                assert caught.value.filename == str(path)
    with pytest.raises(OSError, match="which cannot be replaced by a file") as kept:
        penstock.write(tmp_path / "pipe.npy", [1], overwrite=True)
    assert kept.value.filename == str(tmp_path / "pipe.npy")
    os.symlink(tmp_path / "loop", tmp_path / "loop")
    for opened in (penstock.open, penstock.Tree):
        with pytest.raises(OSError) as loop:
            opened(tmp_path / "loop")
        assert loop.value.errno == errno.ELOOP
        assert loop.value.filename == str(tmp_path / "loop")
        assert os.strerror(errno.ELOOP) in str(loop.value)


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.csv", "a"])
@pytest.mark.parametrize(
    "data",
    [
        [("a", 1), ("b", 2)],
        [["a", 1.5]],
        ["a", 1],
        {"x": [b"a", 1]},
        {"x": ["a\0", "b"]},
        {"x": [b"a\0", b"b"]},
        [2**63 + 1, -1],
        [2**53 + 1, 0.5],
        [[2**53 + 1], [0.5]],
    ],
)
def test_numpy_changes_no_values_of_a_list(tmp_path: Path, name: str, data: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"value|round|which CSV cannot hold"):
        penstock.write(tmp_path / name, data)
    assert list(tmp_path.iterdir()) == []


def test_lists_that_numpy_keeps_are_written(tmp_path: Path) -> None:
    for number, data in enumerate(
        [[1, 2.5], [2**53 + 2, 0.5], [2**63, 1], [["a", "b"]], [np.array(["a"]), np.array(["bc"])]]
    ):
        penstock.write(tmp_path / f"{number}.npy", data)
        assert np.array_equal(penstock.open(tmp_path / f"{number}.npy")[:], np.asarray(data))


def test_messages_for_data_that_does_not_fit_say_what_to_do(tmp_path: Path) -> None:
    for name, data, words in (
        ("a.a2pack", None, "a pack is written from a list of bytes"),
        ("a.a2pack", 3, "a pack is written from a list of bytes"),
        ("a.npy", [[1, 2], [3]], "different shapes.*a2pack"),
        ("a.npz", [np.arange(2), np.arange(3)], "different shapes"),
        ("a.npy", {"k": b"v"}, "a dictionary of bytes by name is a pack"),
        ("a", {"k": 1}, "'k' is the single value 1"),
        ("a", {}, "no columns"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            penstock.write(tmp_path / name, data)
    with pytest.raises(ValueError, match=r"\.npz .* and \.csv"):
        penstock.write(tmp_path / "a.parquet", [1])


def test_dictionaries_are_rows_in_every_format(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "yz"}]
    for name in ("d.npy", "d.csv", "d.npz", "d"):
        penstock.write(tmp_path / name, rows)
        ds = penstock.open(tmp_path / name)
        assert [(int(r["a"]), str(r["b"])) for r in ds] == [(1, "x"), (2, "yz")]


@pytest.mark.parametrize("name", ["a.csv", "a.npz"])
def test_errors_of_other_formats_name_the_target(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / f"pipe-{name}")
    for path, error, named in (
        (tmp_path / name, IsADirectoryError, tmp_path / name),
        (tmp_path / "nowhere" / name, FileNotFoundError, tmp_path / "nowhere"),
        (tmp_path / "file" / name, NotADirectoryError, tmp_path / "file" / name),
        (tmp_path / ("x" * 300 + name), OSError, tmp_path / ("x" * 300 + name)),
        (tmp_path / f"pipe-{name}", OSError, tmp_path / f"pipe-{name}"),
    ):
        with pytest.raises(error) as caught:
            penstock.write(path, [1], overwrite=True)
        assert caught.value.filename == str(named)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "file", f"pipe-{name}"])


def test_a_folder_whose_name_is_not_utf8_is_not_replaced(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/rows\xff")
    penstock.write(name, [1, 2])
    with pytest.raises(FileExistsError, match="an existing folder is not replaced") as caught:
        penstock.write(name, [3], overwrite=True)
    assert caught.value.filename == name
    assert penstock.open(name)[:].tolist() == [1, 2]
    assert len(os.listdir(tmp_path)) == 1
