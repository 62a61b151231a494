# SPDX-License-Identifier: Apache-2.0
"""The sparse autoencoder of the examples is killed, and goes on with the very same losses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import ScriptServer

pytestmark = pytest.mark.full

SCRIPT = Path(__file__).parents[2] / "examples" / "train_sae.py"
STEPS = 60


Run = Callable[..., dict[int, str]]


@pytest.fixture
def run(tmp_path: Path, script_server: ScriptServer) -> Run:
    """Trains, and returns the losses as they were printed."""
    (tmp_path / "work").mkdir()

    def run(folder: Path, *options: str, status: int = 0) -> dict[int, str]:
        words = ("--folder", folder, "--steps", STEPS, *options)
        done = script_server.run(SCRIPT, tmp_path, dict(os.environ), 600, words)
        assert done.returncode == status, done.stderr[-3000:]
        return losses(done)

    return run


def losses(done: subprocess.CompletedProcess[str]) -> dict[int, str]:
    lines = re.findall(r"^step +(\d+) loss (\S+)$", done.stdout, re.MULTILINE)
    assert len(lines) == len(done.stdout.splitlines()), done.stdout
    return {int(step): loss for step, loss in lines}


def test_a_killed_training_goes_on_with_identical_losses(run: Run, tmp_path: Path) -> None:
    whole = run(tmp_path / "whole")
    assert list(whole) == list(range(1, STEPS + 1))
    assert float(whole[STEPS]) < 0.7 * float(whole[1])
    # In the first epoch, which has 32 steps, and in the second.
    first = run(tmp_path / "killed", "--die-at", "17", status=-signal.SIGKILL)
    second = run(tmp_path / "killed", "--die-at", "45", status=-signal.SIGKILL)
    third = run(tmp_path / "killed")
    assert min(second) == 11 and min(third) == 41
    for part in (first, second, third):
        assert part == {step: whole[step] for step in part}
