# SPDX-License-Identifier: Apache-2.0
"""Trains a small policy for the game 2048 from a steps dataset, with PyTorch on the CPU.

  penstock game2048 runs play --games 200 --output games --depth 1 --seed 7
  penstock game2048 steps build --input games --output steps
  python examples/train_2048.py --dataset steps --folder a                # trains
  python examples/train_2048.py --dataset steps --folder b --die-at 150   # kills itself
  python examples/train_2048.py --dataset steps --folder b                # resumes: the losses of a

Without --dataset it plays games and builds a dataset in its folder first. Whole games are kept for
testing. A line shows a step, its loss, and a digest of the steps that were in its batch.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import torch

import penstock
import penstock.game2048 as a2


def make_dataset(folder: Path) -> Path:
    """Plays games with the command line of the package, and builds a dataset of their steps."""
    dataset, games = folder / "steps", folder / "games"
    if not (dataset / "metadata.db").exists():
        play = f"runs play --games 60 --depth 1 --seed 7 --output {games} --quiet"
        subprocess.run([sys.executable, "-m", "penstock", *play.split()], check=True)
        a2.build_dataset(games, dataset)
    return dataset


def save(path: Path, checkpoint: dict[str, object]) -> None:
    """Puts a checkpoint in place in one step: a kill leaves the old one or the new one."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def features(exponents: torch.Tensor) -> torch.Tensor:
    """Returns the one-hot exponents of the 16 cells."""
    return torch.nn.functional.one_hot(exponents.long(), 16).float().flatten(1)


def accuracy(model: torch.nn.Module, rows: penstock.Dataset) -> float:
    """Returns the share of rows for which the model chooses the recorded move."""
    loader = penstock.Loader(
        rows, batch_size=1024, shuffle=False, transform=a2.Exponents(), to="torch"
    )
    right = total = 0
    with torch.no_grad():
        for batch in loader:
            chosen = model(features(batch["exponents"])).argmax(1)
            right += int((chosen == batch["move"]).sum())
            total += len(chosen)
    return right / max(1, total)


def train(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dataset = a2.Dataset(options.dataset or make_dataset(options.folder))
    training, testing = dataset.rows.split(0.1, seed=1, by="group")
    loader = penstock.Loader(
        training,
        batch_size=options.batch,
        seed=7,
        drop_last=True,
        transform=[a2.Symmetry(seed=3), a2.Exponents()],
        to="torch",
    )
    model = torch.nn.Sequential(torch.nn.Linear(256, 128), torch.nn.ReLU(), torch.nn.Linear(128, 4))
    optimizer = torch.optim.Adam(model.parameters(), 0.002)
    step, path = 0, options.folder / "checkpoint.pt"
    if path.exists():
        checkpoint = torch.load(path)
        step = checkpoint["step"]
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        loader.load_state_dict(checkpoint["loader"])

    while step < options.steps:
        for batch in loader:
            loss = torch.nn.functional.cross_entropy(
                model(features(batch["exponents"])), batch["move"].long()
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            samples = hashlib.sha256(loader.place.indices.tobytes()).hexdigest()[:12]
            # Nine digits distinguish any two float32 losses.
            print(f"step {step:4} loss {loss.item():.9g} samples {samples}", flush=True)
            if step == options.die_at:
                os.kill(os.getpid(), signal.SIGKILL)
            if step % options.every == 0:
                parts = {"model": model, "optimizer": optimizer, "loader": loader}
                save(path, {"step": step, **{k: v.state_dict() for k, v in parts.items()}})
            if step == options.steps:
                break
    print(f"test accuracy {accuracy(model, testing):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", type=Path, help="a steps dataset; made when there is none")
    parser.add_argument("--folder", type=Path, default=Path("train_2048"), help="of the files")
    parser.add_argument("--steps", type=int, default=300, help="how many training steps in all")
    parser.add_argument("--batch", type=int, default=512, help="rows of a training step")
    parser.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    parser.add_argument("--die-at", type=int, help="kill the process after this step")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    train(options)


if __name__ == "__main__":
    main()
