# SPDX-License-Identifier: Apache-2.0
"""Packs of runs of the game 2048."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
import penstock.game2048 as a2

TESTDATA = Path(__file__).resolve().parents[2] / "testdata"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A copy, because the metadata of the runs is written beside a pack."""
    return Path(
        shutil.copyfile(TESTDATA / "pack/packs/games-align4096.a2pack", tmp_path / "games.a2pack")
    )


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    return Path(
        shutil.copyfile(TESTDATA / "pack/packs/orders-align8.a2pack", tmp_path / "orders.a2pack")
    )


def test_the_example_of_the_design_runs(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example of the design with only its import changed, and a pack of 101 runs."""
    pack = tmp_path / "dataset.a2pack"
    with a2.PackReader.open(games) as some, penstock.PackWriter(tmp_path / "x.a2pack") as _:
        assert len(some) == 8
    shutil.copyfile(TESTDATA / "pack/packs/many-align64.a2pack", pack)
    monkeypatch.chdir(tmp_path)
    example = """
import penstock.game2048 as a2

r = a2.PackReader.open("dataset.a2pack")
len(r)                  # -> number of runs
r.kind(0)               # -> "v1" or "v2"
run = r.decode(0)       # -> a2.RunV2 (v1 auto-upgraded)

for run in r:           # sequential iteration
    ...

# Batched random access (good for dataloaders)
batch = r.decode_batch([1, 100, 42, 7])  # returns list[a2.RunV2]

# Shuffle+batch iterator (internal parallelism, stable yield order)
it = r.iter_batches(batch_size=256, shuffle=True, seed=123, workers=None)
for batch in it:
    ...  # list[a2.RunV2]

# Bulk JSONL export (fast, Rust-side)
r.to_jsonl("runs.jsonl", parallel=True, workers=None)

# Stats
s = r.stats
print(s.count, s.total_steps, s.max_len)
"""
    names: dict[str, Any] = {}
    exec(compile(example, "design", "exec"), names)
    expected = (TESTDATA / "runs/jsonl/many-align64.runs.jsonl").read_bytes()
    assert Path("runs.jsonl").read_bytes() == expected
    lines = [json.loads(line) for line in expected.splitlines()]
    steps = sum(line["steps"] for line in lines)
    longest = max(line["steps"] for line in lines)
    assert capsys.readouterr().out == f"150 {steps} {longest}\n"
    assert isinstance(names["run"], a2.RunV2)


def test_runs_are_decoded_into_arrays(games: Path) -> None:
    reader = a2.PackReader.open(games)
    assert len(reader) == 8 and reader.kind(0) == "v2" and reader.kind(-1) == "v2"
    run = reader.decode(4)
    assert run.meta.steps == len(run) == len(run.steps) == 300
    assert run.meta.max_score == 4756 and run.meta.highest_tile == 512
    assert run.final_board == 0x9661321010001000
    assert (run.boards.dtype, run.moves.dtype) == (np.uint64, np.uint8)
    assert (run.branches.dtype, run.branches.shape, run.legal.dtype) == (
        np.float32,
        (300, 4),
        np.uint8,
    )
    step = run.steps[7]
    assert step.pre_board == run.boards[7] and step.chosen == run.moves[7]
    assert step.branches is not None
    assert [value is not None for value in step.branches] == [
        bool(run.legal[7] >> i & 1) for i in range(4)
    ]
    assert len(run.steps[1:3]) == 2
    with pytest.raises(IndexError):
        reader.decode(8)


def test_orders_are_those_of_the_original(orders: Path) -> None:
    reader = a2.PackReader.open(orders)
    expected = json.loads((TESTDATA / "runs/orders/orders.json").read_text())
    assert [reader.kind(i) for i in range(len(reader))] == expected["kinds"]
    assert [run.meta.steps for run in reader] == expected["lens"]
    lens = expected["lens"]
    assert [run.meta.steps for run in reader.iter_indices([5, 0, 5])] == [
        lens[i] for i in (5, 0, 5)
    ]
    for case in expected["iter_batches"]:
        batches = reader.iter_batches(
            case["batch_size"], shuffle=bool(case["shuffle"]), seed=case["seed"], workers=2
        )
        assert [[run.meta.steps for run in batch] for batch in batches] == [
            [lens[i] for i in batch] for batch in case["batches"]
        ]
        if case["shuffle"]:
            flat = [i for batch in case["batches"] for i in batch]
            assert reader.order(case["seed"]).tolist() == flat
    stats = reader.stats
    for name in ("count", "total_steps", "min_len", "max_len", "mean_len"):
        assert getattr(stats, name) == expected["stats"][name]
    assert stats.p50_len == expected["stats"]["p50"] and stats.p99_len == expected["stats"]["p99"]
    assert sum(stats.highest_tile_hist.values()) == stats.count
    assert sum(stats.engine_counts.values()) == stats.count
    assert all(isinstance(tile, int) for tile in stats.highest_tile_hist)
    with pytest.raises(ValueError, match="at least 1"):
        reader.iter_batches(0)


def test_old_runs_are_upgraded(orders: Path) -> None:
    run = a2.PackReader.open(orders).decode(11)
    assert len(run) == 31 and not run.has_branches.any()
    assert run.steps[0].branches is None


def test_a_damaged_run_is_an_error_and_not_the_end(tmp_path: Path) -> None:
    path = shutil.copyfile(TESTDATA / "pack/bad/payload-flip.a2pack", tmp_path / "bad.a2pack")
    reader = a2.PackReader.open(path)
    seen = []
    with pytest.raises(penstock.CorruptDataError):
        for run in reader:
            seen.append(run)
    assert len(seen) < len(reader)
    with pytest.raises(penstock.CorruptDataError):
        list(reader.iter_batches(2))
    with pytest.raises(ValueError, match="not a pack of runs"):
        a2.PackReader.open(TESTDATA / "table/f4.npy")


def test_lines_of_json_are_those_of_the_original(orders: Path, tmp_path: Path) -> None:
    pack = shutil.copyfile(TESTDATA / "pack/packs/three-align1.a2pack", tmp_path / "three.a2pack")
    reader = a2.PackReader.open(pack)
    for parallel in (True, False):
        reader.to_jsonl(tmp_path / "runs.jsonl", parallel=parallel)
        expected = (TESTDATA / "runs/jsonl/three-align1.runs.jsonl").read_bytes()
        assert (tmp_path / "runs.jsonl").read_bytes() == expected
    reader.to_jsonl(tmp_path / "steps.jsonl", by_step=True, workers=2)
    expected = (TESTDATA / "runs/jsonl/three-align1.steps.jsonl").read_bytes()
    assert (tmp_path / "steps.jsonl").read_bytes() == expected


def test_conditions_and_loaders_see_runs_and_steps(games: Path) -> None:
    reader = a2.PackReader.open(games)
    assert reader.where("max_score >= 10000 and steps > 600") == [1, 7]
    good = reader.runs().where("highest_tile >= 1024")
    loader = penstock.Loader(good, batch_size=2, shuffle=False)
    assert sum(len(batch["steps"]) for batch in loader) == len(good)
    steps = reader.steps()
    assert len(steps) == 4463
    batch = steps[[0, 4462, 480]]
    assert batch["run_id"].tolist() == [0, 7, 1] and batch["step_index"][2] == 0
    assert batch["board"][2] == reader.decode(1).boards[0]
    boards = 0
    for batch in penstock.Loader(steps, batch_size=1000, seed=1):
        boards += len(batch["board"])
        assert batch["ev_values"].shape[1:] == (4,)
    assert boards == 4463


def _written(games: Path, tmp_path: Path, schema: str) -> tuple[Path, Path]:
    reader = a2.PackReader.open(games)
    runs, steps = tmp_path / f"{schema}-runs.jsonl", tmp_path / f"{schema}-steps.jsonl"
    reader.to_jsonl(runs, schema=schema)
    reader.to_jsonl(steps, by_step=True, schema=schema)
    return runs, steps


@pytest.mark.parametrize("schema", ["original", "compact"])
def test_duckdb_reads_the_lines(games: Path, tmp_path: Path, schema: str) -> None:
    duckdb = pytest.importorskip(
        "duckdb", reason="needs DuckDB; python/extra.sh readers installs it"
    )
    runs, steps = _written(games, tmp_path, schema)
    query = f"select count(*), max(step_idx) from read_json('{steps}', format='newline_delimited')"
    assert duckdb.sql(query).fetchall()[0] == (4463, 1569)
    query = (
        f"select sum(steps), max(final_board) from read_json('{runs}', "
        "format='newline_delimited', union_by_name=true) where final_board is not null"
    )
    total, final = duckdb.sql(query).fetchall()[0]
    assert total == 4463
    assert final == max(run.final_board for run in a2.PackReader.open(games))
    column = "moves" if schema == "original" else "highest_tile"
    query = f"select count({column}) from read_json('{runs}', format='newline_delimited')"
    assert duckdb.sql(query).fetchall()[0] == (8,)


@pytest.mark.parametrize("schema", ["original", "compact"])
def test_hugging_face_reads_the_lines(games: Path, tmp_path: Path, schema: str) -> None:
    datasets = pytest.importorskip(
        "datasets", reason="needs Hugging Face datasets; python/extra.sh readers installs it"
    )
    runs, steps = _written(games, tmp_path, schema)
    cache = str(tmp_path / "cache")
    loaded = datasets.load_dataset("json", data_files=str(steps), split="train", cache_dir=cache)
    assert len(loaded) == 4463
    assert loaded[0]["chosen"] == "UP" and len(loaded[0]["branches"]) == 4
    if schema == "original":
        board = int(a2.PackReader.open(games).decode(0).boards[4])
        assert loaded[4]["pre_board"] == [board >> 60 - 4 * i & 15 for i in range(16)]
    loaded = datasets.load_dataset("json", data_files=str(runs), split="train", cache_dir=cache)
    finals = [final for final in loaded["final_board"] if final is not None]
    # Numbers of 64 bits without a sign become floats there; the exponents of the original's schema
    # stay whole.
    assert np.float64(finals).tolist() == [
        float(run.final_board) for run in a2.PackReader.open(games)
    ]


@pytest.mark.parametrize("what", ["runs", "steps"])
def test_views_of_runs_and_steps_can_be_pickled(games: Path, what: str) -> None:
    with a2.PackReader.open(games) as reader:
        view = getattr(reader, what)()
        again = pickle.loads(pickle.dumps(view))
        assert len(again) == len(view) and again.fields == view.fields
        for name in ("run_idx", "max_score"):
            if name in view.fields:
                assert np.array_equal(again[name][:], view[name][:])
        part = pickle.loads(pickle.dumps(view.select([2, 0])))
        assert part.fingerprint == view.select([2, 0]).fingerprint
