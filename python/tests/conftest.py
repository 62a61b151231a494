# SPDX-License-Identifier: Apache-2.0
"""What several tests use."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import penstock

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control makes programs in the background ignore it, and so would every
    # process that a test starts and interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers; a failure prints the seed, and PENSTOCK_SEED repeats it."""
    seed = int(os.environ.get("PENSTOCK_SEED", random.randrange(2**32)))
    print(f"PENSTOCK_SEED={seed} python/test.sh -k {request.node.name}")
    return np.random.default_rng(seed)


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """A table of 1,000 rows with three fields."""
    rows = np.zeros(1000, [("board", "<u8"), ("move", "u1"), ("values", "<f4", (3,))])
    rows["board"] = np.arange(1000)
    rows["move"] = np.arange(1000) % 4
    rows["values"] = np.arange(3000).reshape(1000, 3)
    np.save(tmp_path / "steps.npy", rows)
    return tmp_path / "steps.npy"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack of 100 records, of 0 to 99 bytes."""
    penstock.write(tmp_path / "records.a2pack", [bytes([i]) * i for i in range(100)])
    return tmp_path / "records.a2pack"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a script in a fresh process, in a folder of its own that must stay clean."""

    def run(
        script: str,
        *options: str,
        stderr: str | None = "",
        status: int | None = 0,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(script))
        result = subprocess.run(
            [sys.executable, *options, str(file)],
            cwd=folder,
            # Newer Pythons warn of every fork beside threads, and such forks are what is tested.
            env={"PYTHONWARNINGS": "ignore:This process", **os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )
        if status is not None:
            assert result.returncode == status, result.stderr[-3000:]
        if stderr is not None:
            assert result.stderr == stderr
        assert list(folder.iterdir()) == []
        return result

    return run


def handles() -> int:
    """How many objects Java keeps for this process."""
    gc.collect()
    return int(penstock._jvm.call("handles"))
