# SPDX-License-Identifier: Apache-2.0
"""Work that the loader's threads do, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import penstock
from penstock.transforms import Convert, Pad


def one_batch(ds, transform, **options):
    with penstock.Loader(ds, len(ds), shuffle=False, transform=transform, **options) as loader:
        return next(iter(loader))


@pytest.mark.parametrize("source", ["u1", "i2", "<u4", "<i8", "<f2", "<f4", "<f8", "?"])
@pytest.mark.parametrize("target", ["<f4", "<f8", "<i8"])
def test_convert_is_numpy_astype_where_numbers_fit(tmp_path, source, target):
    values = np.arange(60).reshape(20, 3).astype(source)
    penstock.write(tmp_path / "x.npy", values)
    batch = one_batch(penstock.open(tmp_path / "x.npy"), Convert(target))
    assert batch.dtype == np.dtype(target)
    np.testing.assert_array_equal(batch, values.astype(target))


def test_convert_scales_named_fields_only(tmp_path):
    columns = {"pixels": np.arange(0, 240, 4, dtype="u1").reshape(20, 3), "label": np.arange(20)}
    penstock.write(tmp_path / "x.npy", columns)
    batch = one_batch(
        penstock.open(tmp_path / "x.npy"), Convert("f4", "pixels", scale=1 / 255, shift=-0.5)
    )
    expected = (columns["pixels"] * (1 / 255) - 0.5).astype("f4")
    np.testing.assert_allclose(batch["pixels"], expected, rtol=1e-6)
    assert batch["label"].dtype == np.int64
    np.testing.assert_array_equal(batch["label"], columns["label"])


def test_dates_stay_dates_beside_a_conversion(tmp_path):
    columns = {"day": np.arange(4).astype("M8[D]"), "x": np.arange(4, dtype="u1")}
    penstock.write(tmp_path / "x.npy", columns)
    batch = one_batch(penstock.open(tmp_path / "x.npy"), Convert("f4", "x"))
    np.testing.assert_array_equal(batch["day"], columns["day"])
    np.testing.assert_array_equal(batch["x"], columns["x"].astype("f4"))


def test_pad_makes_an_array_and_a_mask(tmp_path):
    records = [b"to", b"", b"be or not", b"x" * 12]
    penstock.write(tmp_path / "x.a2pack", records)
    ds = penstock.open(tmp_path / "x.a2pack")
    batch = one_batch(ds, Pad(fill=7, multiple=5, length_max=10))
    assert batch["value"].shape == batch["value_mask"].shape == (4, 10)
    for row, mask, record in zip(batch["value"], batch["value_mask"], records, strict=True):
        cut = record[:10]
        assert row.tobytes() == cut + b"\7" * (10 - len(cut))
        assert mask.tolist() == [True] * len(cut) + [False] * (10 - len(cut))


def test_functions_come_after_the_work_of_the_threads(tmp_path):
    penstock.write(tmp_path / "x.npy", np.arange(8, dtype="u1"))
    ds = penstock.open(tmp_path / "x.npy")
    steps = [Convert("f4"), lambda batch: batch / 2, lambda batch: batch + 1]
    np.testing.assert_array_equal(one_batch(ds, steps), np.arange(8, dtype="f4") / 2 + 1)
    with pytest.raises(ValueError, match="before"):
        one_batch(ds, [lambda batch: batch, Convert("f4")])
    with pytest.raises(TypeError, match="function"):
        one_batch(ds, "f4")


def test_what_cannot_be_converted_is_refused(tmp_path):
    penstock.write(tmp_path / "x.npy", np.arange(8, dtype="u1"))
    ds = penstock.open(tmp_path / "x.npy")
    with pytest.raises(ValueError, match="numbers"):
        one_batch(ds, Convert("M8[D]"))
    with pytest.raises(ValueError, match="other"):
        one_batch(ds, Convert("f4", "other"))
    with pytest.raises(ValueError, match="no padding"):
        one_batch(ds, Pad())
