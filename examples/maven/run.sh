#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Publishes the library to a folder, as a release is published to a repository, and builds and runs this project with
# nothing else: ./examples/maven/run.sh. The jar has to be the one that other programs can depend on.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
. .mvn/jdk25.sh
require_jdk25
export MAVEN_OPTS=${MAVEN_OPTS:--XX:+UseSerialGC -XX:TieredStopAtLevel=1}
out=$PWD/target/example
rm -rf "$out/repository" "$out/project" "$out/local"
mkdir -p "$out"
cp -R examples/maven "$out/project"
maven=(./mvnw -q -B --no-transfer-progress)
# Says why a build failed; a machine without a network and without Maven's plugins cannot run the example.
give_up() {
  if grep -q 'could not be resolved\|Could not transfer\|Cannot access' "$1"; then
    echo "skipped: the example project, for want of Maven plugins and a network; see $1"
    exit 0
  fi
  tail -n 30 "$1" >&2
  exit 1
}
"${maven[@]}" -Dmaven.test.skip=true -Dspotless.check.skip=true -pl .,library \
  deploy "-DaltDeploymentRepository=folder::file:$out/repository" >"$out/deploy.log" 2>&1 \
  || give_up "$out/deploy.log"
# What is resolved from the folder goes to a local repository of its own, so that no other build finds it.
"${maven[@]}" -f "$out/project/pom.xml" "-Dmaven.repo.local=$out/local" \
  "-Dmaven.repo.local.tail=${HOME}/.m2/repository" "-Dpenstock.repository=$out/repository" package >"$out/build.log" 2>&1 \
  || give_up "$out/build.log"
name=$(unzip -p "$out"/repository/dev/penstock/penstock/*/penstock-*[0-9].jar META-INF/MANIFEST.MF | tr -d '\r' \
  | sed -n 's/^Automatic-Module-Name: //p')
[ "$name" = dev.penstock ] || { echo "the module is called '$name' and not dev.penstock" >&2; exit 1; }
"$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$out/project/target/classes:$out/project/target/dependency/*" \
  example.Example testdata/table/rec.npy
