#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks for inputs that break a reader: runs every fuzz target of the library, the conversions and the plug-ins for a number of executions,
# one after another, and prints how many there were for each. Stops at the first target with a finding, whose input is
# then below src/test/resources. What the search kept is in .cifuzz-corpus, and the next run continues from there.
#
# usage: .mvn/fuzz.sh EXECUTIONS [CLASS]
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3
. .mvn/jdk25.sh
require_jdk25
executions=$1
class=${2:-}
mkdir -p target
export JAZZER_FUZZ=1 JAZZER_MAX_EXECUTIONS=$executions JAZZER_MAX_DURATION=1000h
grep -rl --include='*FuzzTest.java' '^    @FuzzTest' library convert groups game2048 | sort | while read -r file; do
  name=$(basename "$file" .java)
  [ -z "$class" ] || [ "$class" = "$name" ] || continue
  module=${file%%/*}
  for method in $(grep -A1 '^    @FuzzTest' "$file" | sed -n 's/.* void \([A-Za-z0-9]*\)(.*/\1/p'); do
    log=target/fuzz-$name-$method.log
    ./mvnw -B -q -pl "$module" -am test -Dtest="$name#$method" -Dsurefire.failIfNoSpecifiedTests=false >"$log" 2>&1 \
      || { tail -40 "$log"; echo "$name#$method has a finding or did not run; see $log"; exit 1; }
    runs=$(sed -n 's/^Done \([0-9]*\) runs in.*/\1/p' "$log" | tail -1)
    echo "figure: $name, $method, executions: ${runs:?the fuzzer of $name#$method did not run; see $log}"
  done
done
