"""What each helper of `spinfoam.h` does: `SDK_CALLS` by name. The guide says the same to those who write guests.

Rules that hold for all of them:

- A range that the guest may not read (or write) raises GuestPointerFault, which ends the guest, before anything
  changes. All of a range counts, also the part of a buffer that would not be needed: a bug shows on the first call.
- Everything else that is wrong is a status code, and then nothing has changed. A handle is whatever number the guest
  passes; negative ones, which are statuses of calls that failed, are no handle and so INVALID.
- A text or bytes that are passed and longer than 16 KiB are LIMIT, whatever the pointer: a negative status that is used
  as a length does not end the guest. Buffers to be filled may have any size.
- What makes a handle asks for room first, so that no event is taken out of the mailbox and no call made in vain.
- In names (keys, capabilities) text that is not UTF-8 is INVALID. In contents (strings, log lines) what is not becomes
  U+FFFD: a text that was cut to fit a buffer, perhaps inside a character, still arrives.

Time, events, logs and the outside world are `Services`. A call that has to wait returns None; whoever implements the
services answers the guest later.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Final, Protocol, TypeAlias

from runtime.memory import GuestMemory
from runtime.sdk.codes import (
    ARRAY,
    BOOL,
    INVALID,
    LIMIT,
    MAX_LOG_BYTES,
    MAX_TIMEOUT_MS,
    MAX_VALUE_BYTES,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
)
from runtime.sdk.handles import Handles
from runtime.sdk.values import (
    Array,
    Object,
    RefusalKind,
    Value,
    ValueRefused,
    adopt,
    decode,
    empty_array,
    empty_object,
    encode,
    text_size,
    with_item,
    with_member,
)


class Services(Protocol):
    """What the calls need of the object that makes them. Timeouts are between 0 and 24 hours here."""

    @property
    def handles(self) -> Handles: ...

    def config(self) -> Value:
        """Within the limits; it is not copied and must not be changed as long as the object lives."""

    def now_mono_ms(self) -> int:
        """Since the object's start."""

    def now_unix_ms(self) -> int: ...

    def log(self, message: str) -> int:
        """`message` has at most 1024 bytes. 0, or LIMIT if it was dropped."""

    def sleep(self, milliseconds: int) -> int | None: ...

    def yield_now(self) -> int | None: ...

    def next_event(self, timeout_ms: int) -> int | None:
        """A handle for {event_id, topic, payload}, for which there is room, or a status."""

    def host_call(self, capability: str, arguments: Value, timeout_ms: int) -> int | None:
        """A handle for the result, for which there is room, or a status. `arguments` will not change any more."""


SdkCall: TypeAlias = Callable[[Services, GuestMemory, int, int, int, int, int], int | None]

_MISSING: Final = object()
_SIGN: Final = 1 << 63
_KINDS: Final = {
    NoneType: NULL,
    bool: BOOL,
    int: NUMBER,
    float: NUMBER,
    str: STRING,
    list: ARRAY,
    Array: ARRAY,
    dict: OBJECT,
    Object: OBJECT,
}


# ---------------------------------------------------------------- time


def sleep_ms(services: Services, memory: GuestMemory, milliseconds: int, *_: int) -> int | None:
    return services.sleep(min(milliseconds, MAX_TIMEOUT_MS))


def yield_(services: Services, *_: object) -> int | None:
    return services.yield_now()


def now_mono_ms(services: Services, *_: object) -> int:
    return services.now_mono_ms()


def now_unix_ms(services: Services, *_: object) -> int:
    return services.now_unix_ms()


# ---------------------------------------------------------------- handles


def drop(services: Services, memory: GuestMemory, handle: int, *_: int) -> int:
    return services.handles.drop(handle)


def mark(services: Services, *_: object) -> int:
    return services.handles.mark()


def release(services: Services, memory: GuestMemory, made_since: int, *_: int) -> int:
    return services.handles.release(made_since)


# ---------------------------------------------------------------- inputs and effects


def config(services: Services, *_: object) -> int:
    return services.handles.add(services.config())


def event_next(services: Services, memory: GuestMemory, timeout_ms: int, *_: int) -> int | None:
    if services.handles.full:
        return LIMIT
    return services.next_event(min(timeout_ms, MAX_TIMEOUT_MS))


def host_call(
    services: Services, memory: GuestMemory, capability: int, length: int, parameters: int, timeout_ms: int, *_: int
) -> int | None:
    name = _name(memory, capability, length)
    if isinstance(name, int):
        return name
    handles = services.handles
    arguments = handles.entries.get(parameters, _MISSING)
    if arguments is _MISSING or isinstance(arguments, bytes):
        return INVALID
    if handles.full:
        return LIMIT
    if isinstance(arguments, Array | Object):
        arguments.frozen = True  # the call may still be on its way when the guest goes on
    return services.host_call(name, arguments, min(timeout_ms, MAX_TIMEOUT_MS))


def log(services: Services, memory: GuestMemory, message: int, length: int, *_: int) -> int:
    if length > MAX_LOG_BYTES:
        return LIMIT
    data = memory.read(message, length)
    text = data.decode(errors="replace")
    if not data.isascii() and len(text.encode()) > MAX_LOG_BYTES:  # U+FFFD takes three bytes
        text = text.encode()[:MAX_LOG_BYTES].decode(errors="ignore")
    return services.log(text)


# ---------------------------------------------------------------- reading JSON


def json_parse(services: Services, memory: GuestMemory, text: int, length: int, *_: int) -> int:
    if length > MAX_VALUE_BYTES:
        return LIMIT
    data = memory.read(text, length)
    try:
        return services.handles.add(decode(data))
    except ValueRefused as refused:
        return LIMIT if refused.kind is RefusalKind.LIMIT else INVALID


def json_get(services: Services, memory: GuestMemory, handle: int, key: int, length: int, *_: int) -> int:
    name = _name(memory, key, length)
    if isinstance(name, int):
        return name
    handles = services.handles
    value = handles.entries.get(handle)
    if not isinstance(value, dict) or name not in value:
        return INVALID
    return handles.add(value[name])


def json_at(services: Services, memory: GuestMemory, handle: int, index: int, *_: int) -> int:
    handles = services.handles
    value = handles.entries.get(handle)
    if not isinstance(value, list) or index >= len(value):
        return INVALID
    return handles.add(value[index])


def json_kind(services: Services, memory: GuestMemory, handle: int, *_: int) -> int:
    return _KINDS.get(type(services.handles.entries.get(handle, _MISSING)), INVALID)


def json_i64(services: Services, memory: GuestMemory, handle: int, out: int, *_: int) -> int:
    memory.check_writable(out, 8)
    value = services.handles.entries.get(handle)
    if type(value) is not int or not -_SIGN <= value < _SIGN:
        return INVALID
    memory.write(out, value.to_bytes(8, "little", signed=True))
    return 0


def json_bool(services: Services, memory: GuestMemory, handle: int, *_: int) -> int:
    value = services.handles.entries.get(handle)
    return int(value) if isinstance(value, bool) else INVALID


def json_read_string(services: Services, memory: GuestMemory, handle: int, out: int, capacity: int, *_: int) -> int:
    memory.check_writable(out, capacity)
    value = services.handles.entries.get(handle)
    if not isinstance(value, str):
        return INVALID
    text = value.encode()
    memory.write(out, text[:capacity] if len(text) >= capacity else text + b"\0")
    return len(text)


def json_string_equals(
    services: Services, memory: GuestMemory, handle: int, key: int, key_length: int, text: int, length: int
) -> int:
    name, wanted = _name(memory, key, key_length), _content(memory, text, length)
    if isinstance(name, int):
        return name
    if isinstance(wanted, int):
        return wanted
    value = services.handles.entries.get(handle)
    if not isinstance(value, dict):
        return INVALID
    member = value.get(name)
    return int(isinstance(member, str) and member == wanted)


def json_read_i64(
    services: Services, memory: GuestMemory, handle: int, key: int, length: int, default: int, *_: int
) -> int:
    """The number that `key` has; `default` if there is no such handle, object, key, or integer of 64 bits."""
    name = _name(memory, key, length)
    value = services.handles.entries.get(handle)
    member = value.get(name) if isinstance(value, dict) else None
    return member if type(member) is int and -_SIGN <= member < _SIGN else default


def json_read_text(
    services: Services, memory: GuestMemory, handle: int, key: int, length: int, out: int, capacity: int
) -> int:
    """Copy the string that `key` has, with a NUL in any case and no part of a character; the string's full length.

    If there is no such string, `out` holds the empty text and INVALID is returned.
    """
    memory.check_writable(out, capacity)
    name = _name(memory, key, length)
    value = services.handles.entries.get(handle)
    member = value.get(name) if isinstance(value, dict) else None
    text = member.encode() if isinstance(member, str) else b""
    if capacity:
        memory.write(out, _cut(text, capacity - 1) + b"\0")
    if isinstance(name, int):
        return name
    return len(text) if isinstance(member, str) else INVALID


# ---------------------------------------------------------------- making JSON


def json_object(services: Services, *_: object) -> int:
    return services.handles.add(empty_object())


def json_array(services: Services, *_: object) -> int:
    return services.handles.add(empty_array())


def json_null(services: Services, *_: object) -> int:
    return services.handles.add(None)


def json_string(services: Services, memory: GuestMemory, text: int, length: int, *_: int) -> int:
    content = _content(memory, text, length)
    if isinstance(content, int):
        return content
    if text_size(content) > MAX_VALUE_BYTES:
        return LIMIT
    return services.handles.add(content)


def json_number(services: Services, memory: GuestMemory, number: int, *_: int) -> int:
    return services.handles.add(_signed(number))


def json_boolean(services: Services, memory: GuestMemory, truth: int, *_: int) -> int:
    return services.handles.add(truth != 0)


def json_set(services: Services, memory: GuestMemory, handle: int, key: int, length: int, value: int, *_: int) -> int:
    name = _name(memory, key, length)
    member = _embeddable(services.handles, value)
    return INVALID if member is _MISSING else _set(services.handles, handle, name, member)


def json_set_string(
    services: Services, memory: GuestMemory, handle: int, key: int, key_length: int, text: int, length: int
) -> int:
    name, content = _name(memory, key, key_length), _content(memory, text, length)
    return content if isinstance(content, int) else _set(services.handles, handle, name, content)


def json_set_number(
    services: Services, memory: GuestMemory, handle: int, key: int, length: int, number: int, *_: int
) -> int:
    return _set(services.handles, handle, _name(memory, key, length), _signed(number))


def json_set_boolean(
    services: Services, memory: GuestMemory, handle: int, key: int, length: int, truth: int, *_: int
) -> int:
    return _set(services.handles, handle, _name(memory, key, length), truth != 0)


def json_push(services: Services, memory: GuestMemory, handle: int, value: int, *_: int) -> int:
    item = _embeddable(services.handles, value)
    return INVALID if item is _MISSING else _push(services.handles, handle, item)


def json_push_string(services: Services, memory: GuestMemory, handle: int, text: int, length: int, *_: int) -> int:
    content = _content(memory, text, length)
    return content if isinstance(content, int) else _push(services.handles, handle, content)


def json_push_number(services: Services, memory: GuestMemory, handle: int, number: int, *_: int) -> int:
    return _push(services.handles, handle, _signed(number))


# ---------------------------------------------------------------- bytes


def json_dump(services: Services, memory: GuestMemory, handle: int, *_: int) -> int:
    handles = services.handles
    value = handles.entries.get(handle, _MISSING)
    if value is _MISSING or isinstance(value, bytes):
        return INVALID
    return handles.add(encode(value))


def bytes_(services: Services, memory: GuestMemory, content: int, length: int, *_: int) -> int:
    if length > MAX_VALUE_BYTES:
        return LIMIT
    return services.handles.add(memory.read(content, length))


def bytes_len(services: Services, memory: GuestMemory, handle: int, *_: int) -> int:
    value = services.handles.entries.get(handle)
    if isinstance(value, str):
        return len(value.encode())
    return len(value) if isinstance(value, bytes | list | dict) else INVALID


def bytes_read(
    services: Services, memory: GuestMemory, handle: int, offset: int, out: int, capacity: int, *_: int
) -> int:
    memory.check_writable(out, capacity)
    value = services.handles.entries.get(handle)
    content = value.encode() if isinstance(value, str) else value
    if not isinstance(content, bytes) or offset > len(content):
        return INVALID
    part = content[offset : offset + capacity]
    memory.write(out, part)
    return len(part)


# ---------------------------------------------------------------- what they are made of


def _name(memory: GuestMemory, pointer: int, length: int) -> str | int:
    """A key or the name of a capability, or a status."""
    if length > MAX_VALUE_BYTES:
        return LIMIT
    try:
        return memory.read(pointer, length).decode()
    except UnicodeDecodeError:
        return INVALID


def _content(memory: GuestMemory, pointer: int, length: int) -> str | int:
    """The text of a string, or a status."""
    if length > MAX_VALUE_BYTES:
        return LIMIT
    return memory.read(pointer, length).decode(errors="replace")


def _signed(number: int) -> int:
    return number - ((number & _SIGN) << 1)


def _cut(text: bytes, limit: int) -> bytes:
    """At most `limit` bytes of UTF-8, of whole characters."""
    if len(text) <= limit:
        return text
    while limit and text[limit] & 0xC0 == 0x80:
        limit -= 1
    return text[:limit]


def _embeddable(handles: Handles, handle: int) -> Value:
    """The JSON value of a handle, adopted, so that a container may become part of another; or _MISSING."""
    value = handles.entries.get(handle, _MISSING)
    if value is _MISSING or isinstance(value, bytes):
        return _MISSING
    if type(value) is dict or type(value) is list:
        value = handles.entries[handle] = adopt(value)
    return value


def _set(handles: Handles, handle: int, name: str | int, member: Value) -> int:
    if isinstance(name, int):
        return name
    target = _embeddable(handles, handle)
    if not isinstance(target, Object):
        return INVALID
    changed = with_member(target, name, member)
    if changed is None:
        return LIMIT
    handles.entries[handle] = changed
    return 0


def _push(handles: Handles, handle: int, item: Value) -> int:
    target = _embeddable(handles, handle)
    if not isinstance(target, Array):
        return INVALID
    changed = with_item(target, item)
    if changed is None:
        return LIMIT
    handles.entries[handle] = changed
    return 0


SDK_CALLS: Final[dict[str, SdkCall]] = {
    "sf_sleep_ms": sleep_ms,
    "sf_yield": yield_,
    "sf_now_mono_ms": now_mono_ms,
    "sf_now_unix_ms": now_unix_ms,
    "sf_drop": drop,
    "sf_mark": mark,
    "sf_release": release,
    "sf_config": config,
    "sf_event_next": event_next,
    "sf_host_call_raw": host_call,
    "sf_log_raw": log,
    "sf_json_parse": json_parse,
    "sf_json_get_raw": json_get,
    "sf_json_at": json_at,
    "sf_json_kind": json_kind,
    "sf_json_i64": json_i64,
    "sf_json_bool": json_bool,
    "sf_json_read_string": json_read_string,
    "sf_json_string_equals_raw": json_string_equals,
    "sf_json_read_i64_raw": json_read_i64,
    "sf_json_read_text_raw": json_read_text,
    "sf_json_object": json_object,
    "sf_json_array": json_array,
    "sf_json_null": json_null,
    "sf_json_string_raw": json_string,
    "sf_json_number": json_number,
    "sf_json_boolean": json_boolean,
    "sf_json_set_raw": json_set,
    "sf_json_set_string_raw": json_set_string,
    "sf_json_set_number_raw": json_set_number,
    "sf_json_set_boolean_raw": json_set_boolean,
    "sf_json_push": json_push,
    "sf_json_push_string_raw": json_push_string,
    "sf_json_push_number": json_push_number,
    "sf_json_dump": json_dump,
    "sf_bytes": bytes_,
    "sf_bytes_len": bytes_len,
    "sf_bytes_read": bytes_read,
}
