"""The page behind a real nginx: at a host of its own, below a prefix, with TLS, and where it buffers."""

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from kinds_table import write_table
from labeller import Labeller
from nginx import free_ports, running_nginx
from PIL import Image
from playwright.sync_api import Browser, expect

from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import read_table
from sameornot.web.server import Binding, PageServer

TOKEN = "a-token-for-the-proxy-tests"


class Proxied(NamedTuple):
    """A page behind nginx: its server, and the address that people open."""

    server: PageServer
    front: str


def start(ends: ExitStack, service: LabellingService, public_url: str) -> PageServer:
    server = PageServer(service, Binding(token=TOKEN, public_url=public_url))
    thread = threading.Thread(target=server.run)
    thread.start()

    def stop() -> None:
        server.should_exit = True
        thread.join()

    ends.callback(stop)
    return server


@pytest.fixture(scope="module")
def truth(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("study")
    known = write_table(folder / "plants.csv")
    Image.new("RGB", (60, 40), (40, 90, 140)).save(folder / "leaf.png")
    table = pd.read_csv(folder / "plants.csv", dtype=str)
    table.assign(photo="leaf.png").to_csv(folder / "plants.csv", index=False)
    known["folder"] = str(folder)
    return known


def documented_location(prefix: str, port: int) -> str:
    """The block of the documentation's recipe for nginx, for another prefix and port."""
    text = (Path(__file__).parents[2] / "docs" / "deployment.md").read_text("utf-8")
    [block] = re.findall(r"location /patients/ \{.*?\n +\}", text, re.DOTALL)
    return block.replace("/patients/", prefix).replace(":8000", f":{port}")


@pytest.fixture(scope="module")
def pages(truth, tmp_path_factory) -> Iterator[dict[str, Proxied]]:
    """One session, served at four addresses by one nginx."""
    table = Path(truth["folder"]) / "plants.csv"
    names = ["plain", "prefix", "tls", "buffered"]
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    public = {
        "plain": f"http://localhost:{ports['plain']}",
        "prefix": f"http://localhost:{ports['prefix']}/team/plants/",
        "tls": f"https://localhost:{ports['tls']}/plants",
        "buffered": f"http://localhost:{ports['buffered']}",
    }
    with ExitStack() as ends:
        store = open_store(tmp_path_factory.mktemp("store") / "sessions.sqlite")
        options = Options(clusters=3, id="specimen", image="photo", ignore=["photo"])
        service = LabellingService.open(store, read_table(table), title="plants", path=table, options=options)
        ends.callback(service.close)
        servers = {name: start(ends, service, address) for name, address in public.items()}
        to = {name: f"http://127.0.0.1:{server.port}" for name, server in servers.items()}
        host = "proxy_set_header Host $http_host;"
        blocks = [
            # The host is forwarded, as most guides say.
            f"server {{ listen {ports['plain']}; location / {{ proxy_pass {to['plain']}; {host} }} }}",
            # Nothing is forwarded, and the prefix is taken off.
            f"server {{ listen {ports['prefix']}; "
            f"location /team/plants/ {{ proxy_pass {to['prefix']}/; }} }}",
            # The recipe of the documentation: the prefix stays.
            f"server {{ listen {ports['tls']} ssl; {documented_location('/plants/', servers['tls'].port)} }}",
            # Events are held back whatever the server asks for.
            f"server {{ listen {ports['buffered']}; location / {{ proxy_pass {to['buffered']}; {host} "
            "proxy_ignore_headers X-Accel-Buffering; } }",
        ]
        ends.enter_context(running_nginx(tmp_path_factory.mktemp("nginx"), blocks, list(ports.values())))
        yield {name: Proxied(server, public[name].rstrip("/") + "/") for name, server in servers.items()}


@pytest.fixture
def person(chromium: Browser) -> Iterator:
    with ExitStack() as ends:

        def come(page: Proxied) -> Labeller:
            context = ends.enter_context(chromium.new_context(ignore_https_errors=True))
            visitor = Labeller(context, page.server.address)
            ends.callback(visitor.check)
            return visitor

        yield come


@pytest.mark.parametrize("name", ["plain", "prefix", "tls"])
def test_page_works_behind_nginx_and_news_arrive_at_once(pages, person, truth, name):
    page = pages[name]
    assert page.server.address == f"{page.front}?token={TOKEN}"
    ana, ben = person(page), person(page)
    asked = ana.asked
    assert ana.page.url == page.front
    requests: list[str] = []
    ana.context.on("request", lambda request: requests.append(request.url))
    ana.page.reload()
    ana.wait_for_question()
    ana.answer_many(truth, 2)
    expect(ben["asked"]).to_have_text(f"{asked + 2} of 90")  # no question of his own leads to a request
    expect(ben["no-events"]).to_be_hidden()
    image = ana.page.locator("#images img").first
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 60
    ana.go("download")
    with ana.page.expect_download() as download:
        ana["download-labels"].click()
    assert len(pd.read_csv(download.value.path())) == len(truth) - 1
    assert any(url.endswith("api/events") for url in requests)
    assert [url for url in requests if not url.startswith(page.front)] == []
    path = "/" + page.front.split("/", 3)[3]
    cookies = ana.context.cookies()
    assert len(cookies) == 2
    assert {(cookie["path"], cookie["secure"]) for cookie in cookies} == {(path, name == "tls")}


def test_address_without_its_last_slash_leads_to_the_page(pages, person):
    page = pages["tls"]
    visitor = person(page)
    visitor.page.goto(page.front.rstrip("/"))
    visitor.wait_for_question()
    assert visitor.page.url == page.front


def test_page_says_that_a_proxy_holds_the_news_back_and_asks_for_them(pages, person, truth):
    page = pages["buffered"]
    ana = person(page)
    ana.page.clock.install()
    with ana.page.expect_request("**/api/events"):
        ana.page.goto(page.front)
    ana.page.clock.fast_forward(8_000)
    expect(ana["no-events"]).to_be_visible()
    expect(ana["no-events"]).to_contain_text("A proxy must not buffer api/events")
    ben = person(pages["plain"])
    asked = ben.asked
    ben.answer(truth)
    ana.page.clock.fast_forward(5_000)
    expect(ana["asked"]).to_have_text(f"{asked + 1} of 90")
    ana.answer(truth)


@pytest.mark.parametrize("lost", ["main.js", "session.js", "page.css", "*"])
def test_page_whose_files_cannot_be_loaded_says_what_to_do(pages, chromium: Browser, lost):
    with chromium.new_context() as context:
        page = context.new_page()
        page.route(f"**/static/{lost}", lambda route: route.abort())
        page.goto(pages["plain"].server.address)
        sentence = page.get_by_test_id("stuck")
        expect(sentence).to_contain_text(
            "start it with --public-url and the address that is in your address bar"
        )
        expect(sentence).to_be_visible()
