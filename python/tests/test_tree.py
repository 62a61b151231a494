# SPDX-License-Identifier: Apache-2.0
"""Trees, against dictionaries."""

from __future__ import annotations

import gc
import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import handles

import penstock


def random_paths(rng: np.random.Generator, count: int) -> dict[bytes, int]:
    """Paths that share beginnings, and any bytes; values of all sizes."""
    paths = {b"": 0, b"\0": 1, b"\xff\xff": 2**64 - 1}
    for _ in range(count):
        length = int(rng.integers(0, 12))
        path = bytes(rng.choice([0, 97, 98, 255], length).astype(np.uint8))
        paths[path] = int(rng.integers(0, 2**63)) >> int(rng.integers(0, 63))
    return paths


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_a_tree_is_the_dictionary_it_was_made_of(
    rng: np.random.Generator, tmp_path: Path, io: str
) -> None:
    expected = random_paths(rng, 10_000)
    penstock.write(tmp_path / "t.act", expected)
    tree = penstock.open(tmp_path / "t.act", io=io)
    assert isinstance(tree, penstock.Tree)
    assert len(tree) == len(expected) and dict(tree.items()) == expected
    assert list(tree) == sorted(expected) and tree == expected
    for path in list(expected)[::500]:
        assert tree[path] == expected[path] and path in tree
    asked = [*expected, b"not there", b"ab" * 100]
    values = tree.take(asked, default=17)
    assert values.dtype == np.uint64
    assert values.tolist() == [expected.get(path, 17) for path in asked]
    assert tree.take(expected).tolist() == list(expected.values())
    for prefix in (b"", b"a", b"ab\xff", b"\0", b"no such"):
        under = {path: value for path, value in expected.items() if path.startswith(prefix)}
        assert dict(tree.items(prefix)) == under and tree.count(prefix) == len(under)


def test_what_is_not_there(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.act", {"ä": 5})
    tree = penstock.Tree(tmp_path / "t.act")
    assert tree["ä"] == tree["ä".encode()] == 5 and tree.get("b") is None and 5 not in tree
    for wrong in ("b", "", "ää"):
        with pytest.raises(KeyError):
            tree[wrong]
        with pytest.raises(KeyError):
            tree.take(["ä", wrong])
    with pytest.raises(TypeError):
        tree[5]  # type: ignore[index]
    assert tree.take([]).shape == (0,)
    penstock.write(tmp_path / "none.act", {})
    assert len(penstock.open(tmp_path / "none.act")) == 0


def test_its_life(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.act", {f"{i:05}": i for i in range(10_000)})
    before = handles()
    with penstock.open(tmp_path / "t.act") as tree:
        again = pickle.loads(pickle.dumps(tree))
        assert again["00042"] == 42 and tree.verify()
        items = tree.items()
        assert next(items) == (b"00000", 0)
    assert tree.closed and "closed" in repr(tree)
    with pytest.raises(ValueError, match="closed"):
        tree["00001"]
    with pytest.raises(ValueError, match="closed"):
        len(tree)
    with pytest.raises(ValueError, match="closed"):
        list(items)
    penstock.write(tmp_path / "t.act", {"other": 1}, overwrite=True)
    with pytest.raises(penstock.CorruptDataError, match="fingerprint"):
        pickle.loads(pickle.dumps(again))
    del tree, again, items
    gc.collect()
    assert handles() == before


def test_bad_files_and_values_are_refused(tmp_path: Path) -> None:
    penstock.write(tmp_path / "t.act", {"a": 1, "abc": 2})
    with pytest.raises(FileExistsError):
        penstock.write(tmp_path / "t.act", {})
    for wrong in (-1, 2**64):
        with pytest.raises(OverflowError):
            penstock.write(tmp_path / "w.act", {"a": wrong})
    for odd in ({"a": 1.5}, {"a": "1"}, [1, 2], {5: 1}):
        with pytest.raises(TypeError):
            penstock.write(tmp_path / "w.act", odd)
    assert not (tmp_path / "w.act").exists()
    whole = (tmp_path / "t.act").read_bytes()
    for size in range(8, len(whole)):
        (tmp_path / "cut.act").write_bytes(whole[:size])
        with pytest.raises(penstock.DatasetError, match=r"cut\.act"):
            penstock.open(tmp_path / "cut.act").take(["a", "abc"])
    np.save(tmp_path / "x.npy", np.arange(3))
    with pytest.raises(ValueError, match="no tree"):
        penstock.Tree(tmp_path / "x.npy")
