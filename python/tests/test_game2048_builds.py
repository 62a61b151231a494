# SPDX-License-Identifier: Apache-2.0
"""Building steps datasets of the game 2048 from Python, and packs with deleted runs."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from commands import run_command

import penstock
import penstock.game2048 as a2

TESTDATA = Path(__file__).resolve().parents[2] / "testdata"
CLEAN, MORE = TESTDATA / "runs/clean", TESTDATA / "runs/more"

pytestmark = pytest.mark.xdist_group("commands")


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A copy, because the metadata of the runs is written beside a pack."""
    return Path(
        shutil.copyfile(TESTDATA / "pack/packs/games-align4096.a2pack", tmp_path / "games.a2pack")
    )


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def delete(pack: Path, *records: int) -> None:
    """Makes records of a pack tombstones: entries without bytes."""
    data = bytearray(pack.read_bytes())
    count = struct.unpack_from("<Q", data, 16)[0]
    for record in records:
        struct.pack_into("<I", data, 28 + 32 * record + 8, 0)
        struct.pack_into("<II", data, 28 + 32 * record + 16, 0, 0)
    footer = len(data) - 32
    struct.pack_into("<I", data, footer + 8, crc32c(data[28 : 28 + 32 * count]))
    struct.pack_into("<Q", data, footer + 16, 0)
    struct.pack_into("<I", data, footer + 24, crc32c(data[footer : footer + 24]))
    pack.write_bytes(data)


def test_python_builds_and_appends_what_the_commands_build(tmp_path: Path) -> None:
    built = a2.build_dataset(CLEAN, tmp_path / "ours", shard_rows=200)
    added = a2.append_runs(tmp_path / "ours", MORE)
    for words in (
        ("build", "-i", CLEAN, "-o", tmp_path / "theirs", "--shard-rows", 200),
        ("append", "-d", tmp_path / "theirs", "-i", MORE),
    ):
        assert run_command("steps", *words).returncode == 0
    ours, theirs = a2.Dataset(tmp_path / "ours"), a2.Dataset(tmp_path / "theirs")
    assert len(ours) == built.steps + added.steps
    assert (ours.steps == theirs.steps).all()
    assert len(ours.run_ranges) == built.runs + added.runs
    assert built.skipped == []
    with pytest.raises(FileNotFoundError):
        a2.build_dataset(tmp_path / "none", tmp_path / "x")
    with pytest.raises(ValueError, match="missing_branches"):
        a2.build_dataset(CLEAN, tmp_path / "x", missing_branches="guess")


def test_a_loader_takes_a_steps_dataset_as_it_is(tmp_path: Path) -> None:
    a2.build_dataset(CLEAN, tmp_path / "s")
    steps = a2.Dataset(tmp_path / "s")
    with (
        penstock.Loader(steps, 64, seed=3) as loader,
        penstock.Loader(steps.rows, 64, seed=3) as rows,
    ):
        for batch, same in zip(loader, rows, strict=True):
            assert (batch["board"] == same["board"]).all()
    best = steps.filter_by_score(int(np.median(steps.groups["max_score"])))
    with penstock.Loader(best, 64) as loader:
        assert sum(len(batch["board"]) for batch in loader) == len(best)


def test_conditions_on_runs_choose_steps_of_a_pack(games: Path) -> None:
    with a2.PackReader.open(games) as reader:
        scores = [run.meta.max_score for run in reader]
        lengths = [len(run) for run in reader]
        least = sorted(scores)[len(scores) // 2]
        steps = reader.steps()
        chosen = steps.where(f"max_score >= {least} and move == 1")
        wanted = [run for run in reader if run.meta.max_score >= least]
        assert len(chosen) == sum(int((run.moves == 1).sum()) for run in wanted)
        assert len(steps.where("length > 0 and run_idx >= 0")) == sum(lengths)
        with pytest.raises(ValueError, match="no field"):
            steps.where("score > 1")
    result = run_command(
        "select", games, "--as", "steps", "--where", f"max_score >= {least}", "--json"
    )
    if result.returncode == 0:
        assert json.loads(result.stdout)


def test_deleted_runs_are_left_out_and_named(games: Path, tmp_path: Path) -> None:
    with a2.PackReader.open(games) as reader:
        whole = [len(run) for run in reader]
    delete(games, 1, 4)
    alive = [length for i, length in enumerate(whole) if i not in (1, 4)]
    with a2.PackReader.open(games) as reader:
        assert [len(run) for run in reader] == alive
        assert [len(run) for some in reader.iter_batches(3) for run in some] == alive
        shuffled = [len(run) for some in reader.iter_batches(4, True, 5) for run in some]
        assert sorted(shuffled) == sorted(alive)
        with pytest.raises(ValueError, match=r"run 4 of .* is a tombstone"):
            reader.decode_batch([0, 4])
        count = reader.to_jsonl(tmp_path / "all.jsonl")
        assert count == len(alive)
        chosen = reader.to_jsonl(tmp_path / "some.jsonl", indices=[5, 1, 0])
        assert chosen == 2
        lines = (tmp_path / "all.jsonl").read_text().splitlines()
        assert (tmp_path / "some.jsonl").read_text().splitlines() == [lines[0], lines[3]]
        best = reader.where("max_score >= 1000")
        assert reader.to_jsonl(tmp_path / "best.jsonl", where="max_score >= 1000") == len(best)
        reader.to_jsonl(tmp_path / "runs.jsonl", schema="compact", runs_only=True)
        assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == len(alive)
        with pytest.raises(ValueError, match="leaves out"):
            reader.to_jsonl(tmp_path / "x", by_step=True, runs_only=True)


def test_batches_are_decoded_ahead_and_a_loop_that_stops_ends_the_thread(games: Path) -> None:
    with a2.PackReader.open(games) as reader:
        batches = reader.iter_batches(2)
        first = next(batches)
        assert len(first) == 2
        batches.close()  # type: ignore[attr-defined]
        assert [len(some) for some in reader.iter_batches(3)] == [3, 3, 2]
        with pytest.raises(ValueError, match="workers"):
            reader.iter_batches(2, workers=0)


def test_a_folder_with_runs_of_both_versions_says_what_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "mixed").mkdir()
    for file in (CLEAN / "g1.a2run2", TESTDATA / "runs/v1/case-7a.a2run"):
        shutil.copyfile(file, tmp_path / "mixed" / file.name)
    built = a2.build_dataset(tmp_path / "mixed", tmp_path / "s")
    assert built.runs == 1
    assert "1 *.a2run file left out" in built.warnings[0].what
    packed = run_command(
        "pack", "build", "--input", tmp_path / "mixed", "--output", tmp_path / "p.a2pack"
    )
    assert "1 *.a2run file left out" in packed.stderr


def test_what_is_no_dataset_of_runs_says_what_it_is(tmp_path: Path, games: Path) -> None:
    with pytest.raises(
        ValueError, match="a single run of the game 2048; `penstock game2048 runs show`"
    ):
        penstock.open(CLEAN / "g1.a2run2")
    with pytest.raises(ValueError, match="steps build"):
        a2.Dataset(CLEAN)
    penstock.write(tmp_path / "texts.a2pack", [b"one", b"two"])
    with pytest.raises(ValueError, match="a pack of other records and not of runs") as refused:
        a2.PackReader.open(tmp_path / "texts.a2pack")
    assert not isinstance(refused.value, penstock.CorruptDataError)
    reader = a2.PackReader.open(games)
    runs = reader.runs()
    reader.close()
    with pytest.raises(ValueError, match=r"the view of the runs of .* is closed"):
        runs[0]


def test_numbers_from_2_to_the_63_become_arrow(games: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    with a2.PackReader.open(games) as reader:
        table = reader.runs().to_arrow()
        assert table["boards"].type == pyarrow.list_(pyarrow.uint64())
        assert table["branches"].type == pyarrow.list_(pyarrow.list_(pyarrow.float32()))
        assert table["boards"][0].as_py() == reader.decode(0).boards.tolist()
    with penstock.Store(tmp_path / "store", "w", fields={"x": {"dtype": "u8"}}) as store:
        store.append({"x": np.array([2**63 + 5], "u8")})
        store.append({"x": np.array([], "u8")})
    large = penstock.open(tmp_path / "store").to_arrow()
    assert large["x"].to_pylist() == [[2**63 + 5], []]


def test_pack_stats_prints_percentiles_tiles_and_engines_as_text(games: Path) -> None:
    text = run_command("pack", "stats", games).stdout
    figures = json.loads(run_command("pack", "stats", games, "--json").stdout)
    for name in ("p50_len", "p90_len", "p99_len"):
        assert f"{name}: {figures[name]}" in text.replace(",", "")
    assert "highest_tile_hist: " in text
    assert "engine_counts: " in text
