"""How methods and figures look in the pictures of the reproduction.

A method has one look in all pictures: a variant, named in brackets behind its method, keeps its colour and
marker and is dashed. Figures are made without pyplot, so nothing is kept anywhere and no display is needed.
"""

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, distinguishable with every kind of colour vision.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
# A marker beside the colour tells methods and clusters apart in grey print too.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
GREY = "#5A5A5A"


Dash = str | tuple[float, tuple[float, ...]]  # a name, or an offset and lengths


class Look(NamedTuple):
    """How a method is drawn."""

    colour: str
    marker: str
    width: float = 1.3
    dash: Dash = "-"


# The default and the paper's method first and widest, then its rivals, then methods that it does not have.
LOOKS = {
    "Ensemble": Look("black", "o", 2.6),
    "AQM + MEE": Look(COLOURS[0], "o", 3.0),
    "AQM + NPU": Look(COLOURS[4], "s", 1.8),
    "MPCKMeans + NPU": Look(COLOURS[5], "^"),
    "COPKMeans + NPU": Look(COLOURS[2], "v"),
    "PCKMeans + NPU": Look(COLOURS[1], "D"),
    "COBRAS": Look(COLOURS[3], "P"),
    "COBRA": Look(COLOURS[3], "X"),
    "Label and classify": Look(GREY, "<", dash="--"),
    "Label and classify + MEE": Look(GREY, ">", dash=":"),
    "nCOBRAS": Look(COLOURS[3], "X", dash="--"),
    "A3S": Look(COLOURS[2], "*", dash="--"),
}
VARIANT_DASHES: dict[str, Dash] = {
    "as printed": (0.0, (7.0, 2.0)),
    "as released": (0.0, (2.0, 2.0)),
    "automatic λ and q": "-.",
    "no penalty": ":",
    "large weight": "-.",
}
HATCHES = {"as printed": "//", "as released": ".."}  # of bars


def is_cobra(method: str) -> bool:
    """Whether it is COBRA, which has points and no curve: its super-instances decide how much it asks."""
    return method.partition(" (")[0] == "COBRA"


def look_of(method: str) -> Look:
    """The look of a method; of a variant, that of its method, thin and dashed; grey if neither is known."""
    base, _, variant = method.partition(" (")
    look = LOOKS.get(base, Look(GREY, "*"))
    if method in LOOKS:
        return look
    return look._replace(width=1.3, dash=VARIANT_DASHES.get(variant.rstrip(")"), "--"))


def hatch_of(method: str) -> str | None:
    """The hatch of a bar, which tells the forms of a method apart."""
    return HATCHES.get(method.partition(" (")[2].rstrip(")"))


def sort_key(method: str) -> tuple[int, str]:
    """Methods as in LOOKS, each before its variants; others last, by name."""
    base = method.partition(" (")[0]
    return (list(LOOKS).index(base) if base in LOOKS else len(LOOKS), method)


def floats(values: Iterable[float]) -> tuple[float, ...]:
    """Numbers of any kind as a tuple of Python's."""
    return tuple(float(value) for value in values)


def line_style(method: str) -> dict[str, Any]:
    """Matplotlib's arguments for the curve of a method."""
    look = look_of(method)
    return {
        "color": look.colour,
        "linestyle": "" if is_cobra(method) else look.dash,
        "linewidth": look.width,
        "marker": look.marker,
        "markersize": 6.5 if look.width > 2 or is_cobra(method) else 4.0,
    }


def hollow_marker(colour: str, marker: str) -> dict[str, Any]:
    """Matplotlib's arguments for the paper's own values."""
    return {
        "linestyle": "",
        "marker": marker,
        "markersize": 7.5,
        "markerfacecolor": "none",
        "markeredgecolor": colour,
        "markeredgewidth": 1.2,
    }


def new_figure(width: float, height: float) -> "Figure":
    """A figure of this size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def finish_axes(axes: "Axes", title: str) -> None:
    """Grid, title, and no frame."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.92")
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=11)


def save_png(figure: "Figure", path: str | PathLike[str]) -> None:
    """Write a PNG whose bytes depend on the figure alone."""
    figure.savefig(path, format="png", metadata={"Software": None})
