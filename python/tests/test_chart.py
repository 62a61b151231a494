# SPDX-License-Identifier: Apache-2.0
"""The chart that `./benchmark --chart` draws."""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as tree

import pytest

ROOT = pathlib.Path(__file__).parents[2]
CHART = ROOT / "benchmarks/src/main/python/chart.py"


def draw(rows, folder):
    file = folder / "rows.json"
    file.write_text(json.dumps(rows))
    return subprocess.run(
        [sys.executable, CHART, file], capture_output=True, text=True, check=False
    )


def row(case, speed):
    return {"name": "python", "case": case, "ratio": 1.0, "remark": f"{speed} GB/s"}


def test_bars_are_as_long_as_their_speeds(tmp_path):
    rows = [row("wide-loader", 8.0), row("wide-getitems-0", 4.0), row("wide-getitems-2", 1.0)]
    drawn = draw([*rows, {"case": "wide-loader", "remark": "goal 2: reached"}], tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    root = tree.fromstring(drawn.stdout)
    names = {"svg": "http://www.w3.org/2000/svg"}
    widths = [int(bar.get("width")) for bar in root.findall("svg:rect", names)]
    assert len(widths) == 2
    assert widths[0] == 2 * widths[1]
    texts = [text.text for text in root.findall("svg:text", names)]
    assert "8.00" in texts
    assert "4.00" in texts
    assert "1.00" not in texts, "the fastest way of a label counts"


def test_the_committed_chart_is_that_of_the_committed_figures():
    figures = ROOT / "docs/performance/python.json"
    drawn = subprocess.run(
        [sys.executable, CHART, figures], capture_output=True, text=True, check=True
    )
    assert drawn.stdout == (ROOT / "docs/performance/loaders.svg").read_text()


@pytest.mark.parametrize("content", ["", "[]", "[1", '[{"case": "x"}]'])
def test_files_without_rows_are_refused(tmp_path, content):
    file = tmp_path / "rows.json"
    file.write_text(content)
    drawn = subprocess.run(
        [sys.executable, CHART, file], capture_output=True, text=True, check=False
    )
    assert drawn.returncode == 1
    assert drawn.stderr.startswith("chart: ")
    assert "Traceback" not in drawn.stderr
