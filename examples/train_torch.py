# SPDX-License-Identifier: Apache-2.0
"""Trains a small model with PyTorch, is killed in the middle, and resumes with the same losses.

  python examples/train_torch.py --folder a                 # trains; prints the loss of every step
  python examples/train_torch.py --folder b --die-at 70     # kills itself after step 70
  python examples/train_torch.py --folder b                 # resumes: the same losses as a
  python examples/train_torch.py --folder b --ranks 2       # or in two processes: the same samples

A line shows a step, its loss, and a digest of the samples that were in its batch.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import penstock

ROWS = 20_000


def make_table(path: Path) -> None:
    """Writes a table of points and targets. The file appears when it is complete."""
    x = np.random.default_rng(1).uniform(-1, 1, (ROWS, 4)).astype(np.float32)
    y = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2]
    penstock.write(path, {"x": x, "y": y})


def save(path: Path, checkpoint: dict[str, object]) -> None:
    """Replaces the checkpoint in one step: a kill leaves the old one or the new one."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def total(value: torch.Tensor) -> torch.Tensor:
    """The sum over all ranks."""
    if dist.is_initialized():
        dist.all_reduce(value)
    return value


def digest(indices: np.ndarray) -> str:
    """Returns a digest of the samples of all ranks, independent of their order."""
    parts = [torch.from_numpy(indices)]
    if dist.is_initialized():
        parts = [torch.empty_like(parts[0]) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, torch.from_numpy(indices))
    return hashlib.sha256(torch.cat(parts).sort().values.numpy().tobytes()).hexdigest()[:12]


def train(rank: int, options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if options.ranks > 1:
        meeting = f"file://{options.folder.resolve()}/meeting"
        dist.init_process_group("gloo", meeting, rank=rank, world_size=options.ranks)

    # Every rank opens the same file and gets its own part of each batch.
    loader = penstock.Loader(
        penstock.open(options.folder / "points.npy"),
        batch_size=options.batch // options.ranks,
        rank=rank,
        world_size=options.ranks,
        seed=7,
        drop_last=True,
        to="torch",
    )
    model = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    step, path = 0, options.folder / "checkpoint.pt"
    if path.exists():
        checkpoint = torch.load(path)
        step = checkpoint["step"]
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        # The state does not depend on the ranks, so their number may change.
        loader.load_state_dict(checkpoint["loader"])
    shared = DistributedDataParallel(model) if options.ranks > 1 else model

    while step < options.steps:
        for batch in loader:
            loss = (shared(batch["x"]).squeeze(1) - batch["y"]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            mean = total(loss.detach()).item() / options.ranks
            samples = digest(loader.place.indices)
            if rank == 0:
                # Nine digits distinguish any two float32 losses.
                print(f"step {step:4} loss {mean:.9g} samples {samples}", flush=True)
                if step == options.die_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                if step % options.every == 0:
                    parts = {"model": model, "optimizer": optimizer, "loader": loader}
                    save(path, {"step": step, **{k: v.state_dict() for k, v in parts.items()}})
            if step == options.steps:
                break
    if options.ranks > 1:
        dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path("train_torch"), help="of the files")
    parser.add_argument("--steps", type=int, default=200, help="how many in all")
    parser.add_argument("--batch", type=int, default=256, help="samples of a step, of all ranks")
    parser.add_argument("--every", type=int, default=20, help="steps between checkpoints")
    parser.add_argument("--ranks", type=int, default=1, help="processes that train together")
    parser.add_argument("--die-at", type=int, help="kill the process after this step")
    options = parser.parse_args()
    if options.batch % options.ranks or not 0 < options.batch <= ROWS:
        parser.error(f"--batch must be a multiple of --ranks, and at most {ROWS}")
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "meeting").unlink(missing_ok=True)
    if not (options.folder / "points.npy").exists():
        make_table(options.folder / "points.npy")
    if options.ranks == 1:
        train(0, options)
    else:
        # Spawned and not forked, because penstock's runtime already runs in this process.
        torch.multiprocessing.spawn(train, (options,), nprocs=options.ranks)


if __name__ == "__main__":
    main()
