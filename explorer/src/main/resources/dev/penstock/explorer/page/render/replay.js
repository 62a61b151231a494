// SPDX-License-Identifier: Apache-2.0
// Replays a record that has a list of boards and a list of moves, such as a run of the game 2048.

import {h, short} from "../dom.js";
import {getBytes} from "../net.js";
import {MOVES, board, unpacked} from "./board.js";
import {decode} from "./decode.js";
import {player} from "./player.js";

/** Whether a record is a game, by its fields. */
export function isGame(fields) {
  const has = (name, type) => fields.some((field) => field.name === name && field.type === type && field.variable && !field.large);
  return has("boards", "u64") && has("moves", "u8");
}

export async function replay(value, fields, signal) {
  const read = async (name, type) => (fields.some((field) => field.name === name) ? decode(type, (await getBytes({...value, field: name}, signal)).bytes) : null);
  const boards = await read("boards", "u64");
  const moves = await read("moves", "u8");
  const branches = await read("branches", "f32");
  const last = fields.find((field) => field.name === "final_board");
  const end = last ? BigInt(last.text) : null;
  const count = boards.length + (end === null ? 0 : 1);
  return player(count, (at) => [
    board(unpacked(at < boards.length ? boards[at] : BigInt.asUintN(64, end))),
    h("p", {class: "amount move"}, at < boards.length ? `Move ${MOVES[moves[at]] ?? moves[at]}` : "The end"),
    branches && at < boards.length ? worth(branches.subarray(4 * at, 4 * at + 4), moves[at]) : null,
  ], "Step of the game");
}

/** What each move was worth to the player that made the run. */
function worth(values, chosen) {
  return h("dl", {class: "facts small"}, Array.from(values, (value, move) => [
    h("dt", {}, MOVES[move]), h("dd", {}, value ? short(value) : "–", move === chosen ? " chosen" : ""),
  ]));
}
