// SPDX-License-Identifier: Apache-2.0
// The condition: searches with progress, which can be cancelled and continued, and says how far it came.

import {h, fill, isNumber, number, say} from "./dom.js";
import {post} from "./net.js";
import {go} from "./app.js";

export class Filter {
  constructor(first, state, signal, found) {
    this.dataset = first.dataset;
    this.state = state;
    this.signal = signal;
    this.found = found;
    this.last = first.filter;
    const field = first.allFields.find(isNumber);
    const example = field ? `${field.name} > 3` : `${first.allFields[0]?.name} == 'text'`;
    this.input = h("input", {id: "where", size: 24, value: state.where ?? "", placeholder: `Filter, as in ${example} (/)`,
      "aria-label": "Condition", autocomplete: "off", spellcheck: "false"});
    this.form = h("form", {class: "inline wide", onsubmit: (event) => {
      event.preventDefault();
      go("records", {...state, where: this.input.value.trim() || null, group: null, row: null, record: null});
    }}, this.input);
    this.element = h("div", {class: "filter", id: "filter"});
  }

  start() {
    if (!this.state.where) return;
    if (this.last?.exact) this.report();
    else this.search();
  }

  async search() {
    const stop = new AbortController();
    this.signal.addEventListener("abort", () => stop.abort());
    const bar = h("progress", {"aria-label": "Search"});
    const text = h("span", {class: "amount"}, "searching");
    fill(this.element, bar, text, h("button", {type: "button", id: "cancel", onclick: () => stop.abort()}, "Cancel"));
    try {
      this.last = await post("records", {dataset: this.dataset, where: this.state.where}, (progress) => {
        if (progress.total) { bar.max = progress.total; bar.value = progress.done; }
        text.textContent = progress.waiting ? "waiting for other queries" : `${number(progress.done)} of ${number(progress.total)} records searched`;
      }, stop.signal);
      this.found(this.last);
      this.report();
    } catch (e) {
      if (this.signal.aborted) return;
      fill(this.element, h("span", {id: "filter-result"}, e.name === "AbortError" ? "The search was cancelled." : e.message), this.more());
      say("The search has ended.");
    }
  }

  more() {
    return h("button", {type: "button", id: "continue", onclick: () => this.search()}, "Search on");
  }

  report() {
    const {matches, listed, searched, of, exact} = this.last;
    const scope = exact ? "exact" : `of the first ${number(searched)} of ${number(of)} records`;
    const shown = listed < matches ? `, the first ${number(listed)} are listed` : "";
    const text = `${number(matches)} records match (${scope})${shown}`;
    fill(this.element, h("span", {id: "filter-result"}, text), exact ? null : this.more(),
      h("button", {type: "button", class: "quiet", id: "clear", onclick: () => go("records", {...this.state, where: null, row: null, record: null})}, "Clear"));
    say(text);
  }
}
