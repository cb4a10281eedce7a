"""`python -m bench emotion`: how well feelings are estimated from vectors alone, without a language model.

`--fit` makes `fabula/data/feelings.json` anew: a ridge regression per bundled model on the sentences of
`bench/data/feelings.txt`, which are this project's own. EmoBank and CPED are only judged on, never fitted on.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import gzip
import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence import KeptEmbedder, write_json
from bench.locomo import DEFAULT
from fabula.abc import Embedder
from fabula.feelings import estimated
from fabula.providers.bundled import BundledEmbedder, FastEmbedder
from fabula.text import script

FOLDER = DEFAULT.parent.parent / "emotion"
SENTENCES = Path(__file__).parent / "data" / "feelings.txt"
TABLE = Path(__file__).parent.parent / "src" / "fabula" / "data" / "feelings.json"
SCALES = ("valence", "arousal")
RIDGE = (0.3, 0.6, 1.0, 2.0, 3.0, 6.0, 10.0)
FOLDS = 10
SPEAKERS = {"latin": ("Nora", "Ben"), "han": ("小芳", "王磊")}
"""A message is embedded with who says it, where that is a name: the fit has seen each sentence both ways."""
SENTIMENT = {"negative": -1.0, "neutral": 0.0, "positive": 1.0}
_GROUP = re.compile(r"(-?\d+) (\d+)")


def sentences(path: Path = SENTENCES) -> tuple[list[str], np.ndarray]:
    """Return our own sentences, and a row each of valence (-1 to 1) and arousal (0 to 1)."""
    texts: list[str] = []
    felt: list[tuple[float, float]] = []
    group = (0.0, 0.0)
    for line in map(str.strip, path.read_text("utf-8").splitlines()):
        if found := _GROUP.fullmatch(line):
            group = (int(found[1]) / 10, int(found[2]) / 10)
        elif line and not line.startswith("#"):
            texts.append(line)
            felt.append(group)
    return texts, np.array(felt)


def emobank(folder: Path, split: str) -> tuple[list[str], np.ndarray]:
    """Return the sentences of a split of EmoBank (Buechel and Hahn 2017), and their valence and arousal, 1 to 5."""
    with (folder / "emobank_train_dev.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == split and row["text"].strip()]
    return [row["text"] for row in rows], np.array([[float(row["V"]), float(row["A"])] for row in rows])


def cped(folder: Path, count: int) -> tuple[list[str], np.ndarray]:
    """Return a sample of the lines of CPED (Chen et al. 2022), and their sentiment as -1, 0 or 1."""
    with gzip.open(folder / "cped_zh_valid.csv.gz", "rt", encoding="utf-8-sig") as file:
        rows = [row for row in csv.DictReader(file) if row["Utterance"].strip()]
    rows = random.Random(7).sample(rows, min(count, len(rows)))
    return [row["Utterance"] for row in rows], np.array([SENTIMENT[row["Sentiment"]] for row in rows])


# --- fitting ----------------------------------------------------------------------------------------------------


def ridge(vectors: np.ndarray, felt: np.ndarray, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Return weights, a column a scale, and the values where all weights meet zeros."""
    middle, mean = vectors.mean(axis=0), felt.mean(axis=0)
    apart = vectors - middle
    weights = np.linalg.solve(apart.T @ apart + strength * np.eye(apart.shape[1]), apart.T @ (felt - mean))
    return weights, mean - middle @ weights


def folds(count: int) -> np.ndarray:
    """Return which tenth each sentence is in."""
    return np.random.default_rng(7).permutation(count) % FOLDS


def left_out(vectors: np.ndarray, felt: np.ndarray, strength: float) -> np.ndarray:
    """Return what each sentence is estimated at by a fit on the others, a tenth of them at a time.

    `vectors` has the ways in which each sentence may be told along its second axis; the first is judged.
    """
    fold = folds(len(felt))
    made = np.zeros_like(felt)
    for each in range(FOLDS):
        rest = fold != each
        weights, offset = ridge(*_told(vectors[rest], felt[rest]), strength)
        made[~rest] = vectors[~rest, 0] @ weights + offset
    return made


def _told(vectors: np.ndarray, felt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return vectors.reshape(-1, vectors.shape[-1]), np.repeat(felt, vectors.shape[1], axis=0)


def r(one: np.ndarray, other: np.ndarray) -> float:
    """Return Pearson's correlation."""
    return round(float(np.corrcoef(one, other)[0, 1]), 3)


async def fit(embedder: Embedder) -> dict[str, Any]:
    """Return the weights for a model.

    The strength is the greatest that is within one standard error of the best on what is left out (Breiman et al.
    1984): our sentences say plainly how they feel, and real talk does not.
    """
    texts, felt = sentences()
    spoken = [f"{SPEAKERS[script(text)][place % 2]}: {text}" for place, text in enumerate(texts)]
    ways = [await embedder.embed(told, "passage") for told in (texts, spoken)]
    vectors = np.stack(ways, axis=1).astype(np.float64)
    judged = {strength: left_out(vectors, felt, strength) for strength in RIDGE}
    fold = folds(len(felt))
    errors = {s: [((made - felt)[fold == each] ** 2).mean() for each in range(FOLDS)] for s, made in judged.items()}
    least = min(errors.values(), key=lambda each: float(np.mean(each)))
    bound = np.mean(least) + np.std(least, ddof=1) / FOLDS**0.5
    best = max(strength for strength in RIDGE if np.mean(errors[strength]) <= bound)
    weights, offset = ridge(*_told(vectors, felt), best)
    made, han = judged[best], np.array([script(text) == "han" for text in texts])
    return {
        "ridge": best,
        "left_out": {name: r(made[:, at], felt[:, at]) for at, name in enumerate(SCALES)}
        | {f"valence_{name}": r(made[of, 0], felt[of, 0]) for name, of in (("en", ~han), ("zh", han))},
        "offset": [round(float(each), 4) for each in offset],
        "weights": {name: [round(float(w), 4) for w in weights[:, at]] for at, name in enumerate(SCALES)},
    }


def write(fitted: Mapping[str, Any]) -> None:
    """Write the table that ships, a line a list."""
    count = len(sentences()[0])
    table = {
        "about": "Weights that turn a unit vector of a passage into valence (-1 to 1) and arousal (0 to 1), by its "
        "embedding space. Made by `python -m bench emotion --fit`.",
        "fitted_on": f"bench/data/feelings.txt: {count} sentences in English and Chinese, written and judged for this "
        "project and under its licence; nothing of any other data set.",
        "measured": "left_out: Pearson's r of sentences left out of the fit. docs/benchmarks.md has those of public "
        "data sets.",
        "spaces": fitted,
    }
    text = json.dumps(table, ensure_ascii=False, indent=1)
    TABLE.write_text(re.sub(r"\[[^\[\]]*\]", lambda found: " ".join(found[0].split()), text) + "\n", "utf-8")


# --- judging ----------------------------------------------------------------------------------------------------


async def judge(embedder: Embedder, folder: Path, count: int) -> dict[str, Any]:
    """Return Pearson's r of what is shipped, by data set."""

    async def guessed(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        made = estimated(await embedder.embed(texts, "passage"), embedder.space)
        assert made is not None, f"there are no weights for {embedder.space}: --fit"
        return made

    texts, felt = emobank(folder, "dev")
    valence, arousal = await guessed(texts)
    lines, sentiment = cped(folder, count)
    told, _ = await guessed(lines)
    sides = told[sentiment > 0], told[sentiment < 0]
    return {
        "space": embedder.space,
        "emobank_dev": {"n": len(texts), "valence": r(valence, felt[:, 0]), "arousal": r(arousal, felt[:, 1])},
        "cped_valid": {"n": len(lines), "sentiment": r(told, sentiment), "auc": round(area(*sides), 3)},
    }


def area(good: np.ndarray, bad: np.ndarray) -> float:
    """Return how often one of the good stands above one of the bad."""
    pairs = np.subtract.outer(good, bad)
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)


async def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    embedders = [KeptEmbedder(BundledEmbedder()), KeptEmbedder(FastEmbedder())]
    if args.fit:
        write({embedder.space: await fit(embedder) for embedder in embedders})
    found = [await judge(embedder, Path(args.folder), args.lines) for embedder in embedders]
    for embedder in embedders:
        await embedder.close()
    return found


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench emotion", description=__doc__)
    parser.add_argument("folder", nargs="?", default=str(FOLDER), help="where EmoBank and CPED are")
    parser.add_argument("--fit", action="store_true", help="make the table anew first, from our own sentences")
    parser.add_argument("--lines", type=int, default=2000, help="how many lines of CPED")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    result = asyncio.run(run(args))
    for each in result:
        bank, lines = each["emobank_dev"], each["cped_valid"]
        print(each["space"])
        print(f"  EmoBank dev, {bank['n']}: valence r {bank['valence']:.3f}, arousal r {bank['arousal']:.3f}")
        print(f"  CPED valid, {lines['n']}: sentiment r {lines['sentiment']:.3f}, area {lines['auc']:.3f}")
    write_json(args.json, result)
