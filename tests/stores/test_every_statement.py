"""Every named statement is valid on both databases, against the schema as it is."""

import apsw
import psycopg
import pytest

from relance.storage.parameters import postgres_parameters, sqlite_parameters
from relance.storage.statements import Dialect, load_statements
from store_places import postgres_place, sqlite_place


def empty(parameters):
    """Give each parameter no value: an empty array, or NULL, whose type the database must find by itself."""
    return {name: [] if name.endswith("_list") else None for name in parameters}


@pytest.mark.parametrize("name", sorted(load_statements(Dialect.SQLITE)))
def test_sqlite_can_plan_every_statement(sqlite_schema, name):
    """A misspelt column is found here and not by the first customer."""
    statement = load_statements(Dialect.SQLITE)[name]

    assert list(sqlite_schema.execute("EXPLAIN " + statement.sql, sqlite_parameters(empty(statement.parameters))))


@pytest.mark.postgres
@pytest.mark.parametrize("name", sorted(load_statements(Dialect.POSTGRES)))
def test_postgres_can_plan_every_statement(postgres_schema, name):
    """Also with NULL for every value: where PostgreSQL cannot infer a type the statement names it."""
    statement = load_statements(Dialect.POSTGRES)[name]
    try:
        with postgres_schema.transaction(force_rollback=True):
            plan = postgres_schema.execute(
                "EXPLAIN " + statement.sql, postgres_parameters(empty(statement.parameters))
            ).fetchall()
    except psycopg.Error as error:
        pytest.fail(f"{error}\n{statement.sql}", pytrace=False)

    assert plan


def test_both_databases_have_the_same_statements_with_the_same_parameters():
    """A shadow changes how, never what; only taking PostgreSQL's migration lock has no twin."""
    takes = {
        dialect: {name: statement.parameters for name, statement in load_statements(dialect).items()}
        for dialect in Dialect
    }
    takes[Dialect.POSTGRES].pop("migrations.lock")

    assert takes[Dialect.SQLITE] == takes[Dialect.POSTGRES]


@pytest.fixture(scope="module")
def sqlite_schema(tmp_path_factory):
    """Return a connection to a SQLite database with its schema."""
    connection = apsw.Connection(str(sqlite_place(tmp_path_factory.mktemp("schema"))))
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def postgres_schema(postgres_databases):
    """Return a connection to a PostgreSQL database with its schema."""
    url = postgres_place(postgres_databases)
    with psycopg.connect(url) as connection:
        yield connection
    postgres_databases.drop(url)
