# SPDX-License-Identifier: Apache-2.0
"""The examples: training that is really killed goes on with the very same samples and losses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import NEEDS_TORCH
from preloaded import Script

# One process makes what these tests share.
pytestmark = [NEEDS_TORCH, pytest.mark.xdist_group("torch")]

SCRIPT = Path(__file__).parents[2] / "examples" / "train_torch.py"
STEPS, EVERY = 100, 10
# 39 steps are an epoch.
OPTIONS = ["--steps", str(STEPS), "--batch", "512", "--every", str(EVERY)]

Curve = dict[int, tuple[str, str]]
"""Loss and samples as they were printed, by step."""


def start(folder: Path, *options: str) -> Script:
    return Script(SCRIPT, "--folder", folder, *OPTIONS, *options)


def curve(text: str) -> Curve:
    lines = re.findall(r"^step +(\d+) loss (\S+) samples (\w{12})$", text, re.MULTILINE)
    assert len(lines) == len(text.splitlines()), text
    return {int(step): (loss, samples) for step, loss, samples in lines}


def finish(folder: Path, *options: str) -> Curve:
    process = start(folder, *options)
    assert process.status() == 0, process.errors()[-3000:]
    return curve(process.output())


def kill_after(step: int, folder: Path, *options: str) -> Curve:
    """Kills it, with all its processes, as soon as it has printed a step."""
    process = start(folder, *options)
    process.kill_after(f"step {step:4} ")
    assert process.status() == -signal.SIGKILL, process.errors()[-3000:]
    # The last line may be cut anywhere.
    return curve("".join(re.findall(r".*\n", process.output())))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Curve:
    """A run without an interruption. The long form has the very command of the page, which
    imports PyTorch."""
    folder = tmp_path_factory.mktemp("whole")
    if os.environ.get("PENSTOCK_LONG"):
        command = [sys.executable, str(SCRIPT), "--folder", str(folder), *OPTIONS]
        environment = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr[-3000:]
        whole = curve(done.stdout)
    else:
        whole = finish(folder)
    assert list(whole) == list(range(1, STEPS + 1))
    return whole


def losses(curve: Curve) -> list[float]:
    return [float(loss) for loss, _ in curve.values()]


def samples(curve: Curve) -> dict[int, str]:
    return {step: samples for step, (_, samples) in curve.items()}


def part(curve: Curve, steps: Curve) -> Curve:
    return {step: curve[step] for step in steps}


def test_it_learns(whole: Curve) -> None:
    assert np.mean(losses(whole)[-10:]) < 0.6 * np.mean(losses(whole)[:10])
    # No two steps have the same samples, in other epochs neither.
    assert len(set(samples(whole).values())) == STEPS


def test_a_killed_run_goes_on_with_identical_losses(
    whole: Curve, tmp_path: Path, rng: np.random.Generator
) -> None:
    # In the first epoch, then in the second.
    for low, high in ((11, 39), (45, 78)):
        seen = kill_after(int(rng.integers(low, high)), tmp_path)
        assert seen and seen == part(whole, seen)
    rest = finish(tmp_path)
    last = max(seen)
    # It goes on from its last checkpoint, not from the beginning.
    assert last - EVERY < min(rest) <= last + 1 and min(rest) % EVERY == 1
    assert rest == {step: whole[step] for step in range(min(rest), STEPS + 1)}


def test_a_run_that_kills_itself_goes_on_in_more_processes_and_in_fewer(
    whole: Curve, tmp_path: Path
) -> None:
    died = start(tmp_path, "--die-at", "37")
    assert died.status() == -signal.SIGKILL
    first = curve(died.output())
    assert list(first) == list(range(1, 38))
    assert first == part(whole, first)
    second = kill_after(65, tmp_path, "--ranks", "2")
    assert min(second) == 31 and max(second) >= 65
    third = finish(tmp_path)
    assert max(second) - EVERY < min(third) <= max(second) + 1 and max(third) == STEPS
    for other in (second, third):
        assert samples(other) == samples(part(whole, other))
        # Sums of two halves are rounded in another way.
        assert losses(other) == pytest.approx(losses(part(whole, other)), rel=1e-4)


def test_help_shows_how(tmp_path: Path) -> None:
    shown = Script(SCRIPT, "--help")
    assert shown.status() == 0 and "--die-at 70" in shown.output() and shown.errors() == ""
    wrong = start(tmp_path / "new", "--ranks", "3")
    assert wrong.status() == 2 and "multiple of --ranks" in wrong.errors()
    assert not (tmp_path / "new").exists()


def test_the_policy_for_2048_learns_and_resumes_exactly(tmp_path: Path) -> None:
    """A training that was killed goes on with the very samples and losses, and the loss falls."""
    script = SCRIPT.with_name("train_2048.py")
    options = ["--steps", "120", "--batch", "256", "--every", "25"]

    def train(folder: Path, *more: str, status: int = 0) -> list[str]:
        process = Script(script, "--folder", folder, *options, *more)
        assert process.status() == status, process.errors()[-3000:]
        return process.output().splitlines()

    expected = train(tmp_path / "whole")
    dataset = ("--dataset", str(tmp_path / "whole" / "steps"))
    killed = train(tmp_path / "killed", *dataset, "--die-at", "60", status=-signal.SIGKILL)
    assert killed == expected[:60]
    assert train(tmp_path / "killed", *dataset) == expected[50:]
    losses = [float(line.split()[3]) for line in expected if line.startswith("step")]
    assert np.mean(losses[-20:]) < 0.9 * np.mean(losses[:20])
