# SPDX-License-Identifier: Apache-2.0
"""Map-style datasets of Python objects: order, resuming, ranks, seeds, errors, arguments."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
from sample_datasets import Failing, Noisy, Rows, Several, Squares, Stopping

import penstock

Pair = namedtuple("Pair", "left right")


def loader_of(dataset: Any, batch_size: int = 10, **options: Any) -> penstock.Loader:
    return penstock.Loader(dataset, batch_size, to="numpy", **options)


def seen(batches: Any) -> list[int]:
    """The numbers of the samples, whose first part they are."""
    return [int(one) for batch in batches for one in batch[0]]


def notes_of(error: BaseException, otherwise: str) -> str:
    """The notes of an exception, which Python has from 3.11 on."""
    return str(getattr(error, "__notes__", otherwise))


def test_a_dataset_that_never_raises_index_error_is_read_by_index_only() -> None:
    samples = penstock.from_memory(Squares(1 << 40))
    assert len(samples) == 1 << 40
    assert samples[3] == (3, 9) and samples[-1][0] == (1 << 40) - 1
    assert [one[0] for one in samples[5:8]] == [5, 6, 7]
    assert isinstance(samples, penstock.Objects) and samples.source.count == 1 << 40
    assert penstock.from_memory(samples) is samples
    with pytest.raises(IndexError):
        samples[1 << 40]


def test_each_sample_comes_once_in_the_order_of_any_other_dataset() -> None:
    with (
        loader_of(Squares(103), seed=7) as loader,
        penstock.Loader(np.arange(103), 10, seed=7) as plain,
    ):
        for batch, numbers in zip(loader, plain, strict=True):
            assert batch[0].tolist() == numbers.tolist() == loader.place.indices.tolist()
            np.testing.assert_array_equal(batch[1], (numbers * numbers).astype("f4"))
        assert len(loader) == 11 and loader.dataset.source.count == 103


def test_a_pass_resumes_with_another_batch_size_and_other_ranks() -> None:
    whole = loader_of(Squares(200), seed=3)
    first = iter(whole)
    begun = [next(first) for _ in range(6)]
    state = json.loads(json.dumps(whole.state_dict()))
    rest = []
    for rank in range(2):
        with loader_of(Squares(200), 7, seed=3, rank=rank, world_size=2) as part:
            part.load_state_dict(state)
            rest += seen(part)
    assert sorted(seen(begun) + rest) == list(range(200))
    assert set(rest) == set(seen(first))


def test_a_checkpoint_of_another_dataset_is_refused() -> None:
    state = loader_of(Squares(200)).state_dict()
    with pytest.raises(ValueError, match="checkpoint"):
        loader_of(Squares(199)).load_state_dict(state)
    named = Squares(200)
    named.fingerprint = "of another version"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="checkpoint"):
        loader_of(named).load_state_dict(state)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_threads_keep_the_order(workers: int) -> None:
    with loader_of(Squares(500), 9, workers=workers, seed=1) as loader:
        assert seen(loader) == seen(loader_of(Squares(500), 500, seed=1))


def test_several_samples_are_read_at_once_where_the_dataset_can() -> None:
    source = Several(20)
    with loader_of(source, 5, shuffle=False) as loader:
        assert [batch["x"].tolist() for batch in loader][1] == [5, 6, 7, 8, 9]
    assert source.calls == 4
    assert penstock.from_memory(source)[7] == {"x": 7}
    source.__class__.__getitems__ = lambda self, indices: [1]  # type: ignore[method-assign]
    with loader_of(source, 5) as loader, pytest.raises(ValueError, match="1 samples for 5 indices"):
        next(iter(loader))


def test_parts_and_functions_of_samples() -> None:
    samples = penstock.from_memory(Squares(50))
    doubled = samples.map(lambda one: (one[0], one[1] * 2)).select([40, 3, 7])
    assert [one[1] for one in doubled] == [3200, 18, 98]
    assert seen(loader_of(doubled, 2, shuffle=False)) == [40, 3, 7]
    assert len(samples.filter(lambda one: one[0] % 5 == 0)) == 10
    train, test = samples.split(0.2, seed=4)
    assert sorted(one[0] for part in (train, test) for one in part) == list(range(50))
    mapped = loader_of(samples, 5, shuffle=False, map_records=lambda one: (one[0], -one[1]))
    assert next(iter(mapped))[1].tolist() == [0, -1, -4, -9, -16]
    copy = pickle.loads(pickle.dumps(train))
    assert [one[0] for one in copy] == [one[0] for one in train]


def test_batches_have_the_structure_of_the_samples() -> None:
    sample = {
        "x": np.arange(3, dtype="f4"),
        "n": 2,
        "f": 0.5,
        "b": True,
        "s": "text",
        "raw": b"raw",
        "pair": Pair(1, (np.int16(3), [4, 5.5])),
        "more": OrderedDict(a=np.zeros((2, 2), bool)),
    }
    batch = next(iter(loader_of(FixedSample(sample), 4)))
    assert batch["x"].shape == (4, 3) and batch["x"].dtype == np.float32
    assert batch["n"].dtype == np.int64 and batch["f"].dtype == np.float64
    assert batch["b"].dtype == bool and batch["s"] == ["text"] * 4 and batch["raw"] == [b"raw"] * 4
    assert isinstance(batch["pair"], Pair) and batch["pair"].right[0].dtype == np.int16
    assert batch["pair"].right[1][1].tolist() == [5.5] * 4
    assert batch["more"]["a"].shape == (4, 2, 2)


class FixedSample:
    def __init__(self, sample: Any) -> None:
        self.sample = sample

    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> Any:
        return self.sample


@pytest.mark.parametrize(
    "sample, error", [(None, TypeError), (object(), TypeError), ({1, 2}, TypeError)]
)
def test_samples_that_make_no_batch_are_refused(sample: Any, error: type[Exception]) -> None:
    with loader_of(FixedSample(sample), 4) as loader, pytest.raises(error, match="collate_fn"):
        next(iter(loader))
    with loader_of(FixedSample(sample), 4, collate_fn=list) as loader:
        assert next(iter(loader)) == [sample] * 4


def test_samples_of_different_sizes_are_refused() -> None:
    class Uneven(Squares):
        def __getitem__(self, index: int) -> Any:
            return list(range(index))

    with (
        loader_of(Uneven(5), 5) as loader,
        pytest.raises(RuntimeError, match="equal size") as raised,
    ):
        next(iter(loader))
    assert "in the dataset of batch 0" in notes_of(raised.value, "in the dataset of batch 0")


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_of_a_sample_names_it(workers: int) -> None:
    with loader_of(Failing(100), shuffle=False, workers=workers) as loader:
        batches = iter(loader)
        assert len([next(batches) for _ in range(4)]) == 4
        with pytest.raises(ZeroDivisionError, match="no luck") as raised:
            next(batches)
        words = "in the dataset for record 42, in batch 4"
        assert words in notes_of(raised.value, words)
        assert loader.state_dict()["delivered"] == 40
    with (
        loader_of(Stopping(100), workers=workers) as loader,
        pytest.raises(RuntimeError, match="the dataset raised StopIteration"),
    ):
        list(loader)


@pytest.mark.parametrize("workers", [0, 2])
def test_samples_that_fail_are_left_out(workers: int) -> None:
    options: dict[str, Any] = {"on_error": "skip", "workers": workers, "shuffle": False}
    with loader_of(Failing(100), **options) as loader:
        with pytest.warns(RuntimeWarning, match="the dataset raised ZeroDivisionError"):
            found = [one for batch in loader for one in batch.tolist()]
        assert found == [one for one in range(100) if one != 42]
        assert loader.stats()["skipped_rows"] == 1


def test_seeds_repeat_random_samples_whatever_the_batches() -> None:
    def by_number(batch_size: int, **options: Any) -> dict[int, tuple[float, float]]:
        with loader_of(Noisy(60), batch_size, seed=5, seeds=True, **options) as loader:
            return {
                int(n): (float(a), float(b))
                for batch in loader
                for n, a, b in zip(*batch, strict=True)
            }

    wanted = by_number(60)
    assert len(set(wanted.values())) == 60
    assert by_number(7) == wanted
    parts = [by_number(4, rank=rank, world_size=2) for rank in range(2)]
    assert {**parts[0], **parts[1]} == wanted


def test_the_random_numbers_of_the_program_stay_its_own() -> None:
    def draw() -> list[float]:
        return [random.random(), float(np.random.rand())]

    random.seed(1)
    np.random.seed(1)
    wanted = draw()
    random.seed(1)
    np.random.seed(1)
    next(iter(loader_of(Noisy(60), seeds=True)))
    assert draw() == wanted


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"batch_sampler": [[1]]}, "penstock.samplers"),
    ({"prefetch_factor": 4}, "prefetch="),
    ({"timeout": 5}, "without it"),
    ({"worker_init_fn": print}, "seeds=True"),
    ({"generator": 1}, "seed="),
    ({"multiprocessing_context": "fork"}, "worker_type="),
    ({"in_order": False}, "in order"),
    ({"colour": 1}, "unexpected keyword argument 'colour'"),
    ({"num_workers": 1, "workers": 1}, "give workers"),
    ({"persistent_workers": False, "workers": 1}, "close()"),
    ({"indices": True}, "loader.place.indices"),
    ({"fields": ["x"]}, "collate_fn"),
    ({"ragged": True}, "collate_fn"),
    ({"follow": True}, "stores"),
    ({"seeds": True, "workers": 1}, "worker_type='process'"),
    ({"collate_fn": 3}, "must be a function"),
    ({"sampler": [1, 2]}, "penstock.samplers"),
]


@pytest.mark.parametrize("options, words", REFUSED)
def test_arguments_of_another_meaning_are_refused_with_our_word(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        penstock.Loader(Squares(10), 2, **options)
    assert words in str(raised.value)


def test_arguments_of_data_loader_that_mean_the_same_are_accepted() -> None:
    options: dict[str, Any] = {
        "batch_sampler": None,
        "prefetch_factor": 2,
        "timeout": 0,
        "worker_init_fn": None,
        "generator": None,
        "multiprocessing_context": None,
        "pin_memory_device": "",
        "in_order": True,
        "sampler": None,
    }
    with penstock.Loader(Squares(10), 2, **options) as loader:
        assert len(list(loader)) == 5


@pytest.mark.parametrize(
    "name, words",
    [
        ("RandomSampler", "a Loader shuffles"),
        ("SequentialSampler", "shuffle=False"),
        ("DistributedSampler", "world_size="),
        ("WeightedRandomSampler", "penstock.samplers.Weighted(weights)"),
    ],
)
def test_samplers_of_pytorch_are_refused_with_ours(name: str, words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        penstock.Loader(Squares(10), 2, sampler=type(name, (), {})())


def test_a_list_of_tuples_that_fit_in_no_array_has_samples() -> None:
    samples = [(np.full(3, i, np.float32), f"label {i}") for i in range(10)]
    assert penstock.from_memory(samples)[3][1] == "label 3"
    with penstock.Loader(samples, 4, shuffle=False, to="numpy") as loader:
        pixels, labels = next(iter(loader))
    assert pixels.shape == (4, 3) and list(labels) == [f"label {i}" for i in range(4)]
    # Numbers fit in an array, as before.
    with penstock.Loader([(1, 2), (3, 4)], 2, shuffle=False) as loader:
        assert next(iter(loader)).tolist() == [[1, 2], [3, 4]]


def test_arguments_of_data_loader_for_other_datasets() -> None:
    with pytest.raises(ValueError, match="threads="):
        penstock.Loader(np.arange(10), 2, num_workers=2)
    with pytest.raises(ValueError, match="transform="):
        penstock.Loader(np.arange(10), 2, collate_fn=list)
    with penstock.Loader(np.arange(10), 2, num_workers=0, persistent_workers=False) as loader:
        assert len(list(loader)) == 5


def test_data_that_can_only_be_iterated_over_is_refused_with_advice() -> None:
    def numbers() -> Any:
        yield from range(3)

    for make in (lambda: penstock.from_memory(numbers()), lambda: penstock.Loader(numbers(), 2)):
        with pytest.raises(TypeError, match=r"penstock\.write"):
            make()


def test_an_epoch_of_many_samples_begins_without_a_table_of_them() -> None:
    with loader_of(Squares(1 << 40), 4, seed=1) as loader:
        first = next(iter(loader))
        state = {**loader.state_dict(), "delivered": 1 << 39}
        loader.load_state_dict(state)
        middle = next(iter(loader))
        assert loader.place.position == 1 << 39
    assert len(set(first[0].tolist() + middle[0].tolist())) == 8


def test_arrays_and_lists_stay_data() -> None:
    for data in (np.arange(4), [1, 2, 3], range(4), memoryview(b"abcd")):
        assert isinstance(penstock.from_memory(data), penstock.Dataset)
    rows = Rows(np.arange(12).reshape(4, 3))
    assert next(iter(loader_of(rows, 4, shuffle=False)))["name"] == [f"row {i}" for i in range(4)]
