// SPDX-License-Identifier: Apache-2.0
// The order in which training sees the records: the sampler, a step, the place of a record, and what it costs.

import {h, fill, bytes, copyButton, count, number, say, short} from "./dom.js";
import {address, getJson} from "./net.js";
import {go, link} from "./app.js";
import {work} from "./work.js";
import {batch, orderPicture} from "./batch.js";

const SAMPLERS = {
  permutation: "every record once, in random order",
  sequential: "the stored order",
  block: "blocks shuffled, and mixed in a window: for data larger than memory",
  share: "as block, but each rank reads its own share of the files",
  window: "runs of neighbours",
  uniform: "drawn at random, with replacement",
  weighted: "drawn in proportion to weights",
  bucket: "records of similar length together",
};

/** The inputs that a sampler has beside those of all. */
const OWN = {
  permutation: ["seed"], sequential: [], block: ["seed", "block", "window"], share: ["seed", "block", "window", "shares"],
  window: ["size", "stride"], uniform: ["seed", "length"], weighted: ["seed", "weights", "length"], bucket: ["seed", "bucket-field", "run", "pool"],
};

const LABELS = {seed: "Seed", block: "Records in a block", window: "Blocks in the window", shares: "Shares", size: "Records in a window", stride: "Stride",
  length: "Samples of an epoch", weights: "Field with weights", "bucket-field": "Field with lengths", run: "Run", pool: "Pool"};

const ALL = ["sampler", "seed", "block", "window", "size", "stride", "length", "weights", "shares", "bucket-field", "run", "pool", "batch", "world", "where", "drop-last", "memory"];

let keys = {};

export function key(event) {
  const use = keys[event.key];
  if (!use) return false;
  use();
  return true;
}

export async function show(main, state) {
  const stop = new AbortController();
  const page = {state, signal: stop.signal};
  const status = h("div", {class: "scope", id: "scope"});
  const result = h("div", {id: "plan", class: "plan"});
  const parameters = Object.fromEntries([...ALL, "dataset", "epoch", "step", "rank", "record"].map((name) => [name, state[name]]));
  keys = {};
  fill(main, h("h1", {}, `Order of ${state.dataset}`),
    h("p", {class: "path"}, "Of a run with a checkpoint: ", link("history", {dataset: state.dataset}, {id: "to-run"}, "where it is, what it saw, and what comes"), "."), h("div", {class: "order"}, h("details", {class: "choose", open: innerWidth > 760}, h("summary", {}, "Choose the order"), form(page)), h("div", {class: "order-main"}, status, result)));
  load(page, parameters, status, result);
  return () => { stop.abort(); keys = {}; };
}

async function load(page, parameters, status, result) {
  try {
    let data = await getJson("order", {...parameters, budget: 1}, page.signal);
    if (!data.finished) {
      await work(status, "order", parameters, page.signal);
      data = await getJson("order", {...parameters, budget: 0}, page.signal);
      if (!data.finished) return fill(status, "The order was not worked out. ", h("button", {type: "button", onclick: () => load(page, parameters, status, result)}, "Try again"));
    }
    fill(result, plan(page, data));
    fill(status, h("span", {}, summary(data.plan)));
    say(summary(data.plan));
  } catch (e) {
    if (e.name !== "AbortError") fill(status, h("p", {class: "error"}, e.message));
  }
  return undefined;
}

function form(page) {
  const {state} = page;
  const sampler = state.sampler in SAMPLERS ? state.sampler : "permutation";
  const select = h("select", {id: "sampler", name: "sampler", onchange: () => element.requestSubmit()},
    Object.keys(SAMPLERS).map((name) => h("option", {value: name, selected: name === sampler}, name)));
  const input = (name, label, properties) => h("label", {class: "labelled"}, label, h("input", {name, id: `order-${name}`, value: state[name] ?? "", autocomplete: "off", ...properties}));
  const whole = {inputmode: "numeric"};
  const isText = ["weights", "bucket-field"];
  const own = OWN[sampler].map((name) => input(name, LABELS[name], {...(isText.includes(name) ? {} : whole), placeholder: name === "seed" ? "0" : "usual"}));
  const drop = h("input", {type: "checkbox", name: "drop-last", value: "true"});
  drop.checked = state["drop-last"] === "true";
  const element = h("form", {class: "choice", id: "order-form", onsubmit: (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(element));
    const kept = OWN[given.sampler];
    const next = {dataset: state.dataset};
    for (const name of [...ALL, "epoch"]) {
      if (["sampler", "batch", "world", "where", "drop-last", "memory", "epoch"].includes(name) || kept.includes(name)) next[name] = given[name]?.trim() || null;
    }
    if (next.sampler === "permutation") next.sampler = null;
    go("order", {...next, step: null, rank: null, record: state.record});
  }},
  h("label", {class: "labelled"}, "Sampler", select), h("p", {class: "amount"}, SAMPLERS[sampler]), own,
  input("batch", "Batch on one rank", {...whole, placeholder: "256"}), input("world", "Ranks", {...whole, placeholder: "1"}),
  input("epoch", "Epoch", {...whole, placeholder: "0"}), input("where", "Only records that match", {placeholder: "all", spellcheck: "false"}),
  input("memory", "Memory for the file", {placeholder: "what is free, as in 8g"}),
  h("label", {class: "inline"}, drop, " Drop the incomplete last step"),
  h("button", {id: "apply"}, "Show this order"));
  return element;
}

function summary(plan) {
  const world = plan.world > 1 ? ` on each of ${number(plan.world)} ranks` : "";
  return `Epoch ${plan.epoch}: ${count(plan.samples, "sample")} in ${count(plan.steps, "step")} of ${count(plan.batch, "record")}${world}`;
}

function plan(page, data) {
  const {plan} = data;
  return [tiles(plan), pictures(data), step(page, data), place(page, data),
    h("section", {}, h("h2", {}, "In a program"), code(data.python.join("\n"), "Python"), code(data.command, "Command line"),
      h("p", {}, h("a", {class: "quiet", href: address("order", {...page.state, format: "json"}), target: "_blank", rel: "noopener"}, "JSON")))];
}

function code(text, label) {
  return h("div", {class: "code", "aria-label": label}, h("pre", {tabindex: 0}, text), copyButton(text));
}

function tile(title, value, note, quality) {
  return h("div", {class: "figure-tile"}, h("span", {class: "amount"}, title), h("strong", {class: quality}, value), h("span", {class: "amount"}, note));
}

function tiles(plan) {
  const {quality, readAmplification: reads} = plan;
  const times = (value) => (value === null ? "–" : `${short(Number(value.toPrecision(3)))} ×`);
  const fits = reads.spreadBytes <= reads.memoryBytes;
  const share = quality.effectiveBatch === null ? null : quality.effectiveBatch / quality.trueShuffle.effectiveBatch;
  return h("div", {class: "figure-tiles"},
    tile("A step is worth", quality.effectiveBatch === null ? "–" : `${short(Number(quality.effectiveBatch.toPrecision(3)))} records`,
      quality.effectiveBatch === null ? "an epoch of fewer than two whole steps" : `independent of each other, out of ${number(quality.stepSize)}; in a full shuffle ${short(Number(quality.trueShuffle.effectiveBatch.toPrecision(3)))} (± ${Math.round(100 * (quality.relativeError ?? 0))} %)`,
      share === null ? "" : share > 0.7 ? "good" : share > 0.3 ? "" : "bad"),
    tile("Neighbours in a row", `${(100 * (quality.neighbourShare ?? 0)).toPrecision(2)} %`, `a full shuffle ${(100 * (quality.trueShuffle.neighbourShare ?? 0)).toPrecision(2)} %`),
    tile("Reads of an epoch", times(reads.epoch), `the bytes of the records, with ${bytes(reads.memoryBytes)} of memory`, reads.epoch === null || reads.epoch < 1.5 ? "good" : reads.epoch > 4 ? "bad" : ""),
    tile("Reads of a step", times(reads.step), "with a cold cache; files are read in pages"),
    tile("Memory it needs", bytes(reads.spreadBytes), fits ? "fits, so each page is read once" : `more than the ${bytes(reads.memoryBytes)} there are`, fits ? "good" : "bad"));
}

function pictures(data) {
  const at = data.plan.step === null ? null : data.plan.step * data.plan.batch * data.plan.world;
  return h("section", {}, h("h2", {}, "Picture of the shuffle"),
    h("div", {class: "pictures"}, orderPicture(data.picture, "The whole epoch", at), orderPicture(data.near, "Around this step", at)));
}

function step(page, data) {
  const {plan, rows} = data;
  if (plan.step === null) return h("p", {}, "An epoch of this order has no steps.");
  const {state} = page;
  const to = (step, rank) => go("order", {...state, step: Math.min(plan.steps - 1, Math.max(0, step)), rank: Math.min(plan.world - 1, Math.max(0, rank))});
  const input = h("input", {id: "step", value: plan.step, size: 9, inputmode: "numeric", "aria-label": "Step"});
  const slider = h("input", {type: "range", min: 0, max: plan.steps - 1, value: plan.step, "aria-label": "Step of the epoch", class: "slider", onchange: () => to(Number(slider.value), plan.rank)});
  const ranks = plan.world > 1 ? h("label", {class: "inline"}, "on rank", h("input", {id: "rank", value: plan.rank, size: 4, inputmode: "numeric", onchange: (event) => to(plan.step, Number(event.target.value))}), ` of ${number(plan.world)}`) : null;
  Object.assign(keys, {ArrowRight: () => to(plan.step + 1, plan.rank), ArrowLeft: () => to(plan.step - 1, plan.rank), g: () => input.focus()});
  const padded = new Set(plan.padded);
  const more = plan.indices.length - rows.length;
  return h("section", {id: "step-records"}, h("h2", {}, `Records of step ${number(plan.step)}`),
    h("form", {class: "bar plain", onsubmit: (event) => { event.preventDefault(); to(Number(input.value), plan.rank); }},
      h("button", {type: "button", id: "step-before", "aria-label": "Step before", onclick: () => to(plan.step - 1, plan.rank), disabled: plan.step === 0}, "←"),
      h("label", {class: "inline"}, "step", input), h("span", {class: "count"}, `of ${number(plan.steps)}`),
      h("button", {type: "button", id: "step-after", "aria-label": "Step after", onclick: () => to(plan.step + 1, plan.rank), disabled: plan.step === plan.steps - 1}, "→"),
      slider, ranks, h("span", {class: "count"}, `${count(plan.indices.length, "record")}, ${bytes(plan.bytesPerStep)}`)),
    batch(page, data, padded),
    more > 0 ? h("p", {class: "amount"}, `and ${count(more, "more record")}`) : null);
}

function place(page, data) {
  const {place: found} = data;
  const input = h("input", {id: "find-record", size: 12, value: page.state.record ?? "", inputmode: "numeric", placeholder: "Record", "aria-label": "Record"});
  keys["/"] = () => input.focus();
  const answer = !found ? null : found.step === null
    ? h("p", {id: "place"}, found.why ? `Record ${number(found.record)}: ${found.why}.` : `Record ${number(found.record)} is in the last step, which is dropped.`)
    : h("p", {id: "place"}, `Record ${number(found.record)} comes in `, link("order", {...page.state, step: found.step, rank: found.rank}, {}, `step ${number(found.step)}`),
      `${found.world > 1 ? ` on rank ${found.rank}` : ""} of epoch ${found.epoch}, at position ${number(found.position)}.`);
  return h("section", {}, h("h2", {}, "When does a record come?"),
    h("form", {class: "inline", onsubmit: (event) => { event.preventDefault(); go("order", {...page.state, record: input.value.replace(/[_,. ]/g, "") || null}); }}, input, h("button", {id: "find-step"}, "Find its step")), answer);
}
