// SPDX-License-Identifier: Apache-2.0
// Steps through a sequence: a slider, buttons, and playing.

import {h, fill, number} from "../dom.js";

const PLAY_MILLIS = 160;

/** @param draw returns the elements of a position, or a promise of them */
export function player(count, draw, label) {
  const body = h("div", {class: "player-body"});
  const text = h("span", {class: "count"});
  const slider = h("input", {type: "range", class: "slider", min: 0, max: Math.max(0, count - 1), value: 0, "aria-label": label});
  const play = h("button", {type: "button", class: "play", "aria-label": "Play"}, "▶");
  let timer = 0;
  let wanted = 0;
  const show = async (position) => {
    const at = Math.min(count - 1, Math.max(0, position));
    wanted = at;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `${number(at)} of ${number(count)}`);
    text.textContent = `${number(at)} of ${number(count)}`;
    try {
      const drawn = await draw(at);
      if (wanted === at) fill(body, drawn);
    } catch (e) {
      if (e.name !== "AbortError") fill(body, h("p", {class: "error"}, e.message));
    }
  };
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play");
  };
  const tick = async () => {
    if (!slider.isConnected || wanted >= count - 1) return stop();
    await show(wanted + 1);
    if (timer) timer = setTimeout(tick, PLAY_MILLIS);
    return undefined;
  };
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (wanted >= count - 1) show(0);
    play.textContent = "⏸";
    play.setAttribute("aria-label", "Stop");
    timer = setTimeout(tick, PLAY_MILLIS);
    return undefined;
  });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  // The arrow keys of the slider are not those of the page.
  slider.addEventListener("keydown", (event) => event.stopPropagation());
  const button = (step, name, sign) => h("button", {type: "button", "aria-label": name, onclick: () => { stop(); show(wanted + step); }}, sign);
  if (count) show(0);
  return h("div", {class: "player"}, h("div", {class: "bar plain"}, button(-1, "One back", "‹"), play, button(1, "One on", "›"), slider, text), body);
}
