"""The services that the seed's URL leads to: what the file says, read as YAML (nothing is started)."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabula.stores.server import Address

ROOT = Path(__file__).parents[2]
URL = "postgresql+asyncpg://neuromemory:neuromemory@localhost:5432/neuromemory"


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))


def test_the_seeds_url_leads_to_the_database(compose: Any):
    address = Address.parse(URL)
    db = compose["services"]["db"]
    assert (address.shown, db["image"]) == ("postgresql://localhost:5432/neuromemory", "pgvector/pgvector:pg18")
    names = [db["environment"][f"POSTGRES_{name}"] for name in ("USER", "PASSWORD", "DB")]
    assert names == ["neuromemory", "${POSTGRES_PASSWORD:-neuromemory}", "neuromemory"]
    assert address.dsn.startswith("postgresql://neuromemory:neuromemory@localhost:5432/neuromemory")
    assert db["ports"] == ["127.0.0.1:5432:5432"]


@pytest.mark.parametrize("service", ["db", "minio"])
def test_what_keeps_data_keeps_it_and_says_whether_it_is_well(compose: Any, service: str):
    said = compose["services"][service]
    assert said["healthcheck"]["test"][0] == "CMD"
    (volume,) = said["volumes"]
    assert volume.partition(":")[0] in compose["volumes"]
    assert all(port.startswith("127.0.0.1:") for port in said["ports"]), "a known password stays on this machine"


def test_the_bucket_is_made_when_there_is_something_to_make_it_in(compose: Any):
    bucket = compose["services"]["bucket"]
    assert bucket["depends_on"] == {"minio": {"condition": "service_healthy"}}
    assert bucket["entrypoint"][-1] == "files/neuromemory"
