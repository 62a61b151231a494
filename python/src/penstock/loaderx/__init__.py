# SPDX-License-Identifier: Apache-2.0
"""The interface of loaderx 0.3.0, on top of penstock: change the import and keep the program.

>>> import numpy as np
>>> from penstock.loaderx import ARDataset, DataLoader, NPDataset, converter
>>> np.save("labels.npy", np.arange(1000))
>>> converter(np.zeros((1000, 28, 28), np.float32), "images")
>>> with DataLoader(ARDataset("images"), NPDataset("labels.npy")) as loader:
...     batch = next(loader)
>>> batch["data"].shape, batch["label"].shape
((256, 28, 28), (256,))

A loader is endless. It draws the same records as loaderx 0.3.0 for the same seed. Unlike there,
batches come in the order of the sampler with any number of workers, an exception in a worker
reaches the caller, and `close` always returns.
"""

from __future__ import annotations

from ._converter import converter
from ._dataloader import DataLoader
from ._datasets import ARDataset, BaseDataset, NPDataset
from ._sampler import Sampler

__all__ = ["ARDataset", "BaseDataset", "DataLoader", "NPDataset", "Sampler", "converter"]
