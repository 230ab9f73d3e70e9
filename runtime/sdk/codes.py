"""The numbers of the SDK's ABI 1, as `spinfoam.h` names them without the prefix. A test compares them with the header.

Status codes are negative, so that one comparison tells them from handles, lengths and answers. They are plain integers
and not an enumeration: a call costs about a microsecond, an enumeration's arithmetic a third of one.
"""

from __future__ import annotations

from typing import Final

INVALID: Final = -1  # no such handle, or not of the right kind; malformed text
LIMIT: Final = -2  # something would be larger, deeper, longer, or more than it may be
TIMEOUT: Final = -3
DENIED: Final = -4  # the object lacks this capability, or its arguments differ from what was granted
HOST_ERROR: Final = -5  # the embedder answered a call with an error
CLOSED: Final = -6

NULL: Final = 0
BOOL: Final = 1
NUMBER: Final = 2
STRING: Final = 3
ARRAY: Final = 4
OBJECT: Final = 5

MAX_TIMEOUT_MS: Final = 86_400_000  # 24 hours; longer waits, and negative ones, which are huge unsigned, become this
MAX_HANDLES: Final = 128  # live ones, of one object
MAX_VALUE_BYTES: Final = 16 * 1024  # of a value, encoded; of a text or bytes that a guest passes
MAX_VALUE_DEPTH: Final = 32  # containers around the innermost value
MAX_VALUE_NODES: Final = 4096  # values in a value, itself included; keys do not count
MAX_LOG_BYTES: Final = 1024
