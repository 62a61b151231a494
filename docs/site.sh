#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the docs site from docs/ into target/site, with MkDocs Material in an environment of its own, and the reference of
# the Python package from its docstrings. A link that leads nowhere is an error. PENSTOCK_SOURCE_URL is the address that
# links to source files get.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
venv=$PWD/target/site-venv
if ! "$venv/bin/python" -c 'import material, mkdocstrings_handlers.python' 2>/dev/null; then
  mkdir -p target
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check 'mkdocs==1.6.*' 'mkdocs-material==9.*' 'mkdocstrings-python==2.*'
fi
NO_MKDOCS_2_WARNING=1 "$venv/bin/python" -m mkdocs build --strict --quiet
echo "the docs site is in target/site; open target/site/index.html"
