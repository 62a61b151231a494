# SPDX-License-Identifier: Apache-2.0
"""Endless batches of two datasets, prefetched by threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

from ._datasets import BaseDataset
from ._sampler import Sampler, Words

Batch = dict[str, Any]


def _same(batch: Any) -> Any:
    return batch


class DataLoader:
    """Batches `{"data": ..., "label": ...}` of a dataset and its labels, without end.

    The records are those that loaderx 0.3.0 draws for the same mode and seed, and batches come in
    that order. An exception of a dataset or of the transform is raised by the `next` that asks for
    its batch; the `next` after it continues with the following batch.

    Args:
        dataset: the data; a `BaseDataset`, or anything with `len`, `__getitems__` and `close`
        labelset: the labels, of the same length
        num_workers: the number of threads that gather and transform
        batch_size: the number of records in a batch
        prefetch_size: the number of batches to prefetch
        mode: as `Sampler.Mode`: 0 in order, 1 at random with replacement, 2 permuted
        seed: the seed of the random modes
        transform: called with a pair of data and labels in a worker; returns such a pair

    Raises:
        ValueError: when the lengths differ, there are no records, or an argument is out of range
    """

    def __init__(
        self,
        dataset: BaseDataset,
        labelset: BaseDataset,
        num_workers: int = 4,
        batch_size: int = 256,
        prefetch_size: int = 4,
        mode: int = 1,
        seed: int = 42,
        transform: Callable[[tuple[Any, Any]], tuple[Any, Any]] = _same,
    ) -> None:
        if len(dataset) != len(labelset):
            raise ValueError(
                "dataset and labelset must have the same length, but dataset has "
                f"{len(dataset):,} records and labelset has {len(labelset):,}"
            )
        if len(dataset) == 0:
            raise ValueError("dataset has no records, so there are no batches")
        if num_workers < 1 or prefetch_size < 1:
            raise ValueError(
                f"num_workers and prefetch_size must be at least 1, got {num_workers} and "
                f"{prefetch_size}"
            )
        self.dataset = dataset
        self.labelset = labelset
        self.sampler = Sampler(len(dataset), batch_size, mode, seed)
        self._transform = transform
        self._lock = threading.Lock()
        self._is_closed = False
        # When the loader is collected, its threads end with the executor.
        self._executor = ThreadPoolExecutor(num_workers, thread_name_prefix="penstock-loaderx")
        self._ahead: deque[Future[Batch]] = deque()
        for _ in range(prefetch_size + num_workers):
            self._begin_batch()

    def _begin_batch(self) -> None:
        indices = self.sampler.next()
        self._ahead.append(
            self._executor.submit(_batch, self.dataset, self.labelset, self._transform, indices)
        )

    def __len__(self) -> int:
        raise TypeError("Eternal loader has no length.")

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        with self._lock:
            self._require_open()
            # The next one begins first, so that an interruption leaves the order as it is.
            self._begin_batch()
            batch = self._ahead.popleft()
        try:
            return batch.result()
        except CancelledError:
            self._require_open()
            raise
        except StopIteration as e:
            # A StopIteration would end the caller's loop silently.
            raise RuntimeError("a dataset or the transform raised StopIteration") from e

    def _require_open(self) -> None:
        if self._is_closed:
            raise ValueError("the loader is closed")

    def __enter__(self) -> DataLoader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the threads and closes both datasets."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._ahead.clear()
        # Batches that have begun are finished; the others are cancelled.
        self._executor.shutdown(wait=True, cancel_futures=True)
        self.dataset.close()
        self.labelset.close()


def _batch(
    dataset: BaseDataset,
    labelset: BaseDataset,
    transform: Callable[[tuple[Any, Any]], tuple[Any, Any]],
    indices: Words,
) -> Batch:
    """Makes a batch. It does not refer to the loader, so that the loader can be collected
    meanwhile."""
    data, label = transform((dataset.__getitems__(indices), labelset.__getitems__(indices)))
    return {"data": data, "label": label}
