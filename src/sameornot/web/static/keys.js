/** Which answer a key gives, and which letter or digit was typed. */

export const KEYS = { s: "same", d: "different", u: "unsure" };

/** The typed digit, also on keyboards where digits need Shift; NaN for other keys. */
export function digit({ key, code, shiftKey }) {
  if (/^\d$/.test(key)) return Number(key);
  return shiftKey ? NaN : Number(code.match(/^Digit(\d)$/)?.[1] ?? NaN);
}

/** The typed letter; on a keyboard of a non-Latin script, the Latin letter of the same key. */
export function letter(event) {
  const typed = event.key.toLowerCase();
  const isNonLatin = typed.length === 1 && typed > "\u007f";
  return isNonLatin && event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : typed;
}
