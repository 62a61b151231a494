# SPDX-License-Identifier: Apache-2.0
"""Makes the Java runtime before it is packed, and names the platform that it is for."""

from __future__ import annotations

import platform
import re
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GLIBC = re.compile(rb"\0GLIBC_2\.([0-9]+)\0")


class RuntimeHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = Path(self.root)
        if not (here.parents[1] / "mvnw").exists():
            raise RuntimeError("penstock-runtime is built from a checkout: there is no ../../mvnw")
        jar = runpy.run_path(str(here.parent / "hatch_build.py"))["bring_jar"](here.parent)
        image = runpy.run_path(str(here / "java_image.py"))
        folder = here / "src" / "penstock_runtime" / "java"
        if not image["is_current"](folder, jar):
            shutil.rmtree(folder, ignore_errors=True)
            image["make"](folder, jar, self.metadata.version)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(folder)}"


def platform_tag(folder: Path) -> str:
    """The tag of the oldest systems that can load the libraries of the runtime."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        return f"macosx_11_0_{machine}"
    needed = {17}
    for file in folder.rglob("*.so"):
        needed.update(int(number) for number in GLIBC.findall(file.read_bytes()))
    return f"manylinux_2_{max(needed)}_{machine}"
