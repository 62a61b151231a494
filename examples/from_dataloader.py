# SPDX-License-Identifier: Apache-2.0
"""A project for PyTorch's `DataLoader`, moved over: it is killed and resumes with the same losses.

  python examples/from_dataloader.py --folder a --original   # as it was, with DataLoader
  python examples/from_dataloader.py --folder b              # moved over
  python examples/from_dataloader.py --folder c --die-at 25  # kills itself after step 25
  python examples/from_dataloader.py --folder c --workers 2  # resumes: the same losses as b

It trains a small network to tell shapes apart, on a folder of JPEG files. The class `Shapes` is
that of the project: it decodes a file and augments it at random. Only the lines that make the
loader have changed, and the checkpoint has one more entry. A line shows a step, its loss, and a
digest of the samples that were in its batch. It makes its own files, and needs Pillow.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch.utils.data import DataLoader, Dataset

import penstock

CLASSES = ("box", "circle", "cross")
SIZE = 32


class Shapes(Dataset):
    """Pictures in a folder for each class, as tensors, flipped and moved at random."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*/*.jpg"))

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int, int]:
        file = self.files[index]
        with Image.open(file) as image:
            pixels = np.asarray(image.convert("L"), np.float32) / 255
        if random.random() < 0.5:
            pixels = pixels[:, ::-1]
        pixels = np.roll(pixels, np.random.randint(-3, 4, 2), (0, 1))
        noise = 0.05 * torch.randn(1, SIZE, SIZE)
        label = CLASSES.index(file.parent.name)
        return torch.from_numpy(np.ascontiguousarray(pixels))[None] + noise, label, index


def make_files(folder: Path, count: int) -> None:
    """Draws the pictures. The folder appears when it is complete."""
    fresh, chance = folder.with_suffix(".new"), np.random.default_rng(1)
    for number in range(count):
        name = CLASSES[number % len(CLASSES)]
        image = Image.new("L", (SIZE, SIZE), int(chance.integers(0, 60)))
        x, y, r = (int(one) for one in chance.integers((10, 10, 4), (22, 22, 9)))
        shade, draw = int(chance.integers(120, 255)), ImageDraw.Draw(image)
        if name == "box":
            draw.rectangle((x - r, y - r, x + r, y + r), fill=shade)
        elif name == "circle":
            draw.ellipse((x - r, y - r, x + r, y + r), fill=shade)
        else:
            draw.line((x - r, y - r, x + r, y + r), shade, 2)
            draw.line((x - r, y + r, x + r, y - r), shade, 2)
        (fresh / name).mkdir(parents=True, exist_ok=True)
        image.save(fresh / name / f"{number:05}.jpg", quality=90)
    os.replace(fresh, folder)


def make_loader(options: argparse.Namespace) -> DataLoader | penstock.Loader:
    shapes = Shapes(options.folder / "shapes")
    if options.original:
        return DataLoader(shapes, options.batch, shuffle=True, num_workers=options.workers)
    # The order depends on the seed alone. The generators of random, NumPy and PyTorch are seeded
    # before each sample, so that a sample comes out the same in any process.
    return penstock.Loader(shapes, options.batch, seed=7, seeds=True, num_workers=options.workers)


def save(path: Path, checkpoint: dict[str, object]) -> None:
    """Replaces the checkpoint in one step: a kill leaves the old one or the new one."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def train(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    loader = make_loader(options)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 5, 2), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, 2), torch.nn.ReLU(),
        torch.nn.Flatten(), torch.nn.Linear(8 * 6 * 6, len(CLASSES)),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    parts = {"model": model, "optimizer": optimizer}
    if not options.original:
        parts["loader"] = loader
    step, path = 0, options.folder / "checkpoint.pt"
    if path.exists():
        checkpoint = torch.load(path)
        step = checkpoint["step"]
        for name, part in parts.items():
            part.load_state_dict(checkpoint[name])

    while step < options.steps:
        for pixels, labels, indices in loader:
            loss = torch.nn.functional.cross_entropy(model(pixels), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            samples = hashlib.sha256(indices.numpy().tobytes()).hexdigest()[:12]
            # Nine digits distinguish any two float32 losses.
            print(f"step {step:4} loss {loss.item():.9g} samples {samples}", flush=True)
            if step == options.die_at:
                os.kill(os.getpid(), signal.SIGKILL)
            if step % options.every == 0:
                save(
                    path, {"step": step, **{name: one.state_dict() for name, one in parts.items()}}
                )
            if step == options.steps:
                break


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path("from_dataloader"), help="of the files")
    parser.add_argument("--original", action="store_true", help="use DataLoader, as it was")
    parser.add_argument("--files", type=int, default=600, help="how many pictures to draw")
    parser.add_argument("--steps", type=int, default=60, help="how many in all")
    parser.add_argument("--batch", type=int, default=32, help="samples of a step")
    parser.add_argument("--every", type=int, default=10, help="steps between checkpoints")
    parser.add_argument("--workers", type=int, default=0, help="worker processes")
    parser.add_argument("--die-at", type=int, help="kill the process after this step")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not (options.folder / "shapes").exists():
        make_files(options.folder / "shapes", options.files)
    train(options)


if __name__ == "__main__":
    main()
