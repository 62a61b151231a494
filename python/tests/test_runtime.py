# SPDX-License-Identifier: Apache-2.0
"""The package penstock-runtime: a Java runtime with the jar and its AOT caches inside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import _runtime

PROJECT = Path(__file__).parents[1] / "runtime"

# Linking a runtime and making its caches takes half a minute.
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("cache")]

USE = """
import sys, warnings
warnings.simplefilter("error")
import penstock
from penstock import _jvm, _runtime
ds = penstock.open(sys.argv[1])
batch = next(iter(penstock.Loader(ds, 10, seed=1)))
print(len(ds), sorted(batch["board"].tolist())[:2], _jvm.call("isSharing"))
print(_runtime.find_runtime().home, _runtime.find_runtime().has_vectors)
"""


@pytest.fixture(scope="module")
def installed() -> Path:
    """A folder with the installed package."""
    folder = Path.cwd() / "runtime"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "wheel")]
    done = subprocess.run(build, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    (wheel,) = (folder / "wheel").glob("penstock_runtime-*.whl")
    assert "-py3-none-manylinux_2_" in wheel.name or "-py3-none-macosx_" in wheel.name
    site = folder / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--upgrade"]
    subprocess.run([*install, "--target", str(site), str(wheel)], check=True)
    return site


@pytest.fixture
def variables(installed: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a process with that package, in a home folder that cannot be written."""
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    left_out = ("PENSTOCK_AOT_CACHE", "PENSTOCK_JAVA_HOME", "PENSTOCK_VECTORS", "XDG_CACHE_HOME")
    found = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**found, "HOME": str(home), "PYTHONPATH": str(installed)}


def use(steps: Path, variables: dict[str, str], **more: str) -> list[str]:
    line = [sys.executable, "-c", USE, str(steps)]
    done = subprocess.run(line, env={**variables, **more}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr[-3000:]
    return done.stdout.splitlines()


def test_the_first_process_has_linked_classes_and_profiles(
    installed: Path, steps: Path, variables: dict[str, str], tmp_path: Path
) -> None:
    home = Path(variables["HOME"])
    log = tmp_path / "log"
    # `on` ends the process unless the whole cache is used.
    options = f"-XX:AOTMode=on -Xlog:class+load:file={log} -Xlog:aot=info:file={tmp_path}/aot"
    lines = use(steps, variables, PENSTOCK_JAVA_OPTIONS=options)
    expected = _runtime.read_runtime(str(installed / "penstock_runtime" / "java"))
    assert expected is not None and expected.jar_inside == _runtime.jar_key(_runtime.jar())
    first = int(lines[0].split("[")[1].split(",")[0])
    assert lines[0].startswith("1000 [") and 0 <= first < 1000 and lines[0].endswith("] True")
    assert lines[1] == f"{expected.home} True"
    classes = log.read_text()
    # A runtime whose graph of modules is not in the cache does not load these from it.
    for name in ("dev.penstock.loader.Loader", "java.lang.invoke.MethodHandle"):
        assert f"{name} source: shared objects file" in classes
    assert "initial full module graph: enabled" in (tmp_path / "aot").read_text()
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    "variable",
    [("PENSTOCK_VECTORS", "off"), ("PENSTOCK_AOT_CACHE", ""), ("PENSTOCK_AOT_CACHE", "/proc/no")],
)
def test_variables_act_as_with_other_runtimes(
    steps: Path, variables: dict[str, str], variable: tuple[str, str]
) -> None:
    name, value = variable
    lines = use(steps, variables, **{name: value})
    assert lines[0].endswith(str(variable != ("PENSTOCK_AOT_CACHE", "")))


def test_vectors_are_instructions_in_compiled_code(installed: Path) -> None:
    """Java sets these flags when it defines the vector module, and a module from a cache is not
    defined again: without the options of the runtime vectors would be objects."""
    java = installed / "penstock_runtime" / "java" / "bin" / "java"
    flags = ["-XX:+UnlockExperimentalVMOptions", "-XX:+PrintFlagsFinal", "-version"]
    found = subprocess.run([java, *flags], capture_output=True, text=True, check=True).stdout
    for name in ("Support", "Reboxing", "AggressiveReboxing"):
        assert re.search(rf"EnableVector{name} += true ", found)


def test_the_working_folder_is_not_on_the_class_path(
    steps: Path, variables: dict[str, str], tmp_path: Path
) -> None:
    services = tmp_path / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "dev.penstock.convert.Target").write_text("not.There")
    code = "import penstock; penstock.write('a.npy', [1, 2]); print(len(penstock.open('a.npy')))"
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2\n", "")


def command(variables: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "penstock", *map(str, words)]
    return subprocess.run(line, env=variables, capture_output=True, text=True)


def test_commands_run_in_it(steps: Path, variables: dict[str, str], tmp_path: Path) -> None:
    done = command(variables, "--version")
    assert (done.stdout, done.stderr) == (f"penstock {penstock.__version__}\n", "")
    store = tmp_path / "steps.store"
    for words in (
        ["info", steps],
        ["verify", steps],
        ["stats", steps, "--json"],
        ["convert", steps, store],
        ["bench", steps, "--batch", "10"],
        ["game2048", "--help"],
    ):
        done = command(variables, *words)
        assert done.returncode == 0 and "at java" not in done.stderr, done.stderr[-3000:]
    assert len(penstock.open(store)) == 1000
    assert list(Path(variables["HOME"]).iterdir()) == []


def test_every_kind_of_pack_and_group_is_found_by_its_service(
    variables: dict[str, str], tmp_path: Path
) -> None:
    """Formats, commands and verbs of plug-ins are services of the module."""
    code = """
import sys, subprocess
import numpy as np, penstock
penstock.write("steps", {"episode": np.repeat(np.arange(5), 4), "x": np.arange(20.0)})
group = [sys.executable, "-m", "penstock", "table", "group", "steps", "--by", "episode"]
subprocess.run(group, check=True, capture_output=True)
print(len(penstock.open("steps").where("num_rows >= 4")))
with penstock.PackWriter("z.a2pack", codec="zstd") as writer:
    writer.append(b"x" * 10_000)
print(len(penstock.open("z.a2pack")[0]))
"""
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("20\n10000\n", "")


def test_one_of_another_build_is_not_used(
    steps: Path, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = installed / "penstock_runtime" / "java"
    assert _runtime.read_runtime(str(home)) is not None
    other = tmp_path / "other.jar"
    other.write_bytes(Path(_runtime.jar()).read_bytes())
    monkeypatch.setattr(_runtime, "jar", lambda: str(other))
    assert _runtime.read_runtime(str(home)) is not None
    with other.open("r+b") as file:
        # A byte in the directory at the end of the jar.
        file.seek(-100, os.SEEK_END)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))
    with pytest.warns(RuntimeWarning, match="another build of penstock"):
        assert _runtime.read_runtime(str(home)) is None


def test_the_extra_names_it() -> None:
    """`pip install './python[runtime]'` of a clone brings the package of that clone."""
    code = f"import runpy; print(runpy.run_path({str(PROJECT.parent / 'hatch_metadata.py')!r})"
    code += f"['runtime_requirement'](__import__('pathlib').Path({str(PROJECT.parent)!r})))"
    python = Path(sysconfig.get_path("scripts")) / "python"
    for publish, expected in (
        ("", f"penstock-runtime @ {PROJECT.as_uri()}\n"),
        ("yes", f"penstock-runtime=={penstock.__version__}\n"),
    ):
        environment: dict[str, Any] = {**os.environ, "PENSTOCK_PUBLISH": publish}
        done = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True)
        assert done.stdout == expected, done.stderr
