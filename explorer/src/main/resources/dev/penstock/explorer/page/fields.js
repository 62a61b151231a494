// SPDX-License-Identifier: Apache-2.0
// How the values of each field are distributed. A bar leads to its records.

import {h, fill, bytes, count, isNumber, number, say, short, typeOf} from "./dom.js";
import {address, getJson} from "./net.js";
import {go, link} from "./app.js";
import {bars, rows} from "./bars.js";
import {between, both, equals} from "./condition.js";
import {pairSection} from "./pair.js";
import {work} from "./work.js";

const SAMPLES = [10_000, 100_000];
const BARS_MAX = 48;
const UNLIMITED = 1 << 30;

let input = null;

export function key(event) {
  if (event.key !== "/") return false;
  input?.focus();
  return true;
}

export async function show(main, state) {
  const stop = new AbortController();
  const page = {state, signal: stop.signal, status: h("div", {class: "scope", id: "scope"}), cards: h("div", {class: "cards", id: "cards"})};
  const parameters = {dataset: state.dataset, fields: state.fields, where: state.where, sample: state.sample};
  const first = await getJson("fields", {...parameters, budget: 0}, stop.signal);
  fill(main, h("h1", {}, `Fields of ${state.dataset}`), toolbar(page, first), page.status, page.cards, pairSection(page, first));
  run(page, parameters, first);
  return () => stop.abort();
}

function toolbar(page, first) {
  const {state} = page;
  input = h("input", {id: "where", size: 24, value: state.where ?? "", placeholder: "Only records that match (/)", "aria-label": "Condition", autocomplete: "off", spellcheck: "false"});
  const form = h("form", {class: "inline wide", onsubmit: (event) => {
    event.preventDefault();
    go("fields", {...state, where: input.value.trim() || null});
  }}, input);
  const chosen = state.sample === undefined ? SAMPLES[0] : Number(state.sample);
  const choice = (size, text) => link("fields", {...state, sample: size}, {class: "button", "aria-current": (size || first.records) === (chosen || first.records) || (size === 0 && chosen >= first.records) ? "true" : null, id: `sample-${size}`}, text);
  return h("div", {class: "bar plain", role: "toolbar", "aria-label": "Fields"}, form,
    h("span", {class: "inline", role: "group", "aria-label": "Records to look at"},
      SAMPLES.filter((size) => size < first.records).map((size) => choice(size, `Sample of ${number(size)}`)),
      choice(0, `All ${number(first.records)}`)),
    first.allFields.length > 1 ? fieldMenu(page, first) : null,
    h("a", {class: "quiet", href: address("fields", {...state, format: "json"}), target: "_blank", rel: "noopener"}, "JSON"));
}

function fieldMenu(page, first) {
  const shown = new Set(first.stats.fields.map((field) => field.name));
  const items = first.allFields.map((field) => {
    const box = h("input", {type: "checkbox", onchange: () => {
      box.checked ? shown.add(field.name) : shown.delete(field.name);
      go("fields", {...page.state, fields: first.allFields.map((one) => one.name).filter((name) => shown.has(name)).join(",") || null});
    }});
    box.checked = shown.has(field.name);
    return h("li", {}, h("label", {}, box, " ", field.name));
  });
  return h("details", {class: "menu"}, h("summary", {}, `${number(shown.size)} of ${count(first.allFields.length, "field")}`), h("ul", {}, items));
}

async function run(page, parameters, first) {
  if (first.finished) return report(page, parameters, first);
  fill(page.cards, first.stats.fields.map((field) => h("article", {class: "card waiting"}, heading(field))));
  try {
    const result = await work(page.status, "fields", {...parameters, budget: parameters.sample === "0" ? UNLIMITED : null}, page.signal);
    report(page, parameters, {...first, ...(result ?? await getJson("fields", {...parameters, budget: 0}, page.signal))});
  } catch (e) {
    if (!page.signal.aborted) fill(page.status, h("p", {class: "error"}, e.message));
  }
  return undefined;
}

function report(page, parameters, data) {
  const {records} = data.stats;
  const matching = page.state.where ? `${number(records)} that match, of ` : "";
  const scope = data.exact ? `${matching}all ${count(data.of, "record")}`
    : data.sample === null ? `${matching}the first ${number(data.searched)} of ${count(data.of, "record")}`
      : `a random sample: ${matching}${number(data.searched)} of ${count(data.of, "record")}`;
  fill(page.status, h("span", {class: data.exact ? "tag good" : "tag"}, data.exact ? "exact" : "sampled"), h("span", {id: "scope-text"}, `Figures of ${scope}`),
    data.finished ? null : h("button", {type: "button", id: "go-on", onclick: () => run(page, parameters, data)}, "Go on"));
  fill(page.cards, data.stats.fields.map((field) => card(page, data, field)));
  say(`Figures of ${scope}`);
}

function heading(field) {
  return h("h2", {}, h("span", {}, field.name), h("small", {}, `${typeOf({...field, variable: false})}${field.sizes ? ", sizes in bytes" : ""}`));
}

function card(page, data, field) {
  const parts = [heading(field)];
  if (field.histogram) parts.push(histogram(page, field));
  parts.push(figures(data, field));
  if (field.top?.length && (field.top[0].count > 1 || field.top.length < 4)) parts.push(frequent(page, field));
  return h("article", {class: "card", "data-field": field.name}, parts);
}

/** Whether a condition can compare the field as a whole. */
function isSelectable(field) {
  return !field.sizes && isNumber({...field, variable: false}) && !field.shape.length;
}

function histogram(page, field) {
  const {start, width, counts} = field.histogram;
  const together = Math.ceil(counts.length / BARS_MAX);
  const list = [];
  for (let i = 0; i < counts.length; i += together) {
    const part = counts.slice(i, i + together).reduce((a, b) => a + b, 0);
    const from = start + i * width, limit = from + together * width;
    const isSingle = together === 1 && width === 1 && Number.isInteger(start);
    const where = !isSelectable(field) || !Number.isSafeInteger(Math.trunc(limit)) ? null : isSingle ? equals(field.name, from) : between(field.name, from, limit);
    const range = isSingle ? short(from) : `${short(from)} to ${short(limit)}`;
    const title = `${range}: ${number(part)}`;
    list.push({count: part, title, page: "records", state: where && part ? {dataset: page.state.dataset, where: both(page.state.where, where)} : null});
  }
  const unit = (value) => (field.sizes ? bytes(value) : short(value));
  return h("figure", {class: "histogram"}, bars(list, `Histogram of ${field.name}`),
    h("figcaption", {}, h("span", {}, unit(field.min)), h("span", {}, unit(field.max))));
}

function figures(data, field) {
  const unit = (value) => (value === null || value === undefined ? "–" : field.sizes ? bytes(Math.round(value)) : short(value));
  const q = field.quantiles ?? {};
  const share = (part) => (field.count + field.missing ? ` (${(100 * part / (field.count + field.missing)).toPrecision(2)} %)` : "");
  const entries = [
    ["values", number(field.count)],
    field.missing ? ["missing", number(field.missing) + share(field.missing)] : null,
    field.nonFinite ? ["NaN or infinite", number(field.nonFinite)] : null,
    field.distinct === undefined ? null : ["distinct", `${field.distinctExact ? "" : "about "}${number(field.distinct)}`],
    field.mean === null ? null : ["mean ± std", `${unit(field.mean)} ± ${unit(field.std)}`],
    "0.5" in q ? ["median", unit(q["0.5"])] : null,
    "0.25" in q ? ["middle half", `${unit(q["0.25"])} to ${unit(q["0.75"])}`] : null,
    "0.01" in q ? ["1 % to 99 %", `${unit(q["0.01"])} to ${unit(q["0.99"])}`] : null,
  ].filter(Boolean);
  const notes = [];
  if (field.quantiles && !field.quantilesExact) notes.push(`quantiles of ${number(field.quantilesOf)} sampled values`);
  if (field.distinct !== undefined && !field.distinctExact) notes.push("distinct values estimated, ± 2 %");
  return [h("dl", {class: "facts small"}, entries.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    notes.length ? h("p", {class: "amount"}, notes.join("; ")) : null];
}

function frequent(page, field) {
  const list = field.top.slice(0, 8).map((one) => {
    const name = typeof one.value === "string" ? one.value + (one.whole ? "" : "…") : short(one.value);
    const canFilter = one.whole && !field.shape.length && (field.sizes ? typeof one.value === "string" && !field.isArray : true) && Number.isFinite(one.size ?? 0);
    const where = canFilter ? equals(field.name, one.value) : null;
    const share = (100 * one.count / field.topOf).toPrecision(2);
    return {name: name === "" ? "(empty)" : name, count: one.count, amount: field.distinctExact ? number(one.count) : `${share} %`,
      title: `${name}: ${number(one.count)} of ${number(field.topOf)}`, page: "records",
      state: where ? {dataset: page.state.dataset, where: both(page.state.where, where)} : null};
  });
  return [h("h3", {}, "Most frequent", field.distinctExact ? null : h("small", {}, `in ${count(field.topOf, "sampled value")}`)), rows(list, `Most frequent values of ${field.name}`)];
}
