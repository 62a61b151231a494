# SPDX-License-Identifier: Apache-2.0
"""Orders: which record comes at which position of which epoch.

Each is a function of its parameters, epoch and position, the same on every machine. Give one to a
`penstock.Loader`, or to a `torch.utils.data.DataLoader` as its `sampler`.

A seed is any number of 64 bits. `parameters` and states have it as a signed number, so that
2^64 - 1 is -1 there.

>>> from penstock import samplers
>>> order = samplers.Permutation(5, seed=42)
>>> sorted(order)
[0, 1, 2, 3, 4]
>>> order.epoch
1
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence, Sized
from typing import Any

import numpy as np

from . import _jvm

_CHUNK = 8192


def _count(records: int | Sized) -> int:
    return len(records) if isinstance(records, Sized) else operator.index(records)


def seed_bits(seed: int) -> int:
    """The 64 bits of a seed as the signed number that Java and states have for them.

    Raises:
        ValueError: when it has more bits
    """
    number = operator.index(seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError(f"a seed has 64 bits, from -2^63 to 2^64 - 1; got {number}")
    return number - (1 << 64) if number >= 1 << 63 else number


class Sampler:
    """What all orders have.

    Iterating gives the records of one epoch; iterating again those of the next, also when the pass
    before was left early.
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
        # Samples of the epoch that were delivered, and with how many the next pass begins.
        self._delivered = 0
        self._start = 0
        # What `set_epoch` was last called with and how often, for loaders.
        self._told_epoch = 0
        self._told_count = 0

    def __new__(cls, *arguments: Any, **named: Any) -> Sampler:
        self = super().__new__(cls)
        # An order is made again elsewhere from what it was made of here.
        self._made_of = (arguments, named)
        return self

    _made_of: tuple[tuple[Any, ...], dict[str, Any]]

    def __len__(self) -> int:
        """Positions of an epoch."""
        return self._length

    @property
    def record_count(self) -> int:
        """How many records there are to draw from."""
        return self._record_count

    @property
    def parameters(self) -> dict[str, Any]:
        """All that tells it from others of its kind."""
        return dict(self._parameters)

    @property
    def epoch(self) -> int:
        """The epoch that is being iterated, or comes next."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Goes to the start of an epoch."""
        if epoch < 0:
            raise ValueError(f"epochs count from 0, and {epoch} is below")
        self._go_to(epoch, 0)
        self._told_epoch = epoch
        self._told_count += 1

    def _go_to(self, epoch: int, delivered: int) -> None:
        self._epoch, self._delivered, self._start = epoch, delivered, delivered

    def draw(self, position: int, count: int, epoch: int | None = None) -> np.ndarray[Any, Any]:
        """The records at consecutive positions of an epoch."""
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
        """Where in an epoch a record comes, for orders that draw each record once."""
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
            chunk = self.draw(position, min(_CHUNK, self._length - position), epoch)
            for record in chunk.tolist():
                position += 1
                self._delivered = position
                yield record
        self._go_to(epoch + 1, 0)

    def state_dict(self) -> dict[str, Any]:
        """Where the iteration is, for JSON or any checkpoint."""
        return {
            "sampler": self._name,
            "parameters": self._parameters,
            "records": self._record_count,
            "epoch": self._epoch,
            "delivered": self._delivered,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where a state was taken."""
        own = self.state_dict()
        theirs = dict(state)
        if isinstance(theirs.get("parameters"), dict) and "seed" in theirs["parameters"]:
            seed = seed_bits(theirs["parameters"]["seed"])
            theirs["parameters"] = {**theirs["parameters"], "seed": seed}
        for key in ("sampler", "parameters", "records"):
            if theirs.get(key) != own[key]:
                raise ValueError(
                    f"the state is of another order: its {key} is {state.get(key)}, and here it is "
                    f"{own[key]}"
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
    """A dataset only says how many records there are."""
    return len(argument) if hasattr(argument, "fingerprint") else argument


def _again(
    kind: type[Sampler],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    answer: dict[str, Any],
    epoch: int,
    delivered: int,
) -> Sampler:
    """What pickle calls. Java makes the order when it is used."""
    sampler = kind.__new__(kind, *arguments, **named)
    make = lambda: kind(*arguments, **named)._handle  # noqa: E731
    sampler._set(_jvm.LazyHandle("the sampler", make), answer)
    sampler._go_to(epoch, delivered)
    return sampler


class Sequential(Sampler):
    """All records in their order."""

    def __init__(self, records: int | Sized) -> None:
        super().__init__("sequential", count=_count(records))


class Permutation(Sampler):
    """All records once, in an order that is a true shuffle in all but name, without a table."""

    def __init__(self, records: int | Sized, *, seed: int = 0) -> None:
        super().__init__("permutation", count=_count(records), seed=seed_bits(seed))


class Block(Sampler):
    """All records once: blocks of neighbours are permuted, and the records of a window of blocks
    are mixed. For data that is larger than memory."""

    def __init__(
        self, records: int | Sized, *, block_size: int, window_blocks: int = 64, seed: int = 0
    ) -> None:
        super().__init__(
            "block",
            count=_count(records),
            blockSize=block_size,
            windowBlocks=window_blocks,
            seed=seed_bits(seed),
        )


class Share(Sampler):
    """As `Block`, with blocks dealt out in shares, so that a rank touches only its own files."""

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
            blockSize=block_size,
            windowBlocks=window_blocks,
            shares=shares,
            seed=seed_bits(seed),
        )


Shard = Share
"""The earlier name of `Share`, which keeps working."""


class Window(Sampler):
    """Runs of `size` neighbours that begin every `stride` records."""

    def __init__(self, records: int | Sized, *, size: int, stride: int) -> None:
        super().__init__("window", count=_count(records), size=size, stride=stride)


class Uniform(Sampler):
    """Records by chance, with replacement."""

    def __init__(self, records: int | Sized, *, length: int, seed: int = 0) -> None:
        super().__init__("uniform", count=_count(records), length=length, seed=seed_bits(seed))


class Weighted(Sampler):
    """Records by chance, each by its weight."""

    def __init__(self, weights: Any, *, length: int | None = None, seed: int = 0) -> None:
        values = np.require(weights, np.float64, ["C", "A"])
        super().__init__(
            "weighted",
            weights=values.ctypes.data,
            weightsBytes=values.nbytes,
            length=len(values) if length is None else length,
            seed=seed_bits(seed),
        )


class Subset(Sampler):
    """Some records only, in the order of another sampler over that many."""

    def __init__(self, records: int | Sized, indices: Any, order: Sampler) -> None:
        values = np.require(indices, np.int64, ["C", "A"])
        super().__init__(
            "subset",
            count=_count(records),
            records=values.ctypes.data,
            recordsBytes=values.nbytes,
            order=order._handle.number,
        )


class Bucket(Sampler):
    """All records once, those of about one length together, so that little is padding."""

    def __init__(self, lengths: Any, *, run_size: int, pool_size: int, seed: int = 0) -> None:
        values = np.require(lengths, np.int32, ["C", "A"])
        super().__init__(
            "bucket",
            lengths=values.ctypes.data,
            lengthsBytes=values.nbytes,
            runSize=run_size,
            poolSize=pool_size,
            seed=seed_bits(seed),
        )


class Mixture(Sampler):
    """Several orders in proportions of your own, over their datasets one after the other."""

    def __init__(
        self, parts: Sequence[Sampler], weights: Sequence[float], length: int, *, seed: int = 0
    ) -> None:
        super().__init__(
            "mixture",
            parts=[part._handle.number for part in parts],
            weights=[float(weight) for weight in weights],
            length=operator.index(length),
            seed=seed_bits(seed),
        )
