// SPDX-License-Identifier: Apache-2.0
// Numbers as a list, a line, a heat map or a picture.

import {h, fill, bytes, number} from "../dom.js";
import {getBytes} from "../net.js";
import {decode} from "./decode.js";
import {lineChart} from "./chart.js";
import {board, boardOf} from "./board.js";
import {areTokens, looksLikeTokens, tokens} from "./tokens.js";

const SIZE_MAX = 4 << 20;
const LISTED_MAX = 2000;
const LINE_MAX = 100_000;
const SIDE_MAX = 1024;
/** Vectors from this length on are also shown as a strip of colours. */
const STRIP_MIN = 16;
const STRIP_ACROSS = 32;
const GRID_MAX = 64;

export async function renderArray(place, field, value, signal) {
  const {bytes: data, size} = await getBytes({...value, size: SIZE_MAX}, signal);
  const values = decode(field.type, data);
  const shape = field.variable ? [values.length / field.shape.reduce((a, b) => a * b, 1), ...field.shape] : field.shape;
  const isWhole = data.byteLength === size;
  const views = {Values: () => list(values)};
  if (values.length > 1 && field.type !== "bool") views.Line = () => line(values);
  const image = pictureShape(field.type, shape);
  const flat = shape.length > 2 ? [shape.slice(0, -1).reduce((a, b) => a * b, 1), shape.at(-1)] : shape;
  if (flat.length === 2 && isWhole && flat[0] > 1 && flat[1] > 1) views["Heat map"] = () => heatMap(values, flat);
  if (image && isWhole) views.Picture = () => picture(values, image);
  const grid = isWhole && !image ? gridShape(field.type, shape) : null;
  if (grid) views.Grid = () => pictures(values, grid);
  const exponents = isWhole ? boardOf(field, values) : null;
  if (exponents) views.Board = () => board(exponents);
  if (areTokens(field, values)) views.Tokens = () => tokens(values);
  const isEmbedding = isWhole && flat.length === 1 && /^(f|bf)/.test(field.type) && values.length >= STRIP_MIN;
  if (isEmbedding) views.Strip = () => heatMap(values, [Math.ceil(values.length / STRIP_ACROSS), Math.min(values.length, STRIP_ACROSS)]);
  const usual = exponents ? "Board" : views.Grid ? "Grid" : views.Tokens && looksLikeTokens(field) ? "Tokens" : views.Picture ? "Picture" : views["Heat map"] ? "Heat map" : values.length > 12 && views.Line ? "Line" : "Values";
  const body = h("div", {class: "array"});
  const buttons = Object.keys(views).map((name) => h("button", {type: "button", "aria-pressed": name === usual, onclick: () => choose(name)}, name));
  const choose = (name) => {
    for (const button of buttons) button.setAttribute("aria-pressed", button.textContent === name);
    Promise.resolve(views[name]()).then((drawn) => fill(body, drawn));
  };
  fill(place, buttons.length > 1 ? h("div", {class: "choices", role: "group", "aria-label": "Show as"}, buttons) : null, body,
    values.length === 1 ? null : h("p", {class: "amount"}, `${number(values.length)} values, ${summary(values)}${isEmbedding ? `, length ${norm(values)}` : ""}${isWhole ? "" : `, the first ${bytes(data.byteLength)} of ${bytes(size)}`}`));
  choose(usual);
}

function summary(values) {
  let min = Infinity, max = -Infinity, sum = 0, count = 0;
  for (const value of values) {
    const real = Number(value);
    if (!Number.isFinite(real)) continue;
    if (real < min) min = real;
    if (real > max) max = real;
    sum += real;
    count++;
  }
  return count ? `from ${short(min)} to ${short(max)}, mean ${short(sum / count)}` : "none finite";
}

/** The Euclidean length. */
function norm(values) {
  return short(Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)));
}

function short(value) {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

function list(values) {
  const shown = Array.from(values.slice(0, LISTED_MAX), String).join(" ");
  return h("pre", {class: "wrapped", tabindex: 0}, shown + (values.length > LISTED_MAX ? ` … ${number(values.length - LISTED_MAX)} more` : ""));
}

function line(values) {
  const reals = Float64Array.from(values.length > LINE_MAX ? values.slice(0, LINE_MAX) : values, Number);
  return lineChart(reals);
}

/** Height, width, channels and whether the channels come first, for shapes that are usual for pictures. */
function pictureShape(type, shape) {
  if (type !== "u8" || shape.length < 2 || shape.length > 3) return null;
  if (shape.length === 2) return shape[0] > 7 && shape[1] > 7 ? {height: shape[0], width: shape[1], channels: 1} : null;
  if ([1, 3, 4].includes(shape[2])) return {height: shape[0], width: shape[1], channels: shape[2]};
  if ([1, 3, 4].includes(shape[0])) return {height: shape[1], width: shape[2], channels: shape[0], isPlanar: true};
  return null;
}

/** Several pictures: their number, and the shape of each. */
function gridShape(type, shape) {
  const each = shape.length > 2 ? pictureShape(type, shape.slice(1)) : null;
  return each && each.height > 7 && each.width > 7 && shape[0] > 0 ? {count: shape[0], each} : null;
}

function pictures(values, {count, each}) {
  const size = each.height * each.width * each.channels;
  return h("div", {class: "picture-grid"}, Array.from({length: Math.min(count, GRID_MAX)}, (_, i) => picture(values.subarray(i * size, (i + 1) * size), each)),
    count > GRID_MAX ? h("p", {class: "amount"}, `the first ${GRID_MAX} of ${number(count)} pictures`) : null);
}

function canvas(width, height, label) {
  const element = h("canvas", {width, height, class: width < 100 ? "picture small" : "picture", role: "img", "aria-label": label});
  return {element, context: element.getContext("2d")};
}

function picture(values, {height, width, channels, isPlanar}) {
  if (height > 8192 || width > 8192) return h("p", {}, "The picture is too large to draw.");
  const {element, context} = canvas(width, height, `Picture of ${width} by ${height}`);
  const data = context.createImageData(width, height);
  const at = (pixel, channel) => values[isPlanar ? channel * width * height + pixel : pixel * channels + channel];
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < 3; channel++) data.data[pixel * 4 + channel] = at(pixel, channels < 3 ? 0 : channel);
    data.data[pixel * 4 + 3] = channels === 4 ? at(pixel, 3) : 255;
  }
  context.putImageData(data, 0, 0);
  return element;
}

/** Each value as a colour from dark to bright; large arrays are thinned out. */
function heatMap(values, [rows, columns]) {
  const down = Math.ceil(rows / SIDE_MAX), right = Math.ceil(columns / SIDE_MAX);
  const height = Math.ceil(rows / down), width = Math.ceil(columns / right);
  let min = Infinity, max = -Infinity;
  for (const value of values) {
    const real = Number(value);
    if (Number.isFinite(real)) { min = Math.min(min, real); max = Math.max(max, real); }
  }
  const {element, context} = canvas(width, height, `Heat map of ${rows} by ${columns}`);
  const data = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const real = Number(values[y * down * columns + x * right]);
      // The last line of a strip may be shorter.
      if (y * down * columns + x * right >= values.length) continue;
      data.data.set(Number.isFinite(real) ? colour(max > min ? (real - min) / (max - min) : 0.5) : [255, 0, 255, 255], (y * width + x) * 4);
    }
  }
  context.putImageData(data, 0, 0);
  const scale = `from ${short(min)} (dark) to ${short(max)} (bright)` + (down > 1 || right > 1 ? `, every ${down}th row and ${right}th column` : "");
  return h("figure", {}, element, h("figcaption", {class: "amount"}, scale));
}

// Points of the colour map viridis.
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

export function colour(share) {
  const place = Math.min(0.9999, Math.max(0, share)) * (VIRIDIS.length - 1);
  const low = VIRIDIS[Math.floor(place)], high = VIRIDIS[Math.floor(place) + 1];
  return [0, 1, 2].map((i) => Math.round(low[i] + (high[i] - low[i]) * (place % 1))).concat(255);
}
