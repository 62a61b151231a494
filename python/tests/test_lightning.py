# SPDX-License-Identifier: Apache-2.0
"""Lightning: its Trainer keeps the state of a loader in its checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

torch = pytest.importorskip("torch", reason="needs PyTorch; python/torch.sh installs one")
lightning = pytest.importorskip(
    "pytorch_lightning", reason="needs Lightning; python/torch.sh installs one"
)


pytestmark = pytest.mark.filterwarnings("ignore")


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


@pytest.mark.parametrize("stop_after", [4, 10, 17, 20])
def test_a_run_that_was_stopped_goes_on(stop_after: int, steps: Path, tmp_path: Path) -> None:
    whole = uninterrupted(steps, tmp_path / "whole")
    assert len(whole.seen) == 30 and whole.seen[:10] != whole.seen[10:20]
    for epoch in range(3):
        records = np.concatenate(whole.seen[epoch * 10 : epoch * 10 + 10])
        assert sorted(records) == list(range(1000))
    torch.manual_seed(1)
    first, second = Model(stop_after), Model()
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        trainer(tmp_path / "run", every_n_train_steps=1).fit(first, loader(steps))
    last = tmp_path / "run" / "last.ckpt"
    trainer(tmp_path / "run").fit(second, loader(steps), ckpt_path=last)
    assert first.seen + second.seen == whole.seen
    assert torch.equal(second.layer.weight, whole.layer.weight)


def test_a_run_goes_on_after_whole_epochs(steps: Path, tmp_path: Path) -> None:
    whole = uninterrupted(steps, tmp_path / "whole")
    torch.manual_seed(1)
    first, second = Model(), Model()
    short = trainer(tmp_path / "run")
    short.fit_loop.max_epochs = 2
    short.fit(first, loader(steps))
    last = tmp_path / "run" / "last.ckpt"
    trainer(tmp_path / "run").fit(second, loader(steps), ckpt_path=last)
    assert first.seen + second.seen == whole.seen
    assert torch.equal(second.layer.weight, whole.layer.weight)
