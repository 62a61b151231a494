# SPDX-License-Identifier: Apache-2.0
"""The plug-in of `examples/plugin`: its format, its command and its verb, without a change to the
package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import command_line

import penstock
from penstock import _runtime, game2048, plugins

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the Python package of the plug-in and its jar, made as the page says."""
    site = tmp_path_factory.mktemp("site")
    classes = site.with_name("classes")
    shutil.copytree(EXAMPLE / "python", site, dirs_exist_ok=True)
    tools = Path(_runtime.find_runtime().home) / "bin"
    sources = sorted((EXAMPLE / "java" / "example" / "toy").glob("*.java"))
    subprocess.run(
        [tools / "javac", "-proc:none", "-cp", _runtime.jar(), "-d", classes, *sources], check=True
    )
    jar = site / "penstock_toy" / "toy.jar"
    parts = ["-C", classes, ".", "-C", EXAMPLE / "java", "META-INF/services"]
    subprocess.run([tools / "jar", "--create", "--file", jar, *parts], check=True)
    return site


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    file = tmp_path / "numbers.toy"
    file.write_bytes(b"TOYS" + np.array([3, 1, 4, 1, 5], "<i8").tobytes())
    return file


SCRIPT = """
    import sys
    sys.path.insert(0, {site!r})
    import penstock, penstock_toy
    ds = penstock.open({file!r})
    print(ds.format, len(ds), ds["number"][:].tolist(), int(ds[-1]["number"]), penstock_toy.sum(ds))
    print([batch["number"].tolist() for batch in penstock.Loader(ds, 2, shuffle=False)])
    try:
        penstock.plugins.call("toy.product", ds)
    except ValueError as e:
        print(e)
"""
ANSWERS = "toy 5 [3, 1, 4, 1, 5] 5 14\n[[3, 1], [4, 1], [5]]\nthe plug-in toy has no verb product\n"


def test_package_with_jar_adds_format_and_verb(
    site: Path, numbers: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script = SCRIPT.format(site=str(site), file=str(numbers))
    assert run(script).stdout == ANSWERS


def test_variable_adds_jar_to_python(
    site: Path, numbers: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script = f"""
        import penstock
        ds = penstock.open({str(numbers)!r})
        print(ds.format, penstock.plugins.call("toy.sum", ds))
    """
    jar = site / "penstock_toy" / "toy.jar"
    assert run(script, PENSTOCK_PLUGINS=str(jar)).stdout == "toy 14\n"


def test_variable_adds_command(site: Path, numbers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_PLUGINS", str(site / "penstock_toy" / "toy.jar"))
    assert subprocess.check_output(command_line("sum", numbers), text=True) == "sum 14\n"


def test_file_of_missing_plugin_is_refused(numbers: Path) -> None:
    with pytest.raises(penstock.WrongFormatError):
        penstock.open(numbers)


def test_jar_is_refused_after_start(tmp_path: Path) -> None:
    jar = tmp_path / "late.jar"
    with pytest.raises(FileNotFoundError, match="no such jar"):
        plugins.add(jar)
    jar.write_bytes(b"")
    with pytest.raises(RuntimeError, match="import the plug-in before the first dataset"):
        plugins.add(jar)
    assert str(jar) not in os.environ.get("PENSTOCK_PLUGINS", "")


def test_unknown_plugin_is_named() -> None:
    with pytest.raises(ValueError, match=r"no plug-in missing .* PENSTOCK_PLUGINS"):
        plugins.call("missing.verb")
    with pytest.raises(ValueError, match=r"'NAME\.VERB'"):
        plugins.call("memory")


def test_transform_of_plugin(tmp_path: Path) -> None:
    boards = np.zeros(4, [("board", "<u8")])
    boards["board"] = [1, 2, 3, 0x1234]
    np.save(tmp_path / "boards.npy", boards)
    ds = penstock.open(tmp_path / "boards.npy")
    made = plugins.Transform("game2048.symmetry", symmetry=4)
    assert repr(made) == "Transform('game2048.symmetry', symmetry=4)"
    (batch,) = penstock.Loader(ds, 4, shuffle=False, transform=made)
    (expected,) = penstock.Loader(ds, 4, shuffle=False, transform=game2048.Symmetry(4))
    np.testing.assert_array_equal(batch["board"], expected["board"])
    assert batch["board"][3] == 0x4321
