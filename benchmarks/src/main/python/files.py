# SPDX-License-Identifier: Apache-2.0
"""Reads the benchmark's files without penstock, and compares batches."""

import functools
import mmap

import numpy as np

POPULATE_READ = 22

# The layout as the format's documentation describes it.
PACK_ENTRY = np.dtype(
    [("offset", "<u8"), ("size", "<u4"), ("kind", "<u2"), ("flags", "<u2"), ("rest", "V16")]
)
PACK_COUNT_OFFSET = 16
PACK_HEADER_SIZE = 28


def open_file(path):
    return Table(path) if path.endswith(".npy") else Pack(path)


def make_resident(mapped):
    """Loads the whole file into memory and the page table, in huge pages if the system has them."""
    mapped.madvise(mmap.MADV_HUGEPAGE)
    mapped.madvise(POPULATE_READ)


class Table:
    """Rows of fields. A table of one field is also an array of two dimensions."""

    def __init__(self, path):
        self.path = path
        self.mapped = np.load(path, mmap_mode="r")
        self.dtype = self.mapped.dtype
        self.names = self.dtype.names
        self.count = len(self.mapped)

    @staticmethod
    def _array(rows):
        names = rows.dtype.names
        return rows if len(names) > 1 else rows[names[0]]

    @functools.cached_property
    def resident(self):
        """Returns the rows as a resident array: a mapping without further page faults."""
        mapped = np.load(self.path, mmap_mode="r")
        make_resident(mapped._mmap)
        return self._array(np.asarray(mapped))

    @functools.cached_property
    def memmap(self):
        """Returns the array of np.load(mmap_mode='r') after every page was read once."""
        mapped = np.load(self.path, mmap_mode="r")
        mapped._mmap.madvise(POPULATE_READ)
        return self._array(mapped)

    def bytes_at(self, indices):
        return self.mapped[indices].tobytes()

    def bytes_of(self, batch):
        """Returns the bytes of a batch's rows. The batch may hold rows or columns."""
        if not isinstance(batch, dict):
            return np.asarray(batch).tobytes()
        rows = np.empty(len(batch[self.names[0]]), self.dtype)
        for name, column in batch.items():
            rows[name] = np.asarray(column)
        return rows.tobytes()

    def touch(self, batch):
        """Reads a byte of every record."""
        column = batch["move" if "move" in batch else self.names[0]]
        return (column if column.ndim == 1 else column[:, 0]).max()


class Pack:
    """Records of different sizes."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.count = int.from_bytes(
            self.mapped[PACK_COUNT_OFFSET : PACK_COUNT_OFFSET + 8], "little"
        )
        entries = np.frombuffer(self.mapped, PACK_ENTRY, self.count, PACK_HEADER_SIZE)
        self.starts = entries["offset"].astype(np.int64)
        self.ends = self.starts + entries["size"]

    def records(self, indices):
        """Returns a list of bytes by the fastest method of plain Python."""
        mapped = self.mapped
        starts, ends = self.starts[indices].tolist(), self.ends[indices].tolist()
        return [mapped[start:end] for start, end in zip(starts, ends, strict=True)]

    def bytes_at(self, indices):
        return b"".join(self.records(indices))

    def bytes_of(self, batch):
        """Returns the bytes of a batch's records. The batch may be a list, or all bytes with
        offsets."""
        if hasattr(batch, "values"):
            return np.asarray(batch.values).tobytes()
        if isinstance(batch, tuple):
            return np.asarray(batch[0]).tobytes()
        return b"".join(batch)

    def touch(self, batch):
        """Reads a byte of every record."""
        if hasattr(batch, "values"):
            return batch.values[batch.offsets[:-1]].max()
        if isinstance(batch, tuple):
            return batch[0][batch[1][:-1]].max()
        return max(record[0] for record in batch)
