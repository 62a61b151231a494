// SPDX-License-Identifier: Apache-2.0
// Scrolls over any number of lines of one height; only the visible ones exist.
//
// Browsers limit the height of an element to some ten million pixels. A longer list has a scroll bar of that height,
// whose position stands for a fraction of the list; wheel, touch and keys then move by lines.

import {h} from "./dom.js";

const HEIGHT_MAX = 8_000_000;

export class Scroller {
  /** @param draw called with the first and the last visible line, the latter exclusive; returns the elements of the lines */
  constructor(properties, lineHeight, draw) {
    this.lineHeight = lineHeight;
    this.draw = draw;
    this.count = 0;
    this.top = 0;
    this.window = h("div", {class: "window", role: "presentation"});
    this.spacer = h("div", {class: "spacer", role: "presentation"}, this.window);
    this.element = h("div", {...properties, class: "scroller"}, this.spacer);
    this.element.addEventListener("scroll", () => this.scrolled());
    this.element.addEventListener("wheel", (event) => this.wheeled(event), {passive: false});
    this.element.addEventListener("touchstart", (event) => { this.touchY = event.touches[0].clientY; }, {passive: true});
    this.element.addEventListener("touchmove", (event) => this.touched(event), {passive: false});
    this.observer = new ResizeObserver(() => this.refresh());
    this.observer.observe(this.element);
  }

  close() {
    this.observer.disconnect();
  }

  get viewHeight() {
    return this.element.clientHeight;
  }

  get height() {
    return this.count * this.lineHeight;
  }

  get isScaled() {
    return this.height > HEIGHT_MAX;
  }

  /** The greatest value of `top`. */
  get limit() {
    return Math.max(0, this.height - this.viewHeight);
  }

  get firstLine() {
    return Math.floor(this.top / this.lineHeight);
  }

  /** The number of lines that are visible as a whole. */
  get pageLines() {
    return Math.max(1, Math.floor(this.viewHeight / this.lineHeight));
  }

  setCount(count) {
    this.count = count;
    this.refresh();
  }

  refresh() {
    this.spacer.style.height = `${Math.min(HEIGHT_MAX, this.height)}px`;
    this.window.style.height = `${Math.min(this.viewHeight, this.height)}px`;
    this.moveTo(this.top);
  }

  /** Moves so that a pixel of the whole list is at the top. */
  moveTo(top) {
    this.top = Math.min(this.limit, Math.max(0, top));
    const range = this.spacer.clientHeight - this.viewHeight;
    this.expected = this.isScaled ? (this.top / this.limit) * range : this.top;
    this.element.scrollTop = this.expected;
    this.paint();
  }

  showLine(line) {
    const start = line * this.lineHeight;
    if (start < this.top) this.moveTo(start);
    else if (start + this.lineHeight > this.top + this.viewHeight) this.moveTo(start + this.lineHeight - this.viewHeight);
  }

  scrolled() {
    const position = this.element.scrollTop;
    if (this.isScaled) {
      // The browser rounds positions, so its answer to our own movement differs a little.
      if (Math.abs(position - this.expected) < 1.5) return;
      const range = this.spacer.clientHeight - this.viewHeight;
      this.top = range > 0 ? (position / range) * this.limit : 0;
      this.expected = position;
    } else {
      this.top = position;
    }
    this.paint();
  }

  wheeled(event) {
    if (!this.isScaled || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? this.lineHeight : event.deltaMode === 2 ? this.viewHeight : 1;
    this.moveTo(this.top + event.deltaY * unit);
  }

  touched(event) {
    if (!this.isScaled) return;
    const y = event.touches[0].clientY;
    if (Math.abs(y - this.touchY) > 1) {
      event.preventDefault();
      this.moveTo(this.top + this.touchY - y);
      this.touchY = y;
    }
  }

  /** Draws the visible lines in the next frame. */
  paint() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const first = this.firstLine;
      const limit = Math.min(this.count, Math.ceil((this.top + this.viewHeight) / this.lineHeight));
      this.window.replaceChildren(...this.draw(first, limit));
      this.window.style.setProperty("--shift", `${first * this.lineHeight - this.top}px`);
    });
  }
}
