# SPDX-License-Identifier: Apache-2.0
"""Nothing grows: opens, closes, batches kept and dropped, interrupted calls."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# Resources of a process: Java objects, descriptors, mappings, and megabytes of memory.
HOLDINGS = """
import contextlib, gc, os, threading, time, numpy as np, penstock

def descriptors():
    # The runtime opens its jar when it first needs a class that is not in its AOT cache.
    links = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            links.append(os.readlink("/proc/self/fd/" + number))
    return sum(not link.endswith("/penstock.jar") for link in links)

def status(name):
    with open("/proc/self/status") as file:
        return int(file.read().split(name + ":")[1].split()[0]) // 1024

def holdings():
    gc.collect()
    handles = penstock._jvm.call("handles")
    with open("/proc/self/maps") as file:
        maps = sum(1 for _ in file)
    return handles, descriptors(), maps, status("RssAnon")

def wait_for(is_so):
    # Threads of the runtime give back what Python has dropped.
    until = time.time() + 300
    while not is_so():
        assert time.time() < until, holdings()
        time.sleep(0.05)

def no_growth(before, maps_max, memory_max):
    # Memory that the runtime needs for a moment, to compile something, does not count.
    def is_so():
        handles, descriptors, maps, memory = (b - a for a, b in zip(before, holdings()))
        return handles <= 0 and descriptors <= 0 and maps < maps_max and memory < memory_max

    print("before", before)
    wait_for(is_so)
"""

# A heap of which a test sees all pages soon, so that what still grows is growth. The optimising
# compiler would take tens of megabytes, at a moment that depends on the machine.
SMALL = "-Xmx24m -XX:TieredStopAtLevel=1"

# The number of repetitions of each kind; PENSTOCK_LONG raises it.
COUNT = 40_000 if os.environ.get("PENSTOCK_LONG") else 300


@pytest.mark.parametrize("kind", ["table", "pack"])
def test_many_opens(run: Run, steps: Path, pack: Path, kind: str) -> None:
    """Half of the datasets are closed, and half are left to the garbage collector."""
    result = run(
        f"""
{HOLDINGS}
def work(count):
    for i in range(count):
        ds = penstock.open({str(steps if kind == "table" else pack)!r})
        ds[i % 100]
        if i % 8 == 0:
            ds[next(iter(ds.fields))][1]
        if i % 2 == 0:
            ds.close()

work(300)
before = holdings()
work({COUNT})
# The allocators of the runtime map and grow a little of their own; a file left mapped for each
# open would be hundreds.
no_growth(before, 40, 40)
""",
        PENSTOCK_JAVA_OPTIONS=SMALL,
    )
    assert result.stdout.startswith("before (0, ")


def test_batches_kept_and_dropped(run: Run, tmp_path: Path) -> None:
    """Views and batches hold what they need, after everything else is gone, and then let go."""
    run(
        f"""
{HOLDINGS}
path = {str(tmp_path / "x.npy")!r}
penstock.write(path, np.arange(4_000_000).reshape(1000, 4000))

def batches():
    ds = penstock.open(path)
    loader = penstock.Loader(ds, batch_size=100, shuffle=False)
    kept = list(loader)
    views = [batch[::7, 5:9] for batch in kept]
    kept.append(ds[:])
    loader.close()
    ds.close()
    return kept, views

first = batches()
del first
wait_for(lambda: holdings()[0] == 0)
before = holdings()
for _ in range(3):
    kept, views = batches()
    del kept[:-1]
    # Others come meanwhile and get none of that memory.
    with penstock.open(path) as other:
        for _ in range(5):
            other[:200][:] = -1
    for step, view in enumerate(views):
        assert (view[:, 0] == (np.arange(0, 100, 7) + step * 100) * 4000 + 5).all()
    assert kept[0].sum() == 4_000_000 * 3_999_999 // 2
    del kept, view
    # The views alone keep their batches: 10 of 3.2 MB.
    wait_for(lambda: holdings()[0] == before[0] + 10)
    del views
    wait_for(lambda: holdings()[0] == before[0])

# One round has 64 MB of batches.
no_growth(before, 40, 40)
""",
        PENSTOCK_JAVA_OPTIONS=SMALL,
        # glibc would keep much of what is given back to it, for each thread that ever asked for it.
        MALLOC_MMAP_THRESHOLD_="1048576",
    )


def test_single_records_of_tables_hold_little(run: Run, steps: Path) -> None:
    run(f"""
{HOLDINGS}
ds = penstock.open({str(steps)!r})
before = penstock._jvm.call("handles")
records = [ds[i]["board"] for i in range(1000)]
assert penstock._jvm.call("handles") == before and sum(records) == 499500
""")


def test_many_records_fit_into_a_small_heap(run: Run, steps: Path) -> None:
    """Each would be a batch in Java's heap; when that is full, the process dies."""
    result = run(
        f"""
        import penstock
        ds = penstock.open({str(steps)!r})
        kept = [ds[i % 1000] for i in range(25_000)]
        assert all((kept[i]["values"][0] == i % 1000 * 3) for i in range(25_000))
        print("fine")
    """,
        PENSTOCK_JAVA_OPTIONS=SMALL,
        status=None,
        stderr=None,
    )
    assert result.stdout == "fine\n"


def test_interrupted_calls_leave_nothing(run: Run, tmp_path: Path) -> None:
    run(f"""
import signal
{HOLDINGS}
path = {str(tmp_path / "large.npy")!r}
np.lib.format.open_memmap(path, "w+", "<f8", (4_000_000,)).flush()
ds = penstock.open(path)
before = holdings()[0]
for _ in range(2):
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            ds.where("value > 1 or value < 0 or value > 2")
    except KeyboardInterrupt:
        pass
for thread in threading.enumerate():
    if thread.name == "penstock-where":
        thread.join()
wait_for(lambda: holdings()[0] == before)
""")


def test_interrupts_anywhere_leave_nothing(run: Run, steps: Path) -> None:
    """A signal that comes during a call is served the moment it returns."""
    interrupt_count = 300 if os.environ.get("PENSTOCK_LONG") else 150
    run(f"""
import random, signal
{HOLDINGS}
path = {str(steps)!r}
ds = penstock.open(path)
before = holdings()[0]
batch = other = None
signal.signal(signal.SIGALRM, signal.default_int_handler)
interrupts = 0
while interrupts < {interrupt_count}:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.004))
        while True:
            ds[3], ds["board"][5:9], ds.select([1, 2])[0]
            with penstock.open(path) as other:
                other[1]
            for batch in penstock.Loader(ds, 100):
                pass
    except KeyboardInterrupt:
        interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
del batch, other
wait_for(lambda: holdings()[0] == before)
assert ds[7]["board"] == 7
""")


def test_many_records_can_be_chosen(run: Run, tmp_path: Path) -> None:
    """Their numbers take twice the heap that the runtime begins with, or eight times."""
    count = 16_000_000 if os.environ.get("PENSTOCK_LONG") else 4_000_000
    result = run(f"""
        import numpy as np, penstock
        np.save({str(tmp_path / "x.npy")!r}, np.ones({count}, "u1"))
        ds = penstock.open({str(tmp_path / "x.npy")!r})
        try:
            chosen = ds.where("value == 1")
            print(len(chosen), len(penstock.Loader(chosen, 1_000_000)))
        except MemoryError:
            print("no memory")
        assert ds[5] == 1
    """)
    assert result.stdout == f"{count} {count // 1_000_000}\n"


# Epochs of many small batches. What grows at first is the runtime's own: compiled code, and pages
# of its heap that are touched for the first time.
BATCHES, LIMIT = (10_000_000, 8) if os.environ.get("PENSTOCK_LONG") else (20_000, 30)


def test_batches_of_a_loader(run: Run, steps: Path) -> None:
    result = run(
        f"""
{HOLDINGS}
def work(count):
    for _ in range(count // len(loader)):
        for _ in loader:
            pass

loader = penstock.Loader(penstock.open({str(steps)!r}), 16, drop_last=True)
work({BATCHES} // 3)
before = holdings()
work({BATCHES})
# The batches that it has prefetched.
no_growth((before[0] + 2, *before[1:]), 40, {LIMIT})
""",
        PENSTOCK_JAVA_OPTIONS=SMALL,
        timeout=3600 if os.environ.get("PENSTOCK_LONG") else 600,
    )
    assert result.stdout.startswith("before (")
