// SPDX-License-Identifier: Apache-2.0
// The rows around the visible ones, fetched in blocks. Blocks that were scrolled past are not fetched.

import {warn} from "./dom.js";
import {getJson} from "./net.js";

const BLOCK = 50;
const KEPT = 60;
const DELAY = 40;

export class Rows {
  constructor(state, signal, loaded) {
    this.state = state;
    this.signal = signal;
    this.loaded = loaded;
    this.blocks = new Map();
    this.wanted = [];
  }

  /** The row at a position, or undefined when it is not there yet. */
  get(position) {
    return this.blocks.get(Math.floor(position / BLOCK))?.[position % BLOCK];
  }

  /** The row at a position, fetched when necessary. */
  async load(position) {
    if (!this.get(position)) await this.fetch(Math.floor(position / BLOCK));
    return this.get(position);
  }

  /** More rows have been found: the last block may have been incomplete. */
  grow(count) {
    for (const [block, rows] of this.blocks) {
      if (rows.length < BLOCK && block * BLOCK + rows.length < count) this.blocks.delete(block);
    }
  }

  /** Says which rows are visible. */
  want(from, limit) {
    this.wanted = [];
    for (let block = Math.floor(from / BLOCK); block * BLOCK < limit; block++) {
      if (!this.blocks.has(block)) this.wanted.push(block);
    }
    if (this.wanted.length && !this.timer) this.timer = setTimeout(() => this.fetchWanted(), DELAY);
  }

  async fetchWanted() {
    const block = this.wanted.shift();
    if (block !== undefined && !this.blocks.has(block)) await this.fetch(block);
    this.timer = this.wanted.length && !this.signal.aborted ? setTimeout(() => this.fetchWanted(), 0) : 0;
  }

  async fetch(block) {
    try {
      const data = await getJson("records", {...this.state, start: block * BLOCK, count: BLOCK, budget: 0}, this.signal);
      this.blocks.set(block, data.rows);
      if (this.blocks.size > KEPT) this.blocks.delete(this.blocks.keys().next().value);
      this.loaded();
    } catch (e) {
      if (e.name === "AbortError") return;
      this.wanted = [];
      warn(e, () => { warn(null); this.loaded(); });
    }
  }
}
