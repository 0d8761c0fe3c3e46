/** Numbers, times and answers as text. */

const ANSWERS = { same: "the same", different: "different", unsure: "unsure" };

export function percent(share) {
  const value = share * 100;
  return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)}\u00a0%`;
}

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

export function duration(seconds) {
  if (seconds < 45) return "under a minute";
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `about ${minutes} min` : `about ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function clock(iso) {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  return today
    ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : at.toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** "12 and 40 are different", or "unsure about 12 and 40"; of a choice, with the other candidates. */
export function claim(left, right, answer, others = []) {
  if (others.length > 0) {
    const names = others.map(({ id }) => id).join(", ");
    if (answer === "same") return `${left.id} and ${right.id} are the same, and none of ${names}`;
    if (answer === "unsure") return `unsure about ${left.id} beside ${right.id}, ${names}`;
    return `${left.id} is the same as none of ${right.id}, ${names}`;
  }
  if (answer === "unsure") return `unsure about ${left.id} and ${right.id}`;
  return `${left.id} and ${right.id} are ${ANSWERS[answer]}`;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
