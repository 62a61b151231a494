# SPDX-License-Identifier: Apache-2.0
"""Makes the AOT cache that lets the Java runtime start sooner and run fast from its first batch on.

The cache holds the classes that the runtime loads, linked and laid out for mapping, and the
profiles of hot methods. A process that finds no cache starts another one in the background, which
uses the package as programs do and then has Java write the cache. Nobody waits for it: the cache
serves the processes that start later.
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

_PLAY_SECONDS = 1.0
# Where no cache can be made, nobody tries more often than this.
_RETRY_SECONDS = 3600


def start(cache: str) -> None:
    """Makes the cache in the background, unless another process has begun to do so."""
    if not sys.executable or not _is_first(cache + ".begun"):
        return
    threading.Thread(target=_run, args=(cache,), name="penstock-rehearsal", daemon=True).start()


def _is_first(path: str) -> bool:
    with suppress(OSError):
        if time.time() - os.stat(path).st_mtime > _RETRY_SECONDS:
            os.unlink(path)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        return False
    return True


def _run(cache: str) -> None:
    code = f"import sys; sys.path[:] = {sys.path!r}; from penstock import _rehearsal; "
    with suppress(OSError):
        subprocess.run(
            [sys.executable, "-c", f"{code}_rehearsal.main({cache!r})"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is meant for the program and not for this.
            start_new_session=True,
            check=False,
        )


def main(cache: str) -> None:
    """What the process in the background does."""
    unfinished = f"{cache}.{os.getpid()}"
    # The runtime ends, and writes the cache, before this is called.
    atexit.register(_publish, unfinished, cache)
    os.environ["PENSTOCK_CACHE"] = ""
    os.environ["PENSTOCK_JAVA_OPTIONS"] = f"-XX:AOTCacheOutput={unfinished}"
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"):
        os.environ.pop(name, None)
    with suppress(AttributeError, OSError):
        os.nice(10)
    with tempfile.TemporaryDirectory(prefix="penstock-rehearsal-") as folder:
        play(Path(folder), _PLAY_SECONDS)


def _publish(unfinished: str, cache: str) -> None:
    with suppress(OSError):
        os.replace(unfinished, cache)


def play(folder: Path, seconds: float) -> None:
    """Uses the package as programs do, for some time."""
    import numpy as np

    import penstock

    steps = np.zeros(50_000, [("board", "<u8"), ("values", "<f4", 4), ("move", "u1")])
    penstock.write(folder / "rows.npy", np.zeros((20_000, 128), np.float32))
    penstock.write(folder / "steps.npy", steps)
    penstock.write(folder / "records.a2pack", [bytes(1 + i % 1500) for i in range(5_000)])
    random = np.random.default_rng(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name in ("rows.npy", "steps.npy", "records.a2pack"):
            with penstock.open(folder / name) as dataset:
                indices = random.integers(0, len(dataset), 1024)
                for _ in range(20):
                    dataset.take(indices)
                if name != "records.a2pack":
                    target = dataset.take(indices)
                    for _ in range(200):
                        dataset.take(indices, out=target)
                loader = penstock.Loader(dataset, 256, shuffle=True, seed=1)
                for _ in loader:
                    pass
                loader.close()
