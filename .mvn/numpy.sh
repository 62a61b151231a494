# SPDX-License-Identifier: Apache-2.0
# Sourced by check. Provides a Python with NumPy for the tests that hold our files against it.

# Prints the interpreter, or says on stderr why there is none. Made once, kept while it works; nothing outside target/
# is touched.
numpy_python() {
  local home=$PWD/target/python python log=$PWD/target/python.log
  python=$home/bin/python
  if "$python" -c 'import numpy, ml_dtypes' 2>/dev/null; then
    echo "$python"
    return 0
  fi
  mkdir -p target && rm -rf "$home"
  if ! command -v python3 >/dev/null; then
    echo "no python3: the tests against NumPy are skipped" >&2
  elif ! python3 -m venv "$home" >"$log" 2>&1; then
    echo "python3 makes no virtual environment (see $log): the tests against NumPy are skipped" >&2
  elif ! timeout 300 "$python" -m pip install -q --disable-pip-version-check 'numpy==2.4.*' 'ml_dtypes<1' >"$log" 2>&1 \
      && ! timeout 300 "$python" -m pip install -q --disable-pip-version-check numpy ml_dtypes >"$log" 2>&1; then
    # An older Python has an older NumPy, which writes the same files.
    echo "pip installs no NumPy (see $log): the tests against NumPy are skipped" >&2
  else
    echo "$python"
    return 0
  fi
  return 1
}
