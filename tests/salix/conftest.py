"""`database`: the URL of an empty database, of each sort that is here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.salix.databases import new_database, postgresql


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str | None]:
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/salix.db"
    server = request.getfixturevalue("postgresql_server")
    if server is None:
        pytest.skip("PostgreSQL is not installed: only SQLite is tested")
    return new_database(server)
