# SPDX-License-Identifier: Apache-2.0
"""The file that makes the runtime start sooner, and what may be wrong with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock import _runtime

Run = Callable[..., Any]

USE = """
import penstock
ds = penstock.open({path!r})
next(iter(penstock.Loader(ds, 10)))
print(len(ds))
"""


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("classes-*.jsa"))


def test_the_first_process_makes_it_and_the_next_use_it(
    run: Run, steps: Path, tmp_path: Path
) -> None:
    script, cache = USE.format(path=str(steps)), tmp_path / "cache"
    assert run(script, PENSTOCK_CACHE=str(cache)).stdout == "1000\n"
    (archive,) = files(cache)
    made = archive.stat()
    assert made.st_size > 1 << 20 and cache.stat().st_mode & 0o077 == 0
    # What comes from the file is said to be shared; without it nothing of ours is.
    log = str(tmp_path / "classes.log")
    run(
        script,
        PENSTOCK_CACHE=str(cache),
        PENSTOCK_JAVA_OPTIONS=f"-Xlog:class+load:file={log}",
    )
    assert "dev.penstock.loader.Loader source: shared objects file" in Path(log).read_text()
    assert files(cache) == [archive] and archive.stat().st_mtime_ns == made.st_mtime_ns


@pytest.mark.parametrize("damage", ["garbage", "empty", "cut", "flipped", "folder", "forbidden"])
def test_a_bad_one_does_no_harm(run: Run, steps: Path, tmp_path: Path, damage: str) -> None:
    script, cache = USE.format(path=str(steps)), tmp_path / "cache"
    run(script, PENSTOCK_CACHE=str(cache))
    (archive,) = files(cache)
    whole = archive.read_bytes()
    archive.unlink()
    match damage:
        case "garbage":
            archive.write_bytes(os.urandom(100_000))
        case "empty":
            archive.write_bytes(b"")
        case "cut":
            archive.write_bytes(whole[: len(whole) // 2])
        case "flipped":
            # In the header, which is what the runtime checks.
            archive.write_bytes(whole[:8] + bytes([whole[8] ^ 1]) + whole[9:])
        case "folder":
            archive.mkdir()
        case "forbidden":
            archive.write_bytes(whole)
            archive.chmod(0)
    for _ in range(2):
        assert run(script, PENSTOCK_CACHE=str(cache)).stdout == "1000\n"


@pytest.mark.parametrize("cache", ["", "relative", "/proc/nowhere"])
def test_without_a_place_there_is_none(run: Run, steps: Path, cache: str) -> None:
    assert run(USE.format(path=str(steps)), PENSTOCK_CACHE=cache).stdout == "1000\n"


def test_another_jar_has_its_own_and_ends_that_of_the_old(
    steps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, jar = tmp_path / "cache", tmp_path / "penstock.jar"
    jar.write_bytes(b"one")
    runtime = _runtime.find_runtime()
    monkeypatch.setenv("PENSTOCK_CACHE", str(cache))
    monkeypatch.setattr(_runtime, "jar", lambda: str(jar))
    first = Path(str(_runtime.archive(runtime)))
    first.write_bytes(_runtime._ARCHIVE_MAGIC)
    assert _runtime.archive(runtime) == str(first)
    jar.write_bytes(b"another")
    second = Path(str(_runtime.archive(runtime)))
    assert second != first and not first.exists()
