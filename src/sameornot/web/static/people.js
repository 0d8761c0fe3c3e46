/** The people view, for those who manage the session: links, agreement, and disagreements to settle. */

import { get, post } from "./api.js";
import { button, byId, debounced, make, redraw, tableHead } from "./dom.js";
import { clock, count, percent } from "./format.js";
import { currentView } from "./routes.js";

const ROLES = { annotate: "answers", manage: "answers and manages" };
const WORDS = { same: "Same", different: "Different" };

export class PeopleView {
  #root = byId("view-people");
  #body = make("div", {});
  #made = make("div", { class: "made", "data-testid": "link-made", hidden: true });
  #session;
  #openRecord;

  constructor(session, openRecord) {
    this.#session = session;
    this.#openRecord = openRecord;
    const refresh = debounced(() => currentView() === "people" && this.load(), 300);
    session.addEventListener("changed", refresh);
    this.#root.append(make("h2", {}, "People"), this.#form(), this.#made, this.#body);
  }

  async load() {
    try {
      this.#draw(await get("api/team"));
    } catch (error) {
      this.#session.reportError(error);
    }
  }

  /** Invite somebody: the link is shown once. */
  #form() {
    const name = make("input", { required: true, maxlength: "200", "data-testid": "invite-name" });
    const role = make(
      "select",
      { "data-testid": "invite-role" },
      ...Object.entries(ROLES).map(([value, label]) => make("option", { value }, label)),
    );
    const days = make("input", { type: "number", min: "1", max: "3650", placeholder: "any", "data-testid": "invite-days" });
    const submit = async (event) => {
      event.preventDefault();
      const body = { name: name.value.trim(), role: role.value, days: days.value === "" ? null : Number(days.value) };
      const made = await this.#send("api/invite", body);
      if (made === null) return;
      name.value = "";
      this.#showLink(made);
      this.load();
    };
    return make(
      "form",
      { class: "tools-row", "data-testid": "invite", on: { submit } },
      make("label", {}, "Invite", name),
      make("label", {}, "who", role),
      make("label", {}, "for", days, "days"),
      make("button", { type: "submit", "data-testid": "invite-send" }, "Make a link"),
    );
  }

  #showLink({ link, token }) {
    const address = new URL(`.?token=${token}`, location.href).href;
    const field = make("input", { readonly: true, value: address, "data-testid": "link-address", "aria-label": "Link" });
    const copy = button("Copy", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(address);
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Selected: copy it now"; // without TLS, browsers allow no more
      }
    });
    this.#made.hidden = false;
    this.#made.replaceChildren(
      make("p", {}, `The link of ${link.name}. It is shown only now; whoever has it answers as ${link.name}.`),
      make("p", { class: "row" }, field, copy, button("Close", () => (this.#made.hidden = true), { class: "quiet" })),
    );
    field.select();
  }

  #draw(team) {
    redraw(this.#body, ...this.#links(team), ...this.#agreement(team), ...this.#disagreements(team));
  }

  #links({ links }) {
    if (links.length === 0) return [make("p", { class: "empty" }, "There is no personal link yet.")];
    const line = (link) =>
      make(
        "tr",
        { "data-testid": "link", "data-open": String(link.open) },
        make("td", {}, link.name),
        make("td", {}, ROLES[link.role] ?? link.role),
        make("td", { class: "number" }, String(link.answers)),
        make("td", {}, until(link)),
        make(
          "td",
          { class: "actions" },
          link.revoked
            ? null
            : button("Take back", () => this.#send("api/revoke", { link: link.id }, true), {
                "aria-label": `Take back the link of ${link.name}`,
                "data-testid": "link-revoke",
                "data-focus": `${link.id} revoke`,
              }),
        ),
      );
    return [
      make(
        "div",
        { class: "scroll" },
        make(
          "table",
          { class: "lines" },
          tableHead(["Link for", "Role", "Answers", "Opens until", ""]),
          make("tbody", {}, ...links.map(line)),
        ),
      ),
    ];
  }

  #agreement({ overlap, second, annotators, agreement }) {
    const share = make("input", {
      type: "number",
      min: "0",
      max: "100",
      step: "1",
      value: String(Math.round(100 * overlap)),
      "data-testid": "overlap",
      "data-focus": "overlap",
      on: { change: () => this.#send("api/overlap", { share: Number(share.value) / 100 }, true) },
    });
    return [
      make("h3", {}, "Agreement"),
      make(
        "p",
        { class: "tools-row" },
        make("label", {}, "Ask a second person", share, "% of the questions"),
        make("span", { class: "aside" }, `${count(second, "second opinion")} so far`),
      ),
      agreement.length === 0
        ? make("p", { class: "empty" }, "Nobody has given a second opinion yet.")
        : agreementTable(agreement),
      annotators.length > 1 ? reliabilityTable(annotators) : null,
    ].filter((part) => part !== null);
  }

  #disagreements({ disagreements, n_disagreements: total }) {
    if (total === 0) return [];
    const more = total - disagreements.length;
    return [
      make("h3", { "data-testid": "disagreements" }, `${count(total, "disagreement")} to settle`),
      make("ul", { class: "disputes" }, ...disagreements.map((each) => this.#dispute(each))),
      more > 0 ? make("p", { class: "more" }, `and ${more} more`) : null,
    ].filter((part) => part !== null);
  }

  #dispute({ left, right, answers }) {
    const record = ({ id, row }) =>
      button(id, () => this.#openRecord(row), { class: "link", "data-focus": `${left.row} ${right.row} ${row}` });
    const settle = (answer) =>
      button(WORDS[answer], () => this.#settle(left, right, answer), {
        "data-testid": `settle-${answer}`,
        "data-focus": `${left.row} ${right.row} ${answer}`,
        "aria-label": `${left.id} and ${right.id}: ${WORDS[answer]}`,
      });
    return make(
      "li",
      { "data-testid": "dispute" },
      make("span", {}, record(left), " and ", record(right)),
      make(
        "span",
        { class: "aside" },
        answers.map(({ author, yours, answer }) => `${yours ? "you" : author || "somebody"}: ${answer}`).join(" · "),
      ),
      make("span", { class: "actions" }, settle("same"), " ", settle("different")),
    );
  }

  /** Correct the answers that say otherwise; a contradiction opens its dialog. */
  async #settle(left, right, answer) {
    await this.#session.act("api/settle", { left: left.row, right: right.row, answer });
    this.load();
  }

  /** Send a command that changes no answer; null if it is refused. */
  async #send(path, body, isReloaded = false) {
    try {
      const reply = await post(path, body);
      if (isReloaded) await this.load();
      return reply;
    } catch (error) {
      this.#session.reportError(error);
      return null;
    }
  }
}

function until({ revoked, expires, open }) {
  if (revoked) return "taken back";
  if (expires === null) return "always";
  return open ? clock(expires) : `${clock(expires)} (expired)`;
}

function range({ estimate, low, high }, show) {
  return `${show(estimate)} (${show(low)} to ${show(high)})`;
}

function agreementTable(agreement) {
  const lines = agreement.map(({ people, both, equal, kappa }) =>
    make(
      "tr",
      { "data-testid": "agreement" },
      make("td", {}, people.join(" and ")),
      make("td", { class: "number" }, `${equal} of ${both}`),
      make("td", { class: "number" }, kappa === null ? "not defined" : range(kappa, (k) => k.toFixed(2))),
    ),
  );
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      { class: "lines" },
      tableHead(["Two people", "Same answer", "Cohen’s kappa (90% interval)"]),
      make("tbody", {}, ...lines),
    ),
  );
}

function reliabilityTable(annotators) {
  const lines = annotators.map(({ name, answers, reliability }) =>
    make(
      "tr",
      { "data-testid": "reliability" },
      make("td", {}, name),
      make("td", { class: "number" }, String(answers)),
      make("td", { class: "number" }, reliability === null ? "too early to say" : range(reliability, percent)),
    ),
  );
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      { class: "lines" },
      tableHead(["Person", "Answers", "Answers that are right (90% interval)"]),
      make("tbody", {}, ...lines),
    ),
  );
}
