# SPDX-License-Identifier: Apache-2.0
"""Odd data and odd arguments, and the messages that name them."""

import os

import numpy as np
import pytest

import penstock
from penstock._errors import note
from penstock.transforms import Convert, Normalise, OneHot, PackTokens, Pad


def first(data, transform=None, **options):
    """The first batch of all records, in order."""
    with penstock.Loader(data, 100, shuffle=False, transform=transform, **options) as loader:
        return next(iter(loader))


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_table_with_a_single_field_called_value_is_an_array_of_its_values(tmp_path, shape):
    rows = np.zeros(5, [("value", "<i4", shape)])
    rows["value"] = np.arange(rows["value"].size).reshape(rows["value"].shape)
    np.save(tmp_path / "rows.npy", rows)
    ds = penstock.open(tmp_path / "rows.npy")
    assert ds.shape == rows["value"].shape
    assert np.array_equal(ds.to_numpy(), rows["value"])
    assert np.array_equal(ds.take([2, 0], out=np.empty((2, *shape), "<i4")), rows["value"][[2, 0]])
    assert np.array_equal(ds[..., -1], rows["value"][..., -1])
    assert np.array_equal(np.concatenate(list(penstock.Loader(ds, 2, shuffle=False))), ds[:])


@pytest.mark.parametrize("function", [np.sum, np.mean, np.var, np.std, np.min, np.max])
def test_numpy_functions_summarise_columns(function):
    values = np.random.default_rng(0).normal(size=(50, 3))
    column = penstock.from_memory({"x": values})["x"]
    assert np.isclose(function(column), function(values))
    assert np.allclose(function(column, axis=0), function(values, axis=0))


def test_deviations_of_samples():
    values = np.arange(10.0)
    column = penstock.from_memory({"x": values})["x"]
    assert np.isclose(column.std(ddof=1), values.std(ddof=1))
    assert np.isclose(np.var(column, ddof=1), values.var(ddof=1))
    assert np.isnan(penstock.from_memory({"x": [2.0]})["x"].var(ddof=1))
    assert column.mean(dtype="f4").dtype == np.float32
    large = penstock.from_memory({"x": np.full(2, 1 << 63, np.uint64)})["x"]
    assert large.sum(dtype=float) == 2.0**64
    out = np.zeros((), "f8")
    assert column.sum(out=out) is out and out == 45


def test_padding_that_the_type_cannot_hold_is_refused():
    with pytest.raises(ValueError, match=r"padded with 300.0, which its type"):
        first([b"a", b"bc"], Pad(fill=300))
    with pytest.raises(ValueError, match=r"padded with 70000.0, which its type u16 cannot hold"):
        first([b"ab"], PackTokens(length=4, dtype="<u2", fill=70_000))
    with pytest.raises(ValueError, match=r"padded with -1.0"):
        first([b"ab"], PackTokens(length=4, dtype="<u2", fill=-1))
    assert first([b"a", b"bc"], Pad(fill=255))["value"].tolist() == [[97, 255], [98, 99]]
    packed = first([b"ab"], PackTokens(length=2, dtype="<i2", fill=-1))
    assert packed["value"].tolist() == [[25185, -1]]


def test_dates_are_not_converted_with_all_numbers():
    times = np.array(["2024-01-01T00:00:01", "2024-01-01T00:00:02"], "M8[s]")
    batch = first({"t": times, "x": [1, 2]}, Convert("f4"))
    assert batch["t"].tolist() == times.tolist() and batch["x"].dtype == np.float32
    assert first({"t": times}, Convert("f8", "t"))["t"].tolist() == times.astype("i8").tolist()


def test_a_class_is_not_a_transform():
    with pytest.raises(TypeError, match=r"an object of Pad and not the class; use Pad\(\.\.\.\)"):
        first([b"a"], Pad)


def test_statistics_of_a_dataset_normalise_it():
    values = np.random.default_rng(1).normal(3, 2, (20, 2))
    ds = penstock.from_memory({"x": values})
    batch = first(ds, Normalise.from_stats(ds.stats(), field="x", dtype="f8"))
    assert np.allclose(batch["x"], (values - values.mean()) / values.std())
    with pytest.raises(ValueError, match=r"no mean and std of 'y'; the fields are x"):
        Normalise.from_stats(ds.stats(), field="y")


def test_bfloat16_is_a_type_everywhere():
    pytest.importorskip("ml_dtypes")
    assert str(first(np.arange(3), Convert("bfloat16")).dtype) == "bfloat16"


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: Convert("zz"), TypeError, "dtype must be a NumPy type such as '<u2', got 'zz'"),
        (lambda: Convert("f4", scale="x"), TypeError, "scale must be a number, got 'x'"),
        (lambda: Pad(multiple=0), ValueError, "multiple must be 1 or more, got 0"),
        (lambda: Pad(length_max=-1), ValueError, "length_max must be 1 or more, got -1"),
        (lambda: Pad(3), TypeError, "field must be a string, got 3"),
        (lambda: Pad(fill="x"), TypeError, "fill must be a number"),
        (lambda: OneHot(2, field=3), TypeError, "field must be a string, got 3"),
        (lambda: Normalise("a", 1), TypeError, "mean must be a number or a list of numbers"),
        (lambda: Normalise([1, 2, 3], [1, 2]), ValueError, "or equally many, got 3 and 2"),
        (lambda: PackTokens(length=2, order="x"), ValueError, "'best_fit' or 'in_order', got 'x'"),
        (
            lambda: first([b"ab"], PackTokens(length=2, dtype=">u2")),
            ValueError,
            "got '>u2'; batches hold little-endian numbers, use '<u2'",
        ),
        (
            lambda: first(np.arange(3), PackTokens(length=2)),
            ValueError,
            r"field value has values of one size \(i64\), and only records of different lengths",
        ),
        (
            lambda: first(np.arange(3.0), OneHot(3)),
            ValueError,
            "one-hot vectors are made of a field of integers, and field value has the type f64",
        ),
        (
            lambda: first({"a": [1]}, Normalise(1, 2)),
            ValueError,
            "no field value to normalise; the fields are a",
        ),
    ],
)
def test_wrong_arguments_of_transforms_are_named(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"rank": 1}, ValueError, "rank and world_size must be given together, got only rank=1"),
        ({"world_size": 2}, ValueError, "got only world_size=2"),
        ({"threads": 2**31}, ValueError, "threads must be 2147483647 or less"),
        ({"prefetch": 2**63}, ValueError, "prefetch must be 9223372036854775807 or less"),
        (
            {"even_batches": False, "drop_last": True},
            ValueError,
            "even_batches=False delivers every record, and drop_last=True leaves some out",
        ),
        (
            {"shuffle": True, "sampler": penstock.samplers.Sequential(10)},
            ValueError,
            "shuffle has no effect with sampler=, because the sampler decides the order",
        ),
    ],
)
def test_wrong_arguments_of_loaders_are_named(options, kind, words):
    with pytest.raises(kind, match=words):
        penstock.Loader(np.arange(10), 2, **options)


def test_wrong_steps_and_epochs_are_named():
    with penstock.Loader(np.arange(10), 3, shuffle=False) as loader:
        for step in ("a", None, [0], slice(0, 2), True):
            with pytest.raises(TypeError, match="step must be an integer, got"):
                loader[step]
        with pytest.raises(TypeError, match="epoch must be an integer, got True"):
            loader.set_epoch(True)
        with pytest.raises(ValueError, match="epoch must be 0 or more, got -1"):
            loader.set_epoch(-1)
        with pytest.raises(ValueError, match="epoch must be 9223372036854775807 or less"):
            loader.set_epoch(2**63)


def test_a_checkpoint_may_hold_numbers_of_numpy():
    with penstock.Loader(np.arange(10), 3, shuffle=False) as loader:
        loader.load_state_dict({**loader.state_dict(), "delivered": np.int64(6)})
        assert [batch.tolist() for batch in loader] == [[6, 7, 8], [9]]


def test_the_type_of_a_file_without_header_is_named(tmp_path):
    (tmp_path / "x.bin").write_bytes(b"1234")
    for wrong in ("zz", 3, "<u3"):
        with pytest.raises(TypeError, match="dtype must be a NumPy type such as '<u2', got"):
            penstock.open(tmp_path / "x.bin", dtype=wrong)


def test_a_path_of_bytes_is_a_dataset(tmp_path):
    penstock.write(tmp_path / "x.npy", [1, 2])
    with penstock.Loader(os.fsencode(tmp_path / "x.npy"), 2, shuffle=False) as loader:
        assert next(iter(loader)).tolist() == [1, 2]


def test_a_pipe_is_not_read_as_csv(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for opened in (penstock.read_csv, penstock.open):
        with pytest.raises(OSError, match="this is a pipe, a socket or a device"):
            opened(tmp_path / "pipe.csv")


def test_arrays_of_an_archive_may_have_any_name(tmp_path):
    path = tmp_path / "x.npz"
    penstock.write(path, {"file": np.arange(3), "allow_pickle": np.arange(3) * 2.0})
    with np.load(path) as archive:
        assert sorted(archive.files) == ["allow_pickle", "file"]
        assert archive["file"].tolist() == [0, 1, 2]
    assert penstock.open(path)[2] == {"file": 2, "allow_pickle": 4.0}


def test_a_data_frame_with_texts_is_written(tmp_path):
    pandas = pytest.importorskip("pandas")
    for name in ("x.npy", "x.csv"):
        frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "yy"]})
        penstock.write(tmp_path / name, frame)
        assert penstock.open(tmp_path / name)[1] == {"a": 2, "b": "yy"}
    missing = pandas.DataFrame({"b": np.array(["x", None], object)})
    with pytest.raises(TypeError, match=r"value 1 is (None|nan), and other values are texts"):
        penstock.write(tmp_path / "y.npy", missing)
    penstock.write(tmp_path / "z.npy", pandas.DataFrame(np.ones((3, 2))))
    assert penstock.open(tmp_path / "z.npy")[2] == {"0": 1.0, "1": 1.0}


@pytest.mark.parametrize("workers", [0, 2])
def test_the_place_after_a_failure_is_the_last_delivered_batch(workers):
    def fails(batch):
        if 5 in batch:
            raise ValueError("five")
        return batch

    options = {"shuffle": False, "transform": fails, "workers": workers}
    with penstock.Loader(np.arange(12), 4, **options) as loader:
        steps = iter(loader)
        next(steps)
        with pytest.raises(ValueError, match="five"):
            next(steps)
        assert loader.place.step == 0 and loader.place.indices.tolist() == [0, 1, 2, 3]
    with (
        pytest.warns(RuntimeWarning, match="a batch is left out"),
        penstock.Loader(np.arange(8), 4, on_error="skip", **options) as loader,
    ):
        assert len(list(loader)) == 1
        assert loader.place.indices.tolist() == [0, 1, 2, 3]


@pytest.mark.skipif(not hasattr(BaseException, "add_note"), reason="needs Python 3.11")
def test_an_exception_that_is_raised_again_has_each_note_once():
    error = ValueError("always")

    def fails(batch):
        raise error

    with penstock.Loader(np.arange(4), 4, transform=fails) as loader:
        steps = iter(loader)
        for _ in range(3):
            with pytest.raises(ValueError, match="always"):
                next(steps)
    assert len(error.__notes__) == len(set(error.__notes__)) == 2


@pytest.mark.skipif(not hasattr(BaseException, "add_note"), reason="needs Python 3.11")
@pytest.mark.parametrize("kind", [StopIteration, MemoryError])
def test_every_error_of_map_records_names_the_record(kind):
    def fails(record):
        if record == 5:
            raise kind
        return record

    loader = penstock.Loader(np.arange(12), 4, shuffle=False, map_records=fails)
    with loader, pytest.raises((RuntimeError, MemoryError)) as raised:
        list(loader)
    assert "in map_records for record 5, in batch 1 of epoch 0" in raised.value.__notes__


def mapped(function, **options):
    return first(np.arange(4), map_records=function, **options)


@pytest.mark.xdist_group("torch")
def test_tuples_of_map_records_become_tensors():
    torch = pytest.importorskip("torch", reason="needs PyTorch; python/torch.sh installs one")
    x, y = mapped(lambda record: (record * 2, {"y": np.float32(record)}), to="torch")
    assert torch.equal(x, torch.tensor([0, 2, 4, 6])) and torch.is_tensor(y["y"])
    loader = penstock.Loader(
        np.arange(4), 4, transform=lambda batch: (batch, batch), to="torch", shuffle=False
    )
    assert all(torch.is_tensor(part) for part in next(iter(loader)))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda r: {"a": r} if r < 1 else {"a": r, "b": r},
            r"the keys \['a'\] for the first .*'b'",
        ),
        (lambda r: (r,) if r < 1 else (r, r), "a tuple of 1 for the first .* a tuple of 2 for"),
        (lambda r: {"a": r} if r < 1 else r, "and a value of type int64 for record 1"),
    ],
)
def test_records_of_map_records_have_the_same_parts(function, words):
    with pytest.raises(ValueError, match=words):
        mapped(function)


def test_values_that_differ_in_kind_stay_a_list():
    assert mapped(lambda record: record if record < 1 else "x") == [0, "x", "x", "x"]
    assert mapped(lambda record: 1 if record < 1 else "x") == [1, "x", "x", "x"]
    assert mapped(lambda record: 2**70) == [2**70] * 4
    assert mapped(lambda record: 1 if record < 1 else 2.5).tolist() == [1, 2.5, 2.5, 2.5]
    assert mapped(lambda record: bool(record)).tolist() == [False, True, True, True]


def test_errors_do_not_show_the_name_of_an_anonymous_file():
    ds = penstock.from_memory(np.arange(8))
    with penstock.Loader(ds, 4) as loader:
        ds.close()
        with pytest.raises(ValueError, match="<memory> is closed"):
            list(loader)


def test_a_folder_is_not_overwritten(tmp_path):
    path = tmp_path / "table"
    penstock.write(path, [1, 2])
    for overwrite in (False, True):
        with pytest.raises(FileExistsError, match="an existing folder is not replaced: remove it"):
            penstock.write(path, [3], overwrite=overwrite)
    assert penstock.open(path)[:].tolist() == [1, 2]


@pytest.mark.parametrize("share", [-0.1, 1.2])
def test_a_share_of_the_records_is_from_0_to_1(share):
    with pytest.raises(ValueError, match=f"test must be between 0 and 1.0, got {share}"):
        penstock.from_memory([1]).split(test=share)


def test_wrong_paths_of_trees_and_types_of_tables_are_named(tmp_path):
    with pytest.raises(TypeError, match="paths of trees must be strings or bytes, got 1"):
        penstock.write(tmp_path / "x.act", {1: 1})
    with pytest.raises(TypeError, match="dtype must be a NumPy type such as '<u2', got 'zz'"):
        penstock.TableWriter(tmp_path / "x.npy", "zz")


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (
            lambda: penstock.write("x.npy", [1], overwrite=1),
            TypeError,
            "overwrite must be True or False, got 1",
        ),
        (
            lambda: penstock.write("x.csv", {"a": [1]}, overwrite="no"),
            TypeError,
            "overwrite must be True or False, got 'no'",
        ),
        (
            lambda: penstock.TableWriter("x.npy", "f4", overwrite="no"),
            TypeError,
            "overwrite must be True or False, got 'no'",
        ),
        (
            lambda: penstock.TableWriter("x.npy", "f4", shape="ab"),
            TypeError,
            "shape must be an integer, got 'a'",
        ),
        (
            lambda: penstock.TableWriter("x", "f4", metadata={"a": 1}),
            TypeError,
            "metadata must be a dictionary of strings, and has 'a': 1",
        ),
        (
            lambda: penstock.TableWriter("x", "f4", metadata="a"),
            TypeError,
            "metadata must be a dictionary of strings, got 'a'",
        ),
        (
            lambda: penstock.PackWriter("x.a2pack", level="x"),
            TypeError,
            "level must be an integer, got 'x'",
        ),
        (
            lambda: penstock.samplers.Permutation(10).draw(1, -2),
            ValueError,
            "count must be 0 or more, got -2",
        ),
    ],
)
def test_wrong_arguments_of_writers_are_named(make, kind, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=words):
        make()
    assert not list(tmp_path.iterdir())


def test_the_shape_of_a_row_may_be_one_number(tmp_path):
    with penstock.TableWriter(tmp_path / "x.npy", "f4", shape=3) as writer:
        writer.append(np.ones((2, 3)))
    assert penstock.open(tmp_path / "x.npy").shape == (2, 3)


def test_notes_are_in_the_message_where_python_has_none():
    class Old:
        """An exception of Python 3.10, which has no `add_note`."""

        __str__ = BaseException.__str__

        def __init__(self, *args):
            self.args = args

    for args, message in ((("boom",), "boom\nin batch 1"), ((), "in batch 1")):
        error = Old(*args)
        note(error, "in batch 1")
        note(error, "in batch 1")
        assert error.__notes__ == ["in batch 1"] and error.args == (message,)
    number = Old(3)
    note(number, "in batch 1")
    assert number.args == (3,) and number.__notes__ == ["in batch 1"]
