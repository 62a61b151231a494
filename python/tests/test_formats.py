# SPDX-License-Identifier: Apache-2.0
"""Which format is written, how densely, and arguments that make no sense."""

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
        ("s.a2pack", ["a", "b"], "record 0 is a str"),
        ("s.a2pack", [b"a", 5], "record 1 is a int"),
        ("s.a2pack", np.arange(3), "a pack"),
        ("s.a2pack", {"x": [1]}, "a pack"),
        ("s.a2pack", b"abc", "a pack"),
        ("b.npy", [b"a"], "a table"),
        ("b.npy", (b"a", bytearray(b"b")), "a table"),
        ("t.act", [b"a"], "a tree"),
        ("t.act", np.arange(3), "a tree is written from .* not from a ndarray"),
        ("t.act", {"a": np.arange(3)}, "values of trees are whole numbers, and a ndarray is not"),
        ("t.act", {"a": 1.5}, "values of trees are whole numbers, and a float is not"),
        ("b.npy", iter([1, 2]), "a table is written from an array or a list"),
        ("s.a2pack", iter([b"a", "b"]), "record 1 is a str"),
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
    for wrong in (0, -1, 1 << 40):
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
    # As NumPy does where it can.
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
    with pytest.raises(ValueError, match=r"length of an epoch cannot be negative; got -1"):
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
