"""A browser is opened by a private file: its command line holds no token."""

import queue
import stat
import webbrowser

from web_client import TIMEOUT

from sameornot.web.browser import open_privately

ADDRESS = "http://127.0.0.1:4711/?token=a-secret-token&x=\"<'"


def test_browser_is_given_a_file_that_only_its_user_may_read(monkeypatch):
    opened: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(webbrowser, "open", opened.put)
    with open_privately(ADDRESS) as path:
        given = opened.get(timeout=TIMEOUT)
        assert given == path.as_uri()
        assert "secret" not in given
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        text = path.read_text("utf-8")
        assert text.count("token=a-secret-token&amp;x=&quot;&lt;&#x27;") == 2
    assert not path.exists()
