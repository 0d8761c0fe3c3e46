"""A person who answers on the page, with checks for every error that the browser reports."""

import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Locator, Page, Request, expect

VIEWPORT = {"width": 1280, "height": 800}
TIMEOUT = 60_000  # milliseconds; generous, for a loaded machine
expect.set_options(timeout=TIMEOUT)

# A conflict is a normal response too, but Chromium logs every status from 400 on as an error.
CONFLICT_MESSAGE = "Failed to load resource: the server responded with a status of 409 (Conflict)"
# Presses of Tab after which an element counts as unreachable.
N_TABS = 120

Truth = dict[str, str]


class Labeller:
    """The browser context of one person, with the page open."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        context.set_default_timeout(TIMEOUT)
        self.context = context
        self.host = urlsplit(address).netloc
        self.errors: list[str] = []
        self.expected = [re.compile(re.escape(CONFLICT_MESSAGE))]
        context.on("request", self._check_request)
        self.page: Page = context.new_page()
        self.page.on("console", self._check_message)
        self.page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        self.page.on("dialog", self._check_dialog)
        self.page.goto(address)
        self.wait_for_question()

    def expect_message(self, pattern: str) -> None:
        """Accept this console message, which the test causes."""
        self.expected.append(re.compile(pattern))

    def check(self) -> None:
        """No page error, no console error, and no request to another host."""
        self.page.evaluate("0")  # pending messages arrive before this response
        assert self.errors == []

    def _check_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self.host:
            self.errors.append(f"request to another host: {request.url}")

    def _check_message(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(known.search(message.text) for known in self.expected):
            self.errors.append(f"console error: {message.text}")

    def _check_dialog(self, dialog: Dialog) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def __getitem__(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    @property
    def question(self) -> str:
        """The number of the question on the screen."""
        return self.page.locator("html").get_attribute("data-question") or ""

    @property
    def pair(self) -> tuple[str, str]:
        """The ids of the two records of the question."""
        return self["left-id"].inner_text(), self["right-id"].inner_text()

    @property
    def asked(self) -> int:
        """The number of answers that the page shows."""
        return int(self["asked"].inner_text().split(" ")[0].rstrip(","))

    def wait_for_question(self, after: str | None = None) -> None:
        """Wait until a question, other than `after`, has been painted."""
        html = self.page.locator("html")
        expect(html).to_have_attribute("data-question", re.compile(r"\d+"))
        if after is not None:
            expect(html).not_to_have_attribute("data-question", after)

    def press(self, key: str) -> None:
        """Press a key that leads to another question, and wait for it."""
        before = self.question
        self.page.keyboard.press(key)
        self.wait_for_question(after=before)

    @property
    def is_choice(self) -> bool:
        """Whether several candidates are on the screen."""
        return self["choice"].is_visible()

    @property
    def candidates(self) -> tuple[str, list[str]]:
        """The ids of the record and of the candidates of a choice."""
        return self["choice-record"].inner_text(), self["candidate-id"].all_inner_texts()

    def answer(self, truth: Truth) -> str:
        """Answer the question by key and by the true kinds; returns the answer."""
        if self.is_choice:
            record, candidates = self.candidates
            kinds = [truth[candidate] for candidate in candidates]
            self.press(str(kinds.index(truth[record]) + 1) if truth[record] in kinds else "0")
            return "same" if truth[record] in kinds else "different"
        left, right = self.pair
        same = truth[left] == truth[right]
        self.press("s" if same else "d")
        return "same" if same else "different"

    def answer_many(self, truth: Truth, n: int) -> None:
        """Answer `n` questions."""
        for _ in range(n):
            self.answer(truth)

    def tab_to(self, wanted: Locator) -> Locator:
        """Press Tab until an element has the focus."""
        expect(wanted).to_be_visible()
        for _ in range(N_TABS):
            if wanted.evaluate("element => element === document.activeElement"):
                return wanted
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{wanted} is not reached by {N_TABS} presses of Tab")

    def go(self, view: str) -> None:
        """Open a view by its tab."""
        self[f"tab-{view}"].click()
        expect(self.page.locator(f"#view-{view} h2:visible")).to_have_count(1)

    def history(self) -> list[dict[str, Any]]:
        """The history on the page, newest first, once it agrees with the server."""
        self.go("history")
        known = self.context.request.get(f"http://{self.host}/api/history").json()["answers"]
        shown = [f'[data-seq="{line["seq"]}"][data-answer="{line["answer"]}"]' for line in known]
        expect(self["history-line"]).to_have_count(len(known))
        expect(self.page.locator(", ".join(shown or ["#none"]))).to_have_count(len(known))
        n_edited = sum(line["edited"] for line in known)
        expect(self["history-line"].get_by_text("changed", exact=True)).to_have_count(n_edited)
        lines: list[dict[str, Any]] = self["history-line"].evaluate_all(
            """lines => lines.map(line => {
                const [n, left, right, , by, when] = [...line.cells].map(cell => cell.innerText.trim());
                const {seq, answer} = line.dataset;
                return {seq, n: Number(n), left, right, answer, by, edited: when.endsWith("changed")};
            })"""
        )
        return lines


def say(person, left, right, answer, ids):
    """Answer about a chosen pair by an HTTP request: the page does not offer this."""
    said = {"left": ids.index(left), "right": ids.index(right), "answer": answer}
    headers = {"content-type": "application/json", "origin": f"http://{person.host}"}
    assert person.context.request.post(f"http://{person.host}/api/say", data=said, headers=headers).ok
