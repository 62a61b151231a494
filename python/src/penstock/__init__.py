# SPDX-License-Identifier: Apache-2.0
"""Memory-mapped training data: open any dataset, gather records, load batches, resume exactly.

>>> import numpy as np, penstock
>>> penstock.write("squares.npy", np.arange(10) ** 2)
>>> ds = penstock.open("squares.npy")
>>> ds[[3, -1]]
array([ 9, 81])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import plugins, samplers, shards, transforms
from ._column import Column
from ._contents import ContentIndex
from ._converting import convert, doctor
from ._copying import copy
from ._dataset import Dataset, open
from ._dtypes import Field
from ._errors import (
    CorruptDataError,
    DatasetError,
    StoreLostError,
    StorePublishError,
    StoreStoppedError,
    UnsupportedVersionError,
    WrongFormatError,
)
from ._files import read_csv
from ._history import Origin, RecordPlace
from ._in_memory import from_memory
from ._jvm import ForkedError
from ._loader import Loader, collate
from ._mapped import Mapped
from ._memory import BatchPlace, memory
from ._mixing import Stage, mix, mix_from
from ._objects import Objects
from ._ragged import Ragged
from ._runtime import JavaNotFoundError
from ._serving import serve
from ._sql import sql
from ._store import Store, rebalance
from ._tree import HybridTree, Tree, TreeNode
from ._verification import Problem, Verification
from ._versions import show_versions
from ._views import Mixture, concat, zip
from ._windows import windows
from ._writer import PackWriter, TableWriter, write

__version__: str

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The version of the installed package, which takes some milliseconds to look up, and the
        modules that need PySpark or Ray."""
        if name == "__version__":
            from importlib.metadata import version

            return version("penstock")
        if name in ("ray", "spark"):
            from importlib import import_module

            try:
                return import_module(f"penstock.{name}")
            except ImportError as e:
                raise AttributeError(f"penstock.{name} cannot be imported: {e}") from e
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")


__all__ = [
    "BatchPlace",
    "Column",
    "ContentIndex",
    "CorruptDataError",
    "Dataset",
    "DatasetError",
    "Field",
    "ForkedError",
    "HybridTree",
    "JavaNotFoundError",
    "Loader",
    "Mapped",
    "Mixture",
    "Objects",
    "Origin",
    "PackWriter",
    "Problem",
    "Ragged",
    "RecordPlace",
    "Stage",
    "Store",
    "StoreLostError",
    "StorePublishError",
    "StoreStoppedError",
    "TableWriter",
    "Tree",
    "TreeNode",
    "UnsupportedVersionError",
    "Verification",
    "WrongFormatError",
    "collate",
    "concat",
    "convert",
    "copy",
    "doctor",
    "from_memory",
    "memory",
    "mix",
    "mix_from",
    "open",
    "plugins",
    "read_csv",
    "rebalance",
    "samplers",
    "serve",
    "shards",
    "show_versions",
    "sql",
    "transforms",
    "windows",
    "write",
    "zip",
]


def __dir__() -> list[str]:
    """The public names, without the modules that this one imports."""
    return [*__all__, "__version__"]
