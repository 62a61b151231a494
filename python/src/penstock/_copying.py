# SPDX-License-Identifier: Apache-2.0
"""`copy`: the files of a dataset, to object storage and from there."""

from __future__ import annotations

from typing import Any

from . import _arguments, _jvm, _paths


def copy(
    source: _paths.PathLike,
    target: _paths.PathLike,
    *,
    snapshot: str | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Copies the files of a dataset as they are: to object storage, from there, or between two
    places. Parts of files are copied in parallel. The copy appears when it is complete, and is
    compared with the source by checksums and fingerprint. An interrupted copy is continued by the
    same call.

    Args:
        source: the path or address of a dataset
        target: the path or address of the copy, such as `s3://bucket/corpus`
        snapshot: the named snapshot of a store to copy instead of its last commit
        overwrite: whether a dataset of this name is replaced

    Returns:
        what was copied: `format`, `records`, `files`, `bytes`, `kept_bytes` (what an interrupted
        copy had written), `fingerprint`

    >>> import numpy as np, penstock
    >>> _ = penstock.write("rows.npy", np.arange(5))
    >>> penstock.copy("rows.npy", "copy.npy")["records"]
    5
    """
    request: dict[str, Any] = {
        "source": _paths.absolute(source),
        "target": _paths.absolute(target),
        "overwrite": _arguments.boolean("overwrite", overwrite),
    }
    if snapshot is not None:
        request["snapshot"] = _arguments.text("snapshot", snapshot)
    answer: dict[str, Any] = _jvm.call_patiently("copy", **request)
    return answer
