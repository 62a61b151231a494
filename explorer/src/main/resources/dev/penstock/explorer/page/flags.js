// SPDX-License-Identifier: Apache-2.0
// The flagged records: look at them again, and take the list along.

import {h, fill, copyButton, count, number, say, warn} from "./dom.js";
import {getJson, send} from "./net.js";
import {link} from "./app.js";
import {content} from "./cells.js";
import {flagged, replace, toggle} from "./marks.js";

const SHOWN = 100;

export async function show(main, state) {
  const stop = new AbortController();
  const data = await getJson("flags", {dataset: state.dataset}, stop.signal);
  const page = {state, data, signal: stop.signal, list: h("div", {id: "flagged"}), shown: SHOWN, actions: h("div", {id: "flag-actions"})};
  fill(main, h("h1", {}, `Flags of ${state.dataset}`), page.actions, page.list);
  await draw(page);
  return () => stop.abort();
}

async function draw(page) {
  const {data} = page;
  const indices = flagged(data.path).filter((index) => index < data.records);
  fill(page.actions, actions(page, indices));
  if (!indices.length) {
    fill(page.list, h("p", {}, "No record is flagged. On the page ", link("records", {dataset: page.state.dataset}, {}, "Records"), ", the key ", h("kbd", {}, "f"), " flags the record under the cursor."));
    return;
  }
  try {
    const rows = [];
    let fields = [];
    for (let start = 0; start < Math.min(page.shown, indices.length); start += SHOWN) {
      const part = await getJson("records", {dataset: page.state.dataset, indices: indices.slice(start, start + SHOWN).join(","), count: SHOWN}, page.signal);
      fields = part.fields;
      rows.push(...part.rows);
    }
    fill(page.list, table(page, fields, rows),
      indices.length > rows.length ? h("button", {type: "button", onclick: () => { page.shown += SHOWN; draw(page); }}, `Show more of ${number(indices.length)}`) : null);
  } catch (e) {
    if (e.name !== "AbortError") warn(e);
  }
}

function table(page, fields, rows) {
  const hasNames = rows.some((row) => row.name !== null);
  const shown = fields.slice(0, 6);
  return h("div", {class: "sideways-table tall", tabindex: 0}, h("table", {class: "plain tight"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "record"), hasNames ? h("th", {scope: "col"}, "name") : null, shown.map((field) => h("th", {scope: "col"}, field.name)), h("th", {scope: "col"}, h("span", {class: "unseen"}, "flag")))),
    h("tbody", {}, rows.map((row) => h("tr", {},
      h("td", {}, link("records", {dataset: page.state.dataset, row: row.index, record: row.index}, {}, number(row.index))), hasNames ? h("td", {}, row.name ?? "") : null,
      shown.map((field, i) => h("td", {}, content(page.state.dataset, row, row.cells[i], field))),
      h("td", {}, h("button", {type: "button", class: "quiet", "aria-label": `Remove the flag of record ${row.index}`, onclick: () => { toggle(page.data.path, row.index); draw(page); }}, "Remove")))))));
}

function actions(page, indices) {
  const {data} = page;
  const name = data.path.split("/").pop() || "records";
  const file = h("input", {type: "file", accept: ".json,.npy", class: "unseen", id: "flag-file", "aria-label": "File with flags", onchange: () => read(page, file.files[0])});
  const parts = [h("p", {class: "amount", id: "flag-count"}, `${count(indices.length, "record")} flagged, kept by this browser`)];
  parts.push(h("div", {class: "bar plain"},
    h("button", {type: "button", id: "export-npy", disabled: !indices.length, onclick: () => save(`${name}.flags.npy`, npy(indices))}, "Save as .npy"),
    h("button", {type: "button", id: "export-json", disabled: !indices.length, onclick: () => save(`${name}.flags.json`,
      JSON.stringify({path: data.path, fingerprint: data.fingerprint, records: data.records, indices}))}, "Save as JSON"),
    file, h("button", {type: "button", onclick: () => file.click()}, "Add from a file"),
    data.readOnly ? null : h("button", {type: "button", id: "write-flags", onclick: () => write(page, indices)}, "Write beside the data"),
    data.indices ? h("button", {type: "button", id: "load-flags", onclick: () => { replace(data.path, [...indices, ...data.indices]); draw(page); }}, `Add the ${number(data.indices.length)} of ${data.file.split("/").pop()}`) : null,
    h("button", {type: "button", id: "clear-flags", disabled: !indices.length, onclick: () => { replace(data.path, []); say("No record is flagged"); draw(page); }}, "Remove all")));
  if (indices.length) {
    const saved = `${name}.flags.npy`;
    const lines = [`penstock convert ${quoted(data.path)} TARGET --without ${quoted(saved)}`, `bad = ds.select(np.load("${saved.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"))`];
    parts.push(h("details", {}, h("summary", {}, "Use the list"), lines.map((line) => h("div", {class: "code"}, h("pre", {tabindex: 0}, line), copyButton(line)))));
  }
  return parts;
}

function quoted(text) {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A NumPy array of int64. */
function npy(indices) {
  const text = `{'descr': '<i8', 'fortran_order': False, 'shape': (${indices.length},), }`;
  const size = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const header = text.padEnd(size - 1) + "\n";
  return new Blob([new Uint8Array([0x93, 78, 85, 77, 80, 89, 1, 0, size & 255, size >> 8]), new TextEncoder().encode(header), new BigInt64Array(indices.map(BigInt))]);
}

function save(name, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type: "application/json"}));
  h("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function write(page, indices) {
  try {
    const target = `flags?${new URLSearchParams({dataset: page.state.dataset})}`;
    const done = await (await send(target, {method: "POST", body: JSON.stringify({indices}), signal: page.signal})).json();
    page.data = await getJson("flags", {dataset: page.state.dataset}, page.signal);
    await draw(page);
    const text = `${count(done.count, "flag")} written to ${done.file}`;
    page.actions.append(h("p", {class: "good", id: "written"}, text));
    say(text);
  } catch (e) {
    warn(e);
  }
}

async function read(page, file) {
  if (!file) return;
  try {
    warn(null);
    const bytes = await file.arrayBuffer();
    const indices = file.name.endsWith(".npy") ? readNpy(bytes) : JSON.parse(new TextDecoder().decode(bytes));
    const list = (Array.isArray(indices) ? indices : indices.indices ?? []).filter((index) => Number.isSafeInteger(index) && index >= 0 && index < page.data.records);
    replace(page.data.path, [...flagged(page.data.path), ...list]);
    await draw(page);
  } catch (e) {
    warn(new Error(`${file.name} is no list of indices: ${e.message}`));
  }
}

function readNpy(bytes) {
  const view = new DataView(bytes);
  const start = 10 + view.getUint16(8, true);
  const header = new TextDecoder("latin1").decode(bytes.slice(10, start));
  if (!header.includes("'<i8'")) throw new Error("the array must be of int64");
  return Array.from(new BigInt64Array(bytes.slice(start)), Number);
}
