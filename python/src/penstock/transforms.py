# SPDX-License-Identifier: Apache-2.0
"""Transforms that a loader's threads run while they prefetch batches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _arguments, _dtypes
from ._images import DecodeImage, decode_image

__all__ = [
    "Ahead",
    "CentreScale",
    "Convert",
    "DecodeImage",
    "Normalise",
    "OneHot",
    "PackTokens",
    "Pad",
    "decode_image",
]


def __dir__() -> list[str]:
    """The public names, without the modules that this one imports."""
    return __all__


def _numbers(name: str, value: Any) -> np.ndarray[Any, Any]:
    """One number or several as an array.

    Raises:
        TypeError: when these are not numbers
    """
    try:
        return np.asarray(value, np.float64).reshape(-1)
    except (TypeError, ValueError):
        shown = _arguments.shown(value)
        raise TypeError(f"{name} must be a number or a list of numbers, got {shown}") from None


def _number(name: str, value: Any) -> float:
    """A number, which may be infinite or NaN."""
    found = _numbers(name, value)
    if found.size != 1 or isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a number, got {_arguments.shown(value)}")
    return float(found[0])


class Ahead:
    """A transform that runs in the loader's threads, before any function of Python."""

    def _request(self) -> dict[str, Any]:
        raise NotImplementedError

    def _arrays(self) -> dict[str, int]:
        """Variable fields that come as arrays: the length of a row, or 0 when each batch has its
        own."""
        return {}


class Convert(Ahead):
    """Converts numbers to another type, as `value * scale + shift`.

    A result that the type cannot represent becomes the nearest value of the type.

    Args:
        dtype: the new type
        fields: the fields to convert; by default all numeric fields, which dates are not

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
        self.dtype = _dtypes.parsed("dtype", dtype)
        self.fields = tuple(_arguments.text("fields", one) for one in fields)
        self.scale = _arguments.finite("scale", scale)
        self.shift = _arguments.finite("shift", shift)

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
    """Pads all records of a batch to the longest one, so that the batch is an array.

    A field `NAME_mask` is added, which is true for values and false for padding. Bytes become
    numbers.

    Args:
        field: a field of which records have different lengths
        fill: the padding value
        multiple: lengths are rounded up to a multiple of it, so that fewer shapes occur
        length_max: longer records are truncated

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
        self.field = _arguments.text("field", field)
        self.fill = _number("fill", fill)
        self.multiple = _arguments.integer("multiple", multiple, minimum=1)
        self.length_max = _arguments.integer_or_none("length_max", length_max, minimum=1)

    def __repr__(self) -> str:
        return (
            f"Pad({self.field!r}, fill={self.fill}, multiple={self.multiple}, "
            f"length_max={self.length_max})"
        )

    def _arrays(self) -> dict[str, int]:
        return {self.field: 0, f"{self.field}_mask": 0}

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
        scale: the factor, such as `ds.stats().centred_scale`
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
        self.mean = _numbers("mean", mean)
        self.scale = _arguments.finite("scale", scale)
        self.field = _arguments.text("field", field)
        self.dtype = _dtypes.parsed("dtype", dtype)

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


class PackTokens(Ahead):
    """Documents of any length packed into rows of one length.

    The field `NAME` becomes an array of rows. Beside it come three arrays of the same shape:
    `NAME_document` is the number of the token's document in the batch, from 1, and 0 for padding;
    `NAME_position` is the token's position in its document; `NAME_mask` is true for tokens.
    A document longer than a row is cut into pieces; positions continue across pieces. All documents
    of a batch are in its rows, so resuming is exact.

    Args:
        field: a field of which records have different lengths
        length: the number of tokens in a row
        order: `best_fit` puts each document, long ones first, into the fullest row that has space
            for it, which wastes little; `in_order` keeps their order, and a document that does not
            fit behind the one before begins the next row
        rows: the number of rows of every batch, so that all have one shape; by default the number
            that the documents need. A batch whose documents need more is an error
        fill: the padding value
        dtype: the type of the tokens if records are bytes, as in a pack

    >>> import numpy as np, penstock
    >>> texts = [np.arange(n, dtype="<u2") for n in (5, 3, 2, 6)]
    >>> penstock.write("tokens.a2pack", texts)
    >>> ds = penstock.open("tokens.a2pack")
    >>> pack = penstock.transforms.PackTokens(length=8, dtype="<u2")
    >>> with penstock.Loader(ds, batch_size=4, shuffle=False, transform=pack) as loader:
    ...     batch = next(iter(loader))
    >>> batch["value"]
    array([[0, 1, 2, 3, 4, 5, 0, 1],
           [0, 1, 2, 3, 4, 0, 1, 2]], dtype=uint16)
    >>> batch["value_document"]
    array([[4, 4, 4, 4, 4, 4, 3, 3],
           [1, 1, 1, 1, 1, 2, 2, 2]], dtype=int32)
    """

    def __init__(
        self,
        field: str = "value",
        *,
        length: int,
        order: str = "best_fit",
        rows: int | None = None,
        fill: float = 0.0,
        dtype: Any = np.uint8,
    ) -> None:
        self.field = _arguments.text("field", field)
        self.length = _arguments.integer("length", length, minimum=1, maximum=(1 << 31) - 1)
        self.order = _arguments.choice("order", order, ("best_fit", "in_order"))
        self.rows = _arguments.integer_or_none("rows", rows, minimum=1)
        self.fill = _number("fill", fill)
        self.dtype = _dtypes.parsed("dtype", dtype)

    def __repr__(self) -> str:
        rows = "" if self.rows is None else f", rows={self.rows}"
        return f"PackTokens({self.field!r}, length={self.length}, order={self.order!r}{rows})"

    def _arrays(self) -> dict[str, int]:
        suffixes = ("", "_document", "_position", "_mask")
        return {self.field + suffix: self.length for suffix in suffixes}

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "packTokens",
            "fields": [self.field],
            "length": self.length,
            "inOrder": self.order == "in_order",
            "rows": self.rows,
            "fill": float(self.fill),
            "type": _dtypes.java_name(self.dtype),
        }


class OneHot(Ahead):
    """Classes as vectors that are 1 at the class and 0 elsewhere. A number out of range is an error
    that names its record.

    Args:
        classes: the number of classes; class numbers are from 0 to `classes - 1`
        field: a field of whole numbers
        dtype: the type of the vectors

    >>> import numpy as np, penstock
    >>> penstock.write("labels.npy", np.array([2, 0]))
    >>> one_hot = penstock.transforms.OneHot(3)
    >>> ds = penstock.open("labels.npy")
    >>> with penstock.Loader(ds, batch_size=2, shuffle=False, transform=one_hot) as loader:
    ...     print(next(iter(loader)))
    [[0. 0. 1.]
     [1. 0. 0.]]
    """

    def __init__(self, classes: int, *, field: str = "value", dtype: Any = np.float32) -> None:
        self.classes = _arguments.integer("classes", classes, minimum=1)
        self.field = _arguments.text("field", field)
        self.dtype = _dtypes.parsed("dtype", dtype)

    def __repr__(self) -> str:
        return f"OneHot({self.classes}, field={self.field!r}, dtype={self.dtype})"

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "oneHot",
            "fields": [self.field],
            "classes": self.classes,
            "type": _dtypes.java_name(self.dtype),
        }


class Normalise(Ahead):
    """Numbers normalised by statistics that were computed before: `(value - mean) / std`.

    Args:
        mean: one number, or one for each element, or for each of the last dimension or dimensions,
            such as the channels of images
        std: the standard deviation, in the same form; finite and not 0
        field: a field of numbers
        dtype: the type that the field gets

    >>> import numpy as np, penstock
    >>> penstock.write("levels.npy", np.array([[0, 100], [200, 60]], dtype=np.uint8))
    >>> normalise = penstock.transforms.Normalise([100, 80], [50, 20])
    >>> ds = penstock.open("levels.npy")
    >>> with penstock.Loader(ds, batch_size=2, shuffle=False, transform=normalise) as loader:
    ...     print(next(iter(loader)))
    [[-2.  1.]
     [ 2. -1.]]
    """

    def __init__(
        self, mean: Any, std: Any, *, field: str = "value", dtype: Any = np.float32
    ) -> None:
        self.mean = _numbers("mean", mean)
        self.std = _numbers("std", std)
        if 1 not in (len(self.mean), len(self.std)) and len(self.mean) != len(self.std):
            raise ValueError(
                f"mean and std must be one number each, or equally many, got {len(self.mean)} and "
                f"{len(self.std)}"
            )
        self.field = _arguments.text("field", field)
        self.dtype = _dtypes.parsed("dtype", dtype)

    @classmethod
    def from_stats(cls, stats: Any, *, field: str = "value", dtype: Any = np.float32) -> Normalise:
        """Makes the transform from statistics that were computed before.

        Args:
            stats: what `ds.stats()` returned; or the output of `penstock stats --json` as a
                dictionary or as the path of a file
            field: the field whose statistics are used, and which is normalised

        >>> import numpy as np, penstock
        >>> penstock.write("heights.npy", {"x": np.array([1.0, 3.0])})
        >>> stats = penstock.open("heights.npy").stats()
        >>> penstock.transforms.Normalise.from_stats(stats, field="x").std
        array([1.])
        """
        if not isinstance(stats, dict):
            with open(stats, encoding="utf-8") as file:
                stats = json.load(file)
        listed = stats.get("fields")
        by_name = {one.get("name"): one for one in listed} if isinstance(listed, list) else stats
        found = by_name.get(field)
        if not isinstance(found, dict) or found.get("mean") is None or found.get("std") is None:
            names = ", ".join(map(str, by_name))
            raise ValueError(
                f"the statistics have no mean and std of {field!r}; the fields are {names}"
            )
        return cls(found["mean"], found["std"], field=field, dtype=dtype)

    def __repr__(self) -> str:
        return f"Normalise(mean and std of {len(self.mean)}, field={self.field!r})"

    def _request(self) -> dict[str, Any]:
        return {
            "kind": "normalise",
            "fields": [self.field],
            "type": _dtypes.java_name(self.dtype),
            "mean": self.mean.tolist(),
            "deviation": self.std.tolist(),
        }


Transform = Callable[[Any], Any] | Ahead
"""A function that is called with each batch, or work for the loader's threads."""


def split(
    transform: Transform | Sequence[Transform] | None,
) -> tuple[list[Ahead], list[Callable[[Any], Any]]]:
    """Splits transforms into those of the loader's threads and the functions of Python."""
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
        elif isinstance(step, type) and issubclass(step, Ahead):
            raise TypeError(
                f"transform must be an object of {step.__name__} and not the class; use "
                f"{step.__name__}(...)"
            )
        elif callable(step):
            functions.append(step)
        else:
            raise TypeError(
                "transform must be a function, one of penstock.transforms, or a list of them, got "
                f"{_arguments.shown(step)}"
            )
    return ahead, functions
