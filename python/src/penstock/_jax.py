# SPDX-License-Identifier: Apache-2.0
"""Batches as JAX arrays, zero-copy where JAX allows it. JAX is imported on first use."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from . import _conversion, _dtypes
from ._ragged import Ragged
from ._torch import require_present


def require_jax() -> None:
    """Raises when JAX is not installed."""
    try:
        import jax  # noqa: F401
    except ImportError as e:
        raise ImportError(
            "to='jax' needs JAX, which is not installed; install it, or use to='numpy'"
        ) from e


def to_jax(value: Any, bfloats: Collection[str] = (), name: str = "") -> Any:
    """Converts arrays of numbers to JAX arrays. Text, dates, bytes and other types are unchanged.

    JAX takes over memory of the CPU without a copy. Numbers of 64 bits become numbers of 32 bits
    unless JAX was told otherwise (`jax_enable_x64`), as everywhere in JAX.

    Args:
        value: an array, a `Ragged`, or a dictionary or a tuple of them
        bfloats: names of fields that are bfloat16, even if NumPy has them as uint16
        name: the name of this field
    """
    if isinstance(value, dict):
        return {key: to_jax(one, bfloats, key) for key, one in value.items()}
    if type(value) is tuple:
        return tuple(to_jax(one, bfloats) for one in value)
    if isinstance(value, Ragged):
        require_present(value.missing, name)
        # The offsets of a `Ragged` stay in NumPy, because Python reads them.
        return Ragged(to_jax(value.values, bfloats, name), value.offsets)
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if _conversion.is_masked(value):
        require_present(np.ma.getmaskarray(value), name)
    import jax
    import jax.numpy as jnp

    array = np.asarray(value)
    if name in bfloats or _dtypes.is_bfloat16(array.dtype):
        # DLPack does not know the type under NumPy's name, so JAX converts the array itself.
        return jnp.asarray(array.view(jnp.bfloat16))
    if array.dtype.kind in "SUVMmO":
        return value
    if array.ndim == 0 or not array.flags.writeable:
        # NumPy cannot export read-only arrays by DLPack.
        return jnp.asarray(array)
    shared = jnp.from_dlpack(array)
    # Moves the array to the accelerator, if there is one.
    return shared if jax.default_backend() == "cpu" else jax.device_put(shared)
