# SPDX-License-Identifier: Apache-2.0
"""The two kinds of methods: a call that returns a batch, and a stream of prefetched batches."""

import itertools
import time

# The warm-up of each method, in which compilers and caches settle. The time of a start is measured
# separately.
WARM_SECONDS = 2.0


class Call:
    """A function that takes a batch's indices and returns the batch."""

    def __init__(self, gather):
        self.in_order = lambda batches: map(gather, batches)
        self.gather = gather

    def warm(self, batches):
        limit = time.perf_counter() + WARM_SECONDS
        for batch in itertools.cycle(batches):
            self.gather(batch)
            if time.perf_counter() > limit:
                return

    def run(self, batches):
        gather = self.gather
        nanos = []
        for batch in batches:
            start = time.perf_counter_ns()
            gather(batch)
            nanos.append(time.perf_counter_ns() - start)
        return nanos


class Stream:
    """Prefetched batches in an order that the method chooses.

    Args:
        endless: an iterator over batches that never ends, so that starting is not measured
        in_order: a function of batches of indices that iterates over these, with the same loader
        ahead: the number of batches that may be prefetched
        touch: a function that the consumer calls with each batch, or None
    """

    SETTLE_SECONDS = 0.01

    def __init__(self, endless, in_order, ahead, touch=None):
        self.endless = endless
        self.in_order = in_order
        self.ahead = ahead
        self.touch = touch

    def _take(self, count):
        taken = itertools.islice(self.endless, count)
        if self.touch is None:
            for _ in taken:
                pass
        else:
            for batch in taken:
                self.touch(batch)

    def warm(self, _):
        limit = time.perf_counter() + WARM_SECONDS
        while time.perf_counter() < limit:
            self._take(1)

    def run(self, batches):
        # Batches that were prefetched while other methods were measured do not count.
        self._take(2 * self.ahead)
        start = time.perf_counter_ns()
        self._take(len(batches))
        mean = (time.perf_counter_ns() - start) // len(batches)
        # The next method must not compete with threads or workers that prefetch again.
        time.sleep(self.SETTLE_SECONDS + 2 * self.ahead * mean / 1e9)
        return [mean]
