# SPDX-License-Identifier: Apache-2.0
"""Trains a small sparse autoencoder on activation shards, on the CPU and with NumPy alone. It can
be killed at any moment and resumes exactly where it was.

  python examples/train_sae.py --folder a                 # trains; prints the loss of every step
  python examples/train_sae.py --folder b --die-at 70     # kills itself after step 70
  python examples/train_sae.py --folder b                 # resumes: the same losses as a

The first run makes a corpus of activations in the folder. The loader shuffles them by block, and
centres and scales them with the statistics that are kept beside the shards.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np

import penstock

ROWS, WIDTH, FEATURES = 8_192, 32, 64
Arrays = dict[str, np.ndarray[Any, Any]]


def make_corpus(folder: Path) -> None:
    """Writes rows that are sparse sums of directions. After a kill, the next run continues."""
    rng = np.random.default_rng(1)
    directions = rng.normal(size=(FEATURES, WIDTH))
    with penstock.shards.Writer(folder, WIDTH, shard_rows=1_000, resume=True) as writer:
        for start in range(0, ROWS, 512):
            active = rng.uniform(size=(512, FEATURES)) < 0.05
            rows = (active * rng.uniform(0.5, 2, (512, FEATURES))) @ directions + 3
            # Rows that are on disk are drawn again, to bring the random generator to the same
            # state.
            writer.append(rows[max(0, writer.next_row - start) :])


def fresh_model() -> Arrays:
    rng = np.random.default_rng(2)
    decoder = rng.normal(size=(FEATURES, WIDTH))
    decoder /= np.linalg.norm(decoder, axis=1, keepdims=True)
    model = {
        "encoder": decoder.T.copy(),
        "encoder_bias": np.zeros(FEATURES),
        "decoder": decoder,
        "decoder_bias": np.zeros(WIDTH),
    }
    moments = {f"{kind}_{name}": np.zeros_like(model[name]) for kind in "mv" for name in model}
    return {**model, **moments, "step": np.zeros((), np.int64)}


def train_step(model: Arrays, rows: np.ndarray[Any, Any], sparsity: float, rate: float) -> float:
    """One step of Adam on the squared error and the sum of the activities."""
    centred = rows - model["decoder_bias"]
    hidden = np.maximum(centred @ model["encoder"] + model["encoder_bias"], 0)
    error = hidden @ model["decoder"] + model["decoder_bias"] - rows
    loss = float((error**2).sum(axis=1).mean() + sparsity * hidden.sum(axis=1).mean())
    error *= 2 / len(rows)
    below = (error @ model["decoder"].T + sparsity / len(rows)) * (hidden > 0)
    gradients = {
        "encoder": centred.T @ below,
        "encoder_bias": below.sum(axis=0),
        "decoder": hidden.T @ error,
        "decoder_bias": error.sum(axis=0) - (below @ model["encoder"].T).sum(axis=0),
    }
    model["step"] = model["step"] + 1
    step = int(model["step"])
    for name, gradient in gradients.items():
        mean, square = model[f"m_{name}"], model[f"v_{name}"]
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        change = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        model[name] -= rate * change
    return loss


def save(path: Path, model: Arrays, state: dict[str, Any]) -> None:
    """Replaces the checkpoint in one step: a kill leaves the old one or the new one."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        np.savez(file, state=np.array(json.dumps(state)), **model)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True, help="corpus and checkpoint")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--every", type=int, default=10, help="steps between checkpoints")
    parser.add_argument("--die-at", type=int, help="a step after which it kills itself")
    options = parser.parse_args()

    corpus, checkpoint = options.folder / "corpus", options.folder / "checkpoint.npz"
    options.folder.mkdir(parents=True, exist_ok=True)
    if not (corpus / "corpus.json").exists():
        make_corpus(corpus)
    ds = penstock.open(corpus)
    assert isinstance(ds, penstock.shards.Shards)
    stats = ds.stats(save=True)
    # The loader's threads run this transform while they prefetch.
    scaled = penstock.transforms.CentreScale(stats.mean, stats.centred_scale, dtype=np.float64)
    sampler = penstock.samplers.Block(len(ds), block_size=128, window_blocks=8, seed=7)
    model = fresh_model()
    with penstock.Loader(
        ds, batch_size=options.batch, sampler=sampler, drop_last=True, transform=scaled
    ) as loader:
        if checkpoint.exists():
            with np.load(checkpoint) as kept:
                model = {name: kept[name] for name in kept.files if name != "state"}
                loader.load_state_dict(json.loads(str(kept["state"])))
        while int(model["step"]) < options.steps:
            for rows in loader:
                loss = train_step(model, rows, sparsity=0.05, rate=0.01)
                step = int(model["step"])
                print(f"step {step:4} loss {loss:.17g}", flush=True)
                if step % options.every == 0:
                    save(checkpoint, model, loader.state_dict())
                if step == options.die_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                if step == options.steps:
                    break


if __name__ == "__main__":
    main()
