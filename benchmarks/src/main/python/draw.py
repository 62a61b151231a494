# SPDX-License-Identifier: Apache-2.0
"""Random batches of row indices, equal for every program of a comparison."""

import numpy as np


def indices(count, row_count, seed):
    """Returns indices by SplitMix64: the upper 32 bits are scaled to the number of rows."""
    z = np.arange(1, count + 1, dtype=np.uint64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    z ^= z >> np.uint64(31)
    return (((z >> np.uint64(32)) * np.uint64(row_count)) >> np.uint64(32)).astype(np.int64)


def batches(batch_count, batch_size, row_count, seed):
    """Returns a list of `batch_count` batches of indices."""
    drawn = indices(batch_count * batch_size, row_count, seed)
    return [drawn[i * batch_size : (i + 1) * batch_size] for i in range(batch_count)]
