"""A fake desk behind a real server, with and without a token; the servers are started once, for speed."""

import pytest
from fake_desk import FakeDesk
from web_client import Browser, serving

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="session")
def lasting_desk(tmp_path_factory):
    return FakeDesk(tmp_path_factory.mktemp("table"))


@pytest.fixture
def desk(lasting_desk):
    lasting_desk.forget()
    return lasting_desk


@pytest.fixture(scope="session")
def server(lasting_desk):
    with serving(lasting_desk) as server:
        yield server


@pytest.fixture
def browser(server):
    return Browser(server.port)


@pytest.fixture(scope="session")
def locked(lasting_desk):
    """A server that asks for a token."""
    with serving(lasting_desk, token=TOKEN) as server:
        yield server


@pytest.fixture
def stranger(locked):
    """A browser that has not been let in."""
    return Browser(locked.port)
