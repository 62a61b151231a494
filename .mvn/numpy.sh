#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a Python that has NumPy: that of the Python tests, or one that is made under target/. Prints nothing
# where there cannot be one, and leaves what went wrong in target/python.log.
cd "$(dirname "$(readlink -f "$0")")/.." || exit 0
python=target/python-tests/venv/bin/python
has_numpy() { "$python" -c 'import numpy, ml_dtypes' 2>/dev/null; }
has_numpy || python=target/python/bin/python
if ! has_numpy; then
  mkdir -p target
  {
    # Two first uses at once must not install into the same folder.
    command -v flock && flock 9
    has_numpy || { python3 -m venv target/python && target/python/bin/pip install -q 'numpy==2.4.*' 'ml_dtypes==0.6.*'; }
  } >target/python.log 2>&1 9>target/python.lock
fi
has_numpy && echo "$PWD/$python"
exit 0
