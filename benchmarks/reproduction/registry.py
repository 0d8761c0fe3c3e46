"""All experiments by name: the paper's, and the questions benchmark."""

from reproduction import experiments, questions
from reproduction.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {**experiments.EXPERIMENTS, **questions.EXPERIMENTS}
