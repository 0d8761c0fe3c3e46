/** The progress bar: questions, groups, churn, advice when to stop, time left, and people. */

import { afterPaint, byId, make } from "./dom.js";
import { ChurnLine } from "./churn_line.js";
import { count, duration, percent } from "./format.js";

// Other people who are named next to you: the space is narrow.
const N_OTHERS = 1;

export class ProgressView {
  #line = new ChurnLine(byId("churn-line"));

  constructor(session) {
    session.addEventListener("progress", ({ detail }) => this.#show(detail));
  }

  /** Apply a new theme. */
  repaint() {
    this.#line.repaint();
  }

  #show(progress) {
    const { asked, budget, unsure, known, moved, seconds_left: left } = progress;
    byId("asked").textContent = asked > budget ? `${asked}, ${budget} planned` : `${asked} of ${budget}`;
    byId("unsure").textContent = [unsure > 0 ? `${unsure} unsure` : "", describeRepeats(progress)]
      .filter((text) => text)
      .join(" · ");
    byId("known-before").textContent = known > 0 ? `${count(known, "row")} known before` : "";
    byId("asked-bar").style.width = `${Math.min(1, budget > 0 ? asked / budget : 1) * 100}%`;
    byId("groups-found").textContent = groupsFound(progress);
    byId("churn").textContent = moved === null ? "unknown" : percent(moved);
    byId("time-left").textContent =
      asked >= budget ? "none planned" : left === null ? "unknown" : duration(left);
    showHint(progress);
    showPeople(progress.people);
    afterPaint(() => this.#line.show(progress.moves));
  }
}

/** How many groups are known, of how many: the given number, or the estimated one with its interval. */
function groupsFound({ groups, clusters, expected_groups: expected }) {
  if (clusters !== null) return `${groups} of ${clusters}`;
  if (expected === null) return String(groups);
  return `${groups} of about ${expected.estimate} (${expected.low} to ${expected.high})`;
}

/** If the person can stop, that comes first and in bold; the reason follows. */
function showHint({ hint, can_stop: canStop }) {
  const colon = canStop ? hint.indexOf(":") + 1 : 0;
  byId("hint").replaceChildren(make("strong", {}, hint.slice(0, colon)), hint.slice(colon));
  byId("hint").dataset.canStop = String(canStop);
}

/** You, the other person with most answers, and the number of the rest; the tooltip lists all. */
function showPeople(people) {
  const others = people.filter((person) => !person.you).sort((a, b) => b.answers - a.answers);
  const shown = [...people.filter((person) => person.you), ...others.slice(0, N_OTHERS)];
  const names = shown.map((person) =>
    make(
      "span",
      { class: person.looking && !person.you ? "now" : "" },
      `${person.you ? "you" : person.name || "someone"} ${person.answers}`,
    ),
  );
  if (others.length > N_OTHERS) names.push(`+${others.length - N_OTHERS}`);
  byId("people").replaceChildren(...names.flatMap((name, i) => (i === 0 ? [name] : [" · ", name])));
  byId("people").title = people.map(describePerson).join("\n");
}

/** How many repeated questions were answered as before. */
function describeRepeats({ repeats, held }) {
  return repeats > 0 ? `${held} of ${repeats} held when asked again` : "";
}

function describePerson(person) {
  const who = person.you ? "You have" : `${person.name || "Someone"} has`;
  const now = person.looking && !person.you ? " and is looking at a question now" : "";
  return `${who} given ${count(person.answers, "answer")}${now}.`;
}
