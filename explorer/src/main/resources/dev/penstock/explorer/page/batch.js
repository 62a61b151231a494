// SPDX-License-Identifier: Apache-2.0
// The records of a step, and pictures of an order.

import {h, number} from "./dom.js";
import {link} from "./app.js";
import {content} from "./cells.js";
import {colour} from "./render/array.js";

/** The records of a batch: their pictures, or a table. */
export function batch(page, data, padded) {
  const hasPictures = data.rows.some((row) => row.cells.some((cell) => cell.media?.startsWith("image/")));
  return hasPictures ? batchAlbum(page, data, padded) : batchTable(page, data, padded);
}

function opener(page, row, ...children) {
  return link("records", {dataset: page.state.dataset, row: row.index, record: row.index}, {}, ...children);
}

function batchAlbum(page, data, padded) {
  return h("div", {class: "batch-album"}, data.rows.map((row, i) => {
    const at = Math.max(0, row.cells.findIndex((cell) => cell.media?.startsWith("image/")));
    return h("figure", {class: padded.has(i) ? "tile padded" : "tile"}, opener(page, row, content(page.state.dataset, row, row.cells[at], data.fields[at])),
      h("figcaption", {}, `${number(row.index)} ${row.name ?? ""}${padded.has(i) ? " (padding)" : ""}`));
  }));
}

function batchTable(page, data, padded) {
  const hasNames = data.rows.some((row) => row.name !== null);
  const fields = data.fields.slice(0, 8);
  return h("div", {class: "sideways-table", tabindex: 0}, h("table", {class: "plain tight"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "record"), hasNames ? h("th", {scope: "col"}, "name") : null, fields.map((field) => h("th", {scope: "col"}, field.name)))),
    h("tbody", {}, data.rows.map((row, i) => h("tr", {class: padded.has(i) ? "padded" : ""},
      h("td", {}, opener(page, row, number(row.index)), padded.has(i) ? h("small", {}, " padding") : null), hasNames ? h("td", {}, row.name ?? "") : null,
      fields.map((field, j) => h("td", {title: row.cells[j].text?.slice(0, 300)}, content(page.state.dataset, row, row.cells[j], field))))))));
}

/** Positions across, records up, and how many samples fall into each cell. */
export function orderPicture(data, title, at, unit = "position") {
  const rows = data.counts.length, columns = data.counts[0]?.length ?? 0;
  const highest = Math.max(1, ...data.counts.flat());
  const canvas = h("canvas", {class: "map order-map", width: columns || 1, height: rows || 1, role: "img",
    "aria-label": `${title}: positions ${number(data.from)} to ${number(data.limit)} across, ${number(data.records)} records up. ${spread(data)}`});
  if (columns) {
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const value = data.counts[rows - 1 - row][column];
        image.data.set(value ? colour(0.15 + 0.85 * Math.sqrt(value / highest)) : [0, 0, 0, 0], (row * columns + column) * 4);
      }
    }
    context.putImageData(image, 0, 0);
  }
  const mark = h("span", {class: "mark", "aria-hidden": "true"});
  if (at !== null && at >= data.from && at < data.limit) mark.style.left = `${100 * (at - data.from) / (data.limit - data.from)}%`;
  else mark.hidden = true;
  return h("figure", {class: "order-picture"}, h("figcaption", {}, title), h("div", {class: "framed"}, canvas, mark),
    h("div", {class: "axis"}, h("span", {}, `${unit} ${number(data.from)}`), h("b", {}, "record ↑"), h("span", {}, number(data.limit))));
}

/** For a screen reader: how much of the records the columns cover. */
function spread(data) {
  const columns = data.counts[0]?.length ?? 0;
  if (!columns) return "";
  let covered = 0;
  for (let column = 0; column < columns; column++) covered += data.counts.filter((row) => row[column]).length / data.counts.length;
  return `At any position, samples come from about ${Math.round(100 * covered / columns)} % of the records.`;
}
