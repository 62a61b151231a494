# SPDX-License-Identifier: Apache-2.0
"""Compares loaders over the same map-style dataset with DataLoader: rows of an array, JPEG files that
Pillow decodes, and the start of an epoch. The loaders take turns in one process.

objects.py ROUNDS prints a line for each case, in the format of rounds.py.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import penstock
import rounds
from rounds import endless, micros

ROUNDS = int(sys.argv[1])
WORKERS = 2


class Rows:
    def __init__(self, count, size):
        self.rows = np.random.default_rng(1).random((count, size // 4), dtype=np.float32)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Files:
    def __init__(self, folder):
        self.files = sorted(map(str, Path(folder).glob("*.jpg")))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        from PIL import Image

        return np.array(Image.open(self.files[index]).convert("RGB")), index


class Many:
    def __len__(self):
        return 10_000_000

    def __getitem__(self, index):
        return index


def compare(name, dataset, batch_size, count):
    """Threads and processes of a Loader, each beside the same number of DataLoader's workers."""
    import torch
    from torch.utils.data import DataLoader

    options = {"shuffle": True, "num_workers": WORKERS, "persistent_workers": True}
    theirs = endless(DataLoader(dataset, batch_size, **options))
    label = f"DataLoader of PyTorch {torch.__version__.partition('+')[0]}, {WORKERS} workers"
    for kind in ("thread", "process"):
        with penstock.Loader(dataset, batch_size, workers=WORKERS, worker_type=kind) as loader:
            ours = endless(loader)
            rounds.compare(
                f"objects-{name}-{kind}",
                label,
                lambda batches=ours: micros(batches, count),
                lambda: micros(theirs, count),
                ROUNDS,
                f"a batch of {batch_size}",
            )


def milliseconds(work):
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) * 1e3


def starts():
    """The first batch of an epoch of 10 million samples, and the first one after a resume."""
    from torch.utils.data import DataLoader

    dataset = Many()
    loader = penstock.Loader(dataset, 256)
    next(iter(loader))
    state = {**loader.state_dict(), "delivered": 5_000_000}

    def resumed():
        with penstock.Loader(dataset, 256) as later:
            later.load_state_dict(state)
            next(iter(later))

    def usual():
        next(iter(DataLoader(dataset, 256, shuffle=True)))

    ways = {"epoch-start": lambda: next(iter(loader)), "resume-at-the-middle": resumed}
    for name, ours in ways.items():
        times = ([], [])
        for turn in range(min(ROUNDS, 5) + 2):
            for side, work in enumerate((ours, usual)):
                taken = milliseconds(work)
                if turn > 1:
                    times[side].append(taken)
        rounds.tell(f"objects-{name}", "DataLoader, first batch of an epoch", *times, unit="ms")


def main():
    compare("rows-32", Rows(1_000_000, 32), 256, 300)
    compare("rows-2048", Rows(100_000, 2048), 256, 200)
    starts()
    if importlib.util.find_spec("PIL") is not None:
        from PIL import Image

        chance = np.random.default_rng(1)
        with tempfile.TemporaryDirectory(prefix="penstock-objects-") as folder:
            for number in range(2048):
                pixels = np.kron(chance.integers(0, 255, (8, 8, 3), np.uint8), np.ones((8, 8, 1), np.uint8))
                Image.fromarray(pixels).save(f"{folder}/{number:05}.jpg", quality=85)
            compare("jpeg-64", Files(folder), 64, 16)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is not None:
        import torch  # noqa: F401

        main()
