# SPDX-License-Identifier: Apache-2.0
"""Writes one small dataset of each format, with what a reader must find in it, for a release.

    target/python-tests/venv/bin/python testdata/releases/make.py 0.1.0

A folder that exists is not changed: files of a release are frozen.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import penstock


def make(folder: Path) -> None:
    folder.mkdir()
    rows = np.zeros(7, [("id", "<i4"), ("x", "<f4", (3,))])
    rows["id"] = np.arange(7)
    rows["x"] = np.arange(21).reshape(7, 3) / 4
    penstock.write(folder / "table.npy", rows)
    with penstock.TableWriter(
        folder / "table", rows.dtype, shard_rows=3, metadata={"by": "make.py"}
    ) as table:
        table.append(rows)
    for codec in ("none", "zstd", "lz4"):
        with penstock.PackWriter(folder / f"{codec}.a2pack", codec=codec) as pack:
            for i in range(5):
                pack.append(b"record " * i, name=f"{i}.txt")
    penstock.write(folder / "tree.act", {"cat": 3, "catfish": 5, "dog": 7})
    with penstock.shards.Writer(folder / "shards", 4, shard_rows=5) as shards:
        shards.append(np.arange(48, dtype="f4").reshape(12, 4))
    fields = {"point": {"dtype": "f4", "shape": [2]}, "text": {}}
    with penstock.Store(folder / "store", "w", fields=fields) as store:
        store.extend({"point": np.ones((3, 2), "f4"), "text": [b"a", None, b"ccc"]})
    with penstock.Store(folder / "store", "a") as store:
        store.append({"point": np.zeros(2, "f4"), "text": b"later"})
    with penstock.Loader(folder / "table.npy", 2, seed=7) as loader:
        next(iter(loader))
        state = loader.state_dict()
        rest = [int(one) for batch in loader for one in batch["id"]]
    expected = {"datasets": {}, "state": state, "epoch": rest}
    for path in sorted(folder.iterdir()):
        expected["datasets"][path.name] = summary(path)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def summary(path: Path) -> dict[str, object]:
    """What a reader finds: the format, the number of records, and a checksum of their values."""
    opened = penstock.open(path)
    if isinstance(opened, penstock.Tree):
        text = repr(sorted(opened.items()))
        return {"format": "tree", "count": len(opened), "values": _checksum(text)}
    text = repr([_plain(record) for record in opened])
    return {"format": opened.format, "count": len(opened), "values": _checksum(text)}


def _plain(record: object) -> object:
    if isinstance(record, dict):
        return {name: _plain(value) for name, value in record.items()}
    if np.ma.is_masked(record) or record is None:
        return None
    return record if isinstance(record, bytes) else np.asarray(record).tolist()


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


if __name__ == "__main__":
    make(Path(__file__).resolve().parent / sys.argv[1])
