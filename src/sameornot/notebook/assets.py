"""The widget's JavaScript and CSS, each as one text, since a notebook loads no further files.

Map, colours, keys and comparison are the page's own modules from `web/static`. They are joined here, in the
order of their imports, and their colours are bound to the widget's element instead of the page.
"""

import re
from importlib.resources import files

PAGE_MODULES = ("dom.js", "field.js", "format.js", "keys.js", "palette.js", "scatter.js")
WIDGET_MODULES = ("theme.js", "question_table.js", "labeller.js")
WIDGET = ".sameornot-labeller"

_IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def javascript() -> str:
    """All modules as one, without the imports and exports between them."""
    package = files("sameornot")
    paths = [package / "web" / "static" / name for name in PAGE_MODULES]
    paths += [package / "notebook" / "static" / name for name in WIDGET_MODULES]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", path.read_text("utf-8"))) for path in paths)


def css() -> str:
    """The page's colours and sizes for the widget's element, and the widget's own rules."""
    package = files("sameornot")
    tokens = (package / "web" / "static" / "tokens.css").read_text("utf-8").replace(":root", WIDGET)
    return tokens + (package / "notebook" / "static" / "labeller.css").read_text("utf-8")
