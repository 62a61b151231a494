// SPDX-License-Identifier: Apache-2.0
// Where a run is, from a checkpoint of its loader: what it saw in the last steps, and what comes.

import {h, fill, count, number, say, warn} from "./dom.js";
import {address, getJson} from "./net.js";
import {go, link} from "./app.js";
import {batch, orderPicture} from "./batch.js";

/** A longer checkpoint does not fit into an address. */
const LENGTH_MAX = 40_000;

let keys = {};

export function key(event) {
  const use = keys[event.key];
  if (!use) return false;
  use();
  return true;
}

export async function show(main, state) {
  const stop = new AbortController();
  keys = {};
  const page = {state, signal: stop.signal};
  const parameters = Object.fromEntries(["dataset", "checkpoint", "step", "record"].map((name) => [name, state[name]]));
  const place = h("div", {});
  fill(main, h("h1", {}, `Run on ${state.dataset}`), chooser(page), place);
  if (state.checkpoint) {
    const data = await getJson("history", parameters, stop.signal);
    fill(place, found(page, data));
  }
  return () => { stop.abort(); keys = {}; };
}

function chooser(page) {
  const file = h("input", {type: "file", accept: ".json,.txt", class: "unseen", id: "checkpoint-file", "aria-label": "Checkpoint", onchange: () => read(page, file.files[0])});
  return h("div", {class: "bar plain"}, file,
    h("button", {type: "button", id: "choose-checkpoint", onclick: () => file.click()}, page.state.checkpoint ? "Other checkpoint" : "Choose a checkpoint"),
    h("span", {class: "amount"}, "What ", h("code", {}, "loader.state_dict()"), " returned, as JSON; it may be part of a larger object. The file stays in the browser, only the checkpoint is sent to the server."));
}

async function read(page, file) {
  if (!file) return;
  try {
    warn(null);
    const state = find(parsed(await file.text()));
    if (!state) throw new Error(`${file.name} has no checkpoint of a loader: write one with json.dump(loader.state_dict(), file).`);
    const text = JSON.stringify(state);
    if (encodeURIComponent(text).length > LENGTH_MAX) throw new Error("The checkpoint is too long for an address; penstock history reads it from the file.");
    go("history", {dataset: page.state.dataset, checkpoint: text});
  } catch (e) {
    warn(e);
  }
}

/** JSON with numbers beyond 2^53 as they are written, because seeds have 64 bits. */
function parsed(text) {
  return JSON.parse(text, (name, value, context) => (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source && JSON.rawJSON ? JSON.rawJSON(context.source) : value));
}

function find(json) {
  if (json === null || typeof json !== "object") return null;
  if (!Array.isArray(json) && "version" in json && "sampler" in json && "delivered" in json) return json;
  for (const value of Object.values(json)) {
    const state = find(value);
    if (state) return state;
  }
  return null;
}

function found(page, data) {
  const {now, checkpoint} = data;
  const done = now.step - now.epochStart;
  const share = now.epochSteps ? done / now.epochSteps : 0;
  const bar = h("progress", {max: 1, value: share, "aria-label": "Progress of the epoch"});
  say(`The run has done ${count(now.step, "step")}`);
  const last = checkpoint.segments.at(-1);
  return [
    h("p", {id: "now"}, `After ${count(now.step, "step")}: epoch ${now.epoch}, step ${number(done)} of ${number(now.epochSteps)}, `,
      `${number(now.delivered)} of ${count(now.samples, "sample")} delivered. `, bar),
    h("p", {class: "amount"}, `Order ${checkpoint.order.sampler}`, last ? `, batches of ${number(last.batch)} on ${count(last.world, "rank")}` : "", "."),
    data.mismatch ? h("p", {class: "error", id: "mismatch"}, data.mismatch) : null,
    h("section", {}, h("h2", {}, `The ${number(now.step - data.near.from)} steps before, and the ${number(Math.max(0, data.near.limit - now.step))} that come`),
      orderPicture(data.near, "Records by step; the line is the checkpoint", now.step, "step")),
    step(page, data), place(page, data),
    h("section", {}, h("h2", {}, "On the command line"), h("pre", {tabindex: 0}, data.command),
      h("p", {}, h("a", {class: "quiet", href: address("history", {...page.state, format: "json"}), target: "_blank", rel: "noopener"}, "JSON"))),
  ];
}

function step(page, data) {
  const {now, near} = data;
  const chosen = data.steps[0];
  const to = (value) => go("history", {...page.state, step: Math.max(0, value)});
  const input = h("input", {id: "step", value: chosen.step, size: 9, inputmode: "numeric", "aria-label": "Step of the run"});
  const slider = h("input", {type: "range", class: "slider", min: near.from, max: Math.max(near.from, near.limit - 1), value: chosen.step, "aria-label": "Steps around the checkpoint", onchange: () => to(Number(slider.value))});
  Object.assign(keys, {ArrowRight: () => to(chosen.step + 1), ArrowLeft: () => to(chosen.step - 1), g: () => input.focus()});
  const away = chosen.step - now.step;
  const when = away < 0 ? `seen, ${count(-away, "step")} before the checkpoint` : away === 0 ? "the next step" : `comes, ${count(away, "step")} after the next`;
  return h("section", {id: "step-records"}, h("h2", {}, `Records of step ${number(chosen.step)}`, " ", h("small", {id: "when"}, when)),
    h("form", {class: "bar plain", onsubmit: (event) => { event.preventDefault(); to(Number(input.value)); }},
      h("button", {type: "button", id: "step-before", "aria-label": "Step before", disabled: chosen.step === 0, onclick: () => to(chosen.step - 1)}, "←"),
      h("label", {class: "inline"}, "step", input),
      h("button", {type: "button", id: "step-after", "aria-label": "Step after", onclick: () => to(chosen.step + 1)}, "→"), slider,
      h("span", {class: "count"}, `epoch ${chosen.epoch}, step ${number(chosen.epochStep)}, ${count(chosen.indices.length, "record")}`)),
    data.rows.length ? batch(page, data, new Set()) : h("p", {}, chosen.indices.slice(0, 200).join(", ")),
    data.rows.length && chosen.indices.length > data.rows.length ? h("p", {class: "amount"}, `and ${count(chosen.indices.length - data.rows.length, "more record")}`) : null);
}

function place(page, data) {
  const input = h("input", {id: "find-record", size: 12, value: page.state.record ?? "", inputmode: "numeric", placeholder: "Record", "aria-label": "Record"});
  keys["/"] = () => input.focus();
  return h("section", {}, h("h2", {}, "When was a record seen?"),
    h("form", {class: "inline", onsubmit: (event) => { event.preventDefault(); go("history", {...page.state, record: input.value.replace(/[_,. ]/g, "") || null}); }}, input, h("button", {id: "find-step"}, "Find its steps")),
    data.places ? h("ul", {id: "places"}, data.places.length ? data.places.map((one) => h("li", {},
      link("history", {...page.state, step: one.step}, {}, `step ${number(one.step)}`), `, epoch ${one.epoch}, rank ${one.rank}${one.seen ? "" : ", after the checkpoint"}`)) : h("li", {}, "in no step so far")) : null);
}
