# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of docs/performance/python.md from the rows of a run.

./benchmark python --json | python3 benchmarks/src/main/python/page.py
"""

import json
import re
import sys


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(row):
    # Slow results have more decimal places, fast ones have none.
    places = 3 if row["ratio"] < 0.1 else 2 if row["ratio"] < 10 else 0
    return f"{row['ratio']:.{places}f} ({row['spread']:.0%})".replace("%", " %")


def is_way(row):
    return row.get("remark", "").endswith("GB/s")


def ways(rows, heads):
    """Returns a table of times with a line for each method and a column for each case."""
    found = {}
    for row in filter(is_way, rows):
        case, _, way = row["case"].partition("-")
        if case in heads:
            rate = row["remark"].removesuffix(" GB/s")
            found.setdefault(way, {})[case] = [number(row["value"]), rate, ratio(row)]
    columns = [f"{head}, us | GB/s | of memcpy (spread)" for head in heads.values()]
    yield "| way | " + " | ".join(columns) + " |"
    yield "|---|" + "---|" * (3 * len(heads))
    for way, cases in found.items():
        cells = [cell for case in heads for cell in cases.get(case, ["", "", ""])]
        yield f"| {way} | " + " | ".join(cells) + " |"


def goal(row):
    """Returns the goal of a ratio, in bold if it is missed."""
    name, _, state = row.get("remark", "").partition(": ")
    text = f"{float(name.removeprefix('goal ')):g}" if state else row.get("remark", "")
    return f"**{text}**" if state == "not reached" else text


def plain(text):
    """Marks names with double underscores as code: Markdown would print them in bold."""
    return re.sub(r"__\w+__", r"`\g<0>`", text)


def comparisons(rows):
    yield "| case | unit | ours | beside | | ratio (spread) | goal |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        if not is_way(row):
            cells = [row["case"], row["unit"], number(row["value"]), plain(row["floor"])]
            cells += [number(row["floorValue"]), ratio(row), goal(row)]
            yield "| " + " | ".join(cells) + " |"


def main():
    rows = json.load(sys.stdin)
    tables = [
        ways(rows, {"rows": "32-byte rows", "wide": "2 KiB rows"}),
        ways(rows, {"pack": "records of 1.5 KiB"}),
        comparisons(rows),
    ]
    print("\n\n".join("\n".join(table) for table in tables))


if __name__ == "__main__":
    main()
