# SPDX-License-Identifier: Apache-2.0
"""The AOT cache that makes the runtime start sooner, and what may be wrong with it."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import command_line, wait_until

import penstock
from penstock import _caches, _rehearsal, _runtime

# One process makes what these tests share.
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("cache")]

Run = Callable[..., Any]

USE = """
import penstock
ds = penstock.open({path!r})
next(iter(penstock.Loader(ds, 10)))
print(len(ds))
"""
# Begins to make a cache and leaves it at that: making one takes seconds.
ONLY_BEGIN = """
from penstock import _rehearsal
_rehearsal._run = lambda cache: None
"""


def made(folder: Path, pattern: str = "runtime-*.aot") -> Path:
    """The cache, as soon as it is there: it is made in the background."""
    wait_until(lambda: any(folder.glob(pattern)))
    return next(folder.glob(pattern))


@pytest.fixture(scope="module")
def cached() -> Path:
    """The folder of the cache that the first process of all tests makes."""
    penstock.memory()
    folder = Path(str(_runtime.cache(_runtime.find_runtime()))).parent
    made(folder)
    return folder


@pytest.fixture
def scalar(run: Run, steps: Path, cached: Path) -> Path:
    """The cache of processes without the vector module, which the first of them makes."""
    if not any(cached.glob("scalar-*.aot")):
        run(USE.format(path=str(steps)), PENSTOCK_VECTORS="off")
    return made(cached, "scalar-*.aot")


def loaded(run: Run, steps: Path, folder: Path, log: Path, vectors: str = "off") -> str:
    """The classes that the next process loads, and where they come from."""
    done = run(
        USE.format(path=str(steps)),
        PENSTOCK_AOT_CACHE=str(folder),
        PENSTOCK_JAVA_OPTIONS=f"-Xlog:class+load:file={log}",
        PENSTOCK_VECTORS=vectors,
    )
    assert done.stdout == "1000\n"
    return log.read_text()


SHARED = "dev.penstock.loader.Loader source: shared objects file"


@pytest.mark.parametrize("vectors", ["", "off"])
def test_the_first_process_makes_it_and_the_next_use_it(
    run: Run, steps: Path, cached: Path, scalar: Path, tmp_path: Path, vectors: str
) -> None:
    cache = scalar if vectors == "off" else made(cached)
    before = cache.stat()
    assert before.st_size > 1 << 20 and cached.stat().st_mode & 0o077 == 0
    classes = loaded(run, steps, cached, tmp_path / "log", vectors)
    assert SHARED in classes
    if vectors == "off":
        # Java makes these anew when the cache is of a runtime with the vector module.
        lambdas = re.findall(r"dev\.penstock\.bridge\.Bridge\$\$Lambda.*", classes)
        assert lambdas and all("shared objects file" in line for line in lambdas)
    files = [file for file in cached.iterdir() if file.name != "swept"]
    assert {file.suffix for file in files} == {".aot", ".begun"}
    assert cache.stat().st_mtime_ns == before.st_mtime_ns


def test_the_classes_do_not_come_from_a_cache_without_one(
    run: Run, steps: Path, tmp_path: Path
) -> None:
    assert SHARED not in loaded(run, steps, Path(), tmp_path / "log")


@pytest.mark.parametrize("damage", ["garbage", "empty", "cut", "flipped", "folder"])
def test_a_bad_one_does_no_harm_and_is_made_again(
    run: Run, steps: Path, scalar: Path, tmp_path: Path, damage: str
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    whole = scalar.read_bytes()
    cache = folder / scalar.name
    match damage:
        case "garbage":
            cache.write_bytes(os.urandom(100_000))
        case "empty":
            cache.write_bytes(b"")
        case "cut":
            cache.write_bytes(whole[: len(whole) // 2])
        case "flipped":
            # In the header, which is what the runtime checks.
            cache.write_bytes(whole[:8] + bytes([whole[8] ^ 1]) + whole[9:])
        case "folder":
            cache.mkdir()
    script = ONLY_BEGIN + USE.format(path=str(steps))
    # The second process finds the beginning of the first.
    for _ in range(2 if damage == "garbage" else 1):
        done = run(script, PENSTOCK_AOT_CACHE=str(folder), PENSTOCK_VECTORS="off")
        assert done.stdout == "1000\n"
    assert (folder / (scalar.name + ".begun")).exists()


def test_only_one_process_makes_it(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    assert _rehearsal._is_first(cache)
    assert not _rehearsal._is_first(cache)
    age(tmp_path / "cache.begun")
    assert _rehearsal._is_first(cache)


def test_a_rehearsal_that_fails_leaves_no_cache(tmp_path: Path) -> None:
    cache = tmp_path / "runtime.aot"
    _rehearsal._publish(f"{cache}.1", str(cache))
    assert not cache.exists()


@pytest.mark.parametrize("cache", ["", "relative", "/proc/nowhere"])
def test_without_a_place_there_is_none(run: Run, steps: Path, cache: str) -> None:
    assert run(USE.format(path=str(steps)), PENSTOCK_AOT_CACHE=cache).stdout == "1000\n"


def test_another_jar_has_its_own_and_ends_that_of_the_old(
    steps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, jar = tmp_path / "cache", tmp_path / "penstock.jar"
    jar.write_bytes(b"one")
    runtime = _runtime.find_runtime()
    monkeypatch.setenv("PENSTOCK_AOT_CACHE", str(folder))
    monkeypatch.setattr(_runtime, "jar", lambda: str(jar))
    first = Path(str(_runtime.cache(runtime)))
    assert _rehearsal._is_first(str(first))
    first.write_bytes(b"")
    assert _runtime.cache(runtime) == str(first)
    jar.write_bytes(b"another")
    second = Path(str(_runtime.cache(runtime)))
    assert second != first and first.exists()
    assert _rehearsal._is_first(str(second))
    assert {file.name for file in folder.iterdir()} == {f"{second.name}.begun", "swept"}


def age(*files: Path) -> None:
    """Makes files look as if they were two days old."""
    for file in files:
        os.utime(file, (time.time() - 48 * 3600,) * 2)


class Installations:
    """Makes caches of several installations in one folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._patch = monkeypatch
        self.caches = folder / "cache"
        monkeypatch.setenv("PENSTOCK_AOT_CACHE", str(self.caches))

    def cache(self, name: str) -> Path:
        """The cache of an installation, which is the current one from here on."""
        jar = self._folder / f"{name}.jar"
        jar.write_bytes(name.encode())
        self._patch.setattr(_runtime, "jar", lambda: str(jar))
        path = Path(str(_runtime.cache(_runtime.find_runtime())))
        assert _rehearsal._is_first(str(path))
        path.write_bytes(b"")
        return path

    def remove(self, name: str) -> None:
        (self._folder / f"{name}.jar").unlink()


@pytest.fixture
def installations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installations:
    return Installations(tmp_path, monkeypatch)


def beside(cache: Path, ending: str) -> Path:
    file = cache.with_name(cache.name + ending)
    file.write_bytes(b"")
    return file


def test_what_no_installation_uses_is_removed(installations: Installations) -> None:
    gone, kept, own = map(installations.cache, ["gone", "kept", "own"])
    foreign = installations.caches / "lock"
    foreign.write_bytes(b"")
    # Before there were notes about the jar.
    unknown = gone.with_name("runtime-00000000-00000000.aot")
    unknown.write_bytes(b"")
    age(foreign, unknown, beside(unknown, ".begun"), kept)
    installations.remove("gone")
    _caches.sweep(str(own))
    assert not gone.exists() and not Path(f"{gone}.begun").exists() and not unknown.exists()
    assert kept.exists() and own.exists() and foreign.exists()


def test_unfinished_ones_are_removed_when_their_process_is_gone(
    installations: Installations,
) -> None:
    kept, own = map(installations.cache, ["kept", "own"])
    with subprocess.Popen(["true"]) as process:
        process.wait()
    ended = [beside(kept, f".{process.pid}"), beside(kept, f".{process.pid}.config")]
    running = [beside(kept, f".{os.getpid()}"), beside(kept, f".{os.getpid()}.config")]
    _caches.sweep(str(own))
    # A container may share the folder, and its processes have other numbers.
    assert all(file.exists() for file in ended)
    age(*ended, *running)
    _caches.sweep(str(own))
    assert not any(file.exists() for file in ended)
    assert all(file.exists() for file in running)
    assert kept.exists()


def test_the_number_of_caches_is_limited(
    installations: Installations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_caches, "CACHES_MAX", 3)
    caches = [installations.cache(str(i)) for i in range(3)]
    age(Path(f"{caches[1]}.begun"))
    own = installations.cache("own")
    assert [cache.exists() for cache in [*caches, own]] == [True, False, True, True]


def test_a_start_sweeps_once_a_day(installations: Installations) -> None:
    gone, own = map(installations.cache, ["gone", "own"])
    installations.remove("gone")
    _caches.sweep_daily(str(own))
    assert gone.exists()
    age(installations.caches / "swept")
    _caches.sweep_daily(str(own))
    assert not gone.exists()


def test_commands_have_a_cache_of_their_own(steps: Path, cached: Path, tmp_path: Path) -> None:
    """The first command makes it in the background, and later ones take their classes from it."""

    def command() -> str:
        log = tmp_path / "log"
        line = command_line("stats", steps)
        line.insert(line.index("-cp"), f"-Xlog:class+load:file={log}")
        subprocess.run(line, check=True, capture_output=True)
        return log.read_text()

    command()
    cache = made(cached, "command-*.aot")
    assert cache.stat().st_size > 1 << 20
    assert "dev.penstock.app.StatsCommand source: shared objects file" in command()
