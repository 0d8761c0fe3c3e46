/** The server's HTTP interface: JSON in, JSON out, and three ways to fail. */

/** The server said no, in one sentence. */
export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** The answer contradicts earlier ones; `payload` holds the chain and the ways out. */
export class Clash extends Error {
  constructor(payload) {
    super(payload.sentence);
    this.payload = payload;
  }
}

/** Nobody answered: the server is down or the network is gone. */
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
  } catch (problem) {
    throw new Unreachable(problem.message);
  }
  const body = await bodyOf(response);
  if (response.ok) return body;
  if (response.status === 409) throw new Clash(body);
  throw new Refused(
    body.error ?? `The server answered ${response.status} ${response.statusText}.`,
    response.status,
  );
}

/** The body as JSON; a body cut off by a lost connection counts as no answer at all. */
async function bodyOf(response) {
  const text = await response.text().catch((problem) => {
    throw new Unreachable(problem.message);
  });
  try {
    return JSON.parse(text);
  } catch {
    if (response.ok) throw new Refused("The server sent something that is not JSON.", response.status);
    return {};
  }
}
