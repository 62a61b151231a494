# SPDX-License-Identifier: Apache-2.0
"""`sql`: queries over datasets by DuckDB, and the program behind the command `penstock sql`.

DuckDB reads the columns that a query needs, as a stream. Which ones it needs is in its plan for the
same query over empty tables.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from . import _streams, _tabular
from ._dataset import Dataset, open

# What DuckDB reads by itself.
_OF_DUCKDB = (
    ".parquet",
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".gz",
    ".zst",
    ".db",
    ".duckdb",
)
_BEFORE_TABLES = {"from", "join", "describe", "summarize", "table"}
_AFTER_TABLES = {
    "where",
    "group",
    "order",
    "having",
    "limit",
    "select",
    "on",
    "using",
    "union",
    "(",
}
_ROWS_SHOWN = 40


class _Table:
    """A dataset as DuckDB sees it: some of its columns."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.columns = [field.name for field in dataset._fields]

    def narrow(self, reads: str) -> None:
        """Leaves out the columns that do not occur in a plan. One column at least is needed,
        because it has the number of records."""
        read = [name for name in self.columns if name in reads]
        smallest = min(self.dataset._fields, key=lambda field: (field.variable, field.item_size))
        self.columns = read or [smallest.name]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        reader = _streams.stream(self.dataset, self.columns)
        return reader.__arrow_c_stream__(requested_schema)


def sql(query: str, /, **datasets: Dataset) -> Any:
    """Runs a query of SQL over datasets, by DuckDB.

    A path between quotes behind `from` or `join` is a dataset, which is opened: `from 'steps.npy'`.
    DuckDB itself reads Parquet, CSV and JSON. Other names are those of `datasets`.

    Args:
        query: one statement
        datasets: open datasets, by the names that the query has for them

    Returns:
        a relation of DuckDB, with methods such as `fetchall()`, `df()`, `arrow()` and `show()`

    Raises:
        ImportError: when DuckDB or pyarrow is not installed: `pip install penstock[sql]`

    >>> import numpy as np, penstock
    >>> penstock.write("labels.npy", {"label": np.arange(10) % 3, "x": np.arange(10.0)})
    >>> penstock.sql("select label, sum(x) from 'labels.npy' group by 1 order by 1").fetchall()
    [(0, 18.0), (1, 12.0), (2, 15.0)]
    """
    duckdb = _tabular._imported("duckdb", "sql()")
    _tabular._imported("pyarrow", "sql()")
    tables = {name: _Table(dataset) for name, dataset in datasets.items()}
    query = _with_tables(duckdb, query, tables)
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, _empty(table))
    reads = _reads(duckdb, connection, query)
    for name, table in tables.items():
        if reads is not None:
            table.narrow(reads)
        connection.unregister(name)
        connection.register(name, table)
    relation = connection.sql(query)
    return relation if relation is not None else connection


def _with_tables(duckdb: Any, query: str, tables: dict[str, _Table]) -> str:
    """The query with a name for each path, and the datasets at the paths among the tables."""
    kinds = duckdb.token_type
    tokens = duckdb.tokenize(query)
    paths: dict[str, str] = {}
    text, end = "", 0
    before, is_from = "", False
    for place, (start, kind) in enumerate(tokens):
        stop = tokens[place + 1][0] if place + 1 < len(tokens) else len(query)
        word = query[start:stop].rstrip()
        is_from = (is_from or before in _BEFORE_TABLES) and before not in _AFTER_TABLES
        is_table = before in _BEFORE_TABLES or (is_from and before == ",")
        if kind in (kinds.string_const, kinds.identifier) and is_table:
            path = _path(word)
            if path is not None:
                name = paths.get(path)
                if name is None:
                    name = paths[path] = f"_dataset_{len(paths)}"
                    tables[name] = _Table(_opened(path))
                text += query[end:start] + name
                end = start + len(word)
        before = word.lower()
    return text + query[end:]


def _path(word: str) -> str | None:
    """The path of a dataset between quotes, or None for anything else."""
    if len(word) < 3 or word[0] not in "'\"" or word[-1] != word[0]:
        return None
    path = word[1:-1].replace(word[0] * 2, word[0])
    if path.lower().endswith(_OF_DUCKDB):
        return None
    is_there = "://" in path or os.path.exists(path) or any(one in path for one in "*?[")
    return path if is_there or word[0] == "'" else None


def _opened(path: str) -> Dataset:
    dataset = open(path)
    if not isinstance(dataset, Dataset):
        raise ValueError(f"{path} has no records that are read by index; convert it first")
    return dataset


def _empty(table: _Table) -> Any:
    return _streams.schema(table.dataset, table.columns).empty_table()


def _reads(duckdb: Any, connection: Any, query: str) -> str | None:
    """What the plan of a query says of the reads from its tables: the names of columns, and
    conditions, which have names as well. None if there is no plan."""
    try:
        rows = connection.execute("explain (format json) " + query).fetchall()
        plans = json.loads(rows[0][1])
    except (duckdb.Error, ValueError, IndexError):
        return None
    found = ""
    waiting = list(plans)
    while waiting:
        step = waiting.pop()
        waiting += step.get("children", [])
        if step.get("name", "").strip() == "ARROW_SCAN":
            found += "\n".join(_texts(step.get("extra_info", {})))
    return found


def _texts(value: Any) -> Iterator[str]:
    """The texts inside of a value of JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value


def main(arguments: list[str]) -> int:
    """Runs the query of the command line: the query, and `text` or `json`."""
    query, form = arguments
    try:
        relation = sql(query)
        if form == "text":
            if hasattr(relation, "show"):
                relation.show(max_rows=_ROWS_SHOWN)
            return 0
        columns = [{"name": one[0], "type": str(one[1])} for one in relation.description or []]
        names = [one["name"] for one in columns]
        rows = [dict(zip(names, row, strict=True)) for row in relation.fetchall()]
        print(json.dumps({"columns": columns, "rows": rows}, default=_plain))
        return 0
    except ImportError as e:
        print(f"{e} (or `pip install penstock[sql]`)", file=sys.stderr)
        return 3
    except (OSError, MemoryError) as e:
        print(e or "out of memory", file=sys.stderr)
        return 3
    except Exception as e:
        print(e, file=sys.stderr)
        return 2 if type(e).__module__.startswith("_duckdb") or isinstance(e, ValueError) else 1


def _plain(value: Any) -> Any:
    """A value that JSON does not have."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    return str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
