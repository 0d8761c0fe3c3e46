"""All experiments by name: the paper's, and ours beyond it."""

from sameornot.bench import experiments, fewer
from sameornot.bench.experiments import Experiment

EXPERIMENTS: dict[str, Experiment] = {**experiments.EXPERIMENTS, **fewer.EXPERIMENTS}
