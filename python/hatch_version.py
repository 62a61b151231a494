# SPDX-License-Identifier: Apache-2.0
"""The version of the package. It stands in one place, the pom.xml of the project; a source archive
has it in its PKG-INFO."""

from __future__ import annotations

import re
from pathlib import Path


def python_version(maven: str) -> str:
    """A version of Maven as Python spells it: `1.2.0.dev0` for `1.2.0-SNAPSHOT`."""
    return maven.replace("-SNAPSHOT", ".dev0")


def read_version(root: Path) -> str:
    """The version that the package in a folder has."""
    pom = root.parent / "pom.xml"
    if pom.exists():
        found = re.search(
            r"<artifactId>penstock-parent</artifactId>\s*<version>(.*?)<", pom.read_text()
        )
        if found is not None:
            return python_version(found[1])
    found = re.search(r"^Version: (.*)$", (root / "PKG-INFO").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError("there is no version in ../pom.xml, nor in PKG-INFO")
    return found[1]


__version__ = read_version(Path(__file__).resolve().parent)
