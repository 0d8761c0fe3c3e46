"""Links of a built site: each leads to a file and an anchor that are there; none loads from elsewhere."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads on its own; other links are followed by a click only.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
LINKING = LOADED | {("a", "href")}
NOT_LOADED = {
    "search",
    "next",
    "prev",
    "index",
    "genindex",
    "canonical",
    "author",
    "copyright",
}  # rel of <link>


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the identifiers and the links of a tag."""
        values = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := values.get(name)))
        for name, value in attrs:
            if (tag, name) in LINKING and value:
                loaded = (tag, name) in LOADED and not NOT_LOADED.intersection(
                    (values.get("rel") or "").split()
                )
                self.links.append((value, loaded))


def broken_links(site: Path) -> list[str]:
    """What is wrong with the links of a site, one sentence each."""
    paths = [path.resolve() for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text("utf-8")) for path in paths}
    return [
        f"{path.relative_to(site.resolve())}: {problem}"
        for path, page in pages.items()
        for link, loaded in dict.fromkeys(page.links)
        for problem in problems_of(link, loaded, path, pages)
    ]


def problems_of(link: str, loaded: bool, path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Whether a link of the page at `path` is broken."""
    address = urlsplit(link)
    if address.scheme or address.netloc:
        if loaded and address.scheme != "data":
            yield f"loads {link} from elsewhere"
        return
    target = (path.parent / unquote(address.path)).resolve() if address.path else path
    if not target.exists():
        yield f"the link {link} leads to no file"
    elif address.fragment and target in pages and unquote(address.fragment) not in pages[target].anchors:
        yield f"the link {link} leads to no such place"
