# SPDX-License-Identifier: Apache-2.0
"""The command line: `penstock`, or `python -m penstock`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress

from . import _caches, _rehearsal, _runtime

# Benchmark commands load the vector module, which makes the start a little slower.
_FAST = ("demo", "bench")
# These commands end before the optimising compiler has anything to show for its work.
_SHORT = ("info", "head", "get", "fingerprint", "help", "--help", "--version")


def command(arguments: list[str]) -> list[str]:
    """Returns the command line of the Java process for these arguments."""
    runtime = _runtime.find_runtime()
    options = [
        *_rehearsal.COMMAND_OPTIONS,
        runtime.native_access,
        runtime.memory_access,
        "-Xlog:disable",
        "-XX:-CreateCoredumpOnCrash",
        *_cache_options(runtime),
    ]
    if arguments[:1] and arguments[0] in _SHORT:
        options.append("-XX:TieredStopAtLevel=1")
    # Java starts programs of this package.
    options.append(f"-Dpenstock.python={sys.executable}")
    is_fast = bool(arguments) and arguments[0] in _FAST
    if is_fast and runtime.has_vectors and not runtime.jar_inside:
        options.append("--add-modules=jdk.incubator.vector")
    return [runtime.launcher, *options, *runtime.main, *arguments]


def _cache_options(runtime: _runtime.Runtime) -> list[str]:
    """Returns the options that use the AOT cache. Where there is none, it is made in the
    background for the commands that follow."""
    cache = _runtime.cache(runtime, "command")
    if cache is None:
        return []
    if not runtime.jar_inside:
        if not os.path.exists(cache):
            _rehearsal.start_commands(cache)
            return []
        _caches.sweep_daily(cache)
    # A runtime that cannot use the cache ignores it. It is mapped at the address that it was made
    # for, because moving it takes 15 ms.
    return [
        f"-XX:AOTCache={cache}",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:ArchiveRelocationMode=0",
        "-XX:-UsePerfData",
    ]


def main() -> int:
    """Runs the command line and returns its exit code."""
    arguments = sys.argv[1:]
    try:
        line = command(arguments)
    except _runtime.JavaNotFoundError as e:
        print(e, file=sys.stderr)
        return 3
    # File names are bytes; only in a UTF-8 locale does Java see all of them.
    environment = dict(os.environ)
    if "UTF-8" not in environment.get("LC_ALL", environment.get("LANG", "")).upper():
        environment["LC_ALL"] = "C.UTF-8"
    if "--add-modules=jdk.incubator.vector" not in line and os.name == "posix":
        os.execve(line[0], line, environment)
    return _filtered(line, environment)


def _filtered(line: list[str], environment: dict[str, str]) -> int:
    """Runs a command line and drops the warning about the incubator module from its stderr.

    Signals that ask this process to end are passed on to Java, and Java is ended when this process
    is killed: the caller knows the id of this process only.
    """
    process = subprocess.Popen(
        line, env=environment, stderr=subprocess.PIPE, preexec_fn=_end_with_parent
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: process.send_signal(number))
    assert process.stderr is not None
    for text in process.stderr:
        # Keep reading when this program's own stderr is closed: a full pipe would block the child.
        with suppress(OSError):
            if not text.startswith(b"WARNING: Using incubator modules"):
                sys.stderr.buffer.write(text)
                sys.stderr.buffer.flush()
    code = process.wait()
    return code if code >= 0 else 128 - code


def _end_with_parent() -> None:
    """Asks Linux to end this process, which is about to become Java, with its parent."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
