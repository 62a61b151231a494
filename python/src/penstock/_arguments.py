# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, whose messages name the argument and the value that was given."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import numpy as np

_SHOWN_SIZE = 60

_Called = TypeVar("_Called", bound=Callable[..., Any])


def named_options(function: _Called) -> _Called:
    """Accepts options that are given by position, as earlier releases allowed it, with a
    DeprecationWarning. The signature says that they are given by name."""
    parameters = inspect.signature(function).parameters.values()
    count = sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)
    names = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        late = arguments[count:]
        if late and len(late) <= len(names) and not set(names[: len(late)]) & set(options):
            words = ", ".join(f"{name}=..." for name in names[: len(late)])
            warnings.warn(f"give options by name: {words}", DeprecationWarning, stacklevel=2)
            options.update(zip(names, late, strict=False))
            arguments = arguments[:count]
        return function(*arguments, **options)

    return call  # type: ignore[return-value]


def shown(value: Any) -> str:
    """A value as an error message shows it: its text, cut where it is long."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    text = repr(value)
    if len(text) > _SHOWN_SIZE:
        return f"{text[:_SHOWN_SIZE]}... ({type(value).__name__})"
    return text


def integer(
    name: str, value: Any, *, minimum: int | None = None, maximum: int | None = None
) -> int:
    """The value as an `int`.

    Raises:
        TypeError: when the value is not an integer; a `bool` is not one
        ValueError: when the value is below the minimum or above the maximum
    """
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {shown(value)}") from None
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be {minimum} or more, got {number}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be {maximum} or less, got {number}")
    if number >= 1 << 64 or number < -(1 << 63):
        raise ValueError(f"{name} does not fit 64 bits: {number}")
    return number


def integer_or_none(
    name: str, value: Any, *, minimum: int | None = None, maximum: int | None = None
) -> int | None:
    """`integer`, for an argument that may be left out."""
    return None if value is None else integer(name, value, minimum=minimum, maximum=maximum)


def text(name: str, value: Any) -> str:
    """The value, which must be a `str`.

    Raises:
        TypeError: when the value is something else
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {shown(value)}")
    return value


def boolean(name: str, value: Any) -> bool:
    """The value as a `bool`; 0, 1 and strings are not accepted.

    Raises:
        TypeError: when the value is not True or False
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def finite(name: str, value: Any) -> float:
    """The value as a `float` that is neither infinite nor NaN.

    Raises:
        TypeError: when the value is not a number
        ValueError: when the value is infinite or NaN
    """
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {shown(value)}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {number}")
    return number


def choice(name: str, value: Any, choices: Collection[str]) -> str:
    """The value, which must be one of some strings.

    Raises:
        TypeError: when the value is not a string
        ValueError: when the value is another string
    """
    if isinstance(value, str) and value in choices:
        return value
    words = [repr(one) for one in choices]
    listed = f"{', '.join(words[:-1])} or {words[-1]}"
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f"{name} must be {listed}, got {shown(value)}")


def texts(name: str, value: Any) -> list[str]:
    """The value as a list of strings.

    Raises:
        TypeError: when the value is a single string, or holds something other than strings
    """
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a list of names, got {shown(value)}; use [{value!r}]")
    try:
        found = list(value)
    except TypeError:
        raise TypeError(f"{name} must be a list of names, got {shown(value)}") from None
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"{name} must be a list of names, and {shown(one)} is among them")
    return found


def metadata(value: Any) -> dict[str, str]:
    """The argument `metadata` as a dictionary of strings by name.

    Raises:
        TypeError: when it is something else
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"metadata must be a dictionary of strings, got {shown(value)}")
    for name, one in value.items():
        if not isinstance(name, str) or not isinstance(one, str):
            raise TypeError(
                f"metadata must be a dictionary of strings, and has {name!r}: {shown(one)}"
            )
    return dict(value)
