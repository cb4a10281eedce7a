"""A memory in PostgreSQL when the server, the client or a lock gets in the way, and where a database is not ours.

The server is this module's own: it is killed, again and again. What is remembered is told elsewhere.
"""

import asyncio
import random
import socket
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import cycle
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from server import PASSWORD, Server, require
from working import Working, imports

from fabula import (
    AsyncMemory,
    FabulaError,
    Message,
    Passage,
    Plan,
    SchemaTooNew,
    Settings,
    StoreError,
    StoreUnavailable,
)
from fabula.abc import Changes, Entry, Extraction, Role, Vectors
from fabula.extractors import RuleExtractor
from fabula.stores import nearest
from fabula.stores.postgres import PostgresStore
from fabula.stores.server import asyncpg
from fabula.stores.server import connected as administering
from fabula.testing import HashEmbedder

TEA = "We drank green tea in Porto"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    require()
    with Server() as server:
        yield server


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """The address over TCP of a new, empty database."""
    with server.database() as address:
        yield server.url(urlsplit(address).path[1:])


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Any]:
    connection = await asyncpg().connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def holding(url: str, sql: str, *params: object) -> AsyncGenerator[Any]:
    """Another program's transaction that holds rows; gives the transaction, to be ended early."""
    async with connected(url) as connection:
        transaction = connection.transaction()
        await transaction.start()
        assert await connection.fetch(f"{sql} FOR UPDATE", *params), "there is something to hold"
        yield transaction


@asynccontextmanager
async def stopped(server: Server) -> AsyncGenerator[None]:
    """Kill the server, and start it again after the block."""
    await asyncio.to_thread(server.kill)
    try:
        yield
    finally:
        await asyncio.to_thread(server.restart)


async def run(url: str, *sql: str) -> None:
    async with connected(url) as connection:
        for one in sql:
            await connection.execute(one)


async def waiting(url: str, count: int) -> None:
    """Return when so many of our connections wait for a lock."""
    sql = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND application_name = 'fabula' AND wait_event_type = 'Lock'"
    )
    async with connected(url) as connection, asyncio.timeout(20):
        while await connection.fetchval(sql) != count:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.01)


def assert_one_clear_line(error: FabulaError, *secrets: str) -> None:
    said = str(error)
    assert len(said.splitlines()) == 1, said
    assert 10 < len(said) < 300
    for secret in (PASSWORD, *secrets):
        assert secret not in said
        assert quote(secret, safe="") not in said


# --- crashes -----------------------------------------------------------------------------------------------------


class Crashes:
    """One memory that stays open while its server, and other clients of it, are killed."""

    def __init__(self, memory: AsyncMemory, server: Server, url: str) -> None:
        self.memory, self.server, self.url = memory, server, url
        self.chance = random.Random(11)
        self.acknowledged: list[str] = []

    async def server_killed(self, moment: int) -> None:
        """Kill the server while the memory remembers, and go on with the same memory."""
        ending = asyncio.Event()
        talking = [asyncio.create_task(self._talk(f"{moment}-{talk}", ending)) for talk in range(2)]
        await self._more(self.chance.randrange(1, 40), talking)
        await asyncio.sleep(self.chance.random() / 20)
        async with stopped(self.server):
            pass
        await self._more(3, talking)
        ending.set()
        await asyncio.gather(*talking)

    async def client_killed(self, moment: int) -> None:
        """Kill another process while it imports into the same scope."""
        importer = Working(imports, self.url, str(moment))
        told = [await asyncio.to_thread(importer.told) for _ in range(self.chance.randrange(1, 40))]
        await asyncio.sleep(self.chance.random() / 20)
        told += await asyncio.to_thread(importer.kill)
        self.acknowledged += [one.split()[0] for one in told]

    async def nothing_is_lost_or_doubled(self) -> None:
        flushed = await self.memory.flush("u", seconds=60)
        assert (flushed.pending, flushed.errors) == (0, ())
        assert await self.memory.check() == []
        passages = [record for record in await self.memory.records("u") if isinstance(record, Passage)]
        counts = Counter(passage.ref for passage in passages)
        assert set(self.acknowledged) <= counts.keys()
        assert set(counts.values()) == {1}, "each message once"
        places = Counter((passage.session, passage.seq) for passage in passages)
        assert set(places.values()) == {1}, "each at a place of its own"
        cited = Counter(source for frame in await self.memory.records("u", "frame") for source in frame.sources)
        assert cited == {passage.id: 1 for passage in passages}, "each in one frame"
        assert (await self.memory.recall("u", "Porto", Plan(limit=1))).passages

    async def _talk(self, name: str, ending: asyncio.Event) -> None:
        number = 0
        while not ending.is_set():
            message = Message(f"message {number} was heard in Porto", id=f"{name}-{number}", session=name)
            receipt = await self.memory.remember("u", message)
            # Where the answer to a commit was lost, the second attempt finds the message there.
            assert receipt.added + len(receipt.duplicates) == 1
            self.acknowledged.append(f"{name}-{number}")
            number += 1

    async def _more(self, count: int, talking: Sequence["asyncio.Task[None]"]) -> None:
        """Return when so many more messages are acknowledged."""
        enough = len(self.acknowledged) + count
        async with asyncio.timeout(60):
            while len(self.acknowledged) < enough:
                await asyncio.sleep(0.005)
                for task in talking:
                    if task.done():
                        task.result()


async def crash(server: Server, url: str, moments: int) -> None:
    async with AsyncMemory(url, embedder=HashEmbedder(), settings=Settings(lease=1)) as memory:
        crashes = Crashes(memory, server, url)
        for moment in range(moments):
            await (crashes.client_killed if moment % 2 else crashes.server_killed)(moment)
            await crashes.nothing_is_lost_or_doubled()


async def test_the_same_memory_goes_on_after_crashes(server: Server, url: str):
    await crash(server, url, 4)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_the_same_memory_goes_on_after_30_crashes(server: Server, url: str):
    await crash(server, url, 30)


async def test_a_server_that_stays_away_is_one_error_and_the_memory_works_when_it_is_back(server: Server, url: str):
    async with AsyncMemory(url, embedder=HashEmbedder(), settings=Settings(busy=1), background=False) as memory:
        await memory.remember("u", Message(TEA, id="1"))
        async with stopped(server):
            for call in (memory.remember("u", "more"), memory.recall("u", "tea"), memory.records("u"), memory.stats()):
                with pytest.raises(StoreUnavailable) as caught:
                    await call
                assert_one_clear_line(caught.value)
        assert (await memory.remember("u", Message("Later it rained", id="2"))).added == 1
        assert [record.text for record in await memory.records("u")] == [TEA, "Later it rained"]
        assert await memory.check() == []


# --- the pool ----------------------------------------------------------------------------------------------------


class Gate:
    """Lets nothing through until it is opened, and tells when somebody has come."""

    def __init__(self) -> None:
        self.reached, self.open = asyncio.Event(), asyncio.Event()

    async def passed(self) -> None:
        self.reached.set()
        await self.open.wait()


class SlowEmbedder(HashEmbedder):
    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self.gate = gate

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "passage":
            await self.gate.passed()
        return await super().embed(texts, role)


class SlowExtractor(RuleExtractor):
    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self.gate = gate

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        await self.gate.passed()
        return await super().extract(window, context)


@pytest.mark.parametrize("pool", [1, 2])
@pytest.mark.parametrize("slow", ["embedder", "extractor"])
async def test_no_connection_is_held_while_a_model_thinks(url: str, pool: int, slow: str):
    gate = Gate()
    embedder = SlowEmbedder(gate) if slow == "embedder" else HashEmbedder()
    extractor = SlowExtractor(gate) if slow == "extractor" else RuleExtractor()
    memory = AsyncMemory(
        f"{url}?pool={pool}", embedder=embedder, extractor=extractor, settings=Settings(window=1, busy=10)
    )
    async with memory, connected(url) as looking:
        await memory.remember("u", TEA)
        async with asyncio.timeout(60):
            await gate.reached.wait()
            scopes = ["u", "u", *(f"u{n}" for n in range(8))]
            receipts = await asyncio.gather(*(memory.remember(scope, "Later it rained") for scope in scopes))
            assert [receipt.added for receipt in receipts] == [1] * 10
            assert (await memory.recall("u", "tea")).passages[0].text == TEA
            assert len(await memory.records("u")) == 3
            assert (await memory.stats()).records["passage"] == 11
            states = await looking.fetch(
                "SELECT state FROM pg_stat_activity WHERE application_name = 'fabula' AND datname = current_database()"
            )
            assert [row[0] for row in states] == ["idle"] * len(states)
            assert 1 <= len(states) <= pool
        assert not gate.open.is_set()
        gate.open.set()
        assert (await memory.flush(seconds=60)).pending == 0
        assert await memory.check() == []


async def test_who_finds_no_free_connection_is_told_after_a_while(url: str):
    store = PostgresStore(f"{url}?pool=2", busy=2)
    await store.open()
    scopes = ("u", "v")
    work = [Changes(add=(Entry(record=Passage(scope=scope, id="p", text=TEA), tasks=("embed",)),)) for scope in scopes]
    for scope, changes in zip(scopes, work, strict=True):
        await store.write(scope, changes)
    now = datetime.now(UTC)
    leases = [await store.lease("w", ["embed"], now, 60, scope=scope) for scope in scopes]
    async with (
        holding(url, "SELECT 1 FROM scopes") as scopes_held,
        holding(url, "SELECT 1 FROM leases") as leases_held,
    ):
        writing = [
            asyncio.create_task(store.write(scope, Changes(analyzer=1), lease))
            for scope, lease in zip(scopes, leases, strict=True)
        ]
        await waiting(url, 2)
        asking = asyncio.create_task(store.scopes())
        # Each statement waits for less than `busy`, both together for longer: so long the connections are taken.
        await asyncio.sleep(1.2)
        await scopes_held.rollback()
        await waiting(url, 2)
        with pytest.raises(StoreUnavailable, match="no answer within 2 s") as caught:
            await asking
        assert_one_clear_line(caught.value)
        assert not any(task.done() for task in writing)
        await leases_held.rollback()
        assert all(written.revision for written in await asyncio.gather(*writing))
    assert await store.scopes() == ["u", "v"]
    await store.close()


# --- locks -------------------------------------------------------------------------------------------------------


async def test_a_row_that_is_held_too_long_is_one_error_and_nothing_is_written(url: str):
    async with AsyncMemory(url, embedder=HashEmbedder(), settings=Settings(busy=1), background=False) as memory:
        await memory.remember("u", Message(TEA, id="1"))
        before = await memory.records("u"), await memory.stats("u")
        async with holding(url, "SELECT 1 FROM scopes WHERE scope = $1", "u") as held:
            for call in (memory.remember("u", Message("never", id="2")), memory.forget("u", everything=True)):
                with pytest.raises(StoreUnavailable, match=r"a statement took longer than 1 s") as caught:
                    await call
                assert_one_clear_line(caught.value)
            assert (await memory.recall("u", "tea")).passages[0].text == TEA, "who reads waits for nobody"
            assert (await memory.remember("v", "Another user is not held up")).added == 1
            await held.rollback()
        assert (await memory.records("u"), await memory.stats("u")) == before
        assert (await memory.remember("u", Message("at last", id="2"))).added == 1
        assert (await memory.flush()).pending == 0
        assert await memory.check() == []


async def test_a_lock_that_is_let_go_in_time_is_waited_for(url: str):
    async with AsyncMemory(url, embedder=None, settings=Settings(busy=20), background=False) as memory:
        await memory.remember("u", TEA)
        async with holding(url, "SELECT 1 FROM scopes") as held:
            remembering = asyncio.create_task(memory.remember("u", "Later it rained"))
            await waiting(url, 1)
            await held.rollback()
            assert (await remembering).added == 1


# --- what cannot be opened ---------------------------------------------------------------------------------------


async def refused(url: str, *secrets: str, within: float = 6.0, busy: float = 20.0) -> StoreError:
    """The error with which a memory does not open, long before anybody loses patience."""
    began = time.monotonic()
    with pytest.raises(StoreError) as caught:
        await AsyncMemory(url, embedder=None, settings=Settings(busy=busy)).open()
    assert time.monotonic() - began < within
    assert_one_clear_line(caught.value, *secrets)
    return caught.value


async def test_a_wrong_password(server: Server):
    url = server.url("postgres").replace(quote(PASSWORD, safe=""), "wr0ng%2Fword")
    error = await refused(url, "wr0ng/word")
    assert isinstance(error, StoreUnavailable)
    assert 'password authentication failed for user "fabula"' in str(error)
    assert f"postgresql://127.0.0.1:{server.port}/postgres" in str(error)


async def test_a_database_that_is_not_there(server: Server):
    assert 'database "nowhere" does not exist' in str(await refused(server.url("nowhere")))


@pytest.mark.parametrize("name", ["postgresql://fabula:s3cret%2F@127.0.0.1:{port}/d", "postgresql:///d?host=/nowhere"])
async def test_a_server_that_is_not_there(name: str):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = await refused(name.format(port=port), "s3cret/")
    assert isinstance(error, StoreUnavailable)


async def test_something_that_is_no_postgresql():
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        for mode in ("prefer", "disable"):
            error = await refused(f"postgresql://ann:s3cret@127.0.0.1:{port}/d?sslmode={mode}", "s3cret")
            assert isinstance(error, StoreUnavailable)


async def test_a_server_that_never_answers():
    silent = asyncio.Event()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await silent.wait()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        try:
            await refused(f"postgresql://ann:s3cret@127.0.0.1:{port}/d", "s3cret", busy=0.5)
        finally:
            silent.set()


async def test_a_server_without_pgvector(url: str):
    # What is installed on a server is looked for in this path.
    await run(url, f"ALTER DATABASE \"{urlsplit(url).path[1:]}\" SET extension_control_path = '/nowhere'")
    error = await refused(url)
    assert str(error) == "the server has no pgvector: install 0.8 or newer there"
    assert await tables(url) == []


async def test_a_pgvector_that_is_too_old(url: str):
    await run(url, "CREATE EXTENSION vector", "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    assert "pgvector 0.7.4 is too old" in str(await refused(url))
    assert await tables(url) == []


# --- whose database it is ----------------------------------------------------------------------------------------


async def tables(url: str) -> list[tuple[Any, ...]]:
    """Every relation that is no part of PostgreSQL itself, as it is stored, with how its rights stand."""
    async with connected(url) as connection:
        rows = await connection.fetch(
            "SELECT relnamespace::regnamespace::text, relname, oid, relfilenode, relacl::text, xmin::text"
            " FROM pg_class WHERE relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')"
            " AND relnamespace::regnamespace::text NOT LIKE 'pg_toast%' ORDER BY oid"
        )
        return [tuple(row) for row in rows]


async def applied(url: str, schema: str = "public") -> list[tuple[Any, ...]]:
    async with connected(url) as connection:
        return [tuple(row) for row in await connection.fetch(f"SELECT * FROM {schema}.fabula_migrations")]


def opened(url: str, **settings: Any) -> AsyncMemory:
    return AsyncMemory(url, embedder=None, background=False, settings=Settings(**settings))


async def test_opening_again_changes_nothing(url: str):
    async with opened(url) as memory:
        await memory.remember("u", TEA)
    before = await tables(url), await applied(url)
    for _ in range(2):
        async with opened(url) as memory:
            assert [record.text for record in await memory.records("u")] == [TEA]
    assert (await tables(url), await applied(url)) == before
    assert [row[0] for row in before[1]] == list(range(1, len(before[1]) + 1))


async def test_many_may_open_an_empty_database_at_once(url: str):
    memories = [opened(url) for _ in range(5)]
    await asyncio.gather(*(memory.open() for memory in memories))
    receipts = await asyncio.gather(*(memory.remember("u", f"{TEA} {n}") for n, memory in enumerate(memories)))
    assert [receipt.added for receipt in receipts] == [1] * 5
    for memory in memories:
        await memory.close()
    assert len({row[0] for row in await applied(url)}) == len(await applied(url))


async def test_a_newer_schema_is_refused_and_left_as_it_is(url: str):
    async with opened(url) as memory:
        await memory.remember("u", TEA)
    await run(url, "INSERT INTO fabula_migrations VALUES (999, 'later', 0)")
    before = await tables(url), await applied(url)
    error = await refused(url)
    assert isinstance(error, SchemaTooNew)
    assert error.found == 999
    assert (await tables(url), await applied(url)) == before
    await run(url, "DELETE FROM fabula_migrations WHERE number = 999")
    async with opened(url) as memory:
        assert len(await memory.records("u")) == 1


async def test_another_programs_database_is_refused_and_a_schema_of_its_own_works(url: str):
    await run(url, "CREATE TABLE records (id integer)", "INSERT INTO records VALUES (1)")
    before = await tables(url)
    error = await refused(url)
    assert "'records'" in str(error)
    assert "?schema=fabula" in str(error)
    assert await tables(url) == before
    for _ in range(2):
        async with opened(f"{url}?schema=fabula") as memory:
            await memory.remember("u", Message(TEA, id="1"))
            assert [record.text for record in await memory.records("u")] == [TEA]
            assert (await memory.recall("u", "tea")).passages
            assert await memory.check() == []
    assert [row for row in await tables(url) if row in before] == before
    async with connected(url) as connection:
        assert await connection.fetch("SELECT * FROM public.records") == [(1,)]
    numbers = [row[0] for row in await applied(url, "fabula")]
    assert numbers == [1, 2, 3, 4], "each migration once"


@pytest.mark.parametrize("first", ["", "?schema=one"])
async def test_memories_in_two_schemas_of_a_database_are_two(url: str, first: str):
    for query, text in ((first, TEA), ("?schema=two", "Later it rained")):
        async with opened(f"{url}{query}") as memory:
            assert await memory.scopes() == []
            await memory.remember("u", Message(text, id="1"))
    for query, text in ((first, TEA), ("?schema=two", "Later it rained")):
        async with opened(f"{url}{query}") as memory:
            assert [record.text for record in await memory.records("u")] == [text]
    async with opened(f"{url}?schema=two") as memory:
        assert await memory.forget("u", everything=True)
    async with opened(f"{url}{first}") as memory:
        assert [record.text for record in await memory.records("u")] == [TEA]


@pytest.fixture
def guest(server: Server, url: str) -> Iterator[str]:
    """The address of the same database for a role that may create nothing in it."""
    database = urlsplit(url).path[1:]
    asyncio.run(
        run(
            url,
            "CREATE ROLE guest LOGIN PASSWORD 'gu3st/'",
            f'REVOKE ALL ON DATABASE "{database}" FROM PUBLIC',
            f'GRANT CONNECT ON DATABASE "{database}" TO guest',
        )
    )
    yield url.replace(f"fabula:{quote(PASSWORD, safe='')}", "guest:gu3st%2F")
    asyncio.run(run(url, "DROP OWNED BY guest", "DROP ROLE guest"))


async def test_a_role_that_may_not_create_anything_opens_what_is_current(url: str, guest: str):
    async with opened(url) as memory:
        await memory.remember("u", TEA)
    await run(url, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guest")
    before = await tables(url)
    async with connected(guest) as connection:
        with pytest.raises(asyncpg().InsufficientPrivilegeError):
            await connection.execute("CREATE TABLE mine (id integer)")
    async with AsyncMemory(guest, embedder=HashEmbedder()) as memory:
        assert (await memory.remember("u", Message("Later it rained", id="2"))).added == 1
        assert (await memory.flush(seconds=60)).pending == 0
        assert len((await memory.recall("u", "tea rained")).passages) == 2
        assert await memory.check() == []
        assert (await memory.stats()).records["passage"] == 2
        assert await memory.forget("u", everything=True)
    assert await tables(url) == before


async def test_a_role_that_may_not_create_anything_is_told_what_is_missing(url: str, guest: str):
    assert "CREATE EXTENSION vector" in str(await refused(guest, "gu3st/"))
    await run(url, "CREATE EXTENSION vector")
    assert "permission denied for schema public" in str(await refused(guest, "gu3st/"))
    assert "permission denied" in str(await refused(f"{guest}?schema=mine", "gu3st/"))
    assert await tables(url) == []


# --- answers that get lost ---------------------------------------------------------------------------------------


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lose the connection right after the next so many commits, before their answer is heard."""
    from asyncpg.transaction import Transaction

    left, commit = 0, Transaction.commit

    async def committed(self: Any) -> None:
        nonlocal left
        await commit(self)
        if left:
            left -= 1
            self._connection.terminate()
            raise ConnectionResetError("connection lost")

    def lose(count: int) -> None:
        nonlocal left
        left = count

    monkeypatch.setattr(Transaction, "commit", committed)
    return lose


async def test_what_was_written_is_there_once_though_its_answer_got_lost(
    postgres_url: str, deaf: Callable[[int], None]
):
    async with AsyncMemory(postgres_url, embedder=HashEmbedder(), background=False) as memory:
        deaf(1)
        receipt = await memory.remember("u", [Message("said once", id="1"), "no id at all"])
        assert (len(receipt.ids), receipt.conflicts, receipt.erased) == (2, (), ())
        assert len(await memory.records("u")) == 2
        deaf(1)
        assert (await memory.flush()).pending == 0
        assert await memory.check() == []
        cited = [source for frame in await memory.records("u", "frame") for source in frame.sources]
        assert sorted(cited) == sorted(i for i in receipt.ids if i)
        deaf(1)
        await memory.forget("u", everything=True)
        assert await memory.scopes() == []


async def test_a_commit_that_did_not_arrive_is_done_again(postgres_url: str, monkeypatch: pytest.MonkeyPatch):
    from asyncpg.transaction import Transaction

    commit, lost = Transaction.commit, []

    async def committed(self: Any) -> None:
        if not lost:
            lost.append(True)
            self._connection.terminate()
            raise ConnectionResetError("connection lost")
        await commit(self)

    async with AsyncMemory(postgres_url, embedder=None, background=False) as memory:
        monkeypatch.setattr(Transaction, "commit", committed)
        assert (await memory.remember("u", "only once")).added == 1
        assert [record.text for record in await memory.records("u")] == ["only once"]
        assert await memory.check() == []


# --- text in statements ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conforming", ["on", "off"])
async def test_a_scope_is_text_and_nothing_else(postgres_url: str, conforming: str):
    """Where a statement cannot take a parameter, a scope stands in it, whatever the server makes of backslashes."""
    scopes = ["\\'; DELETE FROM records; --", "'; DELETE FROM records; --", "\\", "E'", "a\\\\'b"]
    url = f"{postgres_url}?standard_conforming_strings={conforming}"
    async with AsyncMemory(url, embedder=HashEmbedder(), background=False) as memory:
        for scope in scopes:
            await memory.remember(scope, Message(f"said in {scope}", id="1"))
        await memory.flush()
        for scope in scopes:
            await nearest.create(url, scope)
            found = await memory.recall(scope, "said", Plan(channels=("dense",)))
            assert [passage.text for passage in found.passages] == [f"said in {scope}"]
        for scope in scopes:
            await memory.forget(scope, everything=True)
    async with administering(postgres_url) as connection:
        left = await connection.fetch("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%hnsw%'")
        assert left == [], "the definition of an index names its scope"


async def test_connections_that_are_cut_are_replaced(postgres_url: str):
    """As by a restart of the server or a proxy, in whichever moment: what is done goes on, and is done once."""
    finished, again = asyncio.Event(), asyncio.Event()

    async def cut() -> None:
        async with connected(postgres_url) as connection:
            for moment in cycle(range(10)):
                await again.wait()  # a machine that is slow is not cut more often than it gets anything done
                again.clear()
                await asyncio.sleep(0.005 * moment)
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )
                if finished.is_set():
                    return

    async with AsyncMemory(postgres_url, embedder=HashEmbedder(), background=False) as memory:
        cutting = asyncio.create_task(cut())
        for n in range(40):
            again.set()
            assert (await memory.remember("u", Message(f"message {n}", id=str(n)))).ids != (None,)
            again.set()
            assert len((await memory.recall("u", "message", Plan(limit=100))).passages) == n + 1
        finished.set()
        again.set()
        await cutting
        assert (await memory.flush()).pending == 0
        assert len(await memory.records("u")) == 40
        assert await memory.check() == []
