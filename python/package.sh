#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the source archive and the wheel as they are published, checks their metadata with twine, and looks at what is
# in them: python/package.sh. They are left in target/python-dist. Needs the environment that python/test.sh makes.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. .mvn/jdk25.sh
require_jdk25
python=$PWD/target/python-tests/venv/bin/python
out=$PWD/target/python-dist
[ -x "$python" ] || { echo "skipped: the packages, for want of $python" >&2; exit 0; }
"$python" -c 'import build, twine' 2>/dev/null \
  || "$python" -m pip install -q --disable-pip-version-check 'build==1.*' 'twine==6.*' >target/twine.log 2>&1 \
  || { echo "skipped: the packages, for want of build and twine; see target/twine.log" >&2; exit 0; }
rm -rf "$out"
export PENSTOCK_PUBLISH=yes
# The wheel is built from the source archive, so the archive is known to be complete.
"$python" -m build -n -o "$out" python >target/package.log 2>&1 || { tail -n 20 target/package.log >&2; exit 1; }
"$python" -m twine check --strict "$out"/* >target/twine.log 2>&1 || { cat target/twine.log >&2; exit 1; }
"$python" - "$out" "$(./python/version.sh)" <<'CHECK'
import sys, zipfile
from email.parser import Parser
from pathlib import Path

folder, maven = Path(sys.argv[1]), sys.argv[2]
(wheel,) = folder.glob("penstock-*.whl")
with zipfile.ZipFile(wheel) as archive:
    names = archive.namelist()
    text = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
metadata = Parser().parsestr(text)
assert metadata["Version"] == maven.replace("-SNAPSHOT", ".dev0"), metadata["Version"]
for needed in ("penstock/jar/penstock.jar", "penstock/py.typed"):
    assert needed in names, f"{needed} is missing in {wheel}"
for needed in ("LICENSE", "THIRD-PARTY.txt"):
    assert any(name.endswith(f"licenses/{needed}") for name in names), f"{needed} is missing in {wheel}"
relative = [line for line in text.splitlines() if "](../" in line or "](docs/" in line]
assert f"penstock-runtime=={metadata['Version']}; extra == 'runtime'" in metadata.get_all("Requires-Dist")
assert not relative, f"links of the README that lead nowhere on PyPI: {relative}"
CHECK
# The Java runtime for this platform. There is no source archive of it: it is built from a checkout, with a JDK 25.
(cd python/runtime && "$python" -m hatchling build -t wheel -d "$out") >target/package.log 2>&1 \
  || { tail -n 20 target/package.log >&2; exit 1; }
"$python" -m twine check --strict "$out"/penstock_runtime-*.whl >target/twine.log 2>&1 || { cat target/twine.log >&2; exit 1; }
echo "packages: $(cd "$out" && ls | tr '\n' ' ')"
