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


# What some examples need and not everybody has.
OTHERS = ("torch", "pytorch_lightning", "grain")


def examples(readme: Path) -> list[tuple[str, set[str]]]:
    """The code of a page, and which others it needs."""
    codes = re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
    imported = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
    return [(code, set(imported.findall(code)) & set(OTHERS)) for code in codes]


def run(readme: Path, others: set[str]) -> int:
    """Runs what needs no more than these, in the order of the page; how many examples that were."""
    codes = [code for code, needed in examples(readme) if needed <= others]
    for code in codes:
        exec(compile(code, str(readme), "exec"), {"__name__": "example"})
    return len(codes)


@pytest.mark.parametrize("up", [1, 2])
def test_readme(up: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(Path(__file__).parents[up] / "README.md", set()) > 0


@pytest.mark.parametrize("name", ["python.md", "store.md", "loaderx.md", "shards.md"])
def test_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).parents[2] / "docs" / name
    monkeypatch.chdir(tmp_path)
    # One program from top to bottom.
    names = {"__name__": "example"}
    assert examples(page)
    for code, _ in examples(page):
        exec(compile(code, str(page), "exec"), names)
    # What is only named is there as well.
    for name in re.findall(r"\bpenstock\.([A-Za-z0-9_.]+)", page.read_text()):
        # Imports modules of the package on the way.
        pkgutil.resolve_name("penstock." + name.rstrip("."))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("others", [{"torch"}, {"torch", "pytorch_lightning"}, {"grain"}])
def test_readme_with_others(
    others: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in others:
        pytest.importorskip(name, reason=f"needs {name}; python/torch.sh installs it")
    monkeypatch.chdir(tmp_path)
    readme = Path(__file__).parents[1] / "README.md"
    assert run(readme, others) > run(readme, set())
