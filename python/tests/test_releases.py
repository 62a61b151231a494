# SPDX-License-Identifier: Apache-2.0
"""Files of every release stay readable, and so do states of its loaders."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import penstock

ROOT = Path(__file__).parents[2]
RELEASES = ROOT / "testdata" / "releases"
FOLDERS = sorted(path for path in RELEASES.glob("[!_]*") if path.is_dir())


def _make() -> Any:
    spec = importlib.util.spec_from_file_location("make", RELEASES / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        # The folder has folders of releases alone, and none of compiled modules.
        patch.setattr(sys, "dont_write_bytecode", True)
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_files_of_releases(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text())
    assert len(expected["datasets"]) >= 8
    make = _make()
    for name, values in expected["datasets"].items():
        assert make.summary(folder / name) == values, name
        opened = penstock.open(folder / name)
        assert opened.verify().ok, name
    with penstock.Loader(folder / "table.npy", 3, seed=7) as loader:
        loader.load_state_dict(expected["state"])
        ids = [int(one) for batch in loader for one in batch["id"]]
    assert sorted(ids) == sorted(set(ids)) and len(ids) == 5


def test_new_files_are_as_those_of_the_last_release(tmp_path: Path) -> None:
    _make().make(tmp_path / "new")
    new = json.loads((tmp_path / "new" / "expected.json").read_text())
    last = json.loads((FOLDERS[-1] / "expected.json").read_text())
    assert new["datasets"] == last["datasets"] and new["epoch"] == last["epoch"]
