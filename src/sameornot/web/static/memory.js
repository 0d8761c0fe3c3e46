/** Small choices that outlive a reload. Where the browser forbids storage they last as long as the page. */

const spare = new Map();

/** What was remembered under `name`, or null. `storage` is localStorage unless told otherwise. */
export function recall(name, storage = "localStorage") {
  try {
    return window[storage].getItem(`sameornot-${name}`);
  } catch {
    return spare.get(name) ?? null;
  }
}

/** Remember a string; null forgets. */
export function remember(name, value, storage = "localStorage") {
  try {
    if (value === null) window[storage].removeItem(`sameornot-${name}`);
    else window[storage].setItem(`sameornot-${name}`, value);
  } catch {
    spare.set(name, value);
  }
}
