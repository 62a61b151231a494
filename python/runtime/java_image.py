# SPDX-License-Identifier: Apache-2.0
"""Links a Java runtime that has the Java part of penstock inside, and makes its AOT caches.

The jar becomes a module of the runtime. A class path would not do: Java refuses a cache whose jar
has another time than when the cache was made, and pip gives every file the time of its
installation. Modules of a runtime have no such check.
"""

from __future__ import annotations

import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
JAVA_VERSION = 25
# The name that the jar has for programs that put it on a module path.
MODULE = "dev.penstock.app"
# Modules that no class refers to by name.
MORE_MODULES = ["jdk.incubator.vector", "jdk.unsupported"]
# What Java sets when it defines the vector module. A graph of modules from a cache is not defined
# again, and without these options vectors would be objects in compiled code.
VECTOR_OPTIONS = " ".join(
    f"-XX:+{name}"
    for name in (
        "UnlockExperimentalVMOptions",
        "EnableVectorSupport",
        "EnableVectorReboxing",
        "EnableVectorAggressiveReboxing",
    )
)
# Constants in class files: their tags, and how many bytes more than three they have.
_UTF8, _CLASS, _TWO_PLACES = 1, 7, (5, 6)
_MORE_BYTES = {**dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 2), 5: 6, 6: 6, 15: 1}
# Folders in the jar with native code, and the words in their names for this platform.
NATIVE = re.compile(r"(?:aircompressor|org/sqlite/native)/(?P<platform>.+)/[^/]+")


def make(folder: Path, jar: Path, version: str) -> None:
    """Makes the runtime, which appears in `folder` with its caches."""
    jdk = _jdk()
    with tempfile.TemporaryDirectory(prefix="penstock-runtime-") as name:
        work = Path(name)
        _link(jdk, _module(jdk, jar, version, work), folder)
    _settle_vectors(jdk, folder)
    _note_jar(folder, jar)
    _make_caches(folder)


def is_current(folder: Path, jar: Path) -> bool:
    """Whether the runtime in a folder is complete, has this jar inside and is of this JDK."""
    release = folder / "release"
    if not all(path.exists() for path in (release, *_caches(folder).values())):
        return False
    if release.stat().st_mtime < Path(__file__).stat().st_mtime:
        return False
    lines = release.read_text().splitlines()
    version = _version_line((_jdk() / "release").read_text().splitlines())
    return _jar_line(jar) in lines and _version_line(lines) == version


def _version_line(release: list[str]) -> str:
    return next(line for line in release if line.startswith("JAVA_VERSION="))


def _caches(folder: Path) -> dict[str, Path]:
    """The caches, by the function that makes each."""
    uses = {"main": "runtime", "main_commands": "command"}
    return {function: folder / "lib" / f"penstock-{use}.aot" for function, use in uses.items()}


def _jdk() -> Path:
    checkout = Path(__file__).resolve().parents[2]
    find = ". .mvn/jdk25.sh && require_jdk25 && echo $JAVA_HOME"
    home = subprocess.run(
        ["bash", "-c", find], cwd=checkout, check=True, stdout=subprocess.PIPE, text=True
    )
    return Path(home.stdout.strip())


def _tool(jdk: Path, *words: object) -> str:
    line = [str(jdk / "bin" / str(words[0])), *map(str, words[1:])]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def _module(jdk: Path, jar: Path, version: str, work: Path) -> Path:
    """Makes a module of the jar, without native code for other platforms."""
    classes = work / "classes"
    _unpack(jar, classes)
    source = work / "module-info.java"
    needed = ["--print-module-deps", "--ignore-missing-deps", "--multi-release", JAVA_VERSION]
    required = _tool(jdk, "jdeps", *needed, jar).strip().split(",")
    source.write_text(_declaration(classes, sorted({*required, *MORE_MODULES})))
    options = ["--release", JAVA_VERSION, "--add-modules", "jdk.incubator.vector", "-proc:none"]
    _tool(jdk, "javac", *options, "-d", classes, "--patch-module", f"{MODULE}={classes}", source)
    module = work / "module.jar"
    packing = ["--create", "--no-compress", "--module-version", version, "--file", module]
    _tool(jdk, "jar", *packing, "-C", classes, ".")
    return module


def _unpack(jar: Path, folder: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if _is_needed(name)])
    versions = folder / "META-INF" / "versions"
    for number in sorted(int(path.name) for path in versions.iterdir()):
        if number <= JAVA_VERSION:
            shutil.copytree(versions / str(number), folder, dirs_exist_ok=True)
    shutil.rmtree(versions)
    (folder / "META-INF" / "MANIFEST.MF").unlink()


def _is_needed(name: str) -> bool:
    native = NATIVE.fullmatch(name)
    if native is None:
        return True
    system = {"linux": "linux", "darwin": "mac"}[sys.platform]
    machines = {"x86_64": ("amd64", "x86_64"), "arm64": ("aarch64",), "aarch64": ("aarch64",)}
    words = native["platform"].lower()
    return system in words and any(word in words for word in machines[platform.machine()])


def _declaration(classes: Path, required: list[str]) -> str:
    """The declaration of the module: all packages are open to plug-ins, services are as in the
    jar."""
    lines = [f"open module {MODULE} {{", *[f"  requires {name};" for name in required]]
    packages = {path.parent.relative_to(classes) for path in classes.rglob("*.class")}
    names = sorted(".".join(package.parts) for package in packages)
    lines += [f"  exports {name};" for name in names if name and ".internal" not in name]
    services = sorted((classes / "META-INF" / "services").iterdir())
    for file in services:
        # A class inside another one has a dollar sign here, and a dot in a declaration.
        lines_of = file.read_text().splitlines()
        providers = [line.split("#")[0].strip().replace("$", ".") for line in lines_of]
        lines.append(f"  provides {file.name} with {', '.join(filter(None, providers))};")
    used = _used_services(classes) | {file.name for file in services}
    lines += [f"  uses {name};" for name in sorted(used)]
    return "\n".join([*lines, "}", ""])


def _used_services(classes: Path) -> set[str]:
    """The services that may be looked for: all public abstract types that occur in classes which
    use a `ServiceLoader`. A module may declare more of them than it uses."""
    found = set()
    for path in classes.rglob("*.class"):
        content = path.read_bytes()
        if b"java/util/ServiceLoader" in content:
            for name in _classes_named(content)[0]:
                file = classes / f"{name}.class"
                if file.exists() and "$" not in name and _is_public_abstract(file.read_bytes()):
                    found.add(name.replace("/", "."))
    return found


def _is_public_abstract(content: bytes) -> bool:
    flags = int.from_bytes(content[(at := _classes_named(content)[1]) : at + 2], "big")
    return flags & 0x0401 == 0x0401


def _classes_named(content: bytes) -> tuple[list[str], int]:
    """The classes in the constant pool of a class file, and where the pool ends."""
    texts, classes = {}, []
    at, index, count = 10, 1, int.from_bytes(content[8:10], "big")
    while index < count:
        tag, number = content[at], int.from_bytes(content[at + 1 : at + 3], "big")
        if tag == _UTF8:
            texts[index] = content[at + 3 : at + 3 + number]
            at += number
        elif tag == _CLASS:
            classes.append(number)
        at += 3 + _MORE_BYTES.get(tag, 0)
        index += 2 if tag in _TWO_PLACES else 1
    return [texts[place].decode(errors="replace") for place in classes], at


def _link(jdk: Path, module: Path, folder: Path) -> None:
    options = [
        "--strip-debug",
        "--no-header-files",
        "--no-man-pages",
        "--add-options",
        VECTOR_OPTIONS,
    ]
    _tool(
        jdk, "jlink", "--module-path", module, "--add-modules", MODULE, *options, "--output", folder
    )


def _settle_vectors(jdk: Path, folder: Path) -> None:
    """Takes the mark "incubating" off the vector module, in its declaration and in the class that
    jlink has made of all declarations.

    Java keeps no graph of modules with such a module in its cache, and without the graph no linked
    classes and no profiles of methods: each process would start 0.2 s later and be slow until its
    loops were compiled. Two bytes and a number change, and no size.
    """
    modules = folder / "lib" / "modules"
    all_modules = "java.base/jdk/internal/module/SystemModules$all.class"
    declaration = "jdk.incubator.vector/module-info.class"
    with tempfile.TemporaryDirectory(prefix="penstock-runtime-") as name:
        which = "regex:.*/(SystemModules[$]all|jdk.incubator.vector/module-info).class"
        _tool(jdk, "jimage", "extract", "--dir", name, "--include", which, modules)
        image = modules.read_bytes()
        # `new ModuleResolution(9)` (do not resolve by default, warn of incubating), and
        # `hasIncubatorModules() { return true; }`, a method of two bytes.
        before = (Path(name) / all_modules).read_bytes()
        after = _replaced(before, rb"\xbb..\x59\x10\x09\xb7", 5, 0)
        after = _replaced(after, rb"\x00\x00\x00\x02\x04\xac", 4, 3)
        image = _exchanged(image, before, after)
        # The attribute ModuleResolution is the last one, and its value are the last two bytes.
        before = (Path(name) / declaration).read_bytes()
        image = _exchanged(image, before, _replaced(before, rb"\x00\x02\x00\x09\Z", 3, 0))
    modules.write_bytes(image)
    version = [folder / "bin" / "java", "-m", f"{MODULE}/{MODULE}.Main", "--version"]
    if b"incubator" in subprocess.run(version, check=True, capture_output=True).stderr:
        raise RuntimeError("the vector module still counts as incubating")


def _replaced(content: bytes, pattern: bytes, place: int, value: int) -> bytes:
    """Changes one byte of the only match of a pattern."""
    found = list(re.finditer(pattern, content, re.DOTALL))
    if len(found) != 1:
        raise RuntimeError(f"this JDK marks incubating modules in another way: {pattern!r}")
    at = found[0].start() + place
    return content[:at] + bytes([value]) + content[at + 1 :]


def _exchanged(image: bytes, before: bytes, after: bytes) -> bytes:
    if image.count(before) != 1:
        raise RuntimeError("jlink has compressed its modules")
    return image.replace(before, after)


def _jar_line(jar: Path) -> str:
    key = runpy.run_path(str(SOURCE / "penstock" / "_runtime.py"))["jar_key"]
    return f'PENSTOCK_JAR="{key(str(jar))}"'


def _note_jar(folder: Path, jar: Path) -> None:
    with open(folder / "release", "a") as release:
        release.write(_jar_line(jar) + "\n")


def _make_caches(folder: Path) -> None:
    """Uses penstock as programs do while Java records its caches."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); from penstock import _rehearsal; "
    environment = {**os.environ, "PENSTOCK_JAVA_HOME": str(folder)}
    for function, cache in _caches(folder).items():
        call = f"{code}_rehearsal.{function}(sys.argv[2])"
        subprocess.run([sys.executable, "-c", call, SOURCE, cache], check=True, env=environment)
        if not cache.exists():
            raise RuntimeError(f"Java did not make {cache}")
