# SPDX-License-Identifier: Apache-2.0
"""Several datasets opened as one, by a list of paths or by a pattern."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterable
from typing import Any

from . import _jvm
from ._paths import PathLike, absolute, is_remote, is_utf8

_SHARD = ".shard"


def paths(path: Any) -> list[PathLike] | None:
    """The paths that a list or a pattern stands for, or None for a path of one dataset.

    Paths that match a pattern come in the order of the bytes of their names.

    Raises:
        FileNotFoundError: when nothing matches a pattern
        ValueError: when the list is empty
    """
    if isinstance(path, (str, bytes, os.PathLike)):
        text = os.fsdecode(path)
        return _matches(text) if _is_pattern(text) else None
    if not isinstance(path, Iterable):
        return None
    found: list[PathLike] = []
    for one in path:
        if isinstance(one, (str, bytes, os.PathLike)):
            text = os.fsdecode(one)
            is_pattern = glob.has_magic(text) and not is_remote(text) and not os.path.lexists(text)
            found.extend(_matches(text) if is_pattern else [one])
        else:
            found.extend(paths(one) or [one])
    if not found:
        raise ValueError("the list of datasets is empty; name at least one")
    return found


def shards(several: list[PathLike]) -> list[str] | None:
    """The absolute paths of activation shards, which make one corpus; None when there are other
    files or folders among the paths."""
    files = [absolute(one) for one in several]
    if not all(one.endswith(_SHARD) and is_utf8(one) for one in files):
        # The names decide without a question to Java, which decides by the content.
        return None
    return files if _jvm.call("isCorpus", paths=files) else None


def _is_pattern(text: str) -> bool:
    # An existing file may have a name like a pattern. Java opens a pattern of activation shards in
    # one folder, and reports the damaged ones.
    is_java = text.endswith(_SHARD) and not glob.has_magic(os.path.dirname(text))
    is_java = is_java or is_remote(text)
    return glob.has_magic(text) and not is_java and not os.path.lexists(text)


def _matches(pattern: str) -> list[PathLike]:
    found = sorted(glob.glob(pattern), key=os.fsencode)
    if not found:
        raise FileNotFoundError(errno.ENOENT, "no file or folder matches this pattern", pattern)
    return list(found)
