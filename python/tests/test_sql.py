# SPDX-License-Identifier: Apache-2.0
"""Queries of SQL over datasets, by a real DuckDB."""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run_command

import penstock
from penstock import _sql

for needed in ("duckdb", "pyarrow"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"needs {needed}; python/extra.sh readers installs it", allow_module_level=True)

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("readers")]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = np.arange(100_000)
    columns = {"label": (rows % 3).astype("u1"), "x": rows / 2, "v": np.ones((len(rows), 4), "f4")}
    penstock.write("rows.npy", columns)
    return tmp_path / "rows.npy"


def read_columns(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The columns of each stream that is made from now on."""
    found: list[list[str]] = []
    stream = _sql._streams.stream

    def noted(dataset: penstock.Dataset, names: list[str]) -> object:
        found.append(list(names))
        return stream(dataset, names)

    monkeypatch.setattr(_sql._streams, "stream", noted)
    return found


def test_a_query_reads_only_its_columns(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_columns(monkeypatch)
    counts = penstock.sql("select label, count(*) from 'rows.npy' group by label order by label")
    assert counts.fetchall() == [(0, 33334), (1, 33333), (2, 33333)]
    assert found and all(names == ["label"] for names in found)
    found.clear()
    assert penstock.sql("select count(*) from 'rows.npy'").fetchall() == [(100_000,)]
    assert all(names == ["label"] for names in found)
    found.clear()
    assert penstock.sql('select v[2] from "rows.npy" where x = 7.5').fetchall() == [(1.0,)]
    assert found and all(set(names) == {"v", "x"} for names in found)


def test_paths_stand_only_behind_from_and_join(table: Path) -> None:
    query = (
        "select 'rows.npy' as name, max(a.x) from 'rows.npy' a, 'rows.npy' b "
        "join given on given.label = b.label where a.x = b.x and 'rows.npy' <> '' group by 1"
    )
    with penstock.open(table) as ds:
        given = penstock.sql(query, given=ds.select(np.arange(2)))
        assert given.fetchall() == [("rows.npy", 49999.5)]


def duck() -> Any:
    return importlib.import_module("duckdb")


def test_ragged_text_missing_values_and_views(table: Path) -> None:
    records = [{"text": "é", "n": 1}, {"text": "", "n": None}, {"n": 3}]
    with penstock.Store(
        "s", "w", fields={"text": {"dtype": "utf8"}, "n": {"dtype": "i8", "shape": []}}
    ) as s:
        for record in records:
            s.append(record)
    assert penstock.sql("select text, n from 's'").fetchall() == [("é", 1), ("", None), (None, 3)]
    with penstock.open(table) as ds, penstock.open("s") as store:
        assert duck().from_arrow(ds).aggregate("sum(x)").fetchall() == [(2499975000.0,)]
        assert duck().from_arrow(store).fetchall() == [("é", 1), ("", None), (None, 3)]


def test_errors_say_what_is_wrong(table: Path) -> None:
    with pytest.raises(duck().ParserException, match="syntax error"):
        penstock.sql("selec 1")
    with pytest.raises(FileNotFoundError, match=r"none\.npy"):
        penstock.sql("select 1 from 'none.npy'")
    with pytest.raises(duck().BinderException, match="nothing"):
        penstock.sql("select nothing from 'rows.npy'")


def test_the_command(table: Path) -> None:
    query = f"select label, count(*) as n from '{table}' group by 1 order by 1"
    shown = run_command("sql", query)
    assert shown.returncode == 0, shown.stderr
    assert "33334" in shown.stdout and "label" in shown.stdout
    answer = json.loads(run_command("sql", query, "--json").stdout)
    assert [one["name"] for one in answer["columns"]] == ["label", "n"]
    assert answer["rows"][2] == {"label": 2, "n": 33333}
    wrong = run_command("sql", "select nothing from 'x.npy'")
    assert wrong.returncode == 3 and "x.npy" in wrong.stderr
    assert run_command("sql", "selec").returncode == 2
