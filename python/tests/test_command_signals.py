# SPDX-License-Identifier: Apache-2.0
"""Signals that ask a command to end, sent to the process that the caller started."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.full


def _children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_java(pid: int) -> bool:
    try:
        return b"dev.penstock.app.Main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_the_measurement_and_its_java(number: signal.Signals, steps: Path) -> None:
    line = [sys.executable, "-m", "penstock", "bench", str(steps), "--seconds", "600"]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # Without the vector module the command is Java itself.
        wait_until(lambda: any(_is_java(pid) for pid in [process.pid, *_children(process.pid)]))
        java = _children(process.pid)
        process.send_signal(number)
        assert process.wait(PATIENCE_SECONDS) != 0
        wait_until(lambda: not any(_is_java(pid) for pid in java))
    finally:
        process.kill()
