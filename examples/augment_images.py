# SPDX-License-Identifier: Apache-2.0
"""Random augmentation that is the same after an interruption and with any number of workers.

Every record of a batch comes with a 64-bit seed (`seeds=True`) that is made of the loader's seed,
the epoch and the position in the epoch. Augmentation that draws its random numbers from that seed,
as the function `augment` below does, gives the same image at the same place of the same epoch.
Transforms of torchvision draw from PyTorch's generator, which threads share: call
`torch.manual_seed(int(record["seeds"]))` before them, with `workers=0`.

Run it: `python augment_images.py`. It makes its own images, and needs Pillow.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import penstock


def make_images(file: Path, count: int) -> None:
    """Writes a pack of JPEG files."""
    rows, columns = np.mgrid[0:48, 0:64]
    with penstock.PackWriter(file) as pack:
        for i in range(count):
            pixels = np.stack([rows * 5, columns * 4, rows + columns + i], -1).astype(np.uint8)
            encoded = io.BytesIO()
            Image.fromarray(pixels).save(encoded, "JPEG")
            pack.append(encoded.getvalue())


DECODE = penstock.transforms.decode_image("value")


def augment(record: dict[str, Any]) -> Any:
    """Applies a random crop, a random flip and a random brightness."""
    image = DECODE(record)["value"]
    random = np.random.default_rng(int(record["seeds"]))
    top, left = random.integers(0, 16), random.integers(0, 32)
    image = image[top : top + 32, left : left + 32]
    if random.random() < 0.5:
        image = image[:, ::-1]
    return np.clip(image * random.uniform(0.8, 1.2), 0, 255).astype(np.uint8)


def loader(file: Path, workers: int) -> penstock.Loader:
    images = penstock.open(file)
    return penstock.Loader(
        images, batch_size=8, seed=1, map_records=augment, seeds=True, workers=workers
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "images.a2pack"
        make_images(file, 50)
        print(f"decoded by {DECODE.library}")
        with loader(file, workers=0) as whole:
            expected = list(whole)

        with loader(file, workers=2) as interrupted:
            batches = iter(interrupted)
            first = [next(batches) for _ in range(3)]
            state = interrupted.state_dict()
        with loader(file, workers=3) as resumed:
            resumed.load_state_dict(state)
            rest = list(resumed)

        same = all(np.array_equal(a, b) for a, b in zip(expected, first + rest, strict=True))
        print(f"{len(expected)} batches, interrupted after 3: {'same' if same else 'OTHER'} images")
        assert same


if __name__ == "__main__":
    main()
