# SPDX-License-Identifier: Apache-2.0
"""Datasets that travel to the workers of a process pool."""

from __future__ import annotations

import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import penstock

pytestmark = pytest.mark.full

Runner = Callable[..., "subprocess.CompletedProcess[str]"]

SCRIPT = """
    import multiprocessing, os, sys
    import numpy as np
    import penstock

    def total(ds):
        return int(np.asarray(ds["x"][:]).sum()), len(ds), ds.take([0])["x"].tolist()

    def lengths(ds):
        return [len(record) for record in ds[:]]

    def first(order):
        return int(order.draw(0, 1)[0])

    def value(tree):
        return tree["cat"]

    def attempt(pool, function, argument):
        # A pool that lost a task would wait for ever.
        try:
            return pool.map_async(function, [argument, argument]).get(500)
        except multiprocessing.TimeoutError:
            os.kill(os.getpid(), 9)
        except Exception as e:
            return type(e).__name__

    if __name__ == "__main__":
        folder, method = {folder!r}, {method!r}
        table = penstock.open(folder + "/t.npy")
        pack = penstock.open(folder + "/p.a2pack")
        tree = penstock.open(folder + "/t.act")
        some = table.select([1, 2])
        both = penstock.concat(some, table)
        order = penstock.samplers.Permutation(table, seed=3)
        gone = penstock.open(folder + "/gone.npy")
        in_memory = penstock.from_memory({{"x": np.arange(10)}})
        bytes_in_memory = penstock.from_memory([b"a", b"bc"])
        pack[0]
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(attempt(pool, total, table), attempt(pool, total, some))
            print(attempt(pool, total, both))
            print(attempt(pool, lengths, pack))
            print(attempt(pool, total, in_memory), attempt(pool, total, in_memory.select([1, 2])))
            print(attempt(pool, lengths, bytes_in_memory))
            print(attempt(pool, first, order))
            print(attempt(pool, value, tree))
            os.rename(folder + "/other.npy", folder + "/gone.npy")
            print(attempt(pool, total, gone))
            os.remove(folder + "/gone.npy")
            print(attempt(pool, total, gone))
            # The workers are still there.
            print(attempt(pool, total, table))
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    penstock.write(tmp_path / "t.npy", {"x": np.arange(10)})
    penstock.write(tmp_path / "gone.npy", {"x": np.arange(10)})
    penstock.write(tmp_path / "other.npy", {"x": np.arange(11)})
    penstock.write(tmp_path / "p.a2pack", [b"a", b"bc"])
    penstock.write(tmp_path / "t.act", {"cat": 3})
    return tmp_path


def test_workers_that_start_anew_open_what_they_get(files: Path, run: Runner) -> None:
    for method in ("spawn", "forkserver"):
        (files / "other.npy").exists() or penstock.write(files / "other.npy", {"x": range(11)})
        (files / "gone.npy").exists() or penstock.write(files / "gone.npy", {"x": range(10)})
        lines = run(SCRIPT.format(folder=str(files), method=method)).stdout.splitlines()
        order = penstock.samplers.Permutation(10, seed=3)
        first = int(order.draw(0, 1)[0])
        assert lines == [
            "[(45, 10, [0]), (45, 10, [0])] [(3, 2, [1]), (3, 2, [1])]",
            "[(48, 12, [1]), (48, 12, [1])]",
            "[[1, 2], [1, 2]]",
            "[(45, 10, [0]), (45, 10, [0])] [(3, 2, [1]), (3, 2, [1])]",
            "[[1, 2], [1, 2]]",
            f"[{first}, {first}]",
            "[3, 3]",
            "CorruptDataError",
            "FileNotFoundError",
            "[(45, 10, [0]), (45, 10, [0])]",
        ]


def test_forked_workers_read_datasets_and_tell_of_the_rest(files: Path, run: Runner) -> None:
    lines = run(SCRIPT.format(folder=str(files), method="fork")).stdout.splitlines()
    assert lines == [
        "[(45, 10, [0]), (45, 10, [0])] [(3, 2, [1]), (3, 2, [1])]",
        "[(48, 12, [1]), (48, 12, [1])]",
        "[[1, 2], [1, 2]]",
        "[(45, 10, [0]), (45, 10, [0])] [(3, 2, [1]), (3, 2, [1])]",
        "[[1, 2], [1, 2]]",
        "ForkedError",
        "ForkedError",
        "ValueError",
        "FileNotFoundError",
        "[(45, 10, [0]), (45, 10, [0])]",
    ]


def test_unpickling_opens_nothing_until_it_is_needed(files: Path) -> None:
    ds = penstock.open(files / "gone.npy")
    text = pickle.dumps(ds)
    (files / "gone.npy").unlink()
    again = pickle.loads(text)
    assert len(again) == 10 and list(again.fields) == ["x"] and not again.closed
    for use in (lambda: again[0], lambda: again.view(), lambda: again.fingerprint):
        with pytest.raises(FileNotFoundError):
            use()
    again.close()
    assert again.closed
    with pytest.raises(ValueError, match="closed"):
        again[0]
    mixed = penstock.mix(penstock.open(files / "t.npy"), weights=[1], seed=5)
    copy = pickle.loads(pickle.dumps(mixed))
    assert isinstance(copy, penstock.Mixture)
    assert copy.sampler.draw(0, 5).tolist() == mixed.sampler.draw(0, 5).tolist()
    with penstock.Loader(copy, batch_size=5) as one, penstock.Loader(mixed, batch_size=5) as two:
        assert next(iter(one))["x"].tolist() == next(iter(two))["x"].tolist()
    pairs = penstock.zip(a=penstock.open(files / "t.npy"), b=penstock.open(files / "t.npy"))
    assert pickle.loads(pickle.dumps(pairs))[3] == pairs[3]
