"""With --public-url, hosts, origins, cookies and redirects are those of the proxy in front."""

import pytest
from web_client import Browser, serving

from sameornot.web.address import PublicUrl, ServerError, allowed_hosts, machine_names

TOKEN = "a-token-that-nobody-guesses"
SAID = {"question": 1, "answer": "same"}
PUBLIC = "https://lab.example/team"


@pytest.fixture(scope="module")
def proxied(shared_service):
    with serving(shared_service, token=TOKEN, public_url=PUBLIC) as server:
        yield server


@pytest.fixture
def visitor(proxied, service):
    """A browser that has opened the page through a proxy that forwards the host and keeps the prefix."""
    visitor = Browser(proxied.port)
    visitor.get(f"/team/?token={TOKEN}", Host="lab.example")
    return visitor


@pytest.mark.parametrize(
    ("written", "front"),
    [
        ("https://lab.example", "https://lab.example/"),
        ("https://LAB.example:443/", "https://lab.example/"),
        ("http://lab.example:8080/a/b/", "http://lab.example:8080/a/b/"),
        ("http://[2001:db8::7]:8080/x", "http://[2001:db8::7]:8080/x/"),
        (" https://lab.example/~ana/same-or.not ", "https://lab.example/~ana/same-or.not/"),
    ],
)
def test_public_url_is_read_as_people_write_it(written, front):
    assert PublicUrl.read(written).front == front


@pytest.mark.parametrize(
    "written",
    [
        "", "lab.example", "lab.example/team", "ftp://lab.example", "https://", "https://a b/",
        "//lab.example", "https://user:secret@lab.example", "https://lab.example/?x=1", "https://lab.example/#x",
        "https://lab.example:99999", "https://lab.example:x", "https://[::1", "https://lab.example/a//b",
        "https://lab.example/../b", "https://lab.example/%2e", 'https://lab.example/";x', "https://é.example",
    ],
)  # fmt: skip
def test_other_public_url_is_refused_in_one_sentence(written):
    with pytest.raises(ServerError, match=r"^--public-url (is|has) .* (needed|slashes)$"):
        PublicUrl.read(written)


def test_address_to_open_is_the_public_one(proxied):
    assert proxied.addresses == [f"{PUBLIC}/?token={TOKEN}"]


def test_token_is_generated_behind_a_proxy(service):
    with serving(service, public_url=PUBLIC) as server:
        assert len(server.token) == 43


def test_token_is_moved_to_a_secure_cookie_of_the_prefix(proxied):
    reply = Browser(proxied.port).get(f"/team/?token={TOKEN}", Host="lab.example")
    assert (reply.status, reply.headers["location"]) == (303, "/team/")
    assert len(reply.cookies) == 2
    for name, cookie in reply.cookies.items():
        assert (cookie["path"], cookie["secure"], cookie["httponly"]) == ("/team/", True, True), name
        assert str(proxied.port) not in name  # several servers may be behind the address


@pytest.mark.parametrize("host", ["lab.example", "lab.example:443", "127.0.0.1:{port}", "localhost:{port}"])
@pytest.mark.parametrize("prefix", ["", "/team"])
def test_host_may_be_forwarded_and_the_prefix_taken_off(visitor, host, prefix):
    named = {"Host": host.format(port=visitor.port), "Origin": "https://lab.example"}
    assert visitor.get(f"{prefix}/", **named).status == 200
    assert visitor.get(f"{prefix}/static/page.css", **named).status == 200
    assert visitor.post("answer", SAID, **named, Sec_Fetch_Site="same-origin").status == 200


def test_page_names_no_address_that_begins_with_a_slash(visitor):
    page = visitor.get("/team/", Host="lab.example").text
    assert 'src="static/main.js"' in page
    assert not any(f'{name}="/' in page for name in ("href", "src", "action"))


def test_prefix_without_its_slash_leads_to_the_page(visitor):
    reply = visitor.get("/team?x=1", Host="lab.example")
    assert (reply.status, reply.headers["location"]) == (308, "/team/?x=1")
    assert visitor.get("/teams/", Host="lab.example").status == 404
    assert visitor.get("/team/static/vendor", Host="lab.example").status == 404  # no redirect to this server


@pytest.mark.parametrize("host", ["evil.example", "lab.example:80", "lab.example.evil.example", ""])
def test_other_host_is_told_of_the_option_and_of_no_name(visitor, service, host):
    reply = visitor.get("/team/", Host=host)
    assert reply.status == 403
    assert "--public-url" in reply.json()["error"]
    assert "lab.example" not in reply.text
    assert service.calls == []


@pytest.mark.parametrize(
    "origin", ["http://lab.example", "https://lab.example/team", "https://evil.example", "https://127.0.0.1"]
)
def test_other_origin_is_refused_behind_a_proxy(visitor, service, origin):
    assert visitor.post("answer", SAID, Host="lab.example", Origin=origin).status == 403
    assert service.calls == []


def test_own_address_still_has_its_own_origin(visitor):
    own = f"127.0.0.1:{visitor.port}"
    assert visitor.post("answer", SAID, Host=own, Origin=f"http://{own}").status == 200
    assert visitor.post("answer", SAID, Host=own, Origin=f"https://{own}").status == 403


def test_forwarded_headers_are_believed_only_behind_a_proxy(browser):
    reply = browser.get("/", X_Forwarded_Proto="https")
    assert reply.cookies["sameornot_person"]["secure"] == ""


def test_server_for_all_addresses_accepts_each_and_names_those_to_open(service):
    with serving(service, host="0.0.0.0", token=TOKEN) as server:
        assert [address.partition("?")[0] for address in server.addresses] == [
            f"http://{f'[{name}]' if ':' in name else name}:{server.port}/" for name in machine_names()
        ]
        for address in server.addresses:
            host = address.removeprefix("http://").partition("/")[0]
            assert Browser(server.port).get(f"/?token={TOKEN}", Host=host).status == 303
        assert not any(name in ("127.0.0.1", "::1", "0.0.0.0") for name in machine_names())


def test_accepted_hosts_are_this_machine_and_the_given_names():
    hosts = allowed_hosts(["lab", "2001:db8::7", "[::1]", "proxy.example:443"], 8000)
    local = ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"]
    assert hosts == [*local, "lab:8000", "[2001:db8::7]:8000", "proxy.example:443"]
    assert {"127.0.0.1", "lab", "[::1]"} <= set(allowed_hosts(["lab"], 80))
