"""What a person takes home from a session: labels, answers, model, report."""

from sameornot.engine import EngineProblem
from sameornot.handover.assign import assign_file
from sameornot.handover.files import replacing
from sameornot.handover.labels import answers_table, labels_table, write_csv
from sameornot.handover.model import Model, ModelProblem
from sameornot.handover.parts import assign_parts
from sameornot.handover.report import write_report

__all__ = [
    "EngineProblem",
    "Model",
    "ModelProblem",
    "answers_table",
    "assign_file",
    "assign_parts",
    "labels_table",
    "replacing",
    "write_csv",
    "write_report",
]
