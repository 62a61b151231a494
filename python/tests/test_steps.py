# SPDX-License-Identifier: Apache-2.0
"""Grouped tables and steps datasets from Python."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run_command as run
from conftest import command_line

import penstock
import penstock.game2048 as a2

GOLDEN = Path(__file__).parents[2] / "testdata" / "runs"
IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))

# One process runs the commands of these tests.
pytestmark = pytest.mark.xdist_group("commands")


def golden(name: str, tmp_path: Path) -> Path:
    copy = tmp_path / name
    shutil.copytree(GOLDEN / "dataset" / name, copy)
    return copy


def test_a_dataset_of_the_original_is_what_numpy_and_sqlite_say(tmp_path: Path) -> None:
    folder = golden("clean", tmp_path)
    before = sorted(file.name for file in folder.iterdir())
    rows = np.load(folder / "steps.npy")
    ds = a2.Dataset(folder)
    assert len(ds) == len(rows) == 724
    assert ds.steps.dtype == rows.dtype and (ds.steps == rows).all()
    indices = [0, 5, 5, -1, 723, 300]
    batch = ds.get_batch(indices)
    assert batch.dtype == rows.dtype and (batch == rows[indices]).all()
    assert (ds.get_batch(rows["move"] == 2) == rows[rows["move"] == 2]).all()
    assert len(ds.get_batch([])) == 0
    with pytest.raises(IndexError):
        ds.get_batch([724])
    runs = ds.metadata.execute("SELECT id, first_step_idx, num_steps FROM runs").fetchall()
    assert {i: (first, first + count) for i, first, count in runs} == dict(ds.run_ranges)
    assert ds.run_ranges[3] == (364, 664) and 9 not in ds.run_ranges
    columns = [row[1] for row in ds.metadata.execute("PRAGMA table_info(runs)")]
    groups = [ds.groups[name].tolist() for name in columns]
    assert (
        list(zip(*groups, strict=True))
        == ds.metadata.execute("SELECT * FROM runs ORDER BY id").fetchall()
    )
    with pytest.raises(sqlite3.OperationalError):
        ds.metadata.execute("DELETE FROM runs")
    ds.close()
    assert sorted(file.name for file in folder.iterdir()) == before


def test_a_filtered_dataset_is_of_the_same_type(tmp_path: Path) -> None:
    ds = a2.Dataset(golden("clean", tmp_path))
    rows = np.array(ds.steps)
    best = ds.filter_by_score(4700)
    assert type(best) is a2.Dataset and len(best) == 600
    expected = rows[np.isin(rows["run_id"], [0, 3])]
    assert (best.steps == expected).all()
    assert (best.get_batch([599, 0, -1, 300]) == expected[[599, 0, -1, 300]]).all()
    assert dict(best.run_ranges) == {0: (0, 300), 3: (300, 600)}
    assert len(best.filter_by_score(10**9)) == 0
    both = ds.where("max_score >= 4700 and move == 2")
    assert (both.steps == expected[expected["move"] == 2]).all()
    loader = penstock.Loader(best.rows, batch_size=64, shuffle=True, seed=3)
    seen = np.concatenate([np.array(batch["board"]) for batch in loader])
    assert np.array_equal(np.sort(seen), np.sort(expected["board"]))


def test_helpers_answer_as_the_original(tmp_path: Path) -> None:
    expected = json.loads((GOLDEN / "orders" / "batches.json").read_text())
    ds = a2.Dataset(golden("clean", tmp_path))
    exps, moves, values = a2.batch_from_steps(ds.steps, [0, 5, 5, -1])
    answer = expected["batch_from_steps"]["0,5,5,last"]
    assert type(exps) is bytearray and exps.hex() == answer["exps_hex"]
    assert moves.tolist() == answer["moves"] and moves.dtype == np.uint8
    assert values.view(np.uint32).tolist() == answer["ev_bits"]
    boards = np.array([0, 0x0001020304050607, 0xFFFFFFFFFFFFFFFF], np.uint64)
    exponents = np.frombuffer(a2.exps_from_boards(boards), np.uint8).reshape(-1, 16)
    assert exponents[1].tolist() == [0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7]
    assert exponents[2].tolist() == [15] * 16
    assert ds.exps_from_boards(ds.steps["board"][::2]) == a2.exps_from_boards(
        np.array(ds.steps["board"][::2])
    )
    for bad, error in (
        (boards.reshape(1, 3), TypeError),
        ([1, 2], TypeError),
        (boards.view(np.int64), BufferError),
        (boards.astype(">u8"), BufferError),
    ):
        with pytest.raises(error):
            a2.exps_from_boards(bad)


def test_steps_are_built_appended_and_read_meanwhile(tmp_path: Path) -> None:
    for options in ((), ("--shard-rows", 200)):
        folder = tmp_path / f"steps{len(options)}"
        built = run("steps", "build", "-i", GOLDEN / "clean", "-o", folder, *options)
        assert built.returncode == 0, built.stderr
        old = a2.Dataset(folder)
        rows = np.array(old.steps)
        done = run("steps", "append", "--dataset", folder, "--input", GOLDEN / "more", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["runs"] == 3
        # An open dataset keeps its state.
        assert (old.get_batch(np.arange(len(old))) == rows).all()
        assert old.metadata.execute("SELECT count(*) FROM runs").fetchone() == (5,)
        new = a2.Dataset(folder)
        assert len(new) == 1065 and (new.steps[: len(rows)] == rows).all()
        database = sqlite3.connect(f"file:{folder}/metadata.db?mode=ro", uri=True)
        for i, first, count in database.execute("SELECT id, first_step_idx, num_steps FROM runs"):
            assert (new.steps["run_id"][first : first + count] == i).all()
        assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        manifest = json.loads((folder / "manifest.json").read_text())
        assert [manifest[key] for key in ("version", "num_steps", "num_runs")] == [1, 1065, 8]
        arrays = [np.load(file) for file in sorted(folder.glob("steps*.npy"))]
        assert (np.concatenate(arrays) == new.steps).all()
        checked = run("steps", "check", folder)
        assert checked.returncode == 0, checked.stdout
        stats = run("steps", "stats", folder).stdout.splitlines()
        assert stats[1:4] == ["steps: 1065", "runs: 8", "sum_steps_meta: 1065"]


def test_a_killed_append_leaves_the_old_dataset_or_the_new_one(tmp_path: Path) -> None:
    for options in ((), ("--shard-rows", "300")):
        folder = tmp_path / f"killed{len(options)}"
        built = run("steps", "build", "-i", GOLDEN / "clean", "-o", folder, *options)
        assert built.returncode == 0, built.stderr
        words = ("steps", "append", "-d", folder, "-i", GOLDEN / "more", "--quiet")
        for delay in (0.15, 0.4, 0.7) if IS_LONG else (0.15, 0.6):
            before = len(a2.Dataset(folder))
            process = subprocess.Popen(command_line(*words))
            time.sleep(delay)
            process.kill()
            process.wait()
            with a2.Dataset(folder) as ds:
                assert len(ds) in (before, before + 341)
                runs = ds.metadata.execute("SELECT sum(num_steps) FROM runs").fetchone()[0]
                assert runs == len(ds) == len(ds.steps)
                for run_id, (first, limit) in ds.run_ranges.items():
                    assert (ds.steps["run_id"][first:limit] == run_id).all()
        before = len(a2.Dataset(folder))
        done = run("steps", "append", "-d", folder, "-i", GOLDEN / "more")
        assert done.returncode == 0, done.stderr
        assert len(a2.Dataset(folder)) == before + 341
        assert run("steps", "check", folder).returncode == 0


def test_a_killed_build_leaves_nothing_or_a_dataset(tmp_path: Path) -> None:
    for i, delay in enumerate((0.2, 0.35, 0.5) if IS_LONG else (0.25, 0.5)):
        folder = tmp_path / f"steps{i}"
        words = ("steps", "build", "-i", GOLDEN / "clean", "-o", folder, "--quiet")
        process = subprocess.Popen(command_line(*words))
        time.sleep(delay)
        process.kill()
        process.wait()
        if (folder / "metadata.db").exists():
            assert len(a2.Dataset(folder)) == 724
        else:
            with pytest.raises((OSError, penstock.DatasetError, ValueError)):
                a2.Dataset(folder)
            again = run("steps", "build", "-i", GOLDEN / "clean", "-o", folder)
            assert again.returncode == 0, again.stderr
        assert run("steps", "check", folder).returncode == 0


def test_numpy_and_sqlite_read_while_runs_are_appended(tmp_path: Path) -> None:
    folder = tmp_path / "steps"
    built = run("steps", "build", "-i", GOLDEN / "clean", "-o", folder, "--shard-rows", "500")
    assert built.returncode == 0, built.stderr
    held = a2.Dataset(folder)
    cursor = held.metadata.execute("SELECT id FROM runs")
    assert cursor.fetchone() is not None
    before = (folder / "metadata.db").stat().st_ino
    shards = {file: file.stat().st_mtime_ns for file in folder.glob("steps-*.npy")}
    words = ("steps", "append", "-d", folder, "-i", GOLDEN / "more", "--quiet")
    seen = set()
    for _ in range(2):
        seen.add(_read_with_others(folder))
        process = subprocess.Popen(command_line(*words))
        while process.poll() is None:
            seen.add(_read_with_others(folder))
            time.sleep(0.005)
        assert process.returncode == 0
    seen.add(_read_with_others(folder))
    assert seen == {724, 1065, 1406}
    # Nothing was rewritten: the database is the same file, and the shards are as they were.
    assert (folder / "metadata.db").stat().st_ino == before
    assert {file: file.stat().st_mtime_ns for file in shards} == shards
    assert len(list(folder.glob("steps-*.npy"))) == len(shards) + 2
    assert len(held.metadata.execute("SELECT id FROM runs").fetchall()) == 5


def _read_with_others(folder: Path) -> int:
    """Returns the number of steps that NumPy and sqlite3 find, and checks each step."""
    with sqlite3.connect(f"file:{folder}/metadata.db?mode=ro", 300, uri=True) as database:
        runs = database.execute("SELECT id, first_step_idx, num_steps FROM runs").fetchall()
    rows = np.concatenate([np.load(file) for file in sorted(folder.glob("steps-*.npy"))])
    for i, first, count in runs:
        assert (rows["run_id"][first : first + count] == i).all()
        assert (rows["step_index"][first : first + count] == np.arange(count)).all()
    return sum(count for *_, count in runs)


def test_what_a_killed_writer_left_in_the_database_is_undone(tmp_path: Path) -> None:
    folder = tmp_path / "steps"
    built = run("steps", "build", "-i", GOLDEN / "clean", "-o", folder, "--shard-rows", "500")
    assert built.returncode == 0, built.stderr
    killed = tmp_path / "killed"
    with sqlite3.connect(folder / "metadata.db") as database:
        database.execute("PRAGMA cache_size = 5")
        database.execute("BEGIN")
        for i in range(5, 20000):
            database.execute("INSERT INTO runs VALUES (?, 724, 0, 1, 2, '', 0, 0.5)", (i,))
        # Pages of the transaction are in the file by now, and those before in the journal.
        shutil.copytree(folder, killed)
        database.rollback()
    assert (killed / "metadata.db").read_bytes() != (folder / "metadata.db").read_bytes()
    assert (killed / "metadata.db-journal").exists()
    ds = a2.Dataset(killed)
    assert len(ds) == 724 and len(ds.run_ranges) == 5
    assert ds.metadata.execute("SELECT count(*) FROM runs").fetchone() == (5,)
    checked = run("steps", "check", killed)
    assert checked.returncode == 0, checked.stdout
    done = run("steps", "append", "-d", killed, "-i", GOLDEN / "more")
    assert done.returncode == 0, done.stderr
    assert not (killed / "metadata.db-journal").exists()
    with sqlite3.connect(f"file:{killed}/metadata.db?mode=ro", uri=True) as database:
        assert database.execute("SELECT sum(num_steps) FROM runs").fetchone() == (1065,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_any_table_can_be_grouped(tmp_path: Path) -> None:
    rows = np.zeros(1000, dtype=[("document", "<i4"), ("token", "<u2")])
    rows["document"] = np.sort(np.random.default_rng(1).integers(0, 40, 1000))
    rows["token"] = np.arange(1000)
    folder = tmp_path / "tokens"
    folder.mkdir()
    np.save(folder / "tokens.npy", rows)
    with pytest.raises(ValueError, match="no groups"):
        penstock.open(folder / "tokens.npy").groups  # noqa: B018
    done = run("table", "group", folder, "--by", "document")
    assert done.returncode == 0, done.stderr
    ds = penstock.open(folder)
    groups = ds.groups
    documents, counts = np.unique(rows["document"], return_counts=True)
    assert groups["document"].tolist() == documents.tolist()
    assert groups["num_rows"].tolist() == counts.tolist()
    assert groups["first_row"].dtype == np.int64

    some = ds.where("group.document < 10 and token >= 5")
    expected = rows[(rows["document"] < 10) & (rows["token"] >= 5)]
    assert (np.asarray(some) == expected).all()
    assert some.groups["num_rows"].sum() == len(expected)

    train, test = ds.split(0.25, seed=7, by="group")
    assert len(train) + len(test) == 1000
    assert not set(train["document"][:]) & set(test["document"][:])
    assert len(test.groups["id"]) == len(documents) // 4
    assert np.array_equal(np.asarray(ds.split(0.25, seed=7, by="group")[1]), np.asarray(test))
    with pytest.raises(ValueError, match="by must be"):
        ds.split(0.1, by="word")

    windows = ds.windows(5)
    taken: Any = windows[np.arange(len(windows))]
    assert taken["document"].shape == (int(np.maximum(counts - 4, 0).sum()), 5)
    assert (taken["document"] == taken["document"][:, :1]).all()
    assert (np.diff(taken["token"].astype(int), axis=1) == 1).all()
    loaded = next(iter(penstock.Loader(train.windows(3), batch_size=8)))
    assert loaded["token"].shape == (8, 3)
    for view in (test, some, ds.where("group.document >= 30")):
        copy = pickle.loads(pickle.dumps(view))
        assert (np.asarray(copy) == np.asarray(view)).all()
        assert copy.groups.keys() == view.groups.keys()
        for name, values in view.groups.items():
            assert (copy.groups[name] == values).all()
        assert copy.fingerprint == view.fingerprint
        again = copy.where("group.document != 31").split(0.5, seed=1, by="group")[0]
        other = view.where("group.document != 31").split(0.5, seed=1, by="group")[0]
        assert (np.asarray(again) == np.asarray(other)).all()
        assert (copy.windows(2)[0]["token"] == view.windows(2)[0]["token"]).all()
        assert len(pickle.loads(pickle.dumps(view.windows(2)))) == len(view.windows(2))


def test_values_that_come_again_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    np.save(folder / "rows.npy", np.array([(1,), (2,), (1,)], dtype=[("key", "<i8")]))
    refused = run("table", "group", folder, "--by", "key")
    assert refused.returncode == 2 and "occurs again at row 2" in refused.stderr
    assert run("table", "group", folder, "--by", "key", "--repeats").returncode == 0
    assert penstock.open(folder).groups["key"].tolist() == [1, 2, 1]
    again = run("table", "group", folder, "--by", "key", "--repeats")
    assert again.returncode == 2 and "--overwrite" in again.stderr


def _whole(loader: penstock.Loader) -> dict[str, Any]:
    """An epoch as one batch."""
    batches = [{name: np.array(values) for name, values in batch.items()} for batch in loader]
    return {name: np.concatenate([one[name] for one in batches]) for name in batches[0]}


def test_a_resumed_loader_turns_boards_the_same_way(tmp_path: Path) -> None:
    ds = a2.Dataset(golden("clean", tmp_path))
    options: dict[str, Any] = {"batch_size": 64, "seed": 4, "transform": [a2.Symmetry(seed=8)]}
    loader = penstock.Loader(ds.rows, **options)
    expected = []
    state: dict[str, Any] = {}
    for i, batch in enumerate(loader):
        expected.append(np.array(batch["board"]))
        if i == 4:
            state = loader.state_dict()
    resumed = penstock.Loader(ds.rows, threads=1, **options)
    resumed.load_state_dict(state)
    found = [np.array(batch["board"]) for batch in resumed]
    assert np.array_equal(np.concatenate(found), np.concatenate(expected[5:]))


def test_transforms_turn_boards_moves_and_values_alike(tmp_path: Path) -> None:
    ds = a2.Dataset(golden("clean", tmp_path))
    rows = np.array(ds.steps)
    exps = np.frombuffer(a2.exps_from_boards(rows["board"].copy()), np.uint8).reshape(-1, 16)

    def load(*transforms: Any) -> dict[str, Any]:
        loader = penstock.Loader(
            ds.rows, batch_size=len(rows), shuffle=False, transform=list(transforms)
        )
        return {name: np.array(values) for name, values in next(iter(loader)).items()}

    plain = load(a2.Exponents())
    assert (plain["exponents"] == exps).all() and "board" not in plain
    # Clockwise: indices of the cells, and where the values of up, down, left, right come from.
    cells = [12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3]
    turned = load(a2.Symmetry(1), a2.Exponents())
    assert (turned["exponents"] == exps[:, cells]).all()
    assert (turned["ev_values"] == rows["ev_values"][:, [2, 3, 1, 0]]).all()
    assert (turned["move"] == np.array([3, 2, 0, 1])[rows["move"]]).all()
    mirrored = load(a2.Symmetry(4), a2.Exponents())
    assert (mirrored["exponents"].reshape(-1, 4, 4) == exps.reshape(-1, 4, 4)[:, :, ::-1]).all()
    assert (mirrored["move"] == np.array([0, 1, 3, 2])[rows["move"]]).all()
    seen = set()
    for symmetry in range(8):
        one = load(a2.Symmetry(symmetry), a2.Exponents())
        seen.add(one["exponents"].tobytes())
        legal = one["ev_legal"][:, None] >> np.arange(4) & 1
        was_legal = rows["ev_legal"] >> rows["move"] & 1
        assert (legal[np.arange(len(rows)), one["move"]] == was_legal).all()
    assert len(seen) == 8
    everything = penstock.Loader(
        ds.rows, batch_size=100, seed=2, transform=[a2.Symmetry(seed=5)], indices=True
    )
    epochs = [_whole(everything) for _ in range(2)]
    turned_boards = [one["board"][np.argsort(one["indices"])] for one in epochs]
    # Another symmetry in the next epoch, seven times of eight.
    assert 0.5 < (turned_boards[0] != turned_boards[1]).mean() < 0.95
    random = load(a2.Symmetry(seed=5))
    assert (random["board"] == load(a2.Symmetry(seed=5))["board"]).all()
    assert (random["board"] != load(a2.Symmetry(seed=6))["board"]).any()
    with pytest.raises(ValueError, match="0 to 7"):
        a2.Symmetry(8)

    returns = load(a2.Returns(ds, gamma=0.5))["return"]
    for first, limit in ds.run_ranges.values():
        if limit - first > 1:
            rewards = returns[first : limit - 1] - 0.5 * returns[first + 1 : limit]
            assert (rewards >= 0).all() and (
                np.abs(rewards / 4 - np.round(rewards / 4)) < 1e-2
            ).all()


def test_steps_are_exported(tmp_path: Path) -> None:
    folder = golden("clean", tmp_path)
    rows = np.load(folder / "steps.npy")
    best = rows[np.isin(rows["run_id"], [0, 3])]
    out = tmp_path / "best.jsonl"
    where = ("--where", "max_score >= 4700")
    done = run("steps", "export", folder, "--format", "jsonl", "--output", out, *where)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["board"] for line in lines] == best["board"].tolist()
    for kind in ("parquet", "arrow"):
        done = run(
            *("steps", "export", folder, "--format", kind, "--output", tmp_path / f"best.{kind}"),
            *where,
            *("--fields", "board,move,ev_legal,ev_values,run_id,step_index,engine,max_score"),
        )
        assert done.returncode == 0, done.stderr
    head = {"parquet": b"PAR1", "arrow": b"ARROW1"}
    for kind, magic in head.items():
        content = (tmp_path / f"best.{kind}").read_bytes()
        assert content.startswith(magic) and content.endswith(magic)
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    feather = pytest.importorskip("pyarrow.feather", reason="needs pyarrow")
    for table in (
        parquet.read_table(tmp_path / "best.parquet"),
        feather.read_table(tmp_path / "best.arrow"),
    ):
        table.validate(full=True)
        assert table["board"].to_pylist() == best["board"].tolist()
        assert table["ev_values"].to_pylist() == best["ev_values"].tolist()
        assert table["step_index"].to_pylist() == best["step_index"].tolist()
        assert set(table["engine"].to_pylist()) == {""}
        assert set(table["max_score"].to_pylist()) == {4700, 4756}


def test_steps_are_indexed_as_an_array_is(tmp_path: Path) -> None:
    folder = golden("clean", tmp_path)
    rows = np.load(folder / "steps.npy")
    ds = a2.Dataset(folder)
    for part in (slice(3, 30, 4), slice(None, None, -1), Ellipsis):
        assert (ds.get_batch(part) == rows[part]).all() and (ds[part] == rows[part]).all()
    assert (ds["board"][:5] == rows["board"][:5]).all()
    with pytest.raises(IndexError, match="got an array of float64"):
        ds.get_batch([1.5])


def test_scores_are_numbers(tmp_path: Path) -> None:
    ds = a2.Dataset(golden("clean", tmp_path))
    scores = ds.groups["max_score"]
    counts = ds.groups["num_steps"]
    # Half a point above a score leaves out the runs with that score.
    for score in (int(scores.min()), int(scores.min()) + 0.5, np.float32(64)):
        assert len(ds.filter_by_score(score)) == counts[scores >= score].sum()
    with pytest.raises(TypeError, match="min_score must be a number, got '20000'"):
        ds.filter_by_score("20000")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="min_score must be a finite number, got nan"):
        ds.filter_by_score(float("nan"))


def test_a_steps_dataset_is_pickled_without_its_rows(tmp_path: Path) -> None:
    ds = a2.Dataset(golden("clean", tmp_path))
    assert len(ds.steps) == 724 and ds.metadata is not None
    best = ds.filter_by_score(100)
    text = pickle.dumps((ds, best))
    assert len(text) < 8192
    copy, some = pickle.loads(text)
    assert (copy.steps == ds.steps).all() and (some.steps == best.steps).all()
    assert copy.metadata.execute("SELECT count(*) FROM runs").fetchone() == (5,)
    assert 4 in ds.run_ranges and 5 not in ds.run_ranges
    assert None not in ds.run_ranges and "4" not in ds.run_ranges
    ds.close()
    assert repr(ds).endswith("closed>")


def test_what_is_no_steps_dataset_is_said(tmp_path: Path) -> None:
    np.save(tmp_path / "plain.npy", np.arange(3))
    with pytest.raises(penstock.WrongFormatError, match="its fields are value, and not board, "):
        a2.Dataset(tmp_path / "plain.npy")
    penstock.write(tmp_path / "t.act", {"a": 1, "b": 2})
    with pytest.raises(penstock.WrongFormatError, match="it is a tree"):
        a2.Dataset(tmp_path / "t.act")


def test_the_share_of_a_split_may_be_a_number_of_numpy(tmp_path: Path) -> None:
    ds = penstock.open(golden("clean", tmp_path))
    for by in ("record", "group"):
        parts = ds.split(np.float32(0.5), by=by)  # type: ignore[arg-type]
        assert [len(part) for part in parts] == [len(part) for part in ds.split(0.5, by=by)]
        with pytest.raises(ValueError, match="test must be a finite number, got nan"):
            ds.split(float("nan"), by=by)
    with pytest.raises(TypeError, match="condition must be a string, got None"):
        ds.where(None)  # type: ignore[arg-type]
