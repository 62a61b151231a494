# SPDX-License-Identifier: Apache-2.0
"""Stores from Python: following a writer, named snapshots, rebalancing, and other fields."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_store import plain_records

import penstock
from penstock import Loader, Store

FIELDS: dict[str, dict[str, Any]] = {"x": {"dtype": "i8", "shape": []}, "note": {}}


def extend(store: Store, start: int, stop: int) -> None:
    numbers = np.arange(start, stop)
    store.extend({"x": numbers, "note": [f"note {i} ".encode() * 20 for i in numbers]})
    store.commit()


FOLLOWER = """
import sys, penstock
store = penstock.Store(sys.argv[1])
print(len(store), flush=True)
for line in sys.stdin:
    moved = store.refresh()
    values = store["x"][:]
    print(moved, len(store), int(values.sum()), flush=True)
"""


def test_a_reader_in_another_process_follows(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 10)
        with subprocess.Popen(
            [sys.executable, "-c", FOLLOWER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as follower:
            assert follower.stdin is not None and follower.stdout is not None
            assert follower.stdout.readline() == "10\n"
            count = 10
            for turn in range(6):
                extend(store, count, count + 5)
                count += 5
                store.append({"x": 1000})
                if turn == 2:
                    store.rollback()
                    store.checkpoint()
                    store.append({"x": 1000})
                if turn == 4:
                    store.rollback()
                    for i in range(5):
                        store.update(i, {"note": b"new"})
                    store.commit()
                    store.rebalance(0)
                else:
                    store.rollback()
                print(file=follower.stdin, flush=True)
                assert follower.stdout.readline() == f"True {count} {sum(range(count))}\n"
            print(file=follower.stdin, flush=True)
            assert follower.stdout.readline() == f"False {count} {sum(range(count))}\n"
            follower.stdin.close()


def test_a_dataset_and_a_loader_follow(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 10)
        dataset = penstock.open(path)
        fingerprint = dataset.fingerprint
        assert not dataset.refresh()
        extend(store, 10, 12)
        assert len(dataset) == 10
        assert dataset.refresh()
        assert len(dataset) == 12
        assert dataset["x"][-1] == 11
        assert dataset.fingerprint != fingerprint
        assert dataset.facts["commit"] > 0
        with Loader(dataset, batch_size=4, seed=1, fields=["x"], follow=True) as loader:
            extend(store, 12, 20)
            assert sum(len(batch["x"]) for batch in loader) == 12
            assert len(loader.dataset) == 20
            extend(store, 20, 21)
            assert sorted(np.concatenate([b["x"] for b in loader]).tolist()) == list(range(21))
            # Also where batches of the next epoch would otherwise be made ahead.
            for count in (22, 23, 24):
                extend(store, count - 1, count)
                assert sum(len(batch["x"]) for batch in loader) == count
        with pytest.raises(ValueError, match="one rank"):
            Loader(dataset, batch_size=4, follow=True, rank=0, world_size=2)
        # Without follow, an explicit refresh and move_on do the same.
        with Loader(dataset, batch_size=4, fields=["x"], shuffle=False) as loader:
            extend(store, 24, 30)
            assert sum(len(batch["x"]) for batch in loader) == 24
            assert dataset.refresh()
            loader.move_on()
            assert sum(len(batch["x"]) for batch in loader) == 30


def test_a_writer_and_other_formats_have_nothing_to_refresh(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    assert not penstock.open(tmp_path / "a.npy").refresh()
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        assert not store.refresh()


def test_named_snapshots(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 10)
        assert store.create_snapshot("first")["records"] == 10
        store.delete([1, 2])
        extend(store, 10, 12)
        with pytest.raises(FileExistsError):
            store.create_snapshot("first")
        with pytest.raises(ValueError, match="invalid name of a snapshot"):
            store.create_snapshot("a/b")
        store.rebalance(0)
        assert [one["name"] for one in store.snapshots()] == ["first"]
        assert store.snapshots()[0]["kept_bytes"] > 0
        old = Store(path, snapshot="first")
        assert len(old) == 10 and not old.is_deleted(1)
        assert pickle.loads(pickle.dumps(old))["x"][:].tolist() == list(range(10))
        assert not old.refresh()
        dataset = penstock.open(path, snapshot="first")
        assert dataset["x"][:].tolist() == list(range(10))
        assert dataset.verify().ok
        assert [one["x"] for one in plain_records(path / "snapshot" / "first")] == [
            int(i).to_bytes(8, "little") for i in range(10)
        ]
        with pytest.raises(OSError, match="open"):
            store.drop_snapshot("first")
        old.close()
        dataset.close()
        with pytest.raises(ValueError, match="only be read"):
            Store(path, "a", snapshot="first")
        with pytest.raises(FileNotFoundError, match="second"):
            penstock.open(path, snapshot="second")


def test_rebalance(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 200)
        for i in range(0, 200, 2):
            store.update(i, {"note": b"changed"})
        store.delete(list(range(50, 150)))
        store.commit()
        plan = store.rebalance(dry_run=True)
        figures = store.rebalance()
        assert figures["copied_bytes"] == plan["copied_bytes"] > 0
        assert figures["before"]["byte_utilisation"] < 0.6
        assert figures["after"]["byte_utilisation"] > 0.95
        assert figures["after"]["row_utilisation"] == store.stats()["row_utilisation"]
        assert store["note"][2] == b"changed" and store.is_deleted(60)
        store.rebalance(cluster_by="x")
        store.rebalance(cluster_by=["x", "note"], order=np.arange(200)[::-1])
        with pytest.raises(ValueError, match="no field"):
            store.rebalance(cluster_by="z")
        with pytest.raises(ValueError, match="twice"):
            store.rebalance(order=[1, 1])
        with pytest.raises(IndexError, match="the order has record 200, but the store has 200"):
            store.rebalance(order=[200])
        for order in ([1.5], [[1]], ["a"]):
            with pytest.raises(TypeError, match="order must be a list of record indices"):
                store.rebalance(order=order)
        with pytest.raises(ValueError, match="from 0 to 1"):
            store.rebalance(2)
    expected = [None if 50 <= i < 150 else i.to_bytes(8, "little") for i in range(200)]
    assert [one["x"] for one in plain_records(path)] == expected
    with pytest.raises(OSError, match="reading"):
        Store(path).rebalance()


WRITER = """
import sys, penstock
with penstock.Store(sys.argv[1], "a") as store:
    print("open", flush=True)
    sys.stdin.readline()
"""


def test_rebalance_beside_a_writer_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 200)
        store.delete(list(range(100)))
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        assert penstock.rebalance(path, dry_run=True)["freed_bytes"] > 0
        with pytest.raises(BlockingIOError, match=f"is being written by process {writer.pid}"):
            penstock.rebalance(path)
        writer.stdin.write("stop\n")
    assert writer.returncode == 0
    figures = penstock.rebalance(path, 0.3)
    assert figures["before"]["byte_utilisation"] < 0.6
    assert figures["after"]["byte_utilisation"] > 0.9
    assert figures["deleted_bytes"] > figures["freed_bytes"] > 0
    figures = penstock.rebalance(str(path), cluster_by="x", order=np.arange(200)[::-1])
    assert figures["copied_bytes"] > 0
    store = Store(path)
    assert store["x"][100:200].tolist() == list(range(100, 200)) and store.is_deleted(99)
    with pytest.raises(FileNotFoundError):
        penstock.rebalance(tmp_path / "other")


def test_stores_that_are_open_as_one_follow(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "day-1", "w", fields=FIELDS) as first,
        Store(tmp_path / "day-2", "w", fields=FIELDS) as second,
    ):
        extend(first, 0, 10)
        extend(second, 100, 105)
        days = penstock.open(tmp_path / "day-*")
        fingerprint = days.fingerprint
        assert not days.refresh()
        extend(first, 10, 12)
        assert len(days) == 15
        assert days.refresh()
        assert len(days) == 17
        assert days.fingerprint != fingerprint
        numbers = [*range(12), *range(100, 105)]
        assert days["x"][:].tolist() == numbers
        assert days.fingerprint == penstock.open([first.path, second.path]).fingerprint
        with Loader(days, batch_size=4, seed=1, fields=["x"], follow=True) as loader:
            for count in (1, 2, 3):
                assert sorted(np.concatenate([b["x"] for b in loader]).tolist()) == numbers
                extend(first, 20 * count, 20 * count + 3)
                extend(second, 200 * count, 200 * count + 4)
                added = [*range(20 * count, 20 * count + 3), *range(200 * count, 200 * count + 4)]
                numbers = sorted(numbers + added)
        assert len(loader.dataset) == 17 + 2 * 7


def test_rebalance_beside_threads_that_append(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS, durability="none") as store:
        extend(store, 0, 500)
        done = threading.Event()
        errors: list[BaseException] = []

        def work() -> None:
            try:
                for i in range(300):
                    store.update(i, {"note": b"%d" % i})
                    store.append({"x": 500 + i, "note": b"new"})
                    store.commit()
            except BaseException as error:
                errors.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            store.rebalance(0)
        thread.join()
        assert not errors
    store = Store(path)
    assert store["x"][:].tolist() == list(range(800))
    assert store["note"][:300] == [b"%d" % i for i in range(300)]


def test_fields_are_added_dropped_and_recompressed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 20)
        store.delete(3)
        store.append({"x": 20})
        store.add_field("score", {"dtype": "f4", "shape": []})
        assert list(store.fields) == ["x", "note", "score"]
        assert store["score"][:].mask.all()
        store.update(0, {"score": 0.5})
        assert store["score"][0] == 0.5 and len(store) == 21
        store.compress_field("note", "flate")
        assert store["note"][1] == b"note 1 " * 20
        with pytest.raises(ValueError, match="no field"):
            store.drop_field("z")
        store.append({"x": 21, "score": 1})
        store.drop_field("x")
        with pytest.raises(KeyError):
            store.append({"x": 1})
        assert len(store) == 22
    assert plain_records(path)[1] == {"note": b"note 1 " * 20, "score": None}
    assert penstock.open(path).verify().ok
    with pytest.raises(OSError, match="reading"):
        Store(path).add_field("y")


def test_other_fields_are_no_refresh(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path, "w", fields=FIELDS) as store:
        extend(store, 0, 3)
        reader = Store(path)
        store.add_field("y")
        with pytest.raises(ValueError, match="open it again"):
            reader.refresh()


def test_only_stores_can_be_followed(tmp_path: Path) -> None:
    penstock.write(tmp_path / "a.npy", np.arange(4))
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        extend(store, 0, 10)
        store.create_snapshot("first")
    fixed = [
        penstock.open(tmp_path / "a.npy"),
        penstock.open(tmp_path / "s", snapshot="first"),
        penstock.open(tmp_path / "s").where("x > 3"),
    ]
    for dataset in fixed:
        with pytest.raises(ValueError, match=r"can only follow a store.*open the path"):
            Loader(dataset, batch_size=4, follow=True)


def test_a_pickled_state_stays_the_same_when_a_writer_appends(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        extend(store, 0, 10)
        dataset = penstock.open(tmp_path / "s")
        pickles = [pickle.dumps(dataset), pickle.dumps(store.snapshot())]
        extend(store, 10, 15)
        for text in pickles:
            copy = pickle.loads(text)
            assert len(copy) == 10 and copy["x"][:].tolist() == [*range(10)]
            assert sum(len(batch["x"]) for batch in Loader(copy, batch_size=4)) == 10
            assert len(copy.where("x >= 8")) == 2
        store.update(0, {"x": 7})
        store.commit()
        changed = pickle.loads(pickles[0])
        with pytest.raises(penstock.CorruptDataError, match=r"changed since.*a named snapshot"):
            changed["x"][0]


def test_a_store_that_cannot_be_opened_is_an_error_of_its_first_use(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        extend(store, 0, 10)
    text = pickle.dumps(Store(tmp_path / "s"))
    (tmp_path / "s").rename(tmp_path / "gone")
    lost = pickle.loads(text)
    for use in (len, iter, lambda one: one["x"], lambda one: one.refresh()):
        with pytest.raises(FileNotFoundError):
            use(lost)


def test_a_thread_does_not_wait_for_its_own_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def call(verb: str, **arguments: Any) -> dict[str, Any]:
        asked.append(arguments["isAuthor"])
        return {}

    monkeypatch.setattr("penstock._jvm.call_patiently", call)
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.rebalance()
        store.append({"x": 1})
        store.rebalance()
        other = threading.Thread(target=store.rebalance)
        other.start()
        other.join()
        store.commit()
        store.rebalance()
        store.update(0, {"x": 2})
        store.rebalance()
        store.rollback()
        store.rebalance()
    assert asked == [False, True, False, False, True, False]
