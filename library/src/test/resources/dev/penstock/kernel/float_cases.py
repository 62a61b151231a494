# SPDX-License-Identifier: Apache-2.0
"""Numbers and what NumPy and ml_dtypes make of them: float_cases.py FOLDER SEED."""

import pathlib
import sys

import ml_dtypes
import numpy as np

folder = pathlib.Path(sys.argv[1])
random = np.random.default_rng(int(sys.argv[2]))


def ties(narrow):
    """Halves between neighbours of a type, and the numbers just beside them, as doubles."""
    bits = random.integers(0, 1 << (8 * narrow.itemsize), 4000).astype(f"<u{narrow.itemsize}")
    one = bits.view(narrow).astype(np.float64)
    other = (bits + 1).astype(bits.dtype).view(narrow).astype(np.float64)
    middle = (one + other) / 2
    return np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)])


bfloat16 = np.dtype(ml_dtypes.bfloat16)
with np.errstate(all="ignore"):
    doubles = np.concatenate(
        [
            random.integers(0, 1 << 64, 4000, dtype=np.uint64).view(np.float64),
            random.normal(size=4000) * 10.0 ** random.integers(-45, 40, 4000),
            ties(np.dtype(np.float16)),
            ties(np.dtype(np.float32)),
            ties(bfloat16),
            [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 65504, 65519.99, 65520, 3.4028235e38, 3.5e38],
        ]
    )
    floats = np.concatenate(
        [random.integers(0, 1 << 32, 8000, dtype=np.uint32).view(np.float32), doubles.astype(np.float32)]
    )
    doubles.tofile(folder / "f64")
    floats.tofile(folder / "f32")
    doubles.astype(np.float32).tofile(folder / "f64-f32")
    doubles.astype(np.float16).tofile(folder / "f64-f16")
    doubles.astype(bfloat16).tofile(folder / "f64-bf16")
    floats.astype(np.float64).tofile(folder / "f32-f64")
    floats.astype(np.float16).tofile(folder / "f32-f16")
    floats.astype(bfloat16).tofile(folder / "f32-bf16")
    every = np.arange(1 << 16, dtype="<u2")
    every.tofile(folder / "f16")
    every.tofile(folder / "bf16")
    for wide in (np.float32, np.float64):
        every.view(np.float16).astype(wide).tofile(folder / f"f16-f{8 * np.dtype(wide).itemsize}")
        every.view(bfloat16).astype(wide).tofile(folder / f"bf16-f{8 * np.dtype(wide).itemsize}")
    every.view(np.float16).astype(np.float32).astype(bfloat16).tofile(folder / "f16-bf16")
    every.view(bfloat16).astype(np.float32).astype(np.float16).tofile(folder / "bf16-f16")
