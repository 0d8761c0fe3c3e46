"""The default with many groups, an unknown number of groups, and embeddings: agreement and time.

    python benchmarks/many_groups.py --data FOLDER [--tables market20 vowel] [--seeds 2] [--jobs 2]
    python benchmarks/many_groups.py --report

FOLDER holds market20.npz, market100.npz, clinc150.csv, banking77.csv and KEEL's .dat files, at any depth.
Texts are embedded by the static token vectors of wordllama (`pip install --no-deps wordllama safetensors
tokenizers`). Finished runs are kept in `results/many_groups.csv`, and the same command resumes.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from machine import facts
from sameornot import ActiveSession, Answer, Choice
from sameornot.datasets import load_keel
from sameornot.oracles import truth

HERE = Path(__file__).parent
ROWS, PAGE = HERE / "results" / "many_groups.csv", HERE / "results" / "many_groups.md"
CHECKPOINTS = (0, 20, 50, 100, 150, 200, 300, 500)
N_CHOICES = 5
CONDITIONS = ("number given", "number not given", "choices, number given")
COMMENTS = "many_groups_comments.md"

Data = tuple[np.ndarray, np.ndarray]


class Setting(NamedTuple):
    """A table: how to load it for a seed from the folder of the data, and how many questions are asked."""

    load: Callable[[int, Path], Data]
    budget: int = 300


def find(folder: Path, name: str) -> Path:
    """A file of the data folder."""
    found = sorted(folder.rglob(name))
    if not found:
        raise FileNotFoundError(f"no {name} in {folder}")
    return found[0]


def embeddings(name: str) -> Callable[[int, Path], Data]:
    """Embeddings of pictures that are stored with their labels."""

    def load(_: int, folder: Path) -> Data:
        with np.load(find(folder, f"{name}.npz")) as data:
            return data["X"].astype(float), data["y"]

    return load


def texts(file: str, column: str) -> Callable[[int, Path], Data]:
    """The mean of the static token vectors of each text, scaled to unit length."""

    def load(_: int, folder: Path) -> Data:
        table = pd.read_csv(find(folder, file))
        return embed(table["text"].tolist()), table[column].to_numpy()

    return load


def embed(lines: list[str]) -> np.ndarray:
    """Embed texts with the files of wordllama's wheel; nothing is downloaded."""
    package = importlib.util.find_spec("wordllama")
    if package is None or package.origin is None:
        raise FileNotFoundError("wordllama is not installed: pip install --no-deps wordllama")
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    root = Path(package.origin).parent
    (vectors,) = load_file(root / "weights" / "l2_supercat_256.safetensors").values()
    tokenizer = Tokenizer.from_file(str(root / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    tokens = [line.ids for line in tokenizer.encode_batch(lines, add_special_tokens=False)]
    means = np.array([vectors[ids].mean(axis=0) for ids in tokens], dtype=float)
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def keel(name: str) -> Callable[[int, Path], Data]:
    """A table of KEEL's, at most 900 rows."""

    def load(_: int, folder: Path) -> Data:
        X, y = load_keel(name, folder, n_samples=900)
        return X.to_numpy(), y

    return load


def gaussians(n_groups: int, n_rows: int) -> Callable[[int, Path], Data]:
    """Equal Gaussian groups in 20 features, centres of deviation .63, rows of .5 about them."""

    def load(seed: int, _: Path) -> Data:
        rng = np.random.default_rng([seed, n_groups])
        centers = rng.normal(size=(n_groups, 20)) * np.sqrt(0.4)
        y = np.arange(n_rows) % n_groups
        return centers[y] + 0.5 * rng.normal(size=(n_rows, 20)), y

    return load


SETTINGS = {
    "market20": Setting(embeddings("market20")),
    "market100": Setting(embeddings("market100"), 500),
    "clinc domains": Setting(texts("clinc150.csv", "domain")),
    "clinc intents": Setting(texts("clinc150.csv", "intent"), 500),
    "banking77": Setting(texts("banking77.csv", "category"), 500),
    "vowel": Setting(keel("vowel")),
    "led7digit": Setting(keel("led7digit")),
    "banana": Setting(keel("banana")),
    "20 Gaussians": Setting(gaussians(20, 600)),
    "50 Gaussians": Setting(gaussians(50, 1000)),
    "200 Gaussians": Setting(gaussians(200, 2000), 500),
}


def run(table: str, condition: str, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Answer truly up to the budget, and compare with the truth at the checkpoints."""
    with threadpool_limits(limits=1):
        return list(curve(table, condition, seed, folder))


def curve(table: str, condition: str, seed: int, folder: Path) -> Iterator[dict[str, Any]]:
    """One row a checkpoint; with choices, a question is a screen."""
    setting = SETTINGS[table]
    X, named = setting.load(seed, folder)
    _, y = np.unique(named, return_inverse=True)
    n_groups = int(y.max()) + 1
    start = time.perf_counter()
    session = ActiveSession(X, n_groups if condition.endswith("number given") else None, random_state=seed)
    session.ask()
    first, spent = time.perf_counter() - start, 0.0
    for checkpoint in (at for at in CHECKPOINTS if at <= setting.budget):
        start = time.perf_counter()
        answer_up_to(session, y, checkpoint, choices=condition.startswith("choices"))
        spent += time.perf_counter() - start
        result = session.result()
        yield {
            "table": table,
            "condition": condition,
            "seed": seed,
            "checkpoint": checkpoint,
            "asked": len(session.answers),
            "pairs": sum(len(reply.facts) for reply in session.answers),
            "ari": adjusted_rand_score(y, result.labels),
            "groups": len(np.unique(result.labels)),
            "true_groups": n_groups,
            "first": first,
            "seconds": spent,
        }


def answer_up_to(session: ActiveSession, y: np.ndarray, n_questions: int, *, choices: bool) -> None:
    """Answer truly until so many questions are answered, or none is left."""
    expert = truth(y)
    while len(session.answers) < n_questions:
        if choices:
            choice = session.ask(choices=N_CHOICES)
            if choice is None:
                return
            session.tell(pick(y, choice), choice)
        else:
            question = session.ask()
            if question is None:
                return
            session.tell(expert(question))


def pick(y: np.ndarray, choice: Choice) -> int | Answer | None:
    """The candidate of the row's own group; unsure where two of them are of it, which cannot be said."""
    same = [row for row in choice.candidates if y[row] == y[choice.row]]
    if len(same) > 1:
        return Answer.UNSURE
    return same[0] if same else None


def report(rows: pd.DataFrame) -> str:
    """A table for each condition, and the screens that choices need."""
    parts = ["# Many groups, an unknown number of groups, and embeddings", "", facts(), ""]
    comments = ROWS.with_name(COMMENTS)
    if comments.exists():
        parts += [comments.read_text("utf-8").strip(), ""]
    for condition in CONDITIONS:
        mine = rows[rows.condition == condition]
        if len(mine):
            parts += [f"## {condition.capitalize()}", "", table_of(mine), ""]
    return "\n".join(parts)


def table_of(rows: pd.DataFrame) -> str:
    """Mean ARI at the checkpoints, groups found and seconds a question."""
    lines = [
        f"| table | groups | seeds | {' | '.join(map(str, CHECKPOINTS))} | found | first question | each |",
        "|---" * (len(CHECKPOINTS) + 6) + "|",
    ]
    for name in (name for name in SETTINGS if name in set(rows.table)):
        mine = rows[rows.table == name]
        mean = mine.groupby("checkpoint").ari.mean()
        last = mine[mine.checkpoint == mine.checkpoint.max()]
        cells = [f"{mean[at]:.3f}".lstrip("0") if at in mean else "" for at in CHECKPOINTS]
        each = (last.seconds / last.asked).mean()
        lines.append(
            f"| {name} | {mine.true_groups.iloc[0]} | {mine.seed.nunique()} | {' | '.join(cells)} | "
            f"{last.groups.mean():.0f} | {mine['first'].mean():.2f} s | {each:.3f} s |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run what is missing and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--conditions", nargs="+", choices=CONDITIONS, default=list(CONDITIONS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    rows = pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=["table", "condition", "seed"])
    done = set(zip(rows.table, rows.condition, rows.seed, strict=True))
    todo = [
        (table, condition, seed)
        for seed in range(0 if options.report else options.seeds)
        for table in options.tables
        for condition in options.conditions
        if (table, condition, seed) not in done
    ]
    if todo and options.data is None:
        parser.error("--data is needed")
    parallel = joblib.Parallel(n_jobs=options.jobs, return_as="generator_unordered")
    for found in parallel(joblib.delayed(run)(*each, options.data) for each in todo):
        pd.DataFrame(found).to_csv(ROWS, mode="a", header=not ROWS.exists(), index=False)
        print(*(found[-1][name] for name in ("table", "condition", "seed", "ari")), flush=True)
    if ROWS.exists():
        PAGE.write_text(report(pd.read_csv(ROWS)), "utf-8")
        print(PAGE.read_text("utf-8"))


if __name__ == "__main__":
    main()
