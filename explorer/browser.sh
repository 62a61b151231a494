#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gives the browser tests of the explorer what they need: Chromium from the system's packages, and playwright-core, which drives
# it, from npm into target/browser. Without them those tests are skipped.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.." || exit 3

fail() { echo "no browser for the tests: $1" >&2; exit 1; }

if ! command -v chromium >/dev/null; then
  command -v apt-get >/dev/null || fail "install chromium"
  [ "$(id -u)" -eq 0 ] || fail "install chromium, or run this as root: apt-get install chromium"
  apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium || fail "apt-get failed"
fi
command -v npm >/dev/null || fail "install Node.js and npm"
[ -d target/browser/node_modules/playwright-core ] && exit 0
mkdir -p target/browser
npm install --no-save --no-audit --no-fund --prefix target/browser playwright-core@1.65.0 || fail "npm failed"
