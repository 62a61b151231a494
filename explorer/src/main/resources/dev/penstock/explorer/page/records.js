// SPDX-License-Identifier: Apache-2.0
// The table of records: scroll, filter, shuffle, go to, choose columns, and open one record beside it.

import {h, fill, bytes, isNumber, number, say, typeOf, warn} from "./dom.js";
import {address, getJson} from "./net.js";
import {current, go, link, note} from "./app.js";
import {Rows} from "./rows.js";
import {Scroller} from "./scroller.js";
import {RecordPanel} from "./record.js";
import {Filter} from "./filter.js";
import {content} from "./cells.js";
import {isFlagged, toggle} from "./marks.js";
import {group} from "./related.js";

const LINE_HEIGHT = 30;
const PICTURE_LINE_HEIGHT = 72;
/** The rows that tell whether there are pictures and names. */
const PROBE = 20;

const TILE_SIZE = 168;
const TILE_HEIGHT = 190;

/** What the rows depend on. Everything else in the address only moves or opens something. */
const KEYS = ["dataset", "where", "seed", "fields", "view", "group"];

let view = null;

function rowState(state) {
  return Object.fromEntries(KEYS.map((key) => [key, state[key]]));
}

/** Follows a change of the address that needs no other rows. Returns whether that was possible. */
export function update(page, state) {
  if (!view || page !== "records" || KEYS.some((key) => view.state[key] !== state[key])) return false;
  view.state = state;
  view.panel.show(state.record);
  view.scroller.paint();
  return true;
}

export async function show(main, state, page) {
  if (page === "record") {
    go("records", {dataset: state.dataset, record: state.index, row: state.index}, true);
    return undefined;
  }
  const stop = new AbortController();
  const first = await getJson("records", {...rowState(state), view: null, count: PROBE, budget: 0}, stop.signal);
  view = new View(first, state, stop.signal);
  fill(main, view.element);
  view.start();
  const own = view;
  return () => {
    stop.abort();
    own.close();
    if (view === own) view = null;
  };
}

/** Keys that work anywhere on the page. Returns whether the key was used. */
export function key(event) {
  return view ? view.key(event) : false;
}

class View {
  constructor(first, state, signal) {
    this.first = first;
    this.state = state;
    this.signal = signal;
    const isPlain = !state.where && state.seed === undefined && state.group === undefined;
    this.cursor = Number(state.row ?? (isPlain ? state.record : 0) ?? 0);
    this.hasPictures = first.rows.some((row) => row.cells.some((cell) => cell.media?.startsWith("image/")));
    this.isAlbum = state.view === "album";
    this.rows = new Rows({...rowState(state), view: null}, signal, () => this.loaded());
    this.scroller = new Scroller({role: "rowgroup"}, this.lineHeight, (from, limit) => this.lines(from, limit));
    this.panel = new RecordPanel(first, signal, () => this.close(), (step) => this.step(step));
    this.panel.onclose = () => this.open(null);
    this.panel.onflag = (index) => this.flag(index);
    this.count = h("span", {class: "count", id: "count"});
    this.filter = new Filter(first, state, signal, (filter) => this.setCount(filter.listed));
    this.head = h("div", {class: "row head", role: "row", "aria-rowindex": 1});
    this.grid = h("div", {class: this.isAlbum ? "album" : "grid", role: "grid", tabindex: 0, id: "grid", "aria-label": "Records",
      onclick: (event) => this.clicked(event)}, this.isAlbum ? null : this.head, this.scroller.element);
    this.element = h("div", {class: "records"},
      h("h1", {class: "unseen"}, `Records of ${first.dataset}`), this.toolbar(), this.filter.element,
      first.group ? h("div", {class: "group-bar"}, group(first.group, first.dataset)) : null,
      h("div", {class: "split"}, h("div", {class: "sideways"}, this.grid), this.panel.element));
    this.showHead();
  }

  get lineHeight() {
    return this.isAlbum ? TILE_HEIGHT : this.hasPictures ? PICTURE_LINE_HEIGHT : LINE_HEIGHT;
  }

  /** The number of records in a line. */
  get across() {
    return this.isAlbum ? Math.max(1, Math.floor(this.scroller.element.clientWidth / TILE_SIZE)) : 1;
  }

  start() {
    this.setCount(this.first.rowCount);
    this.scroller.moveTo(Math.floor(this.cursor / this.across) * this.lineHeight);
    this.panel.show(this.state.record);
    this.filter.start();
    if (!document.activeElement || document.activeElement === document.body) this.grid.focus({preventScroll: true});
  }

  close() {
    this.scroller.close();
    clearTimeout(this.noting);
  }

  setCount(rowCount) {
    this.rowCount = rowCount;
    this.grid.setAttribute("aria-rowcount", rowCount + 1);
    this.scroller.setCount(Math.ceil(rowCount / this.across));
    this.count.textContent = `${number(rowCount)} of ${number(this.first.records)} records`;
    this.rows.grow(rowCount);
  }

  // The toolbar.

  toolbar() {
    return h("div", {class: "bar", role: "toolbar", "aria-label": "Records"},
      this.filter.form,
      this.goTo(), this.shuffle(), this.columns(),
      this.hasPictures || this.isAlbum
        ? link("records", {...rowState(this.state), view: this.isAlbum ? null : "album"}, {class: "button", id: "album"}, this.isAlbum ? "Table" : "Album") : null,
      this.count,
      h("a", {class: "quiet", href: address("records", {...rowState(this.state), start: this.cursor, format: "json"}), target: "_blank", rel: "noopener"}, "JSON"));
  }

  goTo() {
    this.target = h("input", {id: "goto", size: 20, placeholder: "Index, name, key (g)", "aria-label": "Go to an index, a name, or a key such as id = 3", autocomplete: "off"});
    return h("form", {class: "inline", onsubmit: (event) => { event.preventDefault(); this.find(this.target.value.trim()); }}, this.target);
  }

  async find(text) {
    if (!text) return;
    try {
      warn(null);
      const isIndex = /^[\d_,. ]+$/.test(text);
      const key = isIndex ? null : text.match(/^(`[^`]+`|[A-Za-z_]\w*)\s*={1,2}\s*(\S.*)$/);
      let index = isIndex ? Number(text.replace(/[_,. ]/g, "")) : null;
      if (!isIndex) {
        const found = await getJson("find", {dataset: this.first.dataset, ...(key ? {where: `${key[1]} == ${key[2]}`} : {name: text})}, this.signal);
        if (found.index === null) throw new Error((key ? `No record has ${text}` : `No record has the name ${text}`) + (found.exact ? "." : `; ${number(found.searched)} records of ${number(found.of)} were searched.`));
        index = found.index;
      }
      if (index >= this.first.records) throw new Error(`Record ${number(index)} is out of range: there are ${number(this.first.records)} records.`);
      // The place of a record among matches or in a shuffle is not known, so they are left.
      go("records", {dataset: this.first.dataset, fields: this.state.fields, row: index, record: index});
      view?.moveTo(index);
    } catch (e) {
      if (e.name !== "AbortError") warn(e);
    }
  }

  shuffle() {
    this.seed = h("input", {id: "seed", size: 6, inputmode: "numeric", value: this.state.seed ?? "0", "aria-label": "Seed of the shuffle", autocomplete: "off"});
    const isOn = this.state.seed !== undefined;
    return h("form", {class: "inline", onsubmit: (event) => { event.preventDefault(); this.reshuffle(this.seed.value.trim() || "0"); }},
      h("button", {id: "shuffle", title: "A random sample: rows in the order of the loader's shuffle with this seed (s)"}, "Shuffle"), this.seed,
      isOn ? h("button", {type: "button", class: "quiet", onclick: () => this.reshuffle(null)}, "In order") : null);
  }

  reshuffle(seed) {
    go("records", {...rowState(this.state), seed});
  }

  columns() {
    const shown = this.first.fields.map((field) => field.name);
    const all = this.first.allFields.map((field) => field.name);
    const order = [...shown, ...all.filter((name) => !shown.includes(name))];
    const choose = (names) => go("records", {...this.state, fields: names.join(",") || null});
    const items = order.map((name) => {
      const box = h("input", {type: "checkbox", onchange: () => choose(box.checked ? [...shown, name] : shown.filter((one) => one !== name))});
      box.checked = shown.includes(name);
      const place = shown.indexOf(name);
      const up = place > 0 ? h("button", {type: "button", class: "quiet", "aria-label": `Move ${name} to the left`, onclick: () => {
        const moved = shown.filter((one) => one !== name);
        moved.splice(place - 1, 0, name);
        choose(moved);
      }}, "←") : null;
      return h("li", {}, h("label", {}, box, " ", name), up);
    });
    return h("details", {class: "menu"}, h("summary", {}, "Columns"), h("ul", {}, items));
  }

  // The rows.

  get template() {
    const widths = this.first.fields.map((field) => {
      if (field.variable || field.shape.length) return "minmax(180px, 3fr)";
      return isNumber(field) ? "minmax(90px, 1fr)" : "minmax(120px, 2fr)";
    });
    const name = this.hasNames ? ["minmax(120px, 2fr)"] : [];
    const digits = Math.max(7, number(this.first.records).length + 1);
    return [`${digits}ch`, ...name, "84px", ...widths].join(" ");
  }

  get hasNames() {
    return this.first.rows.some((row) => row.name !== null);
  }

  showHead() {
    const cells = ["record", ...(this.hasNames ? ["name"] : []), "size", ...this.first.fields.map((field) => field.name)];
    const fields = new Map(this.first.fields.map((field) => [field.name, field]));
    const isRight = (text) => (fields.has(text) ? isNumber(fields.get(text)) : text !== "name");
    fill(this.head, cells.map((text) => h("span", {role: "columnheader", class: isRight(text) ? "number" : "",
      title: fields.has(text) ? `${text}: ${typeOf(fields.get(text))}` : text}, text)));
    this.grid.style.setProperty("--columns", this.template);
    this.grid.style.setProperty("--line-height", `${this.lineHeight}px`);
  }

  lines(from, limit) {
    const across = this.across;
    this.rows.want(from * across, Math.min(this.rowCount, limit * across));
    this.noteRow(from * across);
    const lines = [];
    for (let line = from; line < limit; line++) lines.push(this.isAlbum ? this.tiles(line, across) : this.line(line));
    this.grid.setAttribute("aria-activedescendant", `row-${this.cursor}`);
    return lines;
  }

  /** Remembers the first visible row in the address, when scrolling has ended. */
  noteRow(row) {
    clearTimeout(this.noting);
    this.noting = setTimeout(() => {
      if (view === this && current().page === "records") {
        note({row: row || null});
        this.state = current().state;
      }
    }, 250);
  }

  line(position) {
    const row = this.rows.get(position);
    const properties = {class: this.rowClass(position, row), role: "row", id: `row-${position}`, "data-row": position,
      "aria-rowindex": position + 2, "aria-selected": position === this.cursor};
    if (!row) return h("div", properties, h("span", {role: "gridcell", class: "index"}, "…"));
    return h("div", properties,
      h("span", {role: "gridcell", class: "index"}, this.isFlagged(row) ? h("b", {class: "flag", title: "flagged"}, "⚑ ") : null, number(row.index)),
      this.hasNames ? h("span", {role: "gridcell", title: row.name}, row.name ?? "") : null,
      h("span", {role: "gridcell", class: "number"}, row.deleted ? "deleted" : bytes(row.size)),
      row.cells.map((cell, i) => this.cell(row, cell, this.first.fields[i])));
  }

  rowClass(position, row) {
    return ["row", position === this.cursor ? "cursor" : "", row && String(row.index) === this.state.record ? "open" : "", row?.deleted ? "deleted" : ""].join(" ");
  }

  isFlagged(row) {
    return Boolean(row) && isFlagged(this.first.path, row.index);
  }

  /** Flags a record, or takes the flag away. */
  flag(index) {
    try {
      say(toggle(this.first.path, index) ? `Record ${index} is flagged` : `Record ${index} is not flagged any more`);
    } catch (e) {
      warn(e);
    }
    this.panel.showFlag();
    this.scroller.paint();
  }

  cell(row, cell, field) {
    return h("span", {role: "gridcell", class: isNumber(field) ? "number" : "", title: cell.text?.slice(0, 300)}, content(this.first.dataset, row, cell, field));
  }

  tiles(line, across) {
    const tiles = [];
    for (let position = line * across; position < Math.min(this.rowCount, (line + 1) * across); position++) {
      const row = this.rows.get(position);
      const at = row ? row.cells.findIndex((cell) => cell.media?.startsWith("image/")) : -1;
      tiles.push(h("figure", {class: this.rowClass(position, row).replace("row", "tile"), id: `row-${position}`, "data-row": position, role: "gridcell", "aria-selected": position === this.cursor},
        row ? content(this.first.dataset, row, row.cells[Math.max(0, at)], this.first.fields[Math.max(0, at)]) : "…",
        h("figcaption", {}, this.isFlagged(row) ? h("b", {class: "flag", title: "flagged"}, "⚑ ") : null, row ? `${number(row.index)} ${row.name ?? ""}` : "")));
    }
    return h("div", {class: "tiles", role: "row", "aria-rowindex": line + 1}, tiles);
  }

  loaded() {
    this.scroller.paint();
  }

  // Moving and opening.

  moveTo(row) {
    this.cursor = Math.min(this.rowCount - 1, Math.max(0, row));
    this.scroller.showLine(Math.floor(this.cursor / this.across));
    this.scroller.paint();
    const data = this.rows.get(this.cursor);
    if (data) say(`Record ${data.index}${data.name ? `, ${data.name}` : ""}`);
  }

  /** Opens the record of a row, or closes the record. */
  async open(row) {
    const data = row === null ? null : await this.rows.load(row);
    if (row !== null && !data) return;
    go("records", {...this.state, record: data?.index});
    if (row === null) this.grid.focus({preventScroll: true});
  }

  async step(step) {
    const row = this.cursor + step;
    if (row < 0 || row >= this.rowCount) return;
    this.moveTo(row);
    await this.open(row);
  }

  clicked(event) {
    const row = event.target.closest("[data-row]");
    if (!row) return;
    this.moveTo(Number(row.dataset.row));
    this.open(this.cursor);
  }

  key(event) {
    const across = this.across;
    const moves = {ArrowDown: across, ArrowUp: -across, PageDown: this.scroller.pageLines * across, PageUp: -this.scroller.pageLines * across,
      Home: -Infinity, End: Infinity, j: across, k: -across};
    if (this.isAlbum && !this.panel.isOpen) Object.assign(moves, {ArrowRight: 1, ArrowLeft: -1});
    if (event.key in moves) this.moveTo(moves[event.key] === Infinity ? this.rowCount - 1 : this.cursor + moves[event.key]);
    else if (event.key === "Enter" && document.activeElement === this.grid) this.open(this.cursor);
    else if (event.key === "Escape" && this.panel.isOpen) this.open(null);
    else if (this.panel.isOpen && event.key === "ArrowRight") this.step(1);
    else if (this.panel.isOpen && event.key === "ArrowLeft") this.step(-1);
    else if (event.key === "f") this.rows.load(this.cursor).then((row) => row && this.flag(row.index));
    else if (event.key === "g") this.target.focus();
    else if (event.key === "s") this.seed.focus();
    else if (event.key === "/") this.filter.input.focus();
    else return false;
    return true;
  }
}
