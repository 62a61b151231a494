# SPDX-License-Identifier: Apache-2.0
"""The modules of the package import only modules below them, and their functions are short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "penstock"
FUNCTION_LINES_MAX = 70

# From the lowest to the highest. A module imports modules of its own layer and of those below it.
# Inside a function it may import any module: methods of a dataset return views of it.
LAYERS = {
    "plain Python": "_arguments _errors _formats _paths _ragged _ranks _signals _verification "
    "_workers",
    "the Java runtime": "_caches _jvm _rehearsal _runtime",
    "values": "_collation _conversion _display _dtypes _images _index _jax _memory _records "
    "_reductions _samples _tabular _torch",
    "one dataset": "_column _dataset _exploring _forked _history _maps _rows _served _several "
    "_tree",
    "datasets over datasets": "_contents _files _groups _in_memory _mapped _objects _serving "
    "_views _windows",
    "writing": "_changes _losses _store _store_values _writer shards",
    "sources of other packages": "_array_batches _array_record _arrow _batches _converting "
    "_copying _decoding _hdf5 _lerobot _lmdb _npz _reading _zarr",
    "clusters": "_parts _ranges _sql _streams ray spark",
    "loading": "_batchwork _following _loader _loader_arguments _mixing _processes plugins "
    "samplers transforms",
    "plug-ins": "_steps game2048",
    "the package": "__init__ __main__ _versions",
}
LEVELS = {name: level for level, names in enumerate(LAYERS.values()) for name in names.split(" ")}


def imported(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """The modules of the package that a module imports, each with whether a function does it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for name in [node.module] if node.module else [one.name for one in node.names]:
                yield name, False
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        else:
            is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for name, is_inside in imported(node):
                yield name, is_inside or is_function


def arrow_findings(module: str, source: str) -> list[str]:
    own = LEVELS.get(module)
    if own is None:
        return [f"{module} belongs to no layer: add it to LAYERS"]
    findings = []
    for name, is_inside in imported(ast.parse(source)):
        level = LEVELS.get(name, 0)
        is_plug_in = name in LAYERS["plug-ins"].split(" ") and own < level
        if (level > own and not is_inside) or is_plug_in:
            findings.append(f"{module} imports {name}")
    return findings


def length_findings(module: str, source: str) -> list[str]:
    findings = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            count = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            if count > FUNCTION_LINES_MAX:
                findings.append(f"{module}.{node.name} has {count} lines")
    return findings


def test_modules_import_only_modules_below_them() -> None:
    files = sorted(FOLDER.glob("*.py"))
    assert len(files) > 40
    assert [one for file in files for one in arrow_findings(file.stem, file.read_text())] == []
    assert set(LEVELS) == {file.stem for file in files}


def test_functions_are_short() -> None:
    files = [*FOLDER.rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    assert [one for file in files for one in length_findings(file.stem, file.read_text())] == []


def test_modules_that_break_the_rules_are_noticed() -> None:
    assert arrow_findings("_jvm", "from ._dataset import Dataset") == ["_jvm imports _dataset"]
    assert arrow_findings("_jvm", "from . import _runtime, _store") == ["_jvm imports _store"]
    assert arrow_findings("_views", "def f():\n    from ._store import Store") == []
    assert arrow_findings("_views", "def f():\n    from .game2048 import a") != []
    assert arrow_findings("_new", "") != []
    long = "def f():\n" + "    g()\n" * (FUNCTION_LINES_MAX + 1)
    assert length_findings("_jvm", long) == ["_jvm.f has 71 lines"]


def test_modules_show_their_public_names_alone() -> None:
    import penstock
    from penstock import game2048, plugins, samplers, shards, transforms

    for module in (game2048, plugins, samplers, shards, transforms):
        assert dir(module) == sorted(module.__all__)
    assert set(dir(penstock)) == {*penstock.__all__, "__version__"}
