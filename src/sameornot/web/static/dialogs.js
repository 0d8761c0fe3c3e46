/** The dialogs for help and for the person's name. */

import { byId } from "./dom.js";
import { loadSetting, saveSetting } from "./storage.js";
import { median } from "./format.js";

export const singleKeysOn = () => loadSetting("keys") !== "off";

export function startHelp() {
  byId("help").addEventListener("click", openHelp);
  byId("keys-on").checked = singleKeysOn();
  byId("keys-on").addEventListener("change", (event) =>
    saveSetting("keys", event.target.checked ? null : "off"),
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

export function startPerson(session) {
  const dialog = byId("dialog-person");
  const field = byId("person-name");
  const show = (name) => (byId("person").textContent = name ? `You: ${name}` : "Your name");
  session.addEventListener("opened", ({ detail }) => {
    show(detail.person.name);
    byId("person").disabled = detail.person.is_link; // the name is that of the invitation
  });
  session.addEventListener("progress", ({ detail }) => {
    const you = detail.people.find((person) => person.you);
    if (you) show(you.name);
  });
  byId("person").addEventListener("click", () => {
    field.value = session.progress?.people.find((person) => person.you)?.name ?? "";
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", async () => {
    const name = field.value.trim();
    if (dialog.returnValue === "save" && (await session.act("api/introduce", { name }))) show(name);
  });
}
