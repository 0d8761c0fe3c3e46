/** The page: one session, and the views that listen to it. */

import { startConflictDialog } from "./conflict_dialog.js";
import { openHelp, singleKeysOn, startHelp, startPerson } from "./dialogs.js";
import { byId } from "./dom.js";
import { GroupsView } from "./groups.js";
import { HistoryView } from "./history.js";
import { startKeys } from "./keyboard.js";
import { subscribe } from "./server_events.js";
import { startNotices } from "./notices.js";
import { ModelPanel } from "./model_panel.js";
import { PeopleView } from "./people.js";
import { ProgressView } from "./progress.js";
import { QuestionView } from "./question.js";
import { recordOpener } from "./record.js";
import { currentView, startRoutes } from "./routes.js";
import { Session } from "./session.js";
import { startTheme } from "./theme.js";

// Every script has arrived.
if (!byId("stuck").dataset.now) byId("stuck").hidden = true;

// Milliseconds from an answer to its next question on the screen, for the help dialog and for tests.
window.sameornotTimings = [];

const session = new Session();
const openRecord = recordOpener(session);

startNotices(session);
startConflictDialog(session);
startHelp();
startPerson(session);
// The question view listens first, so that the question is painted before anything else.
new QuestionView(session, openRecord);
const progress = new ProgressView(session);
const modelPanel = new ModelPanel(session, openRecord);
const groups = new GroupsView(session, openRecord);
const history = new HistoryView(session, openRecord);
const people = new PeopleView(session, openRecord);

startTheme(() => {
  progress.repaint();
  modelPanel.repaint();
});
startKeys(session, { view: currentView, isOn: singleKeysOn, help: openHelp });
session.addEventListener("opened", ({ detail }) => {
  byId("title").textContent = `${detail.title}, ${detail.rows.toLocaleString("en")} rows`;
  document.documentElement.dataset.role = detail.person.role;
  startRoutes({
    groups: () => groups.load(),
    history: () => history.load(),
    people: () => people.load(),
  });
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});

await session.load();
if (session.state !== null) subscribe(session);
