# SPDX-License-Identifier: Apache-2.0
"""Faults at random moments: killed processes, Ctrl-C, full disks, loaders that are closed.

A list outside of the store knows what was acknowledged. None of it may be lost or stored twice. A
failure prints the seed that repeats it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE_SECONDS
from faults import needs_mounts, run_on

import penstock

IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))
Run = Callable[..., Any]

# The value of a record follows from its number.
VALUE = """
import random

def value(number):
    choice = random.Random(number)
    size = choice.choice([0, 10, 100, 1000, 60_000])
    return choice.randbytes(size)

FIELDS = {"n": {"dtype": "i8", "shape": []}, "value": {}}
"""
exec(VALUE)


def check(acknowledged: list[int], unknown: list[int], found: list[int]) -> None:
    """Checks that a store holds what was acknowledged, and nothing twice."""
    assert [n for n, count in Counter(found).items() if count > 1] == []
    assert sorted(set(acknowledged) - set(found)) == []
    assert sorted(set(found) - set(acknowledged) - set(unknown)) == []


# Threads append and commit on a disk that becomes full and has room again, many times. Records that
# are given up are appended again; another failure is followed by another try or a rollback.
FULL_DISK = (
    VALUE
    + """
import itertools, json, os, sys, threading
import penstock
from penstock import _changes

# Appends write as well, and not only commits.
_changes.PENDING_COUNT = 3
seed, folder, rounds = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
THREADS = 3
lock = threading.Condition()
numbers = itertools.count()
acknowledged, unknown, troubles = [], [], []
commits = 0
is_over = False
store = penstock.Store(os.path.join(folder, "s"), "x", fields=FIELDS)
ballast = os.path.join(folder, "ballast")

def fill_again_and_again():
    # Takes all room but a little, until a write has failed, and then gives it back.
    global is_over
    choices = random.Random(seed)
    try:
        for _ in range(rounds):
            with open(ballast, "wb", buffering=0) as file:
                free = os.statvfs(folder)
                room = free.f_bavail * free.f_bsize - choices.randrange(200_000)
                try:
                    while room > 0:
                        room -= file.write(bytes(min(room, 1 << 16)))
                except OSError:
                    pass
            with lock:
                before = len(troubles)
                lock.wait_for(lambda: len(troubles) > before)
            os.unlink(ballast)
            with lock:
                before = commits + choices.randrange(1, 6)
                lock.wait_for(lambda: commits >= before)
    finally:
        is_over = True

def note(error):
    with lock:
        troubles.append(str(error))
        lock.notify_all()

def append(number):
    return store.append({"n": number, "value": value(number)})

def batch(choices):
    # Appends some records and commits them, until that has happened. Returns whether it has.
    with lock:
        todo = [next(numbers) for _ in range(choices.randrange(1, 8))]
    places = {}
    while True:
        try:
            while todo:
                places[todo[-1]] = append(todo[-1])
                todo.pop()
            store.commit()
            return list(places), True
        except penstock.StoreLostError as e:
            note(e)
            lost = {n for n, place in places.items() if place >= e.first_lost_index}
            places = {n: place for n, place in places.items() if n not in lost}
            todo += lost
        except OSError as e:
            note(e)
            if choices.random() < 0.3:
                # A commit of another thread may have been earlier.
                store.rollback()
                return [*places, *todo], False

def work(choices):
    global commits
    while not is_over:
        mine, is_committed = batch(choices)
        with lock:
            (acknowledged if is_committed else unknown).extend(mine)
            commits += is_committed
            lock.notify_all()

threads = [threading.Thread(target=work, args=(random.Random(seed + i),)) for i in range(THREADS)]
threads.append(threading.Thread(target=fill_again_and_again))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
store.close()
with penstock.Store(os.path.join(folder, "s")) as found:
    numbers = found["n"][:].tolist()
    assert all(text == value(n) for n, text in zip(numbers, found["value"][:]))
print(json.dumps([acknowledged, unknown, numbers, troubles]))
"""
)


@needs_mounts
def test_no_row_of_any_thread_is_lost_on_a_full_disk(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    for _ in range(20 if IS_LONG else 1):
        seed = int(rng.integers(1 << 30))
        done = run_on({str(disk): "64m"}, FULL_DISK, tmp_path, seed, disk, 40)
        assert done.returncode == 0, done.stderr
        acknowledged, unknown, found, troubles = json.loads(done.stdout)
        assert troubles and acknowledged
        check(acknowledged, unknown, found)


KILLED = (
    VALUE
    + """
import itertools, os, sys, threading
import penstock

seed, path = int(sys.argv[1]), sys.argv[2]
store = penstock.Store(path, "a", fields=FIELDS)
lock = threading.Lock()
numbers = itertools.count(int(sys.argv[3]))

def work(random):
    while True:
        mine = []
        for _ in range(random.randrange(1, 6)):
            with lock:
                number = next(numbers)
                os.write(1, b"? %d\\n" % number)
            mine.append(number)
            store.append({"n": number, "value": value(number)})
        store.commit()
        os.write(1, b"".join(b"! %d\\n" % number for number in mine))

threads = [threading.Thread(target=work, args=(random.Random(seed + i),)) for i in range(2)]
for thread in threads:
    thread.start()
"""
)


def test_a_killed_process_loses_nothing_acknowledged(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    acknowledged: list[int] = []
    begun: list[int] = []
    for _ in range(60 if IS_LONG else 2):
        words = [sys.executable, script, rng.integers(1 << 30), tmp_path / "s", len(begun)]
        wanted = int(rng.integers(1, 400))
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(wanted)]
            process.kill()
            # What it wrote before its end is acknowledged as well; a line may be cut.
            lines += [line for line in process.stdout if line.endswith(b"\n")]
        for line in lines:
            kind, number = line.split()
            (begun if kind == b"?" else acknowledged).append(int(number))
    with penstock.Store(tmp_path / "s") as store:
        found = store["n"][:].tolist()
        assert store["value"][:] == [value(n) for n in found]  # type: ignore[name-defined]  # noqa: F821
    assert acknowledged
    check(acknowledged, begun, found)


# A thread raises KeyboardInterrupt in the main thread at random moments. The main thread repeats
# calls that have not happened.
INTERRUPTED = """
import itertools, _thread, threading, time, os, sys
import numpy as np
import penstock
from penstock import _changes, _writer

choices = random.Random(int(sys.argv[1]))
folder, wanted = sys.argv[2], int(sys.argv[3])
_changes.PENDING_COUNT = _writer._PENDING_COUNT = 20
moments = random.Random(choices.random())
is_over = threading.Event()
# No event: an interrupt inside its methods would leave its lock held.
is_armed = False
came = 0

def interrupt():
    global is_armed
    while not is_over.is_set():
        if not is_armed:
            time.sleep(0.0001)
            continue
        # A moment that differs each time; nothing depends on how long it is.
        time.sleep(moments.uniform(0, 0.001))
        if is_armed:
            is_armed = False
            _thread.interrupt_main()

def made(call, has_happened):
    # Makes a call until it has happened.
    global came, is_armed
    while True:
        try:
            is_armed = True
            try:
                call()
            finally:
                is_armed = False
            # The interrupt may be on its way.
            for _ in range(10): pass
            return
        except KeyboardInterrupt:
            came += 1
        except BaseException:
            raise
        while True:
            try:
                if has_happened():
                    return
                break
            except KeyboardInterrupt:
                came += 1

thread = threading.Thread(target=interrupt, daemon=True)
thread.start()
"""

INTERRUPTED_STORE = (
    VALUE
    + INTERRUPTED
    + """
path = os.path.join(folder, "s")
store = penstock.Store(path, "x", fields=FIELDS, durability="none")
expected = []
numbers = itertools.count()
while came < wanted:
    what = choices.choices(["append", "extend", "commit", "rollback"], [30, 4, 1, 1])[0]
    if what == "append":
        number = next(numbers)
        expected.append(number)
        row = {"n": number, "value": value(number)}
        made(lambda: store.append(row), lambda: len(store) == len(expected))
    elif what == "extend":
        some = list(itertools.islice(numbers, choices.randrange(1, 30)))
        expected += some
        columns = {"n": np.array(some), "value": [value(n) for n in some]}
        made(lambda: store.extend(columns), lambda: len(store) == len(expected))
    elif what == "commit":
        made(store.commit, lambda: False)
        kept = list(expected)
    elif len(expected) > 100:
        # Repeated until it is done, so that the list knows what is there.
        made(store.rollback, lambda: False)
        del expected[len(store):]
made(store.close, lambda: False)
is_over.set()
thread.join()
with penstock.Store(path) as found:
    numbers = found["n"][:].tolist()
    assert numbers == expected, (len(numbers), len(expected))
    assert found["value"][:] == [value(n) for n in numbers]
print("done")
"""
)

INTERRUPTED_PACK = (
    VALUE
    + INTERRUPTED
    + """
path = os.path.join(folder, "x.a2pack")
writer = penstock.PackWriter(path)
expected = []
while came < wanted:
    number = len(expected)
    expected.append(number)
    made(lambda: writer.append(value(number), str(number)), lambda: len(writer) == len(expected))
made(writer.close, lambda: False)
is_over.set()
thread.join()
with penstock.open(path) as found:
    assert found[:] == [value(n) for n in expected]
    assert list(found.names) == [str(n) for n in expected]
print("done")
"""
)


INTERRUPTED_LOADER = (
    VALUE
    + INTERRUPTED
    + """
dataset = penstock.from_memory(np.arange(600))
loader = penstock.Loader(dataset, 5, seed=3, transform=lambda batch: batch + 1,
                         workers=int(sys.argv[4]))
batches = got = None

def begin():
    global batches
    batches = iter(loader)

def take():
    got.append(next(batches))

while came < wanted:
    got = []
    batches = None
    epoch = loader.epoch
    made(begin, lambda: batches is not None)
    for step in range(len(loader)):
        def has_come():
            if len(got) == step and len(loader) - loader.steps_left > step:
                # It was delivered, and the interrupt came before it was stored.
                got.append(loader[step])
            return len(got) > step
        made(take, has_come)
    assert sorted(np.concatenate(got).tolist()) == list(range(1, 601))
    assert next(batches, None) is None
    assert loader.epoch == epoch + 1, (loader.epoch, epoch)
is_over.set()
thread.join()
print("done")
"""
)


@pytest.mark.parametrize(
    ("script", "more"),
    [
        (INTERRUPTED_STORE, ()),
        (INTERRUPTED_PACK, ()),
        (INTERRUPTED_LOADER, (0,)),
        (INTERRUPTED_LOADER, (2,)),
    ],
    ids=["store", "pack", "loader", "loader with workers"],
)
def test_interrupts_at_random_moments(
    script: str, more: tuple[int, ...], tmp_path: Path, rng: np.random.Generator
) -> None:
    file = tmp_path / "script.py"
    file.write_text(textwrap.dedent(script))
    wanted = 5000 if IS_LONG else 150
    words = [sys.executable, file, rng.integers(1 << 30), tmp_path, wanted, *more]
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE_SECONDS * 4
    )
    assert done.stderr == ""
    assert (done.stdout, done.returncode) == ("done\n", 0)
