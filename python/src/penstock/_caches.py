# SPDX-License-Identifier: Apache-2.0
"""Keeps the folder of the AOT caches small.

A cache is `USE-JAR-CONTENT.aot`. The note beside it, `.aot.begun`, tells the jar and the runtime
that it is for. While a process makes the cache there are also `.aot.PID` and `.aot.PID.config`. A
process that has mapped a cache keeps it when the file is removed.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from typing import Literal

from . import _runtime

# The largest number of caches, of some 20 MB each.
CACHES_MAX = 12
_SWEEP_SECONDS = 24 * 3600
# Files that changed later than this are left alone: a note is empty before it is written, and the
# processes of a container have other numbers.
_YOUNG_SECONDS = 3600
_MARK = "swept"
# All other files of the folder belong to somebody else.
_OURS = re.compile(
    r"(?P<cache>(?:runtime|scalar|command)-(?P<key>[0-9a-f]{8}-[0-9a-f]{8})\.aot)"
    r"(?:\.begun|\.(?P<maker>[0-9]+)(?:\.config)?|\.config)?"
)


def note_path(cache: str) -> str:
    """Returns the path of the note about a cache."""
    return cache + ".begun"


def note() -> bytes:
    """Returns the note about a cache of this installation."""
    return os.fsencode(f"{_runtime.jar()}\n{_runtime.find_runtime().home}\n")


def sweep_daily(cache: str) -> None:
    """Calls `sweep`, unless that was done in the last day."""
    with suppress(OSError):
        if time.time() - os.stat(_mark(cache)).st_mtime < _SWEEP_SECONDS:
            return
    sweep(cache)


def _mark(cache: str) -> str:
    return os.path.join(os.path.dirname(cache), _MARK)


def sweep(cache: str) -> None:
    """Removes what no installation uses from the folder of the cache of this process. Errors are
    ignored: it is tried again another day."""
    with suppress(OSError):
        os.close(os.open(_mark(cache), os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        os.utime(_mark(cache))
        with suppress(FileNotFoundError):
            # The order in which caches were used.
            os.utime(note_path(cache))
        folder, own = os.path.split(cache)
        groups: dict[str, list[re.Match[str]]] = {}
        for name in os.listdir(folder):
            found = _OURS.fullmatch(name)
            if found is not None and found["cache"] != own:
                groups.setdefault(found["cache"], []).append(found)
        _sweep(folder, groups)


def _sweep(folder: str, groups: dict[str, list[re.Match[str]]]) -> None:
    used = []
    for cache, files in groups.items():
        path = os.path.join(folder, cache)
        state = _state(path, files[0]["key"])
        if state == "unknown" and all(_is_old(os.path.join(folder, file[0])) for file in files):
            state = "unused"
        if state == "used":
            used.append(path)
        for file in files:
            if file["maker"] is not None:
                _remove_unfinished(os.path.join(folder, file[0]), int(file["maker"]))
            elif state == "unused":
                _remove(os.path.join(folder, file[0]))
    used.sort(key=lambda path: _changed(note_path(path)), reverse=True)
    # One place is for the cache of this process.
    for path in used[CACHES_MAX - 1 :]:
        _remove(path)
        _remove(note_path(path))


def _state(cache: str, key: str) -> Literal["used", "unused", "unknown"]:
    """Whether the jar and the runtime of a cache are still there and the same."""
    try:
        with open(note_path(cache), "rb") as file:
            jar, home = os.fsdecode(file.read()).splitlines()
    except (OSError, ValueError):
        return "unknown"
    try:
        is_same = os.path.isdir(home) and _runtime.cache_key(jar, home) == key
    except OSError:
        is_same = False
    return "used" if is_same else "unused"


def _remove_unfinished(path: str, process: int) -> None:
    if _is_old(path) and not _is_running(process):
        _remove(path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _is_old(path: str) -> bool:
    return time.time() - _changed(path) > _YOUNG_SECONDS


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
