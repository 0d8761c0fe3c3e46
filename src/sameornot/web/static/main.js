/** The page: one sitting, and the views that listen to it. */

import { startClash } from "./clash.js";
import { openHelp, singleKeysOn, startHelp, startPerson } from "./dialogs.js";
import { byId } from "./dom.js";
import { GroupsView } from "./groups.js";
import { HistoryView } from "./history.js";
import { startKeys } from "./keys.js";
import { listen } from "./live.js";
import { startNotices } from "./notices.js";
import { PictureView } from "./picture.js";
import { ProgressView } from "./progress.js";
import { QuestionView } from "./question.js";
import { recordOpener } from "./record.js";
import { currentView, startRoutes } from "./routes.js";
import { Sitting } from "./sitting.js";
import { startTheme } from "./theme.js";

// Milliseconds from an answer to its next question on the screen, for the help dialog and for tests.
window.sameornotTimings = [];

const sitting = new Sitting();
const openRecord = recordOpener(sitting);

startNotices(sitting);
startClash(sitting);
startHelp();
startPerson(sitting);
// The question listens first, so that it is drawn and taken as seen before anything else is.
new QuestionView(sitting, openRecord);
const progress = new ProgressView(sitting);
const picture = new PictureView(sitting, openRecord);
const groups = new GroupsView(sitting, openRecord);
const history = new HistoryView(sitting, openRecord);

startTheme(() => {
  progress.repaint();
  picture.repaint();
});
startKeys(sitting, { view: currentView, isOn: singleKeysOn, help: openHelp });
sitting.addEventListener("opened", ({ detail }) => {
  byId("title").textContent = `${detail.title}, ${detail.rows.toLocaleString("en")} rows`;
  startRoutes({ groups: () => groups.load(), history: () => history.load() });
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});

await sitting.load();
if (sitting.state !== null) listen(sitting);
