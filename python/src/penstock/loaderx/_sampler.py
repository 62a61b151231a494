# SPDX-License-Identifier: Apache-2.0
"""The index sequences of loaderx's samplers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Words = np.ndarray[Any, np.dtype[np.uint64]]

_U64_MAX = (1 << 64) - 1
# Multipliers of the 64-bit mixing function, which is SplitMix64's finaliser.
_GOLDEN, _ROUND = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_FEISTEL_ROUNDS = 4


def _number(name: str, value: int, least: int) -> int:
    number = operator.index(value)
    if not least <= number <= _U64_MAX:
        raise ValueError(f"{name} must be from {least} to 2^64 - 1, got {number}")
    return number


def _words(values: Any) -> Words:
    """An array, never a scalar: NumPy warns when a scalar overflows, and here overflow is
    intended."""
    return np.array(values, np.uint64, ndmin=1)


def _mix(seed: Words, value: Words, round_number: int) -> Words:
    words: Words = seed ^ (value * np.uint64(_GOLDEN))
    words = words ^ _words(round_number * _ROUND & _U64_MAX)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(_FIRST)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(_SECOND)
    mixed: Words = words ^ (words >> np.uint64(31))
    return mixed


def _product(words: Words, factor: int) -> tuple[Words, Words]:
    """The high and the low 64 bits of the products."""
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    high, low = words >> half, words & mask
    factor_high, factor_low = np.uint64(factor >> 32), np.uint64(factor & 0xFFFFFFFF)
    middle = high * factor_low + (low * factor_low >> half)
    carry = low * factor_high + (middle & mask)
    top = high * factor_high + (middle >> half) + (carry >> half)
    return top, words * _words(factor)


def _generator(seed: int) -> np.random.SFC64:
    """SFC64 whose three words are the seed; the first twelve outputs are left out."""
    generator = np.random.SFC64(0)
    state = generator.state
    state["state"]["state"] = np.array([seed, seed, seed, 1], np.uint64)
    generator.state = state
    generator.random_raw(12)
    return generator


class Sampler:
    """Batches of record numbers, without end.

    Args:
        length: the number of records
        batch_size: the number of indices in a batch
        mode: `Sampler.Mode.SEQUENTIAL` goes through the records in order, and on from the start in
            the same batch. `IID` draws with replacement. `CYCLIC` goes through a new permutation in
            each cycle and leaves out the remainder that fills no batch.
        seed: the seed of the random modes, from 0 to 2^64 - 1
        release: the release of loaderx whose `IID` sequence is drawn: `0.3.0` (also 0.2), `2.4.0`
        (from 0.7.3 to
            2.5.5) or `2.8.19` (from 2.5.9 on). The other modes are the same in all of them.

    >>> sampler = Sampler(10, 4, Sampler.Mode.SEQUENTIAL)
    >>> [next(sampler).tolist() for _ in range(3)]
    [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]]
    >>> next(Sampler(10, 10, Sampler.Mode.IID, seed=42)).tolist()
    [1, 8, 8, 4, 5, 2, 7, 4, 0, 4]
    """

    class Mode:
        """The modes of a sampler."""

        SEQUENTIAL = 0
        IID = 1
        CYCLIC = 2

    def __init__(
        self, length: int, batch_size: int, mode: int, seed: int = 42, *, release: str = "0.3.0"
    ) -> None:
        self._length = _number("length", length, 1)
        self._batch_size = _number("batch_size", batch_size, 1)
        self._seed = _number("seed", seed, 0)
        by_release: dict[str, Callable[[], Words]] = {
            "0.3.0": self._modulo,
            "2.4.0": self._high_product,
            "2.8.19": self._counted,
        }
        if release not in by_release:
            raise ValueError(f"release is one of {', '.join(by_release)}; got {release!r}")
        by_mode = {0: self._sequential, 1: by_release[release], 2: self._cyclic}
        number = operator.index(mode)
        if number not in by_mode:
            raise ValueError(
                f"mode is Sampler.Mode.SEQUENTIAL (0), IID (1) or CYCLIC (2); got {mode!r}"
            )
        self._draw = by_mode[number]
        self._is_stream = number == 1 and release != "2.8.19"
        self._generator = _generator(self._seed)
        self._step = 0
        self.indices: Words = np.zeros(self._batch_size, np.uint64)

    @property
    def step(self) -> int:
        """The number of batches that were drawn."""
        return self._step

    def next(self) -> Words:
        """Draws the next batch, which is also kept in `indices`. Batches are fresh arrays."""
        self.indices = self._draw()
        self._step += 1
        return self.indices

    def seek(self, step: int) -> None:
        """Goes to a step, so that the next batch is the one after the first `step` batches. For
        `IID` and releases before 2.5.9, all batches up to there are drawn again."""
        wanted = _number("step", step, 0)
        if not self._is_stream:
            self._step = wanted
            return
        if wanted < self._step:
            self._generator = _generator(self._seed)
            self._step = 0
        while self._step < wanted:
            self._draw()
            self._step += 1

    def __iter__(self) -> Iterator[Words]:
        return self

    def __next__(self) -> Words:
        return self.next()

    def _sequential(self) -> Words:
        cursor = self._step * self._batch_size % self._length
        return (np.arange(self._batch_size, dtype=np.uint64) + _words(cursor)) % np.uint64(
            self._length
        )

    def _modulo(self) -> Words:
        return self._raw(self._batch_size) % np.uint64(self._length)

    def _raw(self, count: int) -> Words:
        words: Words = self._generator.random_raw(count)
        return words

    def _high_product(self) -> Words:
        least = np.uint64((1 << 64) % self._length)
        parts: list[Words] = []
        missing = self._batch_size
        while missing:
            high, low = _product(self._raw(missing), self._length)
            parts.append(high[low >= least])
            missing -= len(parts[-1])
        return np.concatenate(parts)

    def _counted(self) -> Words:
        key = _mix(_words(self._seed), _words(0), 0)
        least = np.uint64((1 << 64) % self._length)
        first = self._step * self._batch_size & _U64_MAX
        numbers = np.arange(self._batch_size, dtype=np.uint64) + _words(first)
        indices, low = _product(_mix(key, numbers, 0), self._length)
        attempt = 1
        while (low < least).any():
            again = np.flatnonzero(low < least)
            indices[again], low[again] = _product(_mix(key, numbers[again], attempt), self._length)
            attempt += 1
        return indices

    def _cyclic(self) -> Words:
        size = min(self._batch_size, self._length)
        batches = self._length // size
        key = _mix(_words(self._seed), _words(self._step // batches), 0)
        start = self._step % batches * size
        return self._permuted(np.arange(size, dtype=np.uint64) + _words(start), key)

    def _permuted(self, positions: Words, key: Words) -> Words:
        """A Feistel network over an even number of bits, repeated until the value is a record."""
        half = max(1, ((self._length - 1).bit_length() + 1) // 2)
        mask = np.uint64((1 << half) - 1)
        shift, limit = np.uint64(half), np.uint64(self._length)
        values = positions.copy()
        waiting = np.arange(len(values))
        while len(waiting):
            left, right = values[waiting] >> shift, values[waiting] & mask
            for round_number in range(_FEISTEL_ROUNDS):
                left, right = right, left ^ (_mix(key, right, round_number) & mask)
            values[waiting] = left << shift | right
            waiting = waiting[values[waiting] >= limit]
        return values

    def __repr__(self) -> str:
        return (
            f"<penstock.loaderx.Sampler of {self._length:,} records, batches of "
            f"{self._batch_size:,}, step {self._step:,}>"
        )
