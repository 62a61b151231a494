# SPDX-License-Identifier: Apache-2.0
"""Tokens packed into rows, classes as vectors, normalised numbers: against NumPy and loops."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import command_line

import penstock
from penstock.transforms import Convert, Normalise, OneHot, PackTokens


@pytest.fixture
def documents(tmp_path: Path, rng: np.random.Generator) -> tuple[penstock.Dataset, list[Any]]:
    texts = [rng.integers(1, 60_000, int(n)).astype("<u2") for n in rng.integers(0, 90, 200)]
    penstock.write(tmp_path / "texts.a2pack", texts)
    return penstock.open(tmp_path / "texts.a2pack"), texts


def unpacked(batch: dict[str, Any]) -> dict[int, list[int]]:
    """The documents of a batch, by a plain loop."""
    found: dict[int, dict[int, int]] = {}
    parts = [batch[f"value{suffix}"] for suffix in ("", "_document", "_position", "_mask")]
    for token, document, position, mask in zip(*(part.reshape(-1) for part in parts), strict=True):
        assert bool(mask) == (document > 0)
        if mask:
            assert int(position) not in found.setdefault(int(document) - 1, {})
            found[int(document) - 1][int(position)] = int(token)
    for tokens in found.values():
        assert sorted(tokens) == list(range(len(tokens)))
    return {document: [t for _, t in sorted(found[document].items())] for document in found}


@pytest.mark.parametrize("order", ["best_fit", "in_order"])
@pytest.mark.parametrize("length", [7, 64, 200])
def test_every_token_is_in_one_place(documents: Any, order: str, length: int) -> None:
    ds, texts = documents
    pack = PackTokens(length=length, order=order, dtype="<u2")
    with penstock.Loader(ds, 32, seed=4, transform=pack, indices=True) as loader:
        for batch in loader:
            assert batch["value"].shape[1] == length
            assert batch["value"].dtype == np.uint16
            found = unpacked(batch)
            for row, index in enumerate(batch["indices"].tolist()):
                assert found.get(row, []) == texts[index].tolist()


def test_best_fit_wastes_less_than_keeping_the_order(documents: Any) -> None:
    ds, _ = documents
    waste = {}
    for order in ("best_fit", "in_order"):
        pack = PackTokens(length=128, order=order, dtype="<u2")
        with penstock.Loader(ds, 100, seed=4, transform=pack) as loader:
            masks = [batch["value_mask"] for batch in loader]
        waste[order] = 1 - np.concatenate(masks).mean()
    assert waste["best_fit"] < waste["in_order"]
    assert waste["best_fit"] < 0.05


def test_batches_of_one_shape(documents: Any) -> None:
    ds, _ = documents
    # A document is shorter than a row, so the documents of a batch need at most as many rows.
    pack = PackTokens(length=128, rows=30, fill=7, dtype="<u2")
    with penstock.Loader(ds, 30, seed=4, transform=[pack, Convert("i4", "value")]) as loader:
        batches = list(loader)
    assert {batch["value"].shape for batch in batches} == {(30, 128)}
    assert {batch["value_mask"].shape for batch in batches} == {(30, 128)}
    assert batches[0]["value"].dtype == np.int32
    assert (batches[0]["value"][~batches[0]["value_mask"]] == 7).all()
    few = PackTokens(length=128, rows=2, dtype="<u2")
    with (
        penstock.Loader(ds, 30, transform=few) as loader,
        pytest.raises(Exception, match="smaller batch size"),
    ):
        next(iter(loader))


def test_resuming_is_exact(documents: Any) -> None:
    ds, _ = documents
    pack = PackTokens(length=50, dtype="<u2")
    with penstock.Loader(ds, 16, seed=1, transform=pack) as loader:
        whole = [unpacked(batch) for batch in loader]
    for taken in (0, 1, 5):
        with penstock.Loader(ds, 16, seed=1, transform=pack) as loader:
            batches = iter(loader)
            for _ in range(taken):
                next(batches)
            state = loader.state_dict()
        with penstock.Loader(ds, 16, seed=1, transform=pack, threads=2) as loader:
            loader.load_state_dict(state)
            assert [unpacked(batch) for batch in loader] == whole[taken:]


def test_bytes_that_are_no_tokens_name_their_record(tmp_path: Path) -> None:
    penstock.write(tmp_path / "odd.a2pack", [b"1234", b"123", b""])
    ds = penstock.open(tmp_path / "odd.a2pack")
    with (
        penstock.Loader(
            ds, 3, shuffle=False, transform=PackTokens(length=4, dtype="<u2")
        ) as loader,
        pytest.raises(Exception, match=r"(?s)record 1.*not a multiple of the 2 bytes"),
    ):
        next(iter(loader))
    options: dict[str, Any] = {"on_error": "skip", "transform": PackTokens(length=4, dtype="<u2")}
    with penstock.Loader(ds, 3, shuffle=False, **options) as loader:
        assert next(iter(loader))["value_mask"].sum() == 2
    with pytest.raises(ValueError, match="order must be"):
        PackTokens(length=4, order="worst")
    with pytest.raises(ValueError, match="length must be 1 or more, got 0"):
        PackTokens(length=0)
    with pytest.raises(TypeError, match=r"rows must be an integer, got 2\.5"):
        PackTokens(length=4, rows=2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["f4", "u1", "i8", "?"])
def test_classes_become_vectors(tmp_path: Path, rng: np.random.Generator, dtype: str) -> None:
    rows = np.zeros(50, [("label", "<i2", (3,)), ("x", "<f4")])
    rows["label"] = rng.integers(0, 5, (50, 3))
    np.save(tmp_path / "rows.npy", rows)
    ds = penstock.open(tmp_path / "rows.npy")
    one_hot = OneHot(5, field="label", dtype=dtype)
    with penstock.Loader(ds, 50, shuffle=False, transform=one_hot) as loader:
        batch = next(iter(loader))
    np.testing.assert_array_equal(batch["label"], np.eye(5, dtype=dtype)[rows["label"]])
    assert batch["label"].dtype == np.dtype(dtype)
    with (
        penstock.Loader(ds, 50, transform=OneHot(4, field="label")) as loader,
        pytest.raises(Exception, match="not one of the 4 classes"),
    ):
        next(iter(loader))
    with pytest.raises(ValueError, match="classes must be 1 or more, got 0"):
        OneHot(0)


@pytest.mark.parametrize("stored", ["u1", "<f4", "<i8", "<f2"])
def test_numbers_are_normalised(tmp_path: Path, rng: np.random.Generator, stored: str) -> None:
    images = rng.integers(0, 255, (20, 9, 7, 3)).astype(stored)
    penstock.write(tmp_path / "images.npy", images)
    ds = penstock.open(tmp_path / "images.npy")
    for mean, std in (
        (120.5, 60.25),
        ([100, 110, 120.5], [50, 60, 0.3]),
        ([100, 110, 120.5], 2),
        (rng.normal(size=(9, 7, 3)), rng.uniform(1, 2, size=(9, 7, 3))),
    ):
        normalise = Normalise(mean, std)
        with penstock.Loader(ds, 20, shuffle=False, transform=normalise) as loader:
            got = next(iter(loader))
        expected = ((images.astype(np.float64) - mean) / std).astype(np.float32)
        np.testing.assert_array_equal(got, expected)
    for wrong in ((0, 0), ([1, 2], [1, 2, 3]), ([1] * 5, 1)):
        with pytest.raises(ValueError):
            penstock.Loader(ds, 20, transform=Normalise(*wrong))
    with pytest.raises(
        ValueError, match="field value does not fit a mean of 5 numbers: it has 189"
    ):
        penstock.Loader(ds, 20, transform=Normalise([1] * 5, 1))


def test_statistics_of_the_command_line_normalise(tmp_path: Path) -> None:
    numbers = np.arange(100, dtype=np.float32)
    penstock.write(tmp_path / "numbers.npy", numbers)
    command = command_line("stats", tmp_path / "numbers.npy", "--json")
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    (tmp_path / "stats.json").write_text(printed)
    for stats in (tmp_path / "stats.json", json.loads(printed)):
        normalise = Normalise.from_stats(stats)
        ds = penstock.open(tmp_path / "numbers.npy")
        with penstock.Loader(ds, 100, shuffle=False, transform=normalise) as loader:
            got = next(iter(loader))
        assert abs(got.mean()) < 1e-6
        assert abs(got.std() - 1) < 0.01
    with pytest.raises(ValueError, match="no mean and std of 'other'"):
        Normalise.from_stats(tmp_path / "stats.json", field="other")
