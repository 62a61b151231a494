# SPDX-License-Identifier: Apache-2.0
"""Names of records in conversions, and records that are found by their keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import run_command

import penstock


def test_records_are_found_by_a_field(tmp_path: Path) -> None:
    rows = {"path": ["cats/1.jpg", "ö", ""], "id": np.array([30, -4, 7]), "x": np.arange(3.0)}
    made = penstock.convert(rows, tmp_path / "rows", to="store", name="path")
    assert made["records"] == 3 and made["remarks"] == []
    with penstock.open(tmp_path / "rows") as ds:
        assert [ds.find(name) for name in rows["path"]] == [0, 1, 2]
        assert ds.get("ö")["x"] == 1.0 and ds.get("none", None) is None
        with pytest.raises(KeyError, match="no record has this name"):
            ds.find("cats")
        with pytest.raises(TypeError, match="a string, bytes or a whole number"):
            ds.find(1.5)  # type: ignore[arg-type]
        with pytest.raises(KeyError, match="selection"):
            ds.select([1]).find("ö")
    table = tmp_path / "table.npy"
    penstock.convert({"id": rows["id"], "x": rows["x"]}, table, name="id")
    assert penstock.open(table).find(-4) == 1 and penstock.open(table).find("30") == 0
    with pytest.raises(ValueError, match=r"records 0 and 2 .* same key 1;"):
        penstock.convert({"id": np.array([1, 2, 1])}, tmp_path / "no", to="store", name="id")
    penstock.write(table, {"id": np.arange(3), "x": np.arange(3.0)}, overwrite=True)
    with pytest.raises(penstock.DatasetError, match="made for other records"):
        penstock.open(table).find(1)


def test_names_of_a_pack_travel(tmp_path: Path) -> None:
    with penstock.PackWriter(tmp_path / "p.a2pack") as writer:
        writer.append(b"meow", name="cat")
        writer.append(b"moo", name="cow")
    penstock.convert(tmp_path / "p.a2pack", tmp_path / "store", to="store")
    assert list(penstock.open(tmp_path / "store")[:]["name"]) == ["cat", "cow"]
    with pytest.warns(UserWarning, match="left out"):
        penstock.convert(tmp_path / "p.a2pack", tmp_path / "plain", to="store", fields="value")
    penstock.convert(tmp_path / "store", tmp_path / "q.a2pack", name="name")
    assert penstock.open(tmp_path / "q.a2pack").names == ["cat", "cow"]


def test_the_command_finds_records(tmp_path: Path) -> None:
    penstock.convert({"id": ["a", "b"], "n": [5, 6]}, tmp_path / "rows", to="store", name="id")
    found = run_command("find", tmp_path / "rows", "b")
    assert found.returncode == 0 and found.stdout == "1\n"
    both = run_command("find", tmp_path / "rows", "b", "c", "--json")
    assert both.returncode == 1 and both.stdout == '{"b":1,"c":null}\n'
    got = run_command("get", tmp_path / "rows", "--name", "b")
    assert got.returncode == 0 and "6" in got.stdout
