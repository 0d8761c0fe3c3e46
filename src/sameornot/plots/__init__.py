"""Figures: their data as plain tuples, apart from the drawing."""

from sameornot.plots.draw import draw_result, draw_session, save_png
from sameornot.plots.session import (
    FeatureShares,
    LearnedMap,
    SessionPicture,
    Stage,
    feature_shares,
    learned_map,
    pool_map,
    session_picture,
    session_stage,
)

__all__ = [
    "FeatureShares",
    "LearnedMap",
    "SessionPicture",
    "Stage",
    "draw_result",
    "draw_session",
    "feature_shares",
    "learned_map",
    "pool_map",
    "save_png",
    "session_picture",
    "session_stage",
]
