# SPDX-License-Identifier: Apache-2.0
"""Stores used by several threads, and by worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import needs_mounts, run_on

import penstock
from penstock import Store

FIELDS: dict[str, dict[str, Any]] = {
    "thread": {"dtype": "i8", "shape": []},
    "values": {"dtype": "u1", "shape": [2048], "compress": "zstd"},
    "note": {},
}


def values(count: int) -> np.ndarray[Any, Any]:
    return np.arange(count * 2048, dtype=np.int64).reshape(count, 2048).astype(np.uint8)


def test_a_thread_that_only_appends_hears_that_another_has_rolled_back(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"value": {}}) as store:
        assert [store.append({"value": b"a"}) for _ in range(5)] == list(range(5))
        other = threading.Thread(target=store.rollback)
        other.start()
        other.join()
        with pytest.raises(penstock.StoreLostError, match="another thread has rolled back"):
            store.append({"value": b"b"})
        assert [store.append({"value": b"c"}) for _ in range(3)] == [0, 1, 2]
        # A thread that began later may have the number of one that has ended.
        found: list[int] = []
        for _ in range(4):
            one = threading.Thread(target=lambda: found.append(store.append({"value": b"d"})))
            one.start()
            one.join()
        assert found == [3, 4, 5, 6]
        assert store["value"][:] == [b"c"] * 3 + [b"d"] * 4
    assert len(Store(tmp_path / "s")) == 7


@pytest.mark.parametrize("writers", [None, 1, 2])
def test_threads_append_and_commit(writers: int | None, tmp_path: Path) -> None:
    path = tmp_path / "s"
    owners: dict[int, int] = {}
    errors: list[BaseException] = []
    lock = threading.Lock()

    with Store(path, "w", fields=FIELDS, writers=writers, readers=2) as store:

        def work(thread: int) -> None:
            try:
                for step in range(10):
                    single = store.append({"thread": thread, "note": b"%d" % thread})
                    many = store.extend({"thread": np.full(100, thread), "values": values(100)})
                    with lock:
                        owners.update(dict.fromkeys([single, *many], thread))
                    if step % 3 == 0:
                        store.commit()
                        assert store["thread"][single] == thread
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert sorted(owners) == list(range(4 * 10 * 101))
    store = Store(path, readers=3)
    assert store["thread"][:].tolist() == [owners[index] for index in range(len(store))]
    rows = np.ma.masked_array(store["values"][:])
    assert penstock.open(path).verify()
    assert rows.mask.any(axis=1).sum() == 40
    assert store["note"][:].count(None) == 4000


def test_reads_see_what_another_thread_appends_during_a_commit(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"n": {"dtype": "i8", "shape": []}}) as store:
        done = threading.Event()

        def commit() -> None:
            while not done.is_set():
                store.commit()

        thread = threading.Thread(target=commit)
        thread.start()
        try:
            for i in range(300):
                assert store.append({"n": i}) == i
                assert store["n"][i] == i
        finally:
            done.set()
            thread.join()
    assert Store(tmp_path / "s")["n"][:].tolist() == list(range(300))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"writers": 0}, "writers must be 1 or more, got 0"),
        ({"writers": 5}, "writers must be 1 to 4, got 5"),
        ({"readers": 0}, "readers must be 1 or more, got 0"),
    ],
)
def test_numbers_that_cannot_be_are_refused(
    options: dict[str, int], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        Store(tmp_path / "s", "w", fields=FIELDS, **options)  # type: ignore[arg-type]
    assert not (tmp_path / "s").exists()
    with pytest.raises(TypeError):
        Store(tmp_path / "s", "w", fields=FIELDS, writers=1.5)  # type: ignore[arg-type]


def test_spawned_workers_read_a_store_that_is_written(
    tmp_path: Path, run: Callable[..., Any]
) -> None:
    """Each worker opens the store of the main process, which goes on writing, and moves on."""
    run(
        f"""
        import multiprocessing
        import numpy as np
        import penstock

        def follow(store, count):
            sums = []
            # The first look may find everything: a process starts slowly.
            while not sums or len(store) < count:
                store.refresh()
                numbers = store["n"][:]
                assert numbers.tolist() == list(range(len(numbers)))
                sums.append(int(numbers.sum()))
            assert sums == sorted(sums)
            return len(store), sums[-1]

        if __name__ == "__main__":
            fields = {{"n": {{"dtype": "i8", "shape": [], "compress": "zstd"}}}}
            with penstock.Store({str(tmp_path / "s")!r}, "w", fields=fields, writers=2) as store:
                store.commit()
                reader = penstock.Store({str(tmp_path / "s")!r}, readers=1)
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    answers = pool.starmap_async(follow, [(reader, 3000)] * 2)
                    for start in range(0, 3000, 100):
                        store.extend({{"n": np.arange(start, start + 100)}})
                        store.commit()
                    assert answers.get(500) == [(3000, 2999 * 1500)] * 2
        """
    )


# Threads take turns on a disk that is full for a moment.
TURNS = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
import penstock

folder = sys.argv[1]
path = os.path.join(folder, "s")
a, b, c = (ThreadPoolExecutor(1) for _ in range(3))
store = penstock.Store(path, "x", fields={"value": {}})
store.append({"value": b"0" * 5_000_000})
store.commit()

def do(thread, call, *arguments):
    return thread.submit(call, *arguments).result()

def append(value):
    store.append({"value": value})

def fails(thread, call, *arguments):
    try:
        do(thread, call, *arguments)
    except OSError as error:
        return "given up" in str(error)
    return False

class Full:
    def __enter__(self):
        with open(os.path.join(folder, "ballast"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass

    def __exit__(self, *_):
        os.unlink(os.path.join(folder, "ballast"))

def found():
    with penstock.Store(path) as reader:
        return [value[:1].decode() for value in reader["value"][:]]

LARGE = b"L" * (5 << 20)
"""


def on_small_disk(script: str, folder: Path) -> Any:
    disk = folder / "disk"
    disk.mkdir()
    return run_on({str(disk): "32m"}, script, folder, disk)


@needs_mounts
@pytest.mark.parametrize(
    "script",
    [
        # The row of A was in the buffer that B could not write.
        "do(b, append, LARGE)\ndo(a, append, b'1')\nwith Full(): assert fails(b, append, LARGE)",
        # Java had the row of A.
        "do(a, append, b'1' * len(LARGE))\nwith Full(): assert fails(b, append, LARGE)",
        # A thread that reads hands over the rows of others.
        "do(a, append, b'1' * 4000000)\nwith Full(): assert fails(b, lambda: store['value'][1])",
        # A commit of B fails, with the rows of A.
        "do(a, append, b'1' * 4000000)\nwith Full(): assert fails(b, store.commit)",
    ],
)
def test_a_thread_hears_that_its_rows_were_given_up(script: str, tmp_path: Path) -> None:
    check = """
assert fails(a, store.commit), "A does not hear"
# It hears once, and can go on.
do(a, append, b"A")
do(a, store.commit)
assert found() == ["0", "A"], found()
do(b, append, b"B")
do(b, store.commit)
do(c, append, b"C")
store.close()
assert found() == ["0", "A", "B", "C"], found()
"""
    done = on_small_disk(TURNS + script + check, tmp_path)
    assert done.returncode == 0, done.stderr


@needs_mounts
def test_whoever_commits_hears_of_rows_that_were_given_up(tmp_path: Path) -> None:
    check = """
do(b, append, LARGE)
do(a, append, b"1")
with Full():
    assert fails(b, append, LARGE)
# C has appended nothing, and commits for the others.
assert fails(c, store.commit)
do(c, store.commit)
# B has heard by the failed append. A hears before it appends another part of its rows.
do(b, append, b"B")
assert fails(a, append, b"2")
do(a, append, b"A")
do(c, store.commit)
assert found() == ["0", "B", "A"]
# Whoever discards everything need not hear.
do(b, append, LARGE)
with Full():
    assert fails(b, append, LARGE)
do(c, store.rollback)
do(c, store.commit)
store.close()
assert found() == ["0", "B", "A"]
"""
    done = on_small_disk(TURNS + check, tmp_path)
    assert done.returncode == 0, done.stderr


# The tables of these records need more room than is left.
UNPUBLISHED = """
import warnings
numbers = [{"value": b"%d" % i} for i in range(20_000)]
for one in numbers:
    store.append(one)
store.commit()
store.append({"value": b"z"})
"""


@needs_mounts
def test_a_checkpoint_that_fails_says_that_the_changes_are_committed(tmp_path: Path) -> None:
    check = """
with Full():
    try:
        store.checkpoint()
        raise AssertionError("it was published")
    except penstock.StorePublishError as error:
        assert error.errno == 28, error
    assert len(found()) == 20_002
    store.rollback()
    assert len(store) == 20_002
store.checkpoint()
store.close()
assert len(found()) == 20_002
"""
    done = on_small_disk(TURNS + UNPUBLISHED + check, tmp_path)
    assert done.returncode == 0, done.stderr


@needs_mounts
def test_a_block_whose_tables_cannot_be_written_ends_with_a_warning(tmp_path: Path) -> None:
    check = """
with Full(), warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with store:
        pass
assert [one.category for one in caught] == [RuntimeWarning], caught
assert "all changes are committed" in str(caught[0].message)
assert caught[0].filename == __file__, caught[0].filename
assert len(found()) == 20_002
"""
    done = on_small_disk(TURNS + UNPUBLISHED + check, tmp_path)
    assert done.returncode == 0, done.stderr
