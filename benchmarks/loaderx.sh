#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints a folder with loaderx 2.8.19, installed once under target/, for the Python that benchmarks/python.sh prints. Its
# metadata asks for a later NumPy than there is for older Pythons, and it runs with the one that is there: so its
# dependencies are not installed. Prints nothing where it cannot be had.
cd "$(dirname "$(readlink -f "$0")")/.." || exit 0
python=$1
folder=$PWD/target/loaderx
has_loaderx() { PYTHONPATH=$folder "$python" -c 'import loaderx.zrecord' 2>/dev/null; }
has_loaderx || "$python" -m pip install -q --disable-pip-version-check --no-deps --target "$folder" loaderx==2.8.19 \
  >target/loaderx.log 2>&1
has_loaderx && echo "$folder"
exit 0
