# SPDX-License-Identifier: Apache-2.0
"""Functions that run in several Python threads, and what they are given."""

from __future__ import annotations

import gc
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE_SECONDS, wait_until

import penstock
from penstock._workers import Ordered


@pytest.fixture
def numbers(tmp_path: Path) -> penstock.Dataset:
    penstock.write(tmp_path / "numbers.npy", np.arange(100))
    return penstock.open(tmp_path / "numbers.npy")


def unevenly(batch: Any) -> Any:
    """Later batches are often done sooner."""
    time.sleep(0.004 if batch[0] % 2 == 0 else 0)
    return batch * 10


def worker_threads() -> set[threading.Thread]:
    """The worker threads of this process, those of other tests' loaders included."""
    return {one for one in threading.enumerate() if one.name.startswith("penstock-worker-")}


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_batches_come_in_order(numbers: penstock.Dataset, workers: int) -> None:
    earlier = worker_threads()
    with penstock.Loader(numbers, 7, seed=3, transform=unevenly, workers=workers) as loader:
        plain = [batch.tolist() for batch in penstock.Loader(numbers, 7, seed=3)]
        for _ in range(2):
            got = [(batch // 10).tolist() for batch in loader]
            assert sorted(one for batch in got for one in batch) == list(range(100))
            if loader.epoch == 1:
                assert got == plain
        assert loader.stats()["transform_seconds"] > 0
    wait_until(lambda: worker_threads() <= earlier)


def test_functions_really_run_side_by_side(numbers: penstock.Dataset) -> None:
    meeting = threading.Barrier(3)

    def meet(batch: Any) -> Any:
        meeting.wait(PATIENCE_SECONDS)
        return batch

    with penstock.Loader(numbers, 10, transform=meet, workers=3, drop_last=True) as loader:
        for _, _ in zip(range(3), loader, strict=False):
            pass
        # The workers that prefetch wait for others in vain.
        meeting.abort()


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_resume_is_exact_though_batches_are_ahead(numbers: penstock.Dataset, workers: int) -> None:
    whole = [batch.tolist() for batch in penstock.Loader(numbers, 9, seed=5, transform=unevenly)]
    for taken in range(len(whole)):
        with penstock.Loader(numbers, 9, seed=5, transform=unevenly, workers=workers) as loader:
            batches = iter(loader)
            first = [next(batches).tolist() for _ in range(taken)]
            state = loader.state_dict()
        with penstock.Loader(numbers, 9, seed=5, transform=unevenly, workers=workers) as again:
            again.load_state_dict(state)
            assert first + [batch.tolist() for batch in again] == whole


def test_a_failed_batch_comes_again_and_is_named(numbers: penstock.Dataset) -> None:
    failures = [4]

    def fail_once(batch: Any) -> Any:
        if failures and batch[0] == failures[0] * 10:
            failures.clear()
            raise KeyError("not today")
        return batch

    with penstock.Loader(numbers, 10, shuffle=False, transform=fail_once, workers=3) as loader:
        batches = iter(loader)
        got = [next(batches)[0] for _ in range(4)]
        with pytest.raises(KeyError, match="not today") as failure:
            next(batches)
        if sys.version_info >= (3, 11):
            assert failure.value.__notes__[0] == (
                "in the transform of batch 4 of epoch 0, which holds the records "
                "40, 41, 42, 43, 44, 45, 46, 47, ..."
            )
        assert loader.state_dict()["delivered"] == 40
        assert [*got, *(batch[0] for batch in batches)] == list(range(0, 100, 10))


def test_the_end_of_an_iterator_is_an_error_there(numbers: penstock.Dataset) -> None:
    def stop(batch: Any) -> Any:
        raise StopIteration

    with (
        penstock.Loader(numbers, 10, transform=stop, workers=2) as loader,
        pytest.raises(RuntimeError, match="StopIteration"),
    ):
        next(iter(loader))


def test_a_pass_that_is_left_ends_its_threads(numbers: penstock.Dataset) -> None:
    earlier = worker_threads()
    loader = penstock.Loader(numbers, 1, transform=unevenly, workers=2)
    batches = iter(loader)
    next(batches)
    assert worker_threads() - earlier
    del batches
    # The next pass is the next epoch, whole.
    assert len(list(loader)) == 100 and loader.epoch == 2
    next(iter(loader))
    del loader
    gc.collect()
    wait_until(lambda: worker_threads() <= earlier)


def test_no_more_than_two_batches_of_each_worker_are_ahead() -> None:
    fetched = []

    def fetch() -> int:
        fetched.append(1)
        return len(fetched)

    line = Ordered(fetch, lambda item: item, 3)
    line.start()
    wait_until(lambda: len(fetched) == 6)
    time.sleep(0.05)
    assert len(fetched) == 6
    assert [line.next() for _ in range(4)] == [1, 2, 3, 4]
    wait_until(lambda: len(fetched) == 10)
    line.close()
    assert len(fetched) == 10


def test_records_are_mapped_one_by_one(tmp_path: Path) -> None:
    penstock.write(tmp_path / "texts.a2pack", [b"%d" % i * i for i in range(20)])
    ds = penstock.open(tmp_path / "texts.a2pack")
    with penstock.Loader(ds, 4, shuffle=False, map_records=len, workers=2) as loader:
        assert np.concatenate(list(loader)).tolist() == [len(b"%d" % i * i) for i in range(20)]

    def described(text: bytes) -> dict[str, Any]:
        return {"length": len(text), "pair": (text[:1], np.full(2, len(text))), "text": text}

    with penstock.Loader(ds, 4, shuffle=False, map_records=described) as loader:
        batch = next(iter(loader))
        assert batch["length"].tolist() == [0, 1, 2, 3]
        assert batch["pair"][0] == [b"", b"1", b"2", b"3"] and batch["pair"][1].shape == (4, 2)
        assert batch["text"][3] == b"333"


@pytest.mark.parametrize("workers", [0, 2])
def test_a_record_that_cannot_be_mapped_is_named(numbers: penstock.Dataset, workers: int) -> None:
    def fail(record: Any) -> Any:
        if record == 97:
            raise KeyError("not this one")
        return record

    with (
        penstock.Loader(numbers, 10, shuffle=False, map_records=fail, workers=workers) as loader,
        pytest.raises(KeyError, match="not this one") as failure,
    ):
        list(loader)
    if sys.version_info >= (3, 11):
        assert failure.value.__notes__[0] == "in map_records for record 97, in batch 9 of epoch 0"


def test_an_exception_that_cannot_be_changed_arrives_as_it_is(numbers: penstock.Dataset) -> None:
    class Frozen(Exception):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(name)

    def fail(anything: Any) -> Any:
        raise Frozen("stay as you are")

    for options in ({"map_records": fail}, {"transform": fail}, {"transform": fail, "workers": 1}):
        with (
            penstock.Loader(numbers, 10, **options) as loader,
            pytest.raises(Frozen, match="stay as you are"),
        ):
            next(iter(loader))


def test_records_of_several_fields_are_dictionaries(steps: Path) -> None:
    ds = penstock.open(steps)

    def total(record: dict[str, Any]) -> Any:
        return record["values"].sum() + record["board"]

    with penstock.Loader(ds, 10, shuffle=False, map_records=total) as loader:
        assert next(iter(loader)).tolist() == [10 * i + 3 for i in range(10)]


def test_batches_have_the_indices_of_their_records(numbers: penstock.Dataset) -> None:
    with penstock.Loader(numbers, 8, seed=1, indices=True) as loader:
        for batch in loader:
            assert batch["indices"].tolist() == batch["value"].tolist()


def seeds_of(ds: penstock.Dataset, **options: Any) -> dict[int, int]:
    """The seeds of the records by their indices."""
    found: dict[int, int] = {}
    with penstock.Loader(ds, seeds=True, indices=True, **options) as loader:
        for batch in loader:
            found.update(zip(batch["indices"].tolist(), batch["seeds"].tolist(), strict=True))
    return found


def test_seeds_depend_on_seed_epoch_and_position_alone(numbers: penstock.Dataset) -> None:
    expected = seeds_of(numbers, batch_size=8, seed=7)
    assert len(set(expected.values())) == 100
    assert max(expected.values()) >= 1 << 63
    assert seeds_of(numbers, batch_size=3, seed=7, threads=2, workers=2) == expected
    ranks = [seeds_of(numbers, batch_size=5, seed=7, rank=r, world_size=3) for r in range(3)]
    assert ranks[0] | ranks[1] | ranks[2] == expected
    assert seeds_of(numbers, batch_size=8, seed=8) != expected
    order = penstock.samplers.Permutation(numbers, seed=7)
    assert seeds_of(numbers, batch_size=8, sampler=order) == expected
    order.set_epoch(1)
    assert not set(seeds_of(numbers, batch_size=8, sampler=order).values()) & set(expected.values())


def test_seeds_are_the_same_after_a_resume_and_a_skipped_record(tmp_path: Path) -> None:
    penstock.write(tmp_path / "texts.a2pack", [b"%04d" % i for i in range(40)])
    good = seeds_of(penstock.open(tmp_path / "texts.a2pack"), batch_size=8, seed=2)
    data = bytearray((tmp_path / "texts.a2pack").read_bytes())
    data[data.index(b"0017")] ^= 1
    (tmp_path / "bad.a2pack").write_bytes(data)
    bad = penstock.open(tmp_path / "bad.a2pack")
    kept = seeds_of(bad, batch_size=8, seed=2, on_error="skip")
    assert kept == {index: seed for index, seed in good.items() if index != 17}
    with penstock.Loader(bad, 8, seed=2, seeds=True, indices=True, on_error="skip") as loader:
        batches = iter(loader)
        next(batches)
        state = loader.state_dict()
    with penstock.Loader(bad, 5, seed=2, seeds=True, indices=True, on_error="skip") as loader:
        loader.load_state_dict(state)
        for batch in loader:
            pairs = zip(batch["indices"].tolist(), batch["seeds"].tolist(), strict=True)
            assert all(good[index] == seed for index, seed in pairs)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shuffle": True}, "shuffle has no effect with sampler="),
        ({"seed": 1}, "seed has no effect with sampler="),
    ],
)
def test_options_that_a_sampler_would_ignore_are_errors(
    numbers: penstock.Dataset, options: dict[str, Any], words: str
) -> None:
    order = penstock.samplers.Sequential(numbers)
    with pytest.raises(ValueError, match=words):
        penstock.Loader(numbers, 8, sampler=order, **options)
    mixture = penstock.mix(numbers, numbers, weights=[0.5, 0.5], seed=3)
    with pytest.raises(ValueError, match="with a mixture"):
        penstock.Loader(mixture, 8, **options)


def test_a_field_of_the_same_name_is_an_error(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", np.zeros(3, [("indices", "u1"), ("seeds", "u1")]))
    ds = penstock.open(tmp_path / "rows.npy")
    for name in ("indices", "seeds"):
        with pytest.raises(ValueError, match=f"has a field '{name}' already"):
            penstock.Loader(ds, 2, **{name: True})


def test_ranks_of_one_machine_share_its_threads(numbers: penstock.Dataset) -> None:
    with penstock.Loader(numbers, 8, rank=0, world_size=64, local_world_size=64) as loader:
        assert loader.threads == 1
        assert "rank 0 of 64 (from arguments), 1 thread>" in repr(loader)
    with pytest.raises(ValueError, match="local_world_size must be 1 to"):
        penstock.Loader(numbers, 8, rank=0, world_size=2, local_world_size=3)
    with pytest.raises(ValueError, match="workers must be 0 or more"):
        penstock.Loader(numbers, 8, workers=-1)


@pytest.mark.parametrize("ending", ["close", "another pass", "resume"])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_waiting_consumer_hears_that_another_thread_ends_the_pass(
    numbers: penstock.Dataset, workers: int, ending: str
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def hold(batch: Any) -> Any:
        begun.set()
        may_end.wait(PATIENCE_SECONDS)
        return batch

    loader = penstock.Loader(numbers, 10, transform=hold, workers=workers)
    state = loader.state_dict()
    batches = iter(loader)
    heard: list[BaseException] = []

    def consume() -> None:
        try:
            next(batches)
        except BaseException as error:
            heard.append(error)

    thread = threading.Thread(target=consume, daemon=True)
    thread.start()
    begun.wait(PATIENCE_SECONDS)
    if ending == "close":
        loader.close()
    elif ending == "another pass":
        iter(loader)
    else:
        loader.load_state_dict(state)
    thread.join(PATIENCE_SECONDS)
    may_end.set()
    assert len(heard) == 1 and isinstance(heard[0], RuntimeError)
    assert "this iteration is over" in str(heard[0])
    # Nothing promises that this iterator tries the batch again.
    assert not hasattr(heard[0], "__notes__")
    loader.close()
