// SPDX-License-Identifier: Apache-2.0
// One record beside the table, each field with the renderer that fits it.

import {h, fill, bytes, copyButton, number, say, typeOf} from "./dom.js";
import {address, getJson} from "./net.js";
import {isFlagged} from "./marks.js";
import {related} from "./related.js";
import {render} from "./render/render.js";

export class RecordPanel {
  constructor(first, signal, close, step) {
    this.dataset = first.dataset;
    this.path = first.path;
    this.signal = signal;
    this.step = step;
    this.onclose = close;
    this.index = null;
    this.element = h("aside", {class: "record", id: "record", "aria-label": "Record", hidden: true});
  }

  get isOpen() {
    return this.index !== null;
  }

  /** Shows a record, or nothing. */
  async show(text) {
    const index = text === undefined || text === null || text === "" ? null : text;
    if (index === this.index) return;
    this.index = index;
    this.stop?.abort();
    this.stop = new AbortController();
    const {signal} = this.stop;
    this.signal.addEventListener("abort", () => this.stop.abort());
    this.element.hidden = index === null;
    if (index === null) return;
    try {
      const data = await getJson("record", {dataset: this.dataset, index}, signal);
      fill(this.element, this.head(data), related(data, signal), data.fields.map((field) => this.field(data, field, signal)), this.json(data));
      say(`Record ${data.index} is open`);
    } catch (e) {
      if (e.name !== "AbortError") fill(this.element, this.head({index, name: null}), h("p", {class: "error"}, e.message));
    }
  }

  /** Shows whether the record is flagged. */
  showFlag() {
    this.flagButton?.setAttribute("aria-pressed", isFlagged(this.path, Number(this.index)));
  }

  head(data) {
    this.flagButton = h("button", {type: "button", class: "quiet", id: "flag", title: "Flag (f)", onclick: () => this.onflag(Number(this.index))}, "⚑ Flag");
    this.showFlag();
    return h("div", {class: "title"},
      h("h2", {}, `Record ${number(Number(data.index))}`, data.name ? h("small", {}, data.name) : null, data.deleted ? h("small", {}, "deleted") : null),
      this.flagButton,
      h("button", {type: "button", class: "quiet", "aria-label": "Record before", onclick: () => this.step(-1)}, "←"),
      h("button", {type: "button", class: "quiet", "aria-label": "Record after", onclick: () => this.step(1)}, "→"),
      h("button", {type: "button", class: "quiet", id: "close", "aria-label": "Close the record", onclick: () => this.onclose()}, "×"));
  }

  field(data, field, signal) {
    const value = {dataset: this.dataset, index: data.index, field: field.name};
    const place = h("div", {class: "value"});
    const section = h("section", {"data-field": field.name},
      h("h3", {}, field.name, h("small", {}, `${typeOf(field)} · ${bytes(field.bytes)}`),
        field.missing || field.large ? null : h("a", {class: "quiet", href: address("value", value), download: `${data.index}-${field.name}`}, "Save")),
      place);
    render(place, field, value, signal).catch((e) => {
      if (e.name !== "AbortError") fill(place, h("p", {class: "error"}, e.message));
    });
    return section;
  }

  json(data) {
    if (!data.record) return null;
    const text = JSON.stringify(data.record);
    return h("details", {}, h("summary", {}, "JSON"), h("div", {class: "code"}, h("pre", {class: "wrapped"}, text), copyButton(text)));
  }
}
