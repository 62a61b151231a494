# SPDX-License-Identifier: Apache-2.0
"""Runs two methods in turns and prints a line with the times.

The line has the name of the case, the name of the other method, the unit, the number of rounds, the
times of penstock and of the other method in every round, and a remark, separated by semicolons.
"""

from __future__ import annotations

import itertools
import time


def endless(loader):
    while True:
        yield from loader


def micros(batches, count):
    """Returns the mean microseconds of a batch, over `count` batches."""
    before = time.perf_counter()
    for _ in itertools.islice(batches, count):
        pass
    return (time.perf_counter() - before) / count * 1e6


def tell(name, floor, ours, theirs, remark="", unit="us"):
    values = [f"{one:.3f}" for one in [*ours, *theirs]]
    print(";".join([name, floor, unit, str(len(ours)), *values, remark]), flush=True)


def compare(name, floor, ours, theirs, rounds, remark=""):
    """Calls two functions that return times in turns. The first turns do not count."""
    times = ([], [])
    for turn in range(rounds + 2):
        for side, measure in enumerate((ours, theirs)):
            taken = measure()
            if turn > 1:
                times[side].append(taken)
    tell(name, floor, *times, remark)
