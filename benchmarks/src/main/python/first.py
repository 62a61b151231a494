# SPDX-License-Identifier: Apache-2.0
"""Prints the milliseconds from before the import until a new process has a batch or a module.

first.py nothing|numpy|torch|batch FILE
"""

import sys
import time

start = time.perf_counter()
what, path = sys.argv[1:]
if what == "numpy":
    import numpy  # noqa: F401
elif what == "torch":
    import torch  # noqa: F401
elif what == "batch":
    import penstock

    ds = penstock.open(path)
    batch = next(iter(penstock.Loader(ds, batch_size=4096)))
print((time.perf_counter() - start) * 1000, flush=True)
