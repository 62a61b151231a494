# SPDX-License-Identifier: Apache-2.0
"""The first steps of a new user: data in memory, records, summaries, conversions, messages."""

from __future__ import annotations

import inspect
import pickle
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import NEEDS_TORCH

import penstock


@pytest.fixture
def named(tmp_path: Path) -> Path:
    path = tmp_path / "named.a2pack"
    penstock.write(path, {f"{i}.txt": bytes([65 + i]) * i for i in range(20)})
    return path


def test_loader_takes_data_in_memory(steps: Path) -> None:
    array = np.arange(12.0).reshape(6, 2)
    for data in (array, np.asfortranarray(array), array.tolist()):
        with penstock.Loader(data, 4, shuffle=False) as loader:
            assert np.array_equal(np.concatenate(list(loader)), array)
    with penstock.Loader({"x": array, "y": np.arange(6)}, 6, shuffle=False) as loader:
        batch = next(iter(loader))
    assert np.array_equal(batch["x"], array) and batch["y"].tolist() == list(range(6))
    with penstock.Loader([b"a", b"", b"ccc"], 3, shuffle=False) as loader:
        assert next(iter(loader)) == [b"a", b"", b"ccc"]
    for path in (str(steps), steps):
        with penstock.Loader(path, 1000, shuffle=False) as loader:
            assert next(iter(loader))["board"].tolist() == list(range(1000))


def test_from_memory_is_a_dataset_like_any_other() -> None:
    columns = {"x": np.arange(50, dtype="u2"), "text": [b"%d" % i for i in range(50)]}
    ds = penstock.from_memory(columns)
    assert (
        len(ds) == 50 and ds[7]["text"] == b"7" and ds.where("x >= 48")["x"][:].tolist() == [48, 49]
    )
    again = pickle.loads(pickle.dumps(ds))
    assert again[:]["text"] == columns["text"] and again.fingerprint == ds.fingerprint
    plain = penstock.from_memory(np.arange(5))
    assert np.array_equal(plain.view(), np.arange(5)) and plain.path == "<memory>"
    assert plain.verify().ok and penstock.from_memory(plain) is plain
    copy = pickle.loads(pickle.dumps(plain))
    plain.close()
    assert copy[:].tolist() == [0, 1, 2, 3, 4]


def test_names_of_columns_in_memory_are_in_any_script() -> None:
    ds = penstock.from_memory({"größe": np.arange(3), "番号": np.arange(3) * 2.0})
    assert list(ds.fields) == ["größe", "番号"] and ds["番号"][-1] == 4.0


def test_views_of_data_in_memory_have_no_path() -> None:
    mixed = penstock.from_memory({"x": np.arange(3), "text": [b"a", b"", b"b"]})
    plain = penstock.from_memory(np.arange(3))
    for ds in (mixed, mixed.where("x > 0"), plain.select([1]), penstock.concat(plain, plain)):
        assert ds.path == "<memory>" and "/proc" not in repr(ds) + ds._repr_html_()
    with penstock.Loader(mixed, 2) as loader:
        assert "/proc" not in repr(loader)


def test_from_memory_copies_the_data() -> None:
    array = np.arange(5)
    ds = penstock.from_memory(array)
    array[:] = 9
    assert ds[:].tolist() == [0, 1, 2, 3, 4]


def test_a_mapped_file_is_opened_where_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(100))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert penstock.from_memory(mapped).path == str(tmp_path / "a.npy")
    # A part of it is not the file.
    assert penstock.from_memory(mapped[10:20])[:].tolist() == list(range(10, 20))


def test_types_in_memory() -> None:
    for array in (
        np.array(["a", "bcd"]),
        np.array(["2020-01-01", "2021-02-03"], "M8[D]"),
        np.array([(1, 2.5), (3, 4.5)], [("a", ">i4"), ("b", "<f8")]),
        np.empty((0, 3), np.float32),
        np.array([True, False]),
    ):
        assert np.array_equal(penstock.from_memory(array).to_numpy(), array)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "at least one column"),
        ({"a": [1, 2], "b": [1]}, "different lengths: a has 2, b has 1"),
        ({1: [2]}, "names of columns"),
        (np.array([{}, None]), "Python objects"),
        ("text", "must be an array or a list"),
        (5, "single value 5"),
        (iter([1]), r"penstock\.write"),
    ],
)
def test_data_that_is_no_dataset(data: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        penstock.from_memory(data)


@pytest.mark.parametrize("wrong", [5, None, object(), {1, 2}])
def test_no_internal_names_in_messages(wrong: Any, steps: Path) -> None:
    ds = penstock.open(steps)
    calls = [
        lambda: penstock.Loader(wrong, 3),
        lambda: penstock.concat(ds, wrong),
        lambda: penstock.concat(wrong),
        lambda: penstock.zip(a=ds, b=wrong),
        lambda: penstock.zip(wrong),
        lambda: penstock.mix(ds, wrong, weights=[1, 2]),
        lambda: penstock.windows(wrong, 3),
        lambda: penstock.open(wrong),
        lambda: penstock.Loader(ds, 3, sampler=wrong or 5),
        lambda: penstock.samplers.Mixture([wrong], [1.0], 5),
        lambda: penstock.samplers.Subset(3, [1], wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError) as caught:
            call()
        text = str(caught.value)
        assert not re.search(r"_java|_handle|attribute|NoneType|the request|a Long", text), text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 2.5}, "batch_size must be an integer, got 2.5"),
        ({"batch_size": "32"}, "batch_size must be an integer, got '32'"),
        ({"batch_size": True}, "batch_size must be an integer, got True"),
        ({"batch_size": None}, "batch_size must be an integer, got None"),
        ({"batch_size": 8, "seed": 1.5}, "seed must be an integer, got 1.5"),
        ({"batch_size": 8, "threads": "two"}, "threads must be an integer, got 'two'"),
        ({"batch_size": 8, "prefetch": 1e9}, "prefetch must be an integer, got 1000000000.0"),
        ({"batch_size": 8, "shuffle": "yes"}, "shuffle must be True or False, got 'yes'"),
        ({"batch_size": 8, "fields": "board"}, r"use \['board'\]"),
        ({"batch_size": 8, "fields": [1]}, "list of names"),
        ({"batch_size": 8, "workers": 0.5}, "workers must be an integer, got 0.5"),
        ({"batch_size": 8, "to": 3}, "to must be 'numpy', 'torch' or 'jax', got 3"),
        ({"batch_size": 8, "map_records": 3}, "map_records must be a function, got 3"),
    ],
)
def test_wrong_types_are_named(options: dict[str, Any], message: str, steps: Path) -> None:
    with pytest.raises(TypeError, match=message):
        penstock.Loader(penstock.open(steps), **options)


def test_wrong_types_elsewhere(steps: Path, tmp_path: Path) -> None:
    ds = penstock.open(steps)
    with pytest.raises(TypeError, match=r"length must be an integer, got 2\.5"):
        ds.windows(2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"memory must be an integer, got 1\.5"):
        penstock.open(steps, memory=1.5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="block_size must be an integer"):
        penstock.samplers.Block(10, block_size=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="scale must be a finite number, got nan"):
        scaled = penstock.transforms.Convert("f4", "board", scale=float("nan"))
        penstock.Loader(ds, 4, transform=scaled)
    with pytest.raises(TypeError, match=r"shard_rows must be an integer, got 2\.5"):
        penstock.TableWriter(tmp_path / "t", "f4", shard_rows=2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="condition must be a string, got 5"):
        ds.where(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expect is Tree"):
        penstock.open(steps, expect=penstock.Tree)


def _callables() -> Iterator[tuple[str, Any]]:
    for name in penstock.__all__:
        value = getattr(penstock, name)
        inside = vars(value) if inspect.ismodule(value) else {name: value}
        for key, one in inside.items():
            if key.startswith("_") or not getattr(one, "__module__", "").startswith("penstock"):
                continue
            yield key, one
            if inspect.isclass(one):
                yield from ((f"{key}.{m}", f) for m, f in vars(one).items() if m[0] != "_")


def test_options_are_given_by_name() -> None:
    count = 0
    for name, value in _callables():
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if not callable(function) or issubclass(type(function), property):
            continue
        if inspect.isclass(function) and issubclass(function, tuple):
            continue
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            continue
        own = [one for one in parameters if one.name not in ("self", "cls")]
        positional = [one for one in own if one.kind is one.POSITIONAL_OR_KEYWORD]
        late = [one.name for one in positional[2:] if one.default is not one.empty]
        if not inspect.isclass(function) or "dataclass" not in repr(function.__doc__):
            assert not late or name == "Verification", (name, late)
        count += 1
    assert count > 80


def test_columns_by_a_list_of_names(steps: Path) -> None:
    ds = penstock.open(steps)
    columns = ds[["move", "board"]]
    assert list(columns) == ["move", "board"]
    assert columns["board"][3] == 3 and np.asarray(columns["move"]).shape == (1000,)
    with pytest.raises(KeyError, match="no field 'nothing'"):
        ds[["move", "nothing"]]


@pytest.mark.parametrize(
    "index",
    [
        (3, 1),
        ((0, 1),),
        ((0, 1), 2),
        (-1, 0),
        (slice(1, 5), 2),
        (slice(None), slice(0, 2)),
        ([1, 2], [0, 1]),
        ([4, 0, 4], slice(None)),
        (np.array([True] + [False] * 19), 1),
        (Ellipsis, 1),
        (3, Ellipsis),
        (5,),
        (2, None, 1),
        (3, [2, 0]),
    ],
)
def test_elements_as_numpy_has_them(index: Any, tmp_path: Path) -> None:
    array = np.arange(60).reshape(20, 3)
    np.save(tmp_path / "a.npy", array)
    np.save(tmp_path / "b.npy", np.array([(row,) for row in array.tolist()], [("v", "i8", (3,))]))
    for source in (penstock.open(tmp_path / "a.npy"), penstock.open(tmp_path / "b.npy")["v"]):
        part = source[index]
        assert np.array_equal(part, array[index]) and np.shape(part) == np.shape(array[index])
        if isinstance(part, np.ndarray):
            part[...] = 7
    for wrong in ((20, 0), (0, 3), (0, 0, 0)):
        with pytest.raises(IndexError):
            penstock.open(tmp_path / "a.npy")[wrong]
    with pytest.raises(IndexError, match="index a column"):
        penstock.open(tmp_path / "b.npy")[3, 1]


def test_names(named: Path, steps: Path) -> None:
    ds = penstock.open(named)
    assert ds.names == [f"{i}.txt" for i in range(20)] and ds.find("3.txt") == 3
    assert ds.get("2.txt") == b"CC" and ds.get("none", None) is None
    assert ds.get("none", b"-") == b"-"
    with pytest.raises(KeyError, match="none: no record has this name"):
        ds.get("none")
    part = ds.select([5, 2])
    assert part.names == ["5.txt", "2.txt"] and part.get("2.txt") == b"CC"
    with pytest.raises(KeyError, match="no record has this name"):
        ds.find("none")
    with pytest.raises(KeyError, match=r"ds.get\(name\)"):
        ds["3.txt"]
    plain = penstock.open(steps)
    assert plain.names == [] and plain.get("3.txt", None) is None
    with pytest.raises(KeyError, match="have no names"):
        plain.find("3.txt")
    both = penstock.concat(ds, part)
    assert both.names[-1] == "2.txt" and both.find("2.txt") == 2


def test_head_and_repr(named: Path, steps: Path, tmp_path: Path) -> None:
    head = penstock.open(steps).head(2)
    assert len(head) == 2 and head["board"][:].tolist() == [0, 1]
    lines = repr(head).splitlines()
    assert lines[0].split() == ["board", "move", "values"] and lines[2].split()[:3] == [
        "1",
        "1",
        "1",
    ]
    assert "2.txt" in repr(penstock.open(named).head())
    assert len(penstock.open(named).head(100)) == 20
    penstock.write(tmp_path / "long.a2pack", [b"\xff" * 5000])
    assert "(5,000 bytes)" in repr(penstock.open(tmp_path / "long.a2pack").head())


def test_html_is_escaped(tmp_path: Path) -> None:
    evil = "<script>alert('x')</script>"
    folder = tmp_path / "<b>&"
    folder.mkdir()
    rows = np.zeros(2, [("<img src=x>", "u1"), ("text", "U40")])
    rows["text"] = evil
    np.save(folder / "a.npy", rows)
    ds = penstock.open(folder / "a.npy")
    for text in (ds._repr_html_(), ds.head()._repr_html_()):
        assert "<script" not in text and "<img" not in text and "<b>&" not in text
        assert "&lt;img src=x&gt;" in text and "&lt;script&gt;" in text
    penstock.write(tmp_path / "named.a2pack", {evil: b"<script>"})
    text = penstock.open(tmp_path / "named.a2pack")._repr_html_()
    assert "<script" not in text and "&lt;script&gt;" in text


def test_html_of_a_damaged_dataset(tmp_path: Path) -> None:
    penstock.write(tmp_path / "a.a2pack", [b"x" * 100] * 3)
    content = bytearray((tmp_path / "a.a2pack").read_bytes())
    ds = penstock.open(tmp_path / "a.a2pack")
    at = content.index(b"xxxx")
    content[at] ^= 1
    (tmp_path / "a.a2pack").write_bytes(content)
    assert "cannot be read" in penstock.open(tmp_path / "a.a2pack")._repr_html_()
    ds.close()
    assert "closed" in repr(ds)


def test_reductions_are_those_of_numpy(tmp_path: Path, rng: np.random.Generator) -> None:
    for dtype in ("f4", "f8", "i2", "u8", "?", ">i4", "c8"):
        values = np.abs(rng.normal(size=(500, 3)) * 50 + 100).astype(dtype)
        np.save(tmp_path / "a.npy", np.rec.fromarrays([values], dtype=[("v", dtype, (3,))]))
        column = penstock.open(tmp_path / "a.npy")["v"]
        wide = values.astype("c16" if dtype == "c8" else "f8")
        for axis in (None, 0):
            assert np.allclose(column.mean(axis), wide.mean(axis=axis))
            assert np.allclose(column.std(axis), wide.std(axis=axis))
            assert np.allclose(column.var(axis), wide.var(axis=axis))
            assert np.allclose(column.sum(axis), wide.sum(axis=axis))
            if dtype != "c8":
                assert np.array_equal(column.min(axis), values.min(axis=axis))
                assert np.array_equal(column.max(axis), values.max(axis=axis))
        assert column.size == 1500 and np.array_equal(column.to_numpy(), values)


def test_reductions_over_several_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr("penstock._reductions._PIECE_BYTES", 64)
    values = rng.normal(size=101) + 1e6
    np.save(tmp_path / "a.npy", values)
    column = penstock.open(tmp_path / "a.npy")["value"]
    assert np.isclose(column.std(), values.std(), rtol=1e-9) and column.max() == values.max()
    assert np.isclose(column.mean(), values.mean()) and np.isclose(column.sum(), values.sum())
    with pytest.raises(ValueError, match="axis must be None"):
        column.mean(axis=1)
    penstock.write(tmp_path / "t.a2pack", [b"a"])
    with pytest.raises(TypeError, match="only columns of numbers"):
        penstock.open(tmp_path / "t.a2pack")["value"].mean()
    np.save(tmp_path / "none.npy", np.empty(0))
    with pytest.raises(ValueError, match="no values"):
        penstock.open(tmp_path / "none.npy")["value"].mean()
    values[20] = np.inf
    np.save(tmp_path / "inf.npy", values)
    assert penstock.open(tmp_path / "inf.npy")["value"].mean() == np.inf


def test_reductions_leave_missing_values_out(tmp_path: Path) -> None:
    fields = {"x": {"dtype": "f8", "shape": []}}
    with penstock.Store(tmp_path / "s", "w", fields=fields) as store:
        store.extend({"x": [1.0, None, 3.0, 8.0]})
    column = penstock.open(tmp_path / "s")["x"]
    assert column.mean() == 4.0 and column.sum() == 12.0 and column.max() == 8.0
    assert np.isclose(column.std(), np.std([1, 3, 8]))


def test_stats(steps: Path, named: Path) -> None:
    stats = penstock.open(steps).stats()
    assert list(stats) == ["board", "move", "values"]
    assert stats["board"]["min"] == 0 and stats["board"]["max"] == 999
    assert stats["board"]["mean"] == 499.5 and stats["values"]["count"] == 3000
    assert penstock.open(steps).where("board < 10").stats()["board"]["count"] == 10
    sizes = penstock.open(named).stats()["value"]
    assert sizes["sizes"] and sizes["max"] == 19


def double(record: Any) -> Any:
    return {"twice": 2 * int(record["board"])}


def add_one(record: Any) -> Any:
    return {"twice": record["twice"] + 1}


def test_map_and_filter(steps: Path) -> None:
    ds = penstock.open(steps)
    mapped = ds.map(double)
    assert len(mapped) == 1000 and mapped[3] == {"twice": 6} and mapped[-1] == {"twice": 1998}
    assert (
        [one["twice"] for one in mapped[:3]] == [0, 2, 4] == [r["twice"] for r in mapped[[0, 1, 2]]]
    )
    assert next(iter(mapped)) == {"twice": 0} and mapped.map(add_one)[1] == {"twice": 3}
    with penstock.Loader(mapped, 10, shuffle=False, map_records=add_one) as loader:
        assert next(iter(loader))["twice"].tolist() == list(range(1, 21, 2))
    even = ds.filter(lambda record: record["board"] % 500 == 0)
    assert even["board"][:].tolist() == [0, 500] and isinstance(even, penstock.Dataset)
    assert len(ds.filter("move == 1")) == 250
    assert [r["twice"] for r in mapped.filter(lambda r: r["twice"] > 1990)] == [
        1992,
        1994,
        1996,
        1998,
    ]
    train, test = mapped.split(0.25)
    assert len(train) == 750 and len(test) == 250
    with pytest.raises(TypeError, match="function must be callable, got 3"):
        ds.map(3)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        ds.map(lambda record: 1 / 0)[0]


def test_generators(tmp_path: Path) -> None:
    penstock.write(tmp_path / "a.npy", (i * i for i in range(10_000)))
    assert penstock.open(tmp_path / "a.npy")[9_999] == 9_999**2
    penstock.write(tmp_path / "b.npy", ({"x": i, "y": [i / 2, 0.5]} for i in range(5_000)))
    b = penstock.open(tmp_path / "b.npy")
    assert b[4_999]["y"].tolist() == [2499.5, 0.5] and b.fields["x"].dtype == np.int64
    penstock.write(tmp_path / "c.a2pack", (b"%d" % i for i in range(30_000)))
    assert penstock.open(tmp_path / "c.a2pack")[29_999] == b"29999"
    penstock.write(tmp_path / "d", (b"%d" % i for i in range(3)))
    assert penstock.open(tmp_path / "d")[:] == [b"0", b"1", b"2"]
    penstock.write(tmp_path / "e.npy", [{"x": 1}, {"x": 2}])
    assert penstock.open(tmp_path / "e.npy")["x"][:].tolist() == [1, 2]
    with pytest.raises(ValueError, match="gave no records"):
        penstock.write(tmp_path / "f.npy", iter(()))

    def failing() -> Iterator[int]:
        yield from range(5000)
        raise OSError("the source is gone")

    with pytest.raises(OSError, match="the source is gone"):
        penstock.write(tmp_path / "g.npy", failing())
    with pytest.raises(ValueError, match=r"record 1 has \['y'\]"):
        penstock.write(tmp_path / "g.npy", iter([{"x": 1}, {"y": 2}]))
    assert not (tmp_path / "f.npy").exists() and not (tmp_path / "g.npy").exists()


def test_npz_and_csv(tmp_path: Path) -> None:
    columns = {"x": np.arange(6, dtype="f4") / 3, "y": np.arange(12).reshape(6, 2)}
    penstock.write(tmp_path / "a.npz", columns)
    ds = penstock.open(tmp_path / "a.npz")
    assert np.array_equal(ds[:]["y"], columns["y"]) and list(ds.fields) == ["x", "y"]
    assert penstock.open(tmp_path / "a.npz" / "x")[1] == np.float32(1 / 3)
    with (
        np.load(tmp_path / "a.npz") as archive,
        penstock.Loader(archive, 6, shuffle=False) as loader,
    ):
        assert np.array_equal(next(iter(loader))["x"], columns["x"])
    penstock.write(tmp_path / "a.csv", ds)
    assert (tmp_path / "a.csv").read_text().startswith("x,y[0],y[1]\n0.0,0,1\n0.33333334,2,3\n")
    back = penstock.open(tmp_path / "a.csv", expect=penstock.Dataset)
    assert np.array_equal(back["y"][:], columns["y"])
    typed = penstock.read_csv(tmp_path / "a.csv", dtype=[("x", "f4"), ("y", "i8", (2,))])
    assert np.array_equal(typed[:]["y"], columns["y"]) and np.array_equal(
        typed["x"][:], columns["x"]
    )
    with pytest.raises(FileExistsError):
        penstock.write(tmp_path / "a.csv", columns)
    penstock.write(tmp_path / "a.csv", {"x": [1]}, overwrite=True)
    assert penstock.read_csv(tmp_path / "a.csv")[:]["x"].tolist() == [1]
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(ValueError, match="line 3"):
        penstock.read_csv(tmp_path / "bad.csv")
    assert not list(tmp_path.glob(".penstock-*"))


def test_pandas(steps: Path, named: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas; python/extra.sh installs it")
    frame = penstock.open(steps).to_pandas()
    assert list(frame.columns) == ["board", "move", "values"] and frame["board"].iloc[-1] == 999
    assert frame["values"].iloc[1].tolist() == [3, 4, 5] and frame["move"].dtype == np.uint8
    assert penstock.open(named).to_pandas()["value"].iloc[2] == b"CC"
    some = pandas.DataFrame({"x": [1, 2], "s": ["a", "bc"]})
    assert penstock.from_memory(some)[1]["s"] == "bc"


def test_arrow(steps: Path, named: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow; python/extra.sh installs it")
    table = penstock.open(steps).to_arrow()
    assert table.column_names == ["board", "move", "values"] and table.num_rows == 1000
    assert table["values"][1].as_py() == [3, 4, 5]
    assert penstock.open(named).to_arrow()["value"][2].as_py() == b"CC"


def test_show_versions(capsys: pytest.CaptureFixture[str]) -> None:
    penstock.show_versions()
    text = capsys.readouterr().out
    assert penstock.__version__ in text and np.__version__ in text
    assert re.search(r"^Java +25", text, re.MULTILINE) and "vector module" in text


def test_options_by_position(steps: Path) -> None:
    ds = penstock.open(steps)
    with pytest.raises(TypeError, match="takes 3 positional arguments"):
        penstock.Loader(ds, 10, False)  # type: ignore[misc]
    order = penstock.samplers.Permutation(ds, seed=1)
    with pytest.warns(DeprecationWarning, match=r"by name: epoch=\.\.\.$"):
        late = order.draw(0, 5, 3)  # type: ignore[misc]
    assert late.tolist() == order.draw(0, 5, epoch=3).tolist()
    with pytest.raises(TypeError, match="positional"):
        order.draw(0, 5, 3, epoch=3)  # type: ignore[misc]


def test_bf16_without_ml_dtypes_warns_once(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    import ml_dtypes

    penstock.write(tmp_path / "half.npy", np.arange(3).astype(ml_dtypes.bfloat16))
    script = """
        import sys, warnings
        sys.modules["ml_dtypes"] = None
        import penstock
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                print(penstock.open(PATH)[:].dtype)
        print([str(one.message) for one in caught if "ml_dtypes" in str(one.message)])
    """
    lines = run(script.replace("PATH", repr(str(tmp_path / "half.npy")))).stdout.splitlines()
    assert lines[:2] == ["uint16", "uint16"] and lines[2].count("pip install ml_dtypes") == 1


@NEEDS_TORCH
@pytest.mark.xdist_group("torch")
def test_bf16_without_ml_dtypes_is_never_taken_for_integers(run_torch: Any, tmp_path: Path) -> None:
    script = """
        import sys
        import warnings
        warnings.simplefilter("ignore")
        sys.modules["ml_dtypes"] = None
        import numpy as np, penstock, torch
        def first(data, **options):
            return next(iter(penstock.Loader(data, 2, shuffle=False, to="torch", **options)))
        half = torch.tensor([1, 2], dtype=torch.bfloat16)
        np.array([0x3F80, 0x4000], "<u2").tofile("half.bin")
        raw = penstock.open("half.bin", dtype="bfloat16")
        penstock.write("half.npy", half)
        penstock.write("fields.npy", {"n": np.arange(2), "x": half})
        pair = first({"n": np.arange(2), "x": half})
        tensors = [first(half), first(raw), first("half.npy"), pair["x"], first("fields.npy")["x"]]
        for kind in ("bfloat16", torch.bfloat16):
            convert = penstock.transforms.Convert(kind)
            tensors.append(first(np.array([1.0, 2.0]), transform=convert))
        assert all(one.dtype == torch.bfloat16 and torch.equal(one, half) for one in tensors)
        assert pair["n"].tolist() == [0, 1] and raw.stats()["value"]["mean"] == 1.5
        for kind, values in (("bfloat16", [1.0, 2.0]), ("f4", half)):
            try:
                with penstock.TableWriter("new.npy", kind) as writer:
                    writer.append(values)
            except ImportError as error:
                print(error)
    """
    script = script.replace("import sys", f"import os, sys; os.chdir({str(tmp_path)!r})")
    lines = run_torch(script).splitlines()
    assert [line.split(" needs")[0] for line in lines] == [
        "converting float64 to bfloat16",
        "converting bfloat16 to float32",
    ]


def test_lists_of_dictionaries_and_ranges_are_data() -> None:
    records = [{"x": 1, "name": b"a"}, {"x": 2, "name": b""}]
    with penstock.Loader(records, 2, shuffle=False) as loader:
        batch = next(iter(loader))
    assert batch["x"].tolist() == [1, 2] and batch["name"] == [b"a", b""]
    with pytest.raises(ValueError, match=r"record 1 has \['y'\], and the first record has"):
        penstock.from_memory([{"x": 1}, {"y": 1}])
    with penstock.Loader(range(5), 3, shuffle=False) as loader:
        assert [batch.tolist() for batch in loader] == [[0, 1, 2], [3, 4]]


def test_a_missing_file_of_a_list_is_an_error_and_not_a_text(steps: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.npy"):
        penstock.Loader([str(steps), "missing.npy"], 2)
    with pytest.raises(FileNotFoundError, match=r"missing\.npy"):
        penstock.Loader([Path("missing.npy")], 2)
    with penstock.Loader(["no such file", "b"], 2, shuffle=False) as loader:
        assert next(iter(loader)).tolist() == ["no such file", "b"]


def test_a_compared_column_as_a_mask_says_what_to_do(steps: Path) -> None:
    ds = penstock.open(steps)
    with pytest.raises(IndexError, match=r"use ds\.where\('x == 3'\) or ds\[ds\['x'\]\[:\] == 3\]"):
        ds[ds["board"] == 3]


def test_one_record_is_not_plural() -> None:
    ds = penstock.from_memory(np.arange(1))
    assert "table, 1 record, 8 B" in repr(ds) and "table, 1 record, 8 B" in ds._repr_html_()
    with penstock.Loader(ds, 2) as loader:
        assert "epoch 0, 1 step, rank 0" in repr(loader)


def test_later_versions_of_java_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock import _runtime

    for version, is_usable in (("24.0.2", False), ("25", True), ("26-ea", True), ("27.0.1", True)):
        home = tmp_path / version
        (home / "lib" / "server").mkdir(parents=True)
        (home / "lib" / "server" / "libjvm.so").touch()
        (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="java.base"\n')
        assert (_runtime.read_runtime(str(home)) is not None) == is_usable
    monkeypatch.setenv("PENSTOCK_JAVA_HOME", str(tmp_path / "27.0.1"))
    assert _runtime.find_runtime().major == 27
    monkeypatch.setenv("PENSTOCK_JAVA_HOME", str(tmp_path / "24.0.2"))
    with pytest.raises(penstock.JavaNotFoundError, match=r"holds Java 24\.0\.2: .*needs Java 25"):
        _runtime.find_runtime()
    # Without a choice, the message names the version that was found and where.
    monkeypatch.delenv("PENSTOCK_JAVA_HOME")
    monkeypatch.setattr(_runtime, "_candidates", lambda: iter([str(tmp_path / "24.0.2")]))
    with pytest.raises(penstock.JavaNotFoundError, match=r"found 24\.0\.2 at .*24\.0\.2: run pip"):
        _runtime.find_runtime()


def test_a_runtime_without_vectors_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock import _jvm, _runtime

    monkeypatch.delenv("PENSTOCK_VECTORS", raising=False)
    runtime = _runtime.Runtime("/java", "25", frozenset({"java.base"}))
    with pytest.warns(RuntimeWarning, match=r"/java has no module jdk\.incubator\.vector"):
        assert "--add-modules=jdk.incubator.vector" not in _jvm._options(runtime, None)
    complete = _runtime.Runtime("/java", "25", frozenset({"jdk.incubator.vector"}))
    assert "--add-modules=jdk.incubator.vector" in _jvm._options(complete, None)
    # They can be left out, and then nothing is warned of.
    monkeypatch.setenv("PENSTOCK_VECTORS", "off")
    for one in (runtime, complete):
        assert "--add-modules=jdk.incubator.vector" not in _jvm._options(one, None)


@pytest.mark.parametrize(
    ("name", "value"), [("platform", "win32"), ("maxsize", 2**31 - 1), ("byteorder", "big")]
)
def test_platforms_that_are_not_supported(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock import _runtime

    monkeypatch.setattr(f"sys.{name}", value)
    with pytest.raises(penstock.JavaNotFoundError, match="does not support this platform"):
        _runtime.require_platform()


def test_a_missing_text_does_not_become_the_text_nan(tmp_path: Path) -> None:
    for column in (["x", None], ["x", float("nan")], ["x", 1]):
        for values in (column, np.array(column, object)):
            with pytest.raises(TypeError, match=r"'s' .*(value 1 is|Python objects)"):
                penstock.from_memory({"s": values})
    with pytest.raises(TypeError, match="value 1 is 1, and other values are texts"):
        penstock.write(tmp_path / "t.npy", {"s": ["x", 1]})
    assert penstock.from_memory({"s": ["x", ""]})["s"][:].tolist() == ["x", ""]


def test_wrong_options_of_a_loader_are_named() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"drop_last": "x"}, "drop_last must be True or False, got 'x'"),
        ({"seeds": 1}, "seeds must be True or False, got 1"),
        ({"indices": 1}, "indices must be True or False, got 1"),
        ({"fields": []}, "fields must name at least one field"),
    ]
    for options, message in wrong:
        with pytest.raises((TypeError, ValueError), match=message):
            penstock.Loader(np.arange(3), 2, **options)
    with pytest.raises(ValueError, match="batch_size must be 2147483647 or less"):
        penstock.Loader(np.arange(3), 1 << 40)
    for state in ({}, None, "x"):
        with pytest.raises(ValueError, match="not a checkpoint of a loader; give what state_dict"):
            penstock.Loader(np.arange(3), 2).load_state_dict(state)  # type: ignore[arg-type]


def test_a_csv_without_rows_says_what_to_do_in_python(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n")
    with pytest.raises(ValueError, match=r"give the type with penstock.read_csv\(path, dtype="):
        penstock.open(tmp_path / "a.csv")
    assert len(penstock.read_csv(tmp_path / "a.csv", dtype=[("a", "i4"), ("b", "f4")])) == 0


def test_dates_beside_bytes_stay_dates() -> None:
    dates = np.array(["2020-01-01", "2021-05-06"], "M8[D]")
    ds = penstock.from_memory({"when": dates, "text": [b"a", b""]})
    assert ds.fields["when"].dtype == dates.dtype and (ds["when"][:] == dates).all()
    rows = np.zeros(2, [("t", "M8[s]"), ("n", "i4")])
    both = penstock.zip(a=penstock.from_memory(rows), b=penstock.from_memory(dates))
    assert both[0]["a.t"].dtype == "M8[s]" and both[1]["b"] == dates[1]


def test_a_record_of_a_pack_that_is_not_bytes_is_named(tmp_path: Path) -> None:
    with penstock.PackWriter(tmp_path / "p.a2pack") as writer:
        with pytest.raises(TypeError, match="a record must be bytes, got 'text'; encode the text"):
            writer.append("text")
        with pytest.raises(TypeError, match="a record must be bytes, got 3"):
            writer.append(3)
        with pytest.raises(TypeError, match="name must be a string, got 3"):
            writer.append(b"", name=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "call", "message"),
    [
        (ValueError, lambda: penstock.write("x.foo", [1]), r"\.npy .*\.a2pack .*\.npz .*\.csv "),
        (TypeError, lambda: penstock.write("x.npy", None), "must have records, got .* None"),
        (
            ValueError,
            lambda: penstock.write("x.npy", [[1], [2, 3]]),
            "values have different shapes",
        ),
        (
            ValueError,
            lambda: penstock.write("x.npy", {"a": [1], "b": [1, 2]}),
            "different lengths: a has 1, b has 2",
        ),
        (TypeError, lambda: penstock.write("x.a2pack", ["a"]), "record 0 is 'a'; encode it first"),
        (TypeError, lambda: penstock.write("x.a2pack", [7]), "record 0 is 7; use a table"),
        (TypeError, lambda: penstock.write("x.a2pack", {"a": 1}), "dictionary of bytes by name"),
        (
            ValueError,
            lambda: penstock.samplers.Block(10, block_size=0),
            "block_size must be 1 or more, got 0",
        ),
        (
            ValueError,
            lambda: penstock.samplers.Window(10, size=2, stride=0),
            "stride must be 1 or more, got 0",
        ),
        (
            TypeError,
            lambda: penstock.Loader(np.arange(9), 3, transform=3),
            "transform must be a function, .* got 3",
        ),
        (IndexError, lambda: penstock.Loader(np.arange(9), 3)[9], "step 9 is out of range for 3"),
        (
            ValueError,
            lambda: penstock.Loader(np.arange(9), 3, rank=3, world_size=2),
            "rank must be from 0 to world_size - 1, got rank 3 and world_size 2",
        ),
        (
            TypeError,
            lambda: penstock.from_memory(np.arange(9)).split("half"),
            "number of records or a fraction such as 0.1, got 'half'",
        ),
    ],
)
def test_messages_say_what_is_expected(
    kind: type[Exception],
    call: Any,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.npy", [1]), ("a.a2pack", [b"1"]), ("a.act", {"k": 1}), ("a.npz", {"x": np.arange(2)})],
)
def test_an_existing_file_is_an_error_that_says_how_to_replace_it(
    name: str, data: Any, tmp_path: Path
) -> None:
    penstock.write(tmp_path / name, data)
    with pytest.raises(FileExistsError, match="overwrite=True replaces it") as caught:
        penstock.write(tmp_path / name, data)
    assert caught.value.filename == str(tmp_path / name)
    penstock.write(tmp_path / name, data, overwrite=True)


def test_a_store_is_written_like_any_other_dataset(tmp_path: Path) -> None:
    records = [{"text": "é" * n, "n": n} for n in range(5)]
    penstock.write(tmp_path / "a.store", records)
    penstock.write(tmp_path / "b.store", iter(records))
    for name in ("a.store", "b.store"):
        ds = penstock.open(tmp_path / name)
        assert ds.format == "store" and list(ds["n"][:]) == [0, 1, 2, 3, 4]
    with pytest.raises(FileExistsError):
        penstock.write(tmp_path / "a.store", records)
    penstock.write(tmp_path / "a.store", records[:2], overwrite=True)
    assert len(penstock.open(tmp_path / "a.store")) == 2


def test_a_file_does_not_replace_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x.npy").mkdir()
    with pytest.raises(IsADirectoryError, match="remove it, or choose another name"):
        penstock.write(tmp_path / "x.npy", np.arange(3), overwrite=True)


def test_an_error_beside_a_store_says_what_is_lost(tmp_path: Path) -> None:
    store = penstock.Store(tmp_path / "s", "w", fields={"v": {}})
    with pytest.raises(ValueError, match="mine") as caught, store:
        store.append({"v": b"kept"})
        store.commit()
        store.append({"v": b"lost"})
        raise ValueError("mine")
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == [
            f"1 records that were appended since the last commit are not in {tmp_path / 's'}"
        ]
    assert len(penstock.open(tmp_path / "s")) == 1
