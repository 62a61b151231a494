# SPDX-License-Identifier: Apache-2.0
"""Names of files that are not UTF-8, which Linux allows."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names are UTF-8 elsewhere")

FOLDER, NAME = b"caf\xe9", b"na\xefve\xff"


@pytest.fixture
def folder(tmp_path: Path) -> bytes:
    path = os.path.join(os.fsencode(tmp_path), FOLDER)
    os.mkdir(path)
    return path


@pytest.mark.parametrize("name", [NAME, b"plain"])
def test_files_of_any_name_are_written_and_read(folder: bytes, name: bytes) -> None:
    table, pack, tree, rows = (
        os.path.join(folder, name + extension) for extension in (b".npy", b".a2pack", b".act", b"")
    )
    penstock.write(table, np.arange(5))
    penstock.write(pack, [b"a", b"bc"])
    penstock.write(tree, {"cat": 3})
    penstock.write(rows, {"x": [1, 2, 3]})
    assert sorted(os.listdir(folder)) == sorted(map(os.path.basename, (table, pack, tree, rows)))
    for path in (os.fsdecode(table), table, Path(os.fsdecode(table))):
        ds = penstock.open(path)
        assert ds.path == os.fsdecode(table)
        assert ds[:].tolist() == [0, 1, 2, 3, 4]
        assert ds.view().tolist() == [0, 1, 2, 3, 4]
        assert ds.verify() and "udc" in repr(ds)
        assert pickle.loads(pickle.dumps(ds))[1:3].tolist() == [1, 2]
    assert np.array_equal(np.load(table), np.arange(5))
    packed = penstock.open(pack)
    assert packed[:] == [b"a", b"bc"] and packed.view()[1].tobytes() == b"bc"
    with penstock.Loader(packed, batch_size=2, shuffle=False) as loader:
        assert next(iter(loader)) == [b"a", b"bc"]
    for opened in (penstock.open(tree), penstock.Tree(tree)):
        assert opened["cat"] == 3 and opened.path == os.fsdecode(tree)
        assert pickle.loads(pickle.dumps(opened))["cat"] == 3
    assert penstock.open(rows)["x"][:].tolist() == [1, 2, 3]


def test_an_existing_file_of_such_a_name_is_replaced_only_on_request(folder: bytes) -> None:
    path = os.path.join(folder, NAME + b".npy")
    penstock.write(path, [1])
    for kind in (FileExistsError,):
        with pytest.raises(kind) as caught:
            penstock.write(path, [2])
        assert caught.value.filename == os.fsdecode(path)
    assert penstock.open(path)[:].tolist() == [1]
    penstock.write(path, [2], overwrite=True)
    assert penstock.open(path)[:].tolist() == [2]
    with pytest.raises(RuntimeError), penstock.TableWriter(path, "i8", overwrite=True) as writer:
        writer.append([3])
        raise RuntimeError
    assert penstock.open(path)[:].tolist() == [2]
    assert os.listdir(folder) == [os.path.basename(path)]
    with pytest.raises(ValueError, match="UTF-8"):
        penstock.TableWriter(path, append=True)
    with pytest.raises(ValueError, match="UTF-8"):
        penstock.HybridTree(path)
    with penstock.HybridTree(os.path.join(folder, b"plain.act")) as hybrid:
        hybrid.put("cat", 3)
        hybrid.snapshot()
        hybrid.snapshot(os.path.join(folder, NAME + b".act"))
    assert penstock.open(os.path.join(folder, NAME + b".act"))["cat"] == 3
    plain = os.path.join(folder, b"plain.npy")
    penstock.write(plain, [1])
    with penstock.TableWriter(plain, append=True) as writer:
        writer.append([2])
    assert penstock.open(plain)[:].tolist() == [1, 2]


def test_errors_name_the_file_as_the_caller_does(folder: bytes) -> None:
    for name in (NAME, b"plain"):
        path = os.path.join(folder, name + b".a2pack")
        with pytest.raises(FileNotFoundError) as missing:
            penstock.open(path)
        assert missing.value.filename == os.fsdecode(path)
        penstock.write(path, [b"abcdef" * 100])
        damaged = bytearray(Path(os.fsdecode(path)).read_bytes())
        damaged[100] ^= 1
        Path(os.fsdecode(path)).write_bytes(damaged)
        ds = penstock.open(path)
        with pytest.raises(penstock.CorruptDataError) as caught:
            ds[0]
        assert caught.value.file == os.fsdecode(path)
        assert "/proc/" not in str(caught.value)
        assert ds.verify().problems[0].file == os.fsdecode(path)


def test_descriptors_are_given_back(folder: bytes) -> None:
    path = os.path.join(folder, NAME + b".npy")
    penstock.write(path, [1])
    descriptors = penstock._paths._originals
    gc.collect()
    assert not descriptors
    kept: list[Any] = [penstock.open(path) for _ in range(20)]
    assert len({os.stat(name).st_ino for name in descriptors}) == 1 and len(descriptors) == 20
    numbers = list(descriptors)
    del kept
    assert not descriptors
    assert not any(os.path.exists(name) and os.path.samefile(name, path) for name in numbers)
