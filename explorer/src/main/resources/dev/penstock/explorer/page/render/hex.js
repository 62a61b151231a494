// SPDX-License-Identifier: Apache-2.0
// Bytes in hexadecimal, a part at a time.

import {h, fill, number} from "../dom.js";
import {getBytes} from "../net.js";

const PART = 1024;
const ACROSS = 16;

export async function renderHex(place, field, value, signal, offset = 0) {
  const {bytes: data, size} = await getBytes({...value, offset, size: PART}, signal);
  const all = new Uint8Array(data);
  const lines = [];
  for (let start = 0; start < all.length; start += ACROSS) {
    const part = all.subarray(start, start + ACROSS);
    const hex = [...part].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = [...part].map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${(offset + start).toString(16).padStart(8, "0")}  ${hex.padEnd(ACROSS * 3 - 1)}  ${text}`);
  }
  const to = (next) => () => renderHex(place, field, value, signal, next);
  fill(place, h("pre", {class: "hex", tabindex: 0}, lines.join("\n")),
    size > PART ? h("p", {class: "amount"}, `bytes ${number(offset)} to ${number(offset + all.length)} of ${number(size)} `,
      h("button", {type: "button", onclick: to(Math.max(0, offset - PART)), disabled: offset === 0}, "Before"), " ",
      h("button", {type: "button", onclick: to(offset + PART), disabled: offset + PART >= size}, "After")) : null);
}
