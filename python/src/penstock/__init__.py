# SPDX-License-Identifier: Apache-2.0
"""Memory-mapped training data: open any dataset, gather records, load batches, resume exactly.

>>> import numpy as np, penstock
>>> penstock.write("squares.npy", np.arange(10) ** 2)
>>> ds = penstock.open("squares.npy")
>>> ds[[3, -1]]
array([ 9, 81])
"""

from __future__ import annotations

from . import samplers, shards, transforms
from ._column import Column
from ._dataset import Dataset, open
from ._dtypes import Field
from ._errors import CorruptDataError, DatasetError, UnsupportedVersionError, WrongFormatError
from ._jvm import ForkedError
from ._loader import Loader, collate
from ._memory import BatchPlace
from ._ragged import Ragged
from ._runtime import JavaNotFoundError
from ._store import Store
from ._tree import HybridTree, Tree
from ._verification import Problem, Verification
from ._views import Mixture, concat, mix, zip
from ._writer import PackWriter, TableWriter, write

__version__ = "0.1.0.dev0"

__all__ = [
    "BatchPlace",
    "Column",
    "CorruptDataError",
    "Dataset",
    "DatasetError",
    "Field",
    "ForkedError",
    "HybridTree",
    "JavaNotFoundError",
    "Loader",
    "Mixture",
    "PackWriter",
    "Problem",
    "Ragged",
    "Store",
    "TableWriter",
    "Tree",
    "UnsupportedVersionError",
    "Verification",
    "WrongFormatError",
    "collate",
    "concat",
    "mix",
    "open",
    "samplers",
    "shards",
    "transforms",
    "write",
    "zip",
]
