# SPDX-License-Identifier: Apache-2.0
"""The Java runtime of penstock: `HOME` is its folder."""

from pathlib import Path

HOME = str(Path(__file__).resolve().parent / "java")
