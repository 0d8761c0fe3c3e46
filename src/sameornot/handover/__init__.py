"""What a person takes home from a session: labels, answers, model, report."""

from sameornot.engine import EngineProblem
from sameornot.handover.assign import assign_file
from sameornot.handover.files import replacing
from sameornot.handover.labels import answers_table, labels_table, labels_texts, write_labels
from sameornot.handover.model import Model, ModelProblem
from sameornot.handover.parts import assign_parts, label_parts
from sameornot.handover.report import write_report
from sameornot.handover.spreadsheet import write_csv

__all__ = [
    "EngineProblem",
    "Model",
    "ModelProblem",
    "answers_table",
    "assign_file",
    "assign_parts",
    "label_parts",
    "labels_table",
    "labels_texts",
    "replacing",
    "write_csv",
    "write_labels",
    "write_report",
]
