// SPDX-License-Identifier: Apache-2.0
// Work with progress: a bar, how far it came, and a button that cancels it.

import {h, fill, number, say} from "./dom.js";
import {post} from "./net.js";

/** Starts work and shows its progress in a place, which is empty afterwards. Returns the result, or null when it was cancelled. */
export async function work(place, path, parameters, signal, {noun = "records", amount = number} = {}) {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener("abort", end);
  const bar = h("progress", {"aria-label": "Progress"});
  const text = h("span", {class: "amount"}, "starting");
  fill(place, h("span", {class: "progress"}, bar, text, h("button", {type: "button", class: "cancel", onclick: end}, "Cancel")));
  try {
    return await post(path, parameters, (progress) => {
      if (progress.total) { bar.max = progress.total; bar.value = progress.done; }
      text.textContent = progress.waiting ? "waiting for other queries" : `${amount(progress.done)} of ${amount(progress.total)} ${noun}`.trim();
    }, stop.signal);
  } catch (e) {
    if (e.name !== "AbortError" || signal.aborted) throw e;
    say("Cancelled");
    return null;
  } finally {
    signal.removeEventListener("abort", end);
    fill(place);
  }
}
