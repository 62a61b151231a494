# SPDX-License-Identifier: Apache-2.0
"""What NumPy makes of activation shards: prints megabytes written a second, best of five."""

import pathlib
import sys
import time

import numpy as np


def rows(folder, width):
    file = sorted(pathlib.Path(folder).glob("*.shard"))[0]
    array = np.memmap(file, "<f4", "r", offset=32)
    return array.reshape(-1, width)


def best(work, bytes_written):
    work()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return bytes_written / min(times) / 1e6


part, data = sys.argv[1:]
if part == "stream":
    for width in (512, 2048):
        source = rows(f"{data}/shards-{width}-f32", width)
        target = np.empty((1024, width), np.float64)

        def copy():
            for start in range(0, len(source), 1024):
                block = source[start : start + 1024]
                np.copyto(target[: len(block)], block)

        speed = best(copy, source.size * 8)
        print(f"NumPy copyto f32 to f64, width {width}: {speed:.0f} MB/s written")
else:
    source = rows(f"{data}/shards-2048-f32", 2048)
    ids = np.random.default_rng(2).integers(0, len(source), 1024)
    taken = np.empty((1024, 2048), np.float32)
    wide = np.empty((1024, 2048), np.float64)

    def gather():
        for _ in range(20):
            np.take(source, ids, axis=0, out=taken, mode="clip")
            np.copyto(wide, taken)

    print(f"NumPy take and copyto, 1024 of 2048: {best(gather, 20 * wide.nbytes):.0f} MB/s written")
