#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Spark connector with its tests, and prints the class path of the program that ./benchmark spark runs.
# Prints nothing where that fails, and leaves what went wrong in target/benchmark-spark.log.
cd "$(dirname "$(readlink -f "$0")")/.." || exit 0
. .mvn/jdk25.sh
require_jdk25
mkdir -p target
./mvnw -B -Pspark -pl spark -am -Dspotless.check.skip=true test-compile dependency:build-classpath \
  -Dmdep.outputFile=target/class-path.txt >target/benchmark-spark.log 2>&1 || exit 0
echo "$PWD/spark/target/classes:$PWD/spark/target/test-classes:$(cat spark/target/class-path.txt)"
