# SPDX-License-Identifier: Apache-2.0
"""Makes the AOT caches that let the Java runtime start sooner and run fast from its first batch on.

There is one cache for the runtime inside a Python process, one for that runtime without the vector
module (`PENSTOCK_VECTORS=off`), and one for the command line. A cache holds the classes that the
runtime loads, linked and laid out for mapping, and the profiles of hot methods. A process that
finds no cache starts another one in the background, which uses the package as programs do and then
has Java write the cache. No program waits for it: the cache serves processes that start later.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import _caches, _runtime

_PLAY_SECONDS = 2.0
_PLAY_LIMIT_SECONDS = 30.0
# The least time between two attempts, in case no cache can be made.
_RETRY_SECONDS = 3600


# A cache serves only processes with the same collector and class path.
COMMAND_OPTIONS = ["-XX:+UseSerialGC", "-Xmx1g"]


def start(cache: str) -> None:
    """Makes the cache in the background, unless another process has begun to do so."""
    if not sys.executable or not _is_first(cache):
        return
    threading.Thread(target=_run, args=(cache,), name="penstock-rehearsal", daemon=True).start()


def _is_first(cache: str) -> bool:
    path = _caches.note_path(cache)
    with suppress(OSError):
        if time.time() - os.stat(path).st_mtime > _RETRY_SECONDS:
            os.unlink(path)
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError:
        return False
    with os.fdopen(file, "wb") as note, suppress(OSError):
        note.write(_caches.note())
    _caches.sweep(cache)
    return True


def start_commands(cache: str) -> None:
    """Makes the cache of the command line in the background, unless another process has begun to
    do so. The background process goes on when this one becomes the Java process of a command."""
    if sys.executable and _is_first(cache):
        with suppress(OSError):
            subprocess.Popen(_process("main_commands", cache), **_DETACHED)


# Ctrl-C in the program must not end the background process.
_DETACHED: dict[str, Any] = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.DEVNULL,
    "stderr": subprocess.DEVNULL,
    "start_new_session": True,
}


def _process(function: str, cache: str) -> list[str]:
    code = f"import sys; sys.path[:] = {sys.path!r}; from penstock import _rehearsal; "
    return [sys.executable, "-c", f"{code}_rehearsal.{function}({cache!r})"]


def _run(cache: str) -> None:
    with suppress(OSError):
        subprocess.run(_process("main", cache), check=False, **_DETACHED)


def _step_back() -> None:
    """Takes away what would disturb the recording, and gives way to other programs."""
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "PENSTOCK_PLUGINS"):
        os.environ.pop(name, None)
    with suppress(AttributeError, OSError):
        os.nice(10)


def main_commands(cache: str) -> None:
    """Runs in the background process that makes the cache of the command line."""
    _step_back()
    unfinished = f"{cache}.{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="penstock-rehearsal-") as folder:
        runtime = _runtime.find_runtime()
        recording = [runtime.native_access, f"-XX:AOTCacheOutput={unfinished}"]
        main = [word.replace(".Main", ".Training") for word in runtime.main]
        line = [runtime.launcher, *COMMAND_OPTIONS, *recording, *main, folder]
        done = subprocess.run(line, check=False)
    if done.returncode == 0:
        _publish(unfinished, cache)


def main(cache: str) -> None:
    """Runs in the background process."""
    unfinished = f"{cache}.{os.getpid()}"
    # The runtime has ended and written the cache before this function is called.
    atexit.register(_publish, unfinished, cache)
    os.environ["PENSTOCK_AOT_CACHE"] = ""
    os.environ["PENSTOCK_JAVA_OPTIONS"] = f"-XX:AOTCacheOutput={unfinished}"
    _step_back()
    with tempfile.TemporaryDirectory(prefix="penstock-rehearsal-") as folder:
        play(Path(folder), _PLAY_SECONDS)


def _publish(unfinished: str, cache: str) -> None:
    with suppress(OSError):
        os.replace(unfinished, cache)


def play(folder: Path, seconds: float) -> None:
    """Uses the package as programs do, for some seconds of processor time: on a busy machine the
    clock would leave methods without a profile."""
    import numpy as np

    import penstock

    steps = np.zeros(50_000, [("board", "<u8"), ("values", "<f4", 4), ("move", "u1")])
    records = [bytes(1 + i % 1500) for i in range(5_000)]
    penstock.write(folder / "rows.npy", np.zeros((20_000, 128), np.float32))
    penstock.write(folder / "wide.npy", np.zeros((10_000, 512), np.float32))
    penstock.write(folder / "steps.npy", steps)
    penstock.write(folder / "records.a2pack", records)
    with penstock.shards.Writer(folder / "shards", 256, shard_rows=5_000) as shards:
        for _ in range(20):
            shards.append(np.zeros((500, 256), np.float32))
    fields = {"text": {}, "number": {"dtype": "i8", "shape": []}}
    penstock.Store(folder / "written.store", "w", fields=fields).close()
    random = np.random.default_rng(1)
    end = time.process_time() + seconds
    limit = time.monotonic() + _PLAY_LIMIT_SECONDS
    while time.process_time() < end and time.monotonic() < limit:
        for name in ("rows.npy", "wide.npy", "steps.npy", "records.a2pack"):
            is_table = name != "records.a2pack"
            with penstock.open(folder / name) as dataset:
                indices = random.integers(0, len(dataset), 1024)
                for _ in range(20):
                    dataset.take(indices)
                    dataset.take(indices, ragged=not is_table)
                if is_table:
                    target = dataset.take(indices)
                    for _ in range(200):
                        dataset.take(indices, out=target)
                loader = penstock.Loader(dataset, 256, shuffle=True, seed=1, ragged=not is_table)
                for _ in range(3):
                    for _ in loader:
                        pass
                loader.close()
        with penstock.PackWriter(folder / "written.a2pack", overwrite=True) as writer:
            writer.extend(records)
        corpus = penstock.open(folder / "shards", expect=penstock.shards.Shards)
        for dtype in ("f8", "f4"):
            for _ in corpus.batches(dtype):
                pass
        corpus.close()
        with penstock.Store(folder / "written.store", "a") as store:
            store.extend({"text": records[:1000], "number": np.zeros(1000, "i8")})
            store.commit()
            for record in records[:1000]:
                store.append({"text": record, "number": 1})
