/** Settings that survive a reload. If the browser forbids storage, they last as long as the page. */

const fallback = new Map();

/** The value saved under `name`, or null. */
export function loadSetting(name, storage = "localStorage") {
  try {
    return window[storage].getItem(`sameornot-${name}`);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** Save a string; null removes the setting. */
export function saveSetting(name, value, storage = "localStorage") {
  try {
    if (value === null) window[storage].removeItem(`sameornot-${name}`);
    else window[storage].setItem(`sameornot-${name}`, value);
  } catch {
    fallback.set(name, value);
  }
}
