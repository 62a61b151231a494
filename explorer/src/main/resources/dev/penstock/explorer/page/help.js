// SPDX-License-Identifier: Apache-2.0
// The list of keys.

import {h} from "./dom.js";

const KEYS = [
  ["1 2 3 ...", "the pages, from left to right"],
  ["/", "filter the records"],
  ["g", "go to a record by index or name"],
  ["s", "shuffle, with a seed"],
  ["↑ ↓  Page Up  Page Down  Home  End", "move in the table"],
  ["Enter", "open the record"],
  ["← →", "the record before, the record after"],
  ["Esc", "close the record"],
  ["f", "flag the record"],
  ["← →  on the pages Order and Run", "the step before, the step after"],
  ["?", "this list"],
];

export function showHelp() {
  const dialog = h("dialog", {"aria-labelledby": "help-title", onclose: () => dialog.remove()},
    h("h2", {id: "help-title"}, "Keys"),
    h("dl", {class: "keys"}, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("form", {method: "dialog"}, h("button", {autofocus: true}, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
