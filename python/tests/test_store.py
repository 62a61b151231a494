# SPDX-License-Identifier: Apache-2.0
"""Stores from Python: changes, commits, reading, errors."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock import Loader, Ragged, Store

FIELDS: dict[str, dict[str, Any]] = {
    "A": {"dtype": "f4", "shape": [3], "compress": "zstd"},
    "B": {"compress": "raw"},
}


def plain_records(path: Path) -> list[dict[str, bytes | None]]:
    """The records as a program reads them that knows the published layout alone."""
    meta = json.loads((path / "meta.json").read_text())
    records: list[dict[str, bytes | None]] = []
    for index in range(meta["length"]):
        record: dict[str, bytes | None] = {}
        for field in meta["fields"]:
            table = (path / f"{field['name']}.offset").read_bytes()
            chunk, offset, size = struct.unpack_from("<IQI", table, 16 * index)
            value = None
            if size:
                value = (path / "chunk" / f"{chunk}.zr").read_bytes()[offset : offset + size]
                if field["compress"] == "flate":
                    value = zlib.decompress(value, -15)
            record[field["name"]] = value
        records.append(record)
    return records


def test_records_come_back(tmp_path: Path) -> None:
    with Store(tmp_path / "s", mode="w", fields=FIELDS) as store:
        assert store.append({"A": [1, 2, 3], "B": b"one"}) == 0
        assert store.append({"A": np.arange(3), "B": b""}) == 1
        assert store.append({"B": b"\0three"}) == 2
        assert len(store) == 3
    store = Store(tmp_path / "s")
    assert store.mode == "r"
    assert len(store) == 3
    assert store["A"][0].tolist() == [1, 2, 3]
    assert store["A"][0].dtype == np.float32
    assert store["B"][[2, 0, -2]] == [b"\0three", b"one", b""]
    assert store["A"][[0, 2]].tolist() == [[1, 2, 3], [None] * 3]
    assert store[1]["B"] == b""
    assert store[2]["A"].mask.all()
    assert store[-1]["B"] == b"\0three"
    assert store[0:2]["B"] == [b"one", b""]
    assert store[np.array([True, False, True])]["B"] == [b"one", b"\0three"]
    assert [record["B"] for record in store] == [b"one", b"", b"\0three"]
    assert str(store.fields["A"]) == "float32 (3,)"
    assert "3 records" in repr(store)
    for wrong in (3, -4, [0, 3]):
        with pytest.raises(IndexError):
            store[wrong]
        with pytest.raises(IndexError):
            store["A"][wrong]
    with pytest.raises(KeyError, match="no field 'C'; the fields are A, B"):
        store["C"]
    store.close()
    store.close()
    assert store.closed
    assert "closed" in repr(store)
    with pytest.raises(ValueError, match="closed"):
        store[0]


def test_columns_are_appended_at_once(tmp_path: Path, rng: np.random.Generator) -> None:
    points = rng.random((1000, 3)).astype("f4")
    texts = [bytes([i % 256]) * (i % 7) for i in range(1000)]
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        assert store.extend({"A": points, "B": texts}) == range(1000)
        assert store.extend({"A": points[:2]}) == range(1000, 1002)
        assert store.extend({}) == range(1002, 1002)
        assert store.extend({"B": Ragged(np.frombuffer(b"xyz", "u1"), np.array([0, 1, 3]))}) == (
            range(1002, 1004)
        )
    with Store(tmp_path / "s") as store:
        indices = rng.integers(0, 1000, 500)
        assert np.array_equal(store["A"][indices], points[indices])
        assert store["B"][indices] == [texts[i] for i in indices]
        assert store["B"][1000:] == [None, None, b"x", b"yz"]
        assert store["A"][1002] is np.ma.masked or store["A"][1002].mask.all()


def test_missing_values_are_none_or_masked(tmp_path: Path) -> None:
    fields = {"n": {"dtype": "i8", "shape": []}, "many": {"dtype": "i4"}, "b": {}}
    with Store(tmp_path / "s", "w", fields=fields) as store:
        store.extend({"n": np.ma.array([1, 2, 3], mask=[0, 1, 0]), "many": [[1, 2], None, []]})
        store.append({"n": None, "many": np.ma.masked, "b": None})
        store.append({"n": 7, "many": 9, "b": b"x"})
    two = {"p": {"dtype": "f4", "shape": [2]}}
    with Store(tmp_path / "two", "w", fields=two) as store:
        half = np.ma.array([[1, 2]], mask=[[0, 1]])
        with pytest.raises(ValueError, match="some elements only"):
            store.extend({"p": half})
        with pytest.raises(ValueError, match="mask"):
            store.append({"p": half[0]})
    store = Store(tmp_path / "s")
    assert store["n"][:].tolist() == [1, None, 3, None, 7]
    assert store["n"][4] == 7
    many = store["many"][:]
    assert [None if one is None else one.tolist() for one in many] == [[1, 2], None, [], None, [9]]
    assert store["b"][:] == [None] * 4 + [b"x"]


def test_reading_sees_what_is_not_committed(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.append({"B": b"one"})
        store.commit()
        store.append({"B": b"two", "A": [1, 2, 3]})
        assert store["B"][:] == [b"one", b"two"]
        assert store[-1]["A"].tolist() == [1, 2, 3]
        assert store[0]["A"].mask.all()
        assert len(Store(tmp_path / "s")) == 1
        assert len(store.snapshot()) == 1
        store.update(0, {"B": b"uno"})
        assert store["B"][0] == b"uno"
        store.rollback()
        assert len(store) == 1
        assert store["B"][:] == [b"one"]


def test_updates_and_deletes(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.extend({"B": [b"%d" % i for i in range(10)]})
        store.update(-1, {"B": b"last", "A": [1, 1, 1]})
        store.update(0, {"B": None})
        store.update(1, {"B": b""})
        assert store.delete(3) is None
        assert store.delete([5, -4]) is None
        assert len(store) == 10
        assert store.is_deleted(3) and store.is_deleted(6) and not store.is_deleted(4)
        with pytest.raises(ValueError, match="record 3 was deleted"):
            store.update(3, {"B": b"x"})
        with pytest.raises(ValueError, match="record 3 was deleted"):
            store.delete(3)
        for wrong in (10, -11):
            with pytest.raises(IndexError):
                store.update(wrong, {"B": b"x"})
            with pytest.raises(IndexError):
                store.delete(wrong)
    store = Store(tmp_path / "s")
    assert store["B"][:] == [None, b"", b"2", None, b"4", None, None, b"7", b"8", b"last"]
    assert store.is_deleted(3) and not store.is_deleted(0)
    # The loader leaves deleted records out.
    seen: list[bytes] = []
    with Loader(store.snapshot(), batch_size=4, shuffle=False, fields=["B"]) as loader:
        for batch in loader:
            seen += batch["B"]
    assert seen == [None, b"", b"2", b"4", b"7", b"8", b"last"]


def test_the_last_record_moves_in_a_swapping_store(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"B": {}}, delete="swap") as store:
        store.extend({"B": [b"%d" % i for i in range(6)]})
        assert store.delete(1) == 5
        assert store.delete(4) is None
        assert store.delete([0, 1]) is None
        assert len(store) == 2
        assert store["B"][:] == [b"2", b"3"]
    assert Store(tmp_path / "s")["B"][:] == [b"2", b"3"]


def test_a_block_commits_or_goes_back(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "a", fields=FIELDS) as store:
        store.append({"B": b"kept"})
    with pytest.raises(KeyError, match="stop"), Store(tmp_path / "s", "a") as store:
        store.append({"B": b"gone"})
        store.delete(0)
        raise KeyError("stop")
    assert store.closed
    assert Store(tmp_path / "s")["B"][:] == [b"kept"]
    with pytest.raises(KeyError), Store(tmp_path / "s", "a") as store:
        store.append({"B": b"committed"})
        store.commit()
        store.append({"B": b"gone"})
        raise KeyError
    assert Store(tmp_path / "s")["B"][:] == [b"kept", b"committed"]
    with Store(tmp_path / "s", "a") as store:
        store.append({"B": b"never"})
        store.abort()
    assert len(Store(tmp_path / "s")) == 2


def test_missing_values_never_become_zeros(tmp_path: Path) -> None:
    fields = {"n": {"dtype": "i8", "shape": []}, "b": {}}
    with Store(tmp_path / "s", "w", fields=fields) as store:
        store.extend({"n": [1, 2, 3], "b": [b"1", b"2", None]})
        store.delete(1)
    data = penstock.open(tmp_path / "s")
    assert data.to_numpy()["n"].tolist() == [1, None, 3]
    assert data.to_numpy()["b"].tolist() == [b"1", None, None]
    assert data["n"].to_numpy().tolist() == [1, None, 3]
    assert data.where("n != 2")["n"].to_numpy().tolist() == [1, 3]
    assert data["n"].min() == 1
    assert np.min(data["n"]) == 1 and np.max(data["n"]) == 3
    with pytest.raises(ValueError, match="has no values"):
        data.where("n == 2")["n"].min()
    numbers = np.zeros(3, np.int64)
    objects = np.zeros(3, object)
    records = np.zeros(3, data.dtype)
    for read in (
        lambda: np.asarray(data),
        lambda: np.asarray(data["n"]),
        lambda: data.take([0, 1, 2], out=records),
        lambda: data.take([0, 1, 2], out={"n": numbers, "b": objects}),
    ):
        with pytest.raises(ValueError, match="values of field 'n' are missing"):
            read()
    assert not numbers.any() and not objects.any()
    data.take([0, 2], out=records[:2])
    assert records["n"].tolist() == [1, 3, 0]
    masked = np.ma.zeros(3, np.int64)
    data.take([0, 1, 2], out={"n": masked, "b": objects})
    assert masked.tolist() == [1, None, 3]


def test_a_mistake_in_the_fields_keeps_the_store(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.append({"B": b"kept"})
    wrong: list[Any] = [
        None,
        {},
        {"a/b": {}},
        {"A": {}, "a": {}},
        {"A": {"shape": [3]}},
        {"A": {"compress": "rar"}},
        {"A": {"dtype": "f4", "shape": [0]}},
    ]
    for fields in wrong:
        with pytest.raises((TypeError, ValueError)):
            Store(tmp_path / "s", "w", fields=fields)
    with pytest.raises(ValueError, match="durability is 'none', 'batch', 'commit' or a pair"):
        Store(tmp_path / "s", "w", fields=FIELDS, durability=("batch", 1, 2))  # type: ignore[arg-type]
    assert Store(tmp_path / "s")["B"][:] == [b"kept"]


def test_modes(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Store(tmp_path / "s")
    with pytest.raises(ValueError, match=r"there is no store at .*; declare its fields"):
        Store(tmp_path / "s", "a")
    with pytest.raises(ValueError, match="mode is 'r', 'a', 'w' or 'x'"):
        Store(tmp_path / "s", "rw")  # type: ignore[arg-type]
    Store(tmp_path / "s", "x", fields=FIELDS).close()
    with pytest.raises(FileExistsError):
        Store(tmp_path / "s", "x", fields=FIELDS)
    with Store(tmp_path / "s", "a", fields=FIELDS) as store:
        store.append({"B": b"x"})
    with pytest.raises(ValueError, match="has the fields A, B"):
        Store(tmp_path / "s", "a", fields={"C": {}})
    others: list[dict[str, Any]] = [{"dtype": "f8", "shape": [3]}, {"dtype": "f4", "shape": [2]}]
    for other in (*others, {"dtype": "f4"}, {}):
        with pytest.raises(ValueError, match=r"f32 of shape \[3\] in field A, and others"):
            Store(tmp_path / "s", "a", fields={**FIELDS, "A": other})
    assert len(Store(tmp_path / "s", "a", fields={**FIELDS, "B": {"compress": "lz4"}})) == 1
    with Store(tmp_path / "s", "w", fields={"C": {}}) as store:
        assert len(store) == 0
    assert list(Store(tmp_path / "s").fields) == ["C"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("something")
    with pytest.raises(FileExistsError):
        Store(tmp_path / "other", "w", fields=FIELDS)
    assert (tmp_path / "other" / "file").read_text() == "something"
    np.save(tmp_path / "table.npy", np.arange(3))
    with pytest.raises(ValueError, match="is a table and not a store"):
        Store(tmp_path / "table.npy")
    with pytest.raises(ValueError, match="declared when a store is created"):
        Store(tmp_path / "s", fields=FIELDS)


def test_a_store_for_reading_does_not_change(tmp_path: Path) -> None:
    Store(tmp_path / "s", "w", fields=FIELDS).close()
    store = Store(tmp_path / "s")
    for change in (
        lambda: store.append({"B": b"x"}),
        lambda: store.extend({"B": [b"x"]}),
        lambda: store.update(0, {"B": b"x"}),
        lambda: store.delete(0),
        store.commit,
        store.rollback,
        store.checkpoint,
    ):
        with pytest.raises(io.UnsupportedOperation, match="open it with mode='a'"):
            change()


def test_a_second_writer_is_told_who_holds_the_store(
    tmp_path: Path, run: Callable[..., Any]
) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.append({"B": b"x"})
        store.commit()
        for mode in ("a", "w"):
            with pytest.raises(BlockingIOError, match="it is being written by process"):
                Store(tmp_path / "s", mode, fields=FIELDS)  # type: ignore[arg-type]
        result = run(
            f"""
            import penstock
            assert len(penstock.Store({str(tmp_path / "s")!r})) == 1
            try:
                penstock.Store({str(tmp_path / "s")!r}, "a")
            except OSError as e:
                print(e)
            """
        )
        assert "it is being written by process" in result.stdout
        assert store["B"][0] == b"x"
    Store(tmp_path / "s", "a").close()


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        ({"C": b""}, KeyError, "no field 'C'"),
        ({"A": [1, 2]}, ValueError, r"values of shape \(3,\), got \(2,\)"),
        ({"A": ["x", "y", "z"]}, ValueError, "field 'A'"),
        ({"A": b"12345"}, ValueError, "5 bytes do not fit"),
        ({"A": [1j, 0, 0]}, ValueError, "field 'A'"),
        ({"B": 5}, TypeError, "field 'B' holds bytes, got 5"),
        ({"B": "text"}, TypeError, "holds no text"),
        ({"B": [1, 2]}, TypeError, r"holds bytes, got \[1, 2\]"),
        ([1], TypeError, "a record is a dictionary"),
    ],
)
def test_values_that_do_not_fit_change_nothing(
    record: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.append({"B": b"x"})
        with pytest.raises(error, match=message):
            store.append(record)
        with pytest.raises(error, match=message):
            store.update(0, record)
        assert len(store) == 1
        assert store["B"][:] == [b"x"]
        with pytest.raises(ValueError, match="different lengths"):
            store.extend({"A": np.zeros((2, 3)), "B": [b""]})
        with pytest.raises(ValueError, match="shape"):
            store.extend({"A": np.zeros((2, 4))})
        with pytest.raises(TypeError, match="list of bytes"):
            store.extend({"B": np.arange(3)})
        with pytest.raises(TypeError, match="dictionary of columns"):
            store.extend([{"B": b""}])  # type: ignore[arg-type]
        assert len(store) == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "declaration of one field or more"),
        ({"A": "f4"}, "must be declared by a dictionary"),
        ({"A": {"type": "f4"}}, "must be declared by a dictionary"),
        ({"A": {"dtype": "O"}}, "not supported"),
        ({"A": {"dtype": "nonsense"}}, "not supported"),
        ({"A": {"compress": "gzip"}}, "raw, flate, zstd, lz4"),
        ({"A": {"shape": [3]}}, "shape but no dtype"),
        ({"a/b": {}}, "not allowed"),
        ({1: {}}, "must be text"),
    ],
)
def test_declarations_that_cannot_be_are_refused(fields: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Store(tmp_path / "s", "w", fields=fields)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", ">i4", "f2", "f8", "c8", "bfloat16", "utf8"])
def test_every_type_comes_back(dtype: str, tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"v": {"dtype": dtype, "compress": "lz4"}}) as store:
        value = "größe" if dtype == "utf8" else np.array([1, 0, 1])
        store.append({"v": value})
        store.extend({"v": [value, value]})
    found = Store(tmp_path / "s")["v"][2]
    if dtype == "utf8":
        assert found == "größe"
    else:
        assert found.astype(complex).tolist() == [1, 0, 1]


@pytest.mark.parametrize("durability", ["none", "batch", "commit", "COMMIT", (10, 5)])
def test_every_durability_keeps_commits(durability: Any, tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"B": {}}, durability=durability) as store:
        first = store.commit()
        store.append({"B": b"x"})
        assert store.commit() > first
    assert Store(tmp_path / "s")["B"][0] == b"x"
    for wrong in ("always", (0, 1), 3):
        with pytest.raises((TypeError, ValueError)):
            Store(tmp_path / "s", "a", durability=wrong)  # type: ignore[arg-type]


def test_a_plain_reader_agrees(tmp_path: Path) -> None:
    path = tmp_path / "s"
    fields = {"A": {"dtype": "i4", "shape": [2]}, "B": {"compress": "flate"}}
    with Store(path, "w", fields=fields) as store:
        store.extend({"A": np.arange(20).reshape(10, 2), "B": [b"%d" % i for i in range(10)]})
        store.update(2, {"B": b"two" * 100})
        store.delete(5)
        store.update(7, {"A": None})
        store.checkpoint()
        expected = plain_records(path)
        assert expected[2]["B"] == b"two" * 100
        assert expected[5] == {"A": None, "B": None}
        assert expected[7]["A"] is None
        for index in (0, 3, 9):
            assert expected[index]["B"] == store["B"][index]
            assert expected[index]["A"] == store["A"][index].tobytes()
        store.append({"B": b"more"})
    assert plain_records(path)[10] == {"A": None, "B": b"more"}


def test_stats_show_garbage(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"B": {}}) as store:
        store.extend({"B": [bytes(1000)] * 10})
        store.commit()
        assert store.stats()["byte_utilisation"] > 0.9
        for i in range(9):
            store.delete(i)
        store.commit()
        stats = store.stats()
    assert stats["deleted"] == 9
    assert stats["byte_utilisation"] < 0.2
    assert stats["garbage_bytes"] == sum(one["garbage_bytes"] for one in stats["chunks"]) > 9000
    assert 0 < stats["row_utilisation"] < 1


def test_pickling(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.append({"B": b"x"})
        store.commit()
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(store)
        snapshot = pickle.loads(pickle.dumps(store.snapshot()))
        assert snapshot["B"][0] == b"x"
    assert pickle.loads(pickle.dumps(Store(tmp_path / "s")))["B"][0] == b"x"


def test_a_snapshot_stays_as_it_is(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"n": {"dtype": "i8", "shape": []}}) as store:
        store.extend({"n": np.arange(100)})
        store.commit()
        snapshot = store.snapshot()
        store.update(0, {"n": -1})
        store.extend({"n": np.arange(50)})
        store.commit()
        assert store["n"][0] == -1
        assert len(snapshot) == 100
        assert snapshot["n"][:].tolist() == list(range(100))
        assert len(snapshot.where("n >= 90")) == 10
    assert snapshot["n"][0] == 0
    assert len(penstock.open(tmp_path / "s")) == 150


def test_a_store_that_is_dropped_leaves_the_last_commit(run: Callable[..., Any]) -> None:
    run(
        """
        import gc, os, shutil, tempfile
        import penstock
        path = os.path.join(tempfile.mkdtemp(), "s")
        store = penstock.Store(path, "w", fields={"B": {}})
        store.append({"B": b"kept"})
        store.commit()
        store.append({"B": b"gone"})
        del store
        gc.collect()
        with penstock.Store(path, "a") as store:
            assert store["B"][:] == [b"kept"]
        shutil.rmtree(os.path.dirname(path))
        """
    )


def test_many_random_changes_match_a_model(tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "s"
    store = Store(path, "w", fields={"B": {"compress": "lz4"}, "n": {"dtype": "i4", "shape": []}})
    model: list[tuple[bytes | None, int | None] | None] = []
    committed = list(model)
    for _ in range(400):
        action = rng.integers(0, 10)
        alive = [i for i, one in enumerate(model) if one is not None]
        if action < 4 or not alive:
            values = [(rng.bytes(int(rng.integers(0, 50))), int(i)) for i in rng.integers(0, 99, 3)]
            store.extend({"B": [b for b, _ in values], "n": [n for _, n in values]})
            model += values
        elif action < 6:
            index = int(rng.choice(alive))
            store.update(index, {"n": None})
            model[index] = (model[index][0], None)  # type: ignore[index]
        elif action == 6:
            index = int(rng.choice(alive))
            store.delete(index - len(model))
            model[index] = None
        elif action == 7:
            store.commit()
            committed = list(model)
        elif action == 8:
            store.rollback()
            model = list(committed)
        else:
            store.commit()
            committed = list(model)
            store.close()
            store = Store(path, "a")
        assert len(store) == len(model)
    store.close()
    store = Store(path)
    assert store["B"][:] == [None if one is None else one[0] for one in model]
    assert store["n"][:].tolist() == [None if one is None else one[1] for one in model]


def test_a_list_of_names_gives_the_columns(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields=FIELDS) as store:
        store.append({"B": b"x"})
        columns = store[["B", "A"]]
        assert list(columns) == ["B", "A"] and columns["B"][0] == b"x"
        with pytest.raises(TypeError, match=r"index must be an integer, got 0\.5"):
            store.update(0.5, {"B": b""})  # type: ignore[arg-type]


def test_types_have_the_names_of_numpy_and_of_the_design(tmp_path: Path) -> None:
    fields = {
        "a": {"dtype": "i8", "shape": np.int64(2)},
        "b": {"dtype": "u1", "shape": ()},
        "c": {"dtype": "f32"},
        "d": {"dtype": "f16"},
    }
    with Store(tmp_path / "s", "w", fields=fields) as store:
        dtypes = [field.dtype for field in store.fields.values()]
        assert dtypes == ["int64", "uint8", "float32", "float16"]
        assert store.fields["a"].shape == (2,)
    for shape in ([2.5], "ab", [None]):
        with pytest.raises(TypeError, match="shape of field 'a' must be a list of integers"):
            Store(tmp_path / "t", "w", fields={"a": {"dtype": "f4", "shape": shape}})


def test_a_loader_takes_a_store_without_uncommitted_changes(tmp_path: Path) -> None:
    with Store(tmp_path / "s", "w", fields={"n": {"dtype": "i8", "shape": []}}) as store:
        store.extend({"n": np.arange(10)})
        with pytest.raises(ValueError, match=r"changes that are not committed.*store\.snapshot"):
            penstock.Loader(store, batch_size=4)
        store.commit()
        numbers = [int(n) for batch in penstock.Loader(store, batch_size=4) for n in batch["n"]]
        assert sorted(numbers) == [*range(10)]
    reader = Store(tmp_path / "s")
    assert sum(len(batch["n"]) for batch in penstock.Loader(reader, batch_size=4)) == 10


def test_a_list_of_values_is_joined_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock._store._JOINED_BYTES", 100)
    texts = [b"x" * (n % 40) for n in range(200)]
    some = [None if n % 3 == 0 else text for n, text in enumerate(texts)]
    fields = {"A": {}, "B": {}, "C": {"dtype": "i2", "shape": [2]}}
    with penstock.Store(tmp_path / "s", "w", fields=fields) as store:
        columns = {"A": texts, "B": some, "C": [[n, -n] if n % 2 else None for n in range(200)]}
        assert store.extend(columns) == range(200)
        assert store.append({"B": b"last"}) == 200
    store = penstock.Store(tmp_path / "s")
    assert store["A"][:200] == texts and store["B"][:] == [*some, b"last"]
    assert store["C"][151].tolist() == [151, -151]
    assert store["C"][:].mask[:, 0].tolist() == [n % 2 == 0 for n in range(201)]


def test_quick_values_are_stored_like_all_others(tmp_path: Path) -> None:
    """Numbers and arrays of the very type of a field are encoded another way than others."""
    fields = {
        "one": {"dtype": "i8", "shape": []},
        "many": {"dtype": "f4"},
        "small": {"dtype": "u1", "shape": [2]},
    }
    records = [
        {"one": -(2**63), "many": 0.1, "small": np.array([1, 2], "u1")},
        {"one": np.int64(5), "many": np.array([1, 2, 3], "f4"), "small": [3, 4]},
        {"one": True, "many": np.arange(2), "small": np.array([5, 6])},
        {"one": None, "many": [], "small": None},
    ]
    with penstock.Store(tmp_path / "s.store", "w", fields=fields) as store:
        for record in records:
            store.append(record)
        for wrong in (
            {"one": 2**63}, {"one": 0.5}, {"one": np.arange(2)}, {"small": np.zeros(3, "u1")},
            {"small": np.array([1, 256])}, {"many": np.zeros((2, 2), "f4")},
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError)):
                store.append(wrong)
    with penstock.Store(tmp_path / "s.store") as store:
        assert [store[i]["one"] for i in range(3)] == [-(2**63), 5, 1]
        assert store[3]["one"] is np.ma.masked and store[3]["small"].mask.all()
        expected = [[np.float32(0.1)], [1, 2, 3], [0, 1], []]
        assert [store[i]["many"].tolist() for i in range(4)] == expected
        assert [store[i]["small"].tolist() for i in range(3)] == [[1, 2], [3, 4], [5, 6]]


def test_text_comes_back_as_text_and_chunks_have_the_given_number_of_rows(tmp_path: Path) -> None:
    fields: Any = {"note": {"dtype": "utf8"}, "raw": {}}
    with Store(tmp_path / "s", "w", fields=fields, chunk_rows=10) as store:
        store.append({"note": "für"})
        assert store[0] == {"note": "für", "raw": None}
        store.extend({"note": [f"n{i}" for i in range(24)], "raw": [b"x"] * 24})
    opened = penstock.open(tmp_path / "s")
    assert opened["note"][:3] == ["für", "n0", "n1"]
    assert opened[1] == {"note": "n0", "raw": b"x"}
    with penstock.Loader(opened, 5, shuffle=False) as loader:
        assert next(iter(loader))["note"] == ["für", "n0", "n1", "n2", "n3"]
    assert str(opened.fields["note"]) == "text"
    assert len(Store(tmp_path / "s").stats()["chunks"]) >= 3
    with pytest.raises(ValueError, match="chunk_rows is for new stores"):
        Store(tmp_path / "s", chunk_rows=5)


def test_raw_values_are_viewed_without_a_copy(tmp_path: Path, rng: np.random.Generator) -> None:
    fields: Any = {
        "b": {"compress": "raw"},
        "p": {"dtype": "f4", "shape": [2], "compress": "raw"},
        "v": {"dtype": "i8", "compress": "raw"},
        "z": {"compress": "zstd"},
    }
    records = [
        {
            "b": None if i % 7 == 3 else bytes(rng.integers(0, 256, i % 50).astype("u1")),
            "p": rng.random(2).astype("f4"),
            "v": rng.integers(0, 9, i % 4),
            "z": b"text " * 20,
        }
        for i in range(1500)
    ]
    with Store(tmp_path / "s", "w", fields=fields, chunk_rows=600) as store:
        for record in records:
            store.append(record)
    opened = Store(tmp_path / "s")
    views = {name: opened.views(name) for name in "bpv"}
    for i, record in enumerate(records):
        found = views["b"][i]
        assert (None if found is None else found.tobytes()) == record["b"]
        assert (views["p"][i] == record["p"]).all()
        assert views["v"][i].tolist() == record["v"].tolist()
    assert not views["b"][1].flags.writeable
    kept = views["p"][5]
    with pytest.raises(ValueError, match="compressed value"):
        opened.views("z")[0]
    with pytest.raises(KeyError):
        opened.views("none")
    with pytest.raises(IndexError):
        views["b"][1500]
    opened.close()
    assert (kept == records[5]["p"]).all()
