# SPDX-License-Identifier: Apache-2.0
"""An interrupted call has either happened, or can be repeated: nothing is lost or stored twice."""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import Interrupt, at_every_moment

import penstock
from penstock import PackWriter, Store, TableWriter, _changes, _jvm, _writer

IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))
KINDS = [KeyboardInterrupt, MemoryError]

FIELDS: dict[str, dict[str, Any]] = {"n": {"dtype": "i8", "shape": []}, "note": {}}


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers that are full after a few records."""
    monkeypatch.setattr(_changes, "PENDING_COUNT", 3)
    monkeypatch.setattr(_writer, "_PENDING_COUNT", 3)


def sweep(
    work: Callable[[Interrupt], None], kind: type[BaseException], rng: Any, step: int = 23
) -> None:
    """Tries every moment in the long form, and some of them from a random one on otherwise."""
    step = 1 if IS_LONG else step
    assert at_every_moment(work, kind, int(rng.integers(step)), step) > 3


def record(number: int) -> dict[str, Any]:
    return {"n": number, "note": b"%d" % number}


def columns(numbers: list[int]) -> dict[str, Any]:
    return {"n": np.array(numbers), "note": [b"%d" % number for number in numbers]}


class Repeated:
    """Makes calls that are interrupted once, and repeats the one that was, unless it has
    happened."""

    def __init__(self, interrupt: Interrupt) -> None:
        self._interrupt = interrupt

    def __call__(self, call: Callable[[], Any], has_happened: Callable[[], bool]) -> None:
        if self._interrupt.has_come:
            call()
            return
        with self._interrupt:
            call()
        if self._interrupt.has_come and not has_happened():
            call()


def never() -> bool:
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_interrupted_changes_of_a_store_happen_once(
    kind: type[BaseException], tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        path = tmp_path / str(next(numbers))
        store = Store(path, "x", fields=FIELDS, durability="none")
        made = Repeated(interrupt)
        expected: list[int | None] = []

        def grown() -> bool:
            return len(store) == len(expected)

        for number in range(5):
            expected.append(number)
            made(lambda n=number: store.append(record(n)), grown)  # type: ignore[misc]
        expected += [10, 11, 12, 13]
        made(lambda: store.extend(columns([10, 11, 12, 13])), grown)
        made(lambda: store.update(1, record(20)), never)
        expected[1] = 20
        made(lambda: store.delete(2), lambda: store.is_deleted(2))
        expected[2] = None
        made(store.commit, never)
        expected.append(30)
        made(lambda: store.append(record(30)), grown)
        made(store.close, never)
        with Store(path) as found:
            assert len(found) == len(expected)
            notes = found["note"][:]
            values = found["n"][:]
        assert notes == [None if n is None else b"%d" % n for n in expected]
        assert np.ma.filled(values, -1).tolist() == [-1 if n is None else n for n in expected]

    sweep(work, kind, rng, 61)


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_rollback_is_whole(
    kind: type[BaseException], tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        path = tmp_path / str(next(numbers))
        with Store(path, "x", fields=FIELDS, durability="none") as store:
            store.append(record(0))
            store.commit()
            store.extend(columns([1, 2]))
            store.append(record(3))
            with interrupt:
                store.rollback()
            store.append(record(4))
        with Store(path) as found:
            # The rollback has happened, or not: no half of the changes is there.
            assert found["n"][:].tolist() in ([0, 4], [0, 1, 2, 3, 4])
            assert not interrupt.has_come or len(found) in (2, 5)

    sweep(work, kind, rng, 7)


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_swap_happens_once(
    kind: type[BaseException], tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        path = tmp_path / str(next(numbers))
        with Store(path, "x", fields=FIELDS, delete="swap", durability="none") as store:
            store.extend(columns([0, 1, 2, 3]))
            Repeated(interrupt)(lambda: store.delete(1), lambda: len(store) == 3)
            assert store.append(record(4)) == 3
        with Store(path) as found:
            assert found["n"][:].tolist() == [0, 3, 2, 4]

    sweep(work, kind, rng, 7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("has_names", [False, True])
def test_interrupted_calls_of_a_pack_writer_happen_once(
    kind: type[BaseException], has_names: bool, tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        path = tmp_path / f"{next(numbers)}.a2pack"
        writer = PackWriter(path)
        made = Repeated(interrupt)
        expected: list[bytes] = []
        names = [f"name-{number}" for number in range(9)]

        def grown() -> bool:
            return len(writer) == len(expected)

        for number in range(5):
            expected.append(b"%d" % number)
            name = names[number] if has_names else None
            made(lambda n=number, name=name: writer.append(b"%d" % n, name), grown)  # type: ignore[misc]
        if not has_names:
            added = [b"x", b"yy", b"zzz", b""]
            expected += added
            rest = list(added)

            def extend() -> None:
                writer.extend(rest)

            def is_complete() -> bool:
                # The first records of an interrupted call may be there.
                del rest[: len(rest) - (len(expected) - len(writer))]
                return not rest

            made(extend, is_complete)
        made(writer.close, never)
        with penstock.open(path) as found:
            assert found[:] == expected
            if has_names:
                assert list(found.names) == names[:5]

    sweep(work, kind, rng)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["table.npy", "folder"])
def test_interrupted_calls_of_a_table_writer_happen_once(
    kind: type[BaseException], name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        writer = TableWriter(folder / name, "<i4")
        made = Repeated(interrupt)
        expected: list[int] = []
        for number in range(3):
            expected.extend([number] * 2)
            rows = np.full(2, number, np.int32)
            made(lambda rows=rows: writer.append(rows), lambda: len(writer) == len(expected))  # type: ignore[misc]
        made(writer.close, never)
        with penstock.open(folder / name) as found:
            assert found[:].tolist() == expected

    sweep(work, kind, rng, 7)


@pytest.mark.parametrize("kind", KINDS)
def test_interrupted_calls_of_a_shard_writer_happen_once(
    kind: type[BaseException], tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        path = tmp_path / str(next(numbers))
        writer = penstock.shards.Writer(path, 2, shard_rows=4)
        made = Repeated(interrupt)
        expected: list[int] = []
        for number in range(3):
            expected.extend([number] * 3)
            rows = np.full((3, 2), number, np.float32)
            made(lambda rows=rows: writer.append(rows), lambda: writer.next_row == len(expected))  # type: ignore[misc]
        made(writer.commit, never)
        made(writer.close, never)
        assert writer.next_row == len(expected)
        with penstock.open(path) as found:
            assert found[:][:, 0].tolist() == expected

    sweep(work, kind, rng)


@pytest.mark.parametrize("kind", KINDS)
def test_interrupted_changes_of_a_tree_can_be_repeated(
    kind: type[BaseException], tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        path = tmp_path / f"{next(numbers)}.act"
        made = Repeated(interrupt)
        tree = penstock.HybridTree(path)
        made(lambda: tree.put("a", 1), never)
        made(lambda: tree.update({"b": 2, "c": 3}), never)
        made(lambda: tree.remove("a"), never)
        made(tree.snapshot, never)
        made(tree.close, never)
        made(lambda: penstock.write(path, {"d": 4}, overwrite=True), never)
        with penstock.open(path) as found:
            assert dict(found.items()) == {b"d": 4}

    sweep(work, kind, rng)


@pytest.mark.parametrize("make", ["pack", "table", "store"])
def test_a_block_whose_end_is_interrupted_leaves_all_or_nothing(
    make: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    numbers = itertools.count()

    def work(interrupt: Interrupt) -> None:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        writer: Any
        if make == "pack":
            path = folder / "x.a2pack"
            writer = PackWriter(path)
            writer.append(b"1")
        elif make == "table":
            path = folder / "x.npy"
            writer = TableWriter(path, "<i4")
            writer.append([1])
        else:
            path = folder / "x"
            writer = Store(path, "x", fields=FIELDS, durability="none")
            writer.append(record(1))
        with interrupt:
            writer.__exit__(None, None, None)
        if interrupt.place.startswith("call in __exit__"):
            # It came before anything was done: the writer ends with the last reference to it.
            del writer
            gc.collect()
            _jvm.functions()
        if make == "store":
            # Nobody holds the store any more.
            with Store(path, "a") as found:
                assert len(found) in ((0, 1) if interrupt.has_come else (1,))
        elif not interrupt.has_come or path.exists():
            with penstock.open(path) as found:
                assert len(found) == 1
        else:
            assert list(folder.iterdir()) == []

    sweep(work, KeyboardInterrupt, rng, 5)
