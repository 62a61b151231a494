# SPDX-License-Identifier: Apache-2.0
"""Chooses the format of a new file by its extension."""

from __future__ import annotations

import os

EXTENSIONS = {".npy": "table", ".a2pack": "pack", ".act": "tree", ".tree": "tree"}

# Formats that only `penstock.write` writes.
OTHER_EXTENSIONS = {".npz": "npz", ".csv": "csv", ".store": "store"}


def format_of(path: str) -> str | None:
    """The format that the extension of a path stands for, or None when it has no extension.

    Raises:
        ValueError: when the extension is unknown
    """
    extension = os.path.splitext(path.rstrip("/"))[1]
    if not extension:
        return None
    if extension not in EXTENSIONS:
        known = ", ".join(f"{known} (a {kind})" for known, kind in EXTENSIONS.items())
        raise ValueError(
            f"{path} has the unknown extension {extension}; the known ones are {known}, .store "
            "(a store), .npz (several arrays) and .csv (text). A name without an extension becomes "
            "a pack for a list of bytes, and otherwise a folder with a table"
        )
    return EXTENSIONS[extension]


def require_format(path: str, kind: str) -> None:
    """Raises when the extension of a path is unknown or stands for another format."""
    found = format_of(path)
    if found is not None and found != kind:
        wanted = next(known for known, format in EXTENSIONS.items() if format == kind)
        extension = os.path.splitext(path)[1]
        raise ValueError(
            f"{path}: {extension} is the extension of a {found}, and this is a {kind}; end the "
            f"name in {wanted}, or give it no extension"
        )
