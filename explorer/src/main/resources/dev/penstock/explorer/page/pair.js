// SPDX-License-Identifier: Apache-2.0
// Two fields against each other, as a map of how many records have each pair of values.

import {h, fill, number, say, short} from "./dom.js";
import {getJson} from "./net.js";
import {go, note} from "./app.js";
import {between, both, equals} from "./condition.js";
import {colour} from "./render/array.js";

const TEXTS = ["utf8", "utf32", "bytes"];

function isPlain(field) {
  return !field.shape.length && (TEXTS.includes(field.type) || !field.variable) && !field.type.startsWith("c");
}

export function pairSection(page, first) {
  const names = first.allFields.filter(isPlain).map((field) => field.name);
  if (names.length < 2) return null;
  const place = h("div", {class: "pair", id: "pair"});
  const select = (name, label) => {
    const element = h("select", {id: `pair-${name}`, "aria-label": label, onchange: () => draw()},
      h("option", {value: ""}, label), names.map((one) => h("option", {value: one}, one)));
    element.value = names.includes(page.state[name]) ? page.state[name] : "";
    return element;
  };
  const x = select("x", "Across"), y = select("y", "Up");
  const draw = async () => {
    note({x: x.value || null, y: y.value || null});
    if (!x.value || !y.value) return;
    fill(place, h("p", {class: "amount"}, "reading"));
    try {
      const {dataset, where, sample} = page.state;
      const data = await getJson("pair", {dataset, where, sample: sample === "0" ? 200_000 : sample, x: x.value, y: y.value}, page.signal);
      fill(place, map(page, data));
    } catch (e) {
      if (e.name !== "AbortError") fill(place, h("p", {class: "error"}, e.message));
    }
  };
  if (x.value && y.value) draw();
  return h("section", {}, h("h2", {}, "Two fields against each other"), h("div", {class: "bar plain"}, x, h("span", {}, "and"), y), place);
}

/** The condition of a cell of an axis, and its text. */
function cell(axis, i) {
  if (axis.values) {
    if (i >= axis.values.length) return {where: null, text: "other values"};
    return {where: equals(axis.name, axis.values[i]), text: short(axis.values[i])};
  }
  const from = axis.start + i * axis.width, limit = from + axis.width;
  return {where: between(axis.name, from, limit, i === axis.count - 1), text: `${short(from)} to ${short(limit)}`};
}

function map(page, data) {
  const {x, y, counts} = data;
  const highest = Math.max(1, ...counts.flat());
  const canvas = h("canvas", {class: "map", width: x.count, height: y.count, tabindex: 0, role: "img",
    "aria-label": `${number(data.records)} records by ${x.name} across and ${y.name} up. Arrow keys move, Enter shows the records.`});
  const context = canvas.getContext("2d");
  const picture = context.createImageData(x.count, y.count);
  const empty = [0, 0, 0, 0];
  for (let row = 0; row < y.count; row++) {
    for (let column = 0; column < x.count; column++) {
      const value = counts[y.count - 1 - row][column];
      picture.data.set(value ? colour(Math.log1p(value) / Math.log1p(highest)) : empty, (row * x.count + column) * 4);
    }
  }
  context.putImageData(picture, 0, 0);
  const told = h("p", {class: "amount", id: "pair-cell"}, "Point at a cell; choose it to see its records.");
  let at = {column: 0, row: 0};
  const tell = () => {
    const across = cell(x, at.column), up = cell(y, at.row);
    told.textContent = `${x.name} ${across.text}, ${y.name} ${up.text}: ${number(counts[at.row][at.column])}`;
    return both(page.state.where, across.where, up.where);
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    at = {column: Math.min(x.count - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * x.count))),
      row: Math.min(y.count - 1, Math.max(0, y.count - 1 - Math.floor((event.clientY - box.top) / box.height * y.count)))};
    tell();
  };
  const open = () => {
    const where = tell();
    if (counts[at.row][at.column] && where) go("records", {dataset: page.state.dataset, where});
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("click", (event) => { point(event); open(); });
  canvas.addEventListener("keydown", (event) => {
    const moves = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    if (event.key === "Enter") open();
    else if (event.key in moves) {
      at = {column: Math.min(x.count - 1, Math.max(0, at.column + moves[event.key][0])), row: Math.min(y.count - 1, Math.max(0, at.row + moves[event.key][1]))};
      tell();
      say(told.textContent);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const ends = (axis) => [cell(axis, 0).text, cell(axis, axis.count - 1).text];
  const scope = data.exact ? "all records, exact" : `a sample of ${number(data.searched)} of ${number(data.of)} records`;
  return [h("figure", {class: "pair-map"},
    h("div", {class: "axis up", "aria-hidden": "true"}, h("span", {}, ends(y)[1]), h("b", {}, y.name), h("span", {}, ends(y)[0])), canvas,
    h("div", {class: "axis across", "aria-hidden": "true"}, h("span", {}, ends(x)[0]), h("b", {}, x.name), h("span", {}, ends(x)[1]))),
  told,
  h("p", {class: "amount"}, [`${number(data.records)} records: ${scope}`, data.correlation === null ? null : `correlation ${data.correlation.toFixed(3)}`,
    data.without ? `${number(data.without)} without a value` : null, `brightest cell ${number(highest)}`].filter(Boolean).join("; "))];
}
