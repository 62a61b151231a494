#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gives the Python tests DuckDB and Hugging Face datasets, which read the lines of JSON that packs of runs are written
# as; without them those tests are skipped. Installed once for a user, under ${XDG_CACHE_HOME:-~/.cache}/penstock, and
# the environments of all clones refer to it.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3
venv=$PWD/target/python-tests/venv
python=$venv/bin/python

fail() { echo "no DuckDB and datasets for the tests: $1" >&2; exit 1; }
has() { "$python" -c "import duckdb, datasets" 2>/dev/null; }

[ -x "$python" ] || { mkdir -p "${venv%/*}" && python3 -m venv "$venv"; } || fail "there is no Python to install them for"
has && exit 0
packages=('duckdb==1.*' 'datasets>=4,<6')
tag=$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
sum=$(echo "${packages[@]}" | cksum | cut -d' ' -f1)
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/penstock
folder=$cache/readers-$tag-$sum
mkdir -p "$cache" || fail "$cache cannot be made"
exec 9>"$cache/readers.lock"
command -v flock >/dev/null && flock 9

if [ ! -d "$folder" ]; then
  log=$PWD/target/python-tests/readers.log
  fresh=$folder.new
  rm -rf "$fresh"
  echo "installing DuckDB and datasets into $folder, some 150 MB ..." >&2
  "$python" -m pip install -q --disable-pip-version-check --target "$fresh" "${packages[@]}" >"$log" 2>&1 || fail "see $log"
  mv "$fresh" "$folder"
fi

# Behind what the environment has itself, so that its NumPy stays.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$folder" >"$site/penstock-readers.pth"
has || fail "$("$python" -c 'import duckdb, datasets' 2>&1 | tail -n 1)"
echo "DuckDB $("$python" -c 'import duckdb; print(duckdb.__version__)') and datasets are there for the tests"
