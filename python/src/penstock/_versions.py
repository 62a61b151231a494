# SPDX-License-Identifier: Apache-2.0
"""Versions of the packages and of the machine, for bug reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

from . import _runtime

_PACKAGES = (
    "numpy",
    "ml_dtypes",
    "torch",
    "jax",
    "pytorch-lightning",
    "grain",
    "pandas",
    "pyarrow",
)


def versions() -> dict[str, str]:
    """The versions of penstock, Python, Java and the packages that penstock works with, by name."""
    from . import __version__

    found = {
        "penstock": __version__,
        "Python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "cores": str(os.cpu_count()),
    }
    found.update(_java())
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _java() -> dict[str, str]:
    try:
        runtime = _runtime.find_runtime()
    except _runtime.JavaNotFoundError as e:
        return {"Java": f"not found: {e}"}
    vectors = "yes" if runtime.has_vectors else "no, so some operations are slower"
    return {
        "Java": f"{runtime.version} ({runtime.home})",
        "vector module": vectors,
        "jar": _runtime.jar(),
    }


def show_versions() -> None:
    """Prints the versions of penstock, Python, Java and the packages that penstock works with.
    Include it when you report a problem."""
    found = versions()
    width = max(len(name) for name in found)
    for name, text in found.items():
        print(f"{name:<{width}}  {text}")
