# SPDX-License-Identifier: Apache-2.0
"""Gathers random rows of a file with NumPy.

gather.py FILE resident|plain|random, then on stdin lines of
  run OPERATION BATCHES BATCH_SIZE SEED   answers the nanoseconds of each batch
  sum OPERATION BATCHES BATCH_SIZE SEED   answers the CRC-32 of all gathered bytes

`resident` loads the file into memory first; `plain` is the unchanged mapping of np.load; `random`
is the same mapping with the advice that accesses are random.
Operations that end in `:NAME,NAME` take these fields alone.
"""

import gc
import mmap
import sys
import time
import zlib

import draw
import numpy as np

POPULATE_READ = 22


class Operations:
    """Each method returns a function that takes a batch's indices and returns a list of arrays."""

    def __init__(self, rows, batch_size):
        self.rows = rows
        self.batch_size = batch_size

    def find(self, name):
        verb, _, fields = name.partition(":")
        self.names = fields.split(",") if fields else list(self.rows.dtype.names or ())
        return getattr(self, verb.replace("-", "_"))()

    def take(self):
        """NumPy's fastest method for whole rows."""
        out = np.frombuffer(bytearray(self.batch_size * self.rows.itemsize), self.rows.dtype)
        rows = self.rows
        return lambda index: [np.take(rows, index, axis=0, out=out, mode="clip")]

    def index(self):
        """The usual expression: an array indexed by an array."""
        rows = self.rows
        return lambda index: [rows[index]]

    def fields_take(self):
        """np.take of each field, which copies the field of all rows to have it in one piece."""
        views = [self.rows[name] for name in self.names]
        return lambda index: [np.take(view, index, axis=0) for view in views]

    def fields_index(self):
        """Each field by an index."""
        views = [self.rows[name] for name in self.names]
        return lambda index: [view[index] for view in views]

    def fields_packed(self):
        """Whole rows by the fastest way, then each field out of them, into arrays used again."""
        out = np.zeros(self.batch_size, self.rows.dtype)
        pairs = [(np.ascontiguousarray(out[name]), out[name]) for name in self.names]
        columns = [column for column, _ in pairs]
        rows = self.rows

        def gather(index):
            np.take(rows, index, out=out, mode="clip")
            for column, view in pairs:
                np.copyto(column, view)
            return columns

        return gather


def run(gather, batches):
    nanos = []
    for batch in batches:
        start = time.perf_counter_ns()
        gather(batch)
        nanos.append(time.perf_counter_ns() - start)
    return " ".join(map(str, nanos))


def checksum(gather, batches):
    crc = 0
    for batch in batches:
        for array in gather(batch):
            crc = zlib.crc32(np.ascontiguousarray(array).view(np.uint8), crc)
    return crc


def main():
    path, how = sys.argv[1:]
    mapped = np.load(path, mmap_mode="r")
    if how == "resident":
        mapped._mmap.madvise(mmap.MADV_HUGEPAGE)
        mapped._mmap.madvise(POPULATE_READ)
    elif how == "random":
        mapped._mmap.madvise(mmap.MADV_RANDOM)
    rows = np.asarray(mapped)
    gc.disable()
    print("ready", flush=True)
    for line in sys.stdin:
        verb, operation, batch_count, batch_size, seed = line.split()
        batch_count, batch_size = int(batch_count), int(batch_size)
        gather = Operations(rows, batch_size).find(operation)
        batches = draw.batches(batch_count, batch_size, len(rows), int(seed))
        print((run if verb == "run" else checksum)(gather, batches), flush=True)
        gc.collect()


main()
