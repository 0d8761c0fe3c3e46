"""One session on one table: what a person at the page or in the terminal works with."""

from sameornot.desk.clash import Clash, DeskProblem
from sameornot.desk.desk import Desk
from sameornot.desk.opening import Options
from sameornot.desk.snapshot import Answered, Group, Snapshot

__all__ = ["Answered", "Clash", "Desk", "DeskProblem", "Group", "Options", "Snapshot"]
