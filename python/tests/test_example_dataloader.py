# SPDX-License-Identifier: Apache-2.0
"""The project that was moved over from DataLoader: killed in the middle, it goes on with the very
same samples and losses."""

from __future__ import annotations

import importlib.util
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NEEDS_TORCH

pytestmark = [
    NEEDS_TORCH,
    pytest.mark.xdist_group("torch"),
    pytest.mark.skipif(
        importlib.util.find_spec("PIL") is None, reason="needs Pillow; python/extra.sh images"
    ),
]

SCRIPT = Path(__file__).parents[2] / "examples" / "from_dataloader.py"
# 7 steps are an epoch.
OPTIONS = ["--files", "210", "--steps", "20", "--every", "4"]


def run(folder: Path, *options: str) -> tuple[int, dict[int, str]]:
    """Returns the exit code, and the loss and samples of each step as they were printed."""
    words = [sys.executable, str(SCRIPT), "--folder", str(folder), *OPTIONS, *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    lines = re.findall(r"^step +(\d+) (loss \S+ samples \w{12})$", done.stdout, re.MULTILINE)
    assert lines, done.stderr[-3000:]
    return done.returncode, {int(step): rest for step, rest in lines}


def test_a_killed_run_resumes_with_equal_losses(tmp_path: Path) -> None:
    code, whole = run(tmp_path / "whole")
    assert code == 0 and len(whole) == 20 and len(set(whole.values())) == 20
    code, begun = run(tmp_path / "killed", "--die-at", "10")
    assert code == -signal.SIGKILL and sorted(begun) == list(range(1, 11))
    # Worker processes make the same samples. Step 8 has the last checkpoint.
    code, rest = run(tmp_path / "killed", "--workers", "1")
    assert code == 0 and sorted(rest) == list(range(9, 21))
    assert {**begun, **rest} == whole


def test_the_original_runs_as_well(tmp_path: Path) -> None:
    code, steps = run(tmp_path / "original", "--original", "--steps", "8")
    assert code == 0 and len(steps) == 8
