// SPDX-License-Identifier: Apache-2.0
// Boards of the game 2048, recognised by their numbers: 16 exponents, 16 tiles, or one 64-bit number with 16 exponents.

import {h} from "../dom.js";

const EXPONENT_MAX = 17;
const SIDE = 4;

/** The arrows of moves by their numbers. */
export const MOVES = ["↑ up", "↓ down", "← left", "→ right"];

/** The exponents of a board in a 64-bit number: the first cell in the highest bits. */
export function unpacked(board) {
  return Array.from({length: SIDE * SIDE}, (_, cell) => Number((board >> BigInt(60 - 4 * cell)) & 15n));
}

/** The exponents of the cells, or null when the values are no board. */
export function boardOf(field, values) {
  const isWhole = !field.type.startsWith("f") && !field.type.startsWith("c") && field.type !== "bool";
  if (!isWhole) return null;
  if (field.type === "u64" && values.length === 1 && /board/i.test(field.name)) return unpacked(values[0]);
  const shape = field.shape.join();
  if (values.length !== SIDE * SIDE || (shape !== "4,4" && !(shape === "16" && /board/i.test(field.name)))) return null;
  const numbers = Array.from(values, Number);
  if (numbers.every((value) => value >= 0 && value <= EXPONENT_MAX)) return numbers;
  const exponents = numbers.map((value) => (value === 0 ? 0 : Math.log2(value)));
  return exponents.every((value) => Number.isInteger(value) && value >= 0 && value <= EXPONENT_MAX) ? exponents : null;
}

/** A board as a grid of tiles. */
export function board(exponents) {
  const tiles = exponents.map((exponent) => (exponent ? 2 ** exponent : 0));
  const lines = [0, 4, 8, 12].map((start) => tiles.slice(start, start + SIDE).join(" ")).join("; ");
  return h("div", {class: "board", role: "img", "aria-label": `Board: ${lines}`},
    exponents.map((exponent, cell) => h("span", {class: `tile-${Math.min(exponent, 12)}${tiles[cell] > 999 ? " long" : ""}`}, exponent ? String(tiles[cell]) : "")));
}
