# SPDX-License-Identifier: Apache-2.0
"""Reads activation shards with NumPy: runs a round for each line of input, and prints a line for
it."""

import pathlib
import sys

import numpy as np

BATCH_ROWS = 1024


def rows(width):
    file = sorted(pathlib.Path(sys.argv[1], f"shards-{width}-f32").glob("*.shard"))[0]
    return np.memmap(file, "<f4", "r", offset=32).reshape(-1, width)


def stream(width):
    source = rows(width)
    target = np.empty((BATCH_ROWS, width), np.float64)

    def work():
        for start in range(0, len(source), BATCH_ROWS):
            block = source[start : start + BATCH_ROWS]
            np.copyto(target[: len(block)], block)

    return work


def gather():
    source = rows(2048)
    ids = np.random.default_rng(2).integers(0, len(source), BATCH_ROWS)
    taken = np.empty((BATCH_ROWS, 2048), np.float32)
    wide = np.empty((BATCH_ROWS, 2048), np.float64)

    def work():
        for _ in range(20):
            np.take(source, ids, axis=0, out=taken, mode="clip")
            np.copyto(wide, taken)

    return work


work = gather() if sys.argv[2] == "gather" else stream(int(sys.argv[2]))
for _ in sys.stdin:
    work()
    print("done", flush=True)
