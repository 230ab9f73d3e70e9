"""The durable half of Salix: tables, migrations, and typed functions over them, on SQLite or PostgreSQL.

Promises: what a committed transaction wrote is there after a crash; of two that race for one key, one wins, and the
other is told that it is a duplicate. Knows nothing of nodes and guests.
"""

from salix.store.store import Store, StoreUnavailable

__all__ = ["Store", "StoreUnavailable"]
