# SPDX-License-Identifier: Apache-2.0
"""Functions for worker processes. They are in a module of their own because each process imports
that module, and pytest would take a third of a second."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np


def unevenly(batch: Any) -> Any:
    time.sleep(0.01 if batch[0] % 2 == 0 else 0)
    return batch * 10


def with_process(batch: Any) -> Any:
    return {"value": batch, "process": os.getpid()}


def failing(batch: Any) -> Any:
    if 42 in batch:
        raise ZeroDivisionError("no luck")
    return batch


def failing_record(record: Any) -> Any:
    if record == 42:
        raise ZeroDivisionError("no luck")
    return record


def ending(batch: Any) -> Any:
    if 42 in batch:
        os.kill(os.getpid(), signal.SIGKILL)
    return batch


def sleeping(batch: Any) -> Any:
    time.sleep(3600)
    return batch


def described(batch: Any) -> Any:
    text = [None if one is None else one.decode() for one in batch["text"]]
    return {"text": text, "length": np.array([len(one) for one in batch["text"]]), "x": batch["x"]}
