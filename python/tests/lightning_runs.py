# SPDX-License-Identifier: Apache-2.0
"""Training with Lightning. It is a module of its own because importing Lightning takes seconds, and
only the process that runs its tests should."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import torch

import penstock

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pytorch_lightning as lightning


class Model(lightning.LightningModule):  # type: ignore[misc, name-defined]
    """Notes which records it saw, and stops in the middle when told to."""

    def __init__(self, stop_after: int | None = None) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.seen: list[list[int]] = []
        self.stop_after = stop_after

    def training_step(self, batch: dict[str, Any], number: int) -> Any:
        self.seen.append(batch["board"].tolist())
        return self.layer(batch["values"] / 3000).square().mean()

    def on_train_batch_end(self, *arguments: Any) -> None:
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.1)


def trainer(folder: Path, **more: Any) -> Any:
    checkpoints = lightning.callbacks.ModelCheckpoint(folder, save_last=True, **more)
    return lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        callbacks=[checkpoints],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )


def loader(steps: Path) -> penstock.Loader:
    return penstock.Loader(penstock.open(steps), batch_size=100, seed=4, to="torch")


def uninterrupted(steps: Path, folder: Path) -> Model:
    torch.manual_seed(1)
    model = Model()
    trainer(folder).fit(model, loader(steps))
    return model
