// SPDX-License-Identifier: Apache-2.0
// Two datasets, or two states of a store: fields, counts, and the records that differ, with both values side by side.

import {h, fill, count, number, say, typeOf} from "./dom.js";
import {address, getJson} from "./net.js";
import {go, link} from "./app.js";
import {content} from "./cells.js";
import {work} from "./work.js";

const KINDS = ["changed", "added", "removed"];
const PAGE = 20;
const UNLIMITED = 1 << 30;

export async function show(main, state) {
  const stop = new AbortController();
  const page = {state, signal: stop.signal, status: h("div", {class: "scope", id: "scope"}), result: h("div", {id: "comparison"})};
  const first = await getJson("compare", {...parameters(state), budget: 0}, stop.signal);
  fill(main, h("h1", {}, `Compare ${state.dataset}`), form(page, first), page.status, page.result);
  if (state.other) {
    draw(page, first);
    run(page, first);
  }
  return () => stop.abort();
}

function parameters(state) {
  return Object.fromEntries(["dataset", "other", "match", "kind", "start"].map((name) => [name, state[name]]));
}

function form(page, first) {
  const {state} = page;
  const change = () => go("compare", {dataset: state.dataset, other: other.value || null, match: other.value === state.other ? match?.value : null});
  const other = h("select", {id: "other", "aria-label": "Dataset to compare with", onchange: change}, h("option", {value: ""}, first.others.length ? "Choose a dataset" : "There is no other dataset"),
    first.others.map((id) => h("option", {value: id}, id)));
  other.value = state.other ?? "";
  const match = first.matches ? h("select", {id: "match", "aria-label": "Records are the same by", onchange: change}, first.matches.map((name) => h("option", {value: name}, name === "index" ? "their index" : name === "name" ? "their name" : `the field ${name.slice(6)}`))) : null;
  if (match) match.value = first.match;
  return h("div", {class: "bar plain"}, h("label", {class: "inline"}, "with", other), match ? h("label", {class: "inline"}, "records are the same by", match) : null,
    state.other ? link("compare", {dataset: state.other, other: state.dataset, match: state.match}, {class: "button", id: "swap"}, "Exchange") : null,
    h("a", {class: "quiet", href: address("compare", {...parameters(state), format: "json"}), target: "_blank", rel: "noopener"}, "JSON"));
}

async function run(page, first) {
  let data = first;
  try {
    if (!first.exact) {
      await work(page.status, "compare", {...parameters(page.state), budget: UNLIMITED}, page.signal);
      data = await getJson("compare", {...parameters(page.state), budget: 0}, page.signal);
    }
    draw(page, data);
  } catch (e) {
    if (e.name !== "AbortError") fill(page.status, h("p", {class: "error"}, e.message));
  }
}

function draw(page, data) {
  const scope = data.exact ? `all ${count(data.of, "record")}` : `the first ${number(data.searched)} of ${count(data.of, "record")}`;
  fill(page.status, h("span", {class: data.exact ? "tag good" : "tag"}, data.exact ? "exact" : "in part"), h("span", {id: "scope-text"}, `Compared ${scope}`),
    data.exact ? null : h("button", {type: "button", id: "go-on", onclick: () => run(page, data)}, "Go on"),
    data.counts.repeatedKeys ? h("span", {class: "bad"}, `${count(data.counts.repeatedKeys, "key")} occurred again`) : null);
  fill(page.result, tiles(data), fields(data), list(page, data));
  if (data.exact) say(`${KINDS.map((kind) => `${number(data.counts[kind])} ${kind}`).join(", ")}`);
}

function tile(title, value, note, kind) {
  return h("div", {class: "figure-tile", id: kind ? `count-${kind}` : null}, h("span", {class: "amount"}, title), h("strong", {}, value), h("span", {class: "amount"}, note));
}

function tiles(data) {
  const {left, right, counts} = data;
  return h("div", {class: "figure-tiles"},
    tile("Records", `${number(left.records)} → ${number(right.records)}`, `${left.format} → ${right.format}`),
    tile("The same", number(counts.same), "", "same"), tile("Changed", number(counts.changed), "", "changed"),
    tile("Added", number(counts.added), "only in the other", "added"), tile("Removed", number(counts.removed), "only in this", "removed"));
}

function fields(data) {
  const rows = [
    ...data.fields.same.map((field) => [field.name, typeOf(field), typeOf(field), data.changedValues[field.name] ? `${count(data.changedValues[field.name], "value")} changed` : "no value changed"]),
    ...data.fields.changed.map(({left, right}) => [left.name, typeOf(left), typeOf(right), "other type, not compared"]),
    ...data.fields.removed.map((field) => [field.name, typeOf(field), "–", "removed"]),
    ...data.fields.added.map((field) => [field.name, "–", typeOf(field), "added"]),
  ];
  return h("section", {}, h("h2", {}, "Fields"), h("div", {class: "sideways-table", tabindex: 0}, h("table", {class: "plain tight", id: "compared-fields"},
    h("thead", {}, h("tr", {}, ["Field", "this", "other", "values"].map((name) => h("th", {scope: "col"}, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((text) => h("td", {}, text))))))));
}

function list(page, data) {
  const {state} = page;
  const start = data.start, limit = start + data.pairs.length;
  const tabs = KINDS.map((kind) => link("compare", {...state, kind, start: null}, {class: "button", "aria-current": kind === data.kind ? "true" : null, id: `kind-${kind}`}, `${kind} ${number(data.counts[kind])}`));
  const to = (at, text) => link("compare", {...state, start: at || null}, {class: "button"}, text);
  return h("section", {}, h("h2", {}, "Records"), h("div", {class: "bar plain", role: "group", "aria-label": "Records to show"}, tabs),
    data.pairs.length ? table(data) : h("p", {class: "amount"}, `No record is ${data.kind}${data.exact ? "" : " so far"}.`),
    data.listed > data.pairs.length ? h("div", {class: "bar plain"}, start > 0 ? to(Math.max(0, start - PAGE), "Before") : null, limit < data.listed ? to(limit, "After") : null,
      h("span", {class: "count"}, `${number(start + 1)} to ${number(limit)} of ${number(data.listed)}${data.listed < data.counts[data.kind] ? ` listed, ${number(data.counts[data.kind])} in all` : ""}`)) : null);
}

function table(data) {
  const shared = data.fields.same.length ? data.fields.same : null;
  const isDifferent = (pair, field) => Boolean(pair.different?.includes(field.name));
  const columns = (shared ?? []).map((field, i) => ({field, i}));
  const line = (pair, side) => {
    const row = pair[side];
    if (!row) return null;
    const dataset = side === "left" ? data.dataset : data.other;
    return h("tr", {class: side}, h("th", {scope: "row"}, side === "left" ? "this" : "other"), h("td", {}, link("records", {dataset, row: row.index, record: row.index}, {}, number(row.index)), row.name ? ` ${row.name}` : ""),
      columns.map(({field, i}) => h("td", {class: isDifferent(pair, field) ? "different" : ""}, row.cells[i] ? content(dataset, row, row.cells[i], field) : "")));
  };
  return h("div", {class: "sideways-table tall", tabindex: 0}, h("table", {class: "plain tight pairs", id: "pairs"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, h("span", {class: "unseen"}, "dataset")), h("th", {scope: "col"}, "record"), columns.map(({field}) => h("th", {scope: "col"}, field.name)))),
    data.pairs.map((pair) => h("tbody", {}, line(pair, "left"), line(pair, "right")))));
}
