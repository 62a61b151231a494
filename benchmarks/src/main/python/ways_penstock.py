# SPDX-License-Identifier: Apache-2.0
"""The methods of penstock."""

import glob
import itertools
import time

import numpy as np
import penstock
from ways import Call, Stream

# The loader prefetches at most this number of batches.
AHEAD = 64


def await_fill():
    """Waits until the library's background thread has made the file resident."""

    def is_filling():
        for path in glob.glob("/proc/self/task/*/comm"):
            try:
                with open(path) as name:
                    if name.read().strip() == "penstock-fill":
                        return True
            except OSError:
                pass
        return False

    # A thread gets its name only some time after its start.
    time.sleep(0.3)
    while is_filling():
        time.sleep(0.01)


class Ways:
    def __init__(self, file, dataset):
        self.file = file
        self.dataset = penstock.open(dataset)
        self.dataset.prepare()
        await_fill()

    def take_out(self, batch_size):
        out = np.zeros(batch_size, self.dataset.dtype)
        take = self.dataset.take
        return Call(lambda indices: take(indices, out=out))

    def index(self, _):
        return Call(self.dataset.__getitem__)

    def take_ragged(self, _):
        take = self.dataset.take
        return Call(lambda indices: take(indices, ragged=True))

    def loader(self, batch_size):
        return self._loader(batch_size)

    def loader_1_thread(self, batch_size):
        return self._loader(batch_size, threads=1)

    def loader_touch(self, batch_size):
        return self._loader(batch_size, is_touching=True)

    def loader_torch(self, batch_size):
        return self._loader(batch_size, to="torch")

    def loader_ragged(self, batch_size):
        return self._loader(batch_size, ragged=True)

    def loader_ragged_1_thread(self, batch_size):
        return self._loader(batch_size, ragged=True, threads=1)

    def loader_ragged_touch(self, batch_size):
        return self._loader(batch_size, ragged=True, is_touching=True)

    def _loader(self, batch_size, is_touching=False, **options):
        options.update(rank=0, world_size=1)
        loader = penstock.Loader(self.dataset, batch_size, drop_last=True, **options)
        self._require_right(loader)

        def in_order(batches):
            chosen = self.dataset.select(np.concatenate(batches))
            return penstock.Loader(chosen, batch_size, shuffle=False, **options)

        endless = itertools.chain.from_iterable(itertools.repeat(loader))
        return Stream(endless, in_order, AHEAD, self.file.touch if is_touching else None)

    def _require_right(self, loader):
        """Checks the bytes of the timed loader, whose order differs from the other methods'
        batches."""
        batch = next(iter(loader))
        if self.file.bytes_of(batch) != self.file.bytes_at(loader.place.indices):
            raise AssertionError("the loader's batch is not of the records it names")
