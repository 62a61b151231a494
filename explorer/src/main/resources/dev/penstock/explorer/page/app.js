// SPDX-License-Identifier: Apache-2.0
// Shows the page that the address names. The address holds the whole state, so that it can be shared and the
// browser's buttons work.

import {h, fill, say, warn} from "./dom.js";
import {address} from "./net.js";
import {showHelp} from "./help.js";
import * as overview from "./overview.js";
import * as records from "./records.js";
import * as fields from "./fields.js";
import * as flags from "./flags.js";
import * as order from "./order.js";
import * as history_ from "./history.js";
import * as compare from "./compare.js";
import * as store from "./store.js";

const PAGES = {overview, records, record: records, fields, order, history: history_, compare, store, flags};
const TITLES = {overview: "Overview", records: "Records", fields: "Fields", order: "Order", history: "Run", compare: "Compare", flags: "Flags", store: "Store"};

/** The datasets that are stores, which have a page of their own. */
const stores = new Set();

/** Notes that a dataset is a store. */
export function noteStore(dataset) {
  if (stores.has(dataset)) return;
  stores.add(dataset);
  const {page, state} = current();
  if (state.dataset === dataset) showTop(page, state);
}

function titles(page, dataset) {
  return Object.entries(TITLES).filter(([name]) => name !== "store" || page === "store" || stores.has(dataset));
}

let leave = () => {};

/** The page and the parameters of the address. */
export function current() {
  return {page: location.pathname.split("/").pop() || "overview", state: Object.fromEntries(new URLSearchParams(location.search))};
}

/** Goes to a page. With `replace` the browser's back button does not return here. */
export function go(page, state, replace = false) {
  const target = address(page, state);
  history[replace ? "replaceState" : "pushState"](null, "", target);
  show();
}

/** Changes the address only, for a page that has changed by itself. */
export function note(state) {
  const now = current();
  history.replaceState(null, "", address(now.page, {...now.state, ...state}));
}

/** A link that changes the page without loading it anew. */
export function link(page, state, properties, ...children) {
  return h("a", {...properties, href: address(page, state), onclick: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(page, state);
  }}, ...children);
}

async function show() {
  const {page, state} = current();
  const module = PAGES[page] ?? overview;
  warn(null);
  showTop(page, state);
  const next = await module.update?.(page, state);
  if (next === true) return;
  leave();
  leave = () => {};
  const main = document.getElementById("main");
  try {
    leave = (await module.show(main, state, page)) ?? (() => {});
    main.removeAttribute("aria-busy");
  } catch (e) {
    if (e.name === "AbortError") return;
    fill(main);
    warn(e, show);
  }
}

function showTop(page, state) {
  const dataset = state.dataset;
  document.title = [TITLES[page] ?? "Record", dataset, "Penstock"].filter(Boolean).join(" · ");
  const items = dataset
    ? titles(page, dataset).map(([name, title]) => link(name, {dataset}, {"aria-current": name === page ? "page" : null}, title))
    : [];
  fill(document.getElementById("top"),
    link("overview", {}, {class: "brand"}, "Penstock"),
    dataset ? h("span", {class: "dataset", title: dataset}, dataset) : null,
    h("nav", {"aria-label": "Pages"}, items),
    h("button", {type: "button", class: "quiet", title: "Keys (?)", "aria-label": "Keys", onclick: showHelp}, "?"));
  document.querySelector("#top nav [aria-current]")?.scrollIntoView({block: "nearest", inline: "nearest"});
}

addEventListener("popstate", show);
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const {page, state} = current();
  const pages = titles(page, state.dataset).map(([name]) => name);
  if (event.key === "?") showHelp();
  else if (state.dataset && pages[Number(event.key) - 1]) go(pages[Number(event.key) - 1], {dataset: state.dataset});
  else if (!PAGES[page]?.key?.(event)) return;
  event.preventDefault();
});
addEventListener("error", (event) => say(event.message));
show();
