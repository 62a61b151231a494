# SPDX-License-Identifier: Apache-2.0
"""Stores used by several threads, and by worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import Store

FIELDS: dict[str, dict[str, Any]] = {
    "thread": {"dtype": "i8", "shape": []},
    "values": {"dtype": "u1", "shape": [2048], "compress": "zstd"},
    "note": {},
}


def values(count: int) -> np.ndarray[Any, Any]:
    return np.arange(count * 2048, dtype=np.int64).reshape(count, 2048).astype(np.uint8)


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
