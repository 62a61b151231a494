# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts at the root. Finds a JDK 25 and keeps what Maven built up to date.

# Every process that these functions start delays every command by a millisecond or two, so they start few.

# Whether a folder holds a JDK of version 25 or later, from its release file. Leaves the version that it read in jdk_version.
is_jdk25() {
  local line version
  jdk_version=
  [ -r "$1/release" ] || return 1
  while read -r line || [ -n "$line" ]; do
    case $line in
      JAVA_VERSION=*)
        version=${line#*\"}
        version=${version%%[!0-9]*}
        jdk_version=$version
        [ "${version:-0}" -ge 25 ] && [ -x "$1/bin/javac" ] && return 0
        ;;
    esac
  done <"$1/release"
  return 1
}

# Exports JAVA_HOME: the one that is set, that of java on PATH, or one from the usual install folders.
require_jdk25() {
  local on_path candidate found=
  if is_jdk25 "${JAVA_HOME:-}"; then
    export JAVA_HOME
    return 0
  fi
  [ -z "$jdk_version" ] || found="$jdk_version at $JAVA_HOME"
  on_path=$(command -v java 2>/dev/null) && on_path=$(readlink -f "$on_path")
  for candidate in "${on_path%/bin/java}" \
      /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* /usr/local/openjdk* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
      "${HOME:-/nonexistent}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if is_jdk25 "$candidate"; then
      export JAVA_HOME=$candidate
      return 0
    fi
    [ -z "$jdk_version" ] || found=${found:-$jdk_version at $candidate}
  done
  echo "penstock needs a JDK of version 25 or later, found ${found:-none}: install one (for example Temurin 25) and set JAVA_HOME to its folder." >&2
  exit 3
}

# File names are bytes; only in a UTF-8 locale does Java see all of them. A locale that is named but not installed does not count.
require_utf8() {
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    C.UTF-8) return 0 ;;
    '' | C | POSIX)
      export LC_ALL=C.UTF-8
      return 0
      ;;
  esac
  if [ "$(locale charmap 2>/dev/null)" != UTF-8 ]; then
    export LC_ALL=C.UTF-8
  fi
}

# Shows which module Maven has come to, of how many, in one line of a terminal. Reads what Maven prints.
show_modules() {
  local line
  if [ ! -t 2 ]; then
    cat >/dev/null
    return
  fi
  while read -r line; do
    case $line in
      *'Building '*' ['*/*']') printf '\r\033[K  %s' "${line##*Building }" >&2 ;;
    esac
  done
  printf '\r\033[K' >&2
}

# is_stale JAR DIR...: whether a jar is missing, or older than some source of those folders.
is_stale() {
  local jar=$1
  shift
  [ ! -f "$jar" ] || [ -n "$(find pom.xml "${@/%//pom.xml}" "${@/%//src/main}" -newer "$jar" -type f -print -quit)" ]
}

# build_if_stale JAR MODULE DIR...: builds a module unless its jar is newer than every source of those folders.
build_if_stale() {
  local jar=$1 module=$2 log
  shift 2
  ! is_stale "$jar" "$@" && return 0
  if ! mkdir -p target 2>/dev/null || [ ! -w target ]; then
    if [ ! -f "$jar" ]; then
      echo "penstock is not built, and cannot be: $PWD/target is not writable. Run it once as the owner of $PWD." >&2
      exit 3
    fi
    echo "$PWD/$jar is older than the sources, and is used because $PWD/target is not writable." >&2
    return 0
  fi
  log=target/build.log
  (
    set -o pipefail
    # Two first uses at once must not build into the same folders.
    command -v flock >/dev/null && flock 9
    ! is_stale "$jar" "$@" && exit 0
    echo "building penstock, which takes about 40 seconds on two cores, and again only when sources change ..." >&2
    umask 022
    touch target/build.start
    if ! ./mvnw -B --no-transfer-progress -Dmaven.test.skip=true -Dspotless.check.skip=true -pl "$module" -am package 2>&1 \
        | tee "$log" | show_modules; then
      tail -n 30 "$log" >&2
      echo "the build failed; all of it is in $PWD/$log" >&2
      exit 3
    fi
    # Maven leaves a jar alone whose content would be the same; what was edited while it worked is still newer.
    touch -r target/build.start "$jar"
  ) 9>target/build.lock || exit 3
}
