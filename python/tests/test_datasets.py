# SPDX-License-Identifier: Apache-2.0
"""Datasets: what they say of themselves, views, errors, variable fields, writing."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
from conftest import handles, wait_until

import penstock


def test_description(steps: Path) -> None:
    ds = penstock.open(steps)
    assert len(ds) == 1000 and ds.shape == (1000,) and ds.dtype == np.load(steps).dtype
    assert (
        ds.nbytes == 21_000
        and ds.format == "table"
        and list(ds.fields) == ["board", "move", "values"]
    )
    assert ds.fields["values"].shape == (3,) and not ds.fields["values"].variable
    assert "1,000 records" in repr(ds) and "float32 (3,)" in repr(ds)
    assert len(ds.fingerprint) == 32
    assert repr(ds["values"]) == "<penstock.Column 'values': float32, shape (1000, 3)>"


def test_packs_are_bytes(pack: Path) -> None:
    ds = penstock.open(pack)
    assert ds[5] == b"\5" * 5 and ds[-1] == b"\x63" * 99 and ds[[0, 2]] == [b"", b"\2\2"]
    assert [len(record) for record in ds] == list(range(100))
    ragged = ds.take([3, 0, 2], ragged=True)
    assert ragged.tolist() == [b"\3" * 3, b"", b"\2\2"] and ragged.lengths.tolist() == [3, 0, 2]
    assert ragged[-1].tolist() == [2, 2] and ragged[1:].tolist() == [b"", b"\2\2"]
    assert np.asarray(ds)[4] == b"\4" * 4
    assert ds.verify()


def test_views(steps: Path) -> None:
    ds = penstock.open(steps)
    odd = ds.where("move == 1 or move == 3")
    assert odd["board"][:5].tolist() == [1, 3, 5, 7, 9] and len(odd) == 500
    few = odd.select([-1, 0])
    assert few[:]["board"].tolist() == [999, 1] and few[1]["values"].tolist() == [3, 4, 5]
    train, test = ds.split(test=0.1, seed=3)
    assert (len(train), len(test)) == (900, 100)
    both = np.concatenate([train["board"][:], test["board"][:]])
    assert sorted(both.tolist()) == list(range(1000))
    assert (
        test.fingerprint
        == ds.split(0.1, seed=3)[1].fingerprint
        != ds.split(0.1, seed=4)[1].fingerprint
    )
    with pytest.raises(IndexError, match="index 2 is out of bounds for 2 records"):
        few[2]
    few.close()
    with pytest.raises(ValueError, match="closed"):
        few[0]
    assert odd[0]["board"] == 1
    ds.close()
    with pytest.raises(ValueError, match="closed"):
        odd[0]


def test_zip_concat_mix(steps: Path, pack: Path, tmp_path: Path) -> None:
    ds, texts = penstock.open(steps), penstock.open(pack)
    both = penstock.zip(step=ds.select(range(100)), text=texts)
    assert both[3]["step.board"] == 3 and both[3]["text"] == b"\3" * 3
    twice = penstock.concat(ds, ds)
    assert len(twice) == 2000 and twice[1001]["board"] == 1
    mixed = penstock.mix([ds, ds.select([0])], weights=[0.5, 0.5], length=100)
    with penstock.Loader(mixed, batch_size=100) as loader:
        boards = next(iter(loader))["board"]
    assert 40 <= int((boards == 0).sum()) <= 60
    for name, unit in (("ns", "<M8[ns]"), ("s", "<M8[s]")):
        penstock.write(tmp_path / f"{name}.npy", np.arange(3).astype(unit))
    days = [penstock.open(tmp_path / f"{name}.npy") for name in ("ns", "s")]
    assert penstock.concat(days[0], days[0]).dtype == "<M8[ns]"
    with pytest.raises(ValueError, match="the fields differ"):
        penstock.concat(days)
    for view in (both, twice, mixed, ds.where("move == 2"), ds):
        again = pickle.loads(pickle.dumps(view))
        assert again.fingerprint == view.fingerprint and len(again) == len(view)


def test_pickle_refuses_what_has_changed(steps: Path) -> None:
    pickled = pickle.dumps(penstock.open(steps))
    np.save(steps, np.arange(10))
    again = pickle.loads(pickled)
    for use in (lambda: again[0], lambda: again.view(), lambda: again.fingerprint):
        with pytest.raises(penstock.CorruptDataError, match="has changed since"):
            use()


def test_errors_are_pythons(tmp_path: Path, steps: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        penstock.open(tmp_path / "nothing.npy")
    assert missing.value.filename == str(tmp_path / "nothing.npy")
    with pytest.raises(FileExistsError):
        penstock.write(steps, np.arange(3))
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(penstock.WrongFormatError) as wrong:
        penstock.open(tmp_path / "text.txt")
    assert wrong.value.file == str(tmp_path / "text.txt") and wrong.value.reason == "BAD_MAGIC"
    with pytest.raises(ValueError, match="no field nothing"):
        penstock.open(steps).where("nothing == 3")
    copy = pickle.loads(pickle.dumps(wrong.value))
    assert (
        type(copy) is type(wrong.value)
        and copy.reason == "BAD_MAGIC"
        and str(copy) == str(wrong.value)
    )
    if os.geteuid() != 0:
        steps.chmod(0)
        with pytest.raises(PermissionError):
            penstock.open(steps)


def test_damage_is_corrupt_data(pack: Path, tmp_path: Path) -> None:
    data = bytearray(pack.read_bytes())
    at = data.index(b"\x32" * 50)
    data[at] ^= 1
    bad = tmp_path / "bad.a2pack"
    bad.write_bytes(data)
    ds = penstock.open(bad)
    with pytest.raises(penstock.CorruptDataError) as damage:
        ds[50]
    assert damage.value.file == str(bad) and damage.value.offset is not None
    assert not ds.verify() and ds.verify().problems[0].file == str(bad)
    with penstock.Loader(ds, batch_size=10, shuffle=False) as loader:
        with pytest.raises(penstock.CorruptDataError) as damage:
            list(loader)
        assert damage.value.record == 50 and damage.value.step == 5
    with penstock.Loader(ds, batch_size=10, shuffle=False, on_error="skip") as loader:
        assert sum(len(batch) for batch in loader) == 99


def test_views_without_copies_outlive_the_dataset(steps: Path) -> None:
    ds = penstock.open(steps)
    view, column = ds.view(), ds["board"].view()
    ds.close()
    assert not view.flags.writeable and view["board"][7] == 7 and column[-1] == 999
    with pytest.raises(ValueError, match="closed"):
        ds.view()


def test_bfloat16(tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.arange(12).astype(ml_dtypes.bfloat16).reshape(4, 3)
    penstock.write(tmp_path / "b.npy", values)
    ds = penstock.open(tmp_path / "b.npy")
    assert ds.dtype == ml_dtypes.bfloat16 and ds[1:3].tolist() == values[1:3].tolist()
    assert ds.view().dtype == ml_dtypes.bfloat16
    out = np.empty((2, 3), ds.dtype)
    assert ds.take([0, 3], out=out).tolist() == values[[0, 3]].tolist()


def test_dlpack_and_asarray(steps: Path) -> None:
    batch = penstock.open(steps)[:500]
    assert np.from_dlpack(batch["board"]).tolist() == list(range(500))
    assert batch["values"].ctypes.data % 64 == 0


def test_table_writer(tmp_path: Path) -> None:
    path = tmp_path / "table"
    with penstock.TableWriter(
        path, [("x", "<i4"), ("y", "<f8", (2,))], shard_rows=4, metadata={"by": "me"}
    ) as writer:
        writer.append({"x": np.arange(6), "y": np.ones((6, 2))})
    with penstock.TableWriter(path, append=True) as writer:
        writer.append(np.zeros(2, [("x", "<i4"), ("y", "<f8", (2,))]))
    ds = penstock.open(path)
    assert ds[:]["x"].tolist() == [0, 1, 2, 3, 4, 5, 0, 0] and ds.metadata == {"by": "me"}
    assert [len(part) for part in ds.view()] == [4, 2, 2] and ds.verify()


def test_what_is_not_finished_does_not_appear(tmp_path: Path) -> None:
    for make in (
        lambda: penstock.TableWriter(tmp_path / "x.npy", "<i4"),
        lambda: penstock.PackWriter(tmp_path / "x.a2pack"),
    ):
        with pytest.raises(KeyError), make() as writer:
            writer.append(np.zeros(3, "<i4"))
            raise KeyError
        forgotten = make()
        forgotten.append(np.zeros(3, "<i4"))
        del forgotten
        handles()
    # Another thread may be giving it up at this moment.
    wait_until(lambda: list(tmp_path.iterdir()) == [])


def test_written_files_are_numpys(tmp_path: Path, rng: np.random.Generator) -> None:
    array = rng.random((5, 2, 3)).astype(">f4")
    penstock.write(tmp_path / "ours.npy", array)
    np.save(tmp_path / "theirs.npy", array)
    assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()
    penstock.write(tmp_path / "ours.npy", array[:2], overwrite=True)
    assert len(penstock.open(tmp_path / "ours.npy")) == 2


def test_codecs(tmp_path: Path) -> None:
    records = [bytes([i]) * 1000 for i in range(50)]
    for codec in ("none", "zstd", "lz4"):
        with penstock.PackWriter(tmp_path / codec, codec=codec) as writer:
            writer.extend(records)
        assert penstock.open(tmp_path / codec)[:] == records
    with pytest.raises(ValueError, match="codec"):
        penstock.PackWriter(tmp_path / "x", codec="gzip")


def test_named_records(tmp_path: Path) -> None:
    with penstock.PackWriter(tmp_path / "n.a2pack") as writer:
        writer.extend([b"1", b"22"], ["a/one", "b/two"])
    assert penstock.open(tmp_path / "n.a2pack").name(-1) == "b/two"


def test_verify_finds_what_the_command_prints(pack: Path) -> None:
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.write_bytes(content)
    with penstock.open(pack) as ds:
        found = ds.verify()
    printed = json.loads(run_command("verify", "--json", pack).stdout)
    assert not found.ok
    assert [vars(problem) for problem in found.problems] == printed["problems"]
    assert {problem.severity for problem in found.problems} <= {"error", "warning"}
