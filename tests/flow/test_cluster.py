"""What an administrator does to a PostgreSQL database: spread it over a cluster, wall its scopes off.

Citus is played by functions that write down how they were called. Row-level security is PostgreSQL's own, with roles
made for each test; of the roles it knows names and rights, of the memory what can be seen in it.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import pytest

from fabula import AsyncMemory, Confined, Image, InvalidInput, Message, StoreUnavailable
from fabula.abc import Clock
from fabula.memory import local_now
from fabula.stores import cluster, leasing, reading
from fabula.stores.postgres import PostgresStore
from fabula.stores.server import asyncpg
from fabula.stores.statements import TABLES
from fabula.testing import FakeClock, HashEmbedder

SCHEMAS = pytest.mark.parametrize("schema", ["", "?schema=own"], ids=["public", "own"])


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Any]:
    """A connection of our own, beside any memory."""
    connection = await asyncpg().connect(url.partition("?")[0])
    try:
        if "schema=own" in url:
            await connection.execute("SET search_path TO own, public")
        yield connection
    finally:
        await connection.close()


async def ask(url: str, sql: str, *params: object) -> list[Any]:
    """The first column of what a statement gives."""
    async with connected(url) as connection:
        return [row[0] for row in await connection.fetch(sql, *params)]


async def run(url: str, *sql: str) -> None:
    async with connected(url) as connection:
        for one in sql:
            await connection.execute(one)


def opened(url: str, *, background: bool = False, clock: Clock = local_now) -> AsyncMemory:
    return AsyncMemory(url, embedder=HashEmbedder(), background=background, clock=clock)


# --- over a cluster ----------------------------------------------------------------------------------------------

CITUS = """
    CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY);
    CREATE TABLE citus_calls (at serial, call text);
    CREATE TABLE citus_faults (call text);

    CREATE FUNCTION citus_called(call text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM citus_faults f WHERE f.call = citus_called.call) THEN
            RAISE EXCEPTION 'a node is gone';
        END IF;
        INSERT INTO citus_calls (call) VALUES (call);
    END $$;

    CREATE FUNCTION create_distributed_table(
        table_name regclass, distribution_column text, colocate_with text DEFAULT 'default', shard_count int DEFAULT 32
    ) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        IF colocate_with NOT IN ('none', 'default')
            AND colocate_with::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
            RAISE EXCEPTION '% is not distributed', colocate_with;
        END IF;
        PERFORM citus_called(format('distribute %s by %s with %s', table_name, distribution_column, colocate_with)
            || CASE WHEN colocate_with = 'none' THEN ' in ' || shard_count ELSE '' END);
        INSERT INTO pg_dist_partition VALUES (table_name);
    END $$;

    CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        PERFORM citus_called('copy ' || table_name);
        INSERT INTO pg_dist_partition VALUES (table_name);
    END $$;

    CREATE FUNCTION truncate_local_data_after_distributing_table(function_name regclass) RETURNS void
    LANGUAGE plpgsql AS $$ BEGIN
        IF function_name NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
            RAISE EXCEPTION '% is not distributed', function_name;
        END IF;
        PERFORM citus_called('empty ' || function_name);
    END $$;

    CREATE FUNCTION citus_total_relation_size(logicalrelid regclass, fail_on_error bool DEFAULT true) RETURNS bigint
    LANGUAGE sql AS 'SELECT 4321::bigint';
"""
SPREAD = ("scopes", *(table for table in TABLES if table != "scopes"))


def distributing(shards: int = cluster.SHARDS) -> list[str]:
    """The calls that spread everything, in order."""
    calls: list[str] = []
    for table in SPREAD:
        how = f"with none in {shards}" if table == "scopes" else "with scopes"
        calls += [f"distribute {table} by scope {how}", f"empty {table}"]
    return [*calls, "copy fabula_migrations"]


async def called(url: str) -> list[str]:
    """What was asked of Citus, in order; a table may be emptied again, which changes nothing."""
    calls = dict.fromkeys(await ask(url, "SELECT call FROM citus_calls ORDER BY at"))
    return [call.replace("own.", "") for call in calls]


@pytest.fixture
async def citus(empty_postgres_url: str) -> str:
    """The URL of an empty database that says it has Citus."""
    await run(empty_postgres_url, CITUS)
    return empty_postgres_url


async def remembered(url: str, *scopes: str) -> None:
    async with opened(url) as memory:
        for scope in scopes:
            await memory.remember(scope, Message(f"We drank tea with {scope}", id="tea"))
        await memory.flush()


class TestDistribute:
    @SCHEMAS
    async def test_every_table_once_and_beside_the_scopes(self, citus: str, schema: str):
        url = citus + schema
        await remembered(url, "u")
        assert await cluster.distribute(url, 7) == list(SPREAD)
        assert await called(url) == distributing(7)

    async def test_an_empty_database_gets_its_schema_first(self, citus: str):
        assert await cluster.distribute(citus) == list(SPREAD)
        assert await called(citus) == distributing()
        assert sorted(await ask(citus, "SELECT logicalrelid::text FROM pg_dist_partition")) == sorted(
            [*TABLES, "fabula_migrations"]
        )

    @SCHEMAS
    async def test_again_it_does_nothing(self, citus: str, schema: str):
        url = citus + schema
        await cluster.distribute(url, 7)
        assert await cluster.distribute(url, 9) == []
        assert await called(url) == distributing(7)

    @SCHEMAS
    async def test_a_memory_goes_on(self, citus: str, schema: str):
        url = citus + schema
        async with opened(url) as before:
            await before.remember("u", Message("We drank tea in Porto", id="1"))
            await cluster.distribute(url)
            async with opened(url) as memory:
                assert (await memory.remember("u", Message("Later it rained", id="2"))).added == 1
                assert (await before.remember("v", "我们在波尔图喝茶")).added == 1
                assert (await memory.flush()).pending == 0
                for one in (before, memory):
                    assert {passage.text for passage in (await one.recall("u", "tea rained")).passages} == {
                        "We drank tea in Porto", "Later it rained",
                    }  # fmt: skip
                    assert await one.scopes() == ["u", "v"]
                    assert await one.check() == []
                stats = await memory.stats()
                assert stats.records["passage"] == 3
                assert stats.bytes == dict.fromkeys(TABLES, 4321), "of all nodes together"
                assert 0 < (await memory.stats("u")).bytes["records"] < 4321
                assert await memory.forget("u", everything=True)
                assert await memory.scopes() == ["v"]

    async def test_it_is_told(self, citus: str):
        for done in (False, True):
            if done:
                await cluster.distribute(citus)
            store = PostgresStore(citus)
            await store.open()
            assert (await store.described())["distributed"] == ("over a Citus cluster, by scope" if done else "no")
            await store.close()

    @pytest.mark.parametrize("at", range(0, len(distributing()), 4))
    async def test_what_was_half_done_is_completed(self, citus: str, at: int):
        fault = distributing()[at]
        assert fault.startswith(("distribute", "copy"))
        await remembered(citus, "u")
        await run(citus, f"INSERT INTO citus_faults VALUES ('{fault}')")
        with pytest.raises(StoreUnavailable, match="a node is gone"):
            await cluster.distribute(citus)
        assert await called(citus) == distributing()[:at]
        async with opened(citus) as memory:
            assert (await memory.remember("u", f"Then it stopped at {at}")).added == 1
            assert await memory.check() == []
        await run(citus, "DELETE FROM citus_faults")
        assert await cluster.distribute(citus) == list(SPREAD[at // 2 :])
        assert await called(citus) == distributing()
        assert await cluster.distribute(citus) == []

    async def test_what_was_copied_to_the_nodes_does_not_stay_behind_after_an_interruption(self, citus: str):
        await remembered(citus, "u")
        await run(citus, "INSERT INTO citus_faults VALUES ('empty records')")
        with pytest.raises(StoreUnavailable):
            await cluster.distribute(citus)
        await run(citus, "DELETE FROM citus_faults")
        await cluster.distribute(citus)
        # Otherwise the coordinator keeps the old rows for good, also of what is forgotten later.
        assert [f"empty {table}" for table in SPREAD if f"empty {table}" not in await called(citus)] == []

    async def test_two_memories_in_one_database_are_spread_one_by_one(self, citus: str):
        own = f"{citus}?schema=own"
        await remembered(own, "u")
        await remembered(citus, "u")
        assert await cluster.distribute(own, 5) == list(SPREAD)
        store = PostgresStore(citus)
        await store.open()
        assert (await store.described())["distributed"] == "no"
        await store.close()
        assert await cluster.distribute(citus, 6) == list(SPREAD)
        calls = await ask(citus, "SELECT call FROM citus_calls ORDER BY at")
        assert [call.replace("own.", "") for call in calls] == [*distributing(5), *distributing(6)]

    async def test_without_citus_nothing_is_done(self, postgres_url: str):
        with pytest.raises(StoreUnavailable, match="this database has no Citus: install it on every node"):
            await cluster.distribute(postgres_url)
        assert await ask(postgres_url, "SELECT 1 FROM pg_proc WHERE proname LIKE '%distribut%'") == []


# --- walls -------------------------------------------------------------------------------------------------------

SCOPES = (
    "u",
    "O'Brien",
    "a\\b",
    "\\' OR true --",
    "'; DROP TABLE records; --",
    "用户 甲",
    'say "hi"',
    "$1 :scope %s $$",
)
NAMES = {"O'Brien": 1, "'; DROP TABLE records; --": 1}
"""How many entities rules find in a message that says the scope: the others' names are no names."""
HIDDEN = "row-level security"


@dataclass(frozen=True)
class Walled:
    """A memory in a database with three roles: who owns the tables, who serves users, who does the work."""

    administrator: str
    owner: str
    app: str
    worker: str
    names: dict[str, str]

    async def secure(self) -> None:
        await cluster.secure(self.owner, self.names["app"], self.names["worker"])


def named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(params=["", "?schema=own"], ids=["public", "own"])
async def walled(request: pytest.FixtureRequest, empty_postgres_url: str) -> AsyncIterator[Walled]:
    """A memory of a role that is no superuser, not walled off yet, and two roles without rights."""
    url, schema = empty_postgres_url, request.param
    mark = uuid4().hex[:8]
    names = {role: f"{role} of 'fabula' \"{mark}\" 甲" for role in ("Owner", "app", "worker")}
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    urls = [parts._replace(netloc=f"{quote(name, safe='')}:s3cret@{host}").geturl() + schema for name in names.values()]
    database = named(parts.path[1:])
    await run(
        url,
        "CREATE EXTENSION vector",
        *(f"CREATE ROLE {named(name)} LOGIN PASSWORD 's3cret'" for name in names.values()),
        f"GRANT CREATE ON DATABASE {database} TO {named(names['Owner'])}",
        f"GRANT CREATE ON SCHEMA public TO {named(names['Owner'])}",
    )
    everybody = ", ".join(map(named, names.values()))
    try:
        async with opened(urls[0]):
            pass
        owner, app, worker = urls
        yield Walled(url + schema, owner, app, worker, names)
    finally:  # roles are the server's, not the database's
        await run(url, f"DROP OWNED BY {everybody} CASCADE", f"DROP ROLE {everybody}")


@pytest.fixture
async def secured(walled: Walled) -> Walled:
    """The same, walled off."""
    await walled.secure()
    return walled


async def filled(walled: Walled) -> None:
    """Put something of every scope into every table."""
    async with opened(walled.app) as memory:
        for scope in SCOPES:
            await memory.remember(scope, [Message(f"tea with {scope}", id="1"), Message("forgotten", id="2")])
            await memory.flush(scope)
            await memory.forget(scope, refs=["2"])
            await memory.remember(scope, Message("Later it rained", id="4", images=(Image(data=b"GIF89a"),)))
            await memory.recall(scope, "tea")
            await memory.flush(scope)
            await memory.remember(scope, Message("left to do", id="3"))
    store = PostgresStore(walled.app)
    await store.open()
    now = FakeClock("2100-01-01")()
    for scope in SCOPES:
        assert await store.lease("somebody", ["embed"], now, 60, scope=scope)
    await store.close()


async def seen(connection: Any, table: str) -> set[str]:
    """Whose rows of a table there are, for this connection."""
    return {row[0] for row in await connection.fetch(f"SELECT scope FROM {table}")}


async def entered(connection: Any, scope: str) -> None:
    await connection.execute("SELECT set_config('fabula.scope', $1, true)", scope)


class TestWalls:
    async def test_a_connection_sees_the_scope_it_names_and_nothing_else(self, secured: Walled):
        await filled(secured)
        async with connected(secured.administrator) as connection:
            for table in TABLES:
                assert await seen(connection, table) == set(SCOPES), "so that there is something to hide"
        async with connected(secured.app) as connection:
            for scope in (*SCOPES, "nobody", ""):
                async with connection.transaction():
                    await entered(connection, scope)
                    for table in TABLES:
                        assert await seen(connection, table) == {scope} & set(SCOPES)
                for table in TABLES:
                    assert await seen(connection, table) == set(), "before any was named, and after the transaction"

    async def test_nothing_is_written_into_another_scope(self, secured: Walled):
        await filled(secured)
        denied = pytest.raises(asyncpg().InsufficientPrivilegeError, match=HIDDEN)
        for table in TABLES:
            move = f"UPDATE {table} SET scope = 'another'"
            copy = f'INSERT INTO {table} SELECT (jsonb_populate_record(t, \'{{"scope": "another"}}\')).* FROM {table} t'
            for statement in (move, copy):
                async with connected(secured.app) as connection:
                    with denied:
                        async with connection.transaction():
                            await entered(connection, "u")
                            await connection.execute(statement)
        async with connected(secured.app) as connection, connection.transaction():
            await entered(connection, "u")
            assert await connection.execute("INSERT INTO tombstones (scope, id) VALUES ('u', 'mine')") == "INSERT 0 1"
            for table in TABLES:
                assert await connection.execute(f"DELETE FROM {table} WHERE scope = '用户 甲'") == "DELETE 0"
                await connection.execute(f"DELETE FROM {table}")
        async with connected(secured.administrator) as connection:
            for table in TABLES:
                assert await seen(connection, table) == set(SCOPES) - {"u"}

    async def test_a_connection_that_names_no_scope_writes_nothing(self, secured: Walled):
        await filled(secured)
        async with connected(secured.app) as connection:
            for scope in ("u", ""):
                with pytest.raises(asyncpg().InsufficientPrivilegeError, match=HIDDEN):
                    await connection.execute("INSERT INTO tombstones (scope, id) VALUES ($1, 'x')", scope)
            assert await connection.execute("DELETE FROM records") == "DELETE 0"

    async def test_nobody_takes_the_wall_off_who_is_bound_by_it(self, secured: Walled):
        await filled(secured)
        async with connected(secured.app) as connection:
            await connection.execute("SET row_security TO off")
            with pytest.raises(asyncpg().InsufficientPrivilegeError, match=HIDDEN):
                await connection.fetch("SELECT * FROM records")
            for statement in (
                "ALTER TABLE records DISABLE ROW LEVEL SECURITY",
                "DROP POLICY fabula_scope ON records",
                f"SET ROLE {named(secured.names['worker'])}",
                "TRUNCATE records",
            ):
                with pytest.raises(asyncpg().InsufficientPrivilegeError):
                    await connection.execute(statement)

    async def test_a_statement_that_forgot_its_scope_shows_nothing_of_others(self, secured: Walled):
        await filled(secured)
        store = PostgresStore(secured.app)
        await store.open()
        for scope in SCOPES:
            # Statements that are meant for all scopes, in a transaction of one.
            assert await store.reads(scope, reading.scopes) == [scope]
            counted = await store.reads(scope, reading.counts, None)
            assert (counted.scopes, counted.records["passage"], counted.sessions) == (1, 3, 1)
        await store.close()

    async def test_a_scope_is_named_for_one_transaction_alone(self, secured: Walled, monkeypatch: pytest.MonkeyPatch):
        await filled(secured)
        store = PostgresStore(secured.app)
        await store.open()
        left: list[int] = []
        release = asyncpg().Pool.release

        async def looked(pool: Any, connection: Any, **options: Any) -> None:
            left.append(await connection.fetchval("SELECT count(*) FROM records"))
            await release(pool, connection, **options)

        # Behind a pooler the connection may be somebody else's as soon as the transaction has ended.
        monkeypatch.setattr(asyncpg().Pool, "release", looked)
        assert await store.reads("u", reading.scopes) == ["u"]
        await store.writes(leasing.retry, "u", 1)
        assert left == [0, 0]
        await store.close()

    async def test_the_owner_of_the_tables_is_bound_too(self, secured: Walled):
        await filled(secured)
        async with connected(secured.owner) as connection:
            async with connection.transaction():
                await entered(connection, "u")
                for table in TABLES:
                    assert await seen(connection, table) == set()
            with pytest.raises(asyncpg().InsufficientPrivilegeError, match=HIDDEN):
                await connection.execute("INSERT INTO tombstones (scope, id) VALUES ('u', 'x')")
        async with opened(secured.owner) as memory:
            assert await memory.records("u") == []
            with pytest.raises(StoreUnavailable, match=HIDDEN) as caught:
                await memory.remember("u", "not mine")
            assert len(str(caught.value).splitlines()) == 1


class TestAsTheApplication:
    @pytest.mark.parametrize("pool", [1, 4])
    async def test_every_verb_works_on_a_named_scope(self, secured: Walled, pool: int):
        url = f"{secured.app}{'&' if '?' in secured.app else '?'}pool={pool}"
        async with opened(url) as memory:

            async def use(scope: str) -> None:
                tea = f"We drank tea with {scope}"
                receipt = await memory.remember(scope, [Message(tea, id="1"), Message("Later it rained", id="2")])
                assert receipt.added == 2
                assert (await memory.flush(scope)).pending == 0
                assert {one.text for one in (await memory.recall(scope, "tea")).passages} == {tea, "Later it rained"}
                assert [one.text for one in await memory.records(scope)] == [tea, "Later it rained"]
                assert len(await memory.records(scope, "frame")) == 1
                assert receipt.ids[0]
                assert await memory.get(scope, receipt.ids[0])
                named = NAMES.get(scope, 0)
                assert await memory.reindex(scope) == 3 + named, "two passages, a frame and whom they name"
                assert await memory.reembed(scope) == 0
                stats = await memory.stats(scope)
                assert (stats.scopes, stats.records["passage"], stats.pending) == (1, 2, {})
                assert stats.bytes["records"] > 0
                assert await memory.check(scope) == []
                assert await memory.forget(scope, refs=["2"])
                assert [one.text for one in await memory.records(scope)] == [tea]

            await asyncio.gather(*map(use, SCOPES))
            assert await memory.forget("u", everything=True)
            assert await memory.records("u") == []
        assert await ask(secured.administrator, "SELECT scope FROM scopes ORDER BY scope") == sorted({*SCOPES} - {"u"})

    async def test_of_all_scopes_nothing_can_be_asked(self, secured: Walled):
        await filled(secured)
        async with opened(secured.app) as memory:
            calls: list[Callable[[], Awaitable[Any]]] = [
                memory.scopes, memory.stats, memory.check, memory.flush, memory.reindex, memory.reembed,
            ]  # fmt: skip
            for call in calls:
                with pytest.raises(Confined, match="name the scope") as caught:
                    await call()
                assert len(str(caught.value).splitlines()) == 1
                assert "s3cret" not in str(caught.value)

    async def test_what_it_writes_itself_is_understood_in_the_background(self, secured: Walled):
        async with opened(secured.app, background=True) as memory, asyncio.timeout(20):
            await memory.remember("u", "We drank tea")
            while "embed" in (await memory.stats("u")).pending:  # noqa: ASYNC110 - the background tells nobody
                await asyncio.sleep(0.02)
            assert await memory.check("u") == []

    async def test_the_message_names_the_database_and_no_password(self, secured: Walled):
        async with opened(secured.app) as memory:
            with pytest.raises(Confined) as caught:
                await memory.scopes()
        shown = urlsplit(secured.app)._replace(query="")
        assert str(caught.value).startswith(f"postgresql://{shown.netloc.rpartition('@')[2]}{shown.path}: ")


class TestAsTheWorker:
    async def test_it_does_the_work_of_all_scopes(self, secured: Walled):
        async with opened(secured.app) as app, opened(secured.worker) as worker:
            for scope in SCOPES:
                await app.remember(scope, [f"tea with {scope}", "Later it rained"])
            assert sum((await worker.stats()).pending.values()) == 4 * len(SCOPES)
            assert (await worker.flush()).pending == 0
            assert await worker.scopes() == sorted(SCOPES)
            assert await worker.check() == []
            for scope in SCOPES:
                assert len(await app.records(scope, "frame")) == 1
                assert (await app.stats(scope)).pending == {}

    async def test_it_does_so_by_itself(self, secured: Walled):
        async with opened(secured.app, clock=FakeClock("2024-03-01")) as app:
            for scope in SCOPES:
                await app.remember(scope, f"tea with {scope}")
        async with opened(secured.worker, background=True) as worker, asyncio.timeout(20):
            while (await worker.stats()).pending:  # noqa: ASYNC110 - the background tells nobody
                await asyncio.sleep(0.02)
            assert (await worker.stats()).records["frame"] == len(SCOPES)
            assert await worker.check() == []


class TestSecure:
    async def test_twice_is_once(self, secured: Walled):
        policies = "SELECT tablename || ' ' || policyname FROM pg_policies ORDER BY 1"
        once = await ask(secured.owner, policies)
        await secured.secure()
        assert await ask(secured.owner, policies) == once
        assert len(once) == 2 * len(TABLES)
        await filled(secured)
        async with connected(secured.app) as connection:
            assert await seen(connection, "records") == set()

    async def test_it_is_taken_off_and_put_back(self, secured: Walled):
        await filled(secured)
        for _ in range(2):
            await cluster.open_up(secured.owner)
        for url in (secured.app, secured.owner, secured.worker):
            async with connected(url) as connection:
                for table in TABLES:
                    assert await seen(connection, table) == set(SCOPES)
        async with opened(secured.app) as memory:
            assert await memory.scopes() == sorted(SCOPES)
            assert (await memory.remember("u", "open to all")).added == 1
        await secured.secure()
        async with connected(secured.app) as connection:
            assert await seen(connection, "records") == set()
        async with opened(secured.app) as memory:
            assert "open to all" in {one.text for one in await memory.records("u")}
            with pytest.raises(Confined):
                await memory.scopes()

    async def test_it_is_told(self, walled: Walled):
        async def told(url: str) -> str:
            store = PostgresStore(url)
            await store.open()
            try:
                return (await store.described())["row-level security"]
            finally:
                await store.close()

        assert await told(walled.owner) == "off"
        await walled.secure()
        for url in (walled.owner, walled.app, walled.worker):
            assert await told(url) == "on"
        await cluster.open_up(walled.owner)
        assert await told(walled.app) == "off"

    async def test_a_memory_that_is_there_already_is_walled_off_as_it_is(self, walled: Walled):
        await remembered(walled.owner, *SCOPES)
        await walled.secure()
        async with opened(walled.app) as memory:
            for scope in SCOPES:
                assert [one.text for one in await memory.records(scope)] == [f"We drank tea with {scope}"]
                assert await memory.check(scope) == []

    async def test_over_a_cluster(self, walled: Walled):
        await run(walled.administrator.partition("?")[0], CITUS)
        rights = f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {named(walled.names['Owner'])}"
        reading_ = f"GRANT SELECT ON pg_dist_partition TO {', '.join(named(name) for name in walled.names.values())}"
        sequence = f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {named(walled.names['Owner'])}"
        await run(walled.administrator.partition("?")[0], rights, reading_, sequence)
        await cluster.distribute(walled.owner)
        await walled.secure()
        async with opened(walled.app) as memory:
            for scope in SCOPES:
                assert (await memory.remember(scope, f"tea with {scope}")).added == 1
                assert (await memory.flush(scope)).pending == 0
                assert [one.text for one in await memory.records(scope)] == [f"tea with {scope}"]


async def refused(walled: Walled, app: str, worker: str) -> str:
    """Why the roles are refused; nothing has changed then."""
    with pytest.raises(InvalidInput) as caught:
        await cluster.secure(walled.owner, app, worker)
    (line,) = str(caught.value).splitlines()
    assert await ask(walled.owner, "SELECT tablename FROM pg_policies") == []
    return line


class TestRolesThatWouldNotBeBound:
    @pytest.mark.parametrize("walled", [""], indirect=True, ids=["public"])
    async def test_one_that_is_not_there(self, walled: Walled):
        app, worker = walled.names["app"], walled.names["worker"]
        assert await refused(walled, "nobody", worker) == (
            "there is no role 'nobody': CREATE ROLE nobody LOGIN PASSWORD '…'"
        )
        assert "there is no role 'APP'" in await refused(walled, app, "APP")
        assert "there is no role" in await refused(walled, "app; DROP TABLE records", worker)

    @pytest.mark.parametrize("walled", [""], indirect=True, ids=["public"])
    @pytest.mark.parametrize("right", ["SUPERUSER", "BYPASSRLS"])
    async def test_one_that_stands_above_it(self, walled: Walled, right: str):
        await run(walled.administrator, f"ALTER ROLE {named(walled.names['app'])} {right}")
        assert "bypasses row-level security" in await refused(walled, walled.names["app"], walled.names["worker"])

    @pytest.mark.parametrize("walled", [""], indirect=True, ids=["public"])
    async def test_one_for_both(self, walled: Walled):
        assert "a member of the worker's role" in await refused(walled, walled.names["app"], walled.names["app"])

    @pytest.mark.parametrize("walled", [""], indirect=True, ids=["public"])
    async def test_one_that_may_do_what_the_worker_may(self, walled: Walled):
        app, worker = walled.names["app"], walled.names["worker"]
        await run(walled.administrator, f"GRANT {named(worker)} TO {named(app)}")
        assert "a member of the worker's role" in await refused(walled, app, worker)

    @pytest.mark.parametrize("walled", [""], indirect=True, ids=["public"])
    async def test_one_that_owns_the_tables(self, walled: Walled):
        owner, worker = walled.names["Owner"], walled.names["worker"]
        assert "owns the tables" in await refused(walled, owner, worker)
