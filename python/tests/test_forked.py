# SPDX-License-Identifier: Apache-2.0
"""Tables that were opened before a fork, read after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
