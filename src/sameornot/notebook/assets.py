"""The widget's JavaScript and CSS, each as one text, since a notebook loads no further files.

Map, colours, keys and comparison are the page's own modules from `web/static`. They are joined here in the
order of their imports, each in a scope of its own, and their colours are bound to the widget's element
instead of the page.
"""

import re
from importlib.resources import files

PAGE_MODULES = (
    "dom.js",
    "field.js",
    "format.js",
    "keys.js",
    "palette.js",
    "scatter.js",
    "word_difference.js",
)
WIDGET_MODULES = ("theme.js", "question_table.js", "labeller.js")
WIDGET = ".sameornot-labeller"

_IMPORT = re.compile(r"^import (\{.*?\}) from \"\./(.*?)\";$", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)


def javascript() -> str:
    """All modules as one, which exports the widget's `render`."""
    static = files("sameornot")
    page, widget = static / "web" / "static", static / "notebook" / "static"
    paths = [*((page, name) for name in PAGE_MODULES), *((widget, name) for name in WIDGET_MODULES)]
    scopes = [in_scope(name, (folder / name).read_text("utf-8")) for folder, name in paths]
    return "\n".join(["const modules = {};", *scopes, 'export default modules["labeller.js"];\n'])


def in_scope(name: str, source: str) -> str:
    """A module as the value of a function, with its imports from the modules before it."""
    exported = ", ".join(_EXPORT.findall(source))
    imported = _IMPORT.sub(r'const \1 = modules["\2"];', source)
    return f'modules["{name}"] = (() => {{\n{_EXPORT.sub("", imported)}return {{ {exported} }};\n}})();'


def css() -> str:
    """The page's colours and sizes for the widget's element, and the widget's own rules."""
    static = files("sameornot")
    tokens = (static / "web" / "static" / "tokens.css").read_text("utf-8").replace(":root", WIDGET)
    return tokens + (static / "notebook" / "static" / "labeller.css").read_text("utf-8")
