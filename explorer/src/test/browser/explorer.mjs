// SPDX-License-Identifier: Apache-2.0
// The checks of the explorer: node explorer.mjs URL FOLDER-FOR-SCREENSHOTS

import {join} from "node:path";
import {equal, fits, run, text, until} from "./harness.mjs";

const [base, shots] = process.argv.slice(2);
const records = (dataset, more = "") => `${base}records?dataset=data/${dataset}${more}`;
const shot = (page, name) => page.screenshot({path: join(shots, `${name}.png`)});
const state = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const rows = (page) => page.$$eval("#grid .row:not(.head) .index", (cells) => cells.map((cell) => cell.textContent));
const isHacked = (page) => page.evaluate(() => window.hacked);

const FORMATS = ["table.npy", "photos.a2pack", "mixed.a2pack", "table.store", "grouped", "runs.a2pack", "steps"];

/** The other pages, with the element that shows that they are ready. */
const PAGES = {fields: ".card:not(.waiting)", order: ".figure-tile", history: "#choose-checkpoint", compare: "#other", flags: "#flag-count"};
const shown = (page, selector) => until(page, selector, (where) => document.querySelector(where), selector);

/** The number of controls that a screen reader has no name for. */
const unnamed = (page) => page.$$eval("button, input, a, select, summary", (all) => all.filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.closest("label") || one.querySelector("img[alt]"))).length);

/** A checkpoint of a run on a dataset: three steps of the second epoch are done, on two ranks. */
async function checkpoint(page, dataset, records) {
  const info = await page.evaluate(async (name) => (await fetch(`overview?format=json&dataset=${name}`)).json().then((data) => data.info), dataset);
  return {version: 2, dataset: info.fingerprint, records, sampler: "permutation", parameters: {seed: 7}, epoch: 1, delivered: 48,
    segments: [{epoch: 0, delivered: 0, records, batch: 8, world: 2}], order: {sampler: "permutation", records, parameters: {seed: 7}}, source: {}};
}

const checks = [
  ["a planted error is noticed", async (page) => {
    const errors = [];
    page.on("console", (message) => errors.push(message.text()));
    await page.goto(`${base}overview`);
    await page.evaluate(() => console.error("planted"));
    await until(page, "the list", () => document.querySelector("table.plain"));
    equal(errors, ["planted"], "errors");
  }, {expected: ["planted"]}],

  ["the list leads to a dataset", async (page) => {
    await page.goto(base);
    await page.click("text=data/photos.a2pack");
    await text(page, "h1", "photos.a2pack");
    await text(page, "dl.facts", "pack, version 1");
    await fits(page);
    await shot(page, "overview");
    await page.goBack();
    await text(page, "h1", "datasets");
    await page.goForward();
    await text(page, "h1", "photos.a2pack");
  }],

  ...FORMATS.flatMap((name) => [
    [`${name} has an overview and can be verified`, async (page) => {
      await page.goto(`${base}overview?dataset=data/${name}`);
      await page.click("#verify");
      await text(page, "#verification", "OK");
    }],
    [`${name} shows records`, async (page) => {
      await page.goto(records(name));
      await until(page, "rows", () => document.querySelectorAll("#grid .row:not(.head) .index").length > 1);
      await page.keyboard.press("Enter");
      await text(page, "#record h2", "Record 0");
      await until(page, "values", () => document.querySelector("#record .value").childElementCount > 0);
      equal(await page.$$eval("#record .error", (all) => all.length), 0, "errors");
    }],
  ]),

  ["a tree has an overview", async (page) => {
    await page.goto(`${base}overview?dataset=data/names.act`);
    await text(page, "dl.facts", "tree, version");
  }],

  ["keys move, open, step and close", async (page) => {
    await page.goto(records("table.npy"));
    await until(page, "rows", () => document.querySelectorAll("#grid .row").length > 5);
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "Enter"]) await page.keyboard.press(key);
    await text(page, "#record h2", "Record 1");
    await page.keyboard.press("ArrowRight");
    await text(page, "#record h2", "Record 2");
    equal(state(page).record, "2", "the address");
    await page.keyboard.press("Escape");
    await until(page, "closed", () => document.querySelector("#record").hidden);
    await page.keyboard.press("End");
    await text(page, "#grid", "19,999");
    await page.keyboard.press("g");
    await page.keyboard.type("12345");
    await page.keyboard.press("Enter");
    await text(page, "#record h2", "Record 12,345");
    await page.keyboard.press("Tab");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("?");
    await text(page, "dialog", "the record before");
    await page.keyboard.press("Escape");
    await until(page, "no dialog", () => !document.querySelector("dialog"));
  }],

  ["back and forward restore every state", async (page) => {
    await page.goto(records("table.npy", "&row=100"));
    await text(page, "#grid", "100");
    await page.click("#grid [data-row='102']");
    await text(page, "#record h2", "Record 102");
    await page.fill("#where", "label == 3");
    await page.press("#where", "Enter");
    await text(page, "#filter-result", "exact");
    await page.goBack();
    await text(page, "#record h2", "Record 102");
    await until(page, "no filter", () => document.querySelector("#where").value === "");
    await page.goBack();
    await until(page, "closed", () => document.querySelector("#record").hidden);
    await page.goForward();
    await page.goForward();
    await text(page, "#filter-result", "exact");
    equal(await page.inputValue("#where"), "label == 3", "the condition");
    await page.reload();
    await text(page, "#filter-result", "exact");
  }],

  ["a billion records scroll without blocking", async (page) => {
    await page.goto(`${base}overview`);
    const start = performance.now();
    await page.evaluate(async () => (await fetch("overview?format=json&dataset=data/billion.npy")).json());
    console.log(`figure overview of 10^9 records: ${Math.round(performance.now() - start)} ms`);
    await page.goto(records("billion.npy"));
    await text(page, "#count", "1,000,000,000 of 1,000,000,000");
    await page.evaluate(() => {
      window.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.longest = Math.max(window.longest, entry.duration); })).observe({type: "longtask"});
    });
    const box = await page.locator(".scroller").boundingBox();
    await page.mouse.move(box.x + 50, box.y + 50);
    for (let i = 0; i < 30; i++) await page.mouse.wheel(0, 400);
    await text(page, "#grid", "400");
    await page.evaluate(() => { const scroller = document.querySelector(".scroller"); scroller.scrollTop = scroller.scrollHeight / 2; });
    await until(page, "the middle", () => Number(document.querySelector("#grid .row:not(.head) .index").textContent.replaceAll(",", "")) > 4e8);
    await page.focus("#grid");
    await page.keyboard.press("End");
    await text(page, "#grid", "999,999,999");
    for (let i = 0; i < 20; i++) await page.keyboard.press("PageUp");
    console.log(`figure longest task while scrolling 10^9 rows: ${Math.round(await page.evaluate(() => window.longest))} ms`);
    await shot(page, "billion");
  }],

  ["a filter is cancelled and continued", async (page) => {
    await page.goto(records("billion.npy", "&where=" + encodeURIComponent("id == 1")));
    await page.click("#cancel");
    await text(page, "#filter-result", "cancelled");
    await page.click("#continue");
    await until(page, "progress", () => document.querySelector("#filter progress")?.value > 0);
    await page.click("#cancel");
    await text(page, "#filter-result", "cancelled");
  }],

  ["an invalid condition is explained", async (page) => {
    await page.goto(records("table.npy"));
    await page.fill("#where", "nothing > 3");
    await page.press("#where", "Enter");
    await text(page, "#alert", "nothing");
  }, {expected: ["400"]}],

  ["shuffle shows the order of the seed", async (page) => {
    await page.goto(records("table.npy"));
    await page.fill("#seed", "7");
    await page.click("#shuffle");
    await until(page, "shuffled", () => document.querySelector("#grid .row:not(.head) .index")?.textContent.length > 1
      && document.querySelector("#grid .row:not(.head) .index").textContent !== "0");
    const json = await page.evaluate(async () => (await fetch(location.href + "&format=json")).json());
    equal((await rows(page)).slice(0, 5), json.rows.slice(0, 5).map((row) => row.index.toLocaleString("en-US")), "rows");
  }],

  ["columns are hidden and ordered", async (page) => {
    await page.goto(records("table.npy", "&fields=weight,id"));
    await until(page, "head", () => document.querySelector(".head"));
    equal(await page.$$eval(".head span", (all) => all.map((one) => one.textContent)), ["record", "size", "weight", "id"], "head");
  }],

  ["pictures are an album", async (page) => {
    await page.goto(records("photos.a2pack"));
    await page.click("#album");
    await until(page, "tiles", () => [...document.querySelectorAll(".tile img")].filter((image) => image.complete && image.naturalWidth).length > 5);
    await shot(page, "album");
  }],

  ["a name leads to its record", async (page) => {
    await page.goto(records("photos.a2pack"));
    await page.fill("#goto", "photo-0017.png");
    await page.press("#goto", "Enter");
    await text(page, "#record h2", "photo-0017.png");
    await until(page, "the picture", () => document.querySelector("#record img")?.naturalWidth > 0);
    await page.fill("#goto", "no such name");
    await page.press("#goto", "Enter");
    await text(page, "#alert", "No record has the name");
  }],

  ["a key leads to its record", async (page) => {
    await page.goto(records("table.npy"));
    await page.fill("#goto", "id = 12345");
    await page.press("#goto", "Enter");
    await text(page, "#record h2", "Record 12,345");
    await page.fill("#goto", "id = -1");
    await page.press("#goto", "Enter");
    await text(page, "#alert", "No record has id = -1");
  }],

  ["hostile names and records stay text", async (page) => {
    await page.goto(records("mixed.a2pack"));
    const count = await page.evaluate(async () => (await fetch(location.href + "&format=json")).json().then((data) => data.records));
    for (let i = 0; i < count; i++) {
      await page.goto(records("mixed.a2pack", `&record=${i}`));
      await until(page, `value ${i}`, () => document.querySelector("#record .value")?.childElementCount > 0);
      equal(await isHacked(page), undefined, `record ${i}`);
      equal(await page.$$eval("#main script, #main svg, #main iframe, #main object, #main [onerror]", (all) => all.length), 0, "markup");
    }
    await shot(page, "hostile");
  }],

  ["a hostile record opened by itself runs nothing", async (page) => {
    await page.goto(records("mixed.a2pack"));
    for (let i = 0; i < 3; i++) {
      const headers = await page.evaluate(async (index) => {
        const response = await fetch(`value?dataset=data/mixed.a2pack&field=value&index=${index}`);
        return [response.headers.get("Content-Type"), response.headers.get("Content-Disposition"), response.headers.get("Content-Security-Policy")];
      }, i);
      equal(headers, ["application/octet-stream", "attachment; filename=value.bin", "default-src 'none'; sandbox"], `record ${i}`);
    }
  }],

  ["text, JSON, bytes and sound have their renderers", async (page) => {
    const open = async (name, selector) => {
      await page.goto(records("mixed.a2pack"));
      await page.fill("#goto", name);
      await page.press("#goto", "Enter");
      await until(page, `${name}: ${selector}`, (where) => document.querySelector(`#record ${where}`), selector);
    };
    await open("c.json", ".tree details");
    await open("d.bin", ".hex");
    await open("e.txt", "pre.text");
    await text(page, "#record", "characters");
    await open("f.wav", "audio");
  }],

  ["arrays are lines, heat maps and pictures", async (page) => {
    await page.goto(records("table.npy", "&record=5"));
    await until(page, "a line", () => document.querySelector("#record [data-field=embedding] .uplot canvas"));
    await shown(page, "#record [data-field=board] .board");
    await page.click("#record [data-field=board] .choices >> text=Heat map");
    await until(page, "a heat map", () => document.querySelector("#record [data-field=board] canvas"));
    await page.goto(records("digits.npy", "&record=5"));
    await until(page, "a picture", () => document.querySelector("#record canvas.picture"));
    await page.goto(records("clips.npy", "&record=1"));
    await until(page, "pictures", () => document.querySelectorAll("#record .picture-grid canvas").length === 5);
  }],

  ...Object.entries(PAGES).map(([name, ready]) => [`every format has the page ${name}`, async (page) => {
    for (const format of FORMATS) {
      await page.goto(`${base}${name}?dataset=data/${format}`);
      await shown(page, ready);
      equal(await page.$$eval("main .error", (all) => all.map((one) => one.textContent)), [], `errors of ${format}`);
      equal(await isHacked(page), undefined, format);
      equal(await unnamed(page), 0, `controls of ${format} without a name`);
      await fits(page);
    }
  }]),

  ["a bar of a histogram leads to its records", async (page) => {
    await page.goto(`${base}fields?dataset=data/table.npy&sample=0`);
    await text(page, "#scope-text", "all 20,000 records");
    await shot(page, "fields");
    await page.focus("[data-field=label] .bar-hit");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await text(page, "#filter-result", "exact");
    equal(state(page).where, "label == 1", "the condition");
  }],

  ["the steps of an order are shown, and the step of a record", async (page) => {
    await page.goto(`${base}order?dataset=data/photos.a2pack&batch=16&seed=3`);
    await until(page, "pictures", () => document.querySelectorAll("#step-records .tile img").length === 16);
    await page.fill("#find-record", "17");
    await page.press("#find-record", "Enter");
    await text(page, "#place", "Record 17 comes in step");
    await page.click("#place a");
    await until(page, "the record", () => [...document.querySelectorAll("#step-records figcaption")].some((one) => one.textContent.startsWith("17 ")));
    await shot(page, "order");
  }],

  ["a checkpoint says where the run is", async (page) => {
    await page.goto(`${base}history?dataset=data/photos.a2pack`);
    const inside = {model: "x", loader: await checkpoint(page, "data/photos.a2pack", 120)};
    await page.setInputFiles("#checkpoint-file", {name: "state.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(inside))});
    await text(page, "#now", "After 11 steps: epoch 1, step 3 of 8");
    await text(page, "#when", "seen, 1 step before");
    await page.keyboard.press("ArrowRight");
    await text(page, "#when", "the next step");
    await shot(page, "run");
    await page.goBack();
    await text(page, "#when", "seen, 1 step before");
    await page.goto(page.url().replace("photos.a2pack", "table.npy"));
    await text(page, "#mismatch", "another dataset");
  }],

  ["a snapshot is compared with the store", async (page) => {
    await page.goto(`${base}compare?dataset=data/table.store%23before`);
    await page.selectOption("#other", "data/table.store");
    await text(page, "#scope-text", "all 20,000 records");
    await text(page, "#count-changed", "1");
    await until(page, "both values", () => [...document.querySelectorAll("#pairs .different")].map((one) => one.textContent).includes("2.5"));
    await shot(page, "compare");
    await page.click("#kind-removed");
    await until(page, "removed", () => document.querySelectorAll("#pairs tbody").length === 2);
    await page.goBack();
    await until(page, "changed", () => document.querySelectorAll("#pairs tbody").length === 1);
    await page.goto(`${base}compare?dataset=data/mixed.a2pack&other=data/photos.a2pack&kind=removed`);
    await until(page, "names", () => document.querySelectorAll("#pairs tbody").length === 7);
    equal(await isHacked(page), undefined, "hostile names");
  }],

  ["a store is followed while a writer works", async (page) => {
    await page.goto(`${base}store?dataset=data/table.store`);
    await text(page, "#commits", "20,000");
    console.log("write");
    await text(page, "#commits", "20,001");
    await text(page, "#status", "20,001 records");
    await shot(page, "store");
  }],

  ["records are flagged, listed and exported", async (page) => {
    await page.goto(records("photos.a2pack"));
    await until(page, "rows", () => document.querySelectorAll("#grid .row").length > 5);
    for (const key of ["ArrowDown", "f", "ArrowDown", "f"]) await page.keyboard.press(key);
    await until(page, "both flags", () => document.querySelectorAll("#grid .flag").length === 2);
    await page.goto(`${base}flags?dataset=data/photos.a2pack`);
    await text(page, "#flag-count", "2 records flagged");
    await until(page, "rows", () => document.querySelectorAll("#flagged tbody tr").length === 2);
    equal(await page.$$eval("#write-flags", (all) => all.length), 0, "a server that only reads writes no flags");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export-npy")]);
    equal(download.suggestedFilename(), "photos.a2pack.flags.npy", "the file");
    await page.click("#clear-flags");
    await text(page, "#flag-count", "0 records");
  }],

  ["runs are replayed, and groups are episodes", async (page) => {
    await page.goto(records("runs.a2pack", "&record=1"));
    await shown(page, ".player .board");
    await page.locator(".player input").fill("120");
    await text(page, ".player .count", "120 of");
    await shot(page, "replay");
    await page.click("#decoded");
    await text(page, "#record h2", "Record 1");
    await page.goto(`${base}records?dataset=data/steps%23groups&record=1`);
    await shown(page, ".player .board");
    await page.click(".player .play");
    await until(page, "playing", () => Number(document.querySelector(".player input").value) > 1);
    await page.click("#rows");
    await text(page, "#group", "Group 1");
    await page.click("text=→");
    await text(page, "#group", "Group 2");
  }],

  ["tokens are text with a vocabulary", async (page) => {
    await page.goto(records("tokens.npy", "&record=2"));
    await page.click("#record .choices >> text=Tokens");
    await text(page, ".tokens", "2");
    const vocabulary = {model: {vocab: {"Ġthe": 0, "<b>": 1, Hello: 2, "Ġworld": 3}}};
    await page.setInputFiles("#record input[type=file]", {name: "tokenizer.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(vocabulary))});
    await text(page, ".tokens", "Hello world<b> the");
    await page.reload();
    await page.click("#record .choices >> text=Tokens");
    await text(page, ".tokens", "Hello world<b> the");
  }],

  ["a phone in the dark", async (page) => {
    for (const target of ["", "overview?dataset=data/table.npy", "records?dataset=data/table.npy", "records?dataset=data/mixed.a2pack&record=3",
      "store?dataset=data/table.store", "compare?dataset=data/table.store%23before&other=data/table.store", "records?dataset=data/steps&group=1"]) {
      await page.goto(base + target);
      await until(page, "content", () => document.querySelector("h1"));
      await fits(page);
    }
    await shot(page, "phone");
  }, {viewport: {width: 360, height: 740}, colorScheme: "dark"}],

  ["a wide screen", async (page) => {
    await page.goto(records("table.npy", "&record=3"));
    await text(page, "#record h2", "Record 3");
    await fits(page);
    await shot(page, "wide");
    for (const name of Object.keys(PAGES)) {
      await page.goto(`${base}${name}?dataset=data/table.npy`);
      await shown(page, PAGES[name]);
      await fits(page);
    }
  }, {viewport: {width: 2560, height: 1300}}],

  ["a screen reader finds names and roles", async (page) => {
    await page.goto(records("table.npy"));
    await until(page, "rows", () => document.querySelectorAll("#grid .row").length > 5);
    equal(await unnamed(page), 0, "controls without a name");
    equal(await page.$eval("#grid", (grid) => [grid.getAttribute("role"), grid.getAttribute("aria-rowcount")]), ["grid", "20001"], "grid");
    equal(await page.$eval("#grid .row:not(.head)", (row) => [row.getAttribute("role"), row.getAttribute("aria-rowindex")]), ["row", "2"], "row");
    equal(await page.$$eval("h1", (all) => all.length), 1, "headings");
    await page.keyboard.press("ArrowDown");
    await text(page, "#status", "Record 1");
  }],
];

await run(base, checks);
