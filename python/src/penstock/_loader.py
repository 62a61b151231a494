# SPDX-License-Identifier: Apache-2.0
"""Batches, made ahead by Java's threads, and resumed at the exact sample."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from . import _dtypes, _jvm
from ._dataset import Dataset
from ._dtypes import Field
from ._memory import BatchInfo, BatchPlace
from ._ranks import resolve
from ._torch import require_torch, to_torch
from .samplers import Permutation, Sampler, Sequential
from .transforms import Pad, Transform, split


class Loader:
    """Batches of a dataset.

    Each pass is the next epoch. A pass that was left early is not gone on with by the next one,
    unless `load_state_dict` comes between.

    Args:
        dataset: what to load
        batch_size: records of a batch on this rank
        shuffle: whether in an order of chance, when no `sampler` says which
        seed: of that order
        drop_last: whether to leave out the smaller batch at the end of an epoch
        rank, world_size: which part of each step is this process's. Without them, the ranks of an
            initialised `torch.distributed`, or of the environment (`RANK` and `WORLD_SIZE`, which
            `torchrun` sets, or the variables of MPI), or of an initialised JAX, at the moment when
            the loader is made; `stats()["ranks_from"]` says which
        threads: how many fill batches; without it, this rank's share of the cores
        prefetch: bytes of batches made ahead
        sampler: one of `penstock.samplers`
        transform: called with each batch, in the thread that iterates; `stats()` has its cost. Or
            one of `penstock.transforms`, which the threads do; or several of both, in this order
        to: `numpy` or `torch`
        pin_memory: for `torch`, whether tensors are copied to pinned memory
        on_error: `raise`, or `skip` to leave out records that cannot be read
        fields: names of those that are wanted, instead of all
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
        shuffle: bool = True,
        seed: int = 0,
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
    ) -> None:
        if to not in ("numpy", "torch"):
            raise ValueError(f"to is 'numpy' or 'torch', not {to!r}")
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error is 'raise' or 'skip', not {on_error!r}")
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size come together")
        if to == "torch":
            require_torch()
        ranks = resolve(rank, world_size)
        self._dataset = dataset
        self._sampler = _default_sampler(dataset, shuffle, seed) if sampler is None else sampler
        ahead, self._functions = split(transform)
        self._padded = frozenset(n for one in ahead if isinstance(one, Pad) for n in one.names)
        self._to = to
        self._pin = pin_memory
        self._ragged = ragged
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
        }
        self._handle, answer = _jvm.create(
            "the loader",
            "loader",
            dataset=dataset._java().number,
            batchSize=batch_size,
            **{name: value for name, value in options.items() if value is not None},
        )
        self._fields = _known_fields(dataset, answer["fields"])
        self._is_plain = len(self._fields) == 1 and self._fields[0].name == "value"
        self._bfloats = {one["name"] for one in answer["fields"] if one["type"] == "bf16"}
        self.rank: int = answer["rank"]
        self.world_size: int = answer["world"]
        self._ranks_from = ranks.source
        self.threads: int = answer["threads"]
        self._pass: _Pass | None = None
        self._last: tuple[BatchInfo, _jvm.Handle] | None = None
        self._transform_seconds = 0.0
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
        self._pass = None
        self._told_count = self._sampler._told_count
        _jvm.call("setEpoch", handle=self._handle.number, epoch=epoch)

    def __iter__(self) -> Iterator[Any]:
        left = self._pass
        if left is not None and left.is_under_way:
            is_told = self._sampler._told_count != self._told_count
            self.set_epoch(self._sampler._told_epoch if is_told else self.epoch + 1)
        self._follow_sampler()
        _jvm.call("begin", handle=self._handle.number)
        self._pass = _Pass(self)
        return self._pass

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
        return self._finished(info, batch)

    def _next(self) -> Any:
        info, batch = BatchInfo(self._fields, self._padded), _jvm.Handle("the batch")
        status = _jvm.functions().next(batch.number, self._handle.number, info.address)
        if status < 0:
            _jvm.fail(status)
        if status == 0:
            raise StopIteration
        self._last = (info, batch)
        return self._finished(info, batch)

    def _finished(self, info: BatchInfo, owner: _jvm.Handle) -> Any:
        columns = info.values(owner, self._ragged)
        if self._to == "torch":
            columns = to_torch(columns, self._pin, self._bfloats)
        batch = columns["value"] if self._is_plain else columns
        if not self._functions:
            return batch
        before = time.perf_counter()
        try:
            for function in self._functions:
                batch = function(batch)
            return batch
        except StopIteration as e:
            # It would end the epoch as if all batches had come.
            raise RuntimeError("a transform raised StopIteration") from e
        finally:
            self._transform_seconds += time.perf_counter() - before

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
        self._pass = None
        self._told_count = self._sampler._told_count
        _jvm.call("resume", handle=self._handle.number, state=json.dumps(state))

    def move_on(self) -> None:
        """Takes in the records that the dataset has gained since the state that was loaded was
        taken, from the next epoch on. Until then epochs keep their old length."""
        _jvm.call("moveOn", handle=self._handle.number)

    def stats(self) -> dict[str, Any]:
        """Batches, rows and bytes so far, where the time went, and where the ranks came from."""
        stats: dict[str, Any] = _jvm.call("stats", handle=self._handle.number)
        stats["transform_seconds"] = self._transform_seconds
        stats["rank"], stats["world_size"] = self.rank, self.world_size
        stats["ranks_from"] = self._ranks_from
        return stats

    def close(self) -> None:
        """Ends the threads. Batches that were handed out stay."""
        self._pass = None
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


def _default_sampler(dataset: Dataset, shuffle: bool, seed: int) -> Sampler:
    own = getattr(dataset, "sampler", None)
    if isinstance(own, Sampler):
        return own
    return Permutation(len(dataset), seed=seed) if shuffle else Sequential(len(dataset))


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
                _jvm.call("begin", handle=loader._handle.number)
            self.is_under_way = True
            if self._is_ahead and self._depth == 0:
                self._go_back()
            self._is_ahead = True
            self._depth += 1
            try:
                batch = loader._next()
            except StopIteration:
                self._is_over = True
                self.is_under_way = False
                raise
            finally:
                self._depth -= 1
            self._is_ahead = self._depth > 0
            self.delivered += 1
            return batch

    def _go_back(self) -> None:
        """Lets the batch come again that an exception kept from the consumer."""
        handle = self._loader._handle.number
        if _jvm.call("rewind", handle=handle, steps=self.delivered):
            self.delivered = 0
        self._is_ahead = False


def collate(batch: Any) -> Any:
    """A `collate_fn` for `torch.utils.data.DataLoader`, which calls it even for batches that are
    ready. Arrays become tensors over the same memory."""
    return to_torch(batch)
