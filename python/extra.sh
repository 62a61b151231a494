#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gives the Python tests libraries that some of them work with; without them those tests are skipped. Each group is
# installed once for a user, under ${XDG_CACHE_HOME:-~/.cache}/penstock, and the environments of all clones refer to it.
#
#   python/extra.sh readers    DuckDB and Hugging Face datasets, 150 MB
#   python/extra.sh jax        JAX for the CPU, 130 MB
#   python/extra.sh images     Pillow and simplejpeg, 15 MB
#   python/extra.sh spark      PySpark with Spark itself, 470 MB
#   python/extra.sh ray        Ray Data, 80 MB
#   python/extra.sh vision     torchvision, 30 MB, for the PyTorch of python/torch.sh
#   python/extra.sh containers webdataset, tfrecord, mosaicml-streaming and LitData, 110 MB, for the same PyTorch
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3
options=()
case ${1:-} in
  readers) modules="duckdb, datasets" packages=('duckdb==1.*' 'datasets>=4,<6') ;;
  jax) modules="jax" packages=('jax>=0.7,<0.12') ;;
  images) modules="PIL, simplejpeg" packages=('pillow>=11' 'simplejpeg>=1.8') ;;
  spark) modules="pyspark, pyarrow, pandas" packages=('pyspark==4.2.*' 'pyarrow>=18' 'pandas>=2.2,<3') ;;
  ray) modules="ray.data" packages=('ray[data]>=2.60,<3') ;;
  vision) modules="torchvision" packages=('torchvision>=0.29,<0.31') options=(--no-deps) ;;
  # By name, without what only clouds and models need.
  containers) modules="webdataset, tfrecord, litdata" options=(--no-deps) packages=(
    'webdataset==1.0.*' 'tfrecord==1.14.*' 'mosaicml-streaming==0.13.*' 'litdata==0.2.76' braceexpand crc32c 'protobuf>=5'
    brotli python-snappy cramjam zstd xxhash catalogue boto3 botocore s3transfer jmespath python-dateutil six urllib3 requests
    charset-normalizer idna certifi lightning-utilities filelock tqdm packaging pyyaml typing-extensions
  ) ;;
  *) sed -n 's/^# \?//; 2,13p' "$0" >&2; exit 2 ;;
esac
group=$1
venv=$PWD/target/python-tests/venv
python=$venv/bin/python

fail() { echo "no $modules for the tests: $1" >&2; exit 1; }
has() { "$python" -c "import $modules" 2>/dev/null; }

[ -x "$python" ] || { mkdir -p "${venv%/*}" && python3 -m venv "$venv"; } || fail "there is no Python to install them for"
has && exit 0
tag=$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
sum=$(echo "${packages[@]}" | cksum | cut -d' ' -f1)
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/penstock
folder=$cache/$group-$tag-$sum
mkdir -p "$cache" || fail "$cache cannot be made"
exec 9>"$cache/$group.lock"
command -v flock >/dev/null && flock 9

if [ ! -d "$folder" ]; then
  log=$PWD/target/python-tests/$group.log
  fresh=$folder.new
  rm -rf "$fresh"
  echo "installing $modules into $folder ..." >&2
  "$python" -m pip install -q --disable-pip-version-check ${options[@]+"${options[@]}"} \
    --target "$fresh" "${packages[@]}" >"$log" 2>&1 || fail "see $log"
  mv "$fresh" "$folder"
fi

# Behind what the environment has itself, so that its NumPy stays.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$folder" >"$site/penstock-$group.pth"
has || fail "$("$python" -c "import $modules" 2>&1 | tail -n 1)"
echo "$modules: there for the tests"
