# SPDX-License-Identifier: Apache-2.0
"""Batches as PyTorch tensors over the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _dtypes


def to_torch(value: Any, pin: bool) -> Any:
    """Arrays as tensors; what is no array stays as it is."""
    if isinstance(value, dict):
        return {name: to_torch(one, pin) for name, one in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    import torch

    if value.dtype == _dtypes.BFLOAT16 and value.dtype.kind == "V":
        # PyTorch has the type and does not know NumPy's name for it.
        tensor = torch.from_numpy(value.view(np.int16)).view(torch.bfloat16)
    elif value.dtype.kind in "SUVMm":
        return value
    else:
        try:
            tensor = torch.from_numpy(value)
        except TypeError as e:
            raise TypeError(
                f"this PyTorch has no {value.dtype}; convert it in a transform, for example "
                f"by .astype(np.int64)"
            ) from e
    return tensor.pin_memory() if pin and torch.cuda.is_available() else tensor
