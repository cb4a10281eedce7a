"""`python -m bench keywords --url postgresql://…`: our keyword search beside PostgreSQL's own, over the same texts.

Evidence recall on LoCoMo (English) and one person of LifeBench (Chinese), and on the Chinese probe. All read the text
that our keyword index reads, and each question goes to all rows of the table in turn, so that what else the machine
does meets all. The scopes under test stand among copies of themselves, as other people's memories. PostgreSQL is given
GIN indexes over (scope, words) and, for Chinese, our tokeniser's words. What was written is removed again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from bench import lifebench, locomo
from bench.evidence import Question, Scores, write_json
from bench.latency import clear, milliseconds
from bench.probe import PROBE
from fabula import AsyncMemory, Message, Passage, Plan, Settings, when
from fabula.remember import spoken_text
from fabula.stores.server import Address
from fabula.text import query_terms, script, tokens

SCHEMA = "bench_keywords"
PREFIX = "keywords "
BM25 = Plan(kinds=("passage",), channels=("sparse",), fusion="rrf")
WORDS = Plan(kinds=("passage",), channels=("sparse", "context"))
TABLE = f"""
CREATE SCHEMA {SCHEMA};
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA {SCHEMA};
CREATE TABLE {SCHEMA}.texts (scope TEXT, number INTEGER, ref TEXT, text TEXT, english TSVECTOR, raw TSVECTOR,
    split TSVECTOR, words TSVECTOR, PRIMARY KEY (scope, number));
"""
INSERT = f"""INSERT INTO {SCHEMA}.texts VALUES ($1, $2, $3, $4, to_tsvector('english', $4), to_tsvector('simple', $4),
    to_tsvector('simple', $5), to_tsvector('simple', $6))"""
INDEXES = ";".join(f"CREATE INDEX ON {SCHEMA}.texts USING gin (scope, {column})"
                   for column in ("english", "raw", "split", "words"))  # fmt: skip
ANY = "(SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery FROM unnest(to_tsvector('{config}', $2)))"
ALL = "plainto_tsquery('{config}', $2)"
SEARCH = f"""SELECT ref, text FROM {SCHEMA}.texts, (SELECT {{query}} AS q) s WHERE scope = $1 AND {{column}} @@ q
    ORDER BY {{rank}}({{column}}, q, {{length}}) DESC, number LIMIT 10"""
THEIRS = {
    "en": {"english: ts_rank_cd, any": ("english", ANY, "ts_rank_cd", 0),
           "english: ts_rank_cd, all": ("english", ALL, "ts_rank_cd", 0),
           "english: ts_rank, any": ("english", ANY, "ts_rank", 0)},
    "zh": {"raw: ts_rank_cd, any": ("raw", ANY, "ts_rank_cd", 0),
           "split: ts_rank_cd, all": ("split", ALL, "ts_rank_cd", 0),
           "split: ts_rank_cd, any": ("split", ANY, "ts_rank_cd", 0),
           "split: ts_rank, any": ("split", ANY, "ts_rank", 1),
           "words: ts_rank, any": ("words", ANY, "ts_rank", 1)},
}  # fmt: skip
"""By language and name: the column, how a question's words are joined, the ranking and its flag for the length, which
is the one that does best. `split` is all our tokens, `words` those of them that are no single Han character."""

Search = Callable[[str, Question], Awaitable[list[str]]]
Scopes = list[tuple[str, list[Message], list[Question]]]
Sets = dict[str, tuple[str, Scopes]]
"""The language and the scopes of each set."""


def sets(data: Path, person: str) -> Sets:
    english = [
        (name, messages, [q for q in questions if q.category in "1234"])
        for name, messages, questions, _ in locomo.conversations(data / "locomo" / "locomo_dev.json")
    ]
    pairs = json.loads(PROBE.read_text("utf-8"))["zh"]
    passages = [Message(passage, id=str(place), session=str(place)) for place, (_, passage) in enumerate(pairs)]
    asked = [Question("probe", question, "probe", (str(place),)) for place, (question, _) in enumerate(pairs)]
    return {"LoCoMo": ("en", english), "LifeBench": ("zh", list(lifebench.people(data / "lifebench", person))),
            "probe": ("zh", [("probe", passages, asked)])}  # fmt: skip


async def store(memory: AsyncMemory, connection: Any, scope: str, messages: list[Message]) -> None:
    await memory.remember(scope, messages)
    passages = [p for p in await memory.records(scope) if isinstance(p, Passage) and not p.blank]
    # What the keyword index reads of them.
    texts = [(p.ref, f"{when.spell(p.time)} {spoken_text(p)}") for p in passages if p.time]
    rows = [(scope, place, ref, text, joined(tokens(text)), joined(tokens(text), words=True))
            for place, (ref, text) in enumerate(texts)]  # fmt: skip
    await connection.executemany(INSERT, rows)


def joined(terms: Iterable[str], *, words: bool = False) -> str:
    return " ".join(term for term in terms if not words or len(term) > 1 or script(term) != "han")


async def ours(memory: AsyncMemory, plan: Plan, scope: str, question: Question) -> list[str]:
    answer = await memory.recall(scope, question.text, plan, at=question.at)
    return [passage.ref or "" for passage in answer.passages]


async def theirs(
    connection: Any, column: str, query: str, rank: str, length: int, scope: str, question: Question
) -> list[str]:
    query = query.format(config="english" if column == "english" else "simple")
    text = question.text
    if column in ("split", "words"):
        text = joined(query_terms(text), words=column == "words")
    sql = SEARCH.format(column=column, query=query, rank=rank, length=length)
    return [row[0] for row in await connection.fetch(sql, scope, text)]


async def ask(scopes: Scopes, searches: dict[str, Search]) -> list[dict[str, Any]]:
    scores = {row: Scores() for row in searches}
    times: dict[str, list[float]] = {row: [] for row in searches}
    for name, _, questions in scopes:
        for search in searches.values():  # so that nobody's first question of a scope is timed
            await search(PREFIX + name, questions[0])
        for question in questions:
            for row, search in searches.items():
                start = time.perf_counter()
                refs = await search(PREFIX + name, question)
                times[row].append(time.perf_counter() - start)
                scores[row].add(question, refs)
    found: list[dict[str, Any]] = []
    for row, taken in times.items():
        recall = scores[row].report({"all": sorted(scores[row].hits)})["recall"]["all"]
        p50, p95 = (round(figure, 2) for figure in milliseconds(taken))
        found.append({"row": row, "n": len(taken), "recall": recall, "p50_ms": p50, "p95_ms": p95})
    return found


async def measure(url: str, found: Sets, copies: int) -> list[dict[str, Any]]:
    people = [person for _, scopes in found.values() for person in scopes]
    rows: list[dict[str, Any]] = []
    connection = await Address.parse(url).connect(30)
    cold = AsyncMemory(url, embedder=None, background=False, settings=Settings(hot_bytes=0))
    try:
        await connection.execute(TABLE)
        async with AsyncMemory(url, embedder=None, background=False) as hot, cold:
            for copy in range(copies + 1):
                for name, messages, _ in people:
                    await store(hot, connection, PREFIX + name + (f" copy {copy}" if copy else ""), messages)
            await connection.execute(INDEXES)
            # As they are after a while: with statistics, and the index's list of new entries worked in.
            for table in (f"{SCHEMA}.texts", "records", "postings"):
                await connection.execute(f"VACUUM ANALYZE {table}")
            for name, (language, scopes) in found.items():
                searches: dict[str, Search] = {
                    f"{row}{heat}": partial(ours, memory, plan)
                    for row, plan in (("bm25", BM25), ("with context", WORDS))
                    for heat, memory in (("", hot), (", not hot", cold))
                }
                searches |= {row: partial(theirs, connection, *how) for row, how in THEIRS[language].items()}
                rows += [{"set": name, **row} for row in await ask(scopes, searches)]
    finally:
        await connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        await connection.close()
        names = [PREFIX + name for name, _, _ in people]
        await clear(url, [*names, *(f"{name} copy {copy}" for name in names for copy in range(1, copies + 1))])
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench keywords", description=__doc__)
    parser.add_argument("--url", required=True, help="a PostgreSQL database")
    parser.add_argument("--data", default=str(locomo.DEFAULT.parent.parent), help="the folder of the data sets")
    parser.add_argument("--person", default="lumingqiang", help="of LifeBench")
    parser.add_argument("--copies", type=int, default=9, help="how many copies of each scope stand beside it")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    rows = asyncio.run(measure(args.url, sets(Path(args.data), args.person), args.copies))
    print(f"{'set':<10} {'row':<26} {'n':>4} {'@1':>6} {'@3':>6} {'@10':>6} {'p50 ms':>7} {'p95 ms':>7}")
    for row in rows:
        recall = " ".join(f"{row['recall'][cut]:>6.3f}" for cut in ("1", "3", "10"))
        print(f"{row['set']:<10} {row['row']:<26} {row['n']:>4} {recall} {row['p50_ms']:>7} {row['p95_ms']:>7}")
    write_json(args.json, {"rows": rows})
