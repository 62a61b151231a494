// SPDX-License-Identifier: Apache-2.0
// What a page says when the server is stopped while it searches: node stopped.mjs URL. Prints "ready" when it may be stopped.

import {run, text, until} from "./harness.mjs";

const [base] = process.argv.slice(2);

await run(base, [["a stopped server", async (page) => {
  await page.goto(`${base}records?dataset=stopped.npy&where=${encodeURIComponent("id == 1")}`);
  await until(page, "progress", () => document.querySelector("#filter progress")?.value > 0);
  console.log("ready");
  await text(page, "#filter-result", "server stopped");
  await page.click("text=Overview");
  await text(page, "#alert", "The server does not answer.");
}, {expected: ["ERR_", "net::"]}]]);
