#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# python/version.sh              prints the version of the project
# python/version.sh set VERSION  writes it to every pom.xml, which is where everything else takes it from
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
now=$(sed -n '/<artifactId>penstock-parent</{n;s/.*<version>\(.*\)<.*/\1/p;}' pom.xml)
case ${1:-} in
  '') echo "$now" ;;
  set)
    next=${2:?which version}
    for pom in pom.xml */pom.xml; do
      sed -i "/<artifactId>penstock-parent</{n;s/<version>.*</<version>$next</;}" "$pom"
    done
    sed -i "s/<penstock.version>.*</<penstock.version>$next</" examples/maven/pom.xml
    echo "$now -> $next"
    ;;
  *) sed -n 's/^# //; 3,4p' "$0" >&2; exit 2 ;;
esac
