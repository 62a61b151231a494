# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts at the root. Finds a JDK 25 and keeps what Maven built up to date.

# The major version of the JDK in a folder, from its release file: no JVM is started for the question.
jdk_version() {
  [ -x "$1/bin/javac" ] && sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null
}

# Exports JAVA_HOME: the one that is set, that of java on PATH, or one from the usual install folders.
require_jdk25() {
  local on_path candidate
  on_path=$(command -v java 2>/dev/null) && on_path=$(readlink -f "$on_path")
  for candidate in "${JAVA_HOME:-}" "${on_path%/bin/java}" \
      /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* /usr/local/openjdk* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
      "${HOME:-/nonexistent}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if [ "$(jdk_version "$candidate")" = 25 ]; then
      export JAVA_HOME=$candidate
      return 0
    fi
  done
  echo "penstock needs a JDK 25: install one (for example Temurin 25) and set JAVA_HOME to its folder." >&2
  exit 3
}

# File names are bytes; only in a UTF-8 locale does Java see all of them. One that is named but not installed is none.
require_utf8() {
  if [ "$(locale charmap 2>/dev/null)" != UTF-8 ]; then
    export LC_ALL=C.UTF-8
  fi
}

# build_if_stale JAR MODULE DIR...: builds a module unless its jar is newer than every source of those folders, and
# then calls after_build if there is such a function.
build_if_stale() {
  local jar=$1 module=$2 log
  shift 2
  if [ -f "$jar" ] && [ -z "$(find pom.xml "$@" -newer "$jar" -type f -path '*/src/main/*' -print -quit)" ] \
      && [ -z "$(find pom.xml "${@/%//pom.xml}" -newer "$jar" -print -quit)" ]; then
    return 0
  fi
  mkdir -p target
  log=target/build.log
  (
    # Two first uses at once must not build into the same folders.
    command -v flock >/dev/null && flock 9
    [ -t 2 ] && echo "building penstock (once; later only when sources change) ..." >&2
    umask 022
    touch target/build.start
    if ! ./mvnw -q -B -Dmaven.test.skip=true -Dspotless.check.skip=true -pl "$module" -am package >"$log" 2>&1; then
      tail -n 30 "$log" >&2
      echo "the build failed; all of it is in $PWD/$log" >&2
      exit 3
    fi
    # Maven leaves a jar alone whose content would be the same; what was edited while it worked is still newer.
    touch -r target/build.start "$jar"
    if declare -F after_build >/dev/null; then after_build >>"$log" 2>&1; fi
  ) 9>target/build.lock || exit 3
}
