"""Columns of text: agreement by how the texts are compared, with the cost of each way.

    python benchmarks/texts.py --data FOLDER [--model NAME] [--cache FILE] [--seeds 2] [--questions 60]
    python benchmarks/texts.py --report

FOLDER holds clinc150.csv and banking77.csv, at any depth. The third table is the one-line descriptions of
Debian packages in ten sections, as `apt-cache dumpavail` prints them. `--model` is a sentence transformer;
its vectors are brought by hand, as a column of vectors. Vectors in `--cache` are not computed again.
Finished runs are kept in `results/texts.csv`, and the same command resumes.
"""

import argparse
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from machine import RESULTS, facts, one_core, table
from many_groups import find
from sameornot import simulate
from sameornot.embedding import EmbeddingModels
from sameornot.table import TableEncoder
from sameornot.table.kinds import Kind
from sameornot.table.text import MIN_AXES, TextCoder

ROWS, PAGE, COMMENTS = RESULTS / "texts.csv", RESULTS / "texts.md", RESULTS / "texts_comments.md"
STEP = 20
N_ROWS = 1_500
SECTIONS = ("admin", "fonts", "games", "graphics", "mail", "math", "net", "science", "sound", "text")
PER_SECTION = 200

Texts = tuple[list[str], np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the texts")
    parser.add_argument("--model", help="name or folder of a sentence transformer")
    parser.add_argument("--cache", type=Path, help="file of vectors")
    parser.add_argument("--seeds", type=int, default=2, help="seeds 0 … SEEDS − 1")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--report", action="store_true", help="only write the page")
    options = parser.parse_args()
    with one_core():
        if not options.report:
            run(options)
        PAGE.write_text(page(pd.read_csv(ROWS)), "utf-8")
    print(PAGE.read_text("utf-8"))


def run(options: argparse.Namespace) -> None:
    done = set() if not ROWS.exists() else set(map(tuple, read_keys(ROWS)))
    ways = encodings(EmbeddingModels(text=options.model, cache=options.cache) if options.model else None)
    for seed in range(options.seeds):
        for name, load in TABLES.items():
            texts, groups = some_rows(*load(options.data), seed)
            for way, encode in ways.items():
                if (name, way, seed) in done:
                    continue
                rows = pd.DataFrame(play(encode, texts, groups, seed, options.questions))
                rows = rows.assign(table=name, encoding=way, seed=seed)
                rows.to_csv(ROWS, mode="a", index=False, header=not ROWS.exists())
                print(name, way, seed, rows["ari"].round(3).tolist(), flush=True)


def read_keys(path: Path) -> Iterator[list[str | int]]:
    return iter(pd.read_csv(path)[["table", "encoding", "seed"]].drop_duplicates().to_numpy().tolist())


def play(
    encode: Callable[[list[str]], np.ndarray], texts: list[str], groups: np.ndarray, seed: int, questions: int
) -> dict[str, object]:
    start = time.perf_counter()
    X = encode(texts)
    encoded = time.perf_counter() - start
    checkpoints = tuple(range(0, questions + 1, STEP))
    # As in a session on a table, whose encoder has scaled the features.
    settings = {"budget": questions, "checkpoints": checkpoints, "standardize": False, "random_state": seed}
    found = simulate(X, groups, len(np.unique(groups)), **settings)
    return {
        "asked": list(checkpoints),
        "ari": found.ari.to_numpy(),
        "features": X.shape[1],
        "encoding_seconds": encoded,
        "seconds": time.perf_counter() - start,
    }


# Ways to compare texts


def encodings(model: EmbeddingModels | None) -> dict[str, Callable[[list[str]], np.ndarray]]:
    ways = {
        "words, 10 axes (before)": few_words,
        "words (no extra)": lambda texts: by_encoder(texts, EmbeddingModels(text="tf-idf")),
        "wordllama (extra text)": lambda texts: by_encoder(texts, EmbeddingModels(text="wordllama")),
    }
    return ways if model is None else ways | {"MiniLM by hand": lambda texts: by_hand(texts, model)}


def few_words(texts: list[str]) -> np.ndarray:
    column = pd.Series(texts)
    return TextCoder.fit(column, Kind("text"), MIN_AXES).encode(column)


def by_encoder(texts: list[str], models: EmbeddingModels) -> np.ndarray:
    frame = pd.DataFrame({"text": texts})
    return TableEncoder.fit(frame, models=models).transform(frame)


def by_hand(texts: list[str], models: EmbeddingModels) -> np.ndarray:
    embedder = models.for_texts()
    assert embedder is not None
    frame = pd.DataFrame({"vector": list(models.vectors(embedder, texts))})
    return TableEncoder.fit(frame).transform(frame)


# Tables


def clinc(folder: Path) -> Texts:
    frame = pd.read_csv(find(folder, "clinc150.csv"))
    return frame["text"].tolist(), frame["domain"].to_numpy()


def banking(folder: Path) -> Texts:
    frame = pd.read_csv(find(folder, "banking77.csv"))
    return frame["text"].tolist(), frame["category"].to_numpy()


@cache
def packages(folder: Path) -> Texts:
    """Two hundred descriptions of each section, no two of which are equal."""
    printed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    found: dict[str, tuple[str, str]] = {}
    for record in printed.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Section|Description): (.*)$", record, re.M))
        section = fields.get("Section", "").split("/")[-1]
        if len(fields) == 3 and section in SECTIONS:
            found.setdefault(fields["Description"], (fields["Package"], section))
    lines = [(text, package, section) for text, (package, section) in found.items()]
    frame = pd.DataFrame(lines, columns=["text", "package", "section"]).sort_values("package")
    parts = [part.sample(PER_SECTION, random_state=0) for _, part in frame.groupby("section")]
    chosen = pd.concat(parts).sort_index()
    return chosen["text"].tolist(), chosen["section"].to_numpy()


def some_rows(texts: list[str], groups: np.ndarray, seed: int) -> Texts:
    rows = np.sort(np.random.default_rng(1 + seed).permutation(len(texts))[:N_ROWS])
    return [texts[row] for row in rows], groups[rows]


TABLES = {"Debian packages": packages, "clinc150": clinc, "banking77": banking}


# The page


def page(rows: pd.DataFrame) -> str:
    mean = rows.groupby(["table", "encoding", "asked"], sort=False)["ari"].mean().unstack()
    last = f"after {max(mean.columns)}"
    lines = []
    for (name, way), curve in mean.iterrows():
        runs = rows[(rows["table"] == name) & (rows["encoding"] == way)]
        areas = runs.groupby("seed")["ari"].mean()
        spread = f" ({areas.min():.3f}–{areas.max():.3f})" if len(areas) > 1 else ""
        lines.append(
            [
                name,
                way,
                f"{curve.iloc[0]:.3f}",
                f"{curve.iloc[-1]:.3f}",
                f"{areas.mean():.3f}{spread}",
                str(len(areas)),
                str(runs["features"].max()),
                f"{runs['encoding_seconds'].median():.1f} s",
            ]
        )
    titles = ["table", "texts compared by", "at first", last, "area", "seeds", "features", "encoding"]
    comments = COMMENTS.read_text("utf-8") if COMMENTS.exists() else ""
    intro = (
        f"Adjusted Rand index of the default with the number of groups given, {N_ROWS:,} rows of each table. "
        f"Area: its mean before the first question and after every {STEP}, with the range over the seeds.\n\n"
    )
    found = f"# Columns of text\n\n{intro}{table(titles, lines)}\n\n{comments}"
    return f"{found.rstrip()}\n\nMachine: {facts('pandas')}; one thread.\n"


if __name__ == "__main__":
    main()
