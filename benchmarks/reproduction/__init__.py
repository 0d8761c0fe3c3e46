"""The paper's tables, figures and theorems, and the questions benchmark: experiments, their rows, the report.

A program that uses the library through its public names; `benchmarks/reproduce.py` is its command.
"""
