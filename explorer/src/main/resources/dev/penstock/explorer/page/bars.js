// SPDX-License-Identifier: Apache-2.0
// Bars to choose from: each is a link. One tab stop leads to them, and the arrow keys move between them.

import {h} from "./dom.js";
import {link} from "./app.js";

/** @param bars objects with `count`, `title` and, when it leads somewhere, `page` and `state` */
export function bars(bars, label) {
  const highest = Math.max(1, ...bars.map((bar) => bar.count));
  const items = bars.map((bar, i) => {
    const column = h("span", {class: "column"});
    column.style.height = bar.count ? `${Math.max(2, (bar.count / highest) * 100)}%` : "0";
    const properties = {class: "bar-hit", title: bar.title, "aria-label": bar.title, tabindex: i === 0 ? 0 : -1, role: bar.state ? null : "img"};
    return bar.state ? link(bar.page, bar.state, properties, column) : h("span", properties, column);
  });
  return roving(h("div", {class: "bars", role: "group", "aria-label": label}, items), items, 1);
}

/** Rows with a name, a bar and a number. */
export function rows(list, label) {
  const highest = Math.max(1, ...list.map((one) => one.count));
  const items = list.map((one, i) => {
    const fill = h("span", {class: "fill", "aria-hidden": "true"});
    fill.style.width = `${(one.count / highest) * 100}%`;
    const properties = {class: "top-row", title: one.title, tabindex: i === 0 ? 0 : -1};
    const content = [fill, h("span", {class: "top-name"}, one.name), h("span", {class: "number"}, one.amount)];
    return one.state ? link(one.page, one.state, properties, content) : h("div", properties, content);
  });
  return roving(h("div", {class: "top", role: "group", "aria-label": label}, items), items, 1);
}

function roving(group, items, step) {
  group.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement);
    const moves = {ArrowRight: step, ArrowDown: step, ArrowLeft: -step, ArrowUp: -step, Home: -Infinity, End: Infinity};
    if (at < 0 || !(event.key in moves)) return;
    const next = Math.min(items.length - 1, Math.max(0, at + moves[event.key]));
    items[at].tabIndex = -1;
    items[next].tabIndex = 0;
    items[next].focus();
    event.preventDefault();
    event.stopPropagation();
  });
  return group;
}
