# SPDX-License-Identifier: Apache-2.0
"""Measures steps datasets in Python: prints the times of each round as JSON."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import time

import numpy as np

import penstock
import penstock.game2048 as a2

BATCH_SIZE = 4096
ROW = np.dtype(
    [
        ("board", "<u8"),
        ("move", "u1"),
        ("ev_legal", "u1"),
        ("ev_values", "<f4", (4,)),
        ("run_id", "<u4"),
        ("step_index", "<u2"),
    ]
)
SHIFTS = np.arange(60, -4, -4, dtype=np.uint64)


def endless(loader):
    while True:
        yield from loader


def shifted(boards):
    """Computes the exponents with the usual NumPy expression."""
    return ((boards[:, None] >> SHIFTS) & np.uint64(15)).astype(np.uint8)


def exponents(folder, rounds):
    rows = a2.Dataset(folder).rows
    fields = ["board", "move", "ev_values"]
    ours = endless(
        penstock.Loader(
            rows, batch_size=BATCH_SIZE, seed=1, fields=fields, transform=[a2.Exponents()]
        )
    )
    plain = endless(penstock.Loader(rows, batch_size=BATCH_SIZE, seed=1, fields=fields))
    first, second = next(ours)["exponents"], next(plain)["board"]
    assert (first == shifted(second)).all()
    assert first.tobytes() == bytes(a2.exps_from_boards(np.array(second)))

    def micros(work, count=400):
        # Prefetched batches do not count.
        for _ in range(64):
            work()
        start, busy = time.perf_counter(), time.thread_time()
        for _ in range(count):
            work()
        return [
            (time.perf_counter() - start) / count * 1e6,
            (time.thread_time() - busy) / count * 1e6,
        ]

    def one():
        found = {name: micros(work) for name, work in ways.items()}
        elapsed = {name: times[0] for name, times in found.items()}
        # The processor time of this thread, which would train: the loader's threads do not count.
        return elapsed | {f"{name}-thread": times[1] for name, times in found.items()}

    ways = {
        "ours": lambda: next(ours)["exponents"],
        "shifts": lambda: shifted(next(plain)["board"]),
        "bytes": lambda: a2.exps_from_boards(np.ascontiguousarray(next(plain)["board"])),
    }
    return measured(rounds, one)


def measured(rounds, work):
    """Runs two rounds for warm-up, and returns the figures of the other rounds by name."""
    figures = [work() for _ in range(rounds + 2)][2:]
    return {name: [one[name] for one in figures] for name in figures[0]}


def batches(folder, rounds):
    ds = a2.Dataset(folder)
    rng = np.random.default_rng(5)
    # Reads the file into memory, as the design does at the start.
    for start in range(0, len(ds), 1 << 20):
        ds.get_batch(np.arange(start, min(len(ds), start + (1 << 20))))

    def one():
        indices = rng.integers(0, len(ds), (4000, BATCH_SIZE))
        times = np.empty(len(indices))
        for i, wanted in enumerate(indices):
            start = time.perf_counter()
            ds.get_batch(wanted)
            times[i] = time.perf_counter() - start
        return {"median": np.median(times) * 1e3, "rare": np.quantile(times, 0.999) * 1e3}

    return measured(rounds, one)


def idle(folder, rounds):
    loader = endless(penstock.Loader(a2.Dataset(folder).rows, batch_size=BATCH_SIZE, seed=3))

    def one():
        waited = 0.0
        begin = time.perf_counter()
        for _ in range(2000):
            start = time.perf_counter()
            next(loader)
            got = time.perf_counter()
            waited += got - start
            while time.perf_counter() - got < 1e-3:
                pass
        return {"idle": waited / (time.perf_counter() - begin) * 100}

    return measured(rounds, one)


def make_sparse(folder, rows=1_000_000_000, run_steps=2000):
    """Makes a sparse file of rows, which takes no disk space, and half a million runs."""
    folder.mkdir(exist_ok=True)
    steps = np.lib.format.open_memmap(folder / "steps.npy", "w+", ROW, (rows,))
    del steps
    with sqlite3.connect(folder / "new.db") as database:
        database.execute(
            "CREATE TABLE runs (id INTEGER PRIMARY KEY, first_step_idx INTEGER NOT NULL, num_steps"
            " INTEGER NOT NULL, max_score INTEGER NOT NULL, highest_tile INTEGER NOT NULL,"
            " engine TEXT, start_time INTEGER, elapsed_s REAL)"
        )
        database.execute("CREATE INDEX idx_runs_score ON runs(max_score)")
        database.execute("CREATE INDEX idx_runs_len ON runs(num_steps)")
        database.executemany(
            "INSERT INTO runs VALUES (?, ?, ?, ?, 2048, '', 0, 1.5)",
            (
                (i, i * run_steps, run_steps, 20000 + i * 7919 % 40000)
                for i in range(rows // run_steps)
            ),
        )
    (folder / "new.db").rename(folder / "metadata.db")


def start(folder, rounds):
    """Whole processes: opens a dataset of a billion rows, and draws a batch."""
    if not (pathlib.Path(folder) / "metadata.db").exists():
        make_sparse(pathlib.Path(folder))
    program = (
        "import sys, numpy as np, penstock.game2048 as a2; ds = a2.Dataset(sys.argv[1]);"
        "sys.argv[2] == 'open' or ds.get_batch(np.random.default_rng(1).integers(0, len(ds), 4096))"
    )

    def one(what):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", program, folder, what], check=True)
        return time.perf_counter() - begin

    return measured(rounds, lambda: {"open": one("open"), "batch": one("batch")})


part, data, count = sys.argv[1:]
print(json.dumps(globals()[part](data, int(count))))
