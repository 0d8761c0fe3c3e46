"""`sameornot label`: the labelling page on a table."""

from typing import TYPE_CHECKING, Annotated

import typer

from sameornot.cli.annotator import (
    AnnotatorOption,
    AnnotatorOptions,
    CallsOption,
    ModelOption,
    TaskOption,
    TokensOption,
    annotating,
)
from sameornot.cli.common import fail
from sameornot.cli.errors import explained_errors
from sameornot.cli.opening import open_table
from sameornot.cli.options import OpenOptions, with_open_options

if TYPE_CHECKING:
    from sameornot.service import LabellingService
    from sameornot.web.server import Binding

PortOption = Annotated[int, typer.Option(help="Port of the page. 0 takes a free one.")]
BrowserOption = Annotated[bool, typer.Option(help="Open a browser, or only print the address.")]


@with_open_options
def label(
    options: OpenOptions,
    host: Annotated[
        str, typer.Option(help="Address to listen on. With 0.0.0.0 other machines can reach the page.")
    ] = "127.0.0.1",
    port: PortOption = 0,
    token: Annotated[
        str | None,
        typer.Option(envvar="SAMEORNOT_TOKEN", help="Access token. A random one is generated if omitted."),
    ] = None,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            help="Address that people open if there is a proxy in front, as https://host or "
            "https://host/prefix.",
        ),
    ] = None,
    overlap: Annotated[
        float | None,
        typer.Option(help="Share of the questions that go to a second person. 0.1 by default."),
    ] = None,
    browser: BrowserOption = True,
    log: Annotated[
        str | None,
        typer.Option(help="`json`: write a line for each request to stderr, without tokens and cells."),
    ] = None,
    annotator: AnnotatorOption = None,
    annotator_model: ModelOption = None,
    annotator_task: TaskOption = None,
    annotator_calls: CallsOption = 200,
    annotator_tokens: TokensOption = 200_000,
) -> None:
    """Open the labelling page on a table. Run it again to resume."""
    start_log(log)
    with explained_errors():
        from sameornot.web.server import Binding, check_binding

        binding = Binding(host, port, token, public_url=public_url)
        check_binding(binding)
        model = AnnotatorOptions(
            annotator, annotator_model, annotator_task, annotator_calls, annotator_tokens
        ).read()
        with open_table(options) as service, annotating(service, model):
            if overlap is not None:
                service.set_overlap(overlap)
            serve_page(service, binding, browser)


def start_log(log: str | None) -> None:
    """Begin to log, if it is wanted."""
    if log is None:
        return
    if log != "json":
        fail(f"--log is {log} but json is needed, or leave it out")
    with explained_errors():
        from sameornot.web.request_log import log_as_json

        log_as_json()


def serve_page(service: "LabellingService", binding: "Binding", browser: bool) -> None:
    """Serve the page until Ctrl-C; print its address and how to resume."""
    import secrets
    from dataclasses import replace

    from sameornot.web.server import serve

    def announce(address: str, *others: str) -> None:
        typer.echo(f"{service.title} is at {address}")
        for other in others:
            typer.echo(f"or, if this does not open, at {other}")
        typer.echo("Press Ctrl-C to stop. Every answer is saved: run the same command again to resume.")

    binding = replace(binding, token=binding.token or secrets.token_urlsafe(24))
    serve(service, binding, open_browser=browser and has_browser(), ready=announce)


def has_browser() -> bool:
    """Whether there is a browser with a window: one in the terminal would take the keyboard."""
    import os
    import sys
    import webbrowser

    if sys.platform not in ("win32", "darwin") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
