# SPDX-License-Identifier: Apache-2.0
"""The example that finds the records behind a spike of the loss."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "loss_spike.py"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("loss_spike", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_exactly_the_poisoned_records_are_found_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = example()
    module.main(["--folder", str(tmp_path)])
    printed = capsys.readouterr().out
    assert f"{len(module.POISONED)} records do not fit, in {{'part-3.npy': 24}}" in printed, printed
    first = module.POISONED.start - 3 * module.ROWS // module.SHARDS
    assert str(list(range(first, first + 24))) in printed, printed
    assert float(re.search(r"largest loss is (\S+),", printed)[1]) < 100  # type: ignore[index]
    assert np.loadtxt(tmp_path / "losses.txt")[-50:].max() < 0.01
