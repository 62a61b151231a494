# SPDX-License-Identifier: Apache-2.0
"""Which records have exactly this content: an index by digest in a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _arguments
from ._dataset import Dataset
from ._paths import PathLike
from ._tree import Tree, write_tree

_DIGEST_SIZE = 16
_INDEX_SIZE = 8
# Paths of the tree: the content with the number of its record, and facts about the dataset.
_CONTENT = b"c"
_FINGERPRINT = b"fingerprint/"


class ContentIndex:
    """Finds the records that have exactly some content, without reading the dataset: whether a test
    document was in the training set, and with `Loader.steps_of` when.

    The index is a tree with 25 bytes for each record, mapped and not loaded: a digest of 128 bits
    of the record's value, and its number. It is built once. Building reads the dataset once and
    sorts on disk, so it takes little memory, whatever the number of records. A file that exists is
    opened, if it belongs to the dataset.

    Args:
        path: the file of the index, a name that ends in `.tree`
        dataset: the dataset
        field: the field whose values are compared; by default the whole record
        overwrite: whether an index of another dataset, or an old one, is built again

    Raises:
        ValueError: when the file is an index of another dataset, or of other records

    >>> import penstock
    >>> texts = penstock.from_memory([b"one", b"two", b"one"])
    >>> with penstock.ContentIndex("texts.tree", texts) as index:
    ...     index.find(b"one"), index.find("three")
    ([0, 2], [])
    """

    def __init__(
        self,
        path: PathLike,
        dataset: Dataset,
        *,
        field: str | None = None,
        overwrite: bool = False,
    ) -> None:
        if not isinstance(dataset, Dataset):
            raise TypeError(f"dataset must be a dataset, got {_arguments.shown(dataset)}")
        if field is not None and field not in dataset.fields:
            raise KeyError(f"no field {field!r}; the fields are {', '.join(dataset.fields)}")
        self._dataset = dataset
        self._field = None if dataset.is_plain else field
        self.path = os.path.abspath(os.fsdecode(path))
        known = _FINGERPRINT + f"{dataset.fingerprint}/{self._field or ''}".encode()
        if overwrite or not os.path.exists(self.path):
            write_tree(self.path, self._pairs(known), overwrite=overwrite)
        self._tree = Tree(self.path)
        if known not in self._tree:
            self._tree.close()
            raise ValueError(
                f"{self.path} is not an index of this dataset as it is now; give overwrite=True to "
                "build it again"
            )

    def _pairs(self, known: bytes) -> Iterator[tuple[bytes, int]]:
        yield known, len(self._dataset)
        for number, record in enumerate(self._dataset):
            value = record if self._field is None else record[self._field]
            yield _CONTENT + _digest(value) + number.to_bytes(_INDEX_SIZE, "big"), number

    def find(self, value: Any) -> list[int]:
        """Returns the records with this content, in ascending order. Text stands for its UTF-8, and
        a number for a value of the field's type."""
        if not isinstance(value, (bytes, bytearray, memoryview, str, dict)):
            value = self._converted(value)
        return [record for _, record in self._tree.items(_CONTENT + _digest(value))]

    def _converted(self, value: Any) -> Any:
        """A number or an array with the type of the values that are compared."""
        fields = self._dataset.fields
        name = self._field or (next(iter(fields)) if len(fields) == 1 else None)
        return value if name is None else np.asarray(value, fields[name].dtype)

    def __len__(self) -> int:
        """Returns the number of records."""
        return len(self._dataset)

    def close(self) -> None:
        """Closes the index. The dataset stays open."""
        self._tree.close()

    def __enter__(self) -> ContentIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<penstock.ContentIndex {self.path!r} of {len(self):,} records>"


def _digest(value: Any) -> bytes:
    digest = hashlib.sha256()
    _add(digest, value)
    return digest.digest()[:_DIGEST_SIZE]


def _add(digest: Any, value: Any) -> None:
    """Adds a value. The names and sizes of fields keep different records apart."""
    if isinstance(value, dict):
        for name in sorted(value):
            part = hashlib.sha256()
            _add(part, value[name])
            digest.update(name.encode() + b"\0" + part.digest())
    elif value is None:
        digest.update(b"\0missing")
    elif isinstance(value, str):
        digest.update(value.encode())
    elif isinstance(value, (bytes, bytearray, memoryview)):
        digest.update(value)
    else:
        digest.update(np.ascontiguousarray(value).tobytes())
