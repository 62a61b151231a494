# SPDX-License-Identifier: Apache-2.0
"""The docs site: the reference of the package is complete, and pages need no server."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
from pathlib import Path

import pytest

import penstock

ROOT = Path(__file__).parents[2]
SITE = ROOT / "target" / "site"
SHOWN = re.compile(r"^::: penstock\.(\w+)$", re.MULTILINE)
# Modules that are no attributes of the package before they are imported.
OTHERS = {"spark", "ray", "game2048"}


def shown() -> set[str]:
    """The names on the pages of the reference."""
    pages = (ROOT / "docs" / "api").glob("*.md")
    return {name for page in pages for name in SHOWN.findall(page.read_text())}


def test_every_public_name_has_a_place_in_the_reference() -> None:
    assert shown() == set(penstock.__all__) | OTHERS


@pytest.fixture(scope="module")
def site() -> Path:
    built = subprocess.run(
        [ROOT / "docs" / "site.sh"], capture_output=True, text=True, timeout=900, check=False
    )
    if "No matching distribution" in built.stderr or "Could not find" in built.stderr:
        pytest.skip("needs MkDocs, which docs/site.sh could not install")
    assert built.returncode == 0, built.stdout + built.stderr
    return SITE


@pytest.mark.full
@pytest.mark.xdist_group("site")
def test_the_search_finds_every_public_name(site: Path) -> None:
    script = (site / "search" / "search_index.js").read_text()
    index = json.loads(script.removeprefix("var __index = ").rstrip().rstrip(";"))
    places = {page["location"] for page in index["docs"]}
    for name in penstock.__all__:
        if not hasattr(importlib.import_module("penstock"), name):
            continue
        assert any(place.endswith(f"penstock.{name}") for place in places), name
    for method in ("Loader.state_dict", "Loader.steps_of", "Tree.count", "Dataset.select"):
        assert any(place.endswith(f"penstock.{method}") for place in places), method


@pytest.mark.full
@pytest.mark.xdist_group("site")
def test_pages_load_nothing_from_other_places(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=\"?(https?:[^\s\">]+)")
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        assert loaded.findall(page.read_text()) == [], page.name
    assert (site / "site-search.js").exists()
