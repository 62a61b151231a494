#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a Python that has NumPy, made once under target/; prints nothing where there cannot be one.
cd "$(dirname "$(readlink -f "$0")")/.." || exit 0
python=target/python/bin/python
if ! "$python" -c 'import numpy' 2>/dev/null; then
  python3 -m venv target/python && target/python/bin/pip install -q 'numpy==2.4.*'
fi >/dev/null 2>&1
"$python" -c 'import numpy, sys; print(sys.executable)' 2>/dev/null || true
