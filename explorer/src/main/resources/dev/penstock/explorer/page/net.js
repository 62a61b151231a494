// SPDX-License-Identifier: Apache-2.0
// Requests. All addresses are relative, so that they carry the token.

/** An address with parameters; those without a value are left out. */
export function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** Asks the server; a refusal is an error with its message. */
export async function send(target, options) {
  let response;
  try {
    response = await fetch(target, options);
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Error("The server does not answer. It may have been stopped: start penstock serve again.");
  }
  if (response.ok) return response;
  const text = await response.text();
  let message = text;
  try { message = JSON.parse(text).error.message; } catch { /* The text is the message. */ }
  throw Object.assign(new Error(message), {status: response.status});
}

/** The data of a page. */
export async function getJson(page, parameters, signal) {
  return (await send(address(page, {...parameters, format: "json"}), {signal})).json();
}

/** Some bytes of a value, and the size of the whole. */
export async function getBytes(parameters, signal) {
  const response = await send(address("value", parameters), {signal});
  return {bytes: await response.arrayBuffer(), size: Number(response.headers.get("X-Value-Size"))};
}

/** Starts work with progress. Calls `progress` for each report and returns the result. */
export async function post(path, parameters, progress, signal) {
  const response = await send(address(path, parameters), {method: "POST", signal});
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (e) {
      if (e.name === "AbortError") throw e;
      throw new Error("The server stopped before the work was done.");
    }
    if (part.done) throw new Error("The server stopped before the work was done.");
    text += part.value;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.error) throw new Error(message.error.message);
      if ("result" in message) return message.result;
      progress(message.progress);
    }
  }
}
