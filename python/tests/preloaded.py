# SPDX-License-Identifier: Apache-2.0
"""Scripts in processes that begin with PyTorch imported, which otherwise takes seconds for each."""

from __future__ import annotations

import multiprocessing
import os
import re
import runpy
import select
import signal
import socket
import sys
import tempfile
import time
import warnings
from pathlib import Path

_PRELOADED = ["numpy", "torch", "torch.distributed", "torch.nn.parallel", "pytorch_lightning"]

_PATIENCE_SECONDS = 600.0


def _main(script: str, arguments: list[str], output: str, errors: str) -> None:
    # A session of its own, so that a kill reaches the processes that it starts as well.
    os.setsid()
    sink = socket.socket(socket.AF_UNIX)
    # The least that the system allows, which is room for a few lines.
    sink.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    sink.connect(output)
    os.dup2(sink.detach(), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND), 2)
    # The variables of torchrun and similar launchers must not reach it.
    for name in ("RANK", "WORLD_SIZE"):
        os.environ.pop(name, None)
    # Newer Pythons warn of every fork beside threads, and such forks are what is tested.
    warnings.filterwarnings("ignore", message="This process")
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


class Script:
    """A script that runs in a process of its own, as `python script arguments` would. What it
    prints has to be read: it waits when it is some lines ahead."""

    def __init__(self, script: Path, *arguments: object) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
        self._folder = tempfile.TemporaryDirectory()
        self._printed = b""
        self._errors = Path(self._folder.name, "errors")
        self._errors.touch()
        output = str(Path(self._folder.name, "output"))
        words = [str(argument) for argument in arguments]
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(output)
            listener.listen()
            self._process = context.Process(
                target=_main, args=(str(script), words, output, str(self._errors))
            )
            self._process.start()
            listener.settimeout(_PATIENCE_SECONDS)
            self._source, _ = listener.accept()

    def output(self) -> str:
        """Returns the output that was read."""
        return self._printed.decode()

    def errors(self) -> str:
        return self._errors.read_text()

    def _read(self) -> bool:
        """Reads some output, and returns whether there may be more."""
        is_alive = self._process.is_alive()
        if not select.select([self._source], [], [], 0.1)[0]:
            # Processes that it has started may live on, and say nothing to the test.
            return is_alive
        try:
            some = self._source.recv(1 << 16)
        except ConnectionResetError:
            return False
        self._printed += some
        return some != b""

    def kill_after(self, line: str) -> None:
        """Kills it with all its processes as soon as it has printed a line that begins so, whole:
        lines arrive in pieces."""
        whole = re.compile(rf"^{re.escape(line)}.*\n", re.MULTILINE)
        while not whole.search(self.output()) and self._read():
            pass
        assert self._process.pid is not None
        os.killpg(self._process.pid, signal.SIGKILL)

    def status(self, seconds: float = _PATIENCE_SECONDS) -> int:
        """Waits for its end and returns its exit status."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._read():
            pass
        self._process.join(max(0, end - time.monotonic()))
        status = self._process.exitcode
        assert status is not None, f"it did not end in {seconds} s:\n{self.errors()[-3000:]}"
        return status
