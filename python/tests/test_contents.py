# SPDX-License-Identifier: Apache-2.0
"""The index of records by their content."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import penstock


def test_a_document_is_found_and_so_are_the_steps_that_saw_it(tmp_path: Path) -> None:
    texts = [f"document {number % 90}".encode() for number in range(120)]
    penstock.write(tmp_path / "train.a2pack", texts)
    train = penstock.open(tmp_path / "train.a2pack")
    with penstock.ContentIndex(tmp_path / "train.tree", train) as index:
        assert index.find("document 7") == [7, 97]
        assert index.find(b"document 7 ") == []
        with penstock.Loader(train, 16, seed=2) as loader:
            seen = defaultdict(set)
            for batch in loader:
                place = loader.place
                assert place is not None
                for text in batch:
                    seen[text].add(place.step)
            for text in (b"document 7", b"document 80"):
                steps = {
                    place.step
                    for record in index.find(text)
                    for place in loader.steps_of(record, epochs=[0])
                }
                assert steps == seen[text]
    # It is opened, and not built again.
    before = (tmp_path / "train.tree").read_bytes()
    with penstock.ContentIndex(tmp_path / "train.tree", train) as index:
        assert len(index) == 120
    assert (tmp_path / "train.tree").read_bytes() == before


def test_fields_and_whole_records_are_compared(tmp_path: Path, rng: np.random.Generator) -> None:
    columns = {"x": rng.integers(0, 5, 200), "y": rng.integers(0, 3, (200, 2)).astype("f4")}
    rows = penstock.from_memory(columns)
    with penstock.ContentIndex(tmp_path / "x.tree", rows, field="x") as index:
        for value in range(6):
            assert index.find(value) == np.flatnonzero(columns["x"] == value).tolist()
    with penstock.ContentIndex(tmp_path / "rows.tree", rows) as index:
        same = [
            i
            for i in range(200)
            if columns["x"][i] == columns["x"][3] and (columns["y"][i] == columns["y"][3]).all()
        ]
        assert index.find(rows[3]) == same
    with pytest.raises(KeyError, match="no field"):
        penstock.ContentIndex(tmp_path / "z.tree", rows, field="z")


def test_an_index_of_other_data_is_refused(tmp_path: Path) -> None:
    first, second = penstock.from_memory([b"a"]), penstock.from_memory([b"b"])
    penstock.ContentIndex(tmp_path / "i.tree", first).close()
    with pytest.raises(ValueError, match="not an index of this dataset"):
        penstock.ContentIndex(tmp_path / "i.tree", second)
    with penstock.ContentIndex(tmp_path / "i.tree", second, overwrite=True) as index:
        assert index.find(b"b") == [0]
