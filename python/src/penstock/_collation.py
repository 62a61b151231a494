# SPDX-License-Identifier: Apache-2.0
"""Makes a batch of samples, with the results of PyTorch's `default_collate`.

The usual samples take a shorter way: arrays are joined by NumPy and become one tensor, where
PyTorch makes a tensor of each. All other types go to `default_collate` itself.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

Batch = Any

_NUMBERS = {int: np.dtype(np.int64), float: np.dtype(np.float64)}


class Collate:
    """Makes batches of tensors for `torch`, and of arrays for `numpy`. It can be pickled."""

    def __init__(self, to: str) -> None:
        self.to = to

    def __call__(self, samples: Sequence[Any]) -> Batch:
        return torch_batch(samples) if self.to == "torch" else numpy_batch(samples)


def torch_batch(samples: Sequence[Any]) -> Batch:
    """The batch that `torch.utils.data.default_collate` makes. Images of Pillow, which it refuses,
    become tensors of their pixels."""
    import torch

    first = samples[0]
    kind = type(first)
    if kind is dict:
        return {key: torch_batch([one[key] for one in samples]) for key in first}
    if kind is tuple or kind is list:
        return [torch_batch(part) for part in _transposed(samples)]
    if kind is torch.Tensor and first.layout is torch.strided and not first.is_nested:
        return torch.stack(tuple(samples))
    if _is_image(first):
        return torch.from_numpy(_images(samples))
    array = _joined(samples) if kind is np.ndarray else _numbers(samples)
    if array is not None:
        try:
            return torch.from_numpy(array)
        except TypeError:
            # PyTorch words it.
            pass
    return torch.utils.data.default_collate(samples)


def numpy_batch(samples: Sequence[Any]) -> Batch:
    """The batch with the structure that `default_collate` gives it, and with arrays in place of
    tensors. Tensors stay tensors."""
    first = samples[0]
    if isinstance(first, Mapping):
        return {key: numpy_batch([one[key] for one in samples]) for key in first}
    if isinstance(first, (str, bytes)):
        return samples
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(numpy_batch, zip(*samples, strict=True)))
    if isinstance(first, Sequence):
        return [numpy_batch(part) for part in _transposed(samples)]
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor):
        return torch.stack(tuple(samples))
    if _is_image(first):
        return _images(samples)
    if isinstance(first, (np.ndarray, np.generic, Number)):
        joined = _joined(samples) if type(first) is np.ndarray else _numbers(samples)
        array = np.stack(samples) if joined is None else joined
        if not array.dtype.hasobject:
            return array
    raise TypeError(
        "a batch is made of tensors, arrays, numbers, strings, bytes, images, dictionaries, tuples "
        f"and lists, and a sample has a {type(first).__name__}; give collate_fn="
    )


def _transposed(samples: Sequence[Any]) -> list[tuple[Any, ...]]:
    size = len(samples[0])
    if not all(len(one) == size for one in samples):
        raise RuntimeError("each element in list of batch should be of equal size")
    return list(zip(*samples, strict=True))


def _joined(samples: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Arrays of one type and shape as one array, or None for others."""
    dtype, shape = samples[0].dtype, samples[0].shape
    for one in samples:
        if type(one) is not np.ndarray or one.dtype is not dtype or one.shape != shape:
            return None
    if dtype.kind not in "biufc" or not dtype.isnative:
        return None
    if not shape or 0 in shape:
        return np.stack(samples)
    # A third of the time of np.stack, which makes a view of each array first.
    return np.concatenate(samples).reshape((len(samples), *shape))


def _numbers(samples: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Whole numbers or floating point numbers as an array, or None for others."""
    wanted = _NUMBERS.get(type(samples[0]))
    if wanted is None:
        return None
    try:
        array = np.array(samples)
    except ValueError:
        return None
    # Text beside numbers, or numbers of two kinds, make an array of another type.
    return array if array.dtype == wanted and array.ndim == 1 else None


def _is_image(value: Any) -> bool:
    pillow: Any = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(value, pillow.Image)


def _images(samples: Sequence[Any]) -> np.ndarray[Any, Any]:
    sizes = {(one.mode, one.size) for one in samples}
    if len(sizes) > 1:
        raise ValueError(
            f"images of a batch must have one mode and size, and these have {sorted(sizes)[:3]}; "
            "resize them in the dataset, or give collate_fn="
        )
    return np.stack([np.asarray(one) for one in samples])


def pinned(batch: Batch) -> Batch:
    """Copies the tensors of a batch to pinned memory, where there is a GPU."""
    import torch

    if not torch.cuda.is_available():
        return batch
    from torch.utils.data._utils.pin_memory import pin_memory

    copied: Batch = pin_memory(batch)
    return copied
