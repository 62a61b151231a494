# SPDX-License-Identifier: Apache-2.0
"""The arguments of a `Loader`, checked and converted before anything is opened."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _arguments
from ._jax import require_jax
from ._torch import require_torch
from .samplers import Sampler
from .transforms import Transform

# Java counts records of a batch, ranks and threads in 32 bits with a sign, and bytes and epochs in
# 64.
INT_MAX = (1 << 31) - 1
LONG_MAX = (1 << 63) - 1

_BOOLEANS = (
    "drop_last",
    "indices",
    "seeds",
    "even_batches",
    "pin_memory",
    "ragged",
)


# Arguments of PyTorch's DataLoader that a Loader does not have, and what it has instead.
_ELSEWHERE = {
    "batch_sampler": "give batch_size and, for another order, sampler= one of penstock.samplers",
    "prefetch_factor": "workers are two batches ahead, as with prefetch_factor=2; prefetch= limits "
    "the bytes that Java reads ahead",
    "timeout": "a worker that dies is noticed without it",
    "worker_init_fn": "do it in the dataset on first use; for random numbers, seeds=True seeds the "
    "generators before each sample",
    "generator": "give seed=, and seeds=True for random numbers in the dataset",
    "multiprocessing_context": "give worker_type='process', for which a server process forks "
    "workers, or 'thread'",
    "pin_memory_device": "give pin_memory=True",
    "in_order": "batches always come in order",
}


# The values of these arguments with which a Loader does the same as a DataLoader.
_SAME: dict[str, tuple[Any, ...]] = {
    "batch_sampler": (None,),
    "prefetch_factor": (None, 2),
    "timeout": (0, 0.0),
    "worker_init_fn": (None,),
    "generator": (None,),
    "multiprocessing_context": (None, "forkserver"),
    "pin_memory_device": ("",),
    "in_order": (True,),
}

# What takes the place of PyTorch's samplers.
_SAMPLERS = {
    "RandomSampler": "leave it out: a Loader shuffles",
    "SequentialSampler": "leave it out and give shuffle=False",
    "DistributedSampler": "leave it out: a Loader finds its rank, or give rank= and world_size=",
    "WeightedRandomSampler": "give penstock.samplers.Weighted(weights)",
    "SubsetRandomSampler": "give penstock.samplers.Subset(indices)",
    "BatchSampler": "leave it out and give batch_size",
}


def refuse(given: Mapping[str, Any]) -> None:
    """Refuses arguments that a `Loader` does not have. Arguments of PyTorch's `DataLoader` are
    accepted if their values mean what a `Loader` does by default.

    Raises:
        TypeError: with the word for it, if it is an argument of PyTorch's `DataLoader`
    """
    for name, value in given.items():
        if any(type(value) is type(one) and value == one for one in _SAME.get(name, ())):
            continue
        words = _ELSEWHERE.get(name)
        if words is not None:
            raise TypeError(f"Loader has no argument {name!r}: {words}")
        raise TypeError(f"Loader.__init__() got an unexpected keyword argument {name!r}")


@dataclass
class LoaderArguments:
    """All arguments of a `Loader` but the dataset. `Loader` documents them."""

    batch_size: int
    shuffle: bool | None
    seed: int | None
    drop_last: bool
    rank: int | None
    world_size: int | None
    threads: int | None
    prefetch: int | None
    sampler: Sampler | None
    transform: Transform | Sequence[Transform] | None
    to: str | None
    pin_memory: bool
    on_error: str
    fields: Sequence[str] | None
    ragged: bool
    even_batches: bool
    local_world_size: int | None
    map_records: Callable[[Any], Any] | None
    workers: int
    worker_type: str | None
    indices: bool
    seeds: bool
    follow: bool | Callable[[Any], Any]
    collate_fn: Callable[[list[Any]], Any] | None
    num_workers: int | None
    persistent_workers: bool | None
    # Whether the dataset is a map-style dataset of another library.
    has_samples: bool

    def __post_init__(self) -> None:
        """Converts every argument to its type.

        Raises:
            TypeError: when an argument has another type
            ValueError: when an argument is out of range, or contradicts another
        """
        self._convert_numbers()
        self._translate()
        for name in _BOOLEANS:
            setattr(self, name, _arguments.boolean(name, getattr(self, name)))
        if not callable(self.follow):
            self.follow = _arguments.boolean("follow", self.follow)
        if self.shuffle is not None:
            self.shuffle = _arguments.boolean("shuffle", self.shuffle)
        if self.fields is not None:
            self.fields = _arguments.texts("fields", self.fields)
            if not self.fields:
                raise ValueError("fields must name at least one field, got []")
        self._require_choices()
        self._require_consistent()
        if self.has_samples:
            self._require_for_samples()

    @property
    def is_skipping(self) -> bool:
        """Whether records and batches that fail are left out."""
        return self.on_error == "skip"

    def _convert_numbers(self) -> None:
        self.batch_size = _arguments.integer(
            "batch_size", self.batch_size, minimum=1, maximum=INT_MAX
        )
        self.workers = _arguments.integer("workers", self.workers, minimum=0)
        self.seed = _arguments.integer_or_none("seed", self.seed)
        self._convert("threads", 1, INT_MAX)
        self._convert("prefetch", 0, LONG_MAX)
        self._convert("rank", 0, INT_MAX)
        self._convert("world_size", 1, INT_MAX)
        self._convert("local_world_size", 1, INT_MAX)

    def _translate(self) -> None:
        """Replaces the arguments of PyTorch's `DataLoader` by ours, and sets the defaults that
        depend on the dataset."""
        if self.num_workers is not None:
            self._translate_num_workers(
                _arguments.integer("num_workers", self.num_workers, minimum=0)
            )
        if self.persistent_workers is not None:
            is_persistent = _arguments.boolean("persistent_workers", self.persistent_workers)
            if not is_persistent and self.workers > 0:
                raise ValueError(
                    "persistent_workers=False is not supported: workers live as long as the loader "
                    "and end with close(); leave it out"
                )
        if self.worker_type is None:
            self.worker_type = "thread"
        if self.to is None:
            # As default_collate does it.
            self.to = "torch" if self.has_samples and "torch" in sys.modules else "numpy"
        if self.collate_fn is not None and not self.has_samples:
            raise ValueError(
                "collate_fn is for map-style datasets, and the records of this dataset come as a "
                "batch already; use transform= to change the batch, map_records= to change each "
                "record, and to='torch' for tensors"
            )

    def _translate_num_workers(self, count: int) -> None:
        if self.workers > 0:
            raise ValueError("num_workers and workers mean the same; give workers")
        if count > 0 and not self.has_samples and self.map_records is None and not self.transform:
            raise ValueError(
                f"num_workers={count} has no effect, because Java's threads read the records of "
                "this dataset; their number is threads="
            )
        self.workers = count
        if self.worker_type is None and count > 0:
            self.worker_type = "process"

    def _require_for_samples(self) -> None:
        """Refuses arguments that mean nothing for Python objects."""
        advice = {
            "fields": "choose them in the dataset, or in collate_fn",
            "ragged": "make the batch in collate_fn",
            "follow": "it is for stores",
            "indices": "loader.place.indices has the indices of the last batch",
        }
        for name, words in advice.items():
            if getattr(self, name):
                raise ValueError(f"{name} is not for map-style datasets; {words}")
        if self.seeds and self.workers > 0 and self.worker_type == "thread":
            raise ValueError(
                "seeds=True seeds the random generators of the process before each sample, and "
                "threads share these; use worker_type='process' or workers=0"
            )
        if self.collate_fn is not None and not callable(self.collate_fn):
            raise TypeError(
                f"collate_fn must be a function, got {_arguments.shown(self.collate_fn)}"
            )

    def _convert(self, name: str, minimum: int, maximum: int) -> None:
        given = getattr(self, name)
        setattr(
            self, name, _arguments.integer_or_none(name, given, minimum=minimum, maximum=maximum)
        )

    def _require_choices(self) -> None:
        _arguments.choice("to", self.to, ("numpy", "torch", "jax"))
        _arguments.choice("on_error", self.on_error, ("raise", "skip"))
        _arguments.choice("worker_type", self.worker_type, ("thread", "process"))
        if self.sampler is not None and not isinstance(self.sampler, Sampler):
            advice = _SAMPLERS.get(
                type(self.sampler).__name__, "leave it out to shuffle, also with several ranks"
            )
            raise TypeError(
                "sampler must be one of penstock.samplers, such as Weighted or Subset; "
                f"{advice}; got {_arguments.shown(self.sampler)}"
            )
        if self.map_records is not None and not callable(self.map_records):
            raise TypeError(
                f"map_records must be a function, got {_arguments.shown(self.map_records)}"
            )
        if self.to == "torch":
            require_torch()
        elif self.to == "jax":
            require_jax()

    def _require_consistent(self) -> None:
        if (self.rank is None) != (self.world_size is None):
            is_rank = self.world_size is None
            given = f"rank={self.rank}" if is_rank else f"world_size={self.world_size}"
            raise ValueError(f"rank and world_size must be given together, got only {given}")
        if self.pin_memory and self.to != "torch":
            raise ValueError(f"pin_memory is for to='torch', and to is {self.to!r}")
        if self.drop_last and not self.even_batches:
            raise ValueError(
                "even_batches=False delivers every record, and drop_last=True leaves some out; "
                "choose one of them"
            )
        if self.worker_type == "process" and self.workers == 0:
            raise ValueError("worker_type='process' needs workers=1 or more")
