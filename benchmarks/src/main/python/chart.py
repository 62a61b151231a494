# SPDX-License-Identifier: Apache-2.0
"""Draws the chart of README.md and PERFORMANCE.md as SVG from the rows of a run of the Python benchmark.

./benchmark python --json > docs/performance/python.json
./benchmark --chart docs/performance/python.json > docs/performance/loaders.svg
"""

import json
import sys
from xml.sax.saxutils import escape

KINDS = {
    "rows": "Rows of 32 bytes, batches of 4,096",
    "wide": "Rows of 2 KiB, batches of 256",
    "pack": "Records of 1.5 KiB, batches of 1,024",
}
# The label of each bar and the ways of the benchmark that it may stand for. The fastest of them counts.
BARS = {
    "penstock.Loader": ["loader", "loader-ragged"],
    "DataLoader, __getitems__": ["getitems-0", "getitems-2"],
    "DataLoader, __getitem__": ["usual-0", "usual-2"],
    "LMDB, one get per record": ["lmdb-get"],
}
WIDTH = 760
LABEL_WIDTH = 210
FIGURE_WIDTH = 90
BAR_HEIGHT = 18
BAR_STEP = 24
PANEL_GAP = 30


def gigabytes_per_second(row):
    return float(row["remark"].removesuffix(" GB/s"))


def bars(rows, kind):
    """Returns the label and the speed in GB/s of each bar of a kind that was measured."""
    speeds = {
        row["case"].partition("-")[2]: gigabytes_per_second(row)
        for row in rows
        if row["case"].startswith(kind + "-") and row.get("remark", "").endswith(" GB/s")
    }
    for label, ways in BARS.items():
        measured = [speeds[way] for way in ways if way in speeds]
        if measured:
            yield label, max(measured)


def text(x, y, content, style):
    return f'<text x="{x}" y="{y}" class="{style}">{escape(content)}</text>'


def panel(title, measured, top):
    """Returns the elements of one panel: a title and a bar for each way, all on the scale of the fastest."""
    yield text(0, top + 14, f"{title}: GB/s", "title")
    fastest = max(speed for _, speed in measured)
    for i, (label, speed) in enumerate(measured):
        y = top + 24 + i * BAR_STEP
        width = max(1, round(speed / fastest * (WIDTH - LABEL_WIDTH - FIGURE_WIDTH)))
        style = "ours" if label.startswith("penstock") else "theirs"
        yield text(LABEL_WIDTH - 10, y + 14, label, "label")
        yield f'<rect x="{LABEL_WIDTH}" y="{y}" width="{width}" height="{BAR_HEIGHT}" class="{style}"/>'
        figure = f"{speed:.2f}" if speed >= 0.01 else "under 0.01"
        yield text(LABEL_WIDTH + width + 8, y + 14, figure, "figure")


def chart(rows):
    elements = []
    top = 0
    for kind, title in KINDS.items():
        measured = list(bars(rows, kind))
        if measured:
            elements += panel(title, measured, top)
            top += 24 + len(measured) * BAR_STEP + PANEL_GAP
    if not elements:
        raise SystemExit("chart: the file has no rows of the Python benchmark; make it with ./benchmark python --json")
    height = top - PANEL_GAP
    style = (
        "text{font:13px sans-serif;fill:#24292f}.title{font-weight:bold}.label{text-anchor:end}"
        ".ours{fill:#0b6e99}.theirs{fill:#b4bcc4}"
        "@media(prefers-color-scheme:dark){text{fill:#d0d7de}.ours{fill:#4fb3d9}.theirs{fill:#6e7781}}"
    )
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">'
    yield "<title>Random batches in GB/s: penstock.Loader beside other ways to load them</title>"
    yield f"<style>{style}</style>"
    yield from elements
    yield "</svg>"


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: ./benchmark --chart FILE.json > FILE.svg")
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            rows = json.load(file)
    except (OSError, ValueError) as error:
        raise SystemExit(f"chart: {sys.argv[1]} cannot be read: {error}") from None
    print("\n".join(chart(rows)))


if __name__ == "__main__":
    main()
