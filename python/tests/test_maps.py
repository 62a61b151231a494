# SPDX-License-Identifier: Apache-2.0
"""Arrays over files, without copies."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy as np
import pytest

import penstock


def test_records_of_a_pack_without_copies(pack: Path) -> None:
    ds = penstock.open(pack)
    views = ds.view()
    assert len(views) == 100 and views[-1].tobytes() == bytes([99]) * 99
    assert [view.tobytes() for view in views] == [bytes([i]) * i for i in range(100)]
    assert [view.tobytes() for view in views[3:5]] == [b"\3" * 3, b"\4" * 4]
    assert not views[7].flags.writeable and views[7].dtype == np.uint8
    for wrong in (100, -101):
        with pytest.raises(IndexError):
            views[wrong]
    kept = views[42]
    ds.close()
    del ds, views
    gc.collect()
    assert kept.tobytes() == bytes([42]) * 42


def test_views_are_refused_where_records_are_compressed(tmp_path: Path) -> None:
    with penstock.PackWriter(tmp_path / "z.a2pack", codec="zstd") as writer:
        writer.append(b"x" * 10_000)
    ds = penstock.open(tmp_path / "z.a2pack")
    assert ds[0] == b"x" * 10_000
    with pytest.raises(ValueError, match="index the dataset"):
        ds.view()[0]


def test_views_of_closed_and_chosen_records_are_refused(pack: Path) -> None:
    ds = penstock.open(pack)
    with pytest.raises(ValueError, match="subset"):
        ds.select([1, 2]).view()
    views = ds.view()
    ds.close()
    with pytest.raises(ValueError, match="closed"):
        ds.view()
    with pytest.raises(ValueError, match="closed"):
        views[0]


def test_threads_find_the_records_they_ask_for(tmp_path: Path) -> None:
    # More than two blocks of places, asked for in turns.
    penstock.write(tmp_path / "n.a2pack", [b"%d" % i for i in range(3000)])
    views = penstock.open(tmp_path / "n.a2pack").view()
    wrong: list[int] = []

    def look(seed: int) -> None:
        for i in np.random.default_rng(seed).integers(0, 3000, 500).tolist():
            if views[i].tobytes() != b"%d" % i:
                wrong.append(i)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
