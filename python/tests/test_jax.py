# SPDX-License-Identifier: Apache-2.0
"""Batches as JAX arrays over the same memory. In processes of their own, because JAX has threads
and other tests fork."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import penstock

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        importlib.util.find_spec("jax") is None, reason="needs JAX; python/extra.sh jax installs it"
    ),
]

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CHECKS = """
import os
import tempfile

import jax
import ml_dtypes
import numpy as np
import penstock

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)

rows = np.zeros(1000, [("board", "<u8"), ("move", "u1"), ("values", "<f4", (3,))])
rows["board"], rows["move"] = np.arange(1000), np.arange(1000) % 4
rows["values"] = np.arange(3000).reshape(1000, 3)
np.save("steps.npy", rows)
ds = penstock.open("steps.npy")
same = lambda batch: batch
for workers in (0, 2):
    got = penstock.Loader(ds, 100, seed=2, to="jax", workers=workers, transform=same)
    for batch, arrays in zip(got, penstock.Loader(ds, 100, seed=2), strict=True):
        assert all(isinstance(values, jax.Array) for values in batch.values())
        assert batch["move"].dtype == np.uint8
        # JAX has numbers of 64 bits only when it is told to.
        assert batch["board"].dtype == np.uint32
        for name, values in batch.items():
            np.testing.assert_array_equal(np.asarray(values), arrays[name])

# The memory is that of the batch, and stays for as long as an array refers to it.
penstock.write("rows.npy", np.arange(4000, dtype=np.float32).reshape(100, 40))
loader = penstock.Loader(penstock.open("rows.npy"), 10, shuffle=False, to="jax")
kept = []
for batch in loader:
    info, owner = loader._last
    assert batch.unsafe_buffer_pointer() == info.values(owner, False)["value"].ctypes.data
    kept.append(batch)
for number, batch in enumerate(kept):
    assert float(batch[0, 0]) == 400 * number

# Values that JAX has no type for stay NumPy arrays.
rows = np.zeros(4, [("text", "S3"), ("day", "M8[D]"), ("half", "<f2")])
np.save("odd.npy", rows)
batch = next(iter(penstock.Loader(penstock.open("odd.npy"), 4, to="jax")))
assert isinstance(batch["text"], np.ndarray) and isinstance(batch["day"], np.ndarray)
assert batch["half"].dtype == np.float16
penstock.write("records.a2pack", [b"a", b"bcd"])
ragged = next(iter(penstock.Loader(penstock.open("records.a2pack"), 2, to="jax", ragged=True)))
assert isinstance(ragged, penstock.Ragged)
penstock.write("b.npy", np.arange(8).astype(ml_dtypes.bfloat16))
batch = next(iter(penstock.Loader(penstock.open("b.npy"), 8, shuffle=False, to="jax")))
assert batch.dtype == jax.numpy.bfloat16
assert batch.astype(np.float32).tolist() == list(range(8))
print("all is well")
"""


def test_batches_are_jax_arrays(run: Run) -> None:
    assert run(CHECKS, stderr=None).stdout == "all is well\n"


def test_pinned_memory_is_not_for_jax(steps: Any) -> None:
    with pytest.raises(ValueError, match="pin_memory is for to='torch'"):
        penstock.Loader(penstock.open(steps), 8, to="jax", pin_memory=True)
