"""What a person takes home from a session: labels, answers, model, report."""

from sameornot.engine import EngineProblem
from sameornot.export.assign import assign_file
from sameornot.export.files import replacing
from sameornot.export.labels import answers_table, labels_table, labels_texts, write_labels
from sameornot.export.model import Model, ModelProblem
from sameornot.export.parts import assign_parts, label_parts
from sameornot.export.report import write_report
from sameornot.export.spreadsheet import write_csv

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
