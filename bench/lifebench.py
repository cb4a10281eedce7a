"""`python -m bench lifebench [DIR]`: evidence recall on a year of phone records (LifeBench), Chinese and English.

A record (text message, call, note, calendar entry, photo, push, assistant chat) is one message; text messages with
one contact are one session, so is each assistant chat, and all records of any other type.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.evidence import PLANS, KeptEmbedder, Question, Scores, table, write_json
from bench.locomo import DEFAULT
from fabula import AsyncMemory, Message
from fabula.providers.bundled import bundled

FOLDER = DEFAULT.parent.parent / "lifebench"
TYPES = ("sms", "call", "note", "calendar", "photo", "push", "agent_chat")
ROWS = ("default", "no dense", "bm25", "dense", "rrf60")


def people(folder: Path, only: str | None = None) -> Iterator[tuple[str, list[Message], list[Question]]]:
    """Yield each person's name, records and questions with evidence."""
    wanted = set(only.split(",")) if only else None
    for home in sorted(path.parent for path in folder.rglob("QA_clean.json.gz")):
        if wanted is not None and home.name not in wanted:
            continue
        messages = sorted(_records(home / "phone_data"), key=lambda message: message.time)  # pyright: ignore
        known = {message.id for message in messages}
        yield home.name, messages, list(_questions(home, known, messages[-1].time))


def _load(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def _records(folder: Path) -> Iterator[Message]:
    for kind in TYPES:
        seen: set[str] = set()
        for item in _load(folder / f"{kind}.json.gz"):
            ref = f"{kind}:{item.get('phone_id')}"
            if ref in seen:
                continue
            seen.add(ref)
            text, speaker, session = _told(kind, item)
            moment = str(item.get("datetime") or item.get("date") or "2025-01-01")
            yield Message(text, speaker=speaker, time=_time(moment), id=ref, session=session)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip()).replace(tzinfo=UTC)
    except ValueError:
        return datetime(2025, 1, 1, tzinfo=UTC)


def _told(kind: str, item: dict[str, Any]) -> tuple[str, str, str]:
    """What a record says, who says it, and in which session."""
    contact = str(item.get("contactName") or "")
    if kind == "sms":
        sent = item.get("message_type") in ("发送", "sent", "Sent", "Send", "send")
        return str(item.get("message_content")), "user" if sent else contact or "sms", f"sms {contact}"
    if kind == "call":
        return f"{contact} {item.get('call_result') or item.get('call_type') or ''}", "call", "call"
    if kind == "agent_chat":
        turns = item.get("conversation") or {}
        parts = [(who, turn[who]) for turn in turns.values() if isinstance(turn, dict) for who in turn]
        said = [f"{who}: {part.get('content', '') if isinstance(part, dict) else part}" for who, part in parts]
        return "\n".join(said), "agent_chat", f"agent_chat {item.get('phone_id')}"
    if kind == "photo":
        place = item.get("location") or {}
        where = " ".join(str(v) for v in place.values()) if isinstance(place, dict) else str(place)
        return f"{item.get('caption')} {' '.join(item.get('imageTag') or [])} {where}", "photo", "photo"
    body = item.get("content") or item.get("description") or ""
    return f"{item.get('title') or ''}\n{body}", str(item.get("source") or kind), kind


def _questions(home: Path, known: set[str | None], at: Any) -> Iterator[Question]:
    for qa in _load(home / "QA_clean.json.gz"):
        cited = [f"{e.get('type')}:{e.get('id')}" for e in qa.get("evidence") or []]
        evidence = tuple(dict.fromkeys(ref for ref in cited if ref in known))
        if evidence:
            yield Question(home.name, qa["question"], qa["question_type"], evidence, at)


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for name, messages, questions in people(Path(args.dir), args.people):
        scores = {row: Scores() for row in ROWS}
        with tempfile.TemporaryDirectory() as folder:
            async with AsyncMemory(Path(folder) / "m.db", embedder=KeptEmbedder(bundled())) as memory:
                await memory.remember(name, messages)
                await memory.flush()
                for question in questions:
                    for row in ROWS:
                        answer = await memory.recall(name, question.text, PLANS[row][1], at=question.at)
                        scores[row].add(question, [passage.ref or "" for passage in answer.passages])
        groups = {f"{name[:13]}": sorted({q.category for q in questions})}
        rows += [{"name": row, "role": PLANS[row][0], "person": name, "messages": len(messages),
                  **scores[row].report(groups)} for row in ROWS]  # fmt: skip
        print(table(rows[-len(ROWS) :]), flush=True)
    return {"rows": rows}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench lifebench", description=__doc__)
    parser.add_argument("dir", nargs="?", default=str(FOLDER))
    parser.add_argument("--people", help="names, separated by commas")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    write_json(args.json, asyncio.run(measure(args)))
