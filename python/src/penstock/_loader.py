# SPDX-License-Identifier: Apache-2.0
"""The class `Loader`, which delivers prefetched batches and resumes at the exact sample."""

from __future__ import annotations

import itertools
import json
import operator
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _arguments, _dtypes, _history, _jvm
from ._batchwork import LEFT_OUT, BatchWork, Item, Skipped, Spent
from ._collation import Collate
from ._dataset import Dataset
from ._dtypes import Field
from ._errors import note
from ._following import Gather, files_of, following, resized
from ._history import RecordPlace
from ._in_memory import coerced, samples_of
from ._loader_arguments import LONG_MAX, LoaderArguments, refuse
from ._mapped import Mapped
from ._memory import BatchInfo, BatchPlace, Plan
from ._objects import Objects
from ._processes import Failure, Processes, Step, Work
from ._ranks import Ranks, resolve
from ._records import MapRecords
from ._samples import Samples
from ._torch import to_torch
from ._workers import EndedError, Ordered
from .samplers import Permutation, Sampler, Sequential, seed_bits
from .transforms import Ahead, Convert, Transform, split


class Loader:
    """Batches of a dataset.

    Each pass iterates over the next epoch. A pass that ends early is not continued by the next one,
    unless `load_state_dict` is called in between.

    Args:
        dataset: a dataset; or the path of one; or data in memory, as `penstock.from_memory` takes
            it: an array, a dictionary of columns or a list of `bytes`; or a map-style dataset: any
            other object with `__len__` and `__getitem__` or `__getitems__`, such as one for
            PyTorch's `DataLoader`. Its samples become batches as `default_collate` of PyTorch makes
            them
        batch_size: the number of records in a batch, on this rank
        shuffle: whether to shuffle. The default is True. Must not be given together with `sampler`
        seed: the seed of the shuffle and of the records' `seeds`; 0 by default
        drop_last: whether to leave out the smaller batch at the end of an epoch
        even_batches: whether all ranks get the same number of records in every step, which training
            with collective operations needs: a few records are repeated at the end of an epoch.
            With False every record comes exactly once over all ranks, which an evaluation needs;
            the last batches of the ranks then differ by one record, and a rank may have one batch
            fewer
        rank, world_size: this process's rank and the number of ranks. By default they are
            those of an initialised `torch.distributed`, of the environment (`RANK` and
            `WORLD_SIZE`, which `torchrun` sets, or the variables of MPI), or of an initialised JAX,
            at the moment when the loader is made; `stats()["ranks_from"]` names the source
        local_world_size: the number of ranks on this machine, which share its cores; by default the
            value of `LOCAL_WORLD_SIZE`
        threads: the number of threads that fill batches; by default this rank's share of the cores
        prefetch: the number of bytes of batches to prefetch
        sampler: one of `penstock.samplers`
        transform: a function that is called with each batch (`stats()` has the time it took); or
            one of `penstock.transforms`, which Java's threads run; or a list of both, applied in
            order
        map_records: a function that is called with each record before `transform`. It gets the
            record's value, or a dictionary if records have several fields. The results become the
            batch: arrays of
            one shape are stacked, dictionaries and tuples are stacked part by part
        workers: the number of Python threads that call `map_records` and the functions of
            `transform`, several batches ahead; with 0, the thread that iterates calls them. The
            order of the batches and resuming stay exact. Threads help if the functions release the
            GIL, as image decoders do
        worker_type: `thread`, or `process` for functions written in Python alone, which threads
            cannot run side by side. Batches go to such processes and back through shared memory.
            Their functions are pickled once, and always get NumPy arrays; with `to="torch"` the
            results become tensors afterwards. A map-style dataset is pickled once, too; its arrays
            and tensors are in memory that the processes share
        to: `numpy`, `torch` or `jax`. The default is `numpy`; for a map-style dataset it is `torch`
            if the program has imported PyTorch. Tensors of PyTorch, and JAX arrays on a CPU, share
            the memory of the batch and copy nothing. JAX has numbers of 32 bits unless
            `jax_enable_x64` is set
        pin_memory: for `torch`, whether tensors are copied to pinned memory
        on_error: `raise`, after which the iterator stays at that batch, or `skip` to leave out
            records that cannot be read or for which `map_records` fails, and batches for which a
            function of `transform` fails. `stats()` counts them, and the first failure of a
            function is a RuntimeWarning
        fields: the names of the fields to read; by default all fields
        indices: whether batches have the indices of their records, as `indices`
        seeds: whether batches have a 64-bit seed for each record, as `seeds`. It is made of `seed`,
            the epoch and the position in the epoch, so that random augmentation comes out the same
            after a resume and with any batch size, number of ranks, threads and workers. For a
            map-style dataset, the generators of `random`, `numpy.random` and `torch` are seeded
            with it before each sample is read
        ragged: fields of bytes as `Ragged` rather than as a list of `bytes`
        follow: whether each epoch begins with the records that another process has added
            meanwhile: the last commit of a store, for a loader of one rank; or new files, and
            records at the end of the last file, where the dataset is given as a path, a list or a
            pattern such as `"day-*.npy"`. All ranks begin an epoch with the same files. For that
            they need an initialised `torch.distributed`, or a function for `follow` that gathers an
            object of all ranks, such as `allgather` of mpi4py. The sampler must work for any number
            of records
        collate_fn: for a map-style dataset, a function that makes a batch of a list of samples
        num_workers: the word of PyTorch's `DataLoader` for `workers` with
            `worker_type="process"`
        persistent_workers: accepted as in PyTorch's `DataLoader`; workers live as long as the
            loader

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
        dataset: Any,
        batch_size: int,
        *,
        shuffle: bool | None = None,
        seed: int | None = None,
        drop_last: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        threads: int | None = None,
        prefetch: int | None = None,
        sampler: Sampler | None = None,
        transform: Transform | Sequence[Transform] | None = None,
        to: str | None = None,
        pin_memory: bool = False,
        on_error: str = "raise",
        fields: Sequence[str] | None = None,
        ragged: bool = False,
        even_batches: bool = True,
        local_world_size: int | None = None,
        map_records: Callable[[Any], Any] | None = None,
        workers: int = 0,
        worker_type: str | None = None,
        indices: bool = False,
        seeds: bool = False,
        follow: bool | Gather = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int | None = None,
        persistent_workers: bool | None = None,
        **others: Any,
    ) -> None:
        refuse(others)
        samples = samples_of(dataset)
        given = LoaderArguments(
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
            drop_last=drop_last,
            rank=rank,
            world_size=world_size,
            threads=threads,
            prefetch=prefetch,
            sampler=sampler,
            transform=transform,
            to=to,
            pin_memory=pin_memory,
            on_error=on_error,
            fields=fields,
            ragged=ragged,
            even_batches=even_batches,
            local_world_size=local_world_size,
            map_records=map_records,
            workers=workers,
            worker_type=worker_type,
            indices=indices,
            seeds=seeds,
            follow=follow,
            collate_fn=collate_fn,
            num_workers=num_workers,
            persistent_workers=persistent_workers,
            has_samples=samples is not None,
        )
        self._samples = samples
        self._set(dataset if samples is None else samples.base, given)

    def _set(self, dataset: Any, given: LoaderArguments) -> None:
        """Makes the parts of the loader."""
        if isinstance(dataset, Mapped):
            dataset, given.map_records = dataset.base, dataset.followed_by(given.map_records)
        ranks = resolve(given.rank, given.world_size, given.local_world_size)
        # Files that grow are followed here, and the commits of a store by Java.
        self._following = following(dataset, given.follow, ranks.world_size)
        if self._following is not None:
            dataset, given.follow = self._following.dataset, False
        self._dataset: Dataset = coerced(dataset, "dataset")
        self._follow = bool(given.follow)
        if given.follow:
            # Another loader that follows may have moved it on.
            self._dataset._update(move=False)
        self._sampler = _chosen_sampler(self._dataset, given)
        if self._following is not None:
            resized(self._sampler, len(self._dataset))
        ahead, functions = split(given.transform)
        if ahead and self._samples is not None:
            raise TypeError(
                f"{type(ahead[0]).__name__} is for records in Java's memory, and this is a "
                "map-style dataset; give a function, or write the samples to a file first with "
                "penstock.write"
            )
        step = _step(given, self._samples)
        processes = _processes(given, step, functions)
        self._padded = {name: size for one in ahead for name, size in one._arrays().items()}
        self._created_with = (given, ranks, ahead)
        self._handle, answer = self._create(given, ranks, ahead)
        self._fields = _known_fields(self._dataset, answer["fields"])
        _require_free([one.name for one in self._fields], indices=given.indices, seeds=given.seeds)
        self._work = _batch_work(given, self._fields, answer["fields"], functions, step, processes)
        has_work = bool(functions or step is not None or given.pin_memory)
        self._workers = given.workers if has_work else 0
        self._batch_size = given.batch_size
        self.rank: int = answer["rank"]
        self.world_size: int = answer["world"]
        self._ranks_from = ranks.source
        self.threads: int = answer["threads"]
        self._pass: _Pass | None = None
        self._last: tuple[BatchInfo, _jvm.Handle] | None = None
        # The sampler's count of set_epoch calls when the loader last looked at it.
        self._told_count = 0
        # Whether an error message has said what the iterator does next.
        self._has_said = False
        # A transform may ask for the next batch.
        self._lock = threading.RLock()

    def _create(
        self, given: LoaderArguments, ranks: Ranks, ahead: Sequence[Ahead]
    ) -> tuple[_jvm.Handle, dict[str, Any]]:
        """Creates the loader in Java."""
        options = {
            "dropLast": given.drop_last,
            "uneven": not given.even_batches,
            "follow": self._follow,
            "rank": ranks.rank,
            "world": ranks.world_size,
            "localWorld": ranks.local_world_size,
            "threads": given.threads,
            "prefetch": given.prefetch,
            "fields": given.fields,
            "onError": given.on_error,
            "transforms": [_request(one, self._dataset) for one in ahead] or None,
            "sampler": self._sampler._handle.number,
            "seeds": seed_bits(_seed_of(self._sampler, given.seed)) if given.seeds else None,
        }
        return _jvm.create(
            "the loader",
            "loader",
            dataset=self._dataset._java().number,
            batchSize=given.batch_size,
            **{name: value for name, value in options.items() if value is not None},
        )

    def _progress(self) -> dict[str, int]:
        progress: dict[str, int] = _jvm.call("progress", handle=self._handle.number)
        return progress

    def __len__(self) -> int:
        """Returns the number of batches of a whole epoch on this rank."""
        return self._progress()["steps"]

    @property
    def steps_left(self) -> int:
        """The number of batches that this rank still gets in the current epoch. Between two passes
        it is a whole epoch and, after `load_state_dict`, the rest of one."""
        under_way = self._pass
        if under_way is None or under_way.is_over:
            return self._progress()["passSteps"]
        return under_way.steps_left

    @property
    def dataset(self) -> Any:
        """The dataset: a `Dataset`, or the `Objects` of a map-style dataset."""
        if self._samples is not None:
            return self._samples
        if self._follow:
            self._dataset._update(move=False)
        return self._dataset

    @property
    def sampler(self) -> Sampler:
        """The sampler. As in PyTorch, `loader.sampler.set_epoch` sets the epoch of the next pass.
        When the loader is in the middle of that epoch, for example after a resume, it continues."""
        return self._sampler

    @property
    def epoch(self) -> int:
        """The current epoch or, between two passes, the next one."""
        return self._progress()["epoch"]

    @property
    def place(self) -> BatchPlace | None:
        """The position of the last batch that was delivered, and the indices of its records. In a
        transform without `workers`, it is the batch that the transform works on."""
        if self._last is None:
            return None
        info, owner = self._last
        return info.place(owner)

    def set_epoch(self, epoch: int) -> None:
        """Goes to the start of an epoch."""
        epoch = _arguments.integer("epoch", epoch, minimum=0, maximum=LONG_MAX)
        self._end_pass()
        self._told_count = self._sampler._told_count
        _jvm.call("setEpoch", handle=self._handle.number, epoch=epoch)

    def __iter__(self) -> Iterator[Any]:
        left = self._pass
        if left is not None and left.is_under_way:
            is_told = self._sampler._told_count != self._told_count
            self.set_epoch(self._sampler._told_epoch if is_told else self.epoch + 1)
        self._end_pass()
        if self._following is not None:
            self._grow(self._following.grown(), self.state_dict)
        self._follow_sampler()
        self._pass = _Pass(self)
        return self._pass

    def _grow(self, dataset: Dataset | None, state: Callable[[], dict[str, Any]]) -> None:
        """Goes on with a dataset that has more records behind the present ones."""
        if dataset is None:
            return
        before, sampler, present = self._dataset, self._sampler, state()
        self._dataset, self._sampler = dataset, resized(sampler, len(dataset))
        handle = self._handle
        self._handle, _ = self._create(*self._created_with)
        self._resume(present)
        self.move_on()
        handle.close()
        before.close()

    def _end_pass(self) -> None:
        if self._pass is not None:
            self._pass.end()
            self._pass = None

    def _follow_sampler(self) -> bool:
        """Goes to the epoch that `sampler.set_epoch` set since the last call. Returns whether the
        epoch changed."""
        if self._sampler._told_count == self._told_count:
            return False
        self._told_count = self._sampler._told_count
        if self._sampler._told_epoch == self.epoch:
            return False
        _jvm.call("setEpoch", handle=self._handle.number, epoch=self._sampler._told_epoch)
        return True

    def __getitem__(self, step: int) -> Any:
        """Returns the batch of any step of the epoch. The iteration is not affected."""
        step = _arguments.integer("step", step)
        progress = self._progress()
        count = progress["steps"]
        wanted = step + count if step < 0 else step
        if not 0 <= wanted < count:
            raise IndexError(f"step {step} is out of range for {count} steps")
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

    def steps_of(
        self, record: int | str, *, epochs: Iterable[int] | None = None
    ) -> list[RecordPlace]:
        """Returns where training sees a record: epoch, step, rank and position, on all ranks.
        Nothing is read, and nothing was logged: the order is a function.

        Args:
            record: the index of the record in `dataset`, or its name
            epochs: the epochs to look at; from 0 to the present one by default

        >>> import numpy as np, penstock
        >>> penstock.write("numbers.npy", np.arange(10), overwrite=True)
        >>> with penstock.Loader("numbers.npy", batch_size=4, shuffle=False) as loader:
        ...     loader.steps_of(9)
        [RecordPlace(epoch=0, step=2, rank=0, position=9)]
        """
        if isinstance(record, str):
            record = self._dataset.find(record)
        record = _arguments.integer("record", record)
        wanted = range(self.epoch + 1) if epochs is None else epochs
        if self._progress()["count"] <= record < len(self._dataset):
            # It was added, and comes once `move_on` was called.
            return []
        return _history.steps_of(self._handle.number, record, wanted)

    def records_of(
        self, step: int, *, epoch: int | None = None, rank: int | None = None
    ) -> np.ndarray[Any, Any]:
        """Returns the indices of the records of a step, without reading them.

        Args:
            step: the step, counted from the beginning of the epoch
            epoch: the epoch; the present one by default
            rank: the rank; by default the records of all ranks come one after the other

        Raises:
            IndexError: when there is no such step or rank

        >>> import numpy as np, penstock
        >>> penstock.write("numbers.npy", np.arange(10), overwrite=True)
        >>> with penstock.Loader("numbers.npy", batch_size=4, shuffle=False) as loader:
        ...     loader.records_of(1)
        array([4, 5, 6, 7])
        """
        step = _arguments.integer("step", step)
        epoch = self.epoch if epoch is None else _arguments.integer("epoch", epoch, minimum=0)
        one = -1 if rank is None else _arguments.integer("rank", rank, minimum=0)
        return _history.records_of(self._handle.number, step, epoch, one)

    def _fetch(self) -> Callable[[], tuple[BatchInfo, _jvm.Handle]]:
        """Returns a function that takes the next batch from Java. It does not refer to the
        loader."""
        fields, padded, loader = self._fields, self._padded, self._handle
        plan = Plan(fields)

        def fetch() -> tuple[BatchInfo, _jvm.Handle]:
            info, batch = BatchInfo(fields, padded, plan), _jvm.Handle("the batch")
            status = 2
            while status == 2:
                # No batch is ready yet. Each call waits briefly, so that Ctrl-C is handled in
                # between.
                status = _jvm.next_batch(batch.number, loader.number, info.address)
            if status < 0:
                _jvm.fail(status)
            if status == 0:
                raise StopIteration
            return info, batch

        return fetch

    def _say_that_it_stays(self, error: Exception) -> None:
        """Adds a note to the first error, which says what the iterator does next."""
        if self._has_said or self._handle.is_closed:
            return
        self._has_said = True
        is_skipping = self._work.skipped is not None
        note(
            error,
            "the iterator stays at this batch, and the next call of next() tries it again"
            + ("" if is_skipping else "; with on_error='skip' the loader continues without it"),
        )

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint: the position of the consumer, in less than a kilobyte of JSON. It
        does not depend on the batch size, threads or ranks, so a resumed run may change them.

        A batch counts as delivered once the iterator has returned it. A batch whose transform
        raised an exception does not count, and is made again.
        """
        under_way = self._pass
        consumed = {} if under_way is None else {"steps": under_way.delivered}
        text = _jvm.call("state", handle=self._handle.number, **consumed)
        state: dict[str, Any] = json.loads(text)
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at a checkpoint of `state_dict`.

        Raises:
            ValueError: when the checkpoint belongs to another dataset or another sampler
        """
        if not isinstance(state, Mapping) or "version" not in state:
            raise ValueError(
                "this is not a checkpoint of a loader; give what state_dict() returned, got "
                f"{_arguments.shown(state)}"
            )
        self._end_pass()
        self._told_count = self._sampler._told_count
        if self._following is not None and files_of(state):
            restored = self._following.restored(files_of(state))
            if restored is not None:
                self._grow(restored, lambda: dict(state))
                return
            self._resume(state)
            self.move_on()
            return
        self._resume(state)

    def _resume(self, state: Mapping[str, Any]) -> None:
        text = json.dumps(state, default=operator.index)
        _jvm.call("resume", handle=self._handle.number, state=text)

    def move_on(self) -> None:
        """Includes records that were added after the loaded checkpoint was taken, from the next
        epoch on. The current epoch keeps its old length."""
        _jvm.call("moveOn", handle=self._handle.number)

    def stats(self) -> dict[str, Any]:
        """Returns the batches, rows and bytes so far, the time spent, and the source of the
        ranks."""
        stats: dict[str, Any] = _jvm.call("stats", handle=self._handle.number)
        stats["transform_seconds"] = self._work.spent.seconds
        skipped = self._work.skipped
        stats["skipped_rows"] += 0 if skipped is None else skipped.rows
        stats["skipped_batches"] = 0 if skipped is None else skipped.batches
        stats["rank"], stats["world_size"] = self.rank, self.world_size
        stats["ranks_from"] = self._ranks_from
        return stats

    def close(self) -> None:
        """Ends the threads. Batches that the program already has stay valid."""
        left, self._pass = self._pass, None
        if left is not None:
            # close does not wait for threads that wait for a batch.
            left.end(is_waiting=False)
        if self._work.processes is not None:
            self._work.processes.close()
        self._handle.close()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a loader has threads and cannot be pickled; pickle its dataset and state")

    @property
    def _name(self) -> str:
        samples = self._samples
        return repr(self._dataset.path) if samples is None else type(samples.source).__name__

    def __repr__(self) -> str:
        if self._handle.is_closed:
            return "<penstock.Loader, closed>"
        progress = self._progress()
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        steps = "1 step" if progress["steps"] == 1 else f"{progress['steps']:,} steps"
        return (
            f"<penstock.Loader of {self._name}: epoch {progress['epoch']}, "
            f"{steps}, rank {self.rank} of {self.world_size} "
            f"(from {self._ranks_from}), {threads}>"
        )


def _known_fields(dataset: Dataset, described: list[dict[str, Any]]) -> tuple[Field, ...]:
    """Fields as the dataset has them, where transforms left them alone: it knows dates, which are
    plain numbers to Java."""
    known = dataset.fields
    unchanged = [one for one in described if one in dataset._description["fields"]]
    return tuple(
        known[one["name"]] if one in unchanged else _dtypes.field(one) for one in described
    )


def _request(transform: Ahead, dataset: Dataset) -> dict[str, Any]:
    """Returns the transform as Java gets it. Dates are plain numbers to Java, so they are named
    where a transform is for all numbers."""
    request = transform._request()
    if isinstance(transform, Convert) and not transform.fields:
        fields = dataset.fields.values()
        request["kept"] = [field.name for field in fields if field.dtype.kind in "Mm"]
    return request


def _step(given: LoaderArguments, samples: Objects | None) -> Step | None:
    """Returns the step that makes a batch of each record, or of samples."""
    function = given.map_records
    if samples is None:
        return None if function is None else MapRecords(function)
    collate = Collate(str(given.to)) if given.collate_fn is None else given.collate_fn
    functions = samples.functions if function is None else (*samples.functions, function)
    return Samples(samples.source, functions, collate, given.seeds)


def _processes(
    given: LoaderArguments, step: Step | None, functions: Sequence[Any]
) -> Processes | None:
    """Returns the worker processes, if functions of Python are to run in processes."""
    if given.worker_type != "process" or not (functions or step is not None):
        return None
    return Processes(Work(step, functions, given.is_skipping), given.workers)


def _batch_work(
    given: LoaderArguments,
    fields: tuple[Field, ...],
    described: list[dict[str, Any]],
    functions: Sequence[Any],
    step: Step | None,
    processes: Processes | None,
) -> BatchWork:
    return BatchWork(
        is_plain=len(fields) == 1 and fields[0].name == "value",
        is_ragged=given.ragged,
        has_indices=given.indices,
        has_seeds=given.seeds,
        step=step,
        functions=functions,
        to=str(given.to),
        is_pinned=given.pin_memory,
        bfloats=frozenset(one["name"] for one in described if one["type"] == "bf16"),
        spent=Spent(),
        skipped=Skipped() if given.is_skipping else None,
        processes=processes,
    )


def _chosen_sampler(dataset: Dataset, given: LoaderArguments) -> Sampler:
    sampler, shuffle, seed = given.sampler, given.shuffle, given.seed
    own = getattr(dataset, "sampler", None) if sampler is None else sampler
    if not isinstance(own, Sampler):
        if shuffle is False:
            return Sequential(len(dataset))
        return Permutation(len(dataset), seed=0 if seed is None else seed)
    if shuffle is not None or (seed is not None and not given.seeds):
        raise ValueError(_without_effect("seed" if shuffle is None else "shuffle", sampler))
    return own


def _without_effect(name: str, sampler: Sampler | None) -> str:
    """Returns the message for an argument that the sampler or the mixture would ignore."""
    if sampler is None:
        return (
            f"{name} has no effect with a mixture, whose parts are always shuffled; leave it out, "
            "and give the seed to penstock.mix(..., seed=)"
        )
    if name == "seed":
        return "seed has no effect with sampler=; give it to the sampler instead"
    return (
        "shuffle has no effect with sampler=, because the sampler decides the order; leave it out, "
        "or use samplers.Permutation to shuffle and samplers.Sequential not to"
    )


def _seed_of(sampler: Sampler, seed: int | None) -> int:
    """Returns the given seed, or the sampler's seed."""
    return int(sampler._parameters.get("seed", 0)) if seed is None else seed


def _require_free(names: list[str], **wanted: bool) -> None:
    for name, is_wanted in wanted.items():
        if is_wanted and name in names:
            raise ValueError(f"the dataset has a field {name!r} already; leave out {name}=True")


_tickets = itertools.count(1)


class _Pass:
    """One pass through an epoch."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self.is_under_way = False
        self.is_over = False
        # Batches that the consumer got since Java began this pass, and whether Java may have handed
        # out one more, which an exception kept from the consumer.
        self.delivered = 0
        self._is_ahead = False
        # The ticket of a call that goes back, until its result is noted.
        self._ticket = 0
        # The number of calls in progress: a transform may ask for the next batch.
        self._depth = 0
        self._fetch = loader._fetch()
        self._ordered: Ordered | None = None
        # Batches of the worker threads that come next.
        self._ready: deque[Any] = deque()
        # Held while worker threads are started or taken away: no thread may start after the end.
        self._starting = threading.Lock()
        self._is_ended = False
        self._steps = self._begin()

    def _begin(self) -> int:
        steps: int = _jvm.functions().begin(self._loader._handle.number)
        if steps < 0:
            _jvm.fail(steps)
        return steps

    @property
    def steps_left(self) -> int:
        return self._steps - self.delivered

    def __iter__(self) -> _Pass:
        return self

    def __next__(self) -> Any:
        loader = self._loader
        if _jvm.is_forked():
            # Raises. The lock may be held by a thread that this process does not have.
            _jvm.functions()
        with loader._lock:
            if self.is_over:
                raise StopIteration
            if loader._pass is not self:
                raise EndedError
            if not self.is_under_way and loader._follow_sampler():
                # Lightning's Trainer calls set_epoch after it has begun to iterate.
                self._steps = self._begin()
            self.is_under_way = True
            if self._is_ahead and self._depth == 0:
                self._go_back()
            self._is_ahead = True
            self._depth += 1
            try:
                batch = self._next()
                while batch is LEFT_OUT:
                    # The batch counts as delivered, so that a resumed run does not repeat it.
                    self.delivered += 1
                    batch = self._next()
            except StopIteration:
                self.is_over = True
                self.is_under_way = False
                raise
            except EndedError:
                raise
            except Exception as e:
                loader._say_that_it_stays(e)
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
            before = loader._last
            # Set before the transform runs, because it may ask for the place.
            loader._last = (info, owner)
            batch = LEFT_OUT
            try:
                batch = loader._work.finished_or_left_out(info, owner)
            finally:
                if batch is LEFT_OUT:
                    loader._last = before
            return batch
        try:
            if not self._ready:
                self._ready.extend(self._started().next())
        except StopIteration:
            # Java's epoch ends when the consumer reaches the end, not when the threads do.
            self._fetch()
            raise
        info, owner, batch = self._ready.popleft()
        if isinstance(batch, Failure):
            raise batch.error
        if batch is not LEFT_OUT:
            loader._last = (info, owner)
        return batch

    def _started(self) -> Ordered:
        """Returns the worker threads, which the first call starts."""
        loader = self._loader
        with self._starting:
            if self._is_ended:
                raise EndedError
            if self._ordered is None:
                self._ordered = _ordered(self._fetch, self._steps, loader._work, loader._workers)
            return self._ordered

    def end(self, is_waiting: bool = True) -> None:
        """Ends the pass. Batches that were not delivered are dropped, and a thread that waits for
        one gets an error.

        Args:
            is_waiting: whether to wait until no thread takes a batch from Java
        """
        with self._starting:
            self._is_ended = True
        self._drop(is_waiting)

    def _drop(self, is_waiting: bool = True) -> None:
        ordered = self._ordered
        if ordered is not None:
            # If this is interrupted it is repeated, so that no thread goes on taking batches.
            (ordered.close if is_waiting else ordered.end)()
            self._ordered = None
        self._ready.clear()

    def _go_back(self) -> None:
        """Goes back to a batch that was not delivered because of an exception."""
        self._drop()
        handle = self._loader._handle.number
        # If an interrupt comes after the call, the next attempt gets the same answer.
        self._ticket = self._ticket or next(_tickets)
        steps = _jvm.call("rewind", handle=handle, ticket=self._ticket, steps=self.delivered)
        if steps >= 0:
            self.delivered, self._steps = 0, steps
        self._is_ahead, self._ticket = False, 0


def _ordered(
    fetch: Callable[[], tuple[BatchInfo, _jvm.Handle]], steps: int, work: BatchWork, workers: int
) -> Ordered:
    """Returns the worker threads that finish the batches of a pass, some at a time."""
    left = steps
    processes = work.processes
    # The error of a batch that is not the first of its group comes with the next group.
    errors: list[BaseException] = []

    def fetch_some() -> list[Item]:
        nonlocal left
        count = min(left, 1 if processes is None else processes.group_size)
        if errors:
            raise errors.pop()
        if count == 0:
            raise StopIteration
        items: list[Item] = []
        while len(items) < count:
            try:
                items.append(fetch())
            except BaseException as e:
                if not items:
                    raise
                errors.append(e)
                break
        left -= len(items)
        return items

    return Ordered(fetch_some, work.finished_all, workers)


def collate(batch: Any) -> Any:
    """A `collate_fn` for `torch.utils.data.DataLoader`, which calls it also for complete batches.
    Arrays become zero-copy tensors."""
    return to_torch(batch)
