"""The page in a real Chromium, on the breast cancer table of `sameornot demo`: pictures, and its latency.

    python benchmarks/screenshots.py            the pictures of docs/images/page
    python benchmarks/screenshots.py latency    benchmarks/results/page_latency.md

The picture of a choice is of handwritten digits (scikit-learn), with images.

The person answers by the diagnosis, which the demo shows and does not learn from. Latency is measured for the
demo and for 100,000 rows of 50 numbers in 10 groups, which have a diagnosis too: in the page, from the key to
the painted next question. The person reads each question first, because the next ones are prepared meanwhile.
The aim is 50 ms at the median; a machine that is busy with other work (its load is below the table) takes
longer, in the preparation, in the server and in the browser.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image
from sklearn.datasets import load_digits

from generated import record
from machine import report, table
from scale import made

sys.path.append(str(Path(__file__).parents[1] / "tests" / "browser"))
from chromium import running_chromium
from labeller import VIEWPORT, Labeller, Truth, expect
from page_command import PageCommand
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "images" / "page"
MOST_BYTES = 250_000
N_ANSWERS = 30
SHARP = {"device_scale_factor": 1.5}
TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}

N_DIGITS, N_CANDIDATES = 600, 5
DIGITS = ("--id", "scan", "--image", "image", "--clusters", 10)

N_TIMED, N_LARGE = 40, 100_000
PACE, SETTLE = 1_500, 500  # milliseconds that a question is read, and in which the next one comes


def main() -> None:
    with tempfile.TemporaryDirectory() as home, running_chromium() as browser:
        if sys.argv[1:] == ["latency"]:
            write_latency(browser, Path(home))
            return
        with running(Path(home), "demo") as command:
            take_pictures(browser, command)
        truth = write_digits(Path(home))
        with running(Path(home), "label", Path(home) / "digits.csv", *DIGITS) as command:
            take_choice(browser, command, truth)
        record("page")


@contextmanager
def running(home: Path, *words: object) -> Iterator[PageCommand]:
    """The command, from its start to Ctrl-C."""
    command = PageCommand(home, *words).start()
    try:
        yield command
    finally:
        command.stop()


@contextmanager
def visitor(browser: Browser, command: PageCommand, **options: Any) -> Iterator[Labeller]:
    """A person at the page; errors in the page fail."""
    wanted = {"viewport": VIEWPORT, "locale": "en-GB", **options}
    with browser.new_context(**wanted) as context:
        person = Labeller(context, command.address)
        yield person
        person.check()


def diagnoses(person: Labeller) -> list[str]:
    """What is shown of the two records, or of the record and the candidates, for everybody to answer by."""
    table, cells = ("#choice", "td .clip") if person.is_choice else ("#fields", "td.value")
    row = person.page.locator(f"{table} tr").filter(has=person.page.get_by_text("diagnosis", exact=True))
    return row.locator(cells).all_inner_texts()


def right_key(person: Labeller) -> str:
    """The key of the right answer."""
    diagnosis, *others = diagnoses(person)
    if person.is_choice:
        return str(others.index(diagnosis) + 1) if diagnosis in others else "0"
    return "s" if others == [diagnosis] else "d"


def answer(person: Labeller) -> None:
    person.press(right_key(person))


def take_pictures(browser: Browser, command: PageCommand) -> None:
    with visitor(browser, command, color_scheme="light", **SHARP) as person:
        introduce(person, "Ana")
        while person.asked < N_ANSWERS or len(set(diagnoses(person))) == 1:
            answer(person)
        take(person, "question")
        name_groups(person)
        open_members(person)
        take(person, "groups")
        contradict(person)
        take(person, "contradiction")
        person["conflict-cancel"].click()
        person.history()
        take(person, "history")
    with visitor(browser, command, color_scheme="dark", **SHARP) as person:
        introduce(person, "Ben")
        take(person, "dark")
    with visitor(browser, command, color_scheme="light", **SHARP, **TABLET) as person:
        introduce(person, "Cleo")
        take(person, "tablet")


def write_digits(home: Path) -> dict[str, str]:
    """Write a table of handwritten digits and their images; returns the digit of each by its id."""
    images, digits = load_digits(return_X_y=True)
    images, digits = images[:N_DIGITS], digits[:N_DIGITS]
    names = [f"scan {n:03}" for n in range(1, N_DIGITS + 1)]
    columns = [f"pixel {row}.{column}" for row in range(1, 9) for column in range(1, 9)]
    files = [f"{name}.png" for name in names]
    for file, pixels in zip(files, images, strict=True):
        grey = (255 - pixels.reshape(8, 8) * 255 / 16).astype("uint8")
        Image.fromarray(grey).resize((160, 160), Image.Resampling.BICUBIC).save(home / file)
    frame = pd.DataFrame(images.astype(int), columns=columns)
    frame.assign(scan=names, image=files).to_csv(home / "digits.csv", index=False)
    return dict(zip(names, map(str, digits), strict=True))


def take_choice(browser: Browser, command: PageCommand, truth: Truth) -> None:
    with visitor(browser, command, color_scheme="light", **SHARP) as person:
        introduce(person, "Ana")
        while person.asked < N_ANSWERS or not person.is_choice or len(person.candidates[1]) < N_CANDIDATES:
            person.answer(truth)
        take(person, "choice")


def introduce(person: Labeller, name: str) -> None:
    person["person"].click()
    person["person-name"].fill(name)
    person["person-save"].click()
    expect(person["person"]).to_have_text(f"You: {name}")


def name_groups(person: Labeller) -> None:
    """Call each group by the diagnosis of its most typical member."""
    person.go("groups")
    for card in person["group-card"].all():
        card.get_by_test_id("group-members").click()
        diagnosis = card.get_by_test_id("member").first.locator("td").nth(2).inner_text()
        card.get_by_test_id("group-members").click()
        card.get_by_test_id("group-rename").click()
        card.get_by_test_id("group-name").fill(diagnosis.capitalize())
        card.get_by_test_id("group-name-save").click()
        expect(card.get_by_test_id("group-label")).to_have_text(diagnosis.capitalize())


def open_members(person: Labeller) -> None:
    card = person["group-card"].first
    card.get_by_test_id("group-members").click()
    card.get_by_test_id("members-unsure").click()
    expect(card.get_by_test_id("members-unsure")).to_have_attribute("aria-pressed", "true")


def contradict(person: Labeller) -> None:
    """Report that a record does not belong to its group although an answer placed it there."""
    card = person["group-card"].first
    card.get_by_test_id("members-placed").click()
    expect(card.get_by_test_id("members-placed")).to_have_attribute("aria-pressed", "true")
    card.get_by_test_id("member-wrong").last.click()
    expect(person["conflict"]).to_be_visible()


def take(person: Labeller, name: str) -> None:
    """A picture once nothing moves any more."""
    person.page.mouse.move(0, 0)
    person.page.evaluate("document.querySelector('dialog[open]') ?? document.activeElement.blur()")
    person.page.wait_for_load_state("networkidle")
    save(person.page.screenshot(animations="disabled", caret="hide"), PICTURES / f"{name}.png")


def save(shot: bytes, path: Path) -> None:
    """A picture in 256 colours, which makes it small."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(BytesIO(shot)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size / 1e3:.0f} kB")
    assert size <= MOST_BYTES


def write_latency(browser: Browser, home: Path) -> None:
    """Both tables, one after the other."""
    large = write_large(home / "large.parquet")
    shown = ",".join(["diagnosis", *(f"x{m}" for m in range(20))])
    tables = {
        "569 (the demo)": ("demo",),
        f"{N_LARGE:,}": ("label", large, "--clusters", 10, "--ignore", "diagnosis", "--show", shown),
    }
    lines = []
    for name, words in tables.items():
        with running(home, *words) as command:
            whole, server = time_answers(browser, command)
        for what, times in (("key to painted question", whole), ("of which the server's answer", server)):
            quantile = statistics.quantiles(times, n=20)[-1]
            lines.append([name, what, f"{statistics.median(times):.0f}", f"{quantile:.0f}"])
    about = __doc__.rpartition("\n\n")[2].strip()
    header = ["rows", "what", "median ms", "95 % within ms"]
    text = f"{about}\n\n{N_TIMED} answers each.\n\n{table(header, lines)}"
    report("page_latency", "From an answer to the next question", text, "starlette", "playwright")


def write_large(path: Path) -> Path:
    """Round groups in a few of many features, and what they are."""
    X, y = made(N_LARGE)
    frame = pd.DataFrame(X.round(2), columns=[f"x{m}" for m in range(X.shape[1])])
    frame.assign(diagnosis=[f"kind {kind}" for kind in y]).to_parquet(path)
    return path


def time_answers(browser: Browser, command: PageCommand) -> tuple[list[float], list[float]]:
    """Milliseconds from the key to the next question, and of these the server's."""
    with visitor(browser, command) as person:
        for _ in range(N_TIMED):
            key = right_key(person)
            person.page.wait_for_timeout(PACE)
            person.page.keyboard.press(key)
            # Playwright does not query the page meanwhile: that doubled the time.
            person.page.wait_for_timeout(SETTLE)
        whole: list[float] = person.page.evaluate("window.sameornotTimings")
        server: list[float] = person.page.evaluate(
            """performance.getEntriesByType("resource")
                .filter(entry => /api.(answer|choose)$/.test(entry.name))
                .map(entry => entry.responseEnd - entry.requestStart)"""
        )
    return whole, server


if __name__ == "__main__":
    main()
