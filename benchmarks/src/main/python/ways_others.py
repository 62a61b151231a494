# SPDX-License-Identifier: Apache-2.0
"""NumPy, plain Python, LMDB and PyTorch."""

import os

import files
import numpy as np
from ways import Call

LMDB_SIZE_MAX = 8 << 30


class Ways:
    """Methods of other libraries. Imports and files are made on first use."""

    def __init__(self, file):
        self.file = file
        if isinstance(file, files.Pack):
            files.make_resident(file.mapped)
        self.store = None

    # Tables.

    def np_take(self, batch_size):
        """NumPy's fastest method."""
        array = self.file.resident
        out = np.zeros((batch_size, *array.shape[1:]), array.dtype)
        return Call(lambda indices: np.take(array, indices, axis=0, out=out, mode="clip"))

    def arr_take(self, _):
        array = self.file.resident
        return Call(lambda indices: array.take(indices, axis=0))

    def arr_index(self, _):
        """The usual expression: an array indexed by an array."""
        array = self.file.resident
        return Call(lambda indices: array[indices])

    def memmap_index(self, _):
        mapped = self.file.memmap
        return Call(lambda indices: mapped[indices])

    # Packs.

    def mmap(self, _):
        return Call(self.file.records)

    def pread(self, _):
        starts, sizes = self.file.starts, self.file.ends - self.file.starts
        descriptor = os.open(self.file.path, os.O_RDONLY)
        read = os.pread

        def gather(indices):
            places = zip(sizes[indices].tolist(), starts[indices].tolist(), strict=True)
            return [read(descriptor, size, start) for size, start in places]

        return Call(gather)

    def lmdb_get(self, _):
        get = self._open_lmdb().begin().get
        return Call(lambda indices: [get(key) for key in _keys(indices)])

    def lmdb_getmulti(self, _):
        cursor = self._open_lmdb().begin().cursor()
        return Call(lambda indices: _values(cursor, _keys(indices)))

    def _open_lmdb(self):
        """Opens the LMDB environment, which a process may open only once."""
        if self.store is None:
            self.store = self._make_lmdb(self.file.path + ".lmdb")
        return self.store

    def _make_lmdb(self, path):
        """Writes the same records with their numbers as keys, once."""
        import lmdb

        store = lmdb.open(path, subdir=False, map_size=LMDB_SIZE_MAX, sync=False)
        if store.stat()["entries"] != self.file.count:
            with store.begin(write=True) as transaction:
                transaction.drop(store.open_db(), delete=False)
                for start in range(0, self.file.count, 1024):
                    chunk = np.arange(start, min(start + 1024, self.file.count))
                    for key, record in zip(_keys(chunk), self.file.records(chunk), strict=True):
                        transaction.put(key, record, append=True)
        store.close()
        store = lmdb.open(path, subdir=False, readonly=True, lock=False, readahead=False)
        with store.begin(buffers=True) as transaction:
            # Loads every page into the page table, as for the other methods.
            sum(value[0] for value in transaction.cursor().iternext(keys=False, values=True))
        return store

    # PyTorch.

    def __getattr__(self, name):
        import ways_torch

        return getattr(ways_torch.Ways(self.file), name)


def _keys(indices):
    """Returns numbers as big-endian keys, whose bytes sort in numeric order."""
    raw = indices.astype(">u8").tobytes()
    return [raw[at : at + 8] for at in range(0, len(raw), 8)]


def _values(cursor, keys):
    return [value for _, value in cursor.getmulti(keys)]
