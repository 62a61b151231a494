# SPDX-License-Identifier: Apache-2.0
"""Measures as a user would: one process with NumPy and PyTorch runs whole epochs, compared with a
loop in C that copies the same rows or records by memcpy in one thread.

inside.py ROUNDS C_SOURCE prints a line for each case, in the format of rounds.py.
"""

from __future__ import annotations

import ctypes
import importlib.util
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import penstock
from rounds import compare, tell

if importlib.util.find_spec("torch") is not None:
    import torch

    torch.set_num_threads(1)

ROUNDS = int(sys.argv[1])
# In memory, so that no disk is measured; removed when the process ends.
SHARED = "/dev/shm" if Path("/dev/shm").is_dir() else None
TEMPORARY = tempfile.TemporaryDirectory(prefix="penstock-inside-", dir=SHARED)
FOLDER = Path(TEMPORARY.name)
PACK_HEADER, PACK_ENTRY = 28, 32


def library():
    target = FOLDER / "copy.so"
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", sys.argv[2], "-o", target], check=True)
    return ctypes.CDLL(str(target))


C = library()


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


class Epochs:
    """Times of whole epochs, for each batch, and of their first batches."""

    def __init__(self, loader):
        self.loader = loader
        self.firsts = []

    def __call__(self):
        before, count = time.perf_counter(), 0
        for _ in self.loader:
            if count == 0:
                self.firsts.append((time.perf_counter() - before) * 1e6)
            count += 1
        return (time.perf_counter() - before) / count * 1e6


def floor(copy, order, batch_size):
    """Copies the same batches by a loop in C."""

    def measure():
        before = time.perf_counter()
        for start in range(0, len(order), batch_size):
            copy(order[start : start + batch_size])
        return (time.perf_counter() - before) / -(-len(order) // batch_size) * 1e6

    return measure


def epochs(name, loader, theirs, rounds):
    ours = Epochs(loader)
    compare(name, "C, memcpy of each record", ours, theirs, rounds)
    firsts = ours.firsts[2:]
    tell(f"{name}-first-batch", "the limit", firsts, [1000] * len(firsts))
    loader.close()


def rows():
    random = np.random.default_rng(1)
    out = np.empty((256, 2048), np.uint8)
    for name, count, rounds in (("inside-wide", 200_000, ROUNDS), ("inside-wide-64-batches", 64 * 256, ROUNDS * 5)):
        file = FOLDER / f"{name}.npy"
        penstock.write(file, random.integers(0, 256, (count, 2048), dtype=np.uint8))
        array = np.asarray(np.load(file, mmap_mode="r"))

        def copy(index, array=array):
            C.copy_rows(address(array), address(index), ctypes.c_int64(len(index)), ctypes.c_int64(2048), address(out))

        loader = penstock.Loader(penstock.open(file), 256, seed=1)
        epochs(name, loader, floor(copy, random.permutation(count), 256), rounds)


def places(file, count):
    entries = np.fromfile(file, np.uint8)[PACK_HEADER : PACK_HEADER + PACK_ENTRY * count].reshape(count, PACK_ENTRY)
    found = np.empty((count, 2), np.int64)
    found[:, 0] = entries[:, :8].copy().view("<u8")[:, 0]
    found[:, 1] = entries[:, 8:12].copy().view("<u4")[:, 0]
    return found


def records():
    random = np.random.default_rng(2)
    data = random.integers(0, 256, 1 << 24, dtype=np.uint8).tobytes()
    starts, sizes = random.integers(0, 1 << 23, 65_536).tolist(), random.integers(1280, 1792, 65_536).tolist()
    texts = [data[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    file = FOLDER / "records.a2pack"
    penstock.write(file, texts)
    where = places(file, len(texts))
    mapped = np.asarray(np.memmap(file, np.uint8, "r"))
    assert mapped[where[7, 0] :][: where[7, 1]].tobytes() == texts[7]
    out = np.empty(1024 * 1800, np.uint8)

    def copy(index):
        C.copy_records(address(mapped), address(where), address(index), ctypes.c_int64(len(index)), address(out))

    ds = penstock.open(file)
    theirs = floor(copy, random.permutation(len(texts)), 1024)
    epochs("inside-pack-ragged", penstock.Loader(ds, 1024, seed=1, ragged=True), theirs, ROUNDS * 2)
    epochs("inside-pack-bytes", penstock.Loader(ds, 1024, seed=1), theirs, ROUNDS * 2)
    for name, options in (("inside-take-ragged", {"ragged": True}), ("inside-take-bytes", {})):
        batches = [random.integers(0, len(texts), 1024) for _ in range(64)]
        compare(name, "C, memcpy of each record", calls(ds.take, batches, options), calls(copy, batches, {}), ROUNDS * 3)


def calls(function, batches, options):
    """Returns the median time of the calls, each with its own batch."""

    def measure():
        times = []
        for index in batches:
            before = time.perf_counter()
            function(index, **options)
            times.append((time.perf_counter() - before) * 1e6)
        return statistics.median(times)

    return measure


def take():
    random = np.random.default_rng(3)
    file = FOLDER / "rows.npy"
    row = [("a", "<u8"), ("b", "<f4", 4), ("c", "<i4"), ("d", "<i2"), ("e", "u1"), ("f", "u1")]
    penstock.write(file, np.zeros(10_000_000, row))
    ds, array = penstock.open(file), np.asarray(np.load(file, mmap_mode="r"))
    out = np.empty(4096, array.dtype)

    def ours(index):
        ds.take(index, out=out)

    def theirs(index):
        np.take(array, index, axis=0, out=out, mode="clip")

    batches = [random.integers(0, len(array), 4096) for _ in range(400)]
    compare("inside-take-out", "np.take(out=, mode='clip')", calls(ours, batches, {}), calls(theirs, batches, {}), ROUNDS * 3)


def writers():
    """Measures the time of writing a megabyte, beside a plain file that is written and forced."""
    random = np.random.default_rng(4)
    data = random.integers(0, 256, 1 << 24, dtype=np.uint8).tobytes()
    starts, sizes = random.integers(0, 1 << 23, 100_000).tolist(), random.integers(1280, 1792, 100_000).tolist()
    texts = [data[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    megabytes = sum(sizes) / 1e6
    file = FOLDER / "written.a2pack"

    def extend():
        with penstock.PackWriter(file, overwrite=True) as writer:
            writer.extend(texts)

    def append():
        with penstock.PackWriter(file, overwrite=True) as writer:
            for text in texts:
                writer.append(text)

    limits = {"extend": 1e6 / 300, "write": 1e6 / 300, "append": 5 * len(texts) / megabytes}
    ways = {"extend": extend, "write": lambda: penstock.write(file, texts, overwrite=True), "append": append}
    for name, way in ways.items():
        times = []
        for _ in range(ROUNDS + 2):
            before = time.perf_counter()
            way()
            times.append((time.perf_counter() - before) / megabytes * 1e6)
        tell(f"inside-writer-{name}", "the limit for a megabyte", times[2:], [limits[name]] * ROUNDS)


if __name__ == "__main__":
    rows()
    records()
    take()
    writers()
