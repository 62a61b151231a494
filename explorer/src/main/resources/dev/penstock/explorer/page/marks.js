// SPDX-License-Identifier: Apache-2.0
// The records that a person flagged, kept by the browser for each dataset.

const LIMIT = 200_000;

const sets = new Map();

function name(path) {
  return `penstock-flags:${path}`;
}

function set(path) {
  if (!sets.has(path)) {
    let stored = [];
    try { stored = JSON.parse(localStorage.getItem(name(path)) ?? "[]"); } catch { /* A frame of another site has no storage. */ }
    sets.set(path, new Set(stored.filter(Number.isSafeInteger)));
  }
  return sets.get(path);
}

function store(path) {
  try {
    if (set(path).size) localStorage.setItem(name(path), JSON.stringify([...set(path)]));
    else localStorage.removeItem(name(path));
  } catch { /* The flags stay until the page is closed. */ }
}

export function isFlagged(path, index) {
  return set(path).has(index);
}

/** Flags a record, or takes the flag away. Returns whether it is flagged now. */
export function toggle(path, index) {
  const flags = set(path);
  if (!flags.delete(index)) {
    if (flags.size >= LIMIT) throw new Error(`There are already ${LIMIT} flags; filter the records instead.`);
    flags.add(index);
  }
  store(path);
  return flags.has(index);
}

export function replace(path, indices) {
  sets.set(path, new Set(indices));
  store(path);
}

/** The flagged records, ascending. */
export function flagged(path) {
  return [...set(path)].sort((a, b) => a - b);
}

// Another tab has changed the flags.
addEventListener("storage", () => sets.clear());
