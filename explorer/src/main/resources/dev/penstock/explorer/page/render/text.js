// SPDX-License-Identifier: Apache-2.0
// Text with its length in characters and bytes; JSON as a tree.

import {h, fill, bytes, number} from "../dom.js";
import {getBytes} from "../net.js";

const SIZE_MAX = 1 << 20;
const CHILDREN_MAX = 200;

export async function renderText(place, field, value, signal) {
  const {bytes: data, size} = await getBytes({...value, size: SIZE_MAX}, signal);
  let text = new TextDecoder().decode(data, {stream: data.byteLength < size});
  // The zeros that pad text of a fixed width are no part of it.
  if (!field.variable) text = text.replace(/\0+$/, "");
  const isWhole = data.byteLength === size;
  const characters = number([...text].length);
  const length = isWhole ? `${characters} characters, ${number(size)} bytes` : `the first ${bytes(data.byteLength)} of ${number(size)} bytes, ${characters} characters`;
  const json = isWhole ? parsed(text) : undefined;
  fill(place, json === undefined ? h("pre", {class: "wrapped text", tabindex: 0}, text) : h("div", {class: "tree"}, tree(null, json, 0)),
    h("p", {class: "amount"}, length + (json === undefined ? "" : ", JSON")));
}

function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value of JSON; what is inside lists and objects is made when they are opened. */
function tree(name, value, depth) {
  const label = name === null ? null : h("b", {}, `${name}: `);
  if (value === null || typeof value !== "object") return h("div", {}, label, h("span", {class: typeof value}, JSON.stringify(value)));
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? "[]" : "{}";
  const details = h("details", {}, h("summary", {}, label, `${brackets[0]}${number(entries.length)}${brackets[1]}`));
  const open = () => {
    if (details.childElementCount > 1) return;
    details.append(...entries.slice(0, CHILDREN_MAX).map(([key, child]) => tree(key, child, depth + 1)));
    if (entries.length > CHILDREN_MAX) details.append(h("div", {class: "amount"}, `${number(entries.length - CHILDREN_MAX)} more`));
  };
  details.addEventListener("toggle", open);
  if (depth < 2 && entries.length <= 50) {
    open();
    details.open = true;
  }
  return details;
}
