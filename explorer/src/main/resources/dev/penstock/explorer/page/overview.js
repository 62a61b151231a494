// SPDX-License-Identifier: Apache-2.0
// A dataset as `info` describes it; or the list of datasets.

import {h, fill, bytes, copyButton, count, number, say, typeOf} from "./dom.js";
import {getJson, post} from "./net.js";
import {go, link, noteStore} from "./app.js";

export async function show(main, state) {
  const stop = new AbortController();
  const data = await getJson("overview", state, stop.signal);
  if (data.dataset && !state.dataset) {
    go("overview", {dataset: data.dataset}, true);
    return undefined;
  }
  if (data.live) noteStore(data.dataset);
  fill(main, data.dataset ? dataset(data, stop.signal) : datasets(data));
  return () => stop.abort();
}

function datasets(data) {
  return h("section", {},
    h("h1", {}, count(data.datasets.length, "dataset")),
    h("table", {class: "plain"},
      h("thead", {}, h("tr", {}, ["Dataset", "Format", "Path"].map((text) => h("th", {scope: "col"}, text)))),
      h("tbody", {}, data.datasets.map((one) => h("tr", {},
        h("td", {}, link("overview", {dataset: one.id}, {}, one.id)), h("td", {}, one.format), h("td", {class: "path"}, one.path))))));
}

function dataset(data, signal) {
  const info = data.info;
  return [
    h("h1", {}, data.dataset),
    h("p", {class: "path"}, info.path),
    h("div", {class: "columns"}, facts(data), [code("Command line", data.commands), code("Python", [data.python.join("\n")]), verification(data, signal)].map((part) => part)),
    info.fields ? fields(data) : null,
    info.remarks?.length ? section("Remarks", h("ul", {}, info.remarks.map((remark) => h("li", {}, remark)))) : null,
    Object.keys(info.metadata ?? {}).length ? section("Metadata", pairs(Object.entries(info.metadata))) : null,
    info.parts ? parts(info.parts) : null,
    data.views?.length || data.base !== data.dataset ? views(data) : null,
    data.datasets.length > 1 ? section("Other datasets", h("ul", {class: "inline"}, data.datasets
      .filter((one) => one.id !== data.dataset).map((one) => h("li", {}, link("overview", {dataset: one.id}, {}, one.id))))) : null,
  ].flat();
}

function section(title, ...content) {
  return h("section", {}, h("h2", {}, title), ...content);
}

/** The groups of a table, the decoded records of a pack, the snapshots of a store. */
function views(data) {
  const one = (id, name) => h("li", {}, link("overview", {dataset: id}, {"aria-current": id === data.dataset ? "true" : null}, name));
  return section("Views", h("ul", {class: "inline", id: "views"}, one(data.base, "as stored"), (data.views ?? []).map((name) => one(`${data.base}#${name}`, name))));
}

function pairs(entries) {
  return h("dl", {class: "facts"}, entries.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function facts(data) {
  const info = data.info;
  const entries = [["format", `${info.format}, version ${info.version}`]];
  if (info.records !== undefined) {
    entries.push(["records", info.records ? link("records", {dataset: data.dataset}, {id: "records"}, number(info.records)) : "0"]);
  }
  if (data.live) entries.push(["live", link("store", {dataset: data.dataset}, {id: "live"}, "commits and space, while a writer works")]);
  entries.push(["bytes", `${number(info.bytes)} (${bytes(info.bytes)})`]);
  if (!data.tree) entries.push(["names", data.named ? "yes" : "no"], ["groups", data.grouped ? link("records", {dataset: `${data.dataset}#groups`}, {id: "groups"}, "yes") : "no"]);
  entries.push(["fingerprint", [h("code", {}, info.fingerprint), info.fingerprintExact ? " covers every record" : " covers samples of 256 KiB in total"]]);
  for (const [name, value] of Object.entries(data.tree ? {root: info.root, merges: info.merges} : info.facts)) {
    entries.push([name, typeof value === "number" ? number(value) : String(value)]);
  }
  return h("section", {}, h("h2", {}, "Facts"),
    h("dl", {class: "facts"}, entries.map(([name, value]) => [h("dt", {}, name), h("dd", {}, ...[value].flat())])));
}

function code(title, lines) {
  return section(title, lines.map((line) => h("div", {class: "code"}, h("pre", {}, line), copyButton(line))));
}

function fields(data) {
  return section(count(data.info.fields.length, "field"), h("table", {class: "plain"},
    h("thead", {}, h("tr", {}, ["Field", "Type", "Shape", "Length"].map((text) => h("th", {scope: "col"}, text)))),
    h("tbody", {}, data.info.fields.map((field) => h("tr", {},
      h("td", {}, h("code", {title: typeOf(field)}, field.name)), h("td", {}, field.type), h("td", {}, field.shape.join(" × ") || "–"),
      h("td", {}, field.variable ? "variable" : "fixed"))))));
}

function parts(list) {
  return section(count(list.length, "part"), h("table", {class: "plain"},
    h("thead", {}, h("tr", {}, ["Path", "Format", "Records"].map((text) => h("th", {scope: "col"}, text)))),
    h("tbody", {}, list.map((part) => h("tr", {}, h("td", {class: "path"}, part.path), h("td", {}, part.format),
      h("td", {class: "number"}, number(part.records)))))));
}

function verification(data, signal) {
  const place = h("div", {});
  const button = h("button", {type: "button", id: "verify"}, "Verify every byte");
  button.addEventListener("click", () => verify(data, signal, button, place));
  return section("Verification", button, place);
}

async function verify(data, signal, button, place) {
  const bar = h("progress", {"aria-label": "Verification"});
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort());
  const text = h("span", {class: "amount"});
  button.disabled = true;
  fill(place, h("p", {class: "progress"}, bar, text, h("button", {type: "button", onclick: () => stop.abort()}, "Cancel")));
  try {
    const report = await post("verify", {dataset: data.dataset}, (progress) => {
      if (progress.total) { bar.max = progress.total; bar.value = progress.done; }
      text.textContent = progress.waiting ? "waiting for other queries" : `${bytes(progress.done)} of ${bytes(progress.total)}`;
    }, stop.signal);
    fill(place, result(report));
    say(report.ok ? "Verification: OK" : "Verification found errors");
  } catch (e) {
    fill(place, h("p", {}, e.name === "AbortError" ? "Cancelled." : e.message));
  }
  button.disabled = false;
}

function result(report) {
  const warnings = report.problemCount - report.errorCount;
  return [
    h("p", {class: report.ok ? "good" : "bad", id: "verification"}, `${report.ok ? "OK" : "BAD"}: ${bytes(report.checkedBytes)} checked, `
      + (report.problemCount ? `${number(report.errorCount)} errors, ${number(warnings)} warnings` : "no problems")),
    report.problems.length ? h("ul", {class: "problems"}, report.problems.map((problem) => h("li", {},
      `${problem.severity}: ${problem.file} at byte ${problem.offset}: ${problem.what} [${problem.reason}]`))) : null,
  ];
}
