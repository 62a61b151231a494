# SPDX-License-Identifier: Apache-2.0
"""What a loader's threads do to batches before anybody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _dtypes


class Ahead:
    """A transform that runs in the loader's threads, before any function of Python."""

    def _request(self) -> dict[str, Any]:
        raise NotImplementedError


class Convert(Ahead):
    """Numbers of another type, `value * scale + shift`.

    A number that the type does not have becomes the nearest it has.

    Args:
        dtype: the type that they get
        fields: which fields; without any, all that are numbers

    >>> import numpy as np, penstock
    >>> penstock.write("pixels.npy", np.array([[0, 51], [102, 255]], dtype=np.uint8))
    >>> to_unit = penstock.transforms.Convert(np.float32, scale=1 / 255)
    >>> ds = penstock.open("pixels.npy")
    >>> with penstock.Loader(ds, batch_size=2, shuffle=False, transform=to_unit) as loader:
    ...     print(next(iter(loader)))
    [[0.  0.2]
     [0.4 1. ]]
    """

    def __init__(self, dtype: Any, *fields: str, scale: float = 1.0, shift: float = 0.0) -> None:
        self.dtype = np.dtype(dtype)
        self.fields = fields
        self.scale = scale
        self.shift = shift

    def __repr__(self) -> str:
        names = "".join(f", {name!r}" for name in self.fields)
        return f"Convert({self.dtype}{names}, scale={self.scale}, shift={self.shift})"

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "convert",
            "fields": list(self.fields),
            "type": _dtypes.java_name(self.dtype),
            "scale": float(self.scale),
            "shift": float(self.shift),
        }


class Pad(Ahead):
    """All records of a batch as long as the longest of them: an array instead of a list.

    Beside the field `NAME` comes `NAME_mask`, which says what is real. Bytes become numbers.

    Args:
        field: a field of which records have different lengths
        fill: what the rest is filled with
        multiple: lengths are multiples of it, so that there are fewer different ones
        length_max: longer records are cut

    >>> import penstock
    >>> penstock.write("words.a2pack", [b"to", b"be", b"or not"])
    >>> ds = penstock.open("words.a2pack")
    >>> pad = penstock.transforms.Pad(length_max=4)
    >>> with penstock.Loader(ds, batch_size=3, shuffle=False, transform=pad) as loader:
    ...     batch = next(iter(loader))
    >>> batch["value"].shape, batch["value_mask"].sum(axis=1)
    ((3, 4), array([2, 2, 4]))
    """

    def __init__(
        self,
        field: str = "value",
        *,
        fill: float = 0.0,
        multiple: int = 1,
        length_max: int | None = None,
    ) -> None:
        self.field = field
        self.fill = fill
        self.multiple = multiple
        self.length_max = length_max

    def __repr__(self) -> str:
        return (
            f"Pad({self.field!r}, fill={self.fill}, multiple={self.multiple}, "
            f"length_max={self.length_max})"
        )

    @property
    def names(self) -> tuple[str, str]:
        """The fields that it makes."""
        return self.field, f"{self.field}_mask"

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "pad",
            "fields": [self.field],
            "fill": float(self.fill),
            "multiple": self.multiple,
            "lengthMax": self.length_max,
        }


class CentreScale(Ahead):
    """Activations with their mean subtracted, then multiplied: `(value - mean) * scale`.

    Args:
        mean: one number for each element of the field, such as `ds.stats().mean`
        scale: what the differences are multiplied by, such as `ds.stats().centred_scale`
        field: a field of floating-point numbers
        dtype: the type that the field gets

    >>> import numpy as np, penstock
    >>> penstock.write("points.npy", np.array([[1, 2], [3, 6]], dtype=np.float32))
    >>> centre = penstock.transforms.CentreScale([2, 4], 0.5)
    >>> ds = penstock.open("points.npy")
    >>> with penstock.Loader(ds, batch_size=2, shuffle=False, transform=centre) as loader:
    ...     print(next(iter(loader)))
    [[-0.5 -1. ]
     [ 0.5  1. ]]
    """

    def __init__(
        self, mean: Any, scale: float = 1.0, *, field: str = "value", dtype: Any = np.float32
    ) -> None:
        self.mean = np.asarray(mean, np.float64).reshape(-1)
        self.scale = float(scale)
        self.field = field
        self.dtype = np.dtype(dtype)

    def __repr__(self) -> str:
        return f"CentreScale(mean of {len(self.mean)}, {self.scale}, field={self.field!r})"

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "centreScale",
            "fields": [self.field],
            "type": _dtypes.java_name(self.dtype),
            "mean": self.mean.tolist(),
            "scale": self.scale,
        }


Transform = Callable[[Any], Any] | Ahead
"""A function that is called with each batch, or work for the loader's threads."""


def split(
    transform: Transform | Sequence[Transform] | None,
) -> tuple[list[Ahead], list[Callable[[Any], Any]]]:
    """What the loader's threads do, and what is left for the thread that iterates."""
    if transform is None:
        return [], []
    steps = list(transform) if isinstance(transform, Sequence) else [transform]
    ahead: list[Ahead] = []
    functions: list[Callable[[Any], Any]] = []
    for step in steps:
        if isinstance(step, Ahead):
            if functions:
                raise ValueError(f"{step!r} runs before any function and has to come before them")
            ahead.append(step)
        elif callable(step):
            functions.append(step)
        else:
            raise TypeError(
                f"a transform is a function, Convert, Pad or another of the package, not {step!r}"
            )
    return ahead, functions
