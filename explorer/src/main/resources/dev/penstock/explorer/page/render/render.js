// SPDX-License-Identifier: Apache-2.0
// Chooses the renderer of a value. A renderer fills an element, and fetches as much of the value as it shows.

import {h, fill, bytes, isNumber} from "../dom.js";
import {address} from "../net.js";
import {renderArray} from "./array.js";
import {renderHex} from "./hex.js";
import {renderText} from "./text.js";

export async function render(place, field, value, signal) {
  if (field.missing) fill(place, h("em", {class: "missing"}, "missing"));
  else if (field.large) fill(place, h("p", {}, `${bytes(field.bytes)} are more than the explorer opens; penstock get writes the record to a file.`));
  else if (field.media?.startsWith("image/")) renderImage(place, field, value);
  else if (field.media?.startsWith("audio/")) fill(place, h("audio", {controls: true, preload: "metadata", src: address("value", value)}));
  else if (field.isText) await renderText(place, field, value, signal);
  else if (isNumber({...field, variable: false, shape: []}) && (!isNumber(field) || isPackedBoard(field))) await renderArray(place, field, value, signal);
  else if (field.type === "bytes" && !field.shape.length) await renderHex(place, field, value, signal);
  else fill(place, h("output", {class: "scalar"}, field.text));
}

function isPackedBoard(field) {
  return field.type === "u64" && /board/i.test(field.name);
}

function renderImage(place, field, value) {
  const note = h("p", {class: "amount"}, field.media);
  const image = h("img", {src: address("value", value), alt: `${value.field} of record ${value.index}`, class: "picture"});
  image.addEventListener("load", () => {
    note.textContent = `${field.media}, ${image.naturalWidth} × ${image.naturalHeight}`;
    if (image.naturalWidth < 100) image.classList.add("small");
  });
  image.addEventListener("error", () => renderHex(place, field, value));
  fill(place, image, note);
}
