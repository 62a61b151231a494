# SPDX-License-Identifier: Apache-2.0
"""PyTorch's DataLoader, as it is usually written and as well as it can be.

`usual` is a dataset with `__getitem__` and the default collate function. The others are written by
hand: a dataset with `__getitems__` that makes the whole batch, a collate function that passes it
on, and batches of indices as arrays.
"""

import warnings

import files
import numpy as np
import torch
from torch.utils.data import DataLoader, RandomSampler
from ways import Stream

PREFETCH_FACTOR = 2
ENDLESS = 1 << 40

# PyTorch warns in each process that wraps a read-only row. The benchmark never writes to one.
warnings.filterwarnings("ignore", "The given NumPy array is not writable")


def signed(dtype):
    """Returns the signed integer type of the same size, which every version of PyTorch has."""

    def one(field):
        base, shape = field.base, field.shape
        is_wide = base.kind == "u" and base.itemsize > 1
        return (base.str.replace("u", "i") if is_wide else base.str), shape

    return np.dtype([(name, *one(dtype[name])) for name in dtype.names])


class UsualRows:
    """A dictionary for each row, or an array where there is one field."""

    def __init__(self, file):
        mapped = file.memmap
        self.names = file.names
        self.rows = mapped if mapped.dtype.names is None else mapped.view(signed(file.dtype))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        if self.rows.dtype.names is None:
            return {self.names[0]: np.array(row)}
        return {name: row[name] for name in self.names}


class UsualRecords:
    """The bytes of a record."""

    def __init__(self, file):
        self.file = file

    def __len__(self):
        return self.file.count

    def __getitem__(self, index):
        return self.file.mapped[self.file.starts[index] : self.file.ends[index]]


class UsualTensors(UsualRecords):
    """A record as a tensor; the default collate function does not join tensors of unlike sizes."""

    def __getitem__(self, index):
        return torch.frombuffer(bytearray(super().__getitem__(index)), dtype=torch.uint8)


class Rows:
    """Columns: NumPy's fastest method reads whole rows, and then copies each field."""

    def __init__(self, file):
        array = file.resident
        self.names = file.names
        self.array = array if array.dtype.names is None else array.view(signed(file.dtype))

    def __len__(self):
        return len(self.array)

    def taken(self, indices):
        return self.array.take(indices, axis=0, mode="clip")

    def __getitems__(self, indices):
        taken = self.taken(indices)
        if taken.dtype.names is None:
            return {self.names[0]: torch.from_numpy(taken)}
        return {name: torch.from_numpy(np.ascontiguousarray(taken[name])) for name in self.names}


class RowViews(Rows):
    """The same, with columns that are not contiguous and partly not aligned."""

    def __getitems__(self, indices):
        taken = self.taken(indices)
        return {name: torch.from_numpy(taken[name]) for name in self.names}


class Records:
    """A list of bytes."""

    def __init__(self, file):
        self.file = file

    def __len__(self):
        return self.file.count

    def __getitems__(self, indices):
        return self.file.records(indices)


class PackedRecords(Records):
    """All bytes in one tensor with the offsets of the records, which go through shared memory."""

    def __getitems__(self, indices):
        records = self.file.records(indices)
        offsets = np.zeros(len(indices) + 1, np.int64)
        np.cumsum(self.file.ends[indices] - self.file.starts[indices], out=offsets[1:])
        values = torch.frombuffer(bytearray().join(records), dtype=torch.uint8)
        return values, torch.from_numpy(offsets)


class Permutation:
    """Batches of one permutation, over and over: making the next one is not measured."""

    def __init__(self, count, batch_size):
        self.count, self.batch_size = count, batch_size

    def __iter__(self):
        order = np.random.default_rng(1).permutation(self.count)
        while True:
            for start in range(0, self.count - self.batch_size + 1, self.batch_size):
                yield order[start : start + self.batch_size]


def unchanged(batch):
    return batch


def joined(batch):
    return torch.cat(batch), torch.tensor([0, *map(len, batch)]).cumsum(0)


class Ways:
    def __init__(self, file):
        self.file = file
        self.is_table = isinstance(file, files.Table)

    def usual_0(self, batch_size):
        return self._usual(UsualRows if self.is_table else UsualRecords, batch_size, 0)

    def usual_0_tensors(self, batch_size):
        return self._usual(UsualTensors, batch_size, 0, joined)

    def usual_2(self, batch_size):
        return self._usual(UsualRows if self.is_table else UsualRecords, batch_size, 2)

    def getitems_0(self, batch_size):
        return self._by_hand(Rows if self.is_table else Records, batch_size, 0)

    def getitems_0_touch(self, batch_size):
        return self._by_hand(Rows if self.is_table else Records, batch_size, 0, is_touching=True)

    def getitems_0_views(self, batch_size):
        return self._by_hand(RowViews, batch_size, 0)

    def getitems_0_packed(self, batch_size):
        return self._by_hand(PackedRecords, batch_size, 0)

    def getitems_2(self, batch_size):
        return self._by_hand(Rows if self.is_table else PackedRecords, batch_size, 2)

    def getitems_2_touch(self, batch_size):
        kind = Rows if self.is_table else PackedRecords
        return self._by_hand(kind, batch_size, 2, is_touching=True)

    def _usual(self, kind, batch_size, workers, collate=None):
        dataset = kind(self.file)
        options = {"num_workers": workers, "collate_fn": collate}

        def in_order(batches):
            chosen = [batch.tolist() for batch in batches]
            return DataLoader(dataset, batch_sampler=chosen, **options)

        # The sampler of shuffle=True, repeated for ever.
        sampler = RandomSampler(dataset, num_samples=ENDLESS)
        loader = DataLoader(dataset, batch_size, sampler=sampler, **options)
        return Stream(iter(loader), in_order, workers * PREFETCH_FACTOR)

    def _by_hand(self, kind, batch_size, workers, is_touching=False):
        dataset = kind(self.file)

        def loader(batches):
            return DataLoader(
                dataset, batch_sampler=batches, num_workers=workers, collate_fn=unchanged
            )

        endless = iter(loader(Permutation(self.file.count, batch_size)))
        touch = self.file.touch if is_touching else None
        return Stream(endless, loader, workers * PREFETCH_FACTOR, touch)
