"""Results of a session as files: labels, answers, model and report."""

from sameornot.engine import EngineError
from sameornot.export.assign import assign_file
from sameornot.export.atomic import atomic_replace
from sameornot.export.labels import answers_table, labels_csv_chunks, labels_table, write_labels
from sameornot.export.model import Model
from sameornot.export.model_format import ModelError
from sameornot.export.pairs import write_pairs
from sameornot.export.parts import assign_parts, label_parts
from sameornot.export.report import write_report
from sameornot.export.spreadsheet import write_csv

__all__ = [
    "EngineError",
    "Model",
    "ModelError",
    "answers_table",
    "assign_file",
    "assign_parts",
    "atomic_replace",
    "label_parts",
    "labels_csv_chunks",
    "labels_table",
    "write_csv",
    "write_labels",
    "write_pairs",
    "write_report",
]
