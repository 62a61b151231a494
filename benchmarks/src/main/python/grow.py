# SPDX-License-Identifier: Apache-2.0
"""Prints the private memory of a process, in KiB, after some batches of a loader, and after more.

grow.py FILE BATCH_SIZE SOME MORE...
"""

import itertools
import sys

import penstock


def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))


path = sys.argv[1]
batch_size, *counts = map(int, sys.argv[2:])
loader = penstock.Loader(penstock.open(path), batch_size, drop_last=True, rank=0, world_size=1)
batches = itertools.chain.from_iterable(itertools.repeat(loader))
sizes = []
for count in counts:
    for _ in itertools.islice(batches, count):
        pass
    sizes.append(anonymous())
print(*sizes)
