# SPDX-License-Identifier: Apache-2.0
"""Activation shards beside NumPy, ml_dtypes, safetensors and PyTorch."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from commands import run_command

import penstock
from penstock import shards

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

# One process runs the commands of these tests.
pytestmark = pytest.mark.xdist_group("commands")


def command(*words: Any) -> None:
    run_command(*words).check_returncode()


@pytest.fixture
def rows(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return rng.normal(size=(2500, 24)).astype(np.float32)


@pytest.fixture
def corpus(tmp_path: Path, rows: np.ndarray[Any, Any]) -> Path:
    with shards.Writer(tmp_path / "corpus", 24, shard_rows=1100) as writer:
        writer.append(rows)
    return tmp_path / "corpus"


def test_the_bytes_are_those_of_the_format(corpus: Path, rows: np.ndarray[Any, Any]) -> None:
    first = (corpus / "shard_000000.shard").read_bytes()
    assert first[:32] == b"GAMSAE01" + struct.pack("<QQII", 1100, 24, 0, 0)
    assert first[32:] == rows[:1100].tobytes()


def test_a_corpus_is_a_dataset(corpus: Path, rows: np.ndarray[Any, Any]) -> None:
    with penstock.open(corpus) as ds:
        assert isinstance(ds, shards.Shards)
        assert ds.format == "shards" and ds.shape == (2500, 24) and ds.dtype == np.float32
        assert ds.facts["batchRows"] == 1024 and ds.width == 24
        np.testing.assert_array_equal(ds[:], rows)
        np.testing.assert_array_equal(ds[[3, -1, 3]], rows[[3, -1, 3]])
        np.testing.assert_array_equal(ds[7], rows[7])
        out = np.empty((2, 24), np.float32)
        ds.take(np.array([5, 2000]), out=out)
        np.testing.assert_array_equal(out, rows[[5, 2000]])
        assert ds.verify().ok
        copy = pickle.loads(pickle.dumps(ds))
        np.testing.assert_array_equal(copy[-5:], rows[-5:])
        assert isinstance(copy, shards.Shards)


def test_batches_end_with_their_shard_and_have_dense_ids(
    corpus: Path, rows: np.ndarray[Any, Any]
) -> None:
    ds = penstock.open(corpus)
    assert isinstance(ds, shards.Shards)
    batches = ds.batches()
    for _ in range(2):
        read = list(batches)
        assert [len(ids) for _, ids in read] == [1024, 76, 1024, 76, 300]
        np.testing.assert_array_equal(np.concatenate([ids for _, ids in read]), np.arange(2500))
        whole = np.concatenate([values for values, _ in read])
        assert whole.dtype == np.float64
        np.testing.assert_array_equal(whole, rows.astype(np.float64))
        with pytest.raises(StopIteration):
            next(batches)
        batches.reset()


def test_batches_of_fixed_size_cross_shards(corpus: Path, rows: np.ndarray[Any, Any]) -> None:
    ds = penstock.open(corpus)
    assert isinstance(ds, shards.Shards)
    batches = ds.batches(dtype="f4", batch_rows=700, cross_shards=True)
    assert [len(ids) for _, ids in batches] == [700, 700, 700, 400]
    with pytest.deprecated_call():
        by_position: shards.Batches = ds.batches("f4", 700, True)  # type: ignore[misc]
    assert [len(ids) for _, ids in by_position] == [700, 700, 700, 400]
    batches.seek(1000)
    values, ids = next(batches)
    assert values.dtype == np.float32 and batches.position == 1700
    np.testing.assert_array_equal(ids, np.arange(1000, 1700))
    np.testing.assert_array_equal(values, rows[1000:1700])
    values[:] = 0  # what a batch holds is the caller's
    other = ds.batches(dtype=np.float32, batch_rows=700, cross_shards=True)
    other.load_state_dict(batches.state_dict())
    np.testing.assert_array_equal(next(other)[1], np.arange(1700, 2400))
    with pytest.raises(IndexError):
        batches.seek(2501)
    with pytest.raises(ValueError, match="batch_rows must be 1 or more, got 0"):
        ds.batches(batch_rows=0)
    with pytest.raises(ValueError, match="fingerprint"):
        batches.load_state_dict({"fingerprint": "0", "position": 1})
    with pytest.raises(ValueError, match="shards hold"):
        ds.batches(dtype="i4")
    assert batches.read_ahead().failure_count == 0


@pytest.mark.parametrize("dtype", ["bfloat16", "f2", "f4", "f8"])
def test_numpy_rounds_as_the_writer_does(
    tmp_path: Path, rng: np.random.Generator, dtype: str
) -> None:
    kind = BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)
    values = rng.normal(size=(300, 7)) * 10.0 ** rng.integers(-9, 9, size=(300, 7))
    values[0] = [0, -0.0, np.inf, -np.inf, 1e300, -1e-300, 65519.99]
    with shards.Writer(tmp_path / "c", 7, dtype=dtype, shard_rows=100) as writer:
        writer.append(values[:150])
        writer.append(values[150:])
    with penstock.open(tmp_path / "c") as ds:
        with np.errstate(over="ignore"):
            expected = values.astype(np.float32).astype(kind) if kind == BFLOAT16 else None
            expected = values.astype(kind) if expected is None else expected
        assert ds.dtype == kind
        assert ds[:].tobytes() == expected.tobytes()
        assert isinstance(ds, shards.Shards)
        read = np.concatenate([batch for batch, _ in ds.batches()])
        np.testing.assert_array_equal(read, expected.astype(np.float64))
        same = np.concatenate([batch for batch, _ in ds.batches(dtype=kind)])
        assert same.tobytes() == expected.tobytes()


def test_a_writer_goes_on_after_a_crash(tmp_path: Path, rows: np.ndarray[Any, Any]) -> None:
    writer = shards.Writer(tmp_path / "c", 24, shard_rows=1000)
    writer.append(rows[:2300])
    writer.abort()
    with shards.Writer(tmp_path / "c", 24, shard_rows=1000, resume=True) as writer:
        assert writer.next_row == 2000
        writer.append(rows[writer.next_row :])
        assert writer.commit() == 2500
    np.testing.assert_array_equal(penstock.open(tmp_path / "c")[:], rows)
    with pytest.raises(FileExistsError, match="resume=True continues"):
        shards.Writer(tmp_path / "c", 24)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(FileExistsError, match="a file has this name"):
        shards.Writer(tmp_path / "notes.txt", 24, resume=True)
    with pytest.raises(ValueError, match=r"width|rows of"):
        shards.Writer(tmp_path / "c", 25, resume=True)
    with shards.Writer(tmp_path / "d", 24) as writer:
        with pytest.raises(ValueError, match="shape"):
            writer.append(rows[:, :3])
        with pytest.raises(ValueError, match="floating-point"):
            writer.append(np.full((1, 24), "x"))
        writer.append(rows[0])
        writer.append(np.arange(24))


def test_statistics_are_those_of_numpy(corpus: Path, rows: np.ndarray[Any, Any]) -> None:
    ds = penstock.open(corpus)
    assert isinstance(ds, shards.Shards)
    stats = ds.stats(save=True)
    wide = rows.astype(np.float64)
    np.testing.assert_allclose(stats.mean, wide.mean(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(stats.rms, np.sqrt((wide**2).mean(axis=0)), rtol=1e-12)
    np.testing.assert_allclose(stats.mean_norm, np.linalg.norm(wide, axis=1).mean(), rtol=1e-12)
    np.testing.assert_allclose(stats.scale, np.sqrt(24 / (wide**2).sum(axis=1).mean()), rtol=1e-12)
    assert stats.min == wide.min() and stats.max == wide.max() and stats.count == 2500
    assert (corpus / "stats.json").exists()
    np.testing.assert_array_equal(ds.stats().mean, stats.mean)
    centred = (wide - stats.mean) * stats.centred_scale
    np.testing.assert_allclose((centred**2).sum(axis=1).mean(), 24, rtol=1e-9)
    transform = penstock.transforms.CentreScale(stats.mean, stats.centred_scale)
    with penstock.Loader(ds, batch_size=2500, shuffle=False, transform=transform) as loader:
        np.testing.assert_array_equal(next(iter(loader)), centred.astype(np.float32))


def test_block_shuffle_brings_each_row_once_and_resumes(
    corpus: Path, rows: np.ndarray[Any, Any]
) -> None:
    ds = penstock.open(corpus)
    sampler = penstock.samplers.Block(len(ds), block_size=64, seed=3)
    with penstock.Loader(ds, batch_size=100, sampler=sampler) as loader:
        steps = iter(loader)
        first = [next(steps) for _ in range(5)]
        state = loader.state_dict()
        rest = [next(steps) for _ in range(20)]
    everything = np.concatenate([*first, *rest])
    order = np.lexsort(everything.T)
    np.testing.assert_array_equal(everything[order], rows[np.lexsort(rows.T)])
    again = penstock.samplers.Block(len(ds), block_size=64, seed=3)
    with penstock.Loader(ds, batch_size=100, sampler=again) as loader:
        loader.load_state_dict(state)
        steps = iter(loader)
        np.testing.assert_array_equal(next(steps), rest[0])


def test_npy_and_safetensors_agree_on_every_import_and_export(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    cube = rng.normal(size=(5, 6, 8))
    for kind in ("f2", "f4", "f8", "bfloat16"):
        dtype = BFLOAT16 if kind == "bfloat16" else np.dtype(kind)
        values = cube.astype(np.float32).astype(dtype) if kind == "bfloat16" else cube.astype(dtype)
        flat = values.reshape(30, 8)
        np.save(tmp_path / f"{kind}.npy", values)
        safetensors.save_file({"x": values, "ids": np.arange(3)}, tmp_path / f"{kind}.safetensors")
        name = "bf16" if kind == "bfloat16" else {"f2": "f16", "f4": "f32", "f8": "f64"}[kind]
        for source in (f"{kind}.npy", f"{kind}.safetensors"):
            target = tmp_path / f"from-{source}"
            command(
                "shards", "write", "--input", tmp_path / source, "--output", target,
                "--dtype", name, "--shard-rows", 7,
            )  # fmt: skip
            with penstock.open(target) as ds:
                assert ds[:].tobytes() == flat.tobytes(), source
        out = tmp_path / f"out-{kind}.safetensors"
        command("export", target, "--format", "safetensors", "--output", out)
        assert safetensors.load_file(out)["activations"].tobytes() == flat.tobytes()
        array = tmp_path / f"out-{kind}.npy"
        command("export", target, "--format", "npy", "--output", array)
        assert np.load(array).tobytes() == flat.tobytes()


def test_problems_of_all_shards_are_in_the_error(corpus: Path) -> None:
    (corpus / "corpus.json").unlink()
    (corpus / "shard_000000.shard").write_bytes(b"short")
    (corpus / "shard_000001.shard").write_bytes(b"GAMSAE01" + struct.pack("<QQII", 1, 2, 9, 0))
    with pytest.raises(penstock.CorruptDataError, match=r"(?s)shard_000000.*shard_000001"):
        penstock.open(corpus)


def test_a_list_of_shards_is_one_corpus(corpus: Path, rows: np.ndarray[Any, Any]) -> None:
    files = sorted(corpus.glob("*.shard"))
    assert len(files) == 3
    turned = np.concatenate([rows[2200:], rows[:1100]])
    with penstock.open([files[2], files[0]], expect=shards.Shards) as ds:
        np.testing.assert_array_equal(ds[:], turned)
        batches = ds.batches("f4")
        sizes = [len(ids) for _, ids in batches]
        assert sizes == [300, 1024, 76]
        batches.seek(299)
        np.testing.assert_array_equal(next(batches)[0], turned[299:300])
        whole = next(ds.batches("f4", batch_rows=1000, cross_shards=True))
        np.testing.assert_array_equal(whole[0], turned[:1000])
        copy = pickle.loads(pickle.dumps(ds))
        assert isinstance(copy, shards.Shards)
        np.testing.assert_array_equal(copy[-3:], turned[-3:])
    for pattern in ([corpus / "*.shard"], corpus.parent / "*" / "*.shard"):
        with penstock.open(pattern, expect=shards.Shards) as ds:
            np.testing.assert_array_equal(ds[:], rows)


def test_damaged_shards_of_a_list_are_all_named(corpus: Path) -> None:
    files = sorted(corpus.glob("*.shard"))
    for file in files[1:]:
        file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(penstock.CorruptDataError) as error:
        penstock.open(files)
    assert all(file.name in str(error.value) for file in files[1:])


@pytest.mark.parametrize(("name", "dtype"), [("f32", "f4"), ("f64", "f8"), ("f16", "f2")])
def test_the_names_of_the_command_line_are_types(
    tmp_path: Path, rows: np.ndarray[Any, Any], name: str, dtype: str
) -> None:
    with shards.Writer(tmp_path / "named", 24, dtype=name) as writer:
        writer.append(rows[:10])
    with penstock.open(tmp_path / "named") as ds:
        assert ds.dtype == np.dtype(dtype) and ds.facts["dtype"] == name
        found, _ = next(ds.batches(dtype=name))
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found, rows[:10].astype(dtype))


def test_a_writer_without_a_type_writes_the_type_that_other_programs_read(tmp_path: Path) -> None:
    with shards.Writer(tmp_path / "new", 3, dtype=None) as writer:
        writer.append(np.zeros((2, 3)))
    assert penstock.open(tmp_path / "new").dtype == np.float32


def test_wrong_options_of_shards_are_named(corpus: Path) -> None:
    ds = penstock.open(corpus, expect=shards.Shards)
    with pytest.raises(TypeError, match=r"batch_rows must be an integer, got 2\.5"):
        ds.batches(batch_rows=2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cross_shards must be True or False, got 'no'"):
        ds.batches(cross_shards="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"row_id must be an integer, got 1\.5"):
        ds.batches().seek(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"has fingerprint and position; this has \['epoch'\]"):
        ds.batches().load_state_dict({"epoch": 1})
    with pytest.raises(ValueError, match="width must be 1 or more, got 0"):
        shards.Writer(corpus.parent / "other", 0)
    with pytest.raises(TypeError, match=r"shard_rows must be an integer, got 2\.5"):
        shards.Writer(corpus.parent / "other", 3, shard_rows=2.5)  # type: ignore[arg-type]
    with (
        shards.Writer(corpus.parent / "other", 3) as writer,
        pytest.raises(ValueError, match=r"the shape \(n, 3\) or \(3,\), got \(2, 2, 3\)"),
    ):
        writer.append(np.zeros((2, 2, 3)))


def test_no_warning_of_bfloat16_where_none_is_read(run: Any, tmp_path: Path) -> None:
    run(
        f"""
        import sys, warnings
        sys.modules["ml_dtypes"] = None
        import numpy as np, penstock
        folder = {str(tmp_path)!r}
        rows = np.ones((2, 3), "f4")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for kind in ("f4", "f8", "f2", "bfloat16"):
                with penstock.shards.Writer(f"{{folder}}/{{kind}}", 3, dtype=kind) as writer:
                    writer.append(rows)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bits, _ = next(penstock.open(f"{{folder}}/bfloat16").batches("bfloat16"))
        assert bits.dtype == "u2" and bits[0, 0] == 0x3F80
        assert "ml_dtypes" in str(caught[0].message)
        """
    )


def test_single_rows_of_several_types_keep_their_order(tmp_path: Path) -> None:
    rows = np.arange(900, dtype="f4").reshape(300, 3)
    with shards.Writer(tmp_path / "c", 3, shard_rows=100) as writer:
        for i, row in enumerate(rows):
            writer.append(row.astype(("f4", "f8", "f2", "i8")[i % 4 if i < 200 else 0]))
            assert writer.next_row == i + 1
        assert writer.commit() == 300
    assert (penstock.open(tmp_path / "c")[:] == rows).all()
