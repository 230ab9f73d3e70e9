"""The services of the SDK without a node: a clock that only waits move, events and answers from a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from runtime.helpers import HelperFunction
from runtime.memory import GuestMemory
from runtime.sdk.calls import SDK_CALLS, SdkCall
from runtime.sdk.codes import CLOSED, TIMEOUT
from runtime.sdk.handles import Handles
from runtime.sdk.values import Value

# A value or bytes; a negative integer is a status. Or what computes them from the arguments.
Answer = Value | bytes | Callable[[Value, "ScriptedServices"], Value | bytes]


class ScriptedServices:
    """Waits end at once. When the script is used up, waiting answers CLOSED, which is how scripted guests end.

    `events` are pairs of the milliseconds before an event and its value; a negative integer is a status. `trace` has
    each call and each log line.
    """

    def __init__(
        self,
        events: Iterable[tuple[int, Value]] = (),
        answers: Mapping[str, Answer] | None = None,
        config: Value = None,
        sleeps: int = 0,
    ) -> None:
        self.handles = Handles()
        self.trace: list[list[Value]] = []
        self.mono_ms = 1000
        self.waits: list[int] = []
        self.sleeps = sleeps
        self._events, self._answers, self._config = list(events), dict(answers or {}), config

    def config(self) -> Value:
        return self._config

    def now_mono_ms(self) -> int:
        return self.mono_ms

    def now_unix_ms(self) -> int:
        return 1_700_000_000_000 + self.mono_ms - 1000

    def log(self, message: str) -> int:
        self.trace.append(["log", message])
        return 0

    def sleep(self, milliseconds: int) -> int:
        self.waits.append(milliseconds)
        self.mono_ms += milliseconds
        self.sleeps -= 1
        return CLOSED if self.sleeps < 0 else 0

    def yield_now(self) -> int:
        return 0

    def next_event(self, timeout_ms: int) -> int:
        self.waits.append(timeout_ms)
        if not self._events:
            return CLOSED
        after, event = self._events[0]
        if after > timeout_ms:
            self.mono_ms += timeout_ms
            self._events[0] = (after - timeout_ms, event)
            return TIMEOUT
        self.mono_ms += after
        del self._events[0]
        return self._handle(event)

    def host_call(self, capability: str, arguments: Value, timeout_ms: int) -> int:
        self.waits.append(timeout_ms)
        self.trace.append(["call", capability, arguments])
        answer = self._answers.get(capability, {})
        return self._handle(answer(arguments, self) if callable(answer) else answer)

    def _handle(self, value: Value | bytes) -> int:
        if type(value) is int and value < 0:
            return value
        return self.handles.add(value)


def helpers(services: ScriptedServices) -> dict[int | str, HelperFunction]:
    """The sf_ calls for `runtime.load`."""
    return {name: partial(_answer, call, services) for name, call in SDK_CALLS.items()}


def _answer(call: SdkCall, services: ScriptedServices, memory: GuestMemory, *arguments: int) -> int:
    answer = call(services, memory, *arguments)
    assert answer is not None, "scripted services answer at once"
    return answer
