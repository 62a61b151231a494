# SPDX-License-Identifier: Apache-2.0
"""Faults for tests: interrupts at every moment, small file systems, processes that are killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import penstock

_PACKAGE = os.path.dirname(penstock.__file__)


class Interrupt:
    """Raises an exception at one moment of the calls in its block.

    Python handles signals when a function begins and when a call of C returns. The block raises at
    the moment with this number, among those in penstock's own modules.
    """

    def __init__(self, moment: int, kind: type[BaseException] = KeyboardInterrupt) -> None:
        self._left = moment
        self._kind = kind
        self.has_come = False
        self.place = "nowhere"

    def _look(self, frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "c_return") or not frame.f_code.co_filename.startswith(_PACKAGE):
            return
        if self._left == 0:
            sys.setprofile(None)
            self.has_come = True
            self.place = f"{event} in {frame.f_code.co_name}, line {frame.f_lineno}"
            raise self._kind(self.place)
        self._left -= 1

    def __enter__(self) -> Interrupt:
        sys.setprofile(self._look)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> bool:
        sys.setprofile(None)
        # The caller sees in has_come that the block was interrupted.
        return self.has_come and kind is self._kind


def at_every_moment(
    work: Callable[[Interrupt], None], kind: type[BaseException], start: int = 0, step: int = 1
) -> int:
    """Calls a function again and again, with an interrupt `step` moments later each time, until one
    does not come. Returns how often it came."""
    moment = start
    while True:
        interrupt = Interrupt(moment, kind)
        try:
            work(interrupt)
        except BaseException:
            print(f"interrupted at moment {moment}: {interrupt.place}")
            raise
        if not interrupt.has_come:
            return (moment - start) // step
        moment += step


def has_private_mounts() -> bool:
    """Whether this user may mount a file system that no other process sees."""
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    return subprocess.run(command, capture_output=True).returncode == 0


needs_mounts = pytest.mark.skipif(
    not has_private_mounts(), reason="needs root, to mount a small file system"
)


def run_on(
    mounts: dict[str, str], script: str, folder: Path, *arguments: object, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a script in a process that sees file systems in memory of these sizes."""
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script))
    commands = [f"mount -t tmpfs -o size={size} none {path}" for path, size in mounts.items()]
    line = " && ".join([*commands, 'exec "$@"'])
    words = [sys.executable, str(file), *map(str, arguments)]
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", line, "sh", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
