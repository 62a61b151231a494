# SPDX-License-Identifier: Apache-2.0
"""Batches, made ahead by Java's threads, and resumed at the exact sample."""

from __future__ import annotations

import json
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import _dtypes, _jvm
from ._batchwork import BatchWork, Spent
from ._dataset import Dataset
from ._dtypes import Field
from ._memory import BatchInfo, BatchPlace
from ._ranks import resolve
from ._torch import require_torch, to_torch
from ._workers import Ordered
from .samplers import Permutation, Sampler, Sequential, seed_bits
from .transforms import Pad, Transform, split


class Loader:
    """Batches of a dataset.

    Each pass is the next epoch. A pass that was left early is not gone on with by the next one,
    unless `load_state_dict` comes between.

    Args:
        dataset: what to load
        batch_size: records of a batch on this rank
        shuffle: whether to shuffle; the default without a `sampler`, and an error with one
        seed: of the shuffle (0), and of the `seeds` of the records
        drop_last: whether to leave out the smaller batch at the end of an epoch
        rank, world_size: which part of each step is this process's. Without them, the ranks of an
            initialised `torch.distributed`, or of the environment (`RANK` and `WORLD_SIZE`, which
            `torchrun` sets, or the variables of MPI), or of an initialised JAX, at the moment when
            the loader is made; `stats()["ranks_from"]` says which
        local_world_size: how many ranks share this machine and its cores; without it, what
            `LOCAL_WORLD_SIZE` says
        threads: how many fill batches; without it, this rank's share of the cores
        prefetch: bytes of batches made ahead
        sampler: one of `penstock.samplers`
        transform: called with each batch; `stats()` has its cost. Or one of
            `penstock.transforms`, which Java's threads do; or several of both, in this order
        map_records: called with each record, before `transform`: with its value, or with a
            dictionary where records have several fields. The results become the batch: arrays of
            one shape are stacked, dictionaries and tuples are stacked part by part
        workers: how many Python threads call `map_records` and the functions of `transform`,
            several batches ahead; without any, the thread that iterates calls them. The order of
            the batches and resuming stay exact. It pays for functions that release the
            interpreter's lock, such as those that decode images
        to: `numpy` or `torch`
        pin_memory: for `torch`, whether tensors are copied to pinned memory
        on_error: `raise`, or `skip` to leave out records that cannot be read
        fields: names of those that are wanted, instead of all
        indices: whether batches have the indices of their records, as `indices`
        seeds: whether batches have a 64-bit seed for each record, as `seeds`. It is made of `seed`,
            the epoch and the position in the epoch, so that random augmentation comes out the same
            after a resume and with any batch size, number of ranks, threads and workers
        ragged: fields of bytes as `Ragged` rather than as a list of `bytes`

    >>> import numpy as np, penstock
    >>> penstock.write("numbers.npy", np.arange(10))
    >>> with penstock.Loader(penstock.open("numbers.npy"), batch_size=4, shuffle=False) as loader:
    ...     for batch in loader:
    ...         print(batch)
    [0 1 2 3]
    [4 5 6 7]
    [8 9]
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        shuffle: bool | None = None,
        seed: int | None = None,
        drop_last: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        threads: int | None = None,
        prefetch: int | None = None,
        sampler: Sampler | None = None,
        transform: Transform | Sequence[Transform] | None = None,
        to: str = "numpy",
        pin_memory: bool = False,
        on_error: str = "raise",
        fields: list[str] | None = None,
        ragged: bool = False,
        *,
        local_world_size: int | None = None,
        map_records: Callable[[Any], Any] | None = None,
        workers: int = 0,
        indices: bool = False,
        seeds: bool = False,
    ) -> None:
        if to not in ("numpy", "torch"):
            raise ValueError(f"to is 'numpy' or 'torch', not {to!r}")
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error is 'raise' or 'skip', not {on_error!r}")
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size come together")
        if to == "torch":
            require_torch()
        if operator.index(workers) < 0:
            raise ValueError(f"workers must be 0 or more, got {workers}")
        ranks = resolve(rank, world_size, local_world_size)
        self._dataset = dataset
        self._sampler = _chosen_sampler(dataset, sampler, shuffle, seed, seeds)
        ahead, functions = split(transform)
        self._padded = frozenset(n for one in ahead if isinstance(one, Pad) for n in one.names)
        options = {
            "dropLast": drop_last,
            "rank": ranks.rank,
            "world": ranks.world_size,
            "localWorld": ranks.local_world_size,
            "threads": threads,
            "prefetch": prefetch,
            "fields": fields,
            "onError": on_error,
            "transforms": [one._request() for one in ahead] or None,
            "sampler": self._sampler._handle.number,
            "seeds": seed_bits(_seed_of(self._sampler, seed)) if seeds else None,
        }
        self._handle, answer = _jvm.create(
            "the loader",
            "loader",
            dataset=dataset._java().number,
            batchSize=batch_size,
            **{name: value for name, value in options.items() if value is not None},
        )
        self._fields = _known_fields(dataset, answer["fields"])
        _require_free([one.name for one in self._fields], indices=indices, seeds=seeds)
        self._work = BatchWork(
            is_plain=len(self._fields) == 1 and self._fields[0].name == "value",
            is_ragged=ragged,
            has_indices=indices,
            has_seeds=seeds,
            map_records=map_records,
            functions=functions,
            is_torch=to == "torch",
            is_pinned=pin_memory,
            bfloats=frozenset(o["name"] for o in answer["fields"] if o["type"] == "bf16"),
            spent=Spent(),
        )
        self._workers = workers if functions or map_records or pin_memory else 0
        self.rank: int = answer["rank"]
        self.world_size: int = answer["world"]
        self._ranks_from = ranks.source
        self.threads: int = answer["threads"]
        self._pass: _Pass | None = None
        self._last: tuple[BatchInfo, _jvm.Handle] | None = None
        # How often the sampler had been told an epoch when that was last looked at.
        self._told_count = 0
        # A transform may ask for the next batch.
        self._lock = threading.RLock()

    def _progress(self) -> dict[str, int]:
        progress: dict[str, int] = _jvm.call("progress", handle=self._handle.number)
        return progress

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank."""
        return self._progress()["steps"]

    @property
    def dataset(self) -> Dataset:
        return self._dataset

    @property
    def sampler(self) -> Sampler:
        """The order. As with PyTorch's loaders, `loader.sampler.set_epoch` says of which epoch the
        next pass is, or goes on in when the loader is in the middle of it."""
        return self._sampler

    @property
    def epoch(self) -> int:
        """The epoch that is being iterated, or comes next."""
        return self._progress()["epoch"]

    @property
    def place(self) -> BatchPlace | None:
        """Where the batch that came last is, and which records it holds."""
        if self._last is None:
            return None
        info, owner = self._last
        return info.place(owner)

    def set_epoch(self, epoch: int) -> None:
        """Goes to the start of an epoch."""
        self._end_pass()
        self._told_count = self._sampler._told_count
        _jvm.call("setEpoch", handle=self._handle.number, epoch=epoch)

    def __iter__(self) -> Iterator[Any]:
        left = self._pass
        if left is not None and left.is_under_way:
            is_told = self._sampler._told_count != self._told_count
            self.set_epoch(self._sampler._told_epoch if is_told else self.epoch + 1)
        self._end_pass()
        self._follow_sampler()
        self._pass = _Pass(self)
        return self._pass

    def _end_pass(self) -> None:
        left, self._pass = self._pass, None
        if left is not None:
            left.end()

    def _follow_sampler(self) -> bool:
        """Goes to the epoch that the sampler was told since the last look; whether that is another
        one than it was."""
        if self._sampler._told_count == self._told_count:
            return False
        self._told_count = self._sampler._told_count
        if self._sampler._told_epoch == self.epoch:
            return False
        _jvm.call("setEpoch", handle=self._handle.number, epoch=self._sampler._told_epoch)
        return True

    def __getitem__(self, step: int) -> Any:
        """The batch of any step of the epoch, without disturbing the iteration."""
        progress = self._progress()
        count = progress["steps"]
        wanted = step + count if step < 0 else step
        if not 0 <= wanted < count:
            raise IndexError(f"step {step} of {count}")
        info = BatchInfo(self._fields, self._padded)
        batch, _ = _jvm.create(
            "the batch",
            "step",
            handle=self._handle.number,
            epoch=progress["epoch"],
            step=wanted,
            info=info.address,
            infoBytes=info.size_bytes,
        )
        return self._work.finished(info, batch)

    def _fetch(self) -> Callable[[], tuple[BatchInfo, _jvm.Handle]]:
        """What takes the next batch over from Java. It does not refer to the loader."""
        fields, padded, loader = self._fields, self._padded, self._handle

        def fetch() -> tuple[BatchInfo, _jvm.Handle]:
            info, batch = BatchInfo(fields, padded), _jvm.Handle("the batch")
            status = _jvm.functions().next(batch.number, loader.number, info.address)
            if status < 0:
                _jvm.fail(status)
            if status == 0:
                raise StopIteration
            return info, batch

        return fetch

    def state_dict(self) -> dict[str, Any]:
        """Where the consumer is, in less than a kilobyte that JSON can hold. It knows nothing of
        batches, threads or ranks, so a run may go on with others.

        A batch counts as delivered once the iterator has returned it. One whose transform raised an
        exception does not count, and comes again.
        """
        under_way = self._pass
        consumed = {} if under_way is None else {"steps": under_way.delivered}
        text = _jvm.call("state", handle=self._handle.number, **consumed)
        state: dict[str, Any] = json.loads(text)
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where a state was taken.

        Raises:
            ValueError: when it is of another dataset or another order
        """
        self._end_pass()
        self._told_count = self._sampler._told_count
        _jvm.call("resume", handle=self._handle.number, state=json.dumps(state))

    def move_on(self) -> None:
        """Takes in the records that the dataset has gained since the state that was loaded was
        taken, from the next epoch on. Until then epochs keep their old length."""
        _jvm.call("moveOn", handle=self._handle.number)

    def stats(self) -> dict[str, Any]:
        """Batches, rows and bytes so far, where the time went, and where the ranks came from."""
        stats: dict[str, Any] = _jvm.call("stats", handle=self._handle.number)
        stats["transform_seconds"] = self._work.spent.seconds
        stats["rank"], stats["world_size"] = self.rank, self.world_size
        stats["ranks_from"] = self._ranks_from
        return stats

    def close(self) -> None:
        """Ends the threads. Batches that were handed out stay."""
        left, self._pass = self._pass, None
        if left is not None and left._ordered is not None:
            # A thread that waits for a batch is not waited for.
            left._ordered.end()
        self._handle.close()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a loader has threads and cannot be pickled; pickle its dataset and state")

    def __repr__(self) -> str:
        if self._handle.is_closed:
            return "<penstock.Loader, closed>"
        progress = self._progress()
        return (
            f"<penstock.Loader of {self._dataset.path!r}: epoch {progress['epoch']}, "
            f"{progress['steps']:,} steps, rank {self.rank} of {self.world_size} "
            f"(from {self._ranks_from}), {self.threads} threads>"
        )


def _known_fields(dataset: Dataset, described: list[dict[str, Any]]) -> tuple[Field, ...]:
    """Fields as the dataset has them, where transforms left them alone: it knows of dates and the
    like, which are mere numbers to Java."""
    known = dataset.fields
    unchanged = [one for one in described if one in dataset._description["fields"]]
    return tuple(
        known[one["name"]] if one in unchanged else _dtypes.field(one) for one in described
    )


def _chosen_sampler(
    dataset: Dataset,
    sampler: Sampler | None,
    shuffle: bool | None,
    seed: int | None,
    has_seeds: bool,
) -> Sampler:
    own = getattr(dataset, "sampler", None) if sampler is None else sampler
    if not isinstance(own, Sampler):
        if shuffle is False:
            return Sequential(len(dataset))
        return Permutation(len(dataset), seed=0 if seed is None else seed)
    if shuffle is not None or (seed is not None and not has_seeds):
        name = "shuffle" if shuffle is not None else "seed"
        what = "a mixture" if sampler is None else "sampler="
        where = "penstock.mix(..., seed=)" if sampler is None else "the sampler"
        raise ValueError(f"{name} has no effect with {what}; give it to {where} instead")
    return own


def _seed_of(sampler: Sampler, seed: int | None) -> int:
    """The seed that was given, or that of the sampler."""
    return int(sampler._parameters.get("seed", 0)) if seed is None else seed


def _require_free(names: list[str], **wanted: bool) -> None:
    for name, is_wanted in wanted.items():
        if is_wanted and name in names:
            raise ValueError(f"the dataset has a field {name!r} already; leave out {name}=True")


class _Pass:
    """One pass through an epoch."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self.is_under_way = False
        self._is_over = False
        # Batches that the consumer got since Java began this pass, and whether Java may have handed
        # out one more, which an exception kept from the consumer.
        self.delivered = 0
        self._is_ahead = False
        # How many calls are in progress: a transform may ask for the next batch.
        self._depth = 0
        self._fetch = loader._fetch()
        self._ordered: Ordered | None = None
        self._steps = self._begin()

    def _begin(self) -> int:
        return int(_jvm.call("begin", handle=self._loader._handle.number))

    def __iter__(self) -> _Pass:
        return self

    def __next__(self) -> Any:
        loader = self._loader
        # Raises in a forked child, whose lock may be held by a thread that it does not have.
        _jvm.functions()
        with loader._lock:
            if self._is_over:
                raise StopIteration
            if loader._pass is not self:
                raise RuntimeError(
                    "this iteration is over: another one began, or the loader was moved or closed"
                )
            if not self.is_under_way and loader._follow_sampler():
                # Lightning's Trainer tells the epoch after it has begun to iterate.
                self._steps = self._begin()
            self.is_under_way = True
            if self._is_ahead and self._depth == 0:
                self._go_back()
            self._is_ahead = True
            self._depth += 1
            try:
                batch = self._next()
            except StopIteration:
                self._is_over = True
                self.is_under_way = False
                raise
            finally:
                self._depth -= 1
            self._is_ahead = self._depth > 0
            self.delivered += 1
            return batch

    def _next(self) -> Any:
        loader = self._loader
        if loader._workers == 0:
            info, owner = self._fetch()
            # Known before the transform, which may ask for it.
            loader._last = (info, owner)
            return loader._work.finished(info, owner)
        if self._ordered is None:
            self._ordered = _ordered(self._fetch, self._steps, loader._work, loader._workers)
        try:
            info, owner, batch = self._ordered.next()
        except StopIteration:
            # Java's epoch ends when the consumer has come to its end, and not the threads.
            self._fetch()
            raise
        loader._last = (info, owner)
        return batch

    def end(self) -> None:
        """Leaves batches alone that nobody has got."""
        ordered, self._ordered = self._ordered, None
        if ordered is not None:
            ordered.close()

    def _go_back(self) -> None:
        """Lets the batch come again that an exception kept from the consumer."""
        self.end()
        handle = self._loader._handle.number
        steps = _jvm.call("rewind", handle=handle, steps=self.delivered)
        if steps >= 0:
            self.delivered, self._steps = 0, steps
        self._is_ahead = False


def _ordered(
    fetch: Callable[[], tuple[BatchInfo, _jvm.Handle]], steps: int, work: BatchWork, workers: int
) -> Ordered:
    """Threads that make the batches of a pass ready."""
    numbers = iter(range(steps))

    def fetch_one() -> tuple[BatchInfo, _jvm.Handle]:
        next(numbers)
        return fetch()

    def ready(item: tuple[BatchInfo, _jvm.Handle]) -> Any:
        return (*item, work.finished(*item))

    return Ordered(fetch_one, ready, workers)


def collate(batch: Any) -> Any:
    """A `collate_fn` for `torch.utils.data.DataLoader`, which calls it even for batches that are
    ready. Arrays become tensors over the same memory."""
    return to_torch(batch)
