# SPDX-License-Identifier: Apache-2.0
"""Map-style datasets for tests. They are in a module of their own because each worker process
imports that module."""

from __future__ import annotations

import os
import random
import signal
import time
from typing import Any

import numpy as np


class Squares:
    """Sample `i` is `(i, i * i)`. It never raises IndexError, as many datasets for PyTorch."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        assert type(index) is int
        return index, np.float32(index * index)


class Rows:
    """Rows of an array, which worker processes share."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Any:
        return {"row": self.rows[index], "index": index, "name": f"row {index}"}


class Several:
    """A dataset that reads several samples at once, and cannot read one."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.calls = 0

    def __len__(self) -> int:
        return self.count

    def __getitems__(self, indices: list[int]) -> list[Any]:
        self.calls += 1
        return [{"x": index} for index in indices]


class Failing(Squares):
    """Sample 42 fails."""

    def __getitem__(self, index: int) -> Any:
        if index == 42:
            raise ZeroDivisionError("no luck")
        return index


class Stopping(Squares):
    """Sample 42 raises the exception that ends loops."""

    def __getitem__(self, index: int) -> Any:
        if index == 42:
            raise StopIteration
        return index


class Dying(Squares):
    """The process that reads sample 42 is killed, as if the machine had no memory."""

    def __getitem__(self, index: int) -> Any:
        if index == 42:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


class Sleeping(Squares):
    def __getitem__(self, index: int) -> Any:
        time.sleep(3600)


class Where(Squares):
    """The process that reads a sample, and whether it may change its rows."""

    def __getitem__(self, index: int) -> Any:
        return index, os.getpid()


class Parents(Squares):
    """The process that started the one that reads a sample."""

    def __getitem__(self, index: int) -> Any:
        return os.getppid()


class Noisy(Squares):
    """Random numbers of the generators that augmentations use."""

    def __getitem__(self, index: int) -> Any:
        return index, random.random(), float(np.random.rand())
