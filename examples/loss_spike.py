# SPDX-License-Identifier: Apache-2.0
"""Finds the records behind spikes of the loss, leaves them out, and goes on with the training.

  python examples/loss_spike.py --folder run

It writes five shards of points, of which one has a few broken targets, and trains a linear model on
them. The only log is the loss of each step. `culprits` gets from there to the records: which steps
spiked, which records these steps saw, and which of them do not fit. Nothing has to be logged for
that, because the order of a loader is a function. Then the model of the last checkpoint before the
first spike is trained on with all records but those.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

import penstock

ROWS, SHARDS, BATCH, RATE = 20_000, 5, 64, 0.05
POISONED = range(13_000, 13_024)
EVERY = 50


def make_shards(folder: Path) -> None:
    """Writes the points. The fourth shard has targets that are far too large."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(ROWS, 4)).astype(np.float32)
    y = (x @ np.array([1, -2, 3, 0.5], np.float32) + 0.01 * rng.normal(size=ROWS)).astype(
        np.float32
    )
    y[POISONED] += 1000
    for shard, rows in enumerate(np.split(np.arange(ROWS), SHARDS)):
        penstock.write(folder / f"part-{shard}.npy", {"x": x[rows], "y": y[rows]})


def train(dataset: penstock.Dataset, weights: np.ndarray, folder: Path) -> np.ndarray:
    """Trains for an epoch, writes the loss of each step, and a checkpoint every few steps."""
    losses = []
    with penstock.Loader(dataset, BATCH, seed=7) as loader:
        for step, batch in enumerate(loader):
            error = batch["x"] @ weights - batch["y"]
            losses.append(float((error**2).mean()))
            # A clipped gradient: the run survives the broken targets.
            gradient = 2 * batch["x"].T @ error / len(error)
            weights = weights - RATE * gradient / max(1.0, float(np.abs(gradient).max()))
            if step % EVERY == 0:
                state = {"weights": weights.tolist(), "step": step, "data": loader.state_dict()}
                (folder / f"step-{step}.json").write_text(json.dumps(state))
    np.savetxt(folder / "losses.txt", losses)
    return weights


def culprits(folder: Path, dataset: penstock.Dataset) -> tuple[int, np.ndarray]:
    """Returns the first step whose loss is a spike, and the records that do not fit."""
    losses = np.loadtxt(folder / "losses.txt")
    spikes = np.flatnonzero(losses > 100 * np.median(losses[:EVERY]))
    before = json.loads((folder / f"step-{spikes[0] // EVERY * EVERY}.json").read_text())
    with penstock.Loader(dataset, BATCH, seed=7) as loader:
        loader.load_state_dict(before["data"])
        seen = np.unique(np.concatenate([loader.records_of(step, epoch=0) for step in spikes]))
    rows, weights = dataset[seen], np.array(before["weights"])
    error = (rows["x"] @ weights - rows["y"]) ** 2
    return int(spikes[0]), seen[error > 1000 * np.median(error)]


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    folder: Path = parser.parse_args(words).folder
    folder.mkdir(parents=True, exist_ok=True)
    make_shards(folder)
    dataset = penstock.open(str(folder / "part-*.npy"))
    train(dataset, np.zeros(4), folder)
    first, records = culprits(folder, dataset)
    origins = [dataset.origins(int(record))[0] for record in records]
    files = Counter(Path(one.file).name for one in origins)
    print(
        f"the first spike is at step {first}; {len(records)} records do not fit, in {dict(files)}"
    )
    print("they are rows", sorted(one.record for one in origins))
    before = json.loads((folder / f"step-{first // EVERY * EVERY}.json").read_text())
    good = dataset.select(np.setdiff1d(np.arange(len(dataset)), records))
    weights = train(good, np.array(before["weights"]), folder)
    losses = np.loadtxt(folder / "losses.txt")
    print(f"without them the largest loss is {losses.max():.4f}, and the model {weights.round(2)}")


if __name__ == "__main__":
    main()
