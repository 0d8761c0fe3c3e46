"""How a table is to be labelled: what a person can choose, and what holds where she does not."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sameornot.service.errors import ServiceError
from sameornot.session.pool import default_size
from sameornot.table import TableSample

# Questions that are planned for by default: for each group, and where their number is not known.
BUDGET_PER_GROUP = 30
BUDGET = 100


@dataclass(frozen=True)
class Options:
    """How a table is to be labelled; None is what was not chosen.

    `id` names a column, `image`, `show` and `ignore` one or several; `text` and `image_model` say how
    texts and pictures are embedded, as `EmbeddingModels` describes; `pool` is how many rows questions may be
    about, `seed` which ones, and which questions. `features` is the one column of vectors that is learned
    from, if the others are there for people alone.
    """

    clusters: int | None = None
    id: str | None = None
    show: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    image: str | Sequence[str] | None = None
    budget: int | None = None
    seed: int | None = None
    pool: int | None = None
    features: str | None = None
    text: str | None = None
    image_model: str | None = None

    @property
    def images(self) -> tuple[str, ...]:
        """The columns that name pictures."""
        return (self.image,) if isinstance(self.image, str) else tuple(self.image or ())

    def over(self, earlier: Mapping[str, Any]) -> "Options":
        """These options, and where they say nothing, those that were stored earlier."""
        chosen = {name: value for name, value in asdict(self).items() if value is not None}
        known = {name: earlier[name] for name in asdict(self) if _is_usable(name, earlier.get(name))}
        return Options(**known | chosen)

    def filled(self, n_rows: int) -> "Options":
        """With the defaults for so many rows where nothing was chosen."""
        budget = BUDGET if self.clusters is None else BUDGET_PER_GROUP * self.clusters
        return replace(
            self,
            ignore=list(self.ignore or ()),
            show=None if self.show is None else list(self.show),
            image=list(self.images) or None,
            budget=self.budget or budget,
            seed=self.seed or 0,
            pool=self.pool or default_size(n_rows),
        )

    def check(self, table: TableSample) -> "Options":
        """Raise a ServiceError that names the first option that does not fit the table."""
        columns = set(table.frame.columns)
        for option, names in (
            ("id", [self.id]),
            ("image", self.images),
            ("show", self.show),
            ("features", [self.features]),
        ):
            self._check_columns(option, names or (), columns)
        self._check_columns("ignore", self.ignore or (), columns)
        for option, number in (("clusters", self.clusters), ("budget", self.budget), ("pool", self.pool)):
            if number is not None and number < 1:
                raise ServiceError(f"{option} is {number} but 1 or more is needed")
        if self.seed is not None and self.seed < 0:
            raise ServiceError(f"seed is {self.seed} but 0 or more is needed")
        if self.clusters is not None and self.clusters > len(table):
            raise ServiceError(f"{self.clusters} groups are wanted but the table has {len(table)} rows")
        return self

    @staticmethod
    def _check_columns(option: str, names: Sequence[str | None], columns: set[str]) -> None:
        for name in names:
            if name is not None and name not in columns:
                shown = ", ".join(sorted(columns)[:10]) + (", …" if len(columns) > 10 else "")
                raise ServiceError(f"{option} names the column {name!r}, and the table has {shown}")


def _is_usable(name: str, value: Any) -> bool:
    """Whether a stored value has the type of its option."""
    if name in ("show", "ignore") or (name == "image" and not isinstance(value, str)):
        return isinstance(value, list) and all(isinstance(column, str) for column in value)
    if name in ("id", "image", "features", "text", "image_model"):
        return isinstance(value, str)
    return isinstance(value, int) and not isinstance(value, bool)
