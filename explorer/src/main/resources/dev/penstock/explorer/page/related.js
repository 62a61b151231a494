// SPDX-License-Identifier: Apache-2.0
// What belongs to a record: its group, the rows of a group, the replay of a game, the decoded form of stored bytes.

import {h, fill, number} from "./dom.js";
import {getJson} from "./net.js";
import {link} from "./app.js";
import {render} from "./render/render.js";
import {player} from "./render/player.js";
import {isGame, replay} from "./render/replay.js";

/** The sections above the fields of a record. */
export function related(data, signal) {
  return [
    data.group ? group(data.group, data.dataset) : null,
    data.rows ? episode(data.rows, data.index, signal) : null,
    isGame(data.fields) ? game(data, signal) : null,
    data.facts && Object.keys(data.facts).length ? section("Content", pairs(data.facts)) : null,
    data.detail ? detail(data.detail, signal) : null,
  ];
}

function section(title, ...content) {
  return h("section", {class: "related"}, h("h3", {}, title), ...content);
}

function pairs(values) {
  return h("dl", {class: "facts small"}, Object.entries(values).map(([name, value]) => [
    h("dt", {}, name), h("dd", {}, h(String(value).includes("\n") ? "pre" : "span", {}, value === null ? "missing" : typeof value === "number" ? number(value) : String(value)))]));
}

/** The attributes of a group, and the ways to its rows and its neighbours. */
export function group(data, dataset) {
  const to = (index, text) => (index >= 0 && index < data.groups
    ? link("records", {dataset, group: index}, {class: "button", "aria-label": `Group ${text === "←" ? "before" : "after"}`}, text) : null);
  return h("section", {class: "related group", id: "group"}, h("h3", {}, link("records", {dataset: data.dataset, row: data.index, record: data.index}, {}, `Group ${number(data.index)}`),
    h("small", {}, `of ${number(data.groups)}, records ${number(data.start)} to ${number(data.limit - 1)}`)),
  pairs(data.attributes),
  h("p", {class: "bar plain"}, to(data.index - 1, "←"), link("records", {dataset, group: data.index}, {class: "button", id: "episode"}, `All ${number(data.limit - data.start)} rows`), to(data.index + 1, "→")));
}

/** The rows of a group, one after the other. */
function episode(rows, index, signal) {
  const count = rows.limit - rows.start;
  const draw = async (at) => {
    const data = await getJson("record", {dataset: rows.dataset, index: rows.start + at}, signal);
    const places = data.fields.map((field) => ({field, place: h("div", {class: "value"})}));
    await Promise.all(places.map(({field, place}) => render(place, field, {dataset: rows.dataset, index: data.index, field: field.name}, signal)));
    return places.map(({field, place}) => h("div", {class: "episode-field"}, h("h4", {}, field.name), place));
  };
  return section(`${number(count)} rows`, link("records", {dataset: rows.dataset, group: index}, {class: "button", id: "rows"}, "Rows as a table"),
    count ? player(count, draw, "Row of the group") : null);
}

function later(title, work) {
  const place = h("div", {class: "value"});
  work().then((content) => fill(place, content)).catch((e) => {
    if (e.name !== "AbortError") fill(place, h("p", {class: "error"}, e.message));
  });
  return section(title, place);
}

function game(data, signal) {
  return later("Replay", () => replay({dataset: data.dataset, index: data.index}, data.fields, signal));
}

/** The decoded form of a stored record. */
function detail(where, signal) {
  return later("Decoded", async () => {
    const data = await getJson("record", where, signal);
    const way = link("records", {dataset: where.dataset, row: where.index, record: where.index}, {class: "button", id: "decoded"}, `Open in ${where.dataset.split("#").pop()}`);
    return [isGame(data.fields) ? await replay(where, data.fields, signal) : null, h("p", {}, way)];
  });
}
