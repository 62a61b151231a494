# SPDX-License-Identifier: Apache-2.0
"""Indexing does what NumPy's does."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock

SCALARS = "? i1 <i2 >i4 <i8 u1 >u2 <u4 >u8 <f2 >f4 <f8 <c8 >c16 S5 <U3 >U2 V3 <M8[ns] >m8[s]"


def random_dtype(rng: np.random.Generator, depth: int = 0) -> np.dtype[Any]:
    if depth > 0 and (depth > 2 or rng.random() < 0.6):
        return np.dtype(str(rng.choice(SCALARS.split())))
    if depth == 0 and rng.random() < 0.4:
        return np.dtype(str(rng.choice(SCALARS.split())))
    members = []
    for i in range(rng.integers(1, 5)):
        member = random_dtype(rng, depth + 1)
        shape = tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3)))
        members.append((f"f{i}", member, shape))
    return np.dtype(members, align=bool(rng.random() < 0.3))


def random_array(rng: np.random.Generator) -> np.ndarray[Any, Any]:
    dtype = random_dtype(rng)
    shape = tuple(int(n) for n in rng.integers(1, 4, rng.choice([0, 0, 1, 2])))
    count = int(rng.choice([0, 1, 2, 7, 100]))
    size = count * int(np.prod(shape)) * dtype.itemsize
    array = np.frombuffer(rng.bytes(size), dtype).reshape(count, *shape).copy()
    return tame(array)


def tame(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Random bytes are no truth values, no code points and no text."""
    if array.dtype.names is not None:
        for name in array.dtype.names:
            array[name] = tame(array[name].copy())
        return array
    if array.dtype.kind == "b":
        return array.view(np.uint8) % 2 == 1
    if array.dtype.kind == "S":
        # A single one loses the zeros at its end.
        return (array.view(np.uint8) | 1).view(array.dtype)
    if array.dtype.kind == "U":
        points = array.view(array.dtype.str[0] + "u4")
        return (points % 1000 + 1).astype(points.dtype).view(array.dtype)
    return array


def random_index(rng: np.random.Generator, n: int) -> Any:
    def bound() -> int | None:
        return None if rng.random() < 0.3 else int(rng.integers(-n - 3, n + 4))

    match rng.integers(0, 8):
        case 0:
            return int(rng.integers(-n - 2, n + 2))
        case 1:
            return slice(bound(), bound(), rng.choice([None, 1, 2, -1, -3]))
        case 2:
            return rng.integers(-n, n, rng.integers(0, 20)).tolist() if n else []
        case 3:
            return rng.random(n) < 0.4
        case 4:
            return rng.integers(0, max(n, 1), (2, 3)).astype(rng.choice(["u1", "i2", "u8", "i8"]))
        case 5:
            return rng.integers(-n - 2, n + 2, 5)
        case 6:
            return np.int32(rng.integers(-n - 1, n + 1))
        case _:
            return (rng.random(n) < 0.5).tolist() if n else slice(None)


def leaves(array: np.ndarray[Any, Any], name: str = "") -> dict[str, np.ndarray[Any, Any]]:
    if array.dtype.names is None:
        return {name or "value": array}
    found = {}
    for member in array.dtype.names:
        found.update(leaves(array[member], f"{name}.{member}" if name else member))
    return found


def same(actual: Any, expected: Any) -> None:
    """Equal values of the same shape, in this machine's order."""
    expected = np.asarray(expected)
    if isinstance(actual, (np.bytes_, np.str_)):
        # A single text has no length but its own.
        assert type(actual) is type(expected[()]) and actual == expected[()]
        return
    actual = np.asarray(actual)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype.newbyteorder("=")
    native = expected.astype(expected.dtype.newbyteorder("="))
    assert actual.tobytes() == native.tobytes()


def compare(ds: penstock.Dataset, array: np.ndarray[Any, Any], index: Any) -> None:
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises(IndexError):
            ds[index]
        return
    actual = ds[index]
    columns = {"value": actual} if ds.is_plain else actual
    for name, values in leaves(np.asarray(expected)).items():
        same(columns[name], values)
    for name in columns:
        column = columns[name]
        if isinstance(column, np.ndarray):
            assert column.flags.writeable and column.flags.c_contiguous


@pytest.mark.parametrize("part", range(4))
def test_random_arrays_and_expressions(rng: np.random.Generator, tmp_path: Path, part: int) -> None:
    for i in range(40 if os.environ.get("PENSTOCK_LONG") else 25):
        array = random_array(rng)
        np.save(tmp_path / f"{i}.npy", array)
        with penstock.open(tmp_path / f"{i}.npy") as ds:
            print(i, repr(array.dtype), array.shape)
            assert len(ds) == len(array) and ds.shape == array.shape
            assert ds.nbytes == array.nbytes
            for _ in range(12):
                index = random_index(rng, len(array))
                print("  ", repr(index))
                compare(ds, array, index)
                rows = np.arange(len(array))
                chosen = rng.permutation(rows)[: len(rows) // 2]
                view = ds.select(chosen)
                compare(view, array[chosen], random_index(rng, len(chosen)))
            check_columns(rng, ds, array)
            check_out(rng, ds, array)


def check_columns(
    rng: np.random.Generator, ds: penstock.Dataset, array: np.ndarray[Any, Any]
) -> None:
    for name in array.dtype.names or ():
        index = rng.integers(0, len(array), 5) if len(array) else []
        member = array[name]
        assert ds[name].shape == member.shape
        if member.dtype.names is None:
            same(ds[name][index], member[index])
        else:
            # Padding between fields has no defined value, so the fields are compared one by one.
            actual = leaves(ds[name][index])
            for inner, values in leaves(member[index]).items():
                assert actual[inner].tobytes() == values.tobytes()


def check_out(rng: np.random.Generator, ds: penstock.Dataset, array: np.ndarray[Any, Any]) -> None:
    index = rng.integers(-len(array), len(array), 5) if len(array) else np.empty(0, int)
    expected = array[index]
    for dtype in {array.dtype, ds.dtype}:
        out = np.zeros(expected.shape, dtype)
        assert ds.take(index, out=out) is out
        for name, values in leaves(out).items():
            same(values.astype(values.dtype.newbyteorder("=")), leaves(expected)[name])
    for name, values in leaves(np.asarray(ds)).items():
        same(values.astype(values.dtype.newbyteorder("=")), leaves(array)[name])


def test_golden_files_are_what_numpy_reads(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "testdata" / "table"
    if not folder.is_dir():
        pytest.skip("no testdata beside the package")
    compared = 0
    for file in sorted(folder.glob("*.npy")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                array = np.load(file)
            ds = penstock.open(file)
        except (ValueError, OSError):
            continue
        if array.ndim == 0 or (array.dtype.kind == "V" and array.dtype.names is None):
            continue
        for index in (slice(None), slice(None, None, -2), [0] if len(array) else []):
            compare(ds, array, index)
        compared += 1
    assert compared > 40


def test_iterating_gives_every_record(steps: Path) -> None:
    ds = penstock.open(steps)
    assert [int(record["board"]) for record in ds] == list(range(1000))
    assert [int(value) for value in ds["board"]] == list(range(1000))


def test_getitems_gives_a_ready_batch(steps: Path) -> None:
    ds = penstock.open(steps)
    assert ds.__getitems__([3, 5])["board"].tolist() == [3, 5]


def test_expressions_that_numpy_has_and_records_have_not(steps: Path) -> None:
    ds = penstock.open(steps)
    for wrong in ((1, 2), True, 1.5, [1.5], None, np.zeros(3, bool)):
        with pytest.raises(IndexError):
            ds[wrong]
    with pytest.raises(KeyError, match="board, move, values"):
        ds["bord"]


def test_out_is_checked(steps: Path) -> None:
    ds = penstock.open(steps)
    with pytest.raises(ValueError, match="shape"):
        ds.take([1, 2], out=np.empty(3, ds.dtype))
    frozen = np.empty(2, ds.dtype)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ds.take([1, 2], out=frozen)
    columns = {name: np.empty((2, *f.shape), f.dtype) for name, f in ds.fields.items()}
    assert ds.take([1, 2], out=columns)["board"].tolist() == [1, 2]
