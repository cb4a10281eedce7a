"""The URL of a PostgreSQL database: every way to write it, what is refused, and that the password is never shown.

It knows nothing of what is kept in the database.
"""

import asyncio
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from server import PASSWORD, Databases, Server

from fabula import InvalidInput, StoreUnavailable
from fabula.stores import open_store
from fabula.stores.postgres import PostgresStore
from fabula.stores.server import CACHE, POOL, Address

SPELLINGS = ("postgresql", "postgres", "postgresql+asyncpg", "postgresql+psycopg", "postgresql+psycopg2")
SECRETS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), min_size=8, max_size=20)


def asked_for(address: Address) -> tuple[Any, ...]:
    """What the driver reads out of the address: user, password, host, port and database."""
    parts = urlsplit(address.dsn)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    user, password = (unquote(part) if part else None for part in (parts.username, parts.password))
    return user, password, parts.hostname or query.get("host"), parts.port, unquote(parts.path[1:])


# --- what can be written -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SPELLINGS)
def test_every_spelling_is_the_same_address(scheme: str):
    address = Address.parse(f"{scheme}://ann:secret@db.example:6432/memories?sslmode=require")
    assert address == Address.parse("postgresql://ann:secret@db.example:6432/memories?sslmode=require")
    assert asked_for(address) == ("ann", "secret", "db.example", 6432, "memories")
    assert str(address) == "postgresql://db.example:6432/memories"
    assert address.dsn.startswith("postgresql://")


@pytest.mark.parametrize("scheme", SPELLINGS)
def test_every_spelling_is_a_store(scheme: str):
    store = open_store(f"{scheme}://ann:secret@db.example/memories")
    assert isinstance(store, PostgresStore)
    assert str(store.address) == "postgresql://db.example/memories"


@pytest.mark.parametrize(("url", "wanted", "shown"), [
    ("postgresql://h/d", (None, None, "h", None, "d"), "postgresql://h/d"),
    ("postgresql://ann@h/d", ("ann", None, "h", None, "d"), "postgresql://h/d"),
    ("postgresql://a%40b:p%40s%3A%2F@h/d%2Fe%3F", ("a@b", "p@s:/", "h", None, "d/e?"), "postgresql://h/d/e?"),
    ("postgresql://用户:口令@h/记忆", ("用户", "口令", "h", None, "记忆"), "postgresql://h/记忆"),
    ("postgresql://%E7%94%A8:x@h/%E8%AE%B0", ("用", "x", "h", None, "记"), "postgresql://h/记"),
    ("postgresql://a@[::1]:5433/d", ("a", None, "::1", 5433, "d"), "postgresql://[::1]:5433/d"),
    ("postgresql://a@[2001:db8::7]/d", ("a", None, "2001:db8::7", None, "d"), "postgresql://[2001:db8::7]/d"),
    ("postgresql://a:b@/d?host=/run/pg", ("a", "b", "/run/pg", None, "d"), "postgresql:///d"),
    ("postgresql:///d?host=%2Frun%2Fpg", (None, None, "/run/pg", None, "d"), "postgresql:///d"),
    ("postgresql:///d?host=db.example", (None, None, "db.example", None, "d"), "postgresql://db.example/d"),
    ("postgresql:///d", (None, None, None, None, "d"), "postgresql://localhost/d"),
    ("postgresql://", (None, None, None, None, ""), "postgresql://localhost/"),
])  # fmt: skip
def test_the_parts_reach_the_driver(url: str, wanted: tuple[Any, ...], shown: str):
    address = Address.parse(url)
    assert asked_for(address) == wanted
    assert str(address) == shown


@pytest.mark.parametrize(("given", "passed"), [
    ("sslmode=verify-full&sslrootcert=/etc/ca.pem", {"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem"}),
    ("ssl=require", {"sslmode": "require"}),
    ("sslmode=disable&ssl=require", {"sslmode": "disable"}),
    ("application_name=a+b%26c", {"application_name": "a b&c"}),
    ("schema=mine&sslmode=prefer&pool=3&statement_cache_size=0", {"sslmode": "prefer"}),
    ("schema=&pool=&statement_cache_size=", {}),
])  # fmt: skip
def test_the_query_reaches_the_driver_without_our_own(given: str, passed: dict[str, str]):
    left = parse_qs(urlsplit(Address.parse(f"postgresql://h/d?{given}").dsn).query)
    assert {name: values[-1] for name, values in left.items() if name != "ssl"} == passed


def test_the_plus_and_the_percent_of_a_path_stay_what_they_are():
    address = Address.parse(f"postgresql:///d?{urlencode({'host': '/run/a b+c%41'}, quote_via=quote)}")
    assert asked_for(address)[2] == "/run/a b+c%41"


@pytest.mark.parametrize(("given", "wanted"), [
    ("", ("", POOL, CACHE)),
    ("?schema=fabula", ("fabula", POOL, CACHE)),
    ("?schema=_a1", ("_a1", POOL, CACHE)),
    (f"?schema={'a' * 63}", ("a" * 63, POOL, CACHE)),
    ("?pool=2", ("", 2, CACHE)),
    ("?pool=0", ("", 1, CACHE)),
    ("?statement_cache_size=0", ("", POOL, 0)),
    ("?prepared_statement_cache_size=0", ("", POOL, 0)),
    ("?schema=s&pool=7&statement_cache_size=9&sslmode=prefer", ("s", 7, 9)),
])  # fmt: skip
def test_what_is_ours_in_the_query(given: str, wanted: tuple[str, int, int]):
    address = Address.parse(f"postgresql://h/d{given}")
    assert (address.schema, address.size, address.cache) == wanted


# --- what cannot -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", [
    "mysql://h/d", "postgres", "postgresql:/h/d", "", "postgresqlx://h/d", "sqlite:///d.db", "h/d",
])  # fmt: skip
def test_another_engine_is_refused(url: str):
    with pytest.raises(InvalidInput, match="begins with postgresql://"):
        Address.parse(url)


@pytest.mark.parametrize("url", ["postgresql://h:x/d", "postgresql://h:99999/d", "postgresql://[::1/d"])
def test_a_place_that_cannot_be_read_is_refused(url: str):
    with pytest.raises(InvalidInput, match="cannot be read"):
        Address.parse(url)


@pytest.mark.parametrize("name", ["A", "a-b", "a.b", "1a", "a b", '"a"', "a;drop", "名", "a" * 64, "a\n", "a,b"])
def test_a_schema_is_a_plain_name(name: str):
    with pytest.raises(InvalidInput, match="schema"):
        Address.parse(f"postgresql://h/d?{urlencode({'schema': name})}")


@pytest.mark.parametrize("number", ["x", "-1", "1.5", "1e3", "٣", "²", "9999999", " 1"])
@pytest.mark.parametrize("name", ["pool", "statement_cache_size", "prepared_statement_cache_size"])
def test_a_number_is_a_number(name: str, number: str):
    with pytest.raises(InvalidInput, match="numbers"):
        Address.parse(f"postgresql://h/d?{urlencode({name: number})}")


@pytest.mark.parametrize("query", [
    "host=127.0.0.1&port=abc", "host=127.0.0.1:abc", "host=127.0.0.1&port=99999", "host=127.0.0.1&port=1,2",
    "host=127.0.0.1&sslmode=perhaps", "host=127.0.0.1&ssl=perhaps",
    "host=127.0.0.1&sslmode=verify-ca&sslrootcert=/nowhere/ca.pem",
])  # fmt: skip
async def test_what_only_the_driver_finds_wrong_is_an_error_of_ours(query: str):
    with pytest.raises((InvalidInput, StoreUnavailable)) as caught:
        await open_store(f"postgresql://ann:hunter22@/d?{query}", busy=2).open()
    assert len(str(caught.value).splitlines()) == 1
    assert "hunter22" not in str(caught.value)


# --- the password ------------------------------------------------------------------------------------------------


def shown(url: str) -> str:
    """All that a person may come to see of a URL."""
    try:
        store = PostgresStore(url)
    except InvalidInput as error:
        seen = None if error.__suppress_context__ else error.__context__
        return f"{error} {error!r} {error.__cause__} {seen}"
    return f"{store.address} {store.address!r} {store!r}"


@given(secret=SECRETS, user=SECRETS)
@example(secret="p@ss:w/rd", user="fabula")
@example(secret="%41%zz&host=x", user="a:b@c")
def test_no_password_is_shown(secret: str, user: str):
    written = quote(secret, safe="")
    for where in (
        f"postgresql://{quote(user, safe='')}:{written}@db.example/d",
        f"postgresql+asyncpg://:{written}@[::1]:1/d?schema=s",
        f"postgresql://db.example/d?password={written}&sslpassword={written}",
        f"postgresql://db.example:x/d?password={written}",
    ):
        seen = shown(where)
        assert secret not in seen
        assert written not in seen
    address = Address.parse(f"postgresql://{quote(user, safe='')}:{written}@db.example/d")
    assert asked_for(address) == (user, secret, "db.example", None, "d")


@pytest.mark.parametrize("secret", [
    "hunter22#x", "4711#x", "4711/hunter22", "hunter22/x", "hunter22?x", "47[hunter22]11", "hunter22℀", "x@hunter22",
])  # fmt: skip
def test_a_password_that_was_not_encoded_is_not_shown_either(secret: str):
    seen = shown(f"postgresql://ann:{secret}@db.example/d")
    assert "hunter22" not in seen
    assert "4711" not in seen


# --- real connections --------------------------------------------------------------------------------------------


async def opens(url: str) -> None:
    store = open_store(url, busy=10)
    try:
        await store.open()
        await store.open()
        assert await store.scopes() == []
    finally:
        await store.close()


def over_tcp(server: Databases) -> Server:
    if not isinstance(server, Server):
        pytest.skip("the server is not ours: whether it has a password and a socket is not known")
    return server


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg"])
async def test_over_tcp_with_a_password_of_special_characters(
    postgres_server: Databases, empty_postgres_url: str, scheme: str
):
    database = urlsplit(empty_postgres_url).path[1:]
    url = over_tcp(postgres_server).url(database)
    assert quote(PASSWORD, safe="") in url
    await opens(url.replace("postgresql", scheme, 1))
    await opens(f"{url}?ssl=prefer&application_name=somebody")


async def test_over_tcp_with_the_password_in_the_query(postgres_server: Databases, empty_postgres_url: str):
    port = over_tcp(postgres_server).port
    database = urlsplit(empty_postgres_url).path
    given = urlencode({"user": "fabula", "password": PASSWORD, "port": port, "host": "127.0.0.1"})
    await opens(f"postgresql://{database}?{given}")


async def test_over_the_socket(postgres_server: Databases, empty_postgres_url: str):
    url = over_tcp(postgres_server).socket_url(urlsplit(empty_postgres_url).path[1:])
    await opens(url)
    await opens(f"{url}&schema=mine&pool=1&statement_cache_size=0")
    assert "fabula:" not in str(Address.parse(url))


def test_a_database_and_a_user_of_special_characters(postgres_server: Databases):
    server = over_tcp(postgres_server)
    name = server.create('m "1"/?#%41&记忆')
    try:
        for url in (server.url(name), server.socket_url(name)):
            asyncio.run(opens(url))
            assert str(Address.parse(url)).endswith(f"/{name}")
    finally:
        server.drop(name)
