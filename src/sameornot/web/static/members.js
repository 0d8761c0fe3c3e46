/** The members of a group: typical first, least sure first, or those that answers have placed. */

import { get } from "./api.js";
import { button, make, redraw, tableHead } from "./dom.js";
import { thumbnails } from "./pictures.js";
import { askAbout } from "./record.js";
import { percent } from "./format.js";

const ORDERS = { typical: "Most typical", unsure: "Least sure", placed: "Placed by answers" };
const LOOKS = { grid: "Pictures", lines: "Lines" };
const FIRST = { grid: 24, lines: 8 };
const MORE = 50;

export class MemberList {
  element = make("div", { class: "members" });
  #group;
  #session;
  #openRecord;
  #order = "typical";
  #look;
  #members = [];
  #total = 0;
  #last = Promise.resolve();

  constructor(group, session, openRecord) {
    this.#group = group;
    this.#session = session;
    this.#openRecord = openRecord;
    this.#look = session.state.has_images ? "grid" : "lines";
  }

  open(order) {
    return this.#enqueue(() => {
      this.#order = order;
      this.#members = [];
      return this.#fetch(FIRST[this.#look]);
    });
  }

  /** Load the same lines again, after the groups have changed. */
  reload() {
    return this.#enqueue(() => {
      const n = Math.max(this.#members.length, FIRST[this.#look]);
      this.#members = [];
      return this.#fetch(n);
    });
  }

  /** One request at a time: two that overlap would both add their lines. */
  #enqueue(work) {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }

  async #fetch(limit) {
    const where = { group: this.#group.key, order: this.#order, offset: this.#members.length, limit };
    try {
      const { members, total } = await get("api/members", where);
      this.#members.push(...members);
      this.#total = total;
    } catch (error) {
      this.#session.reportError(error);
    }
    this.#draw();
  }

  #draw() {
    const orders = Object.entries(ORDERS).map(([order, label]) =>
      button(label, () => this.open(order), {
        "aria-pressed": String(order === this.#order),
        "data-testid": `members-${order}`,
        "data-focus": `${this.#group.key} ${order}`,
      }),
    );
    const more = this.#total - this.#members.length;
    redraw(
      this.element,
      make(
        "div",
        { class: "tools-row" },
        make("div", { class: "segments", role: "group", "aria-label": "Which members first" }, ...orders),
        this.#session.state.has_images ? this.#looks() : null,
      ),
      this.#members.length === 0 ? make("p", { class: "empty" }, "None.") : this.#shown(),
      ...(more > 0
        ? [
            button(`Show more (${more})`, () => this.#enqueue(() => this.#fetch(MORE)), {
              "data-focus": `${this.#group.key} more`,
            }),
          ]
        : []),
    );
  }

  #looks() {
    const choose = (look) => {
      this.#look = look;
      return this.open(this.#order);
    };
    const buttons = Object.entries(LOOKS).map(([look, label]) =>
      button(label, () => choose(look), {
        "aria-pressed": String(look === this.#look),
        "data-testid": `members-${look}`,
        "data-focus": `${this.#group.key} ${look}`,
      }),
    );
    return make("div", { class: "segments", role: "group", "aria-label": "How members are shown" }, ...buttons);
  }

  #shown() {
    if (this.#look === "lines") return make("div", { class: "scroll" }, this.#table());
    return make("ul", { class: "tiles" }, ...this.#members.map((member) => this.#tile(member)));
  }

  #tile(member) {
    const shots = thumbnails(member, 4);
    const picture = shots.length > 0 ? shots : [make("span", { class: "aside" }, "No image")];
    const open = make(
      "button",
      {
        type: "button",
        class: "tile-open",
        "data-testid": "member-open",
        "data-focus": `${member.row} open`,
        on: { click: () => this.#openRecord(member.row) },
      },
      make("span", { class: "tile-shots", "data-several": String(shots.length > 1) }, ...picture),
      make("span", { class: "tile-id" }, member.id),
    );
    return make(
      "li",
      { class: "tile", "data-testid": "member", "data-row": member.row },
      open,
      make(
        "span",
        { class: "tile-facts" },
        member.placed ? make("span", { class: "placed" }, "placed") : percent(member.confidence),
        ...this.#actions(member),
      ),
    );
  }

  #table() {
    const columns = this.#members[0].values.map(({ column }) => column);
    return make(
      "table",
      { class: "lines" },
      tableHead(["Id", "Sure", ...columns, ""]),
      make("tbody", {}, ...this.#members.map((member) => this.#line(member))),
    );
  }

  #line(member) {
    const { row, id, confidence, placed, values } = member;
    return make(
      "tr",
      { "data-testid": "member", "data-row": row },
      make(
        "td",
        {},
        ...thumbnails(member),
        button(id, () => this.#openRecord(row), {
          class: "link",
          "data-testid": "member-open",
          "data-focus": `${row} open`,
        }),
      ),
      make("td", {}, placed ? make("span", { class: "placed" }, "placed") : percent(confidence)),
      ...values.map(({ value }) => make("td", {}, make("span", { class: "cell", title: value }, value))),
      make("td", { class: "actions" }, ...this.#actions(member)),
    );
  }

  #actions({ row, id, placed }) {
    const label = (text) => `${text}: ${id}`;
    const wrong = () => this.#session.act("/api/wrong", { row });
    return [
      // There is nothing to ask about a record that an answer has placed.
      placed
        ? null
        : button("Ask me", () => askAbout(this.#session, row), {
            "aria-label": label("Ask me about it"),
            title: "Ask me about it",
            "data-testid": "member-ask",
            "data-focus": `${row} ask`,
          }),
      " ",
      button("Does not belong", wrong, {
        "aria-label": label("Does not belong here"),
        title: "It does not belong to this group",
        "data-testid": "member-wrong",
        "data-focus": `${row} wrong`,
      }),
    ];
  }
}
