# SPDX-License-Identifier: Apache-2.0
"""The arguments of a `Loader`, checked and converted before anything is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    "follow",
)


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
    to: str
    pin_memory: bool
    on_error: str
    fields: Sequence[str] | None
    ragged: bool
    even_batches: bool
    local_world_size: int | None
    map_records: Callable[[Any], Any] | None
    workers: int
    worker_type: str
    indices: bool
    seeds: bool
    follow: bool

    def __post_init__(self) -> None:
        """Converts every argument to its type.

        Raises:
            TypeError: when an argument has another type
            ValueError: when an argument is out of range, or contradicts another
        """
        self._convert_numbers()
        for name in _BOOLEANS:
            setattr(self, name, _arguments.boolean(name, getattr(self, name)))
        if self.shuffle is not None:
            self.shuffle = _arguments.boolean("shuffle", self.shuffle)
        if self.fields is not None:
            self.fields = _arguments.texts("fields", self.fields)
            if not self.fields:
                raise ValueError("fields must name at least one field, got []")
        self._require_choices()
        self._require_consistent()

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
            raise TypeError(
                f"sampler must be one of penstock.samplers, got {_arguments.shown(self.sampler)}"
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
