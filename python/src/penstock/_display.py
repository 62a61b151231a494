# SPDX-License-Identifier: Apache-2.0
"""Records as people look at them: tables of text and of HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._dataset import Dataset

_CELL_SIZE = 40
_SHOWN_RECORDS = 5
_SHOWN_FIELDS = 20


def size_text(size: float) -> str:
    """A number of bytes in decimal units."""
    unit = "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if size < 1000:
            break
        unit, size = larger, size / 1000
    return f"{size:.4g} {unit}"


def count_text(count: int) -> str:
    """A number of records."""
    return "1 record" if count == 1 else f"{count:,} records"


def cell(value: Any) -> str:
    """A value in one line of at most 40 characters."""
    if isinstance(value, bytes):
        text = repr(value[:_CELL_SIZE])
        size = f"... ({len(value):,} bytes)"
        is_whole = len(text) <= _CELL_SIZE and len(value) <= _CELL_SIZE
        return text if is_whole else text[: _CELL_SIZE - len(size)] + size
    if isinstance(value, np.ndarray) and value.ndim:
        text = np.array2string(value, threshold=6, edgeitems=2, precision=4, separator=" ")
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= _CELL_SIZE else text[: _CELL_SIZE - 3] + "..."


def rows(dataset: Dataset, count: int) -> list[list[str]]:
    """The first records as cells: their number, their name where they have names, their values."""
    batch = dataset[:count]
    columns = batch if isinstance(batch, dict) else {"value": batch}
    shown = list(columns)[:_SHOWN_FIELDS]
    has_names = dataset._has_names
    table = [["", *(["name"] if has_names else []), *shown]]
    for number in range(min(count, len(dataset))):
        name = [str(dataset.name(number))] if has_names else []
        table.append([str(number), *name, *(cell(columns[field][number]) for field in shown)])
    return table


def text_table(table: list[list[str]]) -> str:
    """Cells in columns of one width."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ("  ".join(f"{one:>{w}}" for one, w in zip(row, widths, strict=True)) for row in table)
    return "\n".join(line.rstrip() for line in lines)


def html_table(table: list[list[str]]) -> str:
    """Cells as a table of HTML; nothing in them is taken for HTML."""
    head, *body = ([html.escape(one) for one in row] for row in table)
    lines = ["".join(f"<th>{one}</th>" for one in head)]
    lines += [
        "".join(f"<{tag}>{one}</{tag}>" for tag, one in zip(_tags(row), row, strict=True))
        for row in body
    ]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _tags(row: list[str]) -> list[str]:
    return ["th", *["td"] * (len(row) - 1)]


def html_text(dataset: Dataset) -> str:
    """A dataset in a notebook: what it is, its fields, and its first records."""
    title = f"{dataset.format}, {count_text(len(dataset))}, {size_text(dataset.nbytes)}"
    parts = [f"<div><strong>{html.escape(dataset.path)}</strong>: {html.escape(title)}</div>"]
    fields = list(dataset.fields.values())
    parts.append(html_table([["field", "type"], *([one.name, str(one)] for one in fields[:20])]))
    if len(fields) > _SHOWN_FIELDS:
        parts.append(f"<div>and {len(fields) - _SHOWN_FIELDS} more fields</div>")
    try:
        parts.append(html_table(rows(dataset, _SHOWN_RECORDS)))
    except (OSError, ValueError, RuntimeError) as e:
        # Looking at a damaged dataset is a way to find out what is wrong with it.
        parts.append(f"<div>The first records cannot be read: {html.escape(str(e))}</div>")
    return "".join(parts)
