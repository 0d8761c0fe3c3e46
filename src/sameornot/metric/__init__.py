"""Metric learning (§3.1, §3.2): a Mahalanobis metric from weighted pairs of rows."""

from sameornot.metric.learn import Metric
from sameornot.metric.penalty import elbow

__all__ = ["Metric", "elbow"]
