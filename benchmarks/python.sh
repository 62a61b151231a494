#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a Python that has NumPy and this checkout's penstock: the one that PENSTOCK_PYTHON names, or that of
# the Python tests, with LMDB when it can be had. Prints nothing where there cannot be one, and leaves what went wrong in
# target/benchmark-python.log.
cd "$(dirname "$(readlink -f "$0")")/.." || exit 0
python=${PENSTOCK_PYTHON:-$PWD/target/python-tests/venv/bin/python}
if [ -z "${PENSTOCK_PYTHON:-}" ]; then
  mkdir -p target
  {
    # Makes the environment and installs a fresh wheel; what is measured is what users install. No test is run.
    ./python/test.sh --collect-only
    "$python" -c 'import lmdb' 2>/dev/null || "$python" -m pip install -q --disable-pip-version-check lmdb
  } >target/benchmark-python.log 2>&1
fi
"$python" -c 'import numpy, penstock' 2>/dev/null && echo "$python"
exit 0
