"""What a database says of its own schema, in one form for both; but for the search, which each has in its own way."""

from dataclasses import dataclass

POSTGRES_COLUMNS = """
    SELECT table_name, column_name, is_nullable = 'YES', is_generated = 'ALWAYS', data_type
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ '^events_|^message_words'
"""
POSTGRES_INDEXES = """
    SELECT t.relname, i.indisunique, i.indpred IS NOT NULL,
           ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (n, place)
                 JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.n ORDER BY k.place)
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
    WHERE s.nspname = 'public' AND t.relname !~ '^events_|^message_words'
"""
POSTGRES_FOREIGN_KEYS = """
    SELECT c.conrelid::regclass::text, c.confrelid::regclass::text, c.confdeltype = 'c', c.condeferrable,
           ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k (n, place)
                 JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY k.place)
    FROM pg_constraint c
    WHERE c.contype = 'f' AND c.conparentid = 0 AND c.conrelid::regclass::text !~ '^message_words'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Sets, so that two of them compare by what is in them."""

    columns: frozenset[tuple[str, str, bool, bool]]  #: Table, column, whether nullable, whether generated.
    unique: frozenset[tuple[str, bool, tuple[str, ...]]]  #: Table, whether partial, columns.
    indexes: frozenset[tuple[str, bool, tuple[str, ...]]]
    foreign_keys: frozenset[tuple[str, str, bool, tuple[str, ...]]]  #: From, to, whether it cascades, columns.

    def table(self, name):
        """Return the names of a table's columns."""
        return {column for table, column, *_ in self.columns if table == name}


def sqlite_schema(connection):
    """Read a SQLite connection's schema."""
    names = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    tables = [row[0] for row in connection.execute(names) if not row[0].startswith("sqlite_")]
    columns: set[tuple[str, str, bool, bool]] = set()
    unique: set[tuple[str, bool, tuple[str, ...]]] = set()
    indexes: set[tuple[str, bool, tuple[str, ...]]] = set()
    keys: set[tuple[str, str, bool, tuple[str, ...]]] = set()
    for table in tables:
        primary = []
        for _, name, kind, not_null, _, place, hidden in connection.execute(f"PRAGMA table_xinfo({table})"):
            row_id = place == 1 and kind == "INTEGER"
            columns.add((table, name, not (not_null or row_id or place), hidden in {2, 3}))
            primary += [(place, name)] if place else []
        unique.add((table, False, tuple(name for _, name in sorted(primary))))
        for _, index, is_unique, _, partial in connection.execute(f"PRAGMA index_list({table})"):
            named = tuple(row[2] for row in connection.execute(f"PRAGMA index_info({index})"))
            (unique if is_unique else indexes).add((table, bool(partial), named))
        by_id: dict[int, list[tuple[int, str]]] = {}
        facts = {}
        for number, place, target, source, _, _, on_delete, _ in connection.execute(
            f"PRAGMA foreign_key_list({table})"
        ):
            by_id.setdefault(number, []).append((place, source))
            facts[number] = (target, on_delete == "CASCADE")
        keys |= {(table, *facts[n], tuple(name for _, name in sorted(parts))) for n, parts in by_id.items()}
    return Schema(
        columns=frozenset(columns),
        unique=frozenset(unique),
        indexes=frozenset(indexes),
        foreign_keys=frozenset(keys),
    )


def postgres_schema(connection):
    """Read a PostgreSQL connection's schema."""
    indexes = [(t, u, p, tuple(c)) for t, u, p, c in connection.execute(POSTGRES_INDEXES)]
    return Schema(
        columns=frozenset((t, c, null, made) for t, c, null, made, _ in connection.execute(POSTGRES_COLUMNS)),
        unique=frozenset((t, partial, columns) for t, is_unique, partial, columns in indexes if is_unique),
        indexes=frozenset((t, partial, columns) for t, is_unique, partial, columns in indexes if not is_unique),
        foreign_keys=frozenset((s, t, c, tuple(k)) for s, t, c, _, k in connection.execute(POSTGRES_FOREIGN_KEYS)),
    )
