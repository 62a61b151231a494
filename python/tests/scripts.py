# SPDX-License-Identifier: Apache-2.0
"""Scripts in processes that begin with NumPy and penstock imported, and without a Java runtime.

A process that has imported them forks for each script. The fork runs the script as its main module
and ends as `python script` does, with all that happens at the end of an interpreter.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import types
from pathlib import Path
from typing import Any


class ScriptServer:
    """The process that forks. It ends with the process that started it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            env={**environment, **os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def run(
        self,
        script: Path,
        folder: Path,
        environment: dict[str, str],
        timeout: float,
        arguments: tuple[object, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Runs a script, and returns its status and all that it wrote. The folder is that of its
        output; the script runs in the folder `work` there."""
        output, errors = folder / "stdout", folder / "stderr"
        words = [str(word) for word in (script, *arguments)]
        job = [words, str(folder / "work"), str(output), str(errors), environment]
        server = self._process
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(job).encode() + b"\n")
        child = int(server.stdout.readline())
        is_late = not select.select([server.stdout], [], [], timeout)[0]
        if is_late:
            os.kill(child, signal.SIGKILL)
        status = int(server.stdout.readline())
        texts = (output.read_text(), errors.read_text())
        assert not is_late, f"no end after {timeout} s: {texts}"
        return subprocess.CompletedProcess(str(script), status, *texts)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def _job() -> list[Any]:
    """Forks for each job, and returns the job in the child."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            return list(job)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    raise SystemExit


def _begin(folder: str, output: str, errors: str, environment: dict[str, str]) -> None:
    """Makes this process like one that was started for the script."""
    for number, name in ((0, os.devnull), (1, output), (2, errors)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        file = os.open(name, flags)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)


if __name__ == "__main__":
    import numpy  # noqa: F401

    import penstock  # noqa: F401

    sys.argv, *_rest = _job()
    _begin(*_rest)
    _script = sys.argv[0]
    sys.path[0] = os.path.dirname(_script)
    # Spawned processes import the file that the main module names.
    _main = types.ModuleType("__main__")
    _main.__file__ = _script
    sys.modules["__main__"] = _main
    with open(_script) as _file:
        _code = compile(_file.read(), _script, "exec")
    exec(_code, _main.__dict__)
