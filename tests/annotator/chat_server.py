"""A local server that speaks OpenAI's protocol: it answers by a rule, or fails as it is told."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Rule = Callable[[dict, dict], str]


class ChatServer(ThreadingHTTPServer):
    """`plan` holds what the next requests get instead of an answer; `requests` are those that came."""

    daemon_threads = True

    def __init__(self, rule: Rule) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.rule, self.plan, self.requests, self.headers = rule, [], [], []
        self.released = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """A client that has gone is no error here."""

    def stop(self):
        self.released.set()
        self.shutdown()
        self.server_close()
        self._thread.join()


class Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        self.server.headers.append(dict(self.headers))
        pairs = json.loads(body["messages"][1]["content"])
        answers = [{"pair": each["pair"], "answer": self.server.rule(each["a"], each["b"])} for each in pairs]
        text = json.dumps({"answers": answers})
        todo = self.server.plan.pop(0) if self.server.plan else "answer"
        if todo == "hang":
            self.server.released.wait(30)
        elif todo == "drip":
            self.drip()
        elif todo == "close":
            self.close_connection = True
        elif isinstance(todo, int):
            self.send(todo, b'{"error": "no"}', {"Retry-After": "1"} if todo == 429 else {})
        elif isinstance(todo, bytes):
            self.send(200, todo)
        else:
            said = text if todo == "answer" else todo
            reply = {"choices": [{"message": {"content": said}}], "usage": {"total_tokens": 100}}
            self.send(200, json.dumps(reply).encode())

    def send(self, status, body, headers=()):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.server.released.wait(0.02):
            try:
                self.wfile.write(b" ")
                self.wfile.flush()
            except OSError:
                return


def wait_until(holds, seconds=30.0):
    """Wait for something that another thread brings about."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
