# SPDX-License-Identifier: Apache-2.0
"""Transforms of torchvision whose random choices are the same after an interruption.

Every record of a batch comes with a 64-bit seed (`seeds=True`) that is made of the loader's seed,
the epoch and the position in the epoch. Transforms of torchvision draw from PyTorch's generator, so
the function `augment` below seeds it for each record. All threads of a process share that
generator; the work is therefore done by worker processes, which have one each.

Run it: `python augment_torchvision.py`. It makes its own images, and needs Pillow and torchvision.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import v2

import penstock

DECODE = penstock.transforms.decode_image("value")
TRANSFORM = v2.Compose(
    [
        v2.RandomResizedCrop(32, antialias=True),
        v2.RandomHorizontalFlip(),
        v2.ColorJitter(brightness=0.2, contrast=0.2),
        v2.ToDtype(torch.float32, scale=True),
    ]
)


def augment(record: dict[str, Any]) -> Any:
    """Applies a random crop, flip and change of colours. Returns an array of shape (3, 32, 32)."""
    image = torch.from_numpy(DECODE(record)["value"]).permute(2, 0, 1)
    torch.manual_seed(int(record["seeds"]))
    return TRANSFORM(image).numpy()


def make_images(file: Path, count: int) -> None:
    """Writes a pack of JPEG files."""
    rows, columns = np.mgrid[0:48, 0:64]
    with penstock.PackWriter(file) as pack:
        for i in range(count):
            pixels = np.stack([rows * 5, columns * 4, rows + columns + i], -1).astype(np.uint8)
            encoded = io.BytesIO()
            Image.fromarray(pixels).save(encoded, "JPEG")
            pack.append(encoded.getvalue())


def loader(file: Path, workers: int) -> penstock.Loader:
    return penstock.Loader(
        penstock.open(file),
        batch_size=8,
        seed=1,
        seeds=True,
        map_records=augment,
        to="torch",
        workers=workers,
        worker_type="process" if workers else "thread",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Shows that augmentation resumes exactly.")
    parser.add_argument("--workers", type=int, default=2, help="processes that augment")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "images.a2pack"
        make_images(file, 50)
        # Without workers, the thread that iterates calls the function.
        with loader(file, workers=0) as whole:
            expected = list(whole)

        with loader(file, options.workers) as interrupted:
            batches = iter(interrupted)
            first = [next(batches) for _ in range(3)]
            state = interrupted.state_dict()
        with loader(file, workers=0) as resumed:
            resumed.load_state_dict(state)
            rest = list(resumed)

        same = all(torch.equal(a, b) for a, b in zip(expected, first + rest, strict=True))
        print(f"{len(expected)} batches, interrupted after 3: {'same' if same else 'OTHER'} images")
        assert same


if __name__ == "__main__":
    main()
