# SPDX-License-Identifier: Apache-2.0
# The speed of other permutations: prints a line "NAME INDICES_PER_SECOND" for each that is installed.
# usage: order.py COUNT ROUNDS
import statistics
import sys
import time

import numpy as np


def rate(permute, count, rounds):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        permute(count)
        seconds.append(time.perf_counter() - start)
    return count / statistics.median(seconds)


count, rounds = int(sys.argv[1]), int(sys.argv[2])
generator = np.random.default_rng(1)
print("numpy", rate(generator.permutation, count, rounds))
try:
    import torch

    torch.set_num_threads(1)
    print("torch", rate(torch.randperm, count, rounds))
except ImportError:
    pass
