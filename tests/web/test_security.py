"""Requests from other sites, other hosts or without the token do not reach the service."""

import http.client

import pytest
from web_client import Browser, serving

from sameornot.web.security import HEADERS
from sameornot.web.validation import MAX_BODY

ROUTES = [
    ("GET", "/"),
    ("GET", "/static/page.css"),
    ("GET", "/api/state"),
    ("GET", "/api/events"),
    ("GET", "/image/0"),
    ("GET", "/download/labels.csv"),
    ("GET", "/nothing/here"),
    ("POST", "/api/answer"),
]
SAID = {"question": 1, "answer": "same"}


def assert_refused(reply, service, status=403):
    assert reply.status == status
    assert set(reply.json()) == {"error"}
    assert service.calls == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_names_of_this_machine_are_accepted(browser, host):
    assert browser.get("/api/state", Host=f"{host}:{browser.port}").status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "localhost.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        "@",
    ],
)
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_another_host_name_is_refused(browser, service, host, method, path):
    named = {"Host": host.format(port=browser.port), "Content-Type": "application/json"}
    assert_refused(browser.request(method, path, headers=named), service)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evil.example:{port}",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://127.0.0.1:{port}",
        "http://localhost:{port}",
        "null",
        "",
    ],
)
def test_other_origin_is_refused(browser, service, origin):
    assert_refused(browser.post("answer", SAID, Origin=origin.format(port=browser.port)), service)
    assert_refused(browser.get("/api/state", Origin=origin.format(port=browser.port)), service)


def test_own_origin_is_accepted(browser):
    reply = browser.post(
        "answer", SAID, Origin=f"http://127.0.0.1:{browser.port}", Sec_Fetch_Site="same-origin"
    )
    assert reply.status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
def test_cross_site_fetch_is_refused(browser, service, site):
    assert_refused(browser.post("answer", SAID, Sec_Fetch_Site=site), service)
    assert_refused(browser.post("answer", SAID, Sec_Fetch_Site=site, Sec_Fetch_Dest="document"), service)
    assert_refused(browser.get("/api/state", Sec_Fetch_Site=site, Sec_Fetch_Dest="script"), service)
    assert_refused(browser.get("/image/0", Sec_Fetch_Site=site, Sec_Fetch_Dest="image"), service)
    assert_refused(browser.get("/", Sec_Fetch_Site=site, Sec_Fetch_Dest="iframe"), service)


def test_link_on_another_site_opens_the_page(browser):
    assert browser.get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="document").status == 200


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(browser, service, method):
    reply = browser.request(method, "/api/state")
    assert reply.status == 405
    assert service.calls == []


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_everything_is_refused_without_the_token(stranger, service, method, path):
    reply = stranger.request(method, path, headers={"Content-Type": "application/json"})
    assert_refused(reply, service)
    assert "open the address that the command printed" in reply.json()["error"]
    assert reply.cookies == {}


def test_refusal_without_the_token_says_what_to_do(stranger):
    reply = stranger.get("/", Accept="text/html,application/xhtml+xml")
    assert reply.status == 403
    assert reply.headers["content-type"].startswith("text/html")
    assert "open the address that the command printed" in reply.text


@pytest.mark.parametrize(
    "token", ["", "x", "a-token-that-nobody-guesses-x", "a-token-that-nobody-guesse", "%ff"]
)
def test_wrong_token_is_refused(stranger, service, token):
    assert_refused(stranger.get(f"/?token={token}"), service)
    stranger.cookies = {f"sameornot_token_{stranger.port}": token}
    assert_refused(stranger.get("/api/state"), service)


@pytest.mark.parametrize("path", ["/api/state", "/static/page.css", "/download/labels.csv", "/image/0"])
def test_token_is_read_from_the_address_of_the_front_page_only(stranger, locked, service, path):
    assert_refused(stranger.get(f"{path}?token={locked.token}"), service)
    said = stranger.request("POST", f"/?token={locked.token}", "{}", {"Content-Type": "application/json"})
    assert_refused(said, service)


def test_token_is_moved_from_the_address_to_a_cookie(stranger, locked):
    reply = stranger.get(f"/?token={locked.token}")
    assert (reply.status, reply.headers["location"]) == (303, "/")
    cookie = reply.cookies[f"sameornot_token_{stranger.port}"]
    assert cookie.value == locked.token
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
    assert (cookie["secure"], cookie["max-age"], cookie["domain"]) == ("", "", "")
    assert stranger.get("/").status == 200
    assert stranger.get("/api/state").status == 200
    assert stranger.post("answer", SAID).status == 200


def test_token_in_a_link_on_another_site_is_moved_by_an_own_page(stranger, locked):
    # A browser keeps SameSite=Strict cookies back when a foreign link is redirected.
    reply = stranger.get(f"/?token={locked.token}", Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="document")
    assert reply.status == 200
    assert 'http-equiv="refresh"' in reply.text
    assert locked.token not in reply.text
    assert stranger.get("/api/state").status == 200


def test_two_pages_on_one_machine_have_separate_tokens(stranger, locked, server):
    other = Browser(server.port)
    other.cookies = {f"sameornot_token_{server.port}": locked.token}
    stranger.cookies = dict(other.cookies)
    assert stranger.get("/api/state").status == 403


@pytest.mark.parametrize(
    "kind",
    ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "text/json", ""],
)
def test_only_json_bodies_are_accepted(browser, service, kind):
    assert_refused(browser.post("answer", SAID, Content_Type=kind), service, status=415)


def test_json_with_a_charset_is_accepted(browser):
    assert browser.post("answer", SAID, Content_Type="Application/JSON; charset=utf-8").status == 200


def padded(size: int) -> bytes:
    said = b'{"question": 1, "answer": "same"}'
    return said + b" " * (size - len(said))


def test_body_of_the_largest_size_is_accepted(browser):
    sent = {"Content-Type": "application/json"}
    assert browser.request("POST", "/api/answer", padded(MAX_BODY), sent).status == 200


def test_larger_body_is_refused(browser, service):
    sent = {"Content-Type": "application/json"}
    assert_refused(browser.request("POST", "/api/answer", padded(MAX_BODY + 1), sent), service, status=413)


def test_larger_body_without_announced_length_is_refused(browser, service):
    body = padded(MAX_BODY + 1)
    parts = (body[start : start + 8192] for start in range(0, len(body), 8192))
    reply = browser.request("POST", "/api/answer", parts, {"Content-Type": "application/json"})
    assert_refused(reply, service, status=413)


def test_chunked_body_of_the_largest_size_is_accepted(browser):
    body = padded(MAX_BODY)
    parts = (body[start : start + 8192] for start in range(0, len(body), 8192))
    assert browser.request("POST", "/api/answer", parts, {"Content-Type": "application/json"}).status == 200


def test_announced_length_is_refused_before_the_body_is_sent(browser):
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=30)
    connection.putrequest("POST", "/api/answer")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(10**12))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def assert_guarded(reply, **other):
    for name, value in {**HEADERS, **other}.items():
        assert reply.headers.get_all(name) == [value], name


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/api/state", 200),
        ("GET", "/api/members?group=a&order=typical", 200),
        ("GET", "/api/members", 400),
        ("GET", "/nothing", 404),
        ("GET", "/image/99", 404),
        ("GET", "/download/secrets.txt", 404),
        ("GET", "/api/answer", 405),
        ("POST", "/api/state", 405),
        ("PUT", "/", 405),
        ("POST", "/api/answer", 415),
    ],
)
def test_each_response_has_the_security_headers(browser, method, path, status):
    reply = browser.request(method, path)
    assert reply.status == status
    assert_guarded(reply)


def test_refusals_have_the_security_headers(stranger, locked):
    assert_guarded(stranger.get("/"))
    assert_guarded(stranger.get("/", Accept="text/html"))
    assert_guarded(stranger.get("/", Host="evil.example"))
    assert_guarded(stranger.get(f"/?token={locked.token}"))


def test_static_files_have_the_security_headers_and_can_be_cached(browser):
    reply = browser.get("/static/page.css")
    assert reply.status == 200
    assert_guarded(reply, **{"cache-control": "no-cache"})
    assert browser.get("/static/page.css", If_None_Match=reply.headers["etag"]).status == 304


def test_internal_error_is_one_sentence_with_security_headers_and_a_logged_traceback(service, caplog):
    service.failure = RuntimeError("secret detail")
    with serving(service) as server:
        reply = Browser(server.port).post("answer", SAID)
    assert reply.status == 500
    assert reply.json() == {"error": "something went wrong here; your answers are safe"}
    assert_guarded(reply)
    assert "secret detail" in caplog.text
    assert "Traceback" in caplog.text


def test_content_policy_allows_own_files_only_and_nothing_inline():
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";"))
    assert policy.pop("img-src") == "'self' data:"
    assert set(policy.values()) == {"'self'", "'none'"}
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"


def test_person_is_identified_by_a_cookie_that_scripts_cannot_read(browser, service):
    cookie = browser.get("/").cookies["sameornot_person"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
    assert int(cookie["max-age"]) > 24 * 3600
    assert browser.get("/api/state").cookies == {}
    browser.post("answer", SAID)
    assert [person for _, person, _ in service.calls] == [cookie.value] * 2


def test_two_browsers_are_two_people(server, service):
    for browser in (Browser(server.port), Browser(server.port)):
        browser.get("/api/state")
    assert len({person for _, person, _ in service.calls}) == 2


@pytest.mark.parametrize("person", ["short", "x" * 41, "aaaaaaaaaaaaaaaa<script>", "a b c d e f g h i j"])
def test_invalid_person_is_replaced(browser, service, person):
    browser.cookies = {"sameornot_person": person}
    new = browser.get("/api/state").cookies["sameornot_person"].value
    assert [who for _, who, _ in service.calls] == [new]
    assert new != person


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/../../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/..%5capp.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/vendor/../../app.py",
        "/static/%00",
        "/static/" + "x" * 5000,
        "/static/",
        "/static/vendor",
        "/static/..",
        "/../app.py",
        "//etc/passwd",
    ],
)
def test_only_static_files_are_under_static(browser, path):
    reply = browser.get(path)
    assert reply.status == 404
    assert set(reply.json()) == {"error"}
