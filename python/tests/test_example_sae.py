# SPDX-License-Identifier: Apache-2.0
"""The sparse autoencoder of the examples is killed, and goes on with the very same losses."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "examples" / "train_sae.py"
STEPS = 60


def run(folder: Path, *options: str, status: int = 0) -> dict[int, str]:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--folder", folder, "--steps", str(STEPS), *options],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == status, done.stderr[-3000:]
    lines = re.findall(r"^step +(\d+) loss (\S+)$", done.stdout, re.MULTILINE)
    assert len(lines) == len(done.stdout.splitlines()), done.stdout
    return {int(step): loss for step, loss in lines}


def test_a_killed_training_goes_on_with_identical_losses(tmp_path: Path) -> None:
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
