"""Build the documentation site: Sphinx on `docs/`, and on the pages of other folders that belong to it.

    python docs/make_site.py            the whole site, to build/docs/html
    python docs/make_site.py --quick    without running the scripts of the gallery, to build/docs-quick/html

Sphinx needs all pages in one folder, while GitHub and the programs that make some of them need them where
they are. So pages are copied to `source` beside `html`, those from outside of `docs/` too, and links between
them follow. Copies that did not change keep their time, so that Sphinx reads again what changed only; where
nothing changed, nothing is built.
Warnings are errors, and every link inside of the result has to lead somewhere (`_ext/links.py`).
"""

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from links import broken_links  # noqa: E402

# Pages of other folders: pattern, and the folder of the site that they go to.
OUTSIDE = {
    "benchmarks/*.md": "benchmarks",
    "benchmarks/results/*.md": "benchmarks/results",
    "CONTRIBUTING.md": "development",
    "CHANGELOG.md": "development",
    "CODE_OF_CONDUCT.md": "development",
    "SECURITY.md": "development",
}
REFERENCE = Path("api/index.rst")
# Where the pages of a folder are listed that are listed nowhere else.
OVERVIEWS = {".": Path("guide/index.md"), "benchmarks/results": Path("results/index.md")}
NO_PAGES = {
    "benchmarks/results/many_groups_comments.md",
    "benchmarks/results/texts_comments.md",
}  # parts of other pages
NOT_COPIED = {"__pycache__", "generated.json", "make_site.py"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def main() -> None:
    """Build the site, and exit with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--quick", action="store_true", help="do not run the scripts of the gallery")
    parser.add_argument("--out", type=Path, help="folder of the build")
    options = parser.parse_args()
    out = (options.out or ROOT / "build" / ("docs-quick" if options.quick else "docs")).resolve()
    problems = build(out, quick=options.quick)
    print("\n".join(problems) or f"The site is {out / 'html' / 'index.html'}")
    sys.exit(bool(problems))


def build(out: Path, *, quick: bool = False) -> list[str]:
    """Build into a folder; returns what is wrong, one sentence each. One build at a time."""
    with lock(out):
        stamp, wanted = out / "stamp", assemble(out / "source")
        if stamp.exists() and stamp.read_text() == wanted:
            return []
        arguments = ["-q", "-W", "--keep-going", "-d", str(out / "doctrees"), "-j", "1"]
        if quick:
            arguments += ["-D", "plot_gallery=0"]
        if sphinx_build([*arguments, str(out / "source"), str(out / "html")]):
            return ["Sphinx reports warnings; they are above."]
        if problems := broken_links(out / "html"):
            return problems
        stamp.write_text(wanted)
        return []


@contextmanager
def lock(out: Path) -> Iterator[None]:
    """Wait for another process that builds into the same folder."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def assemble(source: Path) -> str:
    """Copy all pages to one folder; returns a hash of all that the site is made from.

    A copy that is up to date is left alone, one without a source removed.
    """
    pages = site_pages()
    wanted = {}
    for path, place in [*pages.items(), *other_files(pages).items()]:
        text = path.read_bytes()
        if path.suffix == ".md":
            text = follow(text.decode(), path, source / place, pages).encode()
        wanted[place] = list_names(text.decode()).encode() if path.suffix == ".rst" else text
    for folder, overview in OVERVIEWS.items():
        wanted[overview] += list_unlisted(wanted, folder, overview)
    reference = source / REFERENCE
    if reference.exists() and reference.read_bytes() != wanted[REFERENCE]:
        shutil.rmtree(reference.parent / "generated", ignore_errors=True)  # pages of names that are gone
    for place, content in wanted.items():
        copy = source / place
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    for copy in source.rglob("*.md"):
        if copy.relative_to(source) not in wanted:
            copy.unlink()
    code = [path.read_bytes() for path in sorted((ROOT / "src").rglob("*.py"))]
    contents = [str(place).encode() + content for place, content in sorted(wanted.items())]
    versions = [f"{package.name} {package.version}".encode() for package in distributions()]
    return hashlib.sha256(b"\0".join([*code, *contents, *sorted(versions)])).hexdigest()


def list_unlisted(contents: dict[Path, bytes], folder: str, overview: Path) -> bytes:
    """A table of contents for an overview, of the pages of a folder that no page lists."""
    listing = [text.decode() for place, text in contents.items() if place.suffix in {".md", ".rst"}]
    listed = {Path(line.strip(" >").split("<")[-1]).name for text in listing for line in text.splitlines()}
    pages = [place for place in contents if place.suffix == ".md" and place.parent == Path(folder)]
    names = sorted(page.with_suffix("") for page in pages if page.stem not in {*listed, "index"})
    entries = "".join(f"{os.path.relpath(name, overview.parent)}\n" for name in names)
    return f"\n```{{toctree}}\n:maxdepth: 1\n:caption: More\n\n{entries}```\n".encode() if names else b""


def list_names(reference: str) -> str:
    """A page of the API reference with ALL replaced by the public names of the module that it is about."""
    modules = r"(\.\. currentmodule:: (\S+)\n(?:(?!\.\. currentmodule)[^\n]*\n)*?)   ALL\n"
    return re.sub(modules, lambda match: match[1] + indented_names(match[2]), reference)


def indented_names(module: str) -> str:
    """The public names of a module, one a line."""
    return "".join(f"   {name}\n" for name in import_module(module).__all__)


def site_pages() -> dict[Path, Path]:
    """The Markdown pages of the site, and the place of each in it."""
    pages = {path: path.relative_to(DOCS) for path in DOCS.rglob("*.md")}
    for pattern, folder in OUTSIDE.items():
        for path in ROOT.glob(pattern):
            if path.relative_to(ROOT).as_posix() not in NO_PAGES:
                pages[path] = Path(folder) / path.name
    return pages


def other_files(pages: dict[Path, Path]) -> dict[Path, Path]:
    """Everything else in `docs/`: pictures, scripts, templates, configuration."""
    files = (path for path in DOCS.rglob("*") if path.is_file() and path not in pages)
    return {path: path.relative_to(DOCS) for path in files if not NOT_COPIED.intersection(path.parts)}


def follow(text: str, page: Path, copy: Path, pages: dict[Path, Path]) -> str:
    """Rewrite the relative links of a page for its copy: to copies of pages, else to the files themselves."""
    source = copy.parents[len(pages[page].parts) - 1]

    def rewrite(match: re.Match[str]) -> str:
        mark, words, link = match.groups()
        words = LINK.sub(rewrite, words)
        target, sharp, anchor = link.partition("#")
        if not target or "://" in target or link.startswith("mailto:"):
            return f"{mark}[{words}]({link})"
        path = (page.parent / target).resolve()
        if path.is_dir():  # there is no page of a folder
            return words
        inside = DOCS in path.parents
        there = source / pages[path] if path in pages else source / path.relative_to(DOCS) if inside else path
        return f"{mark}[{words}]({os.path.relpath(there, copy.parent)}{sharp}{anchor})"

    return "".join(
        part if n % 2 else LINK.sub(rewrite, part)
        for n, part in enumerate(re.split(r"(^```.*?^```)", text, flags=re.M | re.S))
    )


if __name__ == "__main__":
    main()
