"""The session: questions, answers and the grouping that they lead to, on rows of any table."""

from sameornot.session.active import ActiveSession
from sameornot.session.explanation import Explanation
from sameornot.session.known import Known
from sameornot.session.log import Closure, TooManyGroups
from sameornot.session.result import FinalLabels, SessionResult
from sameornot.session.rows import RowSource

__all__ = [
    "ActiveSession",
    "Closure",
    "Explanation",
    "FinalLabels",
    "Known",
    "RowSource",
    "SessionResult",
    "TooManyGroups",
]
