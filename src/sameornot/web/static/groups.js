/** The groups view: what stands out in each group, its name, its members, and merging groups. */

import { get } from "./api.js";
import { button, byId, debounced, focusOn, make, redraw, tableHead } from "./dom.js";
import { MemberList } from "./members.js";
import { swatch } from "./palette.js";
import { currentView } from "./routes.js";
import { count, percent } from "./format.js";

export class GroupsView {
  #root = byId("view-groups");
  #session;
  #openRecord;
  #groups = [];
  #renamed = null;
  // The open lists of members, by the key of the group.
  #lists = new Map();

  constructor(session, openRecord) {
    this.#session = session;
    this.#openRecord = openRecord;
    const refresh = debounced(() => currentView() === "groups" && this.load(), 200);
    session.addEventListener("changed", refresh);
  }

  async load() {
    try {
      this.#groups = (await get("api/groups")).groups;
      const keys = new Set(this.#groups.map((group) => group.key));
      for (const key of this.#lists.keys()) if (!keys.has(key)) this.#lists.delete(key);
      await Promise.all([...this.#lists.values()].map((list) => list.reload()));
    } catch (error) {
      this.#session.reportError(error);
      return;
    }
    this.#draw();
  }

  #draw() {
    // Do not redraw while somebody types.
    if (this.#root.querySelector("input:focus") && this.#root.contains(document.activeElement)) return;
    redraw(
      this.#root,
      make("h2", {}, "Groups"),
      this.#countForm(),
      this.#groups.length === 0
        ? make("p", { class: "empty" }, "No groups yet.")
        : make("div", { class: "cards" }, ...this.#groups.map((group) => this.#card(group))),
    );
  }

  #countForm() {
    const clusters = this.#session.progress.clusters;
    const field = make("input", {
      type: "number",
      min: "1",
      max: "200",
      value: clusters ?? "",
      placeholder: "open",
      "data-testid": "clusters",
    });
    const submit = (event) => {
      event.preventDefault();
      field.blur();
      this.#session.act("api/regroup", { clusters: field.value === "" ? null : Number(field.value) });
    };
    return make(
      "div",
      { class: "tools-row" },
      make(
        "form",
        { on: { submit } },
        make("label", {}, "How many groups are there?", field),
        make("button", { type: "submit", "data-focus": "regroup" }, "Set"),
      ),
      make("span", { class: "aside" }, "Leave it empty if you do not know."),
    );
  }

  #card(group) {
    return make(
      "article",
      { class: "card", "data-testid": "group-card", "data-group": group.key, "aria-label": group.label },
      make(
        "div",
        { class: "card-head" },
        swatch(group.number),
        ...(this.#renamed === group.key ? [this.#nameForm(group)] : this.#nameShown(group)),
        make("span", { class: "facts" }, facts(group)),
      ),
      standsOut(group),
      this.#tools(group),
      this.#lists.get(group.key)?.element ?? null,
    );
  }

  #nameShown(group) {
    const rename = () => {
      this.#renamed = group.key;
      this.#draw();
      this.#root.querySelector(".card-head input").focus();
    };
    return [
      make("h3", { "data-testid": "group-label" }, group.label),
      button(group.name ? "Rename" : "Name it", rename, {
        class: "quiet",
        "data-testid": "group-rename",
        "data-focus": `${group.key} name`,
      }),
    ];
  }

  #nameForm(group) {
    const field = make("input", {
      value: group.name,
      maxlength: "200",
      "aria-label": `Name of ${group.label}`,
      "data-testid": "group-name",
    });
    const done = () => {
      this.#renamed = null;
      field.blur();
      this.#draw();
      focusOn(this.#root, `${group.key} name`);
    };
    field.addEventListener("keydown", (event) => event.key === "Escape" && done());
    const submit = async (event) => {
      event.preventDefault();
      await this.#session.act("api/name", { group: group.key, name: field.value.trim() });
      done();
    };
    return make(
      "form",
      { on: { submit } },
      field,
      make("button", { type: "submit", class: "main", "data-testid": "group-name-save" }, "Save"),
      button("Cancel", done),
    );
  }

  #tools(group) {
    const isOpen = this.#lists.has(group.key);
    return make(
      "div",
      { class: "card-tools" },
      button(isOpen ? "Hide members" : "Members", () => this.#toggle(group), {
        "aria-expanded": String(isOpen),
        "data-testid": "group-members",
        "data-focus": `${group.key} members`,
      }),
      this.#groups.length > 1 ? this.#merge(group) : null,
    );
  }

  async #toggle(group) {
    if (!this.#lists.delete(group.key)) {
      const list = new MemberList(group, this.#session, this.#openRecord);
      this.#lists.set(group.key, list);
      await list.open("typical");
    }
    this.#draw();
  }

  #merge(group) {
    const others = this.#groups.filter((other) => other.key !== group.key);
    const choice = make(
      "select",
      {
        "aria-label": `Merge ${group.label} with`,
        "data-testid": "merge-with",
        "data-focus": `${group.key} with`,
      },
      ...others.map((other) => make("option", { value: other.key }, other.label)),
    );
    // If earlier answers contradict it, the conflict dialog asks first.
    const merge = () => this.#session.act("api/merge", { a: group.key, b: choice.value, confirm: false });
    return make(
      "span",
      { class: "merge" },
      "the same as",
      choice,
      button("Merge", merge, { "data-testid": "merge", "data-focus": `${group.key} merge` }),
    );
  }
}

function facts({ size, placed, sure }) {
  return `${count(size, "row")}, ${placed} placed by answers, ${percent(sure)} sure on average`;
}

function standsOut({ stands_out: lines }) {
  if (lines.length === 0) return make("p", { class: "aside" }, "Nothing stands out yet.");
  const rows = lines.map(({ column, value, usual }) =>
    make("tr", {}, make("th", { scope: "row" }, column), make("td", {}, value), make("td", {}, usual)),
  );
  return make(
    "table",
    { class: "apart" },
    tableHead(["What stands out", "Here", "Elsewhere"]),
    make("tbody", {}, ...rows),
  );
}
