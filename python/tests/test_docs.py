# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings and in the README run as they stand."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import penstock


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(penstock.__path__)] + [""])
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "__main__":
        pytest.skip("runs the command line when it is imported as such")
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(f"penstock.{name}" if name else "penstock")
    if int(np.__version__.split(".")[0]) < 2:
        pytest.skip("NumPy 1 shows numbers in another way")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("up", [1, 2])
def test_readme(up: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = Path(__file__).parents[up] / "README.md"
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL):
        exec(compile(code, str(readme), "exec"), {})
