# SPDX-License-Identifier: Apache-2.0
"""Metadata that only a release knows, and a README whose links work outside of the repository.

`PENSTOCK_URL` is the home page of the project. `PENSTOCK_SOURCE_URL` is the address of its files,
such as https://host/name/blob/v1.0; without it, links to files of the repository become plain
words.

The extra "runtime" brings the package penstock-runtime of the same version. In a clone that is the
one in the folder `runtime`, unless `PENSTOCK_PUBLISH` says that the package is built for others.
"""

from __future__ import annotations

import os
import posixpath
import re
import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")


def published(text: str, source: str) -> str:
    """A page of the folder `python` with links that work anywhere."""

    def replaced(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("python", link[2]))
        return f"[{link[1]}]({source.rstrip('/')}/{target})" if source else link[1]

    return _LINK.sub(replaced, text)


class ReleaseMetadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = os.environ.get("PENSTOCK_SOURCE_URL", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": published(text, source)}
        home = os.environ.get("PENSTOCK_URL", "")
        if home:
            metadata["urls"] = {"Homepage": home}
        extras = {name: list(needed) for name, needed in self.config["extras"].items()}
        extras["runtime"] = [runtime_requirement(Path(self.root))]
        metadata["optional-dependencies"] = extras


def runtime_requirement(root: Path) -> str:
    """The package with the Java runtime: of this clone, or of this version."""
    runtime = root / "runtime"
    if (root.parent / "mvnw").exists() and not os.environ.get("PENSTOCK_PUBLISH"):
        return f"penstock-runtime @ {runtime.as_uri()}"
    version = runpy.run_path(str(root / "hatch_version.py"))["__version__"]
    return f"penstock-runtime=={version}"
