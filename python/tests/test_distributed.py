# SPDX-License-Identifier: Apache-2.0
"""Ranks that are really started: by torchrun, by torch.multiprocessing and by Lightning."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest
from preloaded import Script

import penstock

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None,
        reason="needs PyTorch; python/torch.sh installs one",
    ),
    pytest.mark.xdist_group("torch"),
]

IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))
COUNT = 203
TAKEN = 5

# The program of each rank: it loads a few batches and writes its records and state to a file.
RANK = f"""
import json
import os
import sys

import torch.distributed as dist

import penstock


def main(folder):
    loader = penstock.Loader(
        penstock.open(folder + "/n.npy"), 8, seed=3, indices=True, even_batches=False
    )
    assert loader.stats()["ranks_from"] == "torch.distributed", loader
    batches = iter(loader)
    seen = [next(batches)["indices"].tolist() for _ in range({TAKEN})]
    state = loader.state_dict()
    rest = [batch["indices"].tolist() for batch in batches]
    with open(f"{{folder}}/rank-{{dist.get_rank()}}.json", "w") as file:
        json.dump({{"seen": seen, "state": state, "rest": rest}}, file)
    dist.barrier()
    dist.destroy_process_group()
"""

TORCHRUN = (
    RANK
    + """
dist.init_process_group("gloo")
main(sys.argv[1])
"""
)

SPAWN = (
    RANK
    + """
import torch.multiprocessing


def start(rank, folder):
    address = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    main(folder)


if __name__ == "__main__":
    torch.multiprocessing.start_processes(start, (sys.argv[1],), 2, start_method=sys.argv[2])
"""
)


# What the command torchrun does.
LAUNCHER = "import sys, torch.distributed.run; torch.distributed.run.main(sys.argv[1:])"


def finish(script: Path, *arguments: object) -> None:
    process = Script(script, *arguments)
    assert process.status() == 0, process.output()[-3000:] + process.errors()[-3000:]


def flat(batches: list[list[int]]) -> list[int]:
    return [one for batch in batches for one in batch]


def check(folder: Path) -> None:
    """Every sample once over both ranks, and once when another number of ranks goes on."""
    ranks = [json.loads((folder / f"rank-{rank}.json").read_text()) for rank in range(2)]
    first = flat([batch for rank in ranks for batch in rank["seen"]])
    rest = flat([batch for rank in ranks for batch in rank["rest"]])
    assert sorted(first + rest) == list(range(COUNT))
    assert ranks[0]["state"] == ranks[1]["state"]
    for world in (1, 3):
        again = []
        for rank in range(world):
            loader = penstock.Loader(
                penstock.open(folder / "n.npy"),
                5,
                seed=3,
                rank=rank,
                world_size=world,
                even_batches=False,
            )
            with loader:
                loader.load_state_dict(ranks[0]["state"])
                again += flat([batch.tolist() for batch in loader])
        assert sorted(first + again) == list(range(COUNT)), world


@pytest.mark.parametrize("way", ["torchrun", "multiprocessing"])
def test_every_sample_comes_once(tmp_path: Path, way: str) -> None:
    penstock.write(tmp_path / "n.npy", np.arange(COUNT))
    script = tmp_path / "rank.py"
    if way == "torchrun":
        script.write_text(TORCHRUN)
        launcher = tmp_path / "launcher.py"
        launcher.write_text(LAUNCHER)
        finish(launcher, "--standalone", "--nproc-per-node", 2, script, tmp_path)
    else:
        # The training of test_examples has spawned ranks.
        script.write_text(SPAWN)
        finish(script, tmp_path, "spawn" if IS_LONG else "fork")
    check(tmp_path)


LIGHTNING = """
import json
import sys
import warnings

import pytorch_lightning as lightning
import torch

import penstock

warnings.simplefilter("ignore")
folder, world, strategy = sys.argv[1], int(sys.argv[2]), sys.argv[3]
checkpoint = (sys.argv[4:] or [None])[0]


class CountBatches(lightning.Callback):
    def on_train_start(self, trainer, model):
        loader = trainer.train_dataloader
        if loader.state_dict()["delivered"] > 0:
            counts = trainer.fit_loop.epoch_loop.batch_progress.current
            unfinished = counts.processed - counts.completed
            done = len(loader) - loader.steps_left
            counts.ready = counts.started = counts.processed = done
            counts.completed = done - unfinished


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.seen = []
        self.validated = []

    def validation_step(self, batch, number):
        self.validated.append(self.current_epoch)

    def val_dataloader(self):
        return [torch.zeros(1)]

    def training_step(self, batch, number):
        self.seen.append((self.current_epoch, batch["indices"].tolist()))
        return self.layer(batch["value"].float()[:, None]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 1e-9)

    def train_dataloader(self):
        self.loader = penstock.Loader(
            penstock.open(folder + "/n.npy"), 10, seed=3, to="torch", indices=True
        )
        assert self.loader.world_size == world, self.loader
        return self.loader

    def on_train_end(self):
        with open(f"{folder}/{world}-{self.global_rank}.json", "w") as file:
            json.dump({"seen": self.seen, "validated": self.validated}, file)


if __name__ == "__main__":
    # The checkpoint of the second step stays, and not only the last one.
    keep = lightning.callbacks.ModelCheckpoint(
        folder, filename="{step}", every_n_train_steps=2, save_top_k=-1
    )
    lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=world,
        strategy=strategy,
        logger=False,
        callbacks=[keep, CountBatches()],
        num_sanity_val_steps=0,
        use_distributed_sampler=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    ).fit(Model(), ckpt_path=checkpoint, weights_only=False)
"""


def run_lightning(folder: Path, *arguments: object) -> list[list[tuple[int, list[int]]]]:
    """Returns the epochs and records of the batches of each rank."""
    script = folder / "model.py"
    script.write_text(LIGHTNING)
    finish(script, folder, *arguments)
    world = arguments[0]
    files = sorted(folder.glob(f"{world}-*.json"))
    assert len(files) == world
    ranks = [json.loads(file.read_text()) for file in files]
    # A validation at the end of each epoch, also of the epoch that was resumed.
    assert [rank["validated"] for rank in ranks] == [[0, 1]] * len(ranks)
    return [rank["seen"] for rank in ranks]


def records(batches: list[tuple[int, list[int]]], epoch: int) -> list[int]:
    return [one for number, batch in batches if number == epoch for one in batch]


@pytest.mark.skipif(
    importlib.util.find_spec("pytorch_lightning") is None,
    reason="needs Lightning; python/torch.sh installs one",
)
def test_lightning_divides_epochs_among_ranks_and_resumes_with_another_number(
    tmp_path: Path,
) -> None:
    # Both ranks have as many batches, as its collective operations need it.
    folders = [tmp_path / name for name in ("two", "one", "two again")]
    for folder in folders:
        folder.mkdir()
        penstock.write(folder / "n.npy", np.arange(100))
    ranks = run_lightning(folders[0], 2, "ddp")
    for epoch in range(2):
        assert sorted(records(ranks[0], epoch) + records(ranks[1], epoch)) == list(range(100))
    assert records(ranks[0], 0) != records(ranks[0], 1)
    # One rank goes on after the second step of two.
    (alone,) = run_lightning(folders[1], 1, "auto", folders[0] / "step=2.ckpt")
    before = [one for rank in ranks for _, batch in rank[:2] for one in batch]
    assert len(before) == 40
    assert sorted(before + records(alone, 0)) == list(range(100))
    assert sorted(records(alone, 1)) == list(range(100))
    # Two ranks go on after its second step, and need two more. Without the callback Lightning would
    # have counted four of the five steps of an epoch, and would leave the last one out.
    # These are forked, which saves the time to import everything again.
    again = run_lightning(folders[2], 2, "ddp_fork", folders[1] / "step=4.ckpt")
    before += [one for _, batch in alone[:2] for one in batch]
    assert sorted(before + records(again[0], 0) + records(again[1], 0)) == list(range(100))
    assert sorted(records(again[0], 1) + records(again[1], 1)) == list(range(100))
