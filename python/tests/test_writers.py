# SPDX-License-Identifier: Apache-2.0
"""Writing: what is given is what is there, whole or not at all, and nothing is left behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_indexing import leaves, random_array

import penstock

Run = Callable[..., "subprocess.CompletedProcess[str]"]

IS_LONG = bool(os.environ.get("PENSTOCK_LONG"))


def written(path: Path, dtype: Any, rows: Any, shape: tuple[int, ...] = ()) -> Any:
    with penstock.TableWriter(path, dtype, shape=shape, overwrite=True) as writer:
        writer.append(rows)
    return np.load(path)


@pytest.mark.parametrize("name", ["table.npy", "table"])
def test_a_second_writer_that_appends_can_try_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    penstock.write(path, np.arange(3))
    with penstock.TableWriter(path, append=True) as first:
        first.append(np.arange(2))
        with pytest.raises(BlockingIOError, match="is being written by another writer") as caught:
            penstock.TableWriter(path, append=True)
        assert caught.value.errno == errno.EAGAIN and caught.value.filename == str(path)
    with penstock.TableWriter(path, append=True) as second:
        second.append(np.arange(1))
    assert len(penstock.open(path)) == 6


def test_random_arrays_come_back(rng: np.random.Generator, tmp_path: Path) -> None:
    for i in range(60):
        array = random_array(rng)
        print(i, repr(array.dtype), array.shape)
        cut = int(rng.integers(0, len(array) + 1))
        path = tmp_path / f"{i}.npy"
        with penstock.TableWriter(path, array.dtype, shape=array.shape[1:]) as writer:
            writer.append(array[:cut][::-1][::-1])
            if array.dtype.names is None:
                writer.append(array[cut:])
            else:
                writer.append(leaves(array[cut:]))
        back = leaves(np.load(path))
        for name, values in leaves(array).items():
            assert back[name].tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("dtype", "rows", "expected"),
    [
        ("i4", np.array([3.0, 4.0]), [3, 4]),
        ("u1", [0, 255], [0, 255]),
        ("?", [0, 1, 1], [False, True, True]),
        ("<f4", [0.1], [np.float32(0.1)]),
        (">i2", np.array([-5, 7], "<i8"), [-5, 7]),
        ("<M8[s]", np.array(["2020-01-01", "NaT"], "M8[D]"), None),
        ("S4", ["ab", "c"], None),
        ("S4", [b"ab", b"c"], [b"ab", b"c"]),
        ([("a", "i4"), ("b", "f8")], [(1, 2.5), (3, 4.5)], [(1, 2.5), (3, 4.5)]),
        (
            [("a", "i4"), ("b", "i8")],
            np.array([(1, 2)], [("b", "i2"), ("a", "i2")]),
            [(2, 1)],
        ),
    ],
)
def test_values_stay_what_they_are(tmp_path: Path, dtype: Any, rows: Any, expected: Any) -> None:
    if expected is None:
        try:
            back = written(tmp_path / "x.npy", dtype, rows)
        except ValueError:
            return
        expected = np.asarray(rows).astype(np.asarray(back).dtype).tolist()
    else:
        back = written(tmp_path / "x.npy", dtype, rows)
    assert back.dtype == np.dtype(dtype) and back.tolist() == expected


@pytest.mark.parametrize(
    ("dtype", "rows"),
    [
        ("i4", [1.5]),
        ("i4", [np.nan]),
        ("u1", np.array([300])),
        ("u1", np.array([-1])),
        ("i4", np.array([2**40])),
        ("<f4", [1j]),
        ("i4", ["12"]),
        ("i4", [None]),
        ("S2", [b"abcdef"]),
        ("<M8[s]", np.array([1], "M8[ns]")),
        ("i4", np.zeros(2, [("a", "i4")])),
        ("i4", np.ma.array([1, 2], mask=[0, 1])),
        ([("a", "i4"), ("b", "i4")], np.zeros(2, [("x", "i4"), ("y", "i4")])),
        ([("a", "i4"), ("b", "i4")], np.arange(2)),
        ([("a", "i4"), ("b", "i4")], {"a": [1]}),
        ([("a", "i4"), ("b", "i4")], {"a": [1, 2], "b": [1]}),
        ([("a", "i4")], {"a": [1], "c": [2]}),
        ([("a", "i4"), ("b", "i4")], {"a": 5, "b": [5]}),
        ([("a", "u1")], {"a": 300}),
        ([("a", "i4")], {"a": 0.5}),
        ([("a", "i4")], {"a": None}),
        ([("a", "i4", (2,))], {"a": [7, 8]}),
        ([("a", "u1")], {"a": [300]}),
        ([("a", [("x", "i4"), ("y", "i4")])], {"a.x": [1]}),
        ("i4", {"value": [1]}),
        ("i4", {}),
    ],
)
def test_values_that_would_be_others_are_refused(tmp_path: Path, dtype: Any, rows: Any) -> None:
    with pytest.raises(ValueError):
        written(tmp_path / "x.npy", dtype, rows)
    assert list(tmp_path.iterdir()) == []


def test_shapes_of_rows(tmp_path: Path) -> None:
    assert written(tmp_path / "x.npy", "i4", np.ones(2), (2,)).tolist() == [[1, 1]]
    with pytest.raises(ValueError, match="rows of shape"):
        written(tmp_path / "y.npy", "i4", np.ones((2, 3)), (2,))
    back = written(tmp_path / "x.npy", [("a", "i4")], {"a": [[1, 2], [3, 4], [5, 6]]}, (2,))
    assert back["a"].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert written(tmp_path / "x.npy", "i4", np.zeros(0)).shape == (0,)
    assert not (tmp_path / "y.npy").exists()


def test_a_batch_can_be_written_again(steps: Path, tmp_path: Path) -> None:
    nested = np.zeros(3, [("a", [("x", "u1", (2,)), ("y", ">f4")], (2,)), ("b", "?")])
    nested["a"]["y"] = np.arange(6).reshape(3, 2)
    penstock.write(tmp_path / "n.npy", nested)
    ds = penstock.open(tmp_path / "n.npy")
    with penstock.TableWriter(tmp_path / "again.npy", ds.dtype) as writer:
        writer.append(ds[:])
    assert (tmp_path / "again.npy").read_bytes() == (tmp_path / "n.npy").read_bytes()
    penstock.write(tmp_path / "whole.npy", penstock.open(steps))
    assert (tmp_path / "whole.npy").read_bytes() == steps.read_bytes()


def test_writing_what_is_being_read(steps: Path) -> None:
    ds = penstock.open(steps)
    penstock.write(steps, ds.select(range(10)), overwrite=True)
    assert len(ds[:]["board"]) == 1000 and len(penstock.open(steps)) == 10


def test_a_large_append_goes_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penstock._writer, "_APPEND_BYTES", 100)
    array = np.arange(1000).reshape(500, 2)
    assert (written(tmp_path / "x.npy", "<i8", array, (2,)) == array).all()


def test_records_of_packs_have_bytes(tmp_path: Path) -> None:
    records: list[Any] = [
        b"a", bytearray(b"bc"), memoryview(b"abcd")[::2], np.arange(2, dtype="<u2"), np.int32(7)
    ]  # fmt: skip
    with penstock.PackWriter(tmp_path / "p") as writer:
        writer.extend(records)
    assert penstock.open(tmp_path / "p")[:] == [
        b"a", b"bc", b"ac", b"\0\0\1\0", b"\7\0\0\0"
    ]  # fmt: skip
    for wrong in (5, "text", None, [1, 2], np.array([None]), np.ma.array([1], mask=[1])):
        with (
            pytest.raises((TypeError, ValueError)),
            penstock.PackWriter(tmp_path / "q") as writer,
        ):
            writer.append(wrong)
    assert os.listdir(tmp_path) == ["p"]


def test_names_of_records(tmp_path: Path) -> None:
    names = [f"{i}" * 1000 for i in range(2000)]
    with penstock.PackWriter(tmp_path / "p") as writer:
        writer.extend([b"x"] * 2000, names)
    ds = penstock.open(tmp_path / "p")
    assert [ds.name(i) for i in range(0, 2000, 97)] == names[::97]
    for wrong in (
        [("a", b"1"), (None, b"2")],
        [(None, b"1"), ("a", b"2")],
        [(5, b"1")],
        [("\ud800", b"1")],
    ):
        with (
            pytest.raises((TypeError, ValueError)),
            penstock.PackWriter(tmp_path / "q") as writer,
        ):
            for name, record in wrong:
                writer.append(record, name)  # type: ignore[arg-type]
    # The names end only after some records have been written.
    with pytest.raises(ValueError, match="names"), penstock.PackWriter(tmp_path / "q") as writer:
        writer.extend([b"x"] * 10_000, map(str, range(10_000)))
        writer.append(b"y")
    with pytest.raises(ValueError), penstock.PackWriter(tmp_path / "q") as writer:
        writer.extend([b"x", b"y"], ["only one"])
    assert os.listdir(tmp_path) == ["p"]


def test_what_is_there_stays(steps: Path, pack: Path, tmp_path: Path) -> None:
    before = steps.read_bytes(), pack.read_bytes()
    for make in (
        lambda: penstock.TableWriter(steps, "i4"),
        lambda: penstock.PackWriter(pack),
        lambda: penstock.write(steps, [1]),
        lambda: penstock.write(pack, [b"1"]),
    ):
        with pytest.raises(FileExistsError) as error:
            make()
        assert error.value.filename in (str(steps), str(pack))
    for make in (
        lambda: penstock.TableWriter(steps, "i4", overwrite=True),
        lambda: penstock.PackWriter(pack, overwrite=True),
    ):
        with pytest.raises(ZeroDivisionError), make() as writer:  # type: ignore[attr-defined]
            writer.append(np.zeros(3, "i4"))
            raise ZeroDivisionError
    assert before == (steps.read_bytes(), pack.read_bytes())
    with pytest.raises(FileNotFoundError):
        penstock.write(tmp_path / "no" / "x.npy", [1])
    with pytest.raises(ValueError, match="closed"):
        writer.append(np.zeros(3, "i4"))
    writer.close()
    writer.abort()
    assert sorted(os.listdir(tmp_path)) == ["records.a2pack", "steps.npy"]


def test_of_two_writers_one_wins_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    for _ in range(10):
        start = threading.Barrier(4)
        outcomes: list[str] = []

        def write(
            number: int, start: threading.Barrier = start, outcomes: list[str] = outcomes
        ) -> None:
            start.wait()
            try:
                penstock.write(path, np.full(1000, number))
                outcomes.append("written")
            except FileExistsError:
                outcomes.append("exists")

        threads = [threading.Thread(target=write, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Writers that finish at the same moment replace each other; the file is the whole of one.
        assert set(outcomes) <= {"exists", "written"} and "written" in outcomes
        assert len(set(np.load(path).tolist())) == 1 and os.listdir(tmp_path) == ["x.npy"]
        path.unlink()


def test_threads_share_a_writer(tmp_path: Path) -> None:
    with penstock.PackWriter(tmp_path / "p") as writer:

        def append(number: int) -> None:
            for i in range(2000):
                writer.append(f"{number}:{i}".encode())

        threads = [threading.Thread(target=append, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    expected = {f"{n}:{i}".encode() for n in range(4) for i in range(2000)}
    records = penstock.open(tmp_path / "p")[:]
    assert len(records) == 8000 and set(records) == expected


def test_a_full_disk(run: Run, tmp_path: Path) -> None:
    """A limit on the size of files acts like one, and needs no other file system."""
    folder = tmp_path / "full"
    folder.mkdir()
    result = run(f"""
        import os, resource, numpy as np, penstock
        os.chdir({str(folder)!r})
        penstock.write("old.npy", [1, 2, 3])
        penstock.write("old.a2pack", [b"old"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        for wrong in (
            lambda: penstock.write("new.npy", np.zeros(1 << 20)),
            lambda: penstock.write("old.npy", np.zeros(1 << 20), overwrite=True),
            lambda: penstock.write("new.a2pack", [os.urandom(1 << 19)] * 8),
            lambda: penstock.write("old.a2pack", [os.urandom(1 << 19)] * 8, overwrite=True),
        ):
            try:
                wrong()
            except OSError as e:
                print(e.errno, e.filename is not None)
        assert sorted(os.listdir()) == ["old.a2pack", "old.npy"]
        assert penstock.open("old.npy")[:].tolist() == [1, 2, 3]
        assert penstock.open("old.a2pack")[0] == b"old"
        penstock.write("small.npy", [1])
        assert penstock.open("small.npy")[0] == 1
    """)
    assert result.stdout == f"{errno.EFBIG} True\n" * 4


@pytest.mark.parametrize("how", ["kill", "exit", "interrupt"])
def test_a_process_that_ends_while_it_writes(tmp_path: Path, how: str) -> None:
    """Under the names is what was there before; what lies around is gone after the next write."""
    penstock.write(tmp_path / "x.npy", [1, 2, 3])
    script = f"""
import os, sys, numpy as np, penstock
os.chdir({str(tmp_path)!r})
table = penstock.TableWriter("x.npy", "<f8", overwrite=True)
pack = penstock.PackWriter("p.a2pack")
part = np.zeros(1 << 10)
print("ready", flush=True)
for i in range({3 if how == "exit" else 1_000_000}):
    table.append(part)
    pack.append(part[:100])
"""
    # The second process finds the files that the killed one has left.
    for _ in range(2 if how == "kill" or IS_LONG else 1):
        with subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            assert process.stdout.readline() == "ready\n"
            if how != "exit":
                time.sleep(0.15)
                process.send_signal(signal.SIGKILL if how == "kill" else signal.SIGINT)
            words = process.stderr.read()
        assert "KeyboardInterrupt" in words if how == "interrupt" else words == ""
        assert np.load(tmp_path / "x.npy").tolist() == [1, 2, 3]
        left = sorted(os.listdir(tmp_path))
        if how == "kill":
            # Files of the earlier process are gone, so there are at most the two of this one.
            assert len(left) <= 3
        else:
            assert left == ["x.npy"]
    penstock.write(tmp_path / "p.a2pack", [b"new"])
    penstock.write(tmp_path / "x.npy", [4], overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["p.a2pack", "x.npy"]


def test_interrupts_of_writers_leave_nothing(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "interrupted"
    folder.mkdir()
    run(f"""
        import os, random, signal, time, numpy as np, penstock
        os.chdir({str(folder)!r})
        penstock.write("x.npy", [1])
        array = np.zeros(100_000)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        interrupts = 0
        while interrupts < {200 if IS_LONG else 100}:
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0005, 0.01))
                while True:
                    penstock.write("x.npy", array, overwrite=True)
                    penstock.write("x.a2pack", [b"x"], overwrite=True)
            except KeyboardInterrupt:
                interrupts += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        # What was given up is finished by other threads.
        while penstock._jvm.call("handles") > 0:
            time.sleep(0.05)
        assert set(os.listdir()) <= {{"x.npy", "x.a2pack"}}
        assert len(penstock.open("x.npy")) in (1, 100_000)
    """)


def test_writers_in_a_forked_child(run: Run, tmp_path: Path) -> None:
    """A lock of a thread of the parent has no owner in the child, which does not wait for it."""
    result = run(f"""
        import os, signal, penstock
        path = {str(tmp_path / "p.a2pack")!r}
        with penstock.PackWriter(path) as writer:
            writer.append(b"1")
            child = os.fork()
            if child == 0:
                writer._lock.acquire()
                signal.alarm(300)
                for wrong in (lambda: writer.append(b"2"), writer.close):
                    try:
                        wrong()
                        os._exit(3)
                    except penstock.ForkedError:
                        pass
                writer.abort()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        print(penstock.open(path)[:])
    """)
    assert result.stdout == "[b'1']\n"


# The last name is not UTF-8, so that Java writes under another one.
NAMES = ["x.npz", "x.csv", os.fsdecode(b"x\xff.npy")]


@pytest.mark.parametrize("name", NAMES)
def test_a_replaced_file_keeps_mode_owner_and_group(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    penstock.write(path, [1])
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(path, 12, 34)
    for mode in (0o600, 0o664, 0o640):
        os.chmod(path, mode)
        penstock.write(path, [2, 3], overwrite=True)
        status = path.stat()
        assert status.st_mode & 0o7777 == mode
        assert not is_root or (status.st_uid, status.st_gid) == (12, 34)
        assert penstock.open(path).verify() if name != "x.csv" else penstock.read_csv(path)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x.npz", "x.csv"])
def test_a_new_file_has_the_mode_of_the_umask_which_never_changes(
    name: str, run: Run, tmp_path: Path
) -> None:
    run(
        f"""
        import os, stat
        import penstock
        path = {str(tmp_path / name)!r}
        os.umask(0o027)
        del os.umask
        penstock.write(path, [1])
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
        """
    )


def test_rows_of_different_lengths_are_written_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [b"x" * (n % 7) for n in range(50)]
    offsets = np.cumsum([3, *map(len, texts)])
    values = np.frombuffer(b"abc" + b"".join(texts) + b"tail", np.uint8)
    # Several calls of Java.
    monkeypatch.setattr("penstock._writer._APPEND_BYTES", 20)
    with penstock.PackWriter(tmp_path / "a.a2pack") as writer:
        writer.append(b"first")
        writer.extend(penstock.Ragged(values, offsets))
        writer.extend(penstock.Ragged(values[:0], np.zeros(3, np.int32)))
        writer.extend(penstock.Ragged(values, offsets)[10:12])
        assert len(writer) == 55
        missing = np.array([True, False])
        with pytest.raises(ValueError, match="no missing records"):
            writer.extend(penstock.Ragged(values, offsets[:3], missing=missing))
    assert penstock.open(tmp_path / "a.a2pack")[:] == [b"first", *texts, b"", b"", *texts[10:12]]


@pytest.mark.full
@pytest.mark.parametrize("kind", ["binary", "large_binary", "string", "large_string"])
def test_arrays_of_arrow_are_written_without_python_objects(tmp_path: Path, kind: str) -> None:
    arrow: Any = pytest.importorskip("pyarrow", reason="needs pyarrow; python/extra.sh readers")
    texts = ["a", "", "bcd", "\u00e9" * 5]
    wanted = [text.encode() for text in texts]
    column = arrow.array(texts, getattr(arrow, kind)())
    with penstock.PackWriter(tmp_path / "a.a2pack") as writer:
        writer.extend(column)
        writer.extend(column[1:3])
        writer.extend(arrow.chunked_array([column, column[2:]]))
    found = penstock.open(tmp_path / "a.a2pack")[:]
    assert found == wanted + wanted[1:3] + wanted + wanted[2:]
    with penstock.Store(
        tmp_path / "s", "w", fields={"A": {}, "n": {"dtype": "i4", "shape": []}}
    ) as s:
        numbers = arrow.array([1, 2, 3, 4], arrow.int32())
        s.extend({"A": column, "n": numbers})
        s.extend({"A": arrow.array(["x", None, "z"], getattr(arrow, kind)())[1:]})
    store = penstock.Store(tmp_path / "s")
    assert store["A"][:] == [*wanted, None, b"z"]
    assert store["n"][:4].tolist() == [1, 2, 3, 4]


def test_rows_of_small_calls_are_written_in_their_order(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    """Single rows, columns of the table's types, columns to convert and large arrays, mixed."""
    dtype = np.dtype([("n", "<i8"), ("v", "<f4", 3), ("s", "U4"), ("flag", "?")])
    rows = np.zeros(60_000, dtype)
    rows["n"] = np.arange(len(rows))
    rows["v"] = rng.random((len(rows), 3), "f4")
    rows["s"] = np.arange(len(rows)) % 9999
    rows["flag"] = rows["n"] % 3 == 0
    start = 0
    with penstock.TableWriter(tmp_path / "t.npy", dtype) as writer:
        while start < len(rows):
            count = int(rng.choice([1, 1, 2, 64, 500, 4000]))
            part = rows[start : start + count]
            columns = {name: np.ascontiguousarray(part[name]) for name in dtype.names or ()}
            kind = int(rng.integers(5 if len(part) == 1 else 3))
            if kind == 0:
                writer.append(part)
            elif kind == 1:
                writer.append(columns)
            elif kind == 2:
                writer.append({name: one.tolist() for name, one in columns.items()})
            elif kind == 3:
                writer.append({name: one[0] for name, one in columns.items()})
            else:
                writer.append(
                    {
                        "n": int(part["n"][0]),
                        "v": part["v"][0],
                        "s": str(part["s"][0]),
                        "flag": bool(part["flag"][0]),
                    }
                )
            start += len(part)
            assert len(writer) == start
    assert (np.load(tmp_path / "t.npy") == rows).all()


def test_arrays_that_change_after_append_do_not_change_the_file(tmp_path: Path) -> None:
    array = np.zeros((2, 3), "f4")
    with penstock.TableWriter(tmp_path / "t.npy", "f4", shape=(3,)) as table:
        table.append(array)
        array[:] = 7
        table.append(array)
        array[:] = 9
    assert penstock.open(tmp_path / "t.npy")[:][:, 0].tolist() == [0, 0, 7, 7]


def test_threads_append_rows_to_one_table(tmp_path: Path) -> None:
    def fill(thread: int) -> None:
        for i in range(2000):
            writer.append({"thread": thread, "i": i})

    with penstock.TableWriter(tmp_path / "t.npy", [("thread", "i4"), ("i", "i4")]) as writer:
        threads = [threading.Thread(target=fill, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = np.load(tmp_path / "t.npy")
    assert len(rows) == 6000
    for thread in range(3):
        assert rows["i"][rows["thread"] == thread].tolist() == list(range(2000))
