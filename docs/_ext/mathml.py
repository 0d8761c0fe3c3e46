"""Formulas as MathML, which browsers draw themselves: no script, and nothing to fetch."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


def to_mathml(formula: str, *, is_block: bool) -> str:
    """LaTeX as MathML, without empty lines."""
    return re.sub(r"\n\s*", "", tex2mathml(formula, as_block=is_block))


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line."""
    self.body.append(to_mathml(node.astext(), is_block=False))
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula of its own."""
    self.body.append(f'<div class="math">{to_mathml(node.astext(), is_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer: `html_math_renderer = "mathml"`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
