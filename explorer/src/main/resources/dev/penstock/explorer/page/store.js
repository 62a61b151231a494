// SPDX-License-Identifier: Apache-2.0
// A store while a writer works. The page asks for the last commit again and again, as long as it is visible.

import {h, fill, bytes, count, number, say} from "./dom.js";
import {address, getJson} from "./net.js";
import {link, noteStore} from "./app.js";
import {chart, pageColour} from "./render/chart.js";
import {work} from "./work.js";

const EVERY_MILLIS = 1000;
const COMMITS_SHOWN = 12;
const CHUNKS_SHOWN = 100;

export async function show(main, state) {
  const stop = new AbortController();
  const page = {state, signal: stop.signal, commit: null, stats: null, isPaused: false};
  page.head = h("div", {id: "store-now"});
  page.space = h("div", {id: "space"});
  page.progress = h("div", {});
  page.log = h("div", {id: "commits"});
  const pause = h("button", {type: "button", id: "pause", "aria-pressed": "false", onclick: () => {
    page.isPaused = !page.isPaused;
    pause.setAttribute("aria-pressed", page.isPaused);
    if (!page.isPaused) refresh(page);
  }}, "Pause");
  fill(main, h("h1", {}, `Store ${state.dataset}`),
    h("div", {class: "bar plain"}, pause, h("a", {class: "quiet", href: address("store", {dataset: state.dataset, format: "json"}), target: "_blank", rel: "noopener"}, "JSON")),
    page.head, page.progress, page.space, page.log);
  await refresh(page, true);
  return () => { stop.abort(); clearTimeout(page.timer); };
}

async function refresh(page, isFirst = false) {
  clearTimeout(page.timer);
  if (page.isPaused || page.signal.aborted) return;
  try {
    if (!document.hidden || isFirst) draw(page, await getJson("store", {dataset: page.state.dataset, budget: 1}, page.signal));
  } catch (e) {
    if (e.name === "AbortError") return;
    if (isFirst) throw e;
    fill(page.head, h("p", {class: "error"}, e.message));
  }
  page.timer = setTimeout(() => refresh(page), EVERY_MILLIS);
}

function draw(page, data) {
  noteStore(data.dataset);
  const isNew = page.commit !== null && data.commit !== page.commit;
  if (isNew) say(`Commit ${data.commit}, ${count(data.records, "record")}`);
  page.commit = data.commit;
  fill(page.head, h("div", {class: "figure-tiles"},
    tile("Commit", number(data.commit), data.writer === null ? "" : data.writer ? "a writer has the store open" : "no writer has the store open"),
    tile("Records", number(data.records), data.deleted ? `${number(data.deleted)} of them deleted` : ""),
    tile("Files", bytes(data.bytes), ""),
    tile("Readers", data.readers === null ? "–" : number(data.readers), data.readers === null ? "the system does not tell" : "that follow the store, this page included")));
  if (data.stats) space(page, data.stats);
  else if (!page.isCounting) countSpace(page);
  log(page, data);
}

/** A large store takes longer than a request may. */
async function countSpace(page) {
  page.isCounting = true;
  try {
    await work(page.progress, "store", {dataset: page.state.dataset}, page.signal, {noun: "slots"});
  } catch (e) {
    if (e.name !== "AbortError") fill(page.progress, h("p", {class: "error"}, e.message));
  }
  page.isCounting = false;
}

function tile(title, value, note) {
  return h("div", {class: "figure-tile"}, h("span", {class: "amount"}, title), h("strong", {}, value), h("span", {class: "amount"}, note));
}

function space(page, stats) {
  const parts = [["values", stats.liveBytes, "part-live"], ["reclaimable", stats.garbageBytes, "part-garbage"], ["waiting for readers", stats.waitingBytes, "part-waiting"], ["tables", stats.tableBytes, "part-tables"]];
  const all = Math.max(1, parts.reduce((sum, [, size]) => sum + size, 0));
  const bar = h("div", {class: "parts", role: "img", "aria-label": parts.map(([name, size]) => `${name} ${bytes(size)}`).join(", ")},
    parts.filter(([, size]) => size).map(([, size, kind]) => {
      const part = h("span", {class: kind});
      part.style.flexGrow = String(size / all);
      return part;
    }));
  const isOpen = page.space.querySelector("details")?.open;
  fill(page.space, h("h2", {}, "Space"), bar,
    h("ul", {class: "inline legend"}, parts.map(([name, size, kind]) => h("li", {}, h("span", {class: `dot ${kind}`, "aria-hidden": "true"}), ` ${name} ${bytes(size)}`))),
    h("p", {class: "amount"}, `Byte utilisation ${(100 * stats.byteUtilisation).toFixed(1)} %, row utilisation ${(100 * stats.rowUtilisation).toFixed(1)} %. `,
      stats.garbageBytes ? "penstock store rebalance reclaims the space of replaced and deleted values." : ""),
    h("details", {open: isOpen}, h("summary", {}, count(stats.chunks.length, "chunk")), h("div", {class: "sideways-table", tabindex: 0}, h("table", {class: "plain tight"},
      h("thead", {}, h("tr", {}, ["chunk", "size", "values", "reclaimable"].map((name) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, stats.chunks.slice(0, CHUNKS_SHOWN).map((chunk) => h("tr", {}, [number(chunk.id), bytes(chunk.bytes), number(chunk.values), bytes(chunk.garbageBytes)].map((text) => h("td", {}, text)))))))));
}

function log(page, data) {
  const commits = data.commits.slice(0, COMMITS_SHOWN);
  const first = data.commits.at(-1);
  const state = `${data.commit}`;
  if (page.logged === state && page.log.childElementCount) return;
  page.logged = state;
  const ascending = [...data.commits].reverse();
  fill(page.log, h("h2", {}, "Commits seen"),
    data.commits.length > 2 ? records(ascending) : null,
    h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["commit", "seen at", "records", "files"].map((name) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, commits.map((one) => h("tr", {}, [number(one.commit), new Date(one.seen).toLocaleTimeString(), number(one.records), bytes(one.bytes)].map((text) => h("td", {}, text)))))),
    h("p", {class: "amount"}, `since ${new Date(first.seen).toLocaleTimeString()}, when somebody looked first; commits between two looks are not listed`),
    data.snapshots.length ? [h("h2", {}, "Snapshots"), h("table", {class: "plain", id: "snapshots"},
      h("thead", {}, h("tr", {}, ["snapshot", "commit", "records", "kept for it", ""].map((name) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, data.snapshots.map((one) => h("tr", {}, h("td", {}, link("overview", {dataset: `${data.dataset}#${one.name}`}, {}, one.name)),
        [number(one.commit), number(one.records), bytes(one.keptBytes)].map((text) => h("td", {}, text)),
        h("td", {}, link("compare", {dataset: `${data.dataset}#${one.name}`, other: data.dataset}, {}, "Compare with now"))))))] : null);
}

function records(commits) {
  const line = {stroke: pageColour("--accent"), width: 1.5, points: {show: commits.length < 60}};
  const place = chart({series: [{}, line], scales: {x: {time: true}}}, [commits.map((one) => one.seen / 1000), commits.map((one) => one.records)], 140);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `Records over time, from ${number(commits[0].records)} to ${number(commits.at(-1).records)}`);
  return place;
}
