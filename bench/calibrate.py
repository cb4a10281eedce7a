"""Measures how alike unrelated and related texts look to the bundled models: the knots of their `similarity`.

`python -m bench calibrate [--data ../shared]`. Knows no store and no ranking.

Related as recall means it are questions with the passage that answers them: LoCoMo's single-evidence questions
(English), the Chinese and the cross-language probes. Related as merging means it are two tellings of one thing:
LoCoMo's observations with their turns, LifeBench's notes with their events (Chinese), and, for want of better, the
cross-language probes. Unrelated are random pairs of the same kind of texts.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fabula.abc import Embedder, Role
from fabula.providers.bundled import BundledEmbedder, FastEmbedder

_SEED = 7
_SAMPLE = 400


_SCRIPTS = ("latin", "han")
Scripts: TypeAlias = tuple[str, str]
Pairs: TypeAlias = list[tuple[str, str]]


@dataclass
class Piles:
    """What is compared: texts by script, and the related pairs by roles and scripts."""

    questions: dict[str, list[str]]
    passages: dict[str, list[str]]
    answered: dict[Scripts, Pairs]
    retold: dict[Scripts, Pairs]


def main(argv: Sequence[str] | None = None) -> None:
    """Embed the piles with both models; print quantiles by roles and scripts, and the knots they give."""
    parser = argparse.ArgumentParser(prog="bench calibrate", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared"), help="the folder with data/ and probes/")
    piles = gather(parser.parse_args(argv).data)
    for embedder in (BundledEmbedder(), FastEmbedder()):
        asyncio.run(_report(embedder, piles))


def gather(data: Path) -> Piles:
    """Read the samples under `data`."""
    chosen = random.Random(_SEED)
    turns, asked, observed = _english(data / "data/locomo/locomo_dev.json")
    chinese, asked_zh, noted = _chinese(data / "data/lifebench/zh")
    probes = json.loads((data / "probes/zh_probe_dev.json").read_text(encoding="utf-8"))
    within, into_english, into_chinese = (_pairs(probes[name]) for name in ("zh", "zh_en", "en_zh"))
    asked = chosen.sample(asked, _SAMPLE // 2)
    crossing = into_english + into_chinese
    return Piles(
        questions={
            "latin": [question for question, _ in asked + into_chinese],
            "han": [question for question, _ in within + into_english] + chosen.sample(asked_zh, 140),
        },
        passages={"latin": chosen.sample(turns, _SAMPLE), "han": chosen.sample(chinese, _SAMPLE)},
        answered={
            ("latin", "latin"): asked,
            ("han", "han"): within,
            ("han", "latin"): into_english,
            ("latin", "han"): into_chinese,
        },
        retold={
            ("latin", "latin"): chosen.sample(observed, _SAMPLE // 2),
            ("han", "han"): chosen.sample(noted, _SAMPLE // 2),
            ("han", "latin"): crossing,
            ("latin", "han"): crossing,
        },
    )


def _pairs(rows: list[list[str]]) -> Pairs:
    return [(question, passage) for question, passage in rows]


def _english(path: Path) -> tuple[list[str], Pairs, Pairs]:
    """Turns, questions with the one turn that answers them, observations with the turn they were drawn from."""
    said: list[str] = []
    asked: Pairs = []
    observed: Pairs = []
    talks: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    for talk in talks:
        sessions: list[list[dict[str, str]]] = [
            session for session in talk["conversation"].values() if isinstance(session, list)
        ]
        turns = {turn["dia_id"]: turn["text"] for session in sessions for turn in session}
        said += turns.values()
        for question in talk["qa"]:
            if question["category"] != 5 and len(question["evidence"]) == 1 and question["evidence"][0] in turns:
                asked.append((question["question"], turns[question["evidence"][0]]))
        for speakers in talk["observation"].values():
            for told in speakers.values():
                observed += [(text, turns[turn]) for text, turn in told if isinstance(turn, str) and turn in turns]
    return sorted(set(said)), asked, observed


def _chinese(folder: Path) -> tuple[list[str], list[str], Pairs]:
    """Messages and notes, questions, notes with the event they belong to."""
    said: list[str] = []
    asked: list[str] = []
    noted: Pairs = []
    for person in sorted(folder.iterdir()):
        events = {event.get("event_id"): event.get("description") for event in _read(person / "daily_event.json.gz")}
        notes = _read(person / "phone_data/note.json.gz")
        said += [item["message_content"] for item in _read(person / "phone_data/sms.json.gz")]
        said += [item["content"] for item in notes]
        asked += [item["question"] for item in _read(person / "QA_clean.json.gz")]
        noted += [
            (str(item["content"]), str(events[item["event_id"]])) for item in notes if events.get(item["event_id"])
        ]
    return sorted(set(said)), sorted(set(asked)), noted


def _read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


async def _report(embedder: Embedder, piles: Piles) -> None:
    started = time.monotonic()
    asked = {script: await embedder.embed(texts, "query") for script, texts in piles.questions.items()}
    told = {script: await embedder.embed(texts, "passage") for script, texts in piles.passages.items()}
    knots: list[str] = []
    print(f"\n{embedder.space}\nrole     scripts       unrelated q05    q50    q95    q99   related q05    q50    q95")
    sides: tuple[tuple[Role, Any, Any], ...] = (("query", asked, piles.answered), ("passage", told, piles.retold))
    for role, left, related in sides:
        for scripts, pairs in related.items():
            apart = left[scripts[0]] @ told[scripts[1]].T
            apart = apart[~np.eye(*apart.shape, dtype=bool)]
            one = await embedder.embed([text for text, _ in pairs], role)
            other = await embedder.embed([text for _, text in pairs], "passage")
            low, middle, high, top = np.quantile(apart, (0.05, 0.5, 0.95, 0.99))
            least, near, most = np.quantile(np.einsum("ij,ij->i", one, other), (0.05, 0.5, 0.95))
            print(
                f"{role:<8} {'-'.join(scripts):<12} {low:14.3f} {middle:6.3f} {high:6.3f} {top:6.3f}"
                f" {least:13.3f} {near:6.3f} {most:6.3f}"
            )
            numbers = ", ".join(f"{number:.3f}" for number in (low, middle, high, max(near, top)))
            knots.append(f'    ("{role}", "{scripts[0]}", "{scripts[1]}"): ({numbers}),')
    await embedder.close()
    print(*knots, sep="\n")
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
