// SPDX-License-Identifier: Apache-2.0
// Numbers of tokens, as text when a vocabulary is given: the tokenizer.json or vocab.json of a tokenizer, or a text file with a
// token in each line. The browser keeps the vocabulary.

import {h, fill, count, number, say} from "../dom.js";

const SHOWN_MAX = 4000;
const DATABASE = "penstock";
const STORE = "vocabulary";

let vocabulary = null;
let isRead = false;

/** Whether values can be tokens: whole numbers in one row, none negative, none huge. */
export function areTokens(field, values) {
  if (field.shape.length + (field.variable ? 1 : 0) !== 1 || values.length < 2 || /^(f|c|bool|bf)/.test(field.type)) return false;
  return Array.from(values.slice(0, 1000), Number).every((value) => value >= 0 && value < 2 ** 22);
}

export function looksLikeTokens(field) {
  return /token|(^|_)ids$|input_ids/i.test(field.name);
}

export async function tokens(values) {
  await remembered();
  const place = h("div", {});
  const file = h("input", {type: "file", accept: ".json,.txt", class: "unseen", "aria-label": "Vocabulary", onchange: async () => {
    try {
      await choose(file.files[0]);
      draw();
    } catch (e) {
      fill(place, h("p", {class: "error"}, e.message));
    }
  }});
  const draw = () => {
    const shown = Array.from(values.slice(0, SHOWN_MAX), Number);
    const texts = vocabulary ? decoded(shown) : shown.map(String);
    fill(place, h("p", {class: vocabulary ? "tokens" : "tokens plain"}, texts.map((text, i) => h("span", {title: `${number(shown[i])}`}, text))),
      h("p", {class: "amount"}, `${count(values.length, "token")}${values.length > SHOWN_MAX ? `, the first ${number(SHOWN_MAX)} are shown` : ""}. `,
        vocabulary ? `Vocabulary ${vocabulary.name}, ${count(vocabulary.tokens.length, "entry").replace("entrys", "entries")}. ` : "Without a vocabulary these are numbers. ",
        file, h("button", {type: "button", class: "quiet", onclick: () => file.click()}, vocabulary ? "Other vocabulary" : "Choose a tokenizer.json")));
  };
  draw();
  return place;
}

async function choose(file) {
  const text = await file.text();
  vocabulary = {name: file.name, ...(file.name.endsWith(".txt") ? {tokens: text.split(/\r?\n/)} : ofJson(JSON.parse(text)))};
  say(`Vocabulary ${file.name}`);
  await remember();
}

/** The tokens by their numbers. */
function ofJson(json) {
  const model = json.model ?? json;
  const vocab = model.vocab ?? model;
  const tokens = [];
  if (Array.isArray(vocab)) vocab.forEach((one, i) => { tokens[i] = String(Array.isArray(one) ? one[0] : one); });
  else for (const [token, id] of Object.entries(vocab)) if (Number.isSafeInteger(id) && id >= 0 && id < 2 ** 22) tokens[id] = token;
  for (const one of json.added_tokens ?? []) if (Number.isSafeInteger(one.id) && one.id >= 0 && one.id < 2 ** 22) tokens[one.id] = String(one.content);
  if (!tokens.length) throw new Error("The file has no vocabulary: choose the tokenizer.json or vocab.json of a tokenizer.");
  return {tokens, isByteLevel: tokens.some((token) => token?.startsWith("Ġ"))};
}

/** The bytes that the characters of byte-level tokens stand for. */
const BYTES = (() => {
  const map = new Map();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    map.set(String.fromCodePoint(isPrintable ? byte : next++), byte);
  }
  return map;
})();

function decoded(ids) {
  const decoder = new TextDecoder();
  return ids.map((id) => {
    const token = vocabulary.tokens[id];
    if (token === undefined) return `[${id}]`;
    const isBytes = vocabulary.isByteLevel && [...token].every((character) => BYTES.has(character));
    if (isBytes) return decoder.decode(Uint8Array.from(token, (character) => BYTES.get(character)));
    return token.replaceAll("▁", " ").replace(/^<0x([0-9A-F]{2})>$/, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  });
}

function database() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function remembered() {
  if (isRead) return;
  isRead = true;
  try {
    const open = await database();
    vocabulary = await new Promise((resolve) => {
      const request = open.transaction(STORE).objectStore(STORE).get("last");
      request.onsuccess = () => resolve(request.result ?? null);
      request.onerror = () => resolve(null);
    });
  } catch { /* A frame of another site has no storage. */ }
}

async function remember() {
  try { (await database()).transaction(STORE, "readwrite").objectStore(STORE).put(vocabulary, "last"); } catch { /* It is used until the page is closed. */ }
}
