# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings and in the README run as they stand."""

from __future__ import annotations

import codeop
import doctest
import importlib.util
import pkgutil
import re
import shlex
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import CommandServer

import penstock


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(penstock.__path__)] + [""])
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "__main__":
        pytest.skip("runs the command line when it is imported as such")
    needed = {"_sql": "duckdb", "ray": "ray", "spark": "pyspark"}.get(name)
    if needed is not None:
        pytest.importorskip(needed, reason=f"needs {needed}; python/extra.sh installs it")
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(f"penstock.{name}" if name else "penstock")
    if int(np.__version__.split(".")[0]) < 2:
        pytest.skip("NumPy 1 shows numbers in another way")
    assert doctest.testmod(module).failed == 0


# Packages that some examples need and that may not be installed.
OTHERS = ("torch", "pytorch_lightning", "grain", "PIL", "duckdb")
DOCS = Path(__file__).parents[2] / "docs"


def examples(readme: Path) -> list[tuple[str, set[str]]]:
    """The examples of a page, each with the optional packages that it imports."""
    codes = re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
    imported = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
    return [(code, set(imported.findall(code)) & set(OTHERS)) for code in codes]


def run(readme: Path, others: set[str]) -> int:
    """Runs the examples that need no other optional packages, in the order of the page. Returns the
    number of these examples."""
    codes = [code for code, needed in examples(readme) if needed <= others]
    for code in codes:
        exec(compile(code, str(readme), "exec"), {"__name__": "example"})
    return len(codes)


@pytest.mark.parametrize("up", [1, 2])
def test_readme(up: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(Path(__file__).parents[up] / "README.md", set()) > 0


PAGES = [
    "index.md",
    "python.md",
    "order.md",
    "tutorial.md",
    "store.md",
    "loaderx.md",
    "shards.md",
    *(f"howto/{page.name}" for page in DOCS.glob("howto/*.md") if "```python" in page.read_text()),
]


@pytest.mark.parametrize("name", ["../README.md", "index.md", "tutorial.md"])
def test_code_can_be_pasted_into_an_interactive_python(name: str) -> None:
    """Up to Python 3.12 a block ends with an empty line there."""
    for code, _ in examples(DOCS / name):
        lines: list[str] = []
        for line in [*code.splitlines(), ""]:
            lines.append(line)
            if codeop.compile_command("\n".join(lines), name) is not None:
                lines = []
        assert not lines, lines


# The output of an example stands below it in a block of text.
OUTPUT = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)


def in_group(value: Any, needed: set[str]) -> Any:
    """A parameter of a test. One process imports PyTorch for all tests that need it, and one
    imports Grain. Images are decoded with torchvision, which imports PyTorch."""
    if needed & {"torch", "pytorch_lightning", "PIL"}:
        return pytest.param(value, marks=pytest.mark.xdist_group("torch"))
    return pytest.param(value, marks=pytest.mark.xdist_group("grain") if "grain" in needed else ())


@pytest.mark.parametrize(
    "name",
    [
        in_group(name, {one for _, needed in examples(DOCS / name) for one in needed})
        for name in PAGES
    ],
)
def test_page(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = DOCS / name
    monkeypatch.chdir(tmp_path)
    # One program from top to bottom.
    names = {"__name__": "example"}
    found = list(OUTPUT.finditer(page.read_text()))
    assert found and len(found) == len(examples(page))
    for (code, needed), block in zip(examples(page), found, strict=True):
        for other in sorted(needed):
            pytest.importorskip(other, reason=f"needs {other}; python/torch.sh installs it")
        capsys.readouterr()
        exec(compile(code, str(page), "exec"), names)
        if block["output"] is not None:
            assert_printed(capsys.readouterr().out, block["output"])
    # Names that the text mentions exist as well.
    for name in re.findall(r"\bpenstock\.([A-Za-z0-9_.]+)", page.read_text()):
        # Imports modules of the package on the way.
        pkgutil.resolve_name("penstock." + name.rstrip("."))


def assert_printed(printed: str, expected: str) -> None:
    """Asserts that words are equal and that numbers are close: versions of PyTorch and processors
    round differently, which a loss after some epochs shows."""
    words, wanted = printed.split(), expected.split()
    assert len(words) == len(wanted), printed
    for word, want in zip(words, wanted, strict=True):
        if word != want:
            assert abs(float(word.strip("[]")) - float(want.strip("[]"))) < 0.2, printed


def test_the_comparison_of_outputs_finds_differences() -> None:
    assert_printed("loss: 0.41\n[1 2]", "loss: 0.37\n[1 2]")
    for printed in ("loss: 0.61\n[1 2]", "less: 0.37\n[1 2]", "loss: 0.37\n[1 2] 3"):
        with pytest.raises((AssertionError, ValueError)):
            assert_printed(printed, "loss: 0.37\n[1 2]")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "others",
    [in_group(one, one) for one in ({"torch"}, {"torch", "pytorch_lightning"}, {"grain"})],
)
def test_readme_with_others(
    others: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in others:
        pytest.importorskip(name, reason=f"needs {name}; python/torch.sh installs it")
    monkeypatch.chdir(tmp_path)
    readme = Path(__file__).parents[1] / "README.md"
    assert run(readme, others) > run(readme, set())


@pytest.mark.xdist_group("torch")
def test_the_commands_and_the_code_of_the_page_about_steps_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "steps.md").read_text()
    monkeypatch.chdir(tmp_path)
    lines = page.split("```sh\n")[1].split("```")[0].splitlines()
    assert len(lines) == 8
    # The commands have relative paths.
    with closing(CommandServer()) as here:
        for line in lines:
            name, *arguments = shlex.split(line, comments=True)
            assert name == "penstock"
            done = here.run(*arguments)
            assert done.returncode == 0, (line, done.stderr)
    code = page.split("```python\n")[1].split("```")[0]
    if importlib.util.find_spec("torch") is None:
        code = code.replace(', to="torch"', "")
    names: dict[str, Any] = {}
    exec(code, names)
    assert len(next(iter(names["loader"]))["exponents"]) == 4096
