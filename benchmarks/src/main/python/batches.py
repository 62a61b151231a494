# SPDX-License-Identifier: Apache-2.0
"""Reads random batches of a file by a given method.

batches.py FILE penstock|others [DATASET], then on stdin lines of
  run WAY BATCHES BATCH_SIZE SEED   answers the nanoseconds of each batch, for a loader their mean
  sum WAY BATCHES BATCH_SIZE SEED   answers the CRC-32 of all records, one after another

DATASET has the records of FILE in another format, which penstock reads.

A process measures either penstock, with a Java runtime, or all other libraries. PyTorch forks its
workers, and the Java runtime must not affect the times of the others.
"""

import gc
import sys
import zlib

import draw
import files


def find(file, whose, dataset):
    if whose == "penstock":
        import ways_penstock

        return ways_penstock.Ways(file, dataset)
    import ways_others

    return ways_others.Ways(file)


def checksum(way, file, batches):
    crc = 0
    for value in way.in_order(batches):
        crc = zlib.crc32(file.bytes_of(value), crc)
    return crc


def main():
    path, whose, *dataset = sys.argv[1:]
    file = files.open_file(path)
    ways = find(file, whose, dataset[0] if dataset else path)
    made, warm = {}, set()
    gc.disable()
    print("ready", flush=True)
    for line in sys.stdin:
        verb, name, batch_count, batch_size, seed = line.split()
        batch_count, batch_size = int(batch_count), int(batch_size)
        key = name, batch_size
        if key not in made:
            made[key] = getattr(ways, name.replace("-", "_"))(batch_size)
        batches = draw.batches(batch_count, batch_size, file.count, int(seed))
        if verb == "run":
            if key not in warm:
                made[key].warm(batches)
                warm.add(key)
            print(*made[key].run(batches), flush=True)
        else:
            print(checksum(made[key], file, batches), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
