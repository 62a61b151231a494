// SPDX-License-Identifier: Apache-2.0
// Charts by uPlot, in the colours of the page.

import uPlot from "../vendor/uPlot.js";
import {h} from "../dom.js";

/** A colour of the page by the name of its variable. */
export function pageColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis() {
  return {stroke: pageColour("--text"), grid: {stroke: pageColour("--line"), width: 1}, ticks: {stroke: pageColour("--line"), width: 1}};
}

/** A chart that is as wide as its place. `options` are those of uPlot without width, axes and scales. */
export function chart(options, data, height = 180) {
  const place = h("div", {class: "chart"});
  const plot = new uPlot({width: 300, height, scales: {x: {time: false}}, axes: [axis(), {...axis(), size: 60}], legend: {show: false}, ...options}, data, place);
  new ResizeObserver(() => {
    if (place.clientWidth && Math.abs(plot.width - place.clientWidth) > 1) plot.setSize({width: place.clientWidth, height});
  }).observe(place);
  return place;
}

/** The values of an array against their places. */
export function lineChart(values) {
  const line = {stroke: pageColour("--accent"), width: 1.5, points: {show: values.length < 60}};
  const place = chart({series: [{}, line]}, [Array.from(values, (_, i) => i), Array.from(values, (value) => (Number.isFinite(value) ? value : null))]);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `Line of ${values.length} values`);
  return place;
}
