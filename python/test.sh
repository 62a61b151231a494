#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, installs it into a virtual environment of its own and runs the Python tests there. Leaves how many
# tests ran, failed and were skipped in target/python-tests/counts. Without Python, or without a way to get NumPy and
# pytest, says so and leaves nothing.
#
# Two processes share the tests. Those that are marked "full" run with --full only. Other arguments are pytest's: with
# them one process runs the tests that they select, of any tier, so that --pdb and -s work.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3
. .mvn/jdk25.sh
require_jdk25
require_utf8
here=$PWD
folder=$PWD/target/python-tests
python=$folder/venv/bin/python
mkdir -p "$folder"
rm -f "$folder/counts"
is_full=
if [ "${1:-}" = --full ]; then
  is_full=yes
  shift
fi

# pytest 9.2 and pytest-xdist 3.8 do not keep the tests of a group in one process.
has_tools() {
  "$python" -c 'import numpy, ml_dtypes, pytest, hatchling, mypy, ruff; assert pytest.version_tuple < (9, 2)' 2>/dev/null
}
if ! has_tools; then
  {
    python3 -m venv "$folder/venv" \
      && "$python" -m pip install -q 'numpy==2.4.*; python_version >= "3.11"' 'numpy==2.2.*; python_version < "3.11"' \
        'ml_dtypes==0.6.*' 'pytest>=9,<9.2' 'hatchling==1.*' 'mypy==2.4.*' 'ruff==0.17.*'
  } >"$folder/install.log" 2>&1
fi
if ! has_tools; then
  echo "skipped: the Python tests, for want of Python 3.10 or newer with NumPy and pytest; see $folder/install.log"
  exit 0
fi

# What more there should be, each as the module to look for and the requirement. xdist runs the tests in two processes.
# Without safetensors, with which the tests of activation shards compare, those are skipped; build and twine are for
# python/package.sh; a failed test runs once more where ./check --retry asks for it.
more=(xdist 'pytest-xdist==3.*')
[ -z "$is_full" ] || more+=(safetensors 'safetensors==0.8.*' build 'build==1.*' twine 'twine==6.*')
[ -z "${PENSTOCK_RETRY:-}" ] || more+=(pytest_rerunfailures 'pytest-rerunfailures==16.*')
"$python" -I - "${more[@]}" >"$folder/more.log" 2>&1 <<'INSTALL'
import importlib.util, subprocess, sys

def install(*requirements):
    return subprocess.call([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements])

modules, requirements = sys.argv[1::2], sys.argv[2::2]
missing = [r for m, r in zip(modules, requirements) if importlib.util.find_spec(m) is None]
if missing and install(*missing) != 0:
    for requirement in missing:
        install(requirement)
INSTALL
has() { "$python" -c "import $1" 2>/dev/null; }

# Format and types are checked beside the tests, and what was found is printed after them.
(
  cd python && ruff=("$folder/venv/bin/ruff" --config pyproject.toml) \
    && "${ruff[@]}" check -q --no-cache . ../examples && "${ruff[@]}" format -q --no-cache --check . ../examples \
    && "$python" -m mypy --no-error-summary --cache-dir "$folder/mypy"
) >"$folder/style.log" 2>&1 &
style=$!

# A fresh wheel each time: what is tested is what is installed, and never the sources beside it.
rm -rf "$folder/wheel"
(cd python && "$python" -m hatchling build -t wheel -d "$folder/wheel") >"$folder/wheel.log" 2>&1 \
  && "$python" -m pip install -q --no-deps --force-reinstall --disable-pip-version-check "$folder"/wheel/*-py3-none-any.whl \
  || { cat "$folder/wheel.log" >&2; echo "the wheel cannot be built or installed" >&2; exit 1; }

# The AOT caches of the last run serve this one if the package is the same. They belong to a jar by its time, which is
# therefore the one of the jar that was copied, and not that of the installation.
[ -z "${PENSTOCK_LONG:-}" ] && [ -z "$(find python/src -newer "$folder/cache" -name '*.py' 2>&1)" ] || rm -rf "$folder/cache"
touch -r app/target/penstock-all.jar "$folder"/venv/lib/python*/site-packages/penstock/jar/penstock.jar

# Without this, each process that runs commands for the tests would compile its program first.
server=python/tests/CommandServer.java
if [ ! "$folder/commands/CommandServer.class" -nt "$server" ] || [ app/target/penstock-all.jar -nt "$folder/commands" ]; then
  rm -rf "$folder/commands"
  "$JAVA_HOME/bin/javac" -J-XX:TieredStopAtLevel=1 -proc:none -cp app/target/penstock-all.jar -d "$folder/commands" "$server" \
    || { rm -rf "$folder/commands"; echo "$server cannot be compiled" >&2; exit 1; }
fi

cd "$folder" || exit 3
# pytest keeps the modules whose assertions it has rewritten, which takes seconds in each process.
unset PYTHONDONTWRITEBYTECODE
export PENSTOCK_AOT_CACHE=$folder/cache
# The two processes share two cores: threads of PyTorch and NumPy that wait for each other would only spin.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
workers=()
[ $# -eq 0 ] && has xdist && workers=(-n 2 --dist loadgroup)
tier=()
[ $# -eq 0 ] && [ -z "$is_full" ] && tier=(-m 'not full')
retry=()
[ -n "${PENSTOCK_RETRY:-}" ] && has pytest_rerunfailures && retry=(--reruns 1)
status=0
# A test that hangs says where, after a quarter of an hour.
"$python" -m pytest -q -rsR -p no:cacheprovider -o faulthandler_timeout=900 --rootdir "$here/python" \
  --junitxml="$folder/report.xml" "$here/python/tests" ${tier[@]+"${tier[@]}"} ${workers[@]+"${workers[@]}"} ${retry[@]+"${retry[@]}"} "$@" || status=1
wait "$style" || status=1
cat "$folder/style.log"
"$python" - "$folder/report.xml" >"$folder/counts" <<'COUNTS'
import sys, xml.etree.ElementTree as tree
suites = tree.parse(sys.argv[1]).getroot().iter("testsuite")
total = [0, 0, 0]
for suite in suites:
    total[0] += int(suite.get("tests"))
    total[1] += int(suite.get("failures")) + int(suite.get("errors"))
    total[2] += int(suite.get("skipped"))
print(*total)
COUNTS
exit $status
