# SPDX-License-Identifier: Apache-2.0
"""Fixtures and functions that several tests use."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from preloaded import Script
from scripts import ScriptServer

import penstock
from penstock.__main__ import command

# Tests wait for events. This is the time after which one that does not come is a failure, long
# enough for a machine with much other work.
PATIENCE_SECONDS = 300

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control makes programs in the background ignore it, and so would every
    # process that a test starts and interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


frozen_count = 0


def pytest_runtest_setup() -> None:
    """Takes what was imported out of later garbage collections, which many tests ask for: with
    PyTorch imported each would take a fifth of a second."""
    global frozen_count
    if len(sys.modules) > frozen_count + 100:
        frozen_count = len(sys.modules)
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def runtime() -> None:
    """Starts the Java runtime of this process, with the options that users get."""
    penstock.memory()


# The groups of tests that import a library beyond NumPy.
EXTRAS = {"torch", "grain"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves tests with PyTorch and Grain to the full tier."""
    for item in items:
        if any(mark.args[0] in EXTRAS for mark in item.iter_markers("xdist_group")):
            item.add_marker("full")


def pytest_collection() -> None:
    """Imports the modules of tests in reverse order in one of two processes. pytest rewrites the
    assertions of a module when it is first imported and keeps the result in a file, so each process
    rewrites half of the modules and reads the others."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        for file in sorted(Path(__file__).parent.glob("test_*.py"), reverse=True):
            # The collection imports a module again that fails here, and reports it.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(file.stem)


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


@pytest.fixture(scope="session")
def script_server() -> Iterator[ScriptServer]:
    server = ScriptServer(VARIABLES)
    yield server
    server.close()


# Newer Pythons warn of every fork beside threads, and such forks are what is tested.
VARIABLES = {"PYTHONWARNINGS": "ignore:This process"}
# Variables that nothing has read when NumPy and penstock are imported.
READ_LATE = ("PENSTOCK_", "SLURM_")


@pytest.fixture
def run(
    tmp_path: Path, script_server: ScriptServer
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a script in a process of its own, in a folder of its own that must stay clean. The
    process has imported NumPy and penstock, unless it is to be a new one or has options of Python
    or variables that act earlier."""

    def run(
        script: str,
        *options: str,
        stderr: str | None = "",
        status: int | None = 0,
        timeout: float = 600,
        is_new: bool = False,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(script))
        variables = {**VARIABLES, **os.environ, **environment}
        is_early = not all(name.startswith(READ_LATE) for name in environment)
        if is_new or options or is_early:
            result = subprocess.run(
                [sys.executable, *options, str(file)],
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                timeout=timeout,
            )
        else:
            result = script_server.run(file, tmp_path, variables, timeout)
        if status is not None:
            assert result.returncode == status, result.stdout[-1000:] + result.stderr[-3000:]
        if stderr is not None:
            assert result.stderr == stderr
        assert list(folder.iterdir()) == []
        return result

    return run


@pytest.fixture
def run_torch(tmp_path: Path) -> Callable[[str], str]:
    """Runs a script in a process that has imported PyTorch, and returns its output."""

    def run_torch(script: str) -> str:
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(script))
        process = Script(file)
        assert process.status() == 0, process.output()[-3000:] + process.errors()[-3000:]
        assert process.errors() == ""
        return process.output()

    return run_torch


class Later:
    """A module that is imported when it is first used: PyTorch takes seconds, and only the process
    that runs its tests should import it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            # pytest looks at all names of a module of tests.
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


def needs(module: str, reason: str) -> pytest.MarkDecorator:
    """Skips tests without a module, which is not imported for it."""
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=reason)


NEEDS_TORCH = needs("torch", "needs PyTorch; python/torch.sh installs one")


def command_line(*words: object) -> list[str]:
    """Returns the command that `python -m penstock` runs. It starts no Python."""
    return command([str(word) for word in words])


def wait_until(is_so: Callable[[], bool]) -> None:
    """Waits for something that happens soon, or in minutes on a busy machine."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end, f"it is not so after {PATIENCE_SECONDS} s"
        time.sleep(0.01)


def handles() -> int:
    """Returns the number of objects that Java keeps for this process."""
    # Worker threads of loaders that were closed end a moment later, and hold their batches.
    for thread in threading.enumerate():
        if thread.name.startswith("penstock-worker-"):
            thread.join(PATIENCE_SECONDS)
    gc.collect()
    return int(penstock._jvm.call("handles"))
