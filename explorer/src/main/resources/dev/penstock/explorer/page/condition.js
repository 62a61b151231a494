// SPDX-License-Identifier: Apache-2.0
// Builds conditions for the filter.

/** The name of a field in a condition, or null for a name that no condition can hold. */
function quoted(name) {
  if (/^[A-Za-z_]\w*$/.test(name) && !/^(and|or|not|in|is|null|true|false|True|False|inf|nan)$/.test(name)) return name;
  return name.includes("`") ? null : `\`${name}\``;
}

/** A value in a condition. */
export function literal(value) {
  return typeof value === "string" ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'` : String(value);
}

export function equals(name, value) {
  return quoted(name) && `${quoted(name)} == ${literal(value)}`;
}

/** Numbers from `from` up to `limit`, which is part of them when `isClosed`. */
export function between(name, from, limit, isClosed = false) {
  return quoted(name) && `${literal(from)} <= ${quoted(name)} ${isClosed ? "<=" : "<"} ${literal(limit)}`;
}

/** All conditions together; those that are missing are left out. */
export function both(...conditions) {
  const all = conditions.filter(Boolean);
  return all.length > 1 ? all.map((one) => (/\bor\b/.test(one) ? `(${one})` : one)).join(" and ") : all[0] ?? null;
}
