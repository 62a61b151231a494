# SPDX-License-Identifier: Apache-2.0
"""Samplers, which choose the order of the records in every epoch.

The record at a position depends on the sampler's parameters, the epoch and the position alone, and
is the same on every machine. Give a sampler to a
`penstock.Loader`, or to a `torch.utils.data.DataLoader` as its `sampler`.

A seed is any number of 64 bits. `parameters` and checkpoints have it as a signed number, so that
2^64 - 1 is -1 there.

>>> from penstock import samplers
>>> order = samplers.Permutation(5, seed=42)
>>> sorted(order)
[0, 1, 2, 3, 4]
>>> order.epoch
1
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from . import _arguments, _jvm

__all__ = [
    "Block",
    "Bucket",
    "Mixture",
    "Permutation",
    "Sampler",
    "Sequential",
    "Share",
    "Stages",
    "Subset",
    "Uniform",
    "Weighted",
    "Window",
]


def __dir__() -> list[str]:
    """The public names, without the modules that this one imports."""
    return __all__


_CHUNK = 8192


def _count(records: int | Sized) -> int:
    if isinstance(records, Sized) and not isinstance(records, (str, bytes)):
        return len(records)
    return _arguments.integer("records", records, minimum=0)


def seed_bits(seed: int) -> int:
    """Returns the 64 bits of a seed as a signed number, as in Java and in checkpoints.

    Raises:
        ValueError: when the seed has more than 64 bits
    """
    number = _arguments.integer("seed", seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError(f"a seed has 64 bits, from -2^63 to 2^64 - 1; got {number}")
    return number - (1 << 64) if number >= 1 << 63 else number


class Sampler:
    """The common interface of all samplers.

    Iterating yields the record indices of one epoch. The next iteration yields the next epoch, also
    when the last one ended early.
    """

    def __init__(self, kind: str, **request: Any) -> None:
        self._set(*_jvm.create("the sampler", "sampler", kind=kind, **request))

    def _set(self, handle: _jvm.Handle, answer: dict[str, Any]) -> None:
        self._handle = handle
        self._answer = answer
        self._name: str = answer["name"]
        self._parameters: dict[str, Any] = answer["parameters"]
        self._record_count: int = answer["count"]
        self._length: int = answer["length"]
        self._epoch = 0
        # The number of delivered samples of the epoch, and the position where the next pass begins.
        self._delivered = 0
        self._start = 0
        # The last argument of `set_epoch` and the number of its calls, for loaders.
        self._told_epoch = 0
        self._told_count = 0

    def __new__(cls, *arguments: Any, **named: Any) -> Sampler:
        self = super().__new__(cls)
        # Pickle makes the sampler again from its arguments.
        self._made_of = (arguments, named)
        return self

    _made_of: tuple[tuple[Any, ...], dict[str, Any]]

    def __len__(self) -> int:
        """Returns the number of samples in an epoch."""
        return self._length

    @property
    def record_count(self) -> int:
        """The number of records to draw from."""
        return self._record_count

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that define the sequence, such as the seed."""
        return dict(self._parameters)

    @property
    def epoch(self) -> int:
        """The current epoch or, between two passes, the next one."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Goes to the start of an epoch."""
        epoch = _arguments.integer("epoch", epoch, minimum=0)
        self._go_to(epoch, 0)
        self._told_epoch = epoch
        self._told_count += 1

    def _go_to(self, epoch: int, delivered: int) -> None:
        self._epoch, self._delivered, self._start = epoch, delivered, delivered

    @_arguments.named_options
    def draw(self, position: int, count: int, *, epoch: int | None = None) -> np.ndarray[Any, Any]:
        """Returns the indices of the records at consecutive positions of an epoch."""
        count = _arguments.integer("count", count, minimum=0)
        target = np.empty(count, np.int64)
        if count:
            _jvm.call(
                "draw",
                handle=self._handle.number,
                epoch=self._epoch if epoch is None else epoch,
                position=position,
                target=target.ctypes.data,
                targetBytes=target.nbytes,
            )
        return target

    def position(self, record: int, epoch: int | None = None) -> int | None:
        """Returns a record's position in an epoch, for samplers that draw each record once."""
        place: int = _jvm.call(
            "position",
            handle=self._handle.number,
            epoch=self._epoch if epoch is None else epoch,
            index=record,
        )
        return None if place < 0 else place

    def __iter__(self) -> Iterator[int]:
        if self._delivered != self._start:
            self._go_to(self._epoch + 1, 0)
        epoch, position = self._epoch, self._start
        while position < self._length:
            chunk = self.draw(position, min(_CHUNK, self._length - position), epoch=epoch)
            for record in chunk.tolist():
                position += 1
                self._delivered = position
                yield record
        self._go_to(epoch + 1, 0)

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint of the iteration, as a dictionary that JSON can store."""
        return {
            "sampler": self._name,
            "parameters": self._parameters,
            "records": self._record_count,
            "epoch": self._epoch,
            "delivered": self._delivered,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes at a checkpoint of `state_dict`."""
        own = self.state_dict()
        theirs = dict(state)
        if isinstance(theirs.get("parameters"), dict) and "seed" in theirs["parameters"]:
            seed = seed_bits(theirs["parameters"]["seed"])
            theirs["parameters"] = {**theirs["parameters"], "seed": seed}
        for key in ("sampler", "parameters", "records"):
            if theirs.get(key) != own[key]:
                raise ValueError(
                    f"the checkpoint belongs to another sampler: its {key} is {state.get(key)}, "
                    f"and here it is {own[key]}"
                )
        self._go_to(int(state["epoch"]), int(state["delivered"]))

    def __reduce__(self) -> tuple[Any, ...]:
        arguments, named = self._made_of
        plain = tuple(_plain(one) for one in arguments)
        return _again, (type(self), plain, named, self._answer, self._epoch, self._delivered)

    def __repr__(self) -> str:
        words = "".join(f", {key}={value}" for key, value in self._parameters.items())
        return f"<penstock.samplers.{type(self).__name__} of {self._record_count:,} records{words}>"


def _plain(argument: Any) -> Any:
    """Replaces a dataset by its number of records."""
    return len(argument) if hasattr(argument, "fingerprint") else argument


def _again(
    kind: type[Sampler],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    answer: dict[str, Any],
    epoch: int,
    delivered: int,
) -> Sampler:
    """Makes a sampler from a pickle. Its Java object is made on first use."""
    sampler = kind.__new__(kind, *arguments, **named)
    make = lambda: kind(*arguments, **named)._handle  # noqa: E731
    sampler._set(_jvm.LazyHandle("the sampler", make), answer)
    sampler._go_to(epoch, delivered)
    return sampler


def _sampler(name: str, value: Any) -> Sampler:
    if not isinstance(value, Sampler):
        raise TypeError(f"{name} must be samplers of penstock, got {_arguments.shown(value)}")
    return value


class Sequential(Sampler):
    """Draws all records in their stored order, without a shuffle."""

    def __init__(self, records: int | Sized) -> None:
        super().__init__("sequential", count=_count(records))


class Permutation(Sampler):
    """Shuffles: each record comes once, in a pseudo-random order that needs no table in memory."""

    def __init__(self, records: int | Sized, *, seed: int = 0) -> None:
        super().__init__("permutation", count=_count(records), seed=seed_bits(seed))


class Block(Sampler):
    """Shuffles in blocks: each record comes once. Blocks of neighbours are permuted, and the
    records of a window of blocks are mixed. Use it for data that is larger than memory."""

    def __init__(
        self, records: int | Sized, *, block_size: int, window_blocks: int = 64, seed: int = 0
    ) -> None:
        super().__init__(
            "block",
            count=_count(records),
            blockSize=_arguments.integer("block_size", block_size, minimum=1),
            windowBlocks=_arguments.integer("window_blocks", window_blocks, minimum=1),
            seed=seed_bits(seed),
        )


class Share(Sampler):
    """Shuffles like `Block` within shares, so that each rank reads only its own files."""

    def __init__(
        self,
        records: int | Sized,
        *,
        block_size: int,
        shares: int,
        window_blocks: int = 64,
        seed: int = 0,
    ) -> None:
        super().__init__(
            "share",
            count=_count(records),
            blockSize=_arguments.integer("block_size", block_size, minimum=1),
            windowBlocks=_arguments.integer("window_blocks", window_blocks, minimum=1),
            shares=_arguments.integer("shares", shares, minimum=1),
            seed=seed_bits(seed),
        )


Shard = Share
"""The earlier name of `Share`, which keeps working."""


class Window(Sampler):
    """Runs of `size` neighbours that begin every `stride` records."""

    def __init__(self, records: int | Sized, *, size: int, stride: int) -> None:
        super().__init__(
            "window",
            count=_count(records),
            size=_arguments.integer("size", size, minimum=1),
            stride=_arguments.integer("stride", stride, minimum=1),
        )


class Uniform(Sampler):
    """Draws records uniformly at random, with replacement."""

    def __init__(self, records: int | Sized, *, length: int, seed: int = 0) -> None:
        super().__init__(
            "uniform",
            count=_count(records),
            length=_arguments.integer("length", length),
            seed=seed_bits(seed),
        )


class Weighted(Sampler):
    """Draws records at random in proportion to their weights, with replacement."""

    def __init__(self, weights: Any, *, length: int | None = None, seed: int = 0) -> None:
        values = np.require(weights, np.float64, ["C", "A"])
        super().__init__(
            "weighted",
            weights=values.ctypes.data,
            weightsBytes=values.nbytes,
            length=len(values) if length is None else _arguments.integer("length", length),
            seed=seed_bits(seed),
        )


class Subset(Sampler):
    """Draws only some records, in the order of another sampler over their number."""

    def __init__(self, records: int | Sized, indices: Any, order: Sampler) -> None:
        values = np.require(indices, np.int64, ["C", "A"])
        super().__init__(
            "subset",
            count=_count(records),
            records=values.ctypes.data,
            recordsBytes=values.nbytes,
            order=_sampler("order", order)._handle.number,
        )


class Bucket(Sampler):
    """Shuffles with records of similar length next to each other, which reduces padding."""

    def __init__(self, lengths: Any, *, run_size: int, pool_size: int, seed: int = 0) -> None:
        values = np.require(lengths, np.int32, ["C", "A"])
        super().__init__(
            "bucket",
            lengths=values.ctypes.data,
            lengthsBytes=values.nbytes,
            runSize=_arguments.integer("run_size", run_size, minimum=1),
            poolSize=_arguments.integer("pool_size", pool_size, minimum=1),
            seed=seed_bits(seed),
        )


class Mixture(Sampler):
    """Draws from several samplers in proportion to weights, for concatenated datasets."""

    def __init__(
        self, parts: Sequence[Sampler], weights: Sequence[float], length: int, *, seed: int = 0
    ) -> None:
        super().__init__(
            "mixture",
            parts=[_sampler("parts", part)._handle.number for part in parts],
            weights=[_arguments.finite("weights", weight) for weight in weights],
            length=_arguments.integer("length", length),
            seed=seed_bits(seed),
        )


class Stages(Sampler):
    """Draws from several samplers in proportion to weights that may change during the run, for the
    datasets of a mixture. `penstock.mix` makes it.

    Args:
        parts: the sampler of each part
        declared: the declaration of the mixture, in the words of mixture files
    """

    def __init__(self, parts: Sequence[Sampler], declared: Mapping[str, Any]) -> None:
        super().__init__(
            "stages",
            parts=[_sampler("parts", part)._handle.number for part in parts],
            spec=json.dumps(dict(declared)),
        )
