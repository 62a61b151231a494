# SPDX-License-Identifier: Apache-2.0
"""Compares work on batches with the usual methods: token windows, packed documents, decoded images,
and short epochs. The methods take turns in one process.

work.py ROUNDS prints a line for each case, in the format of rounds.py.
"""

from __future__ import annotations

import importlib.util
import io
import sys
import tempfile
from pathlib import Path

import numpy as np
import penstock
import rounds
from rounds import endless, micros

ROUNDS = int(sys.argv[1])
# Removed when the process ends.
TEMPORARY = tempfile.TemporaryDirectory(prefix="penstock-work-")
FOLDER = Path(TEMPORARY.name)
HAS_TORCH = importlib.util.find_spec("torch") is not None


def compare(name, floor, ours, others, count, remark=""):
    rounds.compare(name, floor, lambda: micros(ours, count), lambda: micros(others, count), ROUNDS, remark)


def windows():
    """Batches of 64 rows of 1,025 tokens out of 200 MB, shuffled; as tensors of int64."""
    import torch

    file = FOLDER / "train.bin"
    np.random.default_rng(1).integers(0, 50_000, 100_000_000).astype("<u2").tofile(file)
    data = np.memmap(file, np.uint16, "r")

    def usual():
        while True:
            starts = torch.randint(len(data) - 1025, (64,))
            yield torch.stack([torch.from_numpy(data[i : i + 1025].astype(np.int64)) for i in starts])

    rows = penstock.windows(penstock.open(file, dtype="<u2"), length=1025, stride=1024)
    plain = penstock.Loader(rows, 64, to="torch", drop_last=True)
    wide = penstock.transforms.Convert(np.int64)
    converted = penstock.Loader(rows, 64, to="torch", drop_last=True, transform=wide)
    for batches in (usual(), endless(plain), endless(converted)):
        micros(batches, 300)
    label = "np.memmap loop and torch.stack, int64"
    compare("windows-int64", label, endless(converted), usual(), 300)
    compare("windows-uint16", label, endless(plain), usual(), 300)


def pack_with_numpy(texts, length):
    """First-fit decreasing, with the copies by NumPy."""
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    used, rows = [], []
    for i in order:
        for row, taken in enumerate(used):
            if taken + len(texts[i]) <= length:
                break
        else:
            row = len(used)
            used.append(0)
            rows.append(np.zeros((3, length), np.int32))
        at, size = used[row], len(texts[i])
        rows[row][0, at : at + size] = texts[i]
        rows[row][1, at : at + size] = i + 1
        rows[row][2, at : at + size] = np.arange(size)
        used[row] += size
    whole = np.stack(rows)
    return whole, whole[:, 1] > 0


def pack_with_python(texts, length):
    """The same, token by token."""
    rows = []
    for i, text in enumerate(sorted(texts, key=len, reverse=True)):
        for row in rows:
            if len(row[0]) + len(text) <= length:
                break
        else:
            row = ([], [], [])
            rows.append(row)
        for position, token in enumerate(text.tolist()):
            row[0].append(token)
            row[1].append(i + 1)
            row[2].append(position)
    parts = [[part + [0] * (length - len(part)) for part in row] for row in rows]
    return np.array(parts, np.int32)


def packing():
    random = np.random.default_rng(2)
    sizes = np.clip(random.lognormal(5.5, 0.9, 20_000), 1, 2048).astype(int)
    texts = [random.integers(1, 50_000, n).astype("<u2") for n in sizes]
    penstock.write(FOLDER / "texts.a2pack", texts)
    ds = penstock.open(FOLDER / "texts.a2pack")
    waste = {}
    for order in ("best_fit", "in_order"):
        pack = penstock.transforms.PackTokens(length=2048, dtype="<u2", order=order)
        with penstock.Loader(ds, 256, transform=pack) as loader:
            masks = [batch["value_mask"].mean() for batch in loader]
        waste[order] = 1 - float(np.mean(masks))
    remark = ", ".join(f"{order} wastes {part:.1%}" for order, part in waste.items())
    pack = penstock.transforms.PackTokens(length=2048, dtype="<u2")
    loader = penstock.Loader(ds, 256, transform=pack, drop_last=True)

    def by_hand(function):
        for records in endless(penstock.Loader(ds, 256, drop_last=True)):
            yield function([np.frombuffer(record, "<u2") for record in records], 2048)

    compare("pack-tokens", "NumPy", endless(loader), by_hand(pack_with_numpy), 20, remark)
    compare("pack-tokens", "a Python loop", endless(loader), by_hand(pack_with_python), 4)


def epochs():
    """Epochs of 10 batches beside one long epoch of the same batches."""
    penstock.write(FOLDER / "short.npy", np.zeros((2560, 2048), np.uint8))
    penstock.write(FOLDER / "long.npy", np.zeros((256_000, 2048), np.uint8))
    short = penstock.Loader(penstock.open(FOLDER / "short.npy"), 256)
    long = penstock.Loader(penstock.open(FOLDER / "long.npy"), 256)
    compare("epochs-of-10-batches", "one epoch of 1,000", endless(short), endless(long), 400)


class Files:
    """The usual PyTorch dataset, which decodes one record for each index."""

    def __init__(self, records, decode):
        self.records, self.decode = records, decode

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        return self.decode(self.records[i])


def images():
    from PIL import Image
    from torch.utils.data import DataLoader

    random = np.random.default_rng(3)
    noise = random.normal(0, 12, (375, 500, 3))
    rows, columns = np.mgrid[0:375, 0:500]
    records = []
    for i in range(512):
        pixels = np.stack([rows / 2 + i % 50, columns / 3, (rows + columns) / 4], -1) + noise
        file = io.BytesIO()
        Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=90)
        records.append(file.getvalue())
    penstock.write(FOLDER / "images.a2pack", records)
    decode = penstock.transforms.decode_image(size=224)
    ds = penstock.open(FOLDER / "images.a2pack")
    ours = penstock.Loader(ds, 64, to="torch", transform=decode, workers=2)
    ways = {
        "images-2-workers": (decode, f"DataLoader, 2 workers, by decode_image with {decode.library}"),
        "images-2-workers-usual": (usual_decode, f"DataLoader, 2 workers, {usual_decode.__doc__}"),
    }
    for name, (function, label) in ways.items():
        theirs = DataLoader(Files(records, function), 64, shuffle=True, num_workers=2, persistent_workers=True)
        compare(name, label, endless(ours), endless(theirs), 8)
        if name == "images-2-workers":
            processes = penstock.Loader(ds, 64, to="torch", transform=decode, workers=2, worker_type="process")
            compare("images-2-processes", label, endless(processes), endless(theirs), 8)
            processes.close()


def usual_decode(data):
    """decode, resize and np.array as usually written"""
    from PIL import Image

    if importlib.util.find_spec("simplejpeg") is None:
        image = Image.open(io.BytesIO(data)).convert("RGB")
    else:
        import simplejpeg

        image = Image.fromarray(simplejpeg.decode_jpeg(data))
    return np.array(image.resize((224, 224), Image.Resampling.BILINEAR))


if __name__ == "__main__":
    packing()
    epochs()
    if HAS_TORCH:
        windows()
        if importlib.util.find_spec("PIL") is not None:
            images()
