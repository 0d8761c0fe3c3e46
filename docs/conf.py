"""Configuration of Sphinx. `make_site.py` copies this folder and runs it; `./run docs` calls that."""

import os
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "Agg")

import sameornot  # noqa: E402

project = "sameornot"
author = "The sameornot developers"
copyright = author
version = release = sameornot.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "commands",
    "mathml",
]
exclude_patterns = ["_templates", "examples"]
templates_path = ["_templates"]
default_role = "py:obj"
nitpicky = False
suppress_warnings = ["config.cache", "myst.strikethrough"]

smartquotes_action = "qe"  # not the dashes of options

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False


# What a clusterer or a strategy implements for a session; shown on the page of its base class only.
CONTRACT = {
    sameornot.Clusterer: {
        *("check", "check_strategy", "checkpoint", "checkpoints", "cluster", "conclude", "neighbourhoods"),
        *("prepare", "remember", "questions", "scaled", "asks_like"),
    },
    sameornot.Strategy: {"ask", "ask_beside", "check", "default_clusterer", "pick", "score"},
}


def own(fullname: str, names: list[str]) -> list[str]:
    """Those members of a class that are written in this package and have a docstring."""
    module, _, name = fullname.rpartition(".")
    cls = getattr(import_module(module), name)
    hidden = {
        name
        for base, names in CONTRACT.items()
        if issubclass(cls, base) and cls is not base
        for name in names
    }
    return [member for member in names if member not in hidden and _is_own(cls, member)]


def _is_own(cls: type, member: str) -> bool:
    if member.endswith("_request"):  # made by scikit-learn
        return False
    for base in cls.__mro__:
        if member in vars(base):
            found = vars(base)[member]
            words = getattr(found, "__doc__", None) or "Deprecated"
            return base.__module__.startswith("sameornot") and not words.startswith("Deprecated")
    return False


def properties(fullname: str, names: list[str]) -> list[str]:
    """Those properties of a class that are written in this package and that its docstring does not list."""
    module, _, name = fullname.rpartition(".")
    cls = getattr(import_module(module), name)
    listed = (cls.__doc__ or "").partition("Attributes\n")[2]
    found = [member for member in names if _is_own(cls, member) and _is_property(cls, member)]
    return [member for member in found if f"\n    {member} :" not in listed]


def _is_property(cls: type, member: str) -> bool:
    kinds = (property, cached_property)
    return any(isinstance(vars(base).get(member), kinds) for base in cls.__mro__)


autosummary_context = {"own": own, "properties": properties}

sphinx_gallery_conf = {
    "examples_dirs": str(HERE / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "image_srcset": [],
    "default_thumb_file": str(HERE / "_static" / "logo.png"),
}

html_theme = "pydata_sphinx_theme"
html_title = "sameornot"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/logo.png"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "sameornot", "image_light": "_static/logo.png", "image_dark": "_static/logo.png"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
