"""`python -m bench locomo FILE`: evidence recall on LoCoMo (Maharana et al. 2024) conversations.

Categories: 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial. The retrieval unit is one turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.evidence import KEYED, PLANS, KeptEmbedder, Question, Scores, table, unboosted, write_json
from fabula import AsyncMemory, Image, Message
from fabula.abc import Embedder, Extraction, Extractor
from fabula.providers.bundled import bundled
from fabula.testing import ReplayExtractor
from fabula.types import Passage, Plan

GROUPS = {"1-4": "1234", "1-5": "12345", "1": "1", "2": "2", "3": "3", "4": "4", "5": "5"}
NO_RULES = "no rules"
"""The row of a memory that draws nothing from the talk."""
DEFAULT = Path(__file__).parent.parent.parent / "shared" / "data" / "locomo" / "locomo_dev.json"


def conversations(path: Path, only: str | None = None) -> Iterator[tuple[str, list[Message], list[Question], Counter]]:
    """Yield each conversation's name, messages, questions with evidence, and counts of data defects."""
    wanted = set(only.split(",")) if only else None
    for sample in json.loads(path.read_text("utf-8")):
        name = sample["sample_id"]
        if wanted is None or name in wanted:
            messages = list(_messages(sample["conversation"]))
            defects: Counter = Counter()
            questions = list(_questions(name, sample["qa"], messages, defects))
            yield name, messages, questions, defects


def _messages(conversation: dict[str, Any]) -> Iterator[Message]:
    for key, turns in conversation.items():
        if not re.fullmatch(r"session_\d+", key):
            continue
        start = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, turn in enumerate(turns):
            caption = turn.get("blip_caption", "")
            yield Message(
                turn.get("text") or "",
                speaker=turn["speaker"],
                time=start + timedelta(seconds=place),
                id=turn["dia_id"],
                session=key,
                images=(Image(caption=caption),) if caption else (),
            )


def _questions(name: str, asked: list[dict[str, Any]], messages: list[Message], defects: Counter) -> Iterator[Question]:
    known = {message.id for message in messages}
    for qa in asked:
        given = qa.get("evidence") or []
        evidence: list[str] = []
        for cited in given:
            parts = re.findall(r"D:?0*(\d+):0*(\d+)", cited)
            exact = [f"D{session}:{turn}" for session, turn in parts]
            if exact != [cited]:
                defects["repaired" if exact else "unreadable"] += 1
            missing = [ref for ref in exact if ref not in known]
            defects["unknown turn"] += len(missing)
            evidence += (ref for ref in exact if ref in known)
        if not evidence:
            defects["question without evidence"] += 1
            continue
        latest = max(message.time for message in messages)  # pyright: ignore
        yield Question(name, qa["question"], str(qa["category"]), tuple(dict.fromkeys(evidence)), latest)


class Silent:
    """Draws nothing: passages alone."""

    name = "nothing"

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        return Extraction()


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    embedder: Embedder | None = KeptEmbedder(bundled()) if args.embedder == "default" else None
    plans = {**PLANS, **(KEYED if args.replies else {})}
    names = [n for n in plans if embedder is not None or n in ("default", "bm25", "no context", "no time")]
    roles = {name: plans[name][0] for name in names} | ({} if args.replies else {NO_RULES: "ablation"})
    scores = {name: Scores() for name in roles}
    defects: Counter = Counter()
    dump = []
    for conversation, messages, questions, found in conversations(Path(args.file), args.conversations):
        if args.replies and not (Path(args.replies) / f"{conversation}.jsonl").exists():
            continue
        defects += found
        drawn = _replayed(args, conversation)
        shown = {name: plans[name][1] for name in names}
        async for name, question, refs in _answers(conversation, messages, questions, embedder, shown, drawn):
            scores[name].add(question, refs)
            if name == "default":
                dump.append({"conversation": conversation, "question": question.text,
                             "category": int(question.category), "refs": refs})  # fmt: skip
        if not args.replies:
            alone = {"default": plans["default"][1]}
            async for _, question, refs in _answers(conversation, messages, questions, embedder, alone, Silent()):
                scores[NO_RULES].add(question, refs)
    rows = [{"name": n, "role": role, **scores[n].report(GROUPS)} for n, role in roles.items()]
    space = embedder.space if embedder else None
    return {"rows": rows, "defects": dict(defects), "embedder": space, "dump": dump}


async def _answers(
    conversation: str, messages: list[Message], questions: list[Question], embedder: Embedder | None,
    plans: Mapping[str, Plan], extractor: Extractor | None,
) -> AsyncIterator[tuple[str, Question, list[str]]]:  # fmt: skip
    """What comes back for each question by each plan, as message ids."""
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncMemory(Path(folder) / "memory.db", embedder=embedder, extractor=extractor) as memory:
            await memory.remember(conversation, messages)
            await memory.flush()
            for question in questions:
                for name, plan in plans.items():
                    answer = await memory.recall(conversation, question.text, plan, at=question.at, explain=True)
                    hits = unboosted(answer) if name == "no boosts" else answer.hits
                    yield name, question, [getattr(hit.record, "ref", None) or "" for hit in hits]


def _replayed(args: argparse.Namespace, conversation: str) -> ReplayExtractor | None:
    return ReplayExtractor(Path(args.replies) / f"{conversation}.jsonl") if args.replies else None


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench locomo", description=__doc__)
    parser.add_argument("file", nargs="?", default=str(DEFAULT))
    parser.add_argument("--conversations", help="names, separated by commas")
    parser.add_argument("--replies", help="the folder of a language model's recorded replies, one file a conversation")
    parser.add_argument("--embedder", choices=["none", "default"], default="default")
    parser.add_argument("--json", help="write the figures there")
    parser.add_argument("--dump", help="write the first 50 message ids of each question there")
    args = parser.parse_args(argv)
    result = asyncio.run(measure(args))
    print(table(result["rows"]))
    print("defects in the data:", ", ".join(f"{n} {what}" for what, n in result["defects"].items() if n) or "none")
    dump = result.pop("dump")
    if args.dump:
        lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in dump)
        Path(args.dump).write_text(lines, "utf-8")
    write_json(args.json, result)
