#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes target/release/penstock-VERSION.tar.gz: the command line with a Java runtime of its own, so that it needs no JDK.
# ./mvnw -Prelease calls it with the version, after the jar was built. JAVA_HOME is the JDK that the runtime is taken from.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
version=$1
. .mvn/jdk25.sh
require_jdk25
jar=app/target/penstock-all.jar
name=penstock-$version
out=target/release
rm -rf "${out:?}/$name" "$out/$name.tar.gz"
mkdir -p "$out/$name/bin" "$out/$name/lib" "$out/$name/share/man/man1" "$out/$name/share/completions"

# The modules that the classes refer to, and those that are looked up by name: vectors, and UTF-8 names of files.
modules=$("$JAVA_HOME/bin/jdeps" --print-module-deps --ignore-missing-deps --multi-release 25 "$jar")
"$JAVA_HOME/bin/jlink" --add-modules "$modules,jdk.incubator.vector,jdk.unsupported" --strip-debug --no-header-files \
  --no-man-pages --compress zip-6 --output "$out/$name/runtime"
cp "$jar" "$out/$name/lib/penstock.jar"
cp LICENSE README.md "$out/$name/"
cp python/THIRD-PARTY.txt "$out/$name/"
cat >"$out/$name/bin/penstock" <<'LAUNCHER'
#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
here=$(cd "$(dirname "$self")/.." && pwd -P)
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  *UTF-8 | *utf8) ;;
  *) export LC_ALL=C.UTF-8 ;;
esac
vectors=
case ${1:-} in
  demo | bench) vectors=--add-modules=jdk.incubator.vector ;;
esac
exec "$here/runtime/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=${PENSTOCK_TIER:-4} -Xlog:disable -Xshare:auto -Xmx1g \
  -XX:-CreateCoredumpOnCrash --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow $vectors -cp "$here/lib/penstock.jar${PENSTOCK_PLUGINS:+:$PENSTOCK_PLUGINS}" \
  dev.penstock.app.Main "$@"
LAUNCHER
chmod 755 "$out/$name/bin/penstock"
run=$out/$name/bin/penstock
"$run" man >"$out/$name/share/man/man1/penstock.1"
for shell in bash zsh fish; do "$run" completion "$shell" >"$out/$name/share/completions/penstock.$shell"; done
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" "$name"
echo "made $out/$name.tar.gz"
