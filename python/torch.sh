#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gives the Python tests a PyTorch, with Lightning and Grain; without them those tests are skipped. Does nothing when
# target/python-tests/venv has a PyTorch already, such as one that you installed there.
#
# The PyTorch for Linux on x86_64 is the one for CUDA and brings 3 GB. Here it comes without what only a GPU needs, 0.6 GB,
# and stand-ins for that are compiled by gcc (torch_stubs.py). It is installed once for a user, under
# ${XDG_CACHE_HOME:-~/.cache}/penstock, and the environments of all clones refer to it.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3
venv=$PWD/target/python-tests/venv
python=$venv/bin/python

fail() { echo "no PyTorch for the tests: $1" >&2; exit 1; }
has() { "$python" -c "import $1" 2>/dev/null; }

[ -x "$python" ] || { mkdir -p "${venv%/*}" && python3 -m venv "$venv"; } || fail "there is no Python to install it for"
has torch && exit 0
[ "$(uname -sm)" = "Linux x86_64" ] || fail "install one yourself: $venv/bin/pip install torch"
for tool in gcc readelf; do command -v $tool >/dev/null || fail "it takes $tool to make it usable without CUDA"; done

# All by name, so that nothing of CUDA comes along.
packages=(
  'torch>=2.14,<2.16' 'nvidia-cuda-runtime==13.*' 'nvidia-cuda-cupti==13.*' 'nvidia-cufile==1.*'
  filelock typing-extensions sympy mpmath networkx jinja2 markupsafe fsspec
  'pytorch-lightning==2.6.*' lightning-utilities torchmetrics tqdm pyyaml packaging
  'grain==0.2.*' array-record absl-py cloudpickle etils importlib-resources zipp portpicker psutil protobuf
)
tag=$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
sum=$(echo "${packages[@]}" | cksum | cut -d' ' -f1)
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/penstock
folder=$cache/torch-$tag-$sum
mkdir -p "$cache" || fail "$cache cannot be made"
exec 9>"$cache/lock"
command -v flock >/dev/null && flock 9

if [ ! -d "$folder" ]; then
  echo "installing PyTorch into $folder, 0.6 GB to download and 1.4 GB on disk ..." >&2
  log=$PWD/target/python-tests/torch.log
  fresh=$folder.new
  rm -rf "$fresh"
  "$python" -m pip install -q --no-deps --disable-pip-version-check --target "$fresh" "${packages[@]}" >"$log" 2>&1 \
    && "$python" python/torch_stubs.py "$fresh" >>"$log" 2>&1 || fail "see $log"
  mv "$fresh" "$folder"
fi

# Behind what the environment has itself.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$folder" >"$site/penstock-torch.pth"
has torch || fail "$("$python" -c 'import torch' 2>&1 | tail -n 1)"
echo "PyTorch $("$python" -c 'import torch; print(torch.__version__)' 2>/dev/null) is there for the tests"
