/** Requests to the server: JSON in, JSON out, and three kinds of errors. */

/** The server refused the request, with one sentence. */
export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** The answer contradicts earlier ones; `payload` holds these and the possible solutions. */
export class Conflict extends Error {
  constructor(payload) {
    super(payload.sentence);
    this.payload = payload;
  }
}

/** No response: the server is down, or there is no network. */
export class Unreachable extends Error {}

export function get(path, params = {}) {
  const query = new URLSearchParams(params).toString();
  return request(query ? `${path}?${query}` : path, { headers: { accept: "application/json" } });
}

export function post(path, body = {}) {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    throw new Unreachable(error.message);
  }
  const body = await bodyOf(response);
  if (response.ok) return body;
  if (response.status === 409) throw new Conflict(body);
  throw new Refused(
    body.error ?? `The server answered ${response.status} ${response.statusText}.`,
    response.status,
  );
}

/** Parse the body as JSON; an incomplete body counts as no response. */
async function bodyOf(response) {
  const text = await response.text().catch((error) => {
    throw new Unreachable(error.message);
  });
  try {
    return JSON.parse(text);
  } catch {
    if (response.ok) throw new Refused("The server sent something that is not JSON.", response.status);
    return {};
  }
}
