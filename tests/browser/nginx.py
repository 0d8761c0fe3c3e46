"""A real nginx in front of pages: on ports of its own, from a folder of its own, gone at the end."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MISSING = "the tests of the page need nginx, and none was found: install it so that nginx can be called"
PATIENCE = 30.0  # seconds for a start on a busy machine

CONFIG = """
daemon off;
pid {folder}/pid;
error_log stderr;
events {{ }}
http {{
    access_log off;
    default_type application/octet-stream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    ssl_certificate {folder}/certificate.pem;
    ssl_certificate_key {folder}/key.pem;
    {servers}
}}
"""


def free_ports(n: int) -> list[int]:
    """Ports of this machine that nobody listens on."""
    probes = [socket.socket() for _ in range(n)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


@contextmanager
def running_nginx(folder: Path, servers: Sequence[str], ports: Sequence[int]) -> Iterator[None]:
    """Nginx with these `server` blocks, which listen on these ports, until the end of the block."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if program is None:
        raise RuntimeError(MISSING)
    _make_certificate(folder)
    config = folder / "nginx.conf"
    text = CONFIG.format(folder=folder, servers="\n".join(servers))
    if os.geteuid() == 0:  # the workers have to be able to enter pytest's folders
        text = f"user root;\n{text}"
    config.write_text(text)
    log = folder / "nginx.log"
    command = [program, "-e", "stderr", "-p", folder, "-c", config]
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=errors, stderr=errors)
    try:
        _wait_for(ports, process, log)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _make_certificate(folder: Path) -> None:
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, capture_output=True)


def _wait_for(ports: Sequence[int], process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    for port in ports:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"nginx did not start: {log.read_text()}") from None
                time.sleep(0.02)
