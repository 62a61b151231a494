#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the conversion of a WebDataset and of TFRecord files beside Python's tarfile, webdataset and tfrecord: these read
# every record and put its values into LMDB; penstock convert writes a store, reads it back and compares it.
#
# usage: benchmarks/containers.sh [MEGABYTES]
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
python=$here/target/python-tests/venv/bin/python
"$here/python/extra.sh" containers
"$python" -c 'import lmdb' 2>/dev/null || "$python" -m pip install -q --disable-pip-version-check lmdb
"$here/penstock" --version >/dev/null
exec "$python" "$here/benchmarks/src/main/python/containers.py" "$here/penstock" "${1:-500}"
