"""One session on one table: what a person at the page or in the terminal works with."""

from sameornot.service.clash import Clash, DeskProblem
from sameornot.service.desk import Desk
from sameornot.service.opening import Options
from sameornot.service.snapshot import Answered, Group, Snapshot

__all__ = ["Answered", "Clash", "Desk", "DeskProblem", "Group", "Options", "Snapshot"]
