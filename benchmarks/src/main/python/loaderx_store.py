# SPDX-License-Identifier: Apache-2.0
"""Gathers random records from a store of ours and from a container of loaderx, in turns.

loaderx_store.py FOLDER RECORDS RECORD_SIZE BATCHES BATCH_SIZE ROUNDS

Prints the nanoseconds of both for each round. Both return arrays that belong to the caller.
"""

import gc
import os
import sys
import time

import draw
import loaderx.zrecord
import numpy as np
import penstock
from loaderx import Allocator

WARM_UPS = 10
APPENDED_AT_ONCE = 2000


def write(folder, record_count, record_size):
    """Writes the same random records to both."""
    random = np.random.default_rng(7)
    fields = {"value": {"dtype": "u1", "shape": [record_size], "compress": "raw"}}
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "loaderx")
    with (
        penstock.Store(ours, mode="w", fields=fields) as store,
        loaderx.zrecord.DenseWriter(theirs, "uint8", (record_size,), codec="raw") as writer,
    ):
        for _ in range(0, record_count, APPENDED_AT_ONCE):
            rows = random.integers(0, 256, (APPENDED_AT_ONCE, record_size), np.uint8)
            store.extend({"value": rows})
            writer.append(rows)
    return ours, theirs


def timed(gather, batches):
    start = time.perf_counter_ns()
    for batch in batches:
        gather(batch)
    return time.perf_counter_ns() - start


def main():
    folder = sys.argv[1]
    record_count, record_size, batch_count, batch_size, rounds = map(int, sys.argv[2:])
    ours, theirs = write(folder, record_count, record_size)
    column = penstock.Store(ours)["value"]
    with loaderx.zrecord.DenseStore(theirs) as store, Allocator("cpu") as allocator:
        view = store.bind(allocator)

        def gather_ours(indices):
            return column[indices]

        def gather_theirs(indices):
            return np.from_dlpack(view[indices])

        first = draw.batches(1, batch_size, record_count, 1)[0]
        if not np.array_equal(gather_ours(first), gather_theirs(first)):
            raise SystemExit("the two return different records")
        gc.disable()
        for number in range(-WARM_UPS, rounds):
            batches = draw.batches(batch_count, batch_size, record_count, number + 1000)
            nanos = timed(gather_ours, batches), timed(gather_theirs, batches)
            gc.collect()
            if number >= 0:
                print(*nanos, flush=True)


main()
