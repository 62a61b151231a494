// SPDX-License-Identifier: Apache-2.0
// Runs checks in Chromium and prints a line for each: "ok NAME", or "failed NAME: why" on one line. A check fails when it throws,
// and when a page logs an error, throws one, or asks another server for something.

import {createRequire} from "node:module";

const {chromium} = createRequire(process.env.BROWSER_MODULES + "/")("playwright-core");

export async function run(base, checks) {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"]});
  for (const [name, check, options = {}] of checks) {
    const context = await browser.newContext({viewport: {width: 1280, height: 800}, ...options});
    const page = await context.newPage();
    const errors = watch(page, base, options.expected ?? []);
    try {
      await check(page, base);
      if (errors.length) throw new Error(errors.join("; "));
      console.log(`ok ${name}`);
    } catch (e) {
      console.log(`failed ${name}: ${String(e.message).replaceAll(/\s+/g, " ").slice(0, 600)}`);
    }
    await context.close();
  }
  await browser.close();
}

/** Collects what must not happen. `expected` are texts of console errors that belong to the check. */
function watch(page, base, expected) {
  const errors = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.some((text) => message.text().includes(text))) errors.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => errors.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) errors.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => { errors.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  return errors;
}

export function equal(actual, expected, what) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/** Waits until a function in the page returns true. */
export async function until(page, what, test, argument) {
  try {
    await page.waitForFunction(test, argument, {timeout: 60_000});
  } catch {
    throw new Error(`waited in vain: ${what}; the page has ${(await page.innerText("body")).slice(0, 300)}`);
  }
}

export async function text(page, selector, expected) {
  await until(page, `${selector} has ${expected}`, ([where, wanted]) => document.querySelector(where)?.textContent.includes(wanted), [selector, expected]);
}

/** Nothing is wider than the screen, apart from what scrolls by itself. */
export async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) throw new Error(`the page is ${wide} px too wide`);
}
