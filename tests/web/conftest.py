"""A fake service behind a real server, with and without a token. Servers are started once, for speed."""

import pytest
from fake_service import FakeService
from web_client import Browser, serving

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory):
    return FakeService(tmp_path_factory.mktemp("table"))


@pytest.fixture
def service(shared_service):
    shared_service.reset()
    return shared_service


@pytest.fixture(scope="session")
def server(shared_service):
    with serving(shared_service) as server:
        yield server


@pytest.fixture
def browser(server):
    return Browser(server.port)


@pytest.fixture(scope="session")
def locked(shared_service):
    """A server that requires a token."""
    with serving(shared_service, token=TOKEN) as server:
        yield server


@pytest.fixture
def stranger(locked):
    """A browser without the token."""
    return Browser(locked.port)
