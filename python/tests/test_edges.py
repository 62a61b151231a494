# SPDX-License-Identifier: Apache-2.0
"""Odd indices, odd targets and odd types, each as NumPy has it or refused in words."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import samplers


class Own(np.ndarray[Any, Any]):
    """A subclass of arrays, as users define them."""


@pytest.fixture
def numbers(tmp_path: Path) -> penstock.Dataset:
    penstock.write(tmp_path / "numbers.npy", np.arange(1000) + 7_000_000)
    return penstock.open(tmp_path / "numbers.npy")


def unaligned(values: Any, dtype: str) -> np.ndarray[Any, Any]:
    array = np.frombuffer(bytearray(1 + np.dtype(dtype).itemsize * len(values)), dtype, offset=1)
    array[:] = values
    return array


def test_index_arrays_of_every_kind(numbers: penstock.Dataset) -> None:
    whole = np.arange(1000) + 7_000_000
    indices: list[Any] = [np.array([1, 5, 3], kind) for kind in "bBhHiIlLqQ"]
    indices += [np.array([1, 5, 3], kind) for kind in (">i8", ">u4", "<u8")]
    indices += [np.array([-1, -1000, 0], kind) for kind in ("<i2", ">i4", ">i8")]
    indices += [
        unaligned([1, 5], "<i8"),
        unaligned([-1, 5], ">i4"),
        np.arange(20)[::-3],
        np.arange(40)[::2],
        np.arange(20).reshape(4, 5).T,
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.broadcast_to(np.array([4]), 7),
        np.array([1, 2]).view(Own),
        np.array(5),
        np.array(5, "u8"),
        np.int8(-3),
        np.empty(0, int),
        np.empty((0, 4), "u1"),
        [],
        [[]],
        [[1], [2]],
        range(0),
    ]
    for index in indices:
        expected = whole[np.asarray(index, None if np.size(index) else int)]
        actual = numbers[index]
        assert np.shape(actual) == np.shape(expected), index
        assert np.array_equal(actual, expected) and type(actual) is not Own, index
    frozen = np.array([1, 2, -1])
    frozen.flags.writeable = False
    assert numbers[frozen].tolist() == whole[frozen].tolist()


@pytest.mark.parametrize(
    "index",
    [
        np.array([1, 2], object),
        np.array([1.0]),
        np.array([1 + 0j]),
        np.array(["1"]),
        np.array([1], "M8[s]"),
        np.empty(0),
        np.array(True),
        np.ones((1000, 1), bool),
        np.array([2**64 - 1], "u8"),
        np.array([2**63], "u8"),
        2**63,
        -(2**63) - 1,
        2**100,
        [2**63],
        [2**63, -1],
        [2**100],
        [-1001],
        [1000],
        "",
        b"x",
        {1},
        1.0,
    ],
)
def test_what_is_no_index_is_an_error(numbers: penstock.Dataset, index: Any) -> None:
    for ask in (numbers, numbers.select(range(1000)), numbers["value"]):
        with pytest.raises((IndexError, KeyError)):
            ask[index]
    with pytest.raises((IndexError, KeyError)):
        numbers.take(index, out=np.empty(1, int))


def test_huge_index_arrays(numbers: penstock.Dataset, rng: np.random.Generator) -> None:
    index = rng.integers(-1000, 1000, 1_500_000)
    assert (numbers[index] == 7_000_000 + index % 1000).all()
    out = np.empty(1_500_000, int)
    assert (numbers.take(index % 1000, out=out) == 7_000_000 + index % 1000).all()


def test_indices_and_targets_may_overlap(
    numbers: penstock.Dataset, rng: np.random.Generator
) -> None:
    for shift in (0, 1, 7):
        memory = np.zeros(100_000 + shift, np.int64)
        memory[:100_000] = rng.integers(0, 1000, 100_000)
        index = memory[:100_000]
        expected = 7_000_000 + index
        numbers.take(index, out=memory[shift:])
        assert (memory[shift:] == expected).all()


def test_targets_of_every_kind(numbers: penstock.Dataset, tmp_path: Path) -> None:
    index = [3, -1, 5]
    expected = [7_000_003, 7_000_999, 7_000_005]
    field = np.zeros(3, [("a", "u1"), ("b", "<i8")])
    targets: list[np.ndarray[Any, Any]] = [
        np.zeros(6, int)[::2],
        np.zeros(3, int)[::-1],
        np.zeros((3, 2), int)[:, 1],
        np.zeros(3, ">i8"),
        np.zeros(3, "<i4"),
        np.zeros(3, "<f8"),
        np.zeros(3, complex),
        unaligned([0, 0, 0], "<i8"),
        np.zeros(3, int).view(Own),
        np.ma.zeros(3, int),
        field["b"],
        np.memmap(tmp_path / "target", "<i8", "w+", shape=(3,)),
    ]
    for out in targets:
        assert numbers.take(index, out=out) is out and out.tolist() == expected
    assert field["a"].tolist() == [0, 0, 0]
    one = np.zeros((), int)
    assert numbers.take(4, out=one) is one and one == 7_000_004
    for wrong in (np.zeros(2, int), np.zeros((3, 1), int), [0, 0, 0], 5, np.zeros(3, int).data):
        with pytest.raises(ValueError, match="out must be an array"):
            numbers.take(index, out=wrong)
    readonly = np.memmap(tmp_path / "target", "<i8", "r", shape=(3,))
    with pytest.raises(ValueError, match="read-only"):
        numbers.take(index, out=readonly)


def test_targets_in_other_orders(tmp_path: Path) -> None:
    array = np.arange(24.0).reshape(4, 3, 2)
    np.save(tmp_path / "x.npy", array)
    ds = penstock.open(tmp_path / "x.npy")
    for out in (np.zeros((2, 3, 2), order="F"), np.zeros((2, 2, 3)).transpose(0, 2, 1)):
        assert (ds.take([2, -1], out=out) == array[[2, -1]]).all()


PAIR = [("a", "<i8"), ("b", "<i8")]


@pytest.fixture
def pairs(tmp_path: Path) -> penstock.Dataset:
    penstock.write(tmp_path / "pairs.npy", {"a": np.arange(5), "b": np.arange(5) * 10})
    return penstock.open(tmp_path / "pairs.npy")


def test_structured_targets(pairs: penstock.Dataset) -> None:
    for kind in (
        np.dtype(PAIR),
        np.dtype([("a", ">i4"), ("b", "<f8")]),
        np.dtype({"names": ["a", "b"], "formats": ["<i8", "<i8"], "offsets": [8, 24]}),
        np.dtype((np.record, PAIR)),
    ):
        out = np.zeros(2, kind)
        pairs.take([1, 4], out=out)
        assert out["a"].tolist() == [1, 4] and out["b"].tolist() == [10, 40]


@pytest.mark.parametrize("names", ["ba", "xy"])
def test_fields_of_targets_go_by_name(pairs: penstock.Dataset, names: str) -> None:
    out = np.zeros(2, [(name, "<i8") for name in names])
    try:
        pairs.take([1, 4], out=out)
    except (ValueError, KeyError):
        return
    assert names == "ba" and out["a"].tolist() == [1, 4]


@pytest.mark.parametrize("shape", [(4,), (3, 1)])
def test_columns_of_targets_have_the_right_shape(
    pairs: penstock.Dataset, shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError):
        pairs.take([1], out={"a": np.zeros(shape, int), "b": np.zeros(shape, int)})


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(0),
        np.zeros((0, 3), "<f2"),
        np.zeros((5, 0)),
        np.zeros(3, "V0"),
        np.zeros(3, [("a", "i4", (0,)), ("b", "i4")]),
        np.array([b"a\0b", b"c"]),
        np.array(["äö", "€"]).astype(">U2"),
        np.array(["NaT", "2020-01-01"], ">M8[us]"),
        np.arange(3).astype("<m8"),
        np.arange(3).astype(np.longdouble),
        np.arange(3).astype(np.clongdouble),
        np.zeros((2,) + (1,) * 20),
        np.zeros(2, [(("title", "n"), "i4")]),
        np.zeros(2, np.dtype([("a", "u1"), ("b", "f8")], align=True)),
        np.zeros(2, [("é \n'", "i4"), ("value", "i4")]),
    ],
    ids=lambda array: f"{array.dtype.str}{array.shape}",
)
def test_odd_types(tmp_path: Path, array: np.ndarray[Any, Any]) -> None:
    np.save(tmp_path / "x.npy", array)
    ds = penstock.open(tmp_path / "x.npy")
    assert ds.shape == array.shape and len(ds) == len(array) and ds.nbytes == array.nbytes
    assert np.asarray(ds).dtype.newbyteorder("=") == array.dtype.newbyteorder("=")
    assert np.array_equal(np.asarray(ds).astype(array.dtype), array) or array.dtype.kind == "M"
    assert len(list(ds)) == len(array) and repr(ds)
    with penstock.Loader(ds, batch_size=2, shuffle=False) as loader:
        assert len(list(loader)) == (len(array) + 1) // 2
    assert ds.view().shape == array.shape and ds.verify()


@pytest.mark.parametrize(
    "value", [np.float32(3.5), np.array((1, 2.5), [("a", "i4"), ("b", "f8")]), np.array(b"abc")]
)
def test_an_array_without_dimensions_keeps_its_shape(tmp_path: Path, value: Any) -> None:
    np.save(tmp_path / "x.npy", value)
    expected = np.load(tmp_path / "x.npy")
    ds = penstock.open(tmp_path / "x.npy")
    assert len(ds) == 1 and ds.shape == expected.shape == ()
    for array in (np.asarray(ds), ds.view(), np.asarray(pickle.loads(pickle.dumps(ds)))):
        assert array.shape == () and array == expected and array.dtype == expected.dtype
    # Records are counted along an axis of their own, as everywhere.
    assert ds.select([0, 0]).shape == (2,) and np.asarray(ds.select([0])).shape == (1,)
    assert penstock.concat(ds, ds).shape == (2,)
    with penstock.Loader(ds, batch_size=2) as loader:
        assert len(list(loader)) == 1


def test_empty_datasets(tmp_path: Path, pairs: penstock.Dataset) -> None:
    empty = pairs.select([])
    assert len(empty) == 0 and list(empty) == [] and len(empty.where("a == 1")) == 0
    assert [len(part) for part in empty.split()] == [0, 0] and len(empty.fingerprint) == 32
    assert list(penstock.Loader(empty, 4)) == [] == list(penstock.Loader(empty, 4, shuffle=False))
    assert len(penstock.concat(empty, pairs, empty)) == 5 and np.asarray(empty).shape == (0,)
    assert empty[:]["a"].shape == (0,) and empty["b"][[]].shape == (0,)
    with pytest.raises(IndexError):
        empty[0]
    with pytest.raises(ValueError):
        penstock.zip(a=empty, b=pairs)
    with pytest.raises(ValueError):
        penstock.concat()


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch_size": -1},
        {"batch_size": 2**62},
        {"batch_size": 2**70},
        {"batch_size": 2.5},
        {"batch_size": "3"},
        {"threads": 0},
        {"threads": 2**40},
        {"prefetch": -1},
        {"prefetch": 2**70},
        {"seed": 2**64},
        {"seed": 1.5},
        {"rank": 2**33, "world_size": 2**34},
    ],
)
def test_numbers_that_make_no_sense(pairs: penstock.Dataset, wrong: dict[str, Any]) -> None:
    with pytest.raises((ValueError, OverflowError, TypeError)):
        penstock.Loader(pairs, **{"batch_size": 2, **wrong})


def test_numbers_of_numpy_are_numbers(pairs: penstock.Dataset) -> None:
    loader = penstock.Loader(pairs, batch_size=np.int64(2), seed=np.uint8(3), threads=np.int32(1))  # type: ignore[arg-type]
    loader.set_epoch(np.int64(3))  # type: ignore[arg-type]
    assert loader.epoch == 3 and len(loader[np.int64(1)]["a"]) == 2  # type: ignore[index]
    assert len(samplers.Permutation(np.int64(10))) == 10  # type: ignore[arg-type]


def test_states_that_make_no_sense(pairs: penstock.Dataset) -> None:
    loader = penstock.Loader(pairs, 2)
    good = loader.state_dict()
    for wrong in (
        {},
        {"version": 2},
        None,
        [],
        {**good, "delivered": -5},
        {**good, "delivered": 10**9},
        {**good, "epoch": "x"},
        {**good, "epoch": -1},
        {**good, "records": 4},
    ):
        with pytest.raises(ValueError):
            loader.load_state_dict(wrong)  # type: ignore[arg-type]
        assert loader.state_dict() == good


def test_conditions_that_make_no_sense(pairs: penstock.Dataset) -> None:
    for wrong in (
        "",
        "a",
        "a ==",
        "a == 'x",
        "(" * 5000,
        "not " * 20_000,
        "\0",
        "\ud800",
        "c == 1",
    ):
        with pytest.raises(ValueError):
            pairs.where(wrong)


def test_views_are_of_the_file_that_was_opened(pairs: penstock.Dataset) -> None:
    assert pairs.view()["b"].tolist() == [0, 10, 20, 30, 40]
    assert not pairs.view().flags.writeable


def test_views_of_files_that_were_replaced(pairs: penstock.Dataset) -> None:
    penstock.write(pairs.path, {"a": np.zeros(7, int), "b": np.zeros(7, int)}, overwrite=True)
    assert len(pairs[:]["a"]) == 5
    try:
        view = pairs.view()
    except (ValueError, OSError):
        return
    assert view["b"].tolist() == [0, 10, 20, 30, 40]
