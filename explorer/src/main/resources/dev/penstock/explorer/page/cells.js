// SPDX-License-Identifier: Apache-2.0
// Values in tables.

import {h, bytes} from "./dom.js";
import {address} from "./net.js";

/** A value in a cell of the table. */
export function content(dataset, row, cell, field) {
  if (cell.missing) return h("em", {class: "missing"}, "missing");
  if (cell.large) return h("em", {class: "missing"}, `${bytes(cell.bytes)}, open to see`);
  if (cell.media?.startsWith("image/")) {
    return h("img", {src: address("value", {dataset, index: row.index, field: field.name}), alt: `${field.name} of record ${row.index}`, loading: "lazy", decoding: "async"});
  }
  return cell.media?.startsWith("audio/") ? `♪ ${cell.media.slice(6)}` : cell.text;
}
