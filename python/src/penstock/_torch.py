# SPDX-License-Identifier: Apache-2.0
"""Batches as PyTorch tensors without copying. PyTorch is imported on first use."""

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
    """Converts arrays of numbers to tensors. Text, dates, bytes and other types are unchanged.

    Args:
        value: an array, a `Ragged`, or a dictionary or a tuple of them
        pin: whether tensors are copied to pinned memory, where there is a GPU
        bfloats: names of fields that are bfloat16, even if NumPy has them as uint16
        name: the name of this field
    """
    if isinstance(value, dict):
        return {key: to_torch(one, pin, bfloats, key) for key, one in value.items()}
    if type(value) is tuple:
        return tuple(to_torch(one, pin, bfloats) for one in value)
    if isinstance(value, Ragged):
        require_present(value.missing, name)
        values = to_torch(value.values, pin, bfloats, name)
        return Ragged(values, to_torch(value.offsets, pin))
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if _conversion.is_masked(value):
        require_present(np.ma.getmaskarray(value), name)
    import torch

    array = np.asarray(value)
    if name in bfloats or _dtypes.is_bfloat16(array.dtype):
        # PyTorch has bfloat16, but cannot convert NumPy's extension type.
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


def require_present(missing: Any, name: str) -> None:
    """Refuses missing values: a tensor has no mask, and zeros in their place would look like
    data."""
    if missing is not None and bool(np.any(missing)):
        raise ValueError(
            f"values of field {name!r} are missing, and a tensor has no mask; choose records that "
            f"have them, or fill them in a transform of a Loader that gives NumPy"
        )


class ReadyBatch(dict[str, Any]):
    """The columns of a batch that PyTorch's `DataLoader` asked for. PyTorch's default collate
    function would look for sample 0 in it, so that lookup raises an error with advice."""

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, int):
            raise TypeError(
                "this is a complete batch, which the default collate_fn cannot use; use "
                "DataLoader(..., collate_fn=penstock.collate)"
            )
        raise KeyError(key)
