# SPDX-License-Identifier: Apache-2.0
"""Batches as PyTorch tensors over the same memory. PyTorch is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from . import _conversion, _dtypes
from ._ragged import Ragged


def require_torch() -> None:
    """Raises when PyTorch is not installed."""
    try:
        import torch  # noqa: F401
    except ImportError as e:
        raise ImportError(
            "to='torch' needs PyTorch, which is not installed; install it, or use to='numpy'"
        ) from e


def to_torch(value: Any, pin: bool = False, bfloats: Collection[str] = (), name: str = "") -> Any:
    """Arrays as tensors; text, dates, bytes and whatever else is no number stay as they are.

    Args:
        value: an array, a `Ragged`, or a dictionary of them by name
        pin: whether tensors are copied to pinned memory, where there is a GPU
        bfloats: names of fields that are bfloat16 whatever NumPy has for it
        name: of this field
    """
    if isinstance(value, dict):
        return {key: to_torch(one, pin, bfloats, key) for key, one in value.items()}
    if isinstance(value, Ragged):
        _require_all(value.missing, name)
        values = to_torch(value.values, pin, bfloats, name)
        return Ragged(values, to_torch(value.offsets, pin))
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if _conversion.is_masked(value):
        _require_all(np.ma.getmaskarray(value), name)
    import torch

    array = np.asarray(value)
    if name in bfloats or _dtypes.is_bfloat16(array.dtype):
        # PyTorch has the type and does not know NumPy's name for it.
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    elif array.dtype.kind in "SUVMmO":
        return value
    else:
        try:
            tensor = torch.from_numpy(array)
        except TypeError as e:
            raise TypeError(
                f"PyTorch {torch.__version__} has no {array.dtype}; use PyTorch 2.3 or newer, or "
                f"convert it in a transform of a Loader that gives NumPy, for example by "
                f".astype(np.int64)"
            ) from e
    return tensor.pin_memory() if pin and torch.cuda.is_available() else tensor


def _require_all(missing: Any, name: str) -> None:
    """Refuses missing values: a tensor has no mask, and zeros in their place would look like
    data."""
    if missing is not None and bool(np.any(missing)):
        raise ValueError(
            f"values of field {name!r} are missing, which a tensor cannot say; choose records that "
            f"have them, or fill them in a transform of a Loader that gives NumPy"
        )


class ReadyBatch(dict[str, Any]):
    """Columns of a batch that PyTorch's `DataLoader` asked for. Its own way to put samples together
    would look for sample 0 in it."""

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, int):
            raise TypeError(
                "this batch is ready, and there are no samples to put together: "
                "DataLoader(..., collate_fn=penstock.collate)"
            )
        raise KeyError(key)
