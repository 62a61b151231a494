# SPDX-License-Identifier: Apache-2.0
"""Files that are wrong, and names that are odd: the data, or a typed error that names the file."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

pytestmark = pytest.mark.full

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def read_all(path: Path) -> list[Any]:
    """Everything a user may do with a file; damage may show at any of these."""
    with penstock.open(path) as ds:
        results = [ds[:], ds[-1:], ds.take(np.arange(len(ds))), repr(ds), ds.fingerprint]
        with penstock.Loader(ds, batch_size=16, threads=1) as loader:
            results += list(loader)
        results.append(bool(ds.verify()))
        return results


def small_table(tmp_path: Path) -> bytes:
    rows = np.zeros(20, [("a", "<u8"), ("b", "<f4", (3,)), ("c", "S5")])
    np.save(tmp_path / "small.npy", rows)
    return (tmp_path / "small.npy").read_bytes()


@pytest.mark.parametrize("kind", ["table", "pack"])
def test_truncated_files_are_refused(tmp_path: Path, kind: str, rng: np.random.Generator) -> None:
    if kind == "table":
        whole = small_table(tmp_path)
    else:
        penstock.write(tmp_path / "p", [bytes([i]) * i for i in range(30)])
        whole = (tmp_path / "p").read_bytes()
    file = tmp_path / "cut"
    cuts = {0, 1, 5, 6, 7, 8, 9, 10, 127, 128, 129, len(whole) - 1}
    cuts |= {int(n) for n in rng.integers(0, len(whole), 60)}
    for size in sorted(cuts):
        file.write_bytes(whole[:size])
        with pytest.raises(penstock.DatasetError) as error:
            read_all(file)
        assert error.value.file == str(file) and str(file) in str(error.value), size


@pytest.mark.parametrize("kind", ["table", "pack"])
def test_flipped_bits_do_no_harm(tmp_path: Path, kind: str, rng: np.random.Generator) -> None:
    if kind == "table":
        whole = small_table(tmp_path)
        places = [*range(128), *(int(n) for n in rng.integers(0, len(whole), 20))]
    else:
        penstock.write(tmp_path / "p", [bytes([i]) * i for i in range(30)])
        whole = (tmp_path / "p").read_bytes()
        places = [*range(64), *(int(n) for n in rng.integers(0, len(whole), 60))]
    file = tmp_path / "flipped"
    refused = 0
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(0, 8))
        file.write_bytes(damaged)
        try:
            read_all(file)
        except penstock.DatasetError as e:
            assert str(file) in str(e)
            refused += 1
        except (ValueError, TypeError) as e:
            # A header that is whole and says something that NumPy has no type for.
            pytest.fail(f"byte {place} of {kind}: {type(e).__name__}: {e}")
    assert refused > 30


def test_each_error_has_its_type_and_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "magic").write_bytes(b"\x93NUMPZ\1\0" + bytes(100))
    (tmp_path / "version").write_bytes(b"\x93NUMPY\x09\0" + bytes(100))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "plain").write_bytes(b"x" * 100)
    np.save(tmp_path / "o.npy", np.array([None]), allow_pickle=True)
    cases: list[tuple[str, type[Exception]]] = [
        ("folder", penstock.WrongFormatError),
        ("empty", penstock.WrongFormatError),
        ("magic", penstock.WrongFormatError),
        ("version", penstock.DatasetError),
        ("loop", OSError),
        ("nowhere", FileNotFoundError),
        ("plain", penstock.WrongFormatError),
        ("plain/below", OSError),
        ("gone", FileNotFoundError),
        ("o.npy", penstock.DatasetError),
        ("x" * 300, OSError),
    ]
    for name, kind in cases:
        with pytest.raises(kind) as error:
            penstock.open(tmp_path / name)
        assert name in str(error.value), name
        assert type(error.value) is not RuntimeError
    for odd in ("a\0b", 5, None):
        with pytest.raises((ValueError, TypeError)):
            penstock.open(odd)  # type: ignore[arg-type]


def test_no_permission(run: Run, steps: Path, tmp_path: Path) -> None:
    """Root may read everything, so the process first becomes another user."""
    closed = tmp_path / "closed"
    closed.mkdir()
    result = run(f"""
        import os, sys, penstock
        penstock.open({str(steps)!r}).close()
        os.chmod({str(steps)!r}, 0)
        os.chmod({str(closed)!r}, 0o555)
        if os.geteuid() == 0:
            for parent in [{str(tmp_path)!r}, {str(tmp_path.parent)!r}]:
                os.chmod(parent, 0o755)
            os.seteuid(65534)
        for wrong in (lambda: penstock.open({str(steps)!r}),
                      lambda: penstock.write({str(closed / "x.npy")!r}, [1])):
            try:
                wrong()
                print("no error")
            except PermissionError as e:
                print(e.errno, e.filename)
            except FileNotFoundError:
                # The folders above are closed to others.
                print("unreachable")
    """)
    lines = result.stdout.splitlines()
    if "unreachable" not in lines:
        assert [line.split()[0] for line in lines] == [str(errno.EACCES)] * 2
        assert str(steps) in lines[0] and str(closed) in lines[1]


@pytest.mark.parametrize(
    "name",
    [
        "sp ace.npy",
        "ä€😀.npy",
        "-n.npy",
        "a:b?*.npy",
        "q'\"\\.npy",
        "new\nline.npy",
        "%41.npy",
        "~",
    ],
)
def test_odd_names(tmp_path: Path, name: str) -> None:
    array = np.arange(5)
    penstock.write(tmp_path / name, array)
    for path in (tmp_path / name, str(tmp_path / name), os.fsencode(tmp_path / name)):
        ds = penstock.open(path)
        assert ds[:].tolist() == array.tolist() and ds.path == str(tmp_path / name)
        assert ds.view().tolist() == array.tolist() and repr(name)[1:-1] in repr(ds)
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize(
    "locale",
    [
        "LANG=C",
        "LANG=nonsense",
        "LC_ALL=C",
    ],
)
def test_names_in_any_locale(run: Run, tmp_path: Path, locale: str) -> None:
    np.save(tmp_path / "ä€😀.npy", np.arange(3))
    name, value = locale.split("=")
    run(
        f"""
        import penstock
        assert len(penstock.open({str(tmp_path / "ä€😀.npy")!a})) == 3
        penstock.write({str(tmp_path / "ü.npy")!a}, [1], overwrite=True)
        """,
        **{"LC_ALL": "", "LC_CTYPE": "", name: value},
    )
    assert (tmp_path / "ü.npy").exists()


def test_relative_paths_stay_where_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    monkeypatch.chdir(tmp_path / "one")
    penstock.write("x.npy", [1, 2])
    ds = penstock.open("x.npy")
    writer = penstock.TableWriter(Path("../one/./y.npy"), "i4")
    monkeypatch.chdir(tmp_path / "two")
    assert ds.view().tolist() == [1, 2] and penstock.open("../one/x.npy")[1] == 2
    writer.append([5])
    writer.close()
    assert sorted(os.listdir(tmp_path / "one")) == ["x.npy", "y.npy"]
    assert os.listdir(tmp_path / "two") == []


def test_a_changed_bit_is_refused_when_shards_are_verified_first(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    with penstock.TableWriter(folder, dtype="<i8", shard_rows=10) as writer:
        writer.append(np.arange(30))
    shard = folder / "rows-00001.npy"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert penstock.open(folder)[19] != 19, "without verify, the bit is read"
    with penstock.open(folder, verify="first") as ds:
        assert ds[5] == 5 and ds[29] == 29
        for read in (
            lambda: ds[12],
            lambda: ds[8:13],
            lambda: ds.take([1, 12]),
            lambda: ds.take([1, 12], out=np.empty(2, "<i8")),
            lambda: list(ds),
            lambda: list(penstock.Loader(ds, batch_size=4)),
            lambda: pickle.loads(pickle.dumps(ds))[12],
        ):
            with pytest.raises(penstock.CorruptDataError, match=r"rows-00001\.npy"):
                read()
        with pytest.raises(ValueError, match="verify"):
            ds.view()
        assert not ds.verify()
    with pytest.raises(ValueError, match="verify must be"):
        penstock.open(folder, verify="always")
    np.save(tmp_path / "plain.npy", np.arange(3))
    with pytest.raises(ValueError, match="no checksum"):
        penstock.open(tmp_path / "plain.npy", verify="first")


def test_a_damaged_manifest_is_refused_and_read_leniently(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    penstock.write(folder, np.arange(10, dtype="<i4"))
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"rows":10', '"rows":11'))
    with pytest.raises(penstock.CorruptDataError, match="lenient=True"):
        penstock.open(folder)
    with pytest.warns(UserWarning, match="manifest.json cannot be used"):
        table = penstock.open(folder, lenient=True)
    assert len(table) == 10
    report = table.verify()
    assert not report
    assert (report.problem_count, report.error_count) == (1, 1)
    with pytest.warns(UserWarning):
        assert pickle.loads(pickle.dumps(table))[9] == 9
