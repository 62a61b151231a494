# SPDX-License-Identifier: Apache-2.0
"""Puts the jar into the package before it is packed, building it when it is missing or stale."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

JAR = "app/target/penstock-all.jar"

# The same function that the launchers use, so that all agree on what is stale.
BUILD = f"""
set -euo pipefail
. .mvn/jdk25.sh
require_jdk25
require_utf8
build_if_stale {JAR} app library convert plugin loaderx groups objects game2048 explorer app
"""


def bring_jar(root: Path) -> Path:
    """Returns the jar in the package of the folder `python`, as it is built from the sources."""
    checkout = root.parent
    target = root / "src" / "penstock" / "jar" / "penstock.jar"
    if not (checkout / "mvnw").exists():
        # A source archive carries the jar and no Java sources.
        if not target.exists():
            raise RuntimeError("penstock is built from a checkout: there is no ../mvnw and no jar")
        return target
    subprocess.run(["bash", "-c", BUILD], cwd=checkout, check=True)
    source = checkout / JAR
    if not target.exists() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
    return target


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs for wheels, editable installs and source archives."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        bring_jar(Path(self.root))
