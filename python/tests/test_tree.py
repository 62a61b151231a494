# SPDX-License-Identifier: Apache-2.0
"""Trees, against dictionaries."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
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
        pickle.loads(pickle.dumps(again))["other"]
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


def test_a_hybrid_tree_answers_like_a_dictionary(rng: np.random.Generator, tmp_path: Path) -> None:
    expected = random_paths(rng, 2000)
    penstock.write(tmp_path / "t.act", expected)
    tree = penstock.HybridTree(tmp_path / "t.act")
    for round_index in range(3):
        added = random_paths(rng, 500)
        tree.update(added)
        expected.update(added)
        for path in list(expected)[round_index::7]:
            tree.remove(path)
            del expected[path]
        assert dict(tree.items()) == expected and list(tree) == sorted(expected)
        asked = [*expected, b"not there"]
        assert tree.take(asked, default=17).tolist() == [expected.get(path, 17) for path in asked]
        for prefix in (b"a", b"ab\xff", b"\0", b"no such"):
            under = {path: value for path, value in expected.items() if path.startswith(prefix)}
            assert dict(tree.items(prefix)) == under and tree.count(prefix) == len(under)
        assert tree.change_count > 0
        assert tree.snapshot() == len(expected) == len(tree) and tree.change_count == 0
        assert dict(penstock.Tree(tmp_path / "t.act").items()) == expected
    tree.close()


def test_a_hybrid_tree_is_a_mutable_mapping(tmp_path: Path) -> None:
    with penstock.HybridTree(tmp_path / "t.act") as tree:
        tree["\u00e4"] = 5
        tree.put(b"max", 2**64 - 1)
        assert tree["\u00e4".encode()] == 5 and tree.get("b") is None
        assert tree.pop("max") == 2**64 - 1
        with pytest.raises(KeyError):
            del tree["max"]
        for wrong in (-1, 2**64):
            with pytest.raises(OverflowError):
                tree.put("a", wrong)
        with pytest.raises(TypeError):
            tree.put("a", 1.5)  # type: ignore[arg-type]
        with pytest.raises(OverflowError):
            tree.update({"a": 1, "b": -1})
        assert dict(tree) == {"\u00e4".encode(): 5}, "an update that fails changes nothing"
        assert not (tmp_path / "t.act").exists()
        assert tree.snapshot(tmp_path / "copy.act") == 1 and tree.change_count > 0
        with pytest.raises(FileExistsError):
            tree.snapshot(tmp_path / "copy.act")
        with pytest.raises(ValueError, match="is the file of this tree"):
            tree.snapshot(tmp_path / "t.act")
        tree.snapshot()
        tree.clear()
        assert len(tree) == 0 and "1 changes" in repr(tree)
        tree.snapshot()
    with pytest.raises(ValueError, match="closed"):
        tree.put("a", 1)
    assert "closed" in repr(tree)


def test_changes_that_are_not_saved_are_told(tmp_path: Path) -> None:
    warned = pytest.warns(RuntimeWarning, match="1 changes of .* were not saved")
    with warned, penstock.HybridTree(tmp_path / "t.act") as tree:
        tree.put("a", 1)
    # An error of the body is not hidden behind a warning.
    with pytest.raises(KeyError), penstock.HybridTree(tmp_path / "t.act") as tree:
        tree.put("a", 1)
        tree["b"]


def test_a_second_hybrid_tree_of_the_file_is_refused(tmp_path: Path) -> None:
    with penstock.HybridTree(tmp_path / "t.act") as tree:
        tree.put("a", 1)
        with pytest.raises(BlockingIOError, match="written by another writer of this process"):
            penstock.HybridTree(tmp_path / "t.act")
        tree.snapshot()
    with penstock.HybridTree(tmp_path / "t.act") as tree:
        assert dict(tree) == {b"a": 1}


def test_a_tree_that_is_open_for_change_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "t.act"
    penstock.write(file, {"a": 1})
    with penstock.HybridTree(file) as tree:
        with pytest.raises(BlockingIOError, match="written by another writer of this process"):
            penstock.write(file, {"b": 2}, overwrite=True)
        tree.put("c", 3)
        tree.snapshot()
    assert dict(penstock.open(file)) == {b"a": 1, b"c": 3}
    penstock.write(file, {"b": 2}, overwrite=True)
    assert dict(penstock.open(file)) == {b"b": 2}


def test_a_read_only_hybrid_tree_takes_no_lock_and_leaves_the_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "t.act"
    penstock.write(file, {"a": 1})
    with pytest.raises(FileNotFoundError):
        penstock.HybridTree(folder / "absent.act", read_only=True)
    folder.chmod(0o555)
    try:
        with (
            penstock.HybridTree(file, read_only=True) as tree,
            penstock.HybridTree(file, read_only=True) as second,
        ):
            tree["b"] = 2
            assert dict(tree) == {b"a": 1, b"b": 2}
            assert dict(second) == {b"a": 1}
            with pytest.raises(
                ValueError, match=r"opened read-only: give snapshot\(\) another path"
            ):
                tree.snapshot()
            assert tree.snapshot(tmp_path / "copy.act") == 2
            assert [one.name for one in folder.iterdir()] == ["t.act"], "no lock"
    finally:
        folder.chmod(0o755)
    assert dict(penstock.open(tmp_path / "copy.act")) == {b"a": 1, b"b": 2}


def test_an_iteration_goes_on_while_a_snapshot_is_taken(tmp_path: Path) -> None:
    before = handles()
    expected = {b"%06d" % i: i for i in range(10_000)}
    tree = penstock.HybridTree(tmp_path / "t.act")
    tree.update(expected)
    tree.snapshot()
    iteration = tree.items()
    first = [next(iteration) for _ in range(10)]
    tree.put("zzz", 1)
    tree.snapshot()
    tree.close()
    assert dict([*first, *iteration]) == expected
    del iteration
    gc.collect()
    assert handles() <= before


def test_a_killed_process_leaves_the_old_tree_or_the_new_one(tmp_path: Path) -> None:
    program = (
        "import sys, penstock\n"
        "tree = penstock.HybridTree(sys.argv[1])\n"
        "for round in range(1, 10_000):\n"
        "    tree.update({f'{i:05}': round for i in range(2_000)})\n"
        "    tree.snapshot()\n"
        "    print(round, flush=True)\n"
    )
    file = tmp_path / "t.act"
    for seconds in (0.0, 0.05, 0.11) if os.environ.get("PENSTOCK_LONG") else (0.0, 0.08):
        command = [sys.executable, "-c", program, str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            acknowledged = int(child.stdout.readline())
            time.sleep(seconds)
            child.kill()
            acknowledged = int((child.stdout.read().split() or [acknowledged])[-1])
        tree = penstock.Tree(file)
        assert tree.verify().ok
        values = set(tree.values())
        assert len(tree) == 2_000 and len(values) == 1, "a snapshot is whole"
        assert values.pop() >= acknowledged, "what was acknowledged is on disk"


def test_a_generator_in_any_order_writes_the_tree_that_a_dictionary_writes(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    keys = [bytes(rng.integers(97, 101, rng.integers(1, 12)).tolist()) for _ in range(30_000)]
    values = {key: number for number, key in enumerate(keys)}
    penstock.write(tmp_path / "a.act", values)
    penstock.write(tmp_path / "b.tree", ((key, number) for number, key in enumerate(keys)))
    assert (tmp_path / "a.act").read_bytes() == (tmp_path / "b.tree").read_bytes()
    penstock.write(tmp_path / "c.tree", iter(values.items()), share=True)
    shared = penstock.open(tmp_path / "c.tree")
    assert dict(shared) == dict(penstock.open(tmp_path / "a.act"))
    assert shared.nbytes <= os.path.getsize(tmp_path / "a.act")
    for bad, error in ((iter([1]), TypeError), (iter([("a", -1)]), OverflowError)):
        with pytest.raises(error):
            penstock.write(tmp_path / "bad.tree", bad)
    assert not (tmp_path / "bad.tree").exists()
    assert sorted(os.listdir(tmp_path)) == ["a.act", "b.tree", "c.tree"]
    with pytest.raises(ValueError, match="share is for trees"):
        penstock.write(tmp_path / "x.npy", [1], share=True)


def test_ranges_nodes_and_children(tmp_path: Path) -> None:
    values = {f"{first}{second}": ord(first) for first in "acd" for second in ("", "x", "yz")}
    penstock.write(tmp_path / "t.tree", values)
    tree = penstock.open(tmp_path / "t.tree", expect=penstock.Tree)
    ordered = sorted(key.encode() for key in values)
    for start in (None, "", "ax", "b", "cyz", "z"):
        for stop in (None, "ay", "c", "cx", "zz"):
            wanted = [
                key
                for key in ordered
                if (start is None or key >= start.encode())
                and (stop is None or key < stop.encode())
            ]
            found = [key for key, _ in tree.items(start=start, stop=stop)]
            assert found == wanted, (start, stop)
            with penstock.HybridTree(tmp_path / "t.tree", read_only=True) as hybrid:
                assert [key for key, _ in hybrid.items(start=start, stop=stop)] == wanted
    assert [key for key, _ in tree.items("c", start="cx")] == [b"cx", b"cyz"]
    assert tree.children() == [b"a", b"c", b"d"]
    assert tree.node("c") == penstock.TreeNode(b"c", ord("c"), [b"x", b"y"])
    assert tree.node("cy") == penstock.TreeNode(b"cy", None, [b"z"])
    with pytest.raises(KeyError):
        tree.node("b")
    assert tree.stats()["keys"] == len(values)
    assert tree.stats()["canonical"] is True


def test_the_commands_take_both_extensions(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a\nb\n")
    words = ("tree", "build", "--input", tmp_path / "words.txt", "--output")
    assert run_command(*words, tmp_path / "w.tree").returncode == 0
    assert len(penstock.open(tmp_path / "w.tree")) == 2
    assert run_command(*words, tmp_path / "w.npy").returncode == 2
