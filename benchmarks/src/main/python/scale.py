# SPDX-License-Identifier: Apache-2.0
"""The processor time and the memory from a number of records to the first batch of a shuffle, in programs
that make a list of all records: torch.randperm, and the permutation of LanceDB. Prints a line for
each: name, records, seconds, megabytes. Each runs in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time

COUNTS = {"torch.randperm": (10**6, 10**8), "lancedb": (10**6, 10**7)}


def measure(name: str, count: int) -> None:
    if name == "torch.randperm":
        import torch

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        torch.randperm(count)[:256].tolist()
        seconds = time.process_time() - start
    else:
        import lancedb
        import pyarrow as pa
        from lancedb.permutation import permutation_builder

        with tempfile.TemporaryDirectory() as folder:
            ids = pa.table({"id": pa.array(range(count), pa.int64())})
            table = lancedb.connect(folder).create_table("t", ids)
            del ids
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = time.process_time()
            permutation_builder(table).shuffle(seed=7).execute()
            seconds = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(name, count, f"{seconds:.4f}", f"{(after - before) / 1e3:.0f}")


def main() -> None:
    if len(sys.argv) > 1:
        measure(sys.argv[1], int(sys.argv[2]))
        return
    for name, counts in COUNTS.items():
        for count in counts:
            command = [sys.executable, __file__, name, str(count)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                print(done.stdout.strip().splitlines()[-1])
            else:
                error = (done.stderr.strip().splitlines() or ["it failed"])[-1]
                print(f"skipped: {name} of {count}: {error}")


main()
