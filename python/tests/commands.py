# SPDX-License-Identifier: Apache-2.0
"""Commands of the installed package, in one Java process that runs them one after another."""

from __future__ import annotations

import atexit
import base64
import functools
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from penstock.__main__ import command

SOURCE = Path(__file__).with_name("CommandServer.java")
# The folder in which python/test.sh has compiled it.
CLASSES = Path(sys.prefix).with_name("commands")


class CommandServer:
    """The process that runs the commands, in the folder that is the current one now. Java and the
    classes of the commands are loaded once, and not for each command."""

    def __init__(self) -> None:
        # The class path and the main class of the command line are the last words.
        launcher, *options, path, _ = command([])
        if CLASSES.exists():
            main = [f"{path}{os.pathsep}{CLASSES}", "CommandServer"]
        else:
            main = [path, str(SOURCE)]
        line = [launcher, *options, *main]
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Runs a command, and returns its exit code and all that it wrote."""
        server = self._process
        assert server.stdin is not None and server.stdout is not None
        print(*[quote(str(word)) for word in words], file=server.stdin, flush=True)
        code, *texts = server.stdout.readline().rstrip("\n").split(" ")
        output, errors = (base64.b64decode(text).decode() for text in texts)
        return subprocess.CompletedProcess(list(words), int(code), output, errors)

    def close(self) -> None:
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()


@functools.cache
def _server() -> CommandServer:
    server = CommandServer()
    atexit.register(server.close)
    return server


def run_command(*words: object) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process that all tests share. Its paths have to be absolute."""
    return _server().run(*words)
