# SPDX-License-Identifier: Apache-2.0
"""Lightning: its Trainer keeps the state of a loader in its checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Later, needs

torch: Any = Later("torch")

pytestmark = [
    needs("pytorch_lightning", "needs Lightning; python/torch.sh installs one"),
    pytest.mark.xdist_group("torch"),
    pytest.mark.filterwarnings("ignore"),
]


whole_runs: list[Any] = []


@pytest.fixture
def whole(steps: Path, tmp_path: Path) -> Any:
    """A run without an interruption, which all tests share. Each has an equal dataset."""
    from lightning_runs import uninterrupted

    if not whole_runs:
        whole_runs.append(uninterrupted(steps, tmp_path / "whole"))
    return whole_runs[0]


@pytest.mark.parametrize("stop_after", [4, 10, 17, 20])
def test_a_run_that_was_stopped_goes_on(
    stop_after: int, whole: Any, steps: Path, tmp_path: Path
) -> None:
    from lightning_runs import Model, loader, trainer

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


def test_a_run_goes_on_after_whole_epochs(whole: Any, steps: Path, tmp_path: Path) -> None:
    from lightning_runs import Model, loader, trainer

    torch.manual_seed(1)
    first, second = Model(), Model()
    short = trainer(tmp_path / "run")
    short.fit_loop.max_epochs = 2
    short.fit(first, loader(steps))
    last = tmp_path / "run" / "last.ckpt"
    trainer(tmp_path / "run").fit(second, loader(steps), ckpt_path=last)
    assert first.seen + second.seen == whole.seen
    assert torch.equal(second.layer.weight, whole.layer.weight)
