# SPDX-License-Identifier: Apache-2.0
"""Datasets that were opened before a fork, read after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import wait_until

pytestmark = pytest.mark.full

Run = Callable[..., Any]

SCRIPT = """
import os
import numpy as np
import penstock

rng = np.random.default_rng(5)
folder = {folder!r} + "/"
nested = np.dtype([("a", ">i4"), ("b", [("c", "<f4", (2,)), ("d", "M8[s]")]), ("e.f", "S3")])
arrays = {{
    "plain": rng.integers(0, 99, 50),
    "wide": rng.random((50, 3, 2)).astype(">f8"),
    "nested": np.frombuffer(rng.bytes(50 * nested.itemsize), nested).copy(),
    "flat": np.zeros(50, [("x", "<u2"), ("y", "?")]),
}}
arrays["flat"]["x"] = np.arange(50)
datasets = {{}}
for name, array in arrays.items():
    np.save(folder + name + ".npy", array)
    datasets[name] = penstock.open(folder + name + ".npy")
with penstock.TableWriter(folder + "shards", "<i8", shape=(2,), shard_rows=7) as writer:
    writer.append(np.arange(100).reshape(50, 2))
arrays["shards"] = np.arange(100).reshape(50, 2)
datasets["shards"] = penstock.open(folder + "shards")
datasets["chosen"] = datasets["nested"].select(np.arange(49, 9, -3))
arrays["chosen"] = arrays["nested"][np.arange(49, 9, -3)]
expressions = [0, -1, slice(3, 40, 7), [3, 3, -2], np.arange(10) % 3, np.array([], np.int64)]


def everything():
    result = {{}}
    for name, ds in datasets.items():
        for number, expression in enumerate(expressions):
            result[name, number] = ds[expression]
            for column in ds.fields:
                result[name, number, column] = ds[column][expression]
        out = np.empty((4, *ds.shape[1:]), ds.dtype)
        result[name, "out"] = ds.take(np.array([1, 2, 2, 0]), out=out)
        for wrong in (60, -61, [0, 60]):
            try:
                ds[wrong]
                raise AssertionError(f"{{name}} has no {{wrong}}")
            except IndexError:
                pass
    return result


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    one, other = np.asarray(one), np.asarray(other)
    alike = one.dtype == other.dtype and one.shape == other.shape
    return alike and one.tobytes() == other.tobytes()


java = everything()
for name, array in arrays.items():
    out = java[name, "out"]
    assert out.tobytes() == array[[1, 2, 2, 0]].astype(out.dtype).tobytes(), name
child = os.fork()
if child == 0:
    forked = everything()
    different = [key for key in java if not same(java[key], forked[key])]
    for key in different:
        print(key, java[key], forked[key])
    os._exit(1 if different else 7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_forked_processes_read_tables_as_java_does(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    result = run(SCRIPT.format(folder=str(folder)))
    assert result.stdout == ""


SERVED = """
import os, pickle, signal, threading, time
import numpy as np
import penstock

folder = {folder!r} + "/"
rng = np.random.default_rng(7)
records = [rng.bytes(int(size)) for size in rng.integers(0, 3000, 40)]
penstock.write(folder + "p.a2pack", {{f"r{{i}}": record for i, record in enumerate(records)}})
declared = {{"x": {{"dtype": "f4", "shape": [3]}}, "note": {{"compress": "zstd"}}}}
with penstock.Store(folder + "s", "w", fields=declared) as store:
    store.extend({{"x": rng.random((40, 3)), "note": records}})
    store.append({{"x": [1, 2, 3]}})
pack, store = penstock.open(folder + "p.a2pack"), penstock.open(folder + "s")
table = penstock.from_memory({{"a": np.arange(9)}})
named = {{
    "pack": pack,
    "store": store,
    "chosen": pack.select([5, 3, 3, 9]),
    "joined": penstock.concat(pack, pack.select([1, 2])),
    "zipped": penstock.zip(p=pack.select(range(9)), t=table),
    "pickled": pickle.loads(pickle.dumps(store)),
}}


def everything():
    result = {{}}
    for name, ds in named.items():
        for expression in (0, -1, slice(1, 9, 3), [1, 1, -2], np.array([], np.int64)):
            result[name, str(expression)] = ds[expression]
            for column in ds.fields:
                result[name, column, str(expression)] = ds[column][expression]
        result[name, "ragged"] = ds.take([2, 0, 1], ragged=True)
        try:
            ds[1000]
        except IndexError as e:
            result[name, "error"] = str(e)
    result["names"] = pack.name(3), pack.find("r7"), pack.get("r8"), pack.fingerprint
    return result


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, penstock.Ragged):
        return same(one.values, other.values) and same(one.offsets, other.offsets)
    if isinstance(one, (np.ndarray, np.generic)):
        return one.dtype == other.dtype and one.shape == other.shape and str(one) == str(other)
    return type(one) is type(other) and one == other
"""


def test_forked_processes_read_every_format_as_java_does(run: Run, tmp_path: Path) -> None:
    script = """
expected = everything()
named["pickled"] = pickle.loads(pickle.dumps(store))


def check(code):
    different = [key for key, one in everything().items() if not same(expected[key], one)]
    for key in different:
        print(key)
    os._exit(1 if different else code)


def status(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


child = os.fork()
if child == 0:
    # Several threads at once, and a child of the child.
    found = []
    threads = [threading.Thread(target=lambda: found.append(everything())) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 3 and all(same(expected, one) for one in found)
    grandchild = os.fork()
    if grandchild == 0:
        check(5)
    assert status(grandchild) == 5
    check(7)
assert status(child) == 7
# The parent reads meanwhile.
child = os.fork()
if child == 0:
    check(8)
assert same(expected, everything())
assert status(child) == 8
pack.close()
child = os.fork()
if child == 0:
    try:
        pack[0]
    except ValueError as e:
        os._exit(9 if "closed" in str(e) else 1)
assert status(child) == 9
"""
    result = run(SERVED.format(folder=str(tmp_path)) + script)
    assert result.stdout == ""


def test_a_forked_process_that_outlives_the_reader_gets_an_error(run: Run, tmp_path: Path) -> None:
    script = """
ready = os.pipe()
told = os.pipe()
child = os.fork()
if child == 0:
    os.close(told[1])
    assert pack[0] == records[0]
    os.write(ready[1], b".")
    os.read(told[0], 1)
    try:
        pack[1]
        words = "read"
    except penstock.ForkedError as e:
        words = str(e)
    with open(folder + "words", "w") as out:
        out.write(words)
    os.rename(folder + "words", folder + "said")
    os._exit(0)
os.read(ready[0], 1)
# The end of this process closes the pipe that the child waits for.
os.kill(os.getpid(), 9)
"""
    run(SERVED.format(folder=str(tmp_path)) + script, status=None, stderr=None)
    wait_until(lambda: (tmp_path / "said").exists())
    assert "the process that opened the dataset has ended" in (tmp_path / "said").read_text()
