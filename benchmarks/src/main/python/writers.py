# SPDX-License-Identifier: Apache-2.0
"""Writing records from Python beside LMDB and a plain file: everything is on stable storage at the
end of each measurement, opening and closing included.

writers.py ROUNDS prints a line for each case, in the format of rounds.py. Times are microseconds of
processor time for a record, of this process with all its threads, because the time of a disk says
nothing about the writer; the cases named `wall` have the time on the clock.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import penstock
from rounds import tell

ROUNDS = int(sys.argv[1])
SIZES = {100: 100_000, 1_560: 30_000, 65_536: 1_500}
ROW = np.dtype([("id", "<i8"), ("values", "<f4", 6)])
LMDB = "LMDB, one transaction"
FILE = "write and fsync of a file"


def pack_append(folder, records):
    with penstock.PackWriter(folder / "new.a2pack") as writer:
        for record in records:
            writer.append(record)


def pack_write(folder, records):
    penstock.write(folder / "new.a2pack", records)


def store_append(folder, records):
    with penstock.Store(folder / "new.store", "w", fields={"record": {}}) as store:
        for record in records:
            store.append({"record": record})


def store_extend(folder, records):
    with penstock.Store(folder / "new.store", "w", fields={"record": {}}) as store:
        store.extend({"record": records})


def plain_file(folder, records):
    with open(folder / "new.bin", "wb") as file:
        for record in records:
            file.write(record)
        file.flush()
        os.fsync(file.fileno())


def lmdb_once(folder, records):
    import lmdb

    with lmdb.open(str(folder / "lmdb"), map_size=1 << 33) as environment:
        with environment.begin(write=True) as transaction:
            for number, record in enumerate(records):
                transaction.put(number.to_bytes(8, "big"), record, append=True)


def table_columns(folder, rows):
    """Dictionaries of 64 rows."""
    with penstock.TableWriter(folder / "new.npy", ROW) as writer:
        for start in range(0, len(rows), 64):
            part = rows[start : start + 64]
            writer.append({"id": part["id"], "values": part["values"]})


def table_rows(folder, rows):
    """Dictionaries of one row."""
    values = rows["values"][0]
    with penstock.TableWriter(folder / "new.npy", ROW) as writer:
        for number in range(len(rows)):
            writer.append({"id": number, "values": values})


def shards_rows(folder, rows):
    """Arrays of 16 rows of 128 bytes."""
    array = np.zeros((16, 32), "f4")
    with penstock.shards.Writer(folder / "shards", 32) as writer:
        for _ in range(len(rows) // 16):
            writer.append(array)


def numpy_rows(folder, rows):
    with open(folder / "new.bin", "wb") as file:
        for start in range(0, len(rows), 64):
            file.write(rows[start : start + 64].tobytes())
        file.flush()
        os.fsync(file.fileno())


def store_fields(folder, rows):
    fields = {"text": {}, "id": {"dtype": "i8", "shape": []}, "values": {"dtype": "f4", "shape": [6]}}
    text, values = b"x" * 60, rows["values"][0]
    with penstock.Store(folder / "new.store", "w", fields=fields) as store:
        for number in range(len(rows)):
            store.append({"text": text, "id": number, "values": values})


def threads(count):
    """Returns a function by which some threads append to one compressed store."""

    def append(folder, records):
        fields = {"record": {"compress": "zstd"}}
        with penstock.Store(folder / "new.store", "w", fields=fields) as store:
            parts = [records[i::count] for i in range(count)]

            def work(part):
                for start in range(0, len(part), 256):
                    store.extend({"record": part[start : start + 256]})

            workers = [threading.Thread(target=work, args=(part,)) for part in parts]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

    return append


COMMITS = 100


def commits(thread_count, open_store, commit):
    """Durable commits of one small record by some threads. Returns the microseconds of a commit."""
    with tempfile.TemporaryDirectory(prefix="penstock-writers-") as name, open_store(Path(name)) as store:
        commit(store, b"first")

        def work(number):
            for step in range(COMMITS):
                commit(store, b"%d %d" % (number, step))

        workers = [threading.Thread(target=work, args=(number,)) for number in range(thread_count)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return (time.perf_counter() - start) / (thread_count * COMMITS) * 1e6


def compare_commits():
    """Commits on the clock: they wait for the disk, and those of several threads for each other."""
    import lmdb

    def ours(store, value):
        store.append({"value": value})
        store.commit()

    def theirs(environment, value):
        with environment.begin(write=True) as transaction:
            transaction.put(value, b"x" * 100)

    for count in (1, 8):
        times = ([], [])
        for turn in range(ROUNDS + 1):
            taken = (
                commits(count, lambda folder: penstock.Store(folder / "new.store", "w", fields={"value": {}}), ours),
                commits(count, lambda folder: lmdb.open(str(folder / "lmdb"), map_size=1 << 30), theirs),
            )
            if turn > 0:
                for into, one in zip(times, taken, strict=True):
                    into.append(one)
        plural = "" if count == 1 else "s"
        tell(f"writers-commits-{count}-thread{plural}", "LMDB, as many transactions", *times)


def measure(function, records, clock):
    with tempfile.TemporaryDirectory(prefix="penstock-writers-") as name:
        start = clock()
        function(Path(name), records)
        taken = clock() - start
        shutil.rmtree(name, ignore_errors=True)
        Path(name).mkdir()
    return taken / len(records) * 1e6


def compare(name, function, floor, other, records, clock=time.process_time):
    """The first turn of a function in a process is a case of its own."""
    times = ([], [])
    first = measure(function, records, clock), measure(other, records, clock)
    for _ in range(ROUNDS):
        for into, one in zip(times, (function, other), strict=True):
            into.append(measure(one, records, clock))
    tell(name, floor, *times)
    return first


def main():
    penstock.memory()
    others = {FILE: plain_file}
    if importlib.util.find_spec("lmdb") is not None:
        others[LMDB] = lmdb_once
    for size, count in SIZES.items():
        records = [bytes([i % 251]) * size for i in range(count)]
        for function in (pack_append, pack_write, store_append, store_extend):
            for floor, other in others.items():
                name = f"writers-{size}-{function.__name__.replace('_', '-')}"
                first = compare(name, function, floor, other, records)
                if size == 100 and floor == FILE:
                    tell(f"{name}-first", "the same later", [first[0]], [measure(function, records, time.process_time)])
    rows = np.zeros(60_000, ROW)
    for function in (table_columns, table_rows, shards_rows, store_fields):
        name = f"writers-{function.__name__.replace('_', '-')}"
        compare(name, function, "write of arrays of 64 rows, and fsync", numpy_rows, rows)
    texts = [np.random.default_rng(i).integers(0, 60, 4000).astype("u1").tobytes() for i in range(4000)]
    compare("writers-two-threads-wall", threads(2), "one thread", threads(1), texts, time.perf_counter)
    if LMDB in others:
        compare_commits()


if __name__ == "__main__":
    main()
