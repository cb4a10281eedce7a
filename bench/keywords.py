"""`python -m bench keywords --url postgresql://…`: our keyword search beside PostgreSQL's own, over the same texts.

Evidence recall on LoCoMo (English) and on one person of LifeBench (Chinese), top-1 on the Chinese probe. Both sides read
the same input, the text that our keyword index reads; each question goes to all rows of the table in turn, so that
what else the machine does meets all. The scopes under test stand among copies of themselves, as other people's
memories. PostgreSQL is given GIN indexes over (scope, words). What was written is removed again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench import lifebench, locomo
from bench.evidence import Question, Scores, write_json
from bench.latency import clear, milliseconds
from bench.probe import PROBE
from fabula import AsyncMemory, Message, Passage, Plan, Settings, when
from fabula.remember import spoken_text
from fabula.stores.server import Address
from fabula.text import query_terms, tokens

SCHEMA = "bench_keywords"
PREFIX = "keywords "
BM25 = Plan(kinds=("passage",), channels=("sparse",), fusion="rrf")
WORDS = Plan(kinds=("passage",), channels=("sparse", "context"))
TABLE = f"""
CREATE SCHEMA {SCHEMA};
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA {SCHEMA};
CREATE TABLE {SCHEMA}.texts (scope TEXT, number INTEGER, ref TEXT, text TEXT, english TSVECTOR, raw TSVECTOR,
    split TSVECTOR, PRIMARY KEY (scope, number));
"""
INSERT = f"""INSERT INTO {SCHEMA}.texts VALUES ($1, $2, $3, $4, to_tsvector('english', $4), to_tsvector('simple', $4),
    to_tsvector('simple', $5))"""
INDEXES = ";".join(f"CREATE INDEX ON {SCHEMA}.texts USING gin (scope {SCHEMA}.text_ops, {column})"
                   for column in ("english", "raw", "split"))  # fmt: skip
ANY = "(SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery FROM unnest(to_tsvector('{config}', $2)))"
ALL = "plainto_tsquery('{config}', $2)"
SEARCH = f"""SELECT ref, text FROM {SCHEMA}.texts, (SELECT {{query}} AS q) s WHERE scope = $1 AND {{column}} @@ q
    ORDER BY {{rank}}({{column}}, q) DESC, number LIMIT 10"""
THEIRS = {
    "en": {"english, cd, any": ("english", "english", ANY, "ts_rank_cd"),
           "english, cd, all": ("english", "english", ALL, "ts_rank_cd"),
           "english, rank, any": ("english", "english", ANY, "ts_rank")},
    "zh": {"raw, cd, any": ("raw", "simple", ANY, "ts_rank_cd"),
           "split, cd, any": ("split", "simple", ANY, "ts_rank_cd"),
           "split, cd, all": ("split", "simple", ALL, "ts_rank_cd"),
           "split, rank, any": ("split", "simple", ANY, "ts_rank")},
}  # fmt: skip
"""By language and name: the column, its configuration, how the words are joined, how it is ranked. `split` texts and
questions were cut into words by our tokeniser, which is more than PostgreSQL has for Chinese."""

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


def read(passage: Passage) -> str:
    """What the keyword index reads of a passage."""
    return f"{when.spell(passage.time)} {spoken_text(passage)}" if passage.time else spoken_text(passage)


async def store(memory: AsyncMemory, connection: Any, scope: str, messages: list[Message]) -> None:
    await memory.remember(scope, messages)
    passages = [p for p in await memory.records(scope) if isinstance(p, Passage) and not p.blank]
    texts = [(p.ref, read(p)) for p in passages]
    rows = [(scope, place, ref, text, " ".join(tokens(text))) for place, (ref, text) in enumerate(texts)]
    await connection.executemany(INSERT, rows)


def ours(memory: AsyncMemory, plan: Plan) -> Search:
    async def search(scope: str, question: Question) -> list[str]:
        answer = await memory.recall(scope, question.text, plan, at=question.at)
        return [passage.ref or "" for passage in answer.passages]

    return search


def theirs(connection: Any, column: str, config: str, query: str, rank: str) -> Search:
    joined = query.format(config=config)
    sql = SEARCH.format(column=column, query=joined, rank=rank)

    async def search(scope: str, question: Question) -> list[str]:
        words = " ".join(query_terms(question.text)) if column == "split" else question.text
        return [row[0] for row in await connection.fetch(sql, scope, words)]

    return search


async def ask(scopes: Scopes, searches: dict[str, Search]) -> list[dict[str, Any]]:
    scores = {name: Scores() for name in searches}
    times: dict[str, list[float]] = {name: [] for name in searches}
    for name, _, questions in scopes:
        scope = PREFIX + name
        for name in searches:  # so that nobody's first question of a scope is timed
            await searches[name](scope, questions[0])
        for question in questions:
            for name, search in searches.items():
                start = time.perf_counter()
                refs = await search(scope, question)
                times[name].append(time.perf_counter() - start)
                scores[name].add(question, refs)
    found = []
    for name in searches:
        p50, p95 = milliseconds(times[name])
        report = scores[name].report({"all": sorted(scores[name].hits)})
        recall = {f"recall@{cut}": report["recall"]["all"][cut] for cut in ("1", "3", "10")}
        found.append({"row": name, **recall, "p50_ms": round(p50, 2), "p95_ms": round(p95, 2), "n": len(times[name])})
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
                searches = {"bm25": ours(hot, BM25), "bm25, not hot": ours(cold, BM25),
                            "bm25 + context": ours(hot, WORDS), "bm25 + context, not hot": ours(cold, WORDS)}  # fmt: skip
                searches |= {row: theirs(connection, *how) for row, how in THEIRS[language].items()}
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
    print(f"{'set':<10} {'row':<24} {'n':>4} {'@1':>6} {'@3':>6} {'@10':>6} {'p50 ms':>7} {'p95 ms':>7}")
    for row in rows:
        print(f"{row['set']:<10} {row['row']:<24} {row['n']:>4} {row['recall@1']:>6.3f} {row['recall@3']:>6.3f} "
              f"{row['recall@10']:>6.3f} {row['p50_ms']:>7} {row['p95_ms']:>7}")  # fmt: skip
    write_json(args.json, {"rows": rows})
