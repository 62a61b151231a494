# SPDX-License-Identifier: Apache-2.0
"""The two kinds of ways to a batch: calling for it, and taking what comes."""

import itertools
import time

# How long each way runs before it is measured: compilers and caches have settled by then, ours and
# others'. What a start costs is measured apart.
WARM_SECONDS = 2.0


class Call:
    """A function of a batch's indices."""

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
    """Batches that are made ahead and come in an order of their own.

    Args:
        endless: an iterator over batches that never ends, so that starting is not measured
        in_order: a function of batches of indices that iterates over these, with the same loader
        ahead: how many batches may be ready before they are asked for
        touch: what the consumer does with each batch, or None
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
        # What was made ahead while others were measured does not count.
        self._take(2 * self.ahead)
        start = time.perf_counter_ns()
        self._take(len(batches))
        mean = (time.perf_counter_ns() - start) // len(batches)
        # Those who come next shall not compete with threads or workers that fill up again.
        time.sleep(self.SETTLE_SECONDS + 2 * self.ahead * mean / 1e9)
        return [mean]
