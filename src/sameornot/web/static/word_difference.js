/** Which words of two texts differ: those outside of a longest common subsequence of their words. */

import { make } from "./dom.js";

// Two texts that share less than this of their words are about different things: marks would cover them.
const MIN_SHARED = 1 / 3;
// Above this many pairs of words the order is ignored: a word is shared if the other text has it too.
const MAX_PAIRS = 250_000;

/**
 * Both texts as parts `{text, differs}`, in order; joined, the parts are the text. Words are compared without
 * case and punctuation. Nothing is marked in texts with few words in common.
 */
export function markDifferences(left, right) {
  const a = splitWords(left);
  const b = splitWords(right);
  const [inA, inB] = a.length * b.length > MAX_PAIRS ? sharedAnywhere(a, b) : sharedInOrder(a, b);
  if (count(inA) + count(inB) < MIN_SHARED * (a.length + b.length)) return [whole(left), whole(right)];
  return [joinParts(a, inA), joinParts(b, inB)];
}

function count(shared) {
  return shared.filter(Boolean).length;
}

function whole(text) {
  return text === "" ? [] : [{ text, differs: false }];
}

/** The parts as nodes; what differs is a `mark`, without the space after it. */
export function markedNodes(parts) {
  return parts.flatMap(({ text, differs }) => {
    const words = text.trimEnd();
    return differs ? [make("mark", {}, words), text.slice(words.length)] : [text];
  });
}

/** Words, each with the space around it. */
function splitWords(text) {
  return (text.match(/\s*\S+\s*/gu) ?? []).map((piece) => ({ text: piece, key: keyOf(piece) }));
}

function keyOf(piece) {
  const bare = piece.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  return bare === "" ? piece.trim() : bare;
}

function sharedAnywhere(a, b) {
  const [keysA, keysB] = [a, b].map((words) => new Set(words.map(({ key }) => key)));
  return [a.map(({ key }) => keysB.has(key)), b.map(({ key }) => keysA.has(key))];
}

function sharedInOrder(a, b) {
  const width = b.length + 1;
  // lengths[i * width + j]: the longest common subsequence of a from i on and b from j on.
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] =
        a[i].key === b[j].key
          ? lengths[at + width + 1] + 1
          : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  const shared = [new Array(a.length).fill(false), new Array(b.length).fill(false)];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const at = i * width + j;
    if (a[i].key === b[j].key) shared[0][i++] = shared[1][j++] = true;
    else if (lengths[at + width] >= lengths[at + 1]) i++;
    else j++;
  }
  return shared;
}

/** Neighbours that differ become one part. */
function joinParts(words, shared) {
  const parts = [];
  words.forEach(({ text }, n) => {
    const differs = !shared[n];
    if (parts.at(-1)?.differs === differs) parts.at(-1).text += text;
    else parts.push({ text, differs });
  });
  return parts;
}
