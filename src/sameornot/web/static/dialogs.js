/** Help and name: the two dialogs that need no server to be drawn. */

import { byId } from "./dom.js";
import { recall, remember } from "./memory.js";
import { median } from "./words.js";

export const singleKeysOn = () => recall("keys") !== "off";

export function startHelp() {
  byId("help").addEventListener("click", openHelp);
  byId("keys-on").checked = singleKeysOn();
  byId("keys-on").addEventListener("change", (event) =>
    remember("keys", event.target.checked ? null : "off"),
  );
}

export function openHelp() {
  const times = window.sameornotTimings;
  byId("timing").textContent =
    times.length === 0
      ? ""
      : `From your answer to the next question: ${Math.round(median(times))} ms (median of ${times.length}).`;
  byId("dialog-help").showModal();
}

export function startPerson(sitting) {
  const dialog = byId("dialog-person");
  const field = byId("person-name");
  const show = (name) => (byId("person").textContent = name ? `You: ${name}` : "Your name");
  sitting.addEventListener("opened", ({ detail }) => show(detail.person.name));
  sitting.addEventListener("progress", ({ detail }) => {
    const you = detail.people.find((person) => person.you);
    if (you) show(you.name);
  });
  byId("person").addEventListener("click", () => {
    field.value = sitting.progress?.people.find((person) => person.you)?.name ?? "";
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", async () => {
    const name = field.value.trim();
    if (dialog.returnValue === "save" && (await sitting.act("/api/introduce", { name }))) show(name);
  });
}
