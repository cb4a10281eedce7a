"""A large scope whose vectors stay in PostgreSQL, behind an approximate index of its own."""

import logging
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from fabula import AsyncMemory, InvalidInput, Message, Plan
from fabula.index import Floats
from fabula.stores import nearest
from fabula.stores.hot import HotStore
from fabula.stores.postgres import PostgresStore
from fabula.stores.server import connected
from fabula.testing import FakeClock, HashEmbedder

TEXTS = [f"{who} {what} {where} {n}" for n, (who, what, where) in enumerate(
    (a, b, c)
    for a in ("Alice", "Bob", "Carla", "Dora")
    for b in ("swims", "cooks", "paints", "sings", "drinks tea")
    for c in ("in Porto", "in Rome", "at home", "在家", "by the river")
)]  # fmt: skip


def memory(url: str) -> AsyncMemory:
    return AsyncMemory(url, embedder=HashEmbedder(), clock=FakeClock("2024-06-01"), background=False)


async def index_of(url: str, scope: str) -> Any:
    store = PostgresStore(url)
    await store.open()
    found = await store.load(scope, HashEmbedder().space)
    await store.close()
    return found


@pytest.fixture
async def large(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a memory with two scopes; filters are never narrow enough to fetch all they leave."""
    monkeypatch.setattr("fabula.recall.FETCHED", 10)
    async with memory(postgres_url) as opened:
        for scope, texts in (("large", TEXTS), ("it's 别人's", TEXTS[::-1])):
            said = [Message(text, id=text, session=f"session {n % 3}") for n, text in enumerate(texts)]
            await opened.remember(scope, said)
        assert (await opened.flush()).pending == 0
    return postgres_url


def found(recollection: Any) -> list[tuple[str, float]]:
    assert recollection.degraded == ()
    return [(hit.record.text, round(hit.score, 3)) for hit in recollection.hits]


@pytest.mark.parametrize("scope", ["large", "it's 别人's"])
async def test_it_answers_as_without_it(large: str, scope: str):
    questions = ("Who drinks tea in Rome?", "谁在家唱歌?", "Dora paints by the river", "cooks")
    plans = (Plan(), Plan(channels=("dense",)), Plan(session="session 1"))
    async with memory(large) as opened:
        exact = [found(await opened.recall(scope, question, plan)) for question in questions for plan in plans]
    assert "indexed" in await nearest.create(large, scope)
    assert (await index_of(large, scope)).apart
    async with memory(large) as opened:
        assert [found(await opened.recall(scope, question, plan)) for question in questions for plan in plans] == exact
    await nearest.drop(large, scope)
    assert not (await index_of(large, scope)).apart


async def test_no_vector_is_held_in_memory(large: str):
    before = (await index_of(large, "large")).of("passage")
    assert before.embedded.all()
    await nearest.create(large, "large")
    after = (await index_of(large, "large")).of("passage")
    assert not after.embedded.any()
    assert after.vectors.nbytes < before.vectors.nbytes / 2
    assert (await index_of(large, "it's 别人's")).of("passage").embedded.all(), "the index is of one scope"


async def test_what_comes_later_is_found_and_what_is_forgotten_is_not(large: str):
    await nearest.create(large, "large")
    async with memory(large) as opened:
        await opened.remember("large", Message("Zoe plays the xylophone", id="z"))
        await opened.flush()
        near = await opened.recall("large", "xylophone", Plan(channels=("dense",)))
        assert near.hits[0].record.text.startswith("Zoe")
        await opened.forget("large", refs=["z", *TEXTS[:50]])
        hits = (await opened.recall("large", "xylophone Alice", Plan(limit=100))).hits
        assert hits
        assert not any("Zoe" in hit.record.text or "Alice" in hit.record.text for hit in hits)
        assert await opened.check() == []


async def test_asking_for_it_again_or_in_vain(large: str):
    await nearest.create(large, "large")
    assert await nearest.create(large, "large") == "indexed already"
    with pytest.raises(InvalidInput, match="nobody"):
        await nearest.create(large, "nobody")


async def test_an_index_left_half_made_is_made_anew(large: str):
    name = nearest.index_name("large", HashEmbedder().space)
    async with connected(large) as connection:
        await connection.execute(f"CREATE INDEX {name} ON vectors (scope)")
        await connection.execute(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{name}'::regclass")
    assert not (await index_of(large, "large")).apart
    await nearest.create(large, "large")
    assert (await index_of(large, "large")).apart


async def test_too_wide_for_an_index(postgres_url: str, caplog: pytest.LogCaptureFixture):
    wide = HashEmbedder(dimensions=4096)
    async with AsyncMemory(postgres_url, embedder=wide, background=False) as opened:
        await opened.remember("u", TEXTS[:5])
        await opened.flush()
        with caplog.at_level(logging.WARNING, "fabula"):
            assert "scanned exactly" in await nearest.create(postgres_url, "u")
        assert (await opened.recall("u", TEXTS[3])).hits[0].record.text == TEXTS[3]


def talk(count: int, seed: int) -> Floats:
    """Unit vectors in clusters, as those of texts are."""
    dice = np.random.default_rng(seed)
    centres = np.random.default_rng(1).standard_normal((400, 384))
    vectors = centres[dice.integers(0, 400, count)] + dice.standard_normal((count, 384))
    return (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_recall_at_50_000_of_one_scope_among_200_000(postgres_url: str):
    store, space = HotStore(PostgresStore(postgres_url)), "clusters/384"
    await store.open()
    async with connected(postgres_url) as connection:
        for seed in range(4):
            await connection.execute("INSERT INTO scopes VALUES ($1, 1, 1, 50000, 1, $2)", f"scope {seed}", space)
        for seed in range(2):
            scope, vectors = f"scope {seed}", talk(50_000, seed + 2)
            lines = (f"{scope}\t{space}\t{n}\t1\t{vector.tolist()}\n" for n, vector in enumerate(vectors))
            await connection.copy_to_table("vectors", source=BytesIO("".join(lines).encode()))
        others = "INSERT INTO vectors SELECT $1, space, number, revision, vector FROM vectors WHERE scope = 'scope 1'"
        for seed in (2, 3):
            await connection.execute(others, f"scope {seed}")
    await nearest.create(postgres_url, "scope 0")
    vectors, shares = talk(50_000, 2), []
    for question in talk(50, 99):
        numbers, _ = await store.nearest("scope 0", space, question, 200)
        exact = np.argsort(-(vectors @ question))[:50]
        shares.append(len(set(exact.tolist()) & set(numbers.tolist())) / 50)
    await store.close()
    assert np.mean(shares) >= 0.95
