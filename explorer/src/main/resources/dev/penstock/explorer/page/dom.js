// SPDX-License-Identifier: Apache-2.0
// Builds elements. Text from data only ever becomes a text node or the value of a harmless attribute.

/** Creates an element: `h("a", {href: "x", class: "y", onclick: f}, "text", child)`. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Tells a screen reader what has changed. */
export function say(text) {
  document.getElementById("status").textContent = text;
}

/** Shows an error above the page, or removes it. */
export function warn(error, retry) {
  const place = document.getElementById("alert");
  if (!error) return fill(place);
  return fill(place, h("p", {class: "error"}, error.message ?? String(error), " ",
    retry ? h("button", {type: "button", onclick: retry}, "Try again") : null));
}

/** A button that copies text. */
export function copyButton(text) {
  const button = h("button", {type: "button", class: "quiet", "aria-label": `Copy ${text}`}, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    say("Copied");
  });
  return button;
}

export function number(value) {
  return typeof value === "number" ? value.toLocaleString("en-US") : String(value);
}

export function bytes(value) {
  const units = ["B", "KB", "MB", "GB", "TB", "PB"];
  let scaled = value, unit = 0;
  while (scaled >= 1000 && unit < units.length - 1) { scaled /= 1000; unit++; }
  return unit === 0 ? `${value} B` : `${scaled.toFixed(1)} ${units[unit]}`;
}

/** The type of a field, as `info` prints it. */
export function typeOf(field) {
  const shape = field.shape.length ? ` [${field.shape.join(", ")}]` : "";
  return field.type + shape + (field.variable ? ", variable" : "");
}

/** A number with its noun: `count(1, "field")` is "1 field". */
export function count(value, noun) {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}

const TEXT_TYPES = ["utf8", "utf32", "bytes"];

/** Whether a field holds one number in each record. */
export function isNumber(field) {
  return !field.variable && !field.shape.length && !TEXT_TYPES.includes(field.type);
}

/** A number with few digits. */
export function short(value) {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return number(value);
  const magnitude = Math.abs(value);
  return magnitude && (magnitude < 1e-4 || magnitude >= 1e9) ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}
