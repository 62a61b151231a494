# SPDX-License-Identifier: Apache-2.0
"""How much memory of its own a process has after some batches of a loader, and after many; in KiB.

grow.py FILE BATCH_SIZE SOME MANY
"""

import itertools
import sys

import penstock


def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))


path = sys.argv[1]
batch_size, some, many = map(int, sys.argv[2:])
loader = penstock.Loader(penstock.open(path), batch_size, drop_last=True, rank=0, world_size=1)
batches = itertools.chain.from_iterable(itertools.repeat(loader))
for _ in itertools.islice(batches, some):
    pass
before = anonymous()
for _ in itertools.islice(batches, many):
    pass
print(before, anonymous())
