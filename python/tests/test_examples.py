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

pytest.importorskip("torch", reason="needs PyTorch; python/torch.sh installs one")

SCRIPT = Path(__file__).parents[2] / "examples" / "train_torch.py"
STEPS, EVERY = 100, 10
# 39 steps are an epoch.
OPTIONS = ["--steps", str(STEPS), "--batch", "512", "--every", str(EVERY)]

Curve = dict[int, tuple[str, str]]
"""Loss and samples as they were printed, by step."""


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    # What torchrun and the like set must not reach it, and ranks go down with who started them.
    environment = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE")}
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), "--folder", str(folder), *OPTIONS, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def curve(text: str) -> Curve:
    lines = re.findall(r"^step +(\d+) loss (\S+) samples (\w{12})$", text, re.MULTILINE)
    assert len(lines) == len(text.splitlines()), text
    return {int(step): (loss, samples) for step, loss, samples in lines}


def finish(folder: Path, *options: str) -> Curve:
    process = start(folder, *options)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors[-3000:]
    return curve(out)


def kill_after(step: int, folder: Path, *options: str) -> Curve:
    """Kills it, with all its processes, as soon as it has printed a step."""
    process = start(folder, *options)
    assert process.stdout is not None
    seen = ""
    for line in process.stdout:
        seen += line
        if line.startswith(f"step {step:4} "):
            break
    os.killpg(process.pid, signal.SIGKILL)
    rest, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, errors[-3000:]
    # The last line may be cut anywhere.
    return curve("".join(re.findall(r".*\n", seen + rest)))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Curve:
    """A run that nobody disturbed."""
    whole = finish(tmp_path_factory.mktemp("whole"))
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
    first = curve(died.communicate(timeout=120)[0])
    assert died.returncode == -signal.SIGKILL and list(first) == list(range(1, 38))
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
    shown = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0 and "--die-at 70" in shown.stdout and shown.stderr == ""
    wrong = start(tmp_path / "new", "--ranks", "3")
    assert "multiple of --ranks" in wrong.communicate(timeout=60)[1] and wrong.returncode == 2
    assert not (tmp_path / "new").exists()


def test_the_policy_for_2048_learns_and_resumes_exactly(tmp_path: Path) -> None:
    """A training that was killed goes on with the very samples and losses, and the loss falls."""
    script = SCRIPT.with_name("train_2048.py")
    options = ["--steps", "120", "--batch", "256", "--every", "25"]

    def train(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(script), "--folder", str(folder), *options, *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    whole = train(tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr[-3000:]
    dataset = ("--dataset", str(tmp_path / "whole" / "steps"))
    killed = train(tmp_path / "killed", *dataset, "--die-at", "60")
    assert killed.returncode == -signal.SIGKILL
    resumed = train(tmp_path / "killed", *dataset)
    assert resumed.returncode == 0, resumed.stderr[-3000:]
    expected = whole.stdout.splitlines()
    assert killed.stdout.splitlines() == expected[:60]
    assert resumed.stdout.splitlines() == expected[50:]
    losses = [float(line.split()[3]) for line in expected if line.startswith("step")]
    assert np.mean(losses[-20:]) < 0.9 * np.mean(losses[:20])
