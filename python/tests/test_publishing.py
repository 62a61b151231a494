# SPDX-License-Identifier: Apache-2.0
"""Requirements of published packages: licences, one version, links, consistent pages."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import penstock

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "python"
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), PYTHON / "README.md"],
    key=lambda page: str(page),
)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_stands_in_one_place() -> None:
    version = load(PYTHON / "hatch_version.py")
    assert penstock.__version__ == version.read_version(PYTHON)
    assert version.python_version("1.2.0-SNAPSHOT") == "1.2.0.dev0"
    assert not hasattr(penstock, "nothing_of_this_name")


def test_licences() -> None:
    assert (PYTHON / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    text = (PYTHON / "THIRD-PARTY.txt").read_text()
    for name in (
        "aircompressor",
        "jackson-core",
        "sqlite-jdbc",
        "arrow-format",
        "fastcsv",
        "picocli",
    ):
        assert name in text, f"{name} is missing; python3 python/notices.py makes the file again"
    assert load(PYTHON / "notices.py").check() == []


def test_links_of_the_published_readme() -> None:
    pytest.importorskip("hatchling")
    published = load(PYTHON / "hatch_metadata.py").published
    text = (PYTHON / "README.md").read_text()
    assert "](../" in text and not re.search(r"\]\((?!https?:|#)", published(text, ""))
    linked = published("see [x](../docs/a.md#b)", "https://host/blob/v1/")
    assert linked == "see [x](https://host/blob/v1/docs/a.md#b)"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).strip().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page}: {target}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{page}: {target}"
